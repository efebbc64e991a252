package redgreen;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Writes a call before each statement of a source, on its own line, so that lines keep their numbers. */
final class Lines {
    private final List<String> places = new ArrayList<>(); // by the number that Hits is called with: path, first and last line

    int size() {
        return places.size();
    }

    /** What ran, as PATH:LINE, encoded, behind commas. */
    String hits(boolean[] seen) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < seen.length && i < places.size(); i++) {
            if (seen[i]) {
                b.append(b.length() == 0 ? "" : ",").append(places.get(i));
            }
        }
        return b.toString();
    }

    String mark(String path, String text) throws IOException {
        JavaCompiler tool = ToolProvider.getSystemJavaCompiler();
        JavaFileObject unit = new SimpleJavaFileObject(URI.create("memory:///Marked.java"), JavaFileObject.Kind.SOURCE) {
            @Override public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
        JavacTask task = (JavacTask) tool.getTask(null, null, d -> {}, Collections.singletonList("-proc:none"), null, Collections.singletonList(unit));
        Map<Integer, String> puts = new TreeMap<>(Collections.reverseOrder());
        for (CompilationUnitTree tree : task.parse()) {
            new Marker(path, tree, Trees.instance(task).getSourcePositions(), puts).scan(tree, null);
        }
        StringBuilder out = new StringBuilder(text);
        for (Map.Entry<Integer, String> e : puts.entrySet()) {
            out.insert(e.getKey(), e.getValue());
        }
        return out.toString();
    }

    private final class Marker extends TreeScanner<Void, Void> {
        private final String file;
        private final CompilationUnitTree unit;
        private final SourcePositions at;
        private final Map<Integer, String> puts;

        Marker(String path, CompilationUnitTree unit, SourcePositions at, Map<Integer, String> puts) {
            this.file = Order.line("x", path).substring(2);
            this.unit = unit;
            this.at = at;
            this.puts = puts;
        }

        @Override public Void visitBlock(BlockTree b, Void v) {
            put(b.getStatements());
            return super.visitBlock(b, v);
        }

        @Override public Void visitCase(CaseTree c, Void v) {
            if (c.getStatements() != null) { // not behind an arrow
                put(c.getStatements());
            }
            return super.visitCase(c, v);
        }

        @Override public Void visitIf(IfTree t, Void v) {
            wrap(t.getThenStatement());
            wrap(t.getElseStatement());
            return super.visitIf(t, v);
        }

        @Override public Void visitWhileLoop(WhileLoopTree t, Void v) {
            wrap(t.getStatement());
            return super.visitWhileLoop(t, v);
        }

        @Override public Void visitDoWhileLoop(DoWhileLoopTree t, Void v) {
            wrap(t.getStatement());
            return super.visitDoWhileLoop(t, v);
        }

        @Override public Void visitForLoop(ForLoopTree t, Void v) {
            wrap(t.getStatement());
            return super.visitForLoop(t, v);
        }

        @Override public Void visitEnhancedForLoop(EnhancedForLoopTree t, Void v) {
            wrap(t.getStatement());
            return super.visitEnhancedForLoop(t, v);
        }

        /** Makes a block of a body that is one statement; in one that is empty it is asked as well whether to go on. */
        private void wrap(StatementTree body) {
            if (body == null) {
                return;
            }
            long from = at.getStartPosition(unit, body);
            long to = at.getEndPosition(unit, body);
            if (from < 0 || to <= from) {
                return;
            }
            if (!(body instanceof BlockTree)) {
                puts.merge((int) from, "{", (a, b) -> a + b);
                puts.merge((int) to, "}", (a, b) -> b + a);
                put(Collections.singletonList(body), true);
            } else if (((BlockTree) body).getStatements().isEmpty()) {
                puts.merge((int) from + 1, call(body, false), (a, b) -> a + b);
            }
        }

        private void put(List<? extends StatementTree> all) {
            put(all, false);
        }

        private void put(List<? extends StatementTree> all, boolean empty) {
            for (StatementTree s : all) {
                long from = at.getStartPosition(unit, s);
                if (from < 0 || s instanceof ClassTree || s.getKind() == Tree.Kind.EMPTY_STATEMENT && !empty || constructs(s)) {
                    continue;
                }
                boolean plain = s instanceof ExpressionStatementTree || s instanceof ReturnTree || s instanceof VariableTree || s instanceof ThrowTree;
                puts.merge((int) from, call(s, plain && s.toString().indexOf('{') < 0), (a, b) -> a + b); // the lines of a body have their own
            }
        }

        private String call(StatementTree s, boolean whole) {
            long first = unit.getLineMap().getLineNumber(at.getStartPosition(unit, s));
            long last = whole && at.getEndPosition(unit, s) > 0 ? unit.getLineMap().getLineNumber(at.getEndPosition(unit, s)) : first;
            places.add(file + ":" + first + ":" + last);
            return "redgreen.Hits.hit(" + (places.size() - 1) + ");";
        }

        /** Whether a statement is this(…) or super(…), which must be the first. */
        private boolean constructs(StatementTree s) {
            String text = s.toString();
            return s instanceof ExpressionStatementTree && (text.startsWith("this(") || text.startsWith("super(") || text.contains(".super("));
        }
    }
}
