package redgreen;

import java.util.Collection;
import java.util.Set;

/** Runs tests of classes that a loader gives. Its forms stand in shims and are compiled against the framework that is there. */
public interface Tests {
    /** Runs the tests of some classes, all or those that wanted has a name of. */
    void run(ClassLoader loader, Collection<String> classes, Set<String> wanted, Watch watch) throws Exception;

    /** Is told of each test that begins and ends; names are all that a report may call it. */
    interface Watch {
        void begin(Collection<String> names);

        /** How is "passed", "failed" or "skipped". */
        void end(Collection<String> names, String how);

        /** Whether to begin no further test. */
        boolean over();
    }
}
