package redgreen;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Tries many changed versions of a few Java files, two at a time: the ordinary command runs once with an agent that learns
 * where the classes come from, then each version is compiled in memory and loaded afresh in one of two processes, where a
 * version costs some milliseconds. It reads an order and reports what became of each version, as try_python.py does.
 */
public final class Try {
    private static final int MOST_PARTIAL = 25;
    private static final int MOST_RUNS = 300; // versions that one process loads: not all of what a version leaves can be forgotten
    private static final int BUSY = 10; // times what a run of all tests took: on a busy machine the calls have longer
    private static final int MOST_STARTS = 4; // of a process that makes the calls of one version
    private static final int CHECKED = 60; // versions after which the untouched tree must look as before

    private final Path dir;
    private final Order order;
    private final Report report;
    private final List<String> red;
    private final List<String> green;
    private final int trials;
    private long until;
    private final Map<Integer, Map<String, Object>> told = new HashMap<>();
    private final Map<Integer, Map<String, Object>> wholes = new HashMap<>();
    private final TreeMap<Integer, Integer> good = new TreeMap<>(); // what passes all tests → the first that has the same classes
    private final Tree[] trees = new Tree[2];
    private Set<String> known; // green tests that pass here too
    private Set<Path> before; // what the folder had before any test ran; null where it is too much to copy
    private Outside outside;
    private int alone = -1; // the one worker that goes on where versions write beside their trees
    private Path record;
    private int begun;
    private int last = Integer.MAX_VALUE;
    private double base; // seconds that a new process took for all tests
    private int passed;
    private int partial;
    private String unfit = "";

    private Try(Path dir, Order order, Report report) {
        this.dir = dir;
        this.order = order;
        this.report = report;
        red = order.list("red");
        green = order.list("green");
        int n = 0;
        for (String[] row : order.rows("trial")) {
            n = Math.max(n, Integer.parseInt(row[0]) + 1);
        }
        trials = n;
    }

    public static void main(String[] args) throws Exception {
        Report report = new Report();
        Path dir = Paths.get(args[0]);
        Try t = new Try(dir, Order.read(Paths.get(args[1])), report);
        t.learn();
        if (t.record == null) {
            t.unfit = "no Java process of the command loads the classes of the failing tests from a folder or a jar";
        } else if (!t.order.list("trace").isEmpty()) {
            t.trace();
        } else {
            t.search();
            t.compare();
        }
        Map<String, Object> end = event("end");
        end.put("unfit", t.unfit);
        report.write(end);
        System.exit(0);
    }

    private static Map<String, Object> event(String name) {
        Map<String, Object> e = new LinkedHashMap<>();
        e.put("event", name);
        return e;
    }

