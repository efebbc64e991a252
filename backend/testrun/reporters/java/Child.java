package redgreen;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process of Worker, seen from outside. */
final class Child {
    private static final int MOST_LINE = 4 << 20;
    private static final String[] OPTIONS = {"--add-", "--enable-", "--limit-modules", "-Xss", "-ea", "-enableassertions", "-esa", "-D"};

    /** Makes what a version may have written as it was. */
    interface Tidy {
        void tidy() throws IOException;
    }

    private final Tidy tidy;
    private final Process process;
    private final Writer in;
    private final BufferedReader out;
    private final String word = Long.toHexString(new SecureRandom().nextLong()) + Long.toHexString(new SecureRandom().nextLong());

    /** What a command came to. */
    static final class Answer {
        final Map<Integer, String> statuses = new HashMap<>(); // of the first tests, by number
        final Map<Integer, String> wholes = new HashMap<>(); // of all
        final Map<Integer, String> hits = new HashMap<>();
        boolean built = true;
        boolean whole; // all tests were begun
        boolean completes; // and none was left out since enough broke
        boolean hung;
        boolean ended; // the process did
        boolean spent; // it can no longer be used: threads that cannot be stopped go on in it
        boolean clean; // the tree is as it was
        int like = -1;
        int at = -1; // the input that is being tried
        final List<String> inputs = new ArrayList<>();
        final List<Boolean> green = new ArrayList<>(); // of each, whether it is near that of a passing test
        final Map<Integer, List<String>> changed = new HashMap<>(); // by each version
        final Map<Integer, String[]> fates = new HashMap<>(); // by input: what it is, what is shown, 1 where it touches, what it reached
        String unfit = "";
    }

    /** Begins one; tree is its own copy of the folder, null where it works in the folder itself. */
    Child(Order order, Order record, Path file, Tree tree, Tidy tidy) throws IOException {
        this.tidy = tidy;
        List<String> args = new ArrayList<>();
        args.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
        for (String o : new String[] {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx600m", "-XX:+ExitOnOutOfMemoryError"}) {
            args.add(o);
        }
        if (tree != null) {
            args.add("-Djava.io.tmpdir=" + tree.temp);
        }
        for (String o : record.list("option")) {
            for (String prefix : OPTIONS) {
                if (o.startsWith(prefix)) {
                    args.add(o);
                    break;
                }
            }
        }
        for (String[] p : record.rows("property")) {
            if (p[0].startsWith("surefire.")) {
                args.add("-ea"); // as Surefire has it, without an option
                break;
            }
        }
        args.add("-cp");
        args.add(order.one("driver"));
        args.add("redgreen.Worker");
        args.add(System.getProperty("redgreen.order"));
        args.add(file.toString());
        File folder = new File(record.one("folder"));
        ProcessBuilder b = new ProcessBuilder(args).directory(folder.isDirectory() ? folder : new File("/")).redirectError(new File("/dev/null"));
        b.environment().clear();
        for (String[] e : record.rows("env")) {
            if (!e[0].equals("JAVA_TOOL_OPTIONS")) {
                b.environment().put(e[0], e[1]);
            }
        }
        process = b.start();
        in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        in.write(word + "\n");
        in.flush();
    }

    /** Has a command carried out; a process that takes longer than some seconds is ended. */
    Answer ask(String command, double patience) throws IOException {
        Answer a = new Answer();
        Thread guard = new Thread(() -> {
            try {
                Thread.sleep((long) (patience * 1000));
                a.hung = true;
                process.destroyForcibly();
            } catch (InterruptedException e) {
                // it was in time
            }
        });
        guard.setDaemon(true);
        guard.start();
        try {
            in.write(command + "\n");
            in.flush();
            read(a);
        } catch (IOException e) {
            a.ended = true;
        }
        guard.interrupt();
        if (a.ended) {
            try {
                a.hung |= process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == Worker.HUNG;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return a;
    }

    private void read(Answer a) throws IOException {
        boolean first = true;
        for (String line = line(); ; line = line()) {
            if (line == null) {
                a.ended = true;
                return;
            }
            if (!line.startsWith(word + " ")) {
                continue;
            }
            String[] p = line.substring(word.length() + 1).split(" ");
            switch (p[0]) {
                case "s":
                    a.statuses.put(Integer.parseInt(p[1]), p[2]);
                    a.hung |= p[2].equals("hung");
                    if (p.length > 3) {
                        a.hits.put(Integer.parseInt(p[1]), p[3]);
                    }
                    break;
                case "w":
                    a.wholes.put(Integer.parseInt(p[1]), p[2]);
                    break;
                case "hung":
                    (first ? a.statuses : a.wholes).put(Integer.parseInt(p[1]), "hung");
                    break;
                case "first":
                    first = false;
                    break;
                case "tidy":
                    tidy.tidy();
                    in.write("go\n");
                    in.flush();
                    break;
                case "whole":
                    a.whole = true;
                    a.completes = p[1].equals("1");
                    break;
                case "spent":
                    a.spent = true;
                    break;
                case "input":
                    a.green.add(p[1].equals("1"));
                    a.inputs.add(Order.text(p[2]));
                    break;
                case "changed": // only one command says that with a number
                    if (p.length < 3) {
                        return;
                    }
                    a.changed.put(Integer.parseInt(p[1]), Arrays.asList(p[2].split(",")));
                    break;
                case "at":
                    a.at = Integer.parseInt(p[1]);
                    break;
                case "fate":
                    a.fates.put(Integer.parseInt(p[1]), new String[] {p[2], Order.text(p[3]), p[4], p[5]});
                    break;
                case "unbuilt":
                    a.built = false;
                    return;
                case "unfit":
                    a.unfit = Order.text(p[1]);
                    return;
                case "like":
                    a.like = Integer.parseInt(p[1]);
                    return;
                case "done":
                    a.clean = true;
                    return;
                case "same":
                    return;
                default:
            }
        }
    }

    /** The next line; of one that is longer than any of ours only the beginning. */
    private String line() throws IOException {
        StringBuilder b = new StringBuilder();
        int c = out.read();
        for (; c >= 0 && c != '\n'; c = out.read()) {
            if (b.length() < MOST_LINE) {
                b.append((char) c);
            }
        }
        return c < 0 ? null : b.toString();
    }

    Child stop() {
        process.destroyForcibly();
        return null;
    }
}
