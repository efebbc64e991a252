package redgreen;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;

/** The methods and constructors of sources that can be called from outside, and those of a source that one version of it changes. */
final class Units {
    private static final Pattern CONSTRUCTS = Pattern.compile("(?s)(this|super)\\s*\\(.*|[^;{]*\\.super\\s*\\(.*");

    /** One of them. */
    static final class Unit implements Serializable {
        private static final long serialVersionUID = 1;

        final String key; // file, class, name and parameters as they are written
        final String type;
        final String name; // <init> of a constructor
        final List<String> parameters = new ArrayList<>();
        final boolean bound; // it is called on an object

        Unit(String key, String type, String name, boolean bound) {
            this.key = key;
            this.type = type;
            this.name = name;
            this.bound = bound;
        }

        String simple() {
            return type.substring(Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1);
        }
    }

    final List<Unit> all = new ArrayList<>();
    final Map<String, String> marked = new TreeMap<>(); // the sources, each unit with a call at its beginning that tells with what it is called
    private final Map<String, Map<String, String>> texts = new TreeMap<>();

    Units(Compiler compiler, Map<String, String> sources) throws IOException {
        for (Map.Entry<String, String> e : sources.entrySet()) {
            JavacTask task = compiler.task(e.getKey(), e.getValue());
            Iterable<? extends CompilationUnitTree> parsed = task.parse();
            for (CompilationUnitTree unit : parsed) {
                texts.put(e.getKey(), texts(unit, Trees.instance(task).getSourcePositions(), e.getValue()));
            }
            Map<Integer, String> puts = new TreeMap<>(java.util.Collections.reverseOrder());
            try {
                task.analyze();
                for (CompilationUnitTree unit : parsed) {
                    new Finder(e.getKey(), e.getValue(), unit, task, puts).scan(unit, null);
                }
            } catch (RuntimeException | StackOverflowError x) {
                puts.clear(); // none of this source is called
            }
            StringBuilder out = new StringBuilder(e.getValue());
            for (Map.Entry<Integer, String> p : puts.entrySet()) {
                out.insert(p.getKey(), p.getValue());
            }
            marked.put(e.getKey(), out.toString());
        }
    }

    private final class Finder extends TreePathScanner<Void, Void> {
        private final String file;
        private final String text;
        private final CompilationUnitTree unit;
        private final JavacTask task;
        private final Trees trees;
        private final Map<Integer, String> puts;

        Finder(String file, String text, CompilationUnitTree unit, JavacTask task, Map<Integer, String> puts) {
            this.file = file;
            this.text = text;
            this.unit = unit;
            this.task = task;
            this.trees = Trees.instance(task);
            this.puts = puts;
        }

        @Override public Void visitVariable(VariableTree t, Void v) {
            return null;
        }

        @Override public Void visitMethod(MethodTree t, Void v) {
            Element e = trees.getElement(getCurrentPath());
            if (!(e instanceof ExecutableElement) || t.getBody() == null || !(e.getEnclosingElement() instanceof TypeElement)) {
                return null;
            }
            TypeElement type = (TypeElement) e.getEnclosingElement();
            int at = (int) trees.getSourcePositions().getStartPosition(unit, t.getBody());
            boolean makes = e.getKind() == ElementKind.CONSTRUCTOR;
            if (at < 0 || at >= text.length() || text.charAt(at) != '{' || !texts.get(file).containsKey(key(getCurrentPath().getParentPath(), t))) {
                return null;
            }
            if (makes && (type.getKind() == ElementKind.ENUM || type.getModifiers().contains(Modifier.ABSTRACT)
                || type.getEnclosingElement() instanceof TypeElement && !type.getModifiers().contains(Modifier.STATIC) && type.getKind() == ElementKind.CLASS)) {
                return null;
            }
            boolean bound = !makes && !e.getModifiers().contains(Modifier.STATIC);
            Unit u = new Unit(key(getCurrentPath().getParentPath(), t), task.getElements().getBinaryName(type).toString(), makes ? "<init>" : t.getName().toString(), bound);
            StringBuilder args = new StringBuilder();
            for (VariableElement p : ((ExecutableElement) e).getParameters()) {
                u.parameters.add(task.getTypes().erasure(p.asType()).toString());
                args.append(args.length() == 0 ? "" : ",").append(p.getSimpleName());
            }
            at++;
            if (makes && !t.getBody().getStatements().isEmpty()) {
                StatementTree first = t.getBody().getStatements().get(0);
                int from = (int) trees.getSourcePositions().getStartPosition(unit, first);
                int to = (int) trees.getSourcePositions().getEndPosition(unit, first);
                if (from >= at && to > from && to <= text.length() && CONSTRUCTS.matcher(text.substring(from, to)).matches()) {
                    at = to;
                }
            }
            puts.put(at, "redgreen.Calls.note(" + all.size() + "," + (bound ? "this" : "null") + ",new Object[]{" + args + "});");
            all.add(u);
            return null;
        }
    }

