package redgreen;

import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;

/** What all versions in a process share: it is as at the beginning for each. */
final class World {
    private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

    private final Properties properties = (Properties) System.getProperties().clone();
    private final Locale locale = Locale.getDefault();
    private final Locale shown = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = TimeZone.getDefault();
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final InputStream in = System.in;

    void restore() {
        System.setProperties((Properties) properties.clone());
        Locale.setDefault(locale);
        Locale.setDefault(Locale.Category.DISPLAY, shown);
        Locale.setDefault(Locale.Category.FORMAT, format);
        TimeZone.setDefault(zone);
        Thread.setDefaultUncaughtExceptionHandler(null);
        System.setOut(out);
        System.setErr(err);
        System.setIn(in);
    }

    /** Stops the threads that a version has left computing, and tells how many of them go on: they would slow down the others. */
    static int end(Set<Thread> others) throws InterruptedException {
        Map<Thread, Long> began = new HashMap<>();
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            Thread.State state = t.getState();
            if (!others.contains(t) && (state == Thread.State.RUNNABLE || state == Thread.State.BLOCKED)) { // or it waits for a file or a connection
                began.put(t, TIMES.getThreadCpuTime(t.getId()));
            }
        }
        int left = 0;
        for (int i = 0; i < 2 && !began.isEmpty(); i++) {
            Thread.sleep(100);
            left = 0;
            for (Map.Entry<Thread, Long> e : began.entrySet()) {
                if (TIMES.getThreadCpuTime(e.getKey().getId()) - e.getValue() > 1_000_000) {
                    left++;
                    stop(e.getKey());
                }
                e.setValue(TIMES.getThreadCpuTime(e.getKey().getId()));
            }
        }
        return left;
    }

    /** Ends a thread where Java still can: until 19. */
    static void stop(Thread t) {
        try {
            Thread.class.getMethod("stop").invoke(t);
        } catch (ReflectiveOperationException e) {
            // it goes on
        }
    }
}
