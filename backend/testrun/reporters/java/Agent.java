package redgreen;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * Rides along in each Java process of the ordinary test command and writes down, in the one that loads the classes of the
 * tests, what it takes to load them again: class path, working folder, properties, environment, options. So the build may
 * be any that runs Java.
 */
public final class Agent implements ClassFileTransformer {
    private final Path dir;
    private final Instrumentation jvm;
    private final Set<String> wanted; // as a/b/C
    private Path record;

    private Agent(Path dir, Instrumentation jvm) throws IOException {
        this.dir = dir;
        this.jvm = jvm;
        wanted = new HashSet<>(Files.readAllLines(dir.resolve("classes"), StandardCharsets.UTF_8));
    }

    public static void premain(String arg, Instrumentation jvm) {
        try {
            jvm.addTransformer(new Agent(Paths.get(arg), jvm));
        } catch (IOException | RuntimeException e) {
            // the command goes on as without us
        }
    }

    @Override public synchronized byte[] transform(ClassLoader loader, String name, Class<?> was, ProtectionDomain domain, byte[] bytes) {
        try {
            if (was == null && wanted.remove(name)) {
                write(loader, domain, name);
            }
        } catch (IOException | RuntimeException | LinkageError e) {
            // as above
        }
        return null;
    }

    private void write(ClassLoader loader, ProtectionDomain domain, String name) throws IOException {
        List<String> lines = new ArrayList<>();
        if (record == null) {
            record = Files.createTempFile(dir, "record", "");
            for (Path p : path(loader, domain)) {
                lines.add(Order.line("path", p.toString()));
            }
            lines.add(Order.line("folder", System.getProperty("user.dir")));
            for (String arg : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
                lines.add(Order.line("option", arg));
            }
            for (Map.Entry<?, ?> e : new TreeMap<>(System.getProperties()).entrySet()) {
                lines.add(Order.line("property", String.valueOf(e.getKey()), String.valueOf(e.getValue())));
            }
            for (Map.Entry<String, String> e : System.getenv().entrySet()) {
                lines.add(Order.line("env", e.getKey(), e.getValue()));
            }
        }
        lines.add(Order.line("class", name));
        Files.write(record, lines, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
    }

    /** All places that classes come from, in the order in which they are looked in. */
    private Set<Path> path(ClassLoader loader, ProtectionDomain domain) throws IOException {
        Set<Path> found = new LinkedHashSet<>();
        add(found, domain);
        for (ClassLoader l = loader; l != null; l = l.getParent()) {
            if (l instanceof URLClassLoader) {
                for (URL u : ((URLClassLoader) l).getURLs()) {
                    add(found, file(u));
                }
            }
        }
        for (String p : System.getProperty("java.class.path", "").split(java.io.File.pathSeparator)) {
            add(found, p.isEmpty() ? null : Paths.get(p));
        }
        for (Class<?> c : jvm.getAllLoadedClasses()) {
            if (c.getClassLoader() != null) {
                add(found, c.getProtectionDomain());
            }
        }
        found.remove(dir.resolve("agent.jar"));
        Set<Path> kept = new LinkedHashSet<>();
        for (Path p : found) {
            kept.add(Files.isDirectory(p) && !p.startsWith("/workspace") ? copied(p) : p);
        }
        return kept;
    }

    private void add(Set<Path> found, ProtectionDomain domain) throws IOException {
        CodeSource source = domain == null ? null : domain.getCodeSource();
        add(found, source == null ? null : file(source.getLocation()));
    }

    private static Path file(URL u) {
        try {
            return u != null && u.getProtocol().equals("file") ? Paths.get(u.toURI()) : null;
        } catch (Exception e) {
            return null;
        }
    }

    /** Adds a folder or a jar, and what a jar's manifest names: build tools put long class paths there. */
    private static void add(Set<Path> found, Path p) throws IOException {
        Path full = p == null ? null : p.toAbsolutePath().normalize();
        if (p == null || found.contains(full) || Files.isDirectory(p) && found.add(full)) {
            return;
        }
        String more = null;
        try (JarFile jar = new JarFile(p.toFile())) {
            found.add(full);
            Manifest m = jar.getManifest();
            more = m == null ? null : m.getMainAttributes().getValue("Class-Path");
        } catch (IOException e) {
            return; // none, or no jar
        }
        for (String s : more == null ? new String[0] : more.trim().split("\\s+")) {
            try {
                add(found, Paths.get(p.toUri().resolve(URI.create(s))));
            } catch (IllegalArgumentException | java.nio.file.FileSystemNotFoundException e) {
                // not of this machine
            }
        }
    }

    /** A folder may be gone when its process has ended. */
    private Path copied(Path from) throws IOException {
        Path to = Files.createTempDirectory(dir, "classes");
        try (Stream<Path> all = Files.walk(from)) {
            for (Path p : (Iterable<Path>) all::iterator) {
                Path target = to.resolve(from.relativize(p).toString());
                if (Files.isDirectory(p)) {
                    Files.createDirectories(target);
                } else if (Files.isRegularFile(p)) {
                    Files.copy(p, target);
                }
            }
        }
        return to;
    }
}