    private static String key(com.sun.source.util.TreePath of, MethodTree t) {
        String key = "";
        for (com.sun.source.util.TreePath p = of; p != null; p = p.getParentPath()) {
            if (p.getLeaf() instanceof ClassTree) {
                key = ((ClassTree) p.getLeaf()).getSimpleName() + "." + key;
            }
        }
        return key + signature(t);
    }

    private static String signature(MethodTree t) {
        StringBuilder b = new StringBuilder(t.getName()).append('(');
        for (VariableTree p : t.getParameters()) {
            b.append(p.getType()).append(',');
        }
        return b.append(')').toString();
    }

    /** The text of each method of a source, and what stands beside them in each class behind an =. */
    private static Map<String, String> texts(CompilationUnitTree unit, SourcePositions at, String text) {
        Map<String, String> out = new TreeMap<>();
        for (Tree t : unit.getTypeDecls()) {
            if (t instanceof ClassTree) {
                members("", (ClassTree) t, unit, at, text, out);
            }
        }
        return out;
    }

    private static void members(String within, ClassTree c, CompilationUnitTree unit, SourcePositions at, String text, Map<String, String> out) {
        String own = within + c.getSimpleName() + ".";
        StringBuilder rest = new StringBuilder();
        for (Tree m : c.getMembers()) {
            int from = (int) at.getStartPosition(unit, m);
            int to = (int) at.getEndPosition(unit, m);
            String source = from < 0 || to < from || to > text.length() ? "" : text.substring(from, to);
            if (m instanceof ClassTree) {
                members(own, (ClassTree) m, unit, at, text, out);
            } else if (m instanceof MethodTree) {
                out.put(own + signature((MethodTree) m), source);
            } else {
                rest.append(source).append('\n');
            }
        }
        out.put(own + "=", rest.toString());
    }

    /** The units that a version changes; all of a class where what stands beside its methods is changed. */
    Set<Integer> changed(Compiler compiler, Map<String, String> version) throws IOException {
        Set<Integer> out = new HashSet<>();
        for (Map.Entry<String, String> e : version.entrySet()) {
            Map<String, String> was = texts.get(e.getKey());
            JavacTask task = compiler.task(e.getKey(), e.getValue());
            for (CompilationUnitTree unit : task.parse()) {
                Map<String, String> now = texts(unit, Trees.instance(task).getSourcePositions(), e.getValue());
                Set<String> keys = new HashSet<>(was.keySet());
                keys.addAll(now.keySet());
                for (String key : keys) {
                    if (was.containsKey(key) && was.get(key).equals(now.get(key))) {
                        continue;
                    }
                    String of = key.endsWith(".=") ? key.substring(0, key.length() - 1) : null;
                    for (int i = 0; i < all.size(); i++) {
                        if (of == null ? all.get(i).key.equals(key) : all.get(i).key.startsWith(of)) {
                            out.add(i);
                        }
                    }
                }
            }
        }
        return out;
    }
}
