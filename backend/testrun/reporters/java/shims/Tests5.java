package redgreen;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the tests of whatever engines there are for the JUnit Platform. */
public final class Tests5 implements Tests {
    private final Launcher launcher = LauncherFactory.create();
    private final Map<String, String> known = new HashMap<>(); // name → unique id, of all that have run

    @Override public void run(ClassLoader loader, Collection<String> classes, Set<String> wanted, Watch watch) {
        if (wanted != null) {
            Set<String> ids = new LinkedHashSet<>();
            for (String name : wanted) {
                if (known.containsKey(name)) {
                    ids.add(known.get(name));
                }
            }
            List<DiscoverySelector> selectors = new ArrayList<>();
            for (String id : ids) {
                selectors.add(DiscoverySelectors.selectUniqueId(id));
            }
            execute(selectors, watch);
            return;
        }
        for (String name : classes) {
            List<DiscoverySelector> one = new ArrayList<>();
            one.add(DiscoverySelectors.selectClass(name));
            execute(one, watch);
            if (watch.over()) {
                return;
            }
        }
    }

    private void execute(List<DiscoverySelector> selectors, Watch watch) {
        launcher.execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), new TestExecutionListener() {
            private TestPlan plan;

            @Override public void testPlanExecutionStarted(TestPlan p) {
                plan = p;
            }

            @Override public void executionStarted(TestIdentifier t) {
                if (t.isTest()) {
                    watch.begin(names(plan, t));
                }
            }

            @Override public void executionFinished(TestIdentifier t, TestExecutionResult r) {
                if (t.isTest()) {
                    String how = r.getStatus() == TestExecutionResult.Status.SUCCESSFUL ? "passed" : r.getStatus() == TestExecutionResult.Status.ABORTED ? "skipped" : "failed";
                    watch.end(names(plan, t), how);
                }
            }
        });
    }

    /** What reports of Surefire, Gradle and the console call a test. */
    private List<String> names(TestPlan plan, TestIdentifier t) {
        List<String> out = new ArrayList<>();
        String type = "";
        String method = "";
        for (TestIdentifier i = t; i != null && type.isEmpty(); i = plan.getParent(i).orElse(null)) {
            Object source = i.getSource().orElse(null);
            if (source instanceof MethodSource) {
                type = ((MethodSource) source).getClassName();
                method = ((MethodSource) source).getMethodName();
            } else if (source instanceof ClassSource) {
                type = ((ClassSource) source).getClassName();
            }
        }
        String legacy = t.getLegacyReportingName();
        String bare = legacy.replace("()", "");
        String braced = bare.replace('(', '{').replace(')', '}'); // as Surefire has it before 3
        String shown = t.getDisplayName();
        boolean single = plan.getParent(t).map(TestIdentifier::getUniqueId).orElse("").indexOf("test-template") < 0;
        String[] all = single ? new String[] {method + "()", method, legacy, bare, shown, method + " " + shown} : new String[] {legacy, bare, braced, shown, method + " " + shown, method + "() " + shown};
        for (String name : all) {
            String full = type + " > " + name;
            if (!name.isEmpty() && !out.contains(full)) {
                out.add(full);
                known.put(full, t.getUniqueId());
            }
        }
        return out;
    }
}
