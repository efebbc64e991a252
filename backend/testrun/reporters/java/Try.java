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
    private Set<String> known; // green tests that pass here too
    private Path record;
    private int begun;
    private int last = Integer.MAX_VALUE;
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
    }

    private Child child() throws IOException {
        return new Child(dir, order, Order.read(record), record);
    }

    private void trace() throws Exception {
        Child c = child();
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
            Thread t = new Thread(() -> {
                try {
                    work();
                } catch (IOException e) {
                    synchronized (this) {
                        unfit = String.valueOf(e);
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

    private synchronized int next() {
        if (!unfit.isEmpty() || passed >= order.number("enough") || begun >= last || begun >= trials || System.nanoTime() > until) {
            return -1;
        }
        return begun++;
    }

    private void work() throws IOException {
        Child c = null;
        int runs = 0;
        for (int n = next(); n >= 0; n = next()) {
            if (c != null && runs % CHECKED == CHECKED - 1 && !c.ask("check", 120).clean) {
                c = c.stop();
            }
            if (runs >= MOST_RUNS && c != null) {
                c = c.stop();
            }
            if (c == null) {
                c = child();
                runs = 0;
                if (!begins(c.ask("base", order.number("wall") + 60))) {
                    break;
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
        if (a.like >= 0) {
            return;
        }
        passed += all && sound ? 1 : 0;
        if (all && sound) { // a little further, for a better one: one more costs little beside a new start
            last = Math.min(last, begun + Math.max(begun, 120));
        }
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
