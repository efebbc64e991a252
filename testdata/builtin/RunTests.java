import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Compiles src and test in this process, runs the classes named ...Test, and writes a JUnit report to /out. */
public class RunTests {
    public static void main(String[] args) throws Exception {
        Path out = Files.createTempDirectory("classes");
        List<Path> sources = new ArrayList<>();
        for (String dir : new String[] {"src", "test"}) {
            try (Stream<Path> all = Files.walk(Path.of(dir))) {
                all.filter(p -> p.toString().endsWith(".java")).sorted().forEach(sources::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of("-d", out.toString(), "-nowarn", "-proc:none", "-g", "-cp", System.getProperty("java.class.path"));
            if (!compiler.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources)).call()) {
                System.err.println(said);
                System.exit(2);
            }
        }
        Map<String, Long> begun = new HashMap<>();
        Map<String, Failure> failed = new HashMap<>();
        List<Description> run = new ArrayList<>();
        JUnitCore core = new JUnitCore();
        core.addListener(new RunListener() {
            @Override public void testStarted(Description d) {
                run.add(d);
                begun.put(d.getDisplayName(), System.nanoTime());
            }

            @Override public void testFailure(Failure f) {
                if (!run.contains(f.getDescription())) {
                    run.add(f.getDescription());
                }
                failed.put(f.getDescription().getDisplayName(), f);
            }
        });
        URLClassLoader loader = new URLClassLoader(new URL[] {out.toUri().toURL()}, RunTests.class.getClassLoader());
        List<Class<?>> classes = new ArrayList<>();
        for (Path p : sources.stream().filter(p -> p.startsWith("test") && p.toString().endsWith("Test.java")).collect(Collectors.toList())) {
            String name = Path.of("test").relativize(p).toString().replace('/', '.');
            classes.add(loader.loadClass(name.substring(0, name.length() - ".java".length())));
        }
        Result result = core.run(classes.toArray(new Class<?>[0]));
        StringWriter text = new StringWriter();
        PrintWriter xml = new PrintWriter(text);
        xml.println("<testsuite name=\"tests\">");
        for (Description d : run) {
            xml.printf("<testcase classname=\"%s\" name=\"%s\" time=\"0\">", safe(d.getClassName()), safe(String.valueOf(d.getMethodName())));
            Failure f = failed.get(d.getDisplayName());
            if (f != null) {
                xml.printf("<failure message=\"%s\">%s</failure>", safe(String.valueOf(f.getMessage())), safe(f.getTrace()));
                System.out.println(d.getDisplayName() + "\n" + f.getTrace());
            }
            xml.println("</testcase>");
        }
        xml.println("</testsuite>");
        xml.flush();
        if (Files.isDirectory(Path.of("/out"))) {
            Files.createDirectories(Path.of("/out/xml"));
            Files.writeString(Path.of("/out/xml/tests.xml"), text.toString());
        }
        System.out.printf("%d passed, %d failed%n", result.getRunCount() - result.getFailureCount(), result.getFailureCount());
        System.exit(result.wasSuccessful() ? 0 : 1);
    }

    private static String safe(String s) {
        return s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replaceAll("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]", "?");
    }
}