    /** Runs the ordinary command with the agent. */
    private void learn() throws IOException, InterruptedException {
        before = Tree.list();
        outside = new Outside();
        Path jar = dir.resolve("agent.jar");
        Manifest m = new Manifest();
        m.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        m.getMainAttributes().putValue("Premain-Class", "redgreen.Agent");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), m); DirectoryStream<Path> all = Files.newDirectoryStream(dir.resolve("driver/redgreen"))) {
            for (Path p : all) {
                if (p.getFileName().toString().matches("(Agent|Order)(\\$.*)?\\.class")) {
                    out.putNextEntry(new JarEntry("redgreen/" + p.getFileName()));
                    out.write(Files.readAllBytes(p));
                }
            }
        }
        Set<String> wanted = new LinkedHashSet<>();
        for (String id : order.list("first")) {
            wanted.add(id.replaceAll(" > .*", "").replace('.', '/'));
        }
        Files.write(dir.resolve("classes"), wanted, StandardCharsets.UTF_8);
        ProcessBuilder b = new ProcessBuilder(order.list("command"));
        b.environment().keySet().removeAll(java.util.Arrays.asList("REDGREEN_REPORT", "REDGREEN_TRY"));
        String options = b.environment().getOrDefault("JAVA_TOOL_OPTIONS", "");
        b.environment().put("JAVA_TOOL_OPTIONS", (options + " -javaagent:" + jar + "=" + dir).trim());
        b.redirectErrorStream(true).redirectOutput(new File("/dev/null")).start().waitFor();
        int most = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(dir, "record*")) {
            for (Path p : all) {
                int n = Order.read(p).list("class").size();
                if (n > most) {
                    most = n;
                    record = p;
                }
            }
        }
        outside.clear(record == null ? new ArrayList<>() : Order.read(record).list("path"));
    }

    /** A worker's own copy of the folder, null none. */
    private Tree tree(int worker) throws IOException {
        if (before != null && trees[worker] == null) {
            trees[worker] = Tree.copy(dir.resolve("worker" + worker), before, Order.read(record).list("path"));
        }
        return trees[worker];
    }

    private Child child(int worker, Tree tree) throws IOException {
        Child.Tidy tidy = () -> tidy(worker, tree);
        if (tree == null) {
            return new Child(order, Order.read(record), record, null, tidy);
        }
        Path own = tree.root.resolveSibling("record");
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(record, StandardCharsets.UTF_8)) {
            String[] parts = line.split(" ", -1); // a value may be empty
            for (int i = 1; i < parts.length; i++) {
                parts[i] = tree.own(Order.text(parts[i]));
            }
            lines.add(Order.line(parts[0], java.util.Arrays.copyOfRange(parts, 1, parts.length)));
        }
        Files.write(own, lines, StandardCharsets.UTF_8);
        tree.restore();
        return new Child(order, Order.read(own), own, tree, tidy);
    }

    private void trace() throws Exception {
        Child c = child(0, tree(0));
        Child.Answer a = c.ask("trace", order.number("wall"));
        unfit = a.unfit;
        List<String> ids = new ArrayList<>(red);
        ids.addAll(green);
        for (Map.Entry<Integer, String> e : a.statuses.entrySet()) {
            Map<String, Object> line = event("lines");
            line.put("id", ids.get(e.getKey()));
            line.put("status", e.getValue());
            List<Object> hits = new ArrayList<>();
            for (String h : a.hits.getOrDefault(e.getKey(), "").split(",")) {
                String[] parts = h.split(":");
                for (int n = parts.length == 3 ? Integer.parseInt(parts[1]) : 1; parts.length == 3 && n <= Integer.parseInt(parts[2]); n++) {
                    List<Object> hit = new ArrayList<>();
                    hit.add(Order.text(parts[0]));
                    hit.add(n);
                    hits.add(hit);
                }
            }
            line.put("hits", hits);
            report.write(line);
        }
        c.stop();
    }

    private void search() throws Exception {
        until = System.nanoTime() + (long) (order.number("wall") * 1e9); // what came before cost as much as the ordinary run
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < Math.min(2, trials); i++) {
            int worker = i;
            Thread t = new Thread(() -> {
                try {
                    work(worker);
                } catch (IOException | RuntimeException e) {
                    synchronized (this) {
                        unfit = String.valueOf(e);
                        notifyAll();
                    }
                }
            });
            all.add(t);
            t.start();
        }
        for (Thread t : all) {
            t.join();
        }
    }

    /** The next version; the second worker begins when the first has run all tests, by which it shows whether they write beside its tree. */
    private synchronized int next(int worker) throws IOException {
        try {
            while (worker > 0 && known == null && unfit.isEmpty() && alone < 0 && System.nanoTime() <= until) {
                wait(1000);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        if (alone >= 0 && alone != worker || !unfit.isEmpty() || passed >= order.number("enough") || begun >= last || begun >= trials || System.nanoTime() > until) {
            return -1;
        }
        return begun++;
    }

    /** Makes all that a version may have written as it was. What it wrote beside its tree others saw: one worker goes on then. */
    private void tidy(int worker, Tree tree) throws IOException {
        if (tree != null) {
            tree.restore();
        }
        synchronized (this) {
            if ((alone < 0 || alone == worker) && outside.clear()) {
                alone = worker;
            }
        }
    }

    private void work(int worker) throws IOException {
        Child c = null;
        int runs = 0;
        for (int n = next(worker); n >= 0; n = next(worker)) {
            if (c != null && runs % CHECKED == CHECKED - 1 && !c.ask("check", 120).clean) {
                c = c.stop();
            }
            if (runs >= MOST_RUNS && c != null) {
                c = c.stop();
            }
            if (c == null) {
                long began = System.nanoTime();
                c = child(worker, tree(worker));
                runs = 0;
                if (!begins(c.ask("base", order.number("wall") + 60))) {
                    break;
                }
                synchronized (this) {
                    base = Math.max(base, (System.nanoTime() - began) / 1e9);
                }
            }
            runs++;
            boolean more;
            synchronized (this) {
                more = partial < MOST_PARTIAL;
            }
            Child.Answer a = c.ask("trial " + n + " " + (more ? 1 : 0), 60 + 5 * order.number("seconds") * (red.size() + green.size()));
            tell(n, a);
            if (a.ended || a.spent) {
                c = c.stop();
            }
            if (a.ended) {
                tidy(worker, tree(worker));
            }
        }
        if (c != null) {
            c.stop();
        }
    }

    /** Looks whether tests on the untouched tree end here as they did in the ordinary run. */
    private synchronized boolean begins(Child.Answer a) {
        Set<String> pass = new HashSet<>();
        for (int i = 0; i < green.size(); i++) {
            if ("passed".equals(a.statuses.get(red.size() + i))) {
                pass.add(green.get(i));
            }
        }
        for (String id : order.list("first")) {
            String how = a.statuses.get(red.indexOf(id));
            if (!"failed".equals(how) && !"hung".equals(how) && unfit.isEmpty()) {
                unfit = a.unfit.isEmpty() ? "on the untouched tree " + id + " " + (how == null ? "does not run" : "is " + how) + " where it should fail" : a.unfit;
            }
        }
        if (2 * pass.size() < green.size() && unfit.isEmpty()) {
            unfit = "of the " + green.size() + " tests that pass on the untouched tree only " + pass.size() + " do when its classes are loaded again";
        }
        if (a.ended && unfit.isEmpty()) {
            unfit = "a test ends the process, or never ends, on the untouched tree";
        }
        known = pass;
        notifyAll();
        return unfit.isEmpty();
    }

    private List<String> passing(Map<Integer, String> statuses) {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < red.size(); i++) {
            if ("passed".equals(statuses.get(i))) {
                out.add(red.get(i));
            }
        }
        return out;
    }

    private synchronized void tell(int n, Child.Answer a) {
        Map<String, Object> trial = event("trial");
        trial.put("n", n);
        List<String> hung = new ArrayList<>();
        a.statuses.forEach((id, how) -> {
            if (how.equals("hung") && id < red.size()) {
                hung.add(red.get(id));
            }
        });
        if (a.hung && hung.isEmpty()) {
            hung.add(order.list("first").get(0));
        }
        trial.put("built", a.built);
        trial.put("crashed", a.ended && !a.hung);
        trial.put("hung", hung);
        trial.put("fixed", passing(a.statuses));
        if (a.like >= 0 && told.containsKey(a.like)) {
            trial = new LinkedHashMap<>(told.get(a.like));
            trial.put("n", n);
        }
        told.put(n, trial);
        report.write(trial);
        Map<String, Object> whole = a.like >= 0 ? wholes.get(a.like) : a.whole ? whole(a) : null;
        if (whole == null) {
            return;
        }
        whole = new LinkedHashMap<>(whole);
        whole.put("n", n);
        wholes.put(n, whole);
        report.write(whole);
        boolean all = ((List<?>) whole.get("fixed")).size() == red.size();
        boolean sound = ((List<?>) whole.get("broken")).isEmpty();
        partial += all ? 0 : 1;
        if (all && sound) {
            good.put(n, a.like >= 0 ? good.getOrDefault(a.like, n) : n);
        }
        if (a.like >= 0) {
            return;
        }
        passed += all && sound ? 1 : 0;
        if (all && sound) { // a little further, for a better one: one more costs little beside a new start
            last = Math.min(last, begun + Math.max(begun, 120));
        }
    }

    /** Has what passes called with inputs a little off those of the tests, and tells what came of each call; it is judged outside. */
    private void compare() throws IOException {
        until = System.nanoTime() + (long) (Math.max(order.number("compare"), BUSY * base) * 1e9);
        Set<Integer> apart = new TreeSet<>(good.values());
        if (apart.size() < 2 || !unfit.isEmpty()) {
            return;
        }
        int worker = Math.max(alone, 0);
        Path file = dir.resolve("calls");
        Child c = child(worker, tree(worker));
        Child.Answer told = c.ask("record " + file + " " + apart.toString().replaceAll("[\\[\\] ]", ""), left());
        if (told.inputs.isEmpty() || told.ended) {
            c.stop();
            return;
        }
        Map<String, Object> inputs = event("inputs");
        inputs.put("calls", told.inputs);
        inputs.put("green", told.green);
        report.write(inputs);
        Map<Integer, Set<String>> reached = new HashMap<>();
        Map<Integer, Map<Integer, String[]>> all = new HashMap<>();
        List<Integer> order = new ArrayList<>(java.util.Arrays.asList(-1, -1)); // what the tree itself does not do the same twice tells nothing
        order.addAll(apart);
        for (int n : order) {
            Map<Integer, String[]> fates = new TreeMap<>();
            for (int from = 0, starts = 0; from < told.inputs.size() && starts < MOST_STARTS && left() > 0; starts++) {
                c = c == null ? child(worker, tree(worker)) : c;
                Child.Answer a = c.ask("behave " + file + " " + n + " " + from, left());
                fates.putAll(a.fates);
                if (a.ended || a.spent) {
                    c = c.stop();
                    tidy(worker, tree(worker));
                }
                if (!a.ended || a.at < from || left() <= 0) {
                    break;
                }
                if (!a.fates.containsKey(a.at)) {
                    fates.put(a.at, a.hung ? new String[] {"!hangs", "no end", "0", "-"} : new String[] {"!ends", "the process ends", "0", "-"});
                }
                from = a.at + 1;
            }
            if (n < 0) {
                fates.forEach((i, f) -> reached.computeIfAbsent(i, k -> new HashSet<>()).addAll(java.util.Arrays.asList(f[3].split(","))));
                fates(n, fates, new HashSet<>(), reached);
            }
            if (!fates.isEmpty()) {
                all.put(n, fates);
            }
        }
        for (Map.Entry<Integer, Integer> e : good.entrySet()) {
            if (all.containsKey(e.getValue())) {
                fates(e.getKey(), all.get(e.getValue()), new HashSet<>(told.changed.get(e.getValue())), reached);
            }
        }
        if (c != null) {
            c.stop();
        }
    }

    /** Seconds until the time for the calls is over. */
    private double left() {
        return (until - System.nanoTime()) / 1e9;
    }

    private void fates(int n, Map<Integer, String[]> fates, Set<String> changed, Map<Integer, Set<String>> reached) {
        List<Object> out = new ArrayList<>();
        fates.forEach((i, f) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("input", i);
            one.put("fate", f[0]);
            one.put("shown", f[1]);
            one.put("touches", f[2].equals("1"));
            one.put("reaches", reached.getOrDefault(i, new HashSet<>()).stream().anyMatch(u -> !u.equals("-") && changed.contains(u)));
            out.add(one);
        });
        Map<String, Object> e = event("fates");
        e.put("n", n);
        e.put("fates", out);
        report.write(e);
    }

    private Map<String, Object> whole(Child.Answer a) {
        List<String> broken = new ArrayList<>();
        for (int i = 0; i < green.size() && broken.size() < 20; i++) {
            String how = a.wholes.get(red.size() + i);
            if (known.contains(green.get(i)) && (how == null ? a.completes : !how.equals("passed"))) {
                broken.add(green.get(i));
            }
        }
        Map<String, Object> e = event("whole");
        e.put("broken", broken);
        e.put("fixed", passing(a.wholes));
        return e;
    }
}
