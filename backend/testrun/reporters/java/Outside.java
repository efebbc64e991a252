package redgreen;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What versions write beside their copies of the folder: in /tmp by its name, and in the home. */
final class Outside {
    private final Set<Path> was = new HashSet<>();

    Outside() {
        was.addAll(now());
    }

    /** Removes what came since the beginning but for what holds one of some paths. */
    void clear(Collection<String> but) {
        for (Path p : now()) {
            for (String path : but) {
                if (Paths.get(path).startsWith(p)) {
                    was.add(p);
                }
            }
        }
        clear();
    }

    /** Removes what came since the beginning, and tells whether there was any. */
    boolean clear() {
        boolean any = false;
        for (Path p : now()) {
            if (!was.contains(p)) {
                any = true;
                try {
                    Tree.remove(p);
                } catch (IOException e) {
                    was.add(p); // it stays
                }
            }
        }
        return any;
    }

    private static List<Path> now() {
        List<Path> all = new ArrayList<>();
        for (String folder : new String[] {"/tmp", System.getProperty("user.home", "")}) {
            if (folder.isEmpty() || folder.equals("?") || Paths.get(folder).equals(Tree.ROOT)) {
                continue;
            }
            try (DirectoryStream<Path> found = Files.newDirectoryStream(Paths.get(folder))) {
                for (Path p : found) {
                    String name = p.getFileName().toString();
                    if (!name.equals("redgreen") && !name.startsWith("hsperfdata") && !name.startsWith(".java_pid") && !name.startsWith(".attach_pid")) {
                        all.add(p);
                    }
                }
            } catch (IOException e) {
                // there is none
            }
        }
        return all;
    }
}
