package redgreen;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process that loads version after version of the project and runs tests on each. It is told what to do line by line and
 * answers in lines that begin with a word that it was given first: what else comes out is of the code under test.
 */
final class Worker {
    static final int HUNG = 99; // the exit status where a test could not be stopped
    private static final int MOST_BROKEN = 3;
    private static final int MOST_ENDLESS = 3;
    private static final int MOST_HUNG = 4; // calls of one version
    private static final double QUICK = 0.3; // seconds of the processor for one call
    private static final double LATE = 5; // seconds for one that waits
    /** Whether Java still stops a thread: up to 19. From then on the sources that have versions are changed to ask whether to go on. */
    private static final boolean STOPS = Double.parseDouble(System.getProperty("java.specification.version")) < 20;
    private static final double BASE_SECONDS = 10; // of one test on the untouched tree
    private static final Pattern PACKAGE = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)\\s*;");
    private static final Pattern CONSTANT = Pattern.compile("\\bfinal\\b.*=");

    private final PrintStream out;
    private final BufferedReader in;
    private final String word;
    private final Order order;
    private final List<Map<String, String>> trials = new ArrayList<>(); // path → text
    private final Map<String, String> originals = new HashMap<>();
    private final List<Path> path = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>(); // name → its number among red and green
    private final int reds;
    private final Set<String> first;
    private final List<String> classes;
    private final Map<String, Map<String, byte[]>> base = new HashMap<>(); // path → its classes as they are
    private final Map<String, Integer> seen = new HashMap<>(); // what was compiled → the first trial that is so
    private final Map<Integer, String> before = new HashMap<>(); // id → how it ended on the untouched tree
    private URL[] own;
    private Compiler compiler;
    private Tests tests;
    private double seconds = BASE_SECONDS;
    private List<Path> sources;
    private final World world;
    private int endless; // threads of versions that go on and cannot be stopped

    private Worker(PrintStream out, BufferedReader in, String word, Order order, Order record) throws Exception {
        this.out = out;
        this.in = in;
        this.word = word;
        this.order = order;
        for (String[] row : order.rows("trial")) {
            int n = Integer.parseInt(row[0]);
            while (trials.size() <= n) {
                trials.add(new TreeMap<>());
            }
            trials.get(n).put(row[1], row[2]);
        }
        reds = order.list("red").size();
        List<String> all = new ArrayList<>(order.list("red"));
        all.addAll(order.list("green"));
        Set<String> named = new LinkedHashSet<>();
        for (String id : all) {
            ids.put(id, ids.size());
            String name = id.contains(" > ") ? id.substring(0, id.indexOf(" > ")) : id;
            named.add(name.contains("$") ? name.substring(0, name.indexOf('$')) : name);
        }
        first = new HashSet<>(order.list("first"));
        classes = new ArrayList<>(named);
        for (String p : record.list("path")) {
            path.add(Paths.get(p));
        }
        for (Map<String, String> t : trials) {
            for (String p : t.keySet()) {
                originals.put(p, text(Paths.get(p)));
            }
        }
        for (String p : order.list("trace")) {
            originals.put(p, text(Paths.get(p)));
        }
        properties(record);
        load();
        world = new World();
    }

    private static String text(Path p) throws IOException {
        return new String(Files.readAllBytes(p), StandardCharsets.UTF_8);
    }

    private static void properties(Order record) {
        for (String[] p : record.rows("property")) {
            if (System.getProperty(p[0]) == null) {
                System.setProperty(p[0], p[1]);
            }
        }
        System.setProperty("java.class.path", String.join(java.io.File.pathSeparator, record.list("path")));
    }

    /** Divides what is loaded once, the libraries, from what is loaded again for each version, and finds the framework. */
    private void load() throws Exception {
        Set<String> names = new HashSet<>(); // of class files that have versions
        for (Map.Entry<String, String> e : originals.entrySet()) {
            Matcher m = PACKAGE.matcher(e.getValue());
            String name = Paths.get(e.getKey()).getFileName().toString().replace(".java", ".class");
            names.add(m.find() ? m.group(1).replace('.', '/') + "/" + name : name);
        }
        List<URL> fresh = new ArrayList<>();
        List<URL> libraries = new ArrayList<>();
        for (Path p : path) {
            (Files.isDirectory(p) || holds(p, names) ? fresh : libraries).add(p.toUri().toURL());
        }
        own = fresh.toArray(new URL[0]);
        URLClassLoader below = new URLClassLoader(libraries.toArray(new URL[0]), Worker.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(below);
        List<Path> with = new ArrayList<>(path); // and Hits
        with.add(Paths.get(order.one("driver")));
        compiler = new Compiler(with);
        tests = framework(below, "org.junit.platform.launcher.Launcher", "Tests5");
        if (tests == null) {
            tests = framework(below, "org.junit.runner.Request", "Tests4");
        }
        if (tests == null) {
            throw new IllegalStateException("neither JUnit 4 nor the JUnit Platform is in the class path of the tests; " + compiler.said);
        }
    }

    private static boolean holds(Path jar, Set<String> names) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return names.stream().anyMatch(n -> file.getEntry(n) != null);
        }
    }

    private Tests framework(ClassLoader libraries, String needs, String shim) throws Exception {
        try {
            Class.forName(needs, false, libraries);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
        String file = order.one("shims") + "/" + shim + ".java";
        Map<String, byte[]> made = compiler.classes(java.util.Collections.singletonMap(file, text(Paths.get(file))));
        if (made == null) {
            return null;
        }
        return (Tests) new Project(new URL[0], libraries, made).loadClass("redgreen." + shim).getDeclaredConstructor().newInstance();
    }

    /** Says that a command was carried out, and whether the process is of use for another. */
    private void done(String how) {
        if (endless >= MOST_ENDLESS) {
            say("spent");
        }
        say(how);
    }

    private void say(Object... words) {
        StringBuilder b = new StringBuilder("\n").append(word);
        for (Object w : words) {
            b.append(' ').append(w);
        }
        synchronized (out) {
            out.append(b.append('\n'));
            out.flush();
        }
    }

    /** Runs all tests on the tree as it is, and learns from that how long one may take. */
    private void base() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (Map.Entry<String, String> e : originals.entrySet()) {
            sources.put(e.getKey(), e.getValue());
        }
        if (!sources.isEmpty() && compiler.classes(sources) == null) {
            compiler.process();
            if (compiler.classes(sources) == null) {
                say("unfit", Order.line("x", compiler.said.replace('\n', ' ')).substring(2));
                return;
            }
        }
        Map<String, byte[]> stoppable = new TreeMap<>();
        for (String p : originals.keySet()) {
            Map<String, byte[]> made = compiler.classes(asking(java.util.Collections.singletonMap(p, originals.get(p))));
            base.put(p, made == null ? Project.none() : made);
            if (!STOPS) {
                stoppable.putAll(base.get(p));
            }
        }
        Run run = new Run("s", null, false);
        run.on(stoppable);
        before.putAll(run.how);
        seconds = Math.max(order.number("seconds"), Math.min(BASE_SECONDS, 5 * run.slowest));
        say("done");
    }

    /** Sources that ask at each statement whether to go on, where Java stops no thread. */
    private static Map<String, String> asking(Map<String, String> sources) throws IOException {
        if (STOPS) {
            return sources;
        }
        Map<String, String> out = new TreeMap<>();
        for (Map.Entry<String, String> e : sources.entrySet()) {
            out.put(e.getKey(), new Lines().mark(e.getKey(), e.getValue()));
        }
        return out;
    }

    /** The classes of a trial; null where it does not compile. */
    private Map<String, byte[]> compiled(Map<String, String> trial) throws IOException {
        Map<String, String> sources = new TreeMap<>(trial);
        for (Map.Entry<String, String> e : trial.entrySet()) {
            if (constants(originals.get(e.getKey()), e.getValue())) { // others have the values of constants in their own code
                users(e.getKey(), sources);
            }
        }
        Map<String, byte[]> made = compiler.classes(asking(sources));
        return made == null && sources.size() > trial.size() ? compiler.classes(asking(trial)) : made;
    }

    private static boolean constants(String was, String is) {
        Set<String> old = new HashSet<>(Arrays.asList(was.split("\n")));
        for (String line : is.split("\n")) {
            if (!old.contains(line) && CONSTANT.matcher(line).find()) {
                return true;
            }
        }
        return false;
    }

    private void users(String file, Map<String, String> into) throws IOException {
        if (sources == null) {
            sources = new ArrayList<>();
            try (Stream<Path> all = Files.walk(Paths.get("/workspace"))) {
                all.filter(p -> p.toString().endsWith(".java") && Files.isRegularFile(p)).forEach(sources::add);
            } catch (java.io.UncheckedIOException e) {
                // what cannot be read is not looked at
            }
        }
        Pattern name = Pattern.compile("\\b" + Pattern.quote(Paths.get(file).getFileName().toString().replace(".java", "")) + "\\b");
        for (Path p : sources) {
            String text = text(p);
            Matcher m = PACKAGE.matcher(text);
            String stem = p.getFileName().toString().replace(".java", "");
            String type = m.find() ? m.group(1) + "." + stem : stem;
            if (!into.containsKey(p.toString()) && name.matcher(text).find() && known(type)) {
                into.put(p.toString(), text);
            }
        }
    }

    /** Whether the class path has a class. */
    private boolean known(String type) {
        for (Path p : path) {
            if (Files.isDirectory(p) && Files.exists(p.resolve(type.replace('.', '/') + ".class"))) {
                return true;
            }
        }
        return false;
    }

    private void trial(int n, boolean partial) throws IOException {
        Map<String, String> trial = trials.get(n);
        Map<String, byte[]> made = compiled(trial);
        if (made == null) {
            say("unbuilt");
            return;
        }
        Map<String, byte[]> old = new TreeMap<>();
        for (String p : trial.keySet()) {
            old.putAll(base.get(p));
        }
        if (alike(old, made)) {
            say("same");
            return;
        }
        Integer like = seen.putIfAbsent(digest(made), n);
        if (like != null) {
            say("like", like);
            return;
        }
        Run one = new Run("s", first, false);
        one.on(made);
        say("first");
        int fixed = one.fixed();
        if (fixed == first.size() || fixed > 0 && partial) {
            Run all = new Run("w", null, true);
            all.on(made);
            say("whole", all.over ? 0 : 1);
        }
        done("done");
    }

    private static boolean alike(Map<String, byte[]> a, Map<String, byte[]> b) {
        return a.keySet().equals(b.keySet()) && a.keySet().stream().allMatch(k -> Arrays.equals(a.get(k), b.get(k)));
    }

    private static String digest(Map<String, byte[]> made) {
        try {
            java.security.MessageDigest d = java.security.MessageDigest.getInstance("SHA-256");
            for (Map.Entry<String, byte[]> e : made.entrySet()) {
                d.update(e.getKey().getBytes(StandardCharsets.UTF_8));
                d.update(e.getValue());
            }
            return Arrays.toString(d.digest());
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each Java has it
        }
    }

    /** Whether the tree as it is still looks as at the beginning: what a version left behind in the libraries would show. */
    private void check() throws IOException {
        Run run = new Run("c", null, false);
        run.on(Project.none());
        done(run.how.equals(before) ? "done" : "changed");
    }

    /** Records the lines that each test runs. */
    private void trace() throws IOException {
        seconds = order.number("seconds");
        Map<String, String> changed = new TreeMap<>();
        Lines lines = new Lines();
        for (Map.Entry<String, String> e : originals.entrySet()) {
            changed.put(e.getKey(), lines.mark(e.getKey(), e.getValue()));
        }
        Map<String, byte[]> made = compiler.classes(changed);
        if (made == null) { // one by one
            made = new TreeMap<>();
            for (Map.Entry<String, String> e : changed.entrySet()) {
                Map<String, byte[]> one = compiler.classes(java.util.Collections.singletonMap(e.getKey(), e.getValue()));
                if (one != null) {
                    made.putAll(one);
                }
            }
        }
        Run run = new Run("s", null, false);
        run.lines = lines;
        run.on(made);
        say("done");
    }

    private Map<String, String> files(Collection<String> paths) {
        Map<String, String> out = new TreeMap<>();
        for (String p : paths) {
            out.put(p, originals.get(p));
        }
        return out;
    }

    /** The classes of the tree as it is, in which units tell that they are called; null where they do not compile. */
    private Map<String, byte[]> telling(Units units) throws IOException {
        Map<String, byte[]> made = compiler.classes(asking(units.marked));
        if (made == null) {
            compiler.process();
            made = compiler.classes(asking(units.marked));
        }
        return made;
    }

    /** Records with what the tests call what some versions change, and writes inputs a little off that into a file. */
    private void record(Path file, List<Integer> good) throws IOException {
        Set<String> paths = new java.util.TreeSet<>();
        for (int n : good) {
            paths.addAll(trials.get(n).keySet());
        }
        Units units = new Units(compiler, files(paths));
        Map<String, byte[]> made = telling(units);
        Map<Integer, Set<Integer>> changes = new TreeMap<>();
        Set<Integer> changed = new HashSet<>();
        for (int n : good) {
            changes.put(n, units.changed(compiler, trials.get(n)));
            changed.addAll(changes.get(n));
        }
        Calls calls = new Calls(paths, units.all, changed);
        if (made != null) {
            seconds = order.number("seconds");
            Run run = new Run("c", null, false);
            run.calls = calls;
            Calls.tell(calls);
            run.on(made);
            Calls.tell(null);
            calls.vary();
        }
        calls.save(file);
        for (Calls.Call c : calls.inputs) {
            say("input", c.green ? 1 : 0, encoded(Calls.shorten(calls.written(c))));
        }
        changes.forEach((n, all) -> say("changed", n, numbers(all)));
        say("done");
    }

    private static String numbers(Set<Integer> all) {
        StringBuilder b = new StringBuilder();
        for (int n : all) {
            b.append(b.length() == 0 ? "" : ",").append(n);
        }
        return b.length() == 0 ? "-" : b.toString();
    }

    private static String encoded(String text) {
        return Order.line("x", text).substring(2);
    }

    /** Says what comes of each input from a number on, in one version or, -1, in the tree as it is. */
    private void behave(Path file, int n, int from) throws Exception {
        Calls calls = Calls.load(file);
        Map<String, byte[]> made = n < 0 ? telling(new Units(compiler, files(calls.files))) : compiled(trials.get(n));
        if (made == null && n >= 0) {
            compiler.process();
            made = compiled(trials.get(n));
        }
        if (made == null) {
            say("unbuilt");
            return;
        }
        world.restore();
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        int hung = 0;
        try (Project loader = new Project(own, Thread.currentThread().getContextClassLoader(), made)) {
            for (int i = from; i < calls.inputs.size() && hung <= MOST_HUNG; i++) {
                say("at", i);
                Calls.Fate f = called(calls, calls.inputs.get(i), loader);
                hung += f.is.equals("!hangs") ? 1 : 0;
                say("fate", i, f.is, encoded(Calls.shorten(f.shown)), f.touches ? 1 : 0, numbers(f.reached));
            }
        }
        endless += World.end(others);
        say("tidy");
        in.readLine();
        done("done");
    }

    /** Makes one call; one that takes too long is stopped, with the process where Java cannot do that. */
    private Calls.Fate called(Calls calls, Calls.Call call, Project loader) throws InterruptedException {
        Calls.Fate[] got = new Calls.Fate[1];
        Thread thread = new Thread(null, () -> {
            got[0] = calls.fate(call, loader);
        }, "call", 8 << 20);
        thread.setDaemon(true);
        thread.setContextClassLoader(loader);
        Hits.begin(0);
        ThreadMXBean times = ManagementFactory.getThreadMXBean();
        long wall = System.nanoTime();
        thread.start();
        thread.join(5);
        while (thread.isAlive()) {
            thread.join(20);
            if (times.getThreadCpuTime(thread.getId()) / 1e9 > QUICK || (System.nanoTime() - wall) / 1e9 > LATE) {
                break;
            }
        }
        if (thread.isAlive()) {
            if (STOPS) {
                World.stop(thread);
            } else {
                Hits.stop();
            }
            thread.join(1000);
        }
        if (thread.isAlive()) {
            Runtime.getRuntime().halt(HUNG);
        }
        return got[0] == null ? new Calls.Fate() : got[0];
    }

    /** One run of tests on one version. */
    private final class Run implements Tests.Watch {
        private final String mark;
        private final Set<String> wanted;
        private final boolean stops; // when enough are broken
        private final Map<Integer, String> how = new HashMap<>();
        private final ThreadMXBean times = ManagementFactory.getThreadMXBean();
        private Lines lines;
        private Calls calls;
        private Thread thread;
        private int broken;
        private double slowest;
        private volatile boolean over;
        private volatile int current = -1;
        private volatile boolean busy;
        private volatile boolean hung;
        private volatile long cpu;
        private volatile long wall = System.nanoTime();

        Run(String mark, Set<String> wanted, boolean stops) {
            this.mark = mark;
            this.wanted = wanted;
            this.stops = stops;
        }

        int fixed() {
            int n = 0;
            for (String id : first) {
                n += "passed".equals(how.get(ids.get(id))) ? 1 : 0;
            }
            return n;
        }

        /** Runs them; what they wrote is gone when it returns. */
        void on(Map<String, byte[]> versions) throws IOException {
            world.restore();
            Set<Thread> others = Thread.getAllStackTraces().keySet();
            try (Project loader = new Project(own, Thread.currentThread().getContextClassLoader(), versions)) {
                thread = new Thread(null, () -> {
                    try {
                        tests.run(loader, wanted == null ? classes : classesOf(wanted), wanted, this);
                    } catch (Throwable e) {
                        // the tests that did not come to run tell it
                    }
                }, "tests", 8 << 20);
                thread.setDaemon(true);
                thread.setContextClassLoader(loader);
                cpu = 0;
                thread.start();
                while (thread.isAlive()) {
                    thread.join(20);
                    if (late()) {
                        stop();
                    }
                }
                endless += World.end(others);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            say("tidy");
            in.readLine();
        }

        private boolean late() {
            long now = System.nanoTime();
            double most = busy ? seconds : seconds + BASE_SECONDS;
            return thread.isAlive() && (busy && (times.getThreadCpuTime(thread.getId()) - cpu) / 1e9 > most || (now - wall) / 1e9 > 4 * most + 2);
        }

        /** Ends the test that runs, or the process where Java no longer can. */
        private void stop() throws InterruptedException {
            hung = true;
            over = wanted != null || stops; // on the untouched tree the other tests run all the same
            if (lines != null || !STOPS) {
                Hits.stop();
                thread.join(1000);
            }
            if (thread.isAlive() && STOPS) {
                World.stop(thread);
                thread.join(1000);
            }
            if (thread.isAlive()) {
                say("hung", current);
                Runtime.getRuntime().halt(HUNG);
            }
            if (busy && current >= 0) { // the framework did not come to tell
                busy = false;
                end(current, "hung");
            }
        }

        @Override public synchronized void begin(Collection<String> names) {
            current = -1;
            for (String name : names) {
                if (ids.containsKey(name)) {
                    current = ids.get(name);
                    break;
                }
            }
            cpu = times.getCurrentThreadCpuTime();
            wall = System.nanoTime();
            busy = true;
            Hits.begin(lines == null ? 0 : lines.size());
            if (calls != null) {
                calls.begin(current >= reds);
            }
            if (current >= 0) {
                say("b", current);
            }
        }

        @Override public void end(Collection<String> names, String status) {
            if (hung) {
                status = "hung";
            } else if (status.equals("passed")) {
                slowest = Math.max(slowest, (times.getCurrentThreadCpuTime() - cpu) / 1e9);
            }
            busy = false;
            wall = System.nanoTime();
            if (current >= 0) {
                end(current, status);
            }
            hung = false;
        }

        private synchronized void end(int id, String status) {
            current = -1;
            how.put(id, status);
            say(mark, id, status, lines == null ? "" : lines.hits(Hits.take()));
            if (stops && !status.equals("passed") && id >= reds && "passed".equals(before.get(id)) && ++broken >= MOST_BROKEN) {
                over = true;
            }
        }

        @Override public boolean over() {
            return over;
        }
    }

    private static Collection<String> classesOf(Set<String> names) {
        Set<String> out = new LinkedHashSet<>();
        for (String n : names) {
            String c = n.substring(0, n.indexOf(" > "));
            out.add(c);
        }
        return out;
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream none = new PrintStream(new OutputStream() {
            @Override public void write(int b) {}

            @Override public void write(byte[] b, int off, int len) {}
        });
        System.setOut(none);
        System.setErr(none);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        String word = in.readLine();
        Worker w;
        try {
            w = new Worker(out, in, word, Order.read(Paths.get(args[0])), Order.read(Paths.get(args[1])));
        } catch (Exception e) {
            out.println(word + " unfit " + Order.line("x", String.valueOf(e)).substring(2));
            out.flush();
            return;
        }
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] what = line.split(" ");
            switch (what[0]) {
                case "base": w.base(); break;
                case "trial": w.trial(Integer.parseInt(what[1]), what[2].equals("1")); break;
                case "check": w.check(); break;
                case "trace": w.trace(); break;
                case "behave": w.behave(Paths.get(what[1]), Integer.parseInt(what[2]), Integer.parseInt(what[3])); break;
                case "record":
                    List<Integer> good = new ArrayList<>();
                    for (String n : what[2].split(",")) {
                        good.add(Integer.parseInt(n));
                    }
                    w.record(Paths.get(what[1]), good);
                    break;
                default: return;
            }
        }
        Runtime.getRuntime().halt(0);
    }
}
