package redgreen;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A process's own copy of the folder, and its own folder for what is temporary. What the tests of one version write there is
 * gone before the next version: the folder itself is what it is restored from.
 */
final class Tree {
    static final Path ROOT = Paths.get("/workspace");
    private static final int MOST_FILES = 20_000;
    private static final long LARGE = 1 << 20; // bytes; what is larger is linked to: the copy lies in memory

    final Path root;
    final Path temp;
    private final Map<Path, String> stamps = new HashMap<>(); // of what the copy holds, relative
    private final Set<Path> folders = new HashSet<>();

    private Tree(Path root, Path temp) {
        this.root = root;
        this.temp = temp;
    }

    /** The files and folders that the folder has now, relative; null where they are too many to copy. */
    static Set<Path> list() throws IOException {
        Set<Path> all = new HashSet<>();
        Files.walkFileTree(ROOT, new Each(ROOT) {
            @Override void each(Path p, Path relative, BasicFileAttributes a) {
                all.add(relative);
            }
        });
        return all.size() > MOST_FILES ? null : all;
    }

    /**
     * Copies what was in the folder before the tests ran, and what they were compiled to: all below some folders, or below
     * one named as build tools name theirs.
     */
    static Tree copy(Path to, Set<Path> before, Collection<String> built) throws IOException {
        Tree t = new Tree(to.resolve("tree"), to.resolve("tmp"));
        Files.createDirectories(t.root);
        Files.createDirectories(t.temp);
        List<Path> made = new ArrayList<>();
        for (String p : built) {
            made.add(Paths.get(p));
        }
        Files.walkFileTree(ROOT, new Each(ROOT) {
            @Override void each(Path p, Path relative, BasicFileAttributes a) throws IOException {
                if (!before.contains(relative) && !compiled(p, relative, made)) {
                    return;
                }
                Path target = t.root.resolve(relative.toString());
                if (a.isDirectory()) {
                    Files.createDirectories(target);
                    t.folders.add(relative);
                } else if (a.isRegularFile() || a.isSymbolicLink()) {
                    t.put(relative);
                }
            }

            @Override void skipped(Path relative) throws IOException {
                Files.createSymbolicLink(t.root.resolve(relative.toString()), ROOT.resolve(relative));
            }
        });
        return t;
    }

    private static boolean compiled(Path p, Path relative, List<Path> made) {
        for (Path folder : made) {
            if (p.startsWith(folder) || folder.startsWith(p)) {
                return true;
            }
        }
        for (Path name : relative) {
            if (name.toString().equals("target") || name.toString().equals("build")) {
                return true;
            }
        }
        return false;
    }

    private void put(Path relative) throws IOException {
        Path from = ROOT.resolve(relative);
        Path to = root.resolve(relative);
        Files.deleteIfExists(to);
        Files.createDirectories(to.getParent());
        if (Files.isRegularFile(from, LinkOption.NOFOLLOW_LINKS) && Files.size(from) > LARGE) {
            Files.createSymbolicLink(to, from);
        } else {
            Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS); // with its time, so that what is written is younger
        }
        stamps.put(relative, stamp(Files.readAttributes(to, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)));
    }

    private static String stamp(BasicFileAttributes a) {
        return a.size() + " " + a.lastModifiedTime() + " " + a.fileKey() + " " + a.isSymbolicLink();
    }

    /** Makes the copy as it was, and the folder for what is temporary empty. */
    void restore() throws IOException {
        Set<Path> missing = new HashSet<>(stamps.keySet());
        Set<Path> gone = new HashSet<>(folders);
        List<Path> again = new ArrayList<>();
        List<Path> more = new ArrayList<>();
        Files.walkFileTree(root, new Each(root) {
            @Override void each(Path p, Path relative, BasicFileAttributes a) {
                if (a.isDirectory()) {
                    gone.remove(relative);
                    if (!folders.contains(relative)) {
                        more.add(p);
                    }
                    return;
                }
                missing.remove(relative);
                if (!stamps.containsKey(relative)) {
                    more.add(p);
                } else if (!stamps.get(relative).equals(stamp(a))) {
                    again.add(relative);
                }
            }
        });
        for (Path p : more) {
            remove(p);
        }
        for (Path p : gone) {
            Files.createDirectories(root.resolve(p));
        }
        again.addAll(missing);
        for (Path p : again) {
            put(p);
        }
        remove(temp);
        Files.createDirectories(temp);
    }

    /** A text in which the copy takes the place of the folder. */
    String own(String text) {
        return text.replaceAll("(?<![\\w/.-])" + ROOT + "(?=$|[/:;,\\s\"'])", root.toString());
    }

    /** Removes a file, or a folder with all in it. */
    static void remove(Path p) throws IOException {
        if (!Files.exists(p, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(p, new SimpleFileVisitor<Path>() {
            @Override public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes a) {
                dir.toFile().setWritable(true);
                return FileVisitResult.CONTINUE;
            }

            @Override public FileVisitResult visitFile(Path file, BasicFileAttributes a) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }

            @Override public FileVisitResult postVisitDirectory(Path dir, IOException e) throws IOException {
                Files.deleteIfExists(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Goes over all below a folder but for what belongs to no test; what cannot be read is left out. */
    private abstract static class Each extends SimpleFileVisitor<Path> {
        private final Path top;

        Each(Path top) {
            this.top = top;
        }

        abstract void each(Path p, Path relative, BasicFileAttributes a) throws IOException;

        void skipped(Path relative) throws IOException {}

        private static boolean others(Path p) {
            String name = String.valueOf(p.getFileName());
            return name.equals(".git") || name.equals("node_modules") || name.equals(".gradle");
        }

        @Override public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes a) throws IOException {
            if (others(dir)) {
                skipped(top.relativize(dir));
                return FileVisitResult.SKIP_SUBTREE;
            }
            if (!dir.equals(top)) {
                each(dir, top.relativize(dir), a);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override public FileVisitResult visitFile(Path file, BasicFileAttributes a) throws IOException {
            if (!others(file)) {
                each(file, top.relativize(file), a);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        @Override public FileVisitResult postVisitDirectory(Path dir, IOException e) {
            return FileVisitResult.CONTINUE;
        }
    }
}
