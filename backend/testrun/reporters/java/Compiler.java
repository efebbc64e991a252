package redgreen;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiles texts in memory against a class path. */
final class Compiler {
    private final JavaCompiler tool = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files;
    private List<String> options = Arrays.asList("-nowarn", "-g", "-proc:none", "-implicit:none");
    String said = ""; // the first error of the last compilation

    Compiler(Iterable<Path> path) throws IOException {
        files = tool.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<File> all = new ArrayList<>();
        for (Path p : path) {
            all.add(p.toFile());
        }
        files.setLocation(StandardLocation.CLASS_PATH, all);
    }

    /** Lets annotation processors of the class path run: the code may need what they make. */
    void process() {
        options = Arrays.asList("-nowarn", "-g", "-implicit:none");
    }

    /** A source, to be looked at. */
    com.sun.source.util.JavacTask task(String path, String text) {
        return (com.sun.source.util.JavacTask) tool.getTask(OutputStreams.NONE, files, d -> {}, options, null, java.util.Collections.singletonList(new Text(Paths.get(path).toUri(), text)));
    }

    /** The classes of some sources (path → text), by name; null where they do not compile. */
    Map<String, byte[]> classes(Map<String, String> sources) {
        List<JavaFileObject> units = new ArrayList<>();
        for (Map.Entry<String, String> e : sources.entrySet()) {
            units.add(new Text(Paths.get(e.getKey()).toUri(), e.getValue()));
        }
        Memory made = new Memory(files);
        DiagnosticCollector<JavaFileObject> errors = new DiagnosticCollector<>();
        boolean good = false;
        try {
            good = tool.getTask(OutputStreams.NONE, made, errors, options, null, units).call();
        } catch (RuntimeException | StackOverflowError e) {
            said = "the compiler failed: " + e;
        }
        if (!good) {
            for (Diagnostic<? extends JavaFileObject> d : errors.getDiagnostics()) {
                if (d.getKind() == Diagnostic.Kind.ERROR) {
                    said = d.toString();
                    break;
                }
            }
            return null;
        }
        Map<String, byte[]> out = new TreeMap<>();
        for (Map.Entry<String, ByteArrayOutputStream> e : made.out.entrySet()) {
            out.put(e.getKey(), e.getValue().toByteArray());
        }
        return out;
    }

    private static final class Text extends SimpleJavaFileObject {
        private final String text;

        Text(URI uri, String text) {
            super(uri, Kind.SOURCE);
            this.text = text;
        }

        @Override public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class OutputStreams {
        static final java.io.Writer NONE = new java.io.Writer() {
            @Override public void write(char[] b, int off, int len) {}

            @Override public void flush() {}

            @Override public void close() {}
        };
    }

    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ByteArrayOutputStream> out = new TreeMap<>();

        Memory(JavaFileManager files) {
            super(files);
        }

        @Override public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + kind.extension), kind) {
                @Override public OutputStream openOutputStream() {
                    ByteArrayOutputStream b = new ByteArrayOutputStream();
                    out.put(name, b);
                    return b;
                }
            };
        }
    }
}
