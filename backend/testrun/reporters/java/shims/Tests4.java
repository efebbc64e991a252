package redgreen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import org.junit.runner.notification.StoppedByUserException;

/** Runs the tests of JUnit 4 and 3. */
public final class Tests4 implements Tests {
    @Override public void run(ClassLoader loader, Collection<String> classes, Set<String> wanted, Watch watch) throws Exception {
        for (String name : classes) {
            Class<?> c = Class.forName(name, false, loader);
            Request request = Request.aClass(c);
            if (wanted != null) {
                request = request.filterWith(new Wanted(wanted));
            }
            Runner runner = request.getRunner();
            RunNotifier notifier = new RunNotifier();
            notifier.addListener(new Listener(notifier, watch));
            try {
                runner.run(notifier);
            } catch (StoppedByUserException e) {
                return;
            }
            if (watch.over()) {
                return;
            }
        }
    }

    private static List<String> names(Description d) {
        return Arrays.asList(d.getClassName() + " > " + d.getMethodName());
    }

    private static final class Wanted extends Filter {
        private final Set<String> names;

        Wanted(Set<String> names) {
            this.names = names;
        }

        @Override public boolean shouldRun(Description d) {
            if (d.isTest()) {
                return names.containsAll(names(d));
            }
            for (Description child : d.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override public String describe() {
            return "the wanted ones";
        }
    }

    private static final class Listener extends RunListener {
        private final RunNotifier notifier;
        private final Watch watch;
        private final Map<Description, String> how = new HashMap<>();

        Listener(RunNotifier notifier, Watch watch) {
            this.notifier = notifier;
            this.watch = watch;
        }

        @Override public void testStarted(Description d) {
            how.put(d, "passed");
            watch.begin(names(d));
        }

        @Override public void testFailure(Failure f) {
            how.put(f.getDescription(), "failed");
        }

        @Override public void testAssumptionFailure(Failure f) {
            how.put(f.getDescription(), "skipped");
        }

        @Override public void testFinished(Description d) {
            watch.end(names(d), how.getOrDefault(d, "failed"));
            if (watch.over()) {
                notifier.pleaseStop();
            }
        }
    }
}
