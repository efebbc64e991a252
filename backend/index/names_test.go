package index

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lookups() *memory {
	return newMemory(map[string]string{
		"core/server.go":      "package core\n\ntype Server struct{}\n\nfunc (s *Server) Serve() { s.handleConn() }\n\nfunc (s *Server) handleConn() {}\n",
		"core/server_test.go": "package core\n\nfunc TestServe() { Serve() }\n",
		"web/server.py":       "class Server:\n    def serve(self):\n        pass\n\n\ndef serve_forever(server):\n    server.serve()\n",
		"web/README.md":       "# server\n",
		"docs/core/server.go": "package docs\n\nfunc Example() {}\n",
	})
}

func scores(list []Symbol) []Scored {
	var out []Scored
	for _, s := range list {
		out = append(out, s.Scored)
	}
	return out
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, lookups(), t.TempDir())
	mustUpdate(t, ix)
	for query, want := range map[string][]string{
		"Serve":           {"core/server.go:Server.Serve", "web/server.py:Server.serve"},
		"Server.Serve":    {"core/server.go:Server.Serve", "web/server.py:Server.serve"},
		"Server#serve":    {"web/server.py:Server.serve", "core/server.go:Server.Serve"},
		"Server::Serve()": {"core/server.go:Server.Serve", "web/server.py:Server.serve"},
		"handle":          {"core/server.go:Server.handleConn"},
		"forever":         {"web/server.py:serve_forever"},
		"100%_nothing":    nil,
		"":                nil,
	} {
		list, err := ix.Symbols(t.Context(), query, 2)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, places(t, ix, scores(list))); d != "" {
			t.Errorf("%q: %s", query, d)
		}
	}
}

// Each name of a block of constants is found, on its own line; a long block is several chunks.
func TestConstants(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	long.WriteString("package a\n\nvar (\n")
	for i := range 300 {
		fmt.Fprintf(&long, "\tlong%03d = %d\n", i, i)
	}
	long.WriteString(")\n")
	src := newMemory(map[string]string{
		"a.py":    "import os\n\n# how often\nMAX_RETRIES = 3\nBACKOFF = 2\n\ndef wait():\n    return BACKOFF\n",
		"long.go": long.String(),
	})
	ix := mustOpen(t, src, t.TempDir())
	mustUpdate(t, ix)
	for query, want := range map[string]string{
		"MAX_RETRIES": "a.py 4-5 MAX_RETRIES@4", "BACKOFF": "a.py 4-5 BACKOFF@5", "backoff": "a.py 4-5 BACKOFF@5", "retries": "a.py 4-5 MAX_RETRIES@4",
		"wait": "a.py 7-8 wait@0", "long000": "long.go 3-62 long000@4", "long070": "long.go 53-112 long070@74", "long299": "long.go 253-304 long299@303",
	} {
		list, err := ix.Symbols(t.Context(), query, 2)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", query, list, err)
		}
		ch, err := ix.Meta(t.Context(), []int64{list[0].ID})
		if err != nil || len(ch) != 1 {
			t.Fatal(ch, err)
		}
		if got := fmt.Sprintf("%s %d-%d %s@%d", ch[0].Path, ch[0].StartLine, ch[0].EndLine, list[0].Name, list[0].Line); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	refs, _, err := ix.References(t.Context(), "BACKOFF", GrepOptions{})
	if err != nil || len(refs) != 2 || refs[0].Kind != RefDefinition || refs[0].Line != 5 || refs[1].In != "wait" {
		t.Errorf("%+v, %v", refs, err)
	}
	delete(src.files, "long.go")
	mustUpdate(t, ix)
	left, err := ix.store.ids(t.Context(), `SELECT line FROM constants ORDER BY line`)
	if err != nil || !slices.Equal(left, []int64{4, 5}) {
		t.Errorf("%v, %v", left, err)
	}
}

// Each name that a class of Python, JavaScript or TypeScript gives all its values is found as one of the class, on its own line.
func TestFieldsOfClasses(t *testing.T) {
	t.Parallel()
	src := newMemory(map[string]string{
		"mail.py":  "class Mail:\n    PY_RETRY = 3\n    py_wait: int = 5\n    py_a, py_b = 1, 2\n\n    class State:\n        PY_NEW = 1\n\n    def send(self):\n        py_local = 1\n        self.py_self = 2\n\n    PY_LAST = 9\n\n\ndef f():\n    class Inner:\n        PY_HIDDEN = 1\n",
		"cart.js":  "export class Cart {\n  static JS_LIMIT = 10;\n  static jsOther = 1;\n  jsField = 2;\n  static jsMake = () => new Cart();\n}\n",
		"queue.ts": "export default class Queue {\n  static readonly TS_MAX = 1;\n  private static tsCount = 0;\n  tsField = 2;\n}\n\nexport enum Mode {\n  TsRead,\n  TsWrite = 2,\n}\n",
	})
	ix := mustOpen(t, src, t.TempDir())
	mustUpdate(t, ix)
	for _, want := range strings.Fields(`mail.py:2:Mail.PY_RETRY mail.py:3:Mail.py_wait mail.py:4:Mail.py_b mail.py:7:Mail.State.PY_NEW mail.py:13:Mail.PY_LAST
		cart.js:2:Cart.JS_LIMIT cart.js:3:Cart.jsOther cart.js:0:Cart.jsMake queue.ts:2:Queue.TS_MAX queue.ts:3:Queue.tsCount queue.ts:8:Mode.TsRead queue.ts:9:Mode.TsWrite`) {
		qualified := want[strings.LastIndexByte(want, ':')+1:]
		for _, query := range []string{qualified, qualified[strings.LastIndexByte(qualified, '.')+1:]} {
			list, err := ix.Named(t.Context(), query, 2)
			if err != nil || len(list) != 1 {
				t.Errorf("%s: %v, %v", query, list, err)
				continue
			}
			ch, err := ix.Meta(t.Context(), []int64{list[0].ID})
			if err != nil || len(ch) != 1 {
				t.Fatal(ch, err)
			}
			if got := fmt.Sprintf("%s:%d:%s", ch[0].Path, list[0].Line, list[0].Name); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	}
	for _, local := range strings.Fields("py_local py_self PY_HIDDEN jsField tsField") {
		if list, err := ix.Named(t.Context(), local, 2); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", local, list, err)
		}
	}
}

// Each constant of a class, module or object is found by its name alone and with what is around it, on its own line; what a
// function names for itself is not.
func TestConstantsOfClasses(t *testing.T) {
	t.Parallel()
	src := newMemory(map[string]string{
		"shop.rb":      "module Shop\n  RB_TAX = 0.19\n  class Basket\n    RB_MOST = 10\n    RB_NAMES, RB_OTHER = 1, 2\n    def full?\n      true\n    end\n  end\nend\n",
		"shape.rs":     "mod limits {\n    pub const RS_SIDES: usize = 4;\n    static RS_NAMES: u8 = 1;\n}\n\nimpl Circle {\n    const RS_UNIT: f64 = 1.0;\n}\n\nfn f() {\n    const RS_LOCAL: u8 = 1;\n}\n",
		"Cart.kt":      "const val KT_TOP = 1\n\nobject Registry {\n    private const val KT_MAX = 1\n    val ktNames = listOf(1)\n}\n\nclass Cart {\n    val ktField = 1\n\n    companion object {\n        const val KT_LIMIT = 10\n    }\n}\n",
		"Queue.swift":  "struct Queue {\n    static let swLimit = 10\n    let swField: Int\n\n    func f() {\n        let swLocal = 1\n    }\n}\n\nenum State {\n    private static let swFirst = 1\n}\n",
		"Ledger.scala": "object Ledger {\n  val ScLimit = 10\n  final val ScA, ScB = 3\n\n  def f = {\n    val scLocal = 1\n    scLocal\n  }\n}\n",
		"Parser.cs":    "namespace N {\n    class Parser {\n        public const int CsMax = 1, CsMin = 2;\n        private static readonly int CsFirst = 3;\n        int csField = 1;\n\n        void F() {\n            const int CsLocal = 1;\n        }\n    }\n}\n",
		"Box.java":     "class Box {\n    private static final int JV_LIMIT = 1;\n    int jvField = 2;\n}\n\ninterface Sizes {\n    int JV_SMALL = 1;\n}\n",
		"Mail.php":     "<?php\nclass Mail\n{\n    const PHP_RETRY = 1, PHP_WAIT = 2;\n    public $phpField = 1;\n}\n",
		"grid.cpp":     "namespace grid {\nconstexpr int kCells = 1;\nclass Cell {\n  static constexpr int kSize = 10;\n  int cell_field = 1;\n};\nint g() { static int cell_local = 2; return cell_local; }\n}\n",
	})
	ix := mustOpen(t, src, t.TempDir())
	mustUpdate(t, ix)
	for _, want := range strings.Fields(`shop.rb:2:Shop.RB_TAX shop.rb:4:Shop.Basket.RB_MOST shop.rb:5:Shop.Basket.RB_OTHER shape.rs:2:limits.RS_SIDES
		shape.rs:3:limits.RS_NAMES shape.rs:7:Circle.RS_UNIT Cart.kt:1:KT_TOP Cart.kt:4:Registry.KT_MAX Cart.kt:5:Registry.ktNames Cart.kt:12:Cart.KT_LIMIT
		Queue.swift:2:Queue.swLimit Queue.swift:11:State.swFirst Ledger.scala:2:Ledger.ScLimit Ledger.scala:3:Ledger.ScB Parser.cs:3:Parser.CsMin
		Parser.cs:4:Parser.CsFirst Box.java:2:Box.JV_LIMIT Box.java:7:Sizes.JV_SMALL Mail.php:4:Mail.PHP_WAIT grid.cpp:2:kCells grid.cpp:4:Cell.kSize`) {
		qualified := want[strings.LastIndexByte(want, ':')+1:]
		for _, query := range []string{qualified, qualified[strings.LastIndexByte(qualified, '.')+1:]} {
			list, err := ix.Named(t.Context(), query, 2)
			if err != nil || len(list) != 1 {
				t.Errorf("%s: %v, %v", query, list, err)
				continue
			}
			ch, err := ix.Meta(t.Context(), []int64{list[0].ID})
			if err != nil || len(ch) != 1 || ch[0].Kind != "constant" {
				t.Fatal(ch, err)
			}
			if got := fmt.Sprintf("%s:%d:%s", ch[0].Path, list[0].Line, list[0].Name); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	}
	for _, local := range strings.Fields("RS_LOCAL swField swLocal scLocal csField CsLocal ktField jvField phpField cell_field cell_local") {
		if list, err := ix.Named(t.Context(), local, 2); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", local, list, err)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, lookups(), t.TempDir())
	mustUpdate(t, ix)
	for query, want := range map[string]string{
		"core/server.go":   "core/server.go docs/core/server.go core/server_test.go",
		"./core/server.go": "core/server.go docs/core/server.go core/server_test.go",
		"server.py":        "web/server.py",
		"WEB":              "web/README.md web/server.py",
		"core server":      "core/server.go docs/core/server.go core/server_test.go",
		`core\server.go`:   "core/server.go docs/core/server.go core/server_test.go",
		"nothing.xyz":      "",
		"re.py":            "", // no word of core/server.py's kind is "re"
		"erve":             "web/server.py core/server.go docs/core/server.go core/server_test.go",
		"/":                "",
	} {
		list, err := ix.Paths(t.Context(), query, 9)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range places(t, ix, list) {
			got = append(got, strings.Split(p, ":")[0])
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q: %s", query, d)
		}
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, lookups(), t.TempDir())
	mustUpdate(t, ix)
	for _, c := range []struct {
		path string
		line int
		want string
	}{
		{"core/server.go", 5, "core/server.go:Server.Serve"},
		{"/home/u/proj/core/server.go", 7, "core/server.go:Server.handleConn"},
		{"/x/docs/core/server.go", 3, "docs/core/server.go:Example"},
		{`C:\w\web\server.py`, 3, "web/server.py:Server.serve"},
		{"server.py", 99, "web/server.py:serve_forever"},
		{"server.go", 1, ""}, // two files fit equally
		{"/usr/lib/python3/socketserver.py", 5, ""},
		{"", 1, ""},
	} {
		p, ok, err := ix.At(t.Context(), c.path, c.line)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if ok {
			got = places(t, ix, []Scored{{ID: p.ID}})[0]
		}
		if got != c.want {
			t.Errorf("%s:%d: %q, want %q", c.path, c.line, got, c.want)
		}
	}
}

func TestMatchLines(t *testing.T) {
	t.Parallel()
	find := func(want string) func([]byte) []int {
		return func(b []byte) []int {
			if i := bytes.Index(b, []byte(want)); i >= 0 {
				return []int{i, i + len(want)}
			}
			return nil
		}
	}
	for _, c := range []struct {
		src, want string
		n         int
		lines     []int
	}{
		{"a\nb a a\n\na", "a", 9, []int{1, 2, 4}},
		{"a\nb a a\n\na", "a", 2, []int{1, 2}},
		{"x\na\nb\n", "a\nb", 9, []int{2}},
		{"x", "a", 9, nil},
		{"", "a", 9, nil},
	} {
		if d := cmp.Diff(c.lines, MatchLines([]byte(c.src), find(c.want), c.n)); d != "" {
			t.Errorf("%q in %q: %s", c.want, c.src, d)
		}
	}
}

func TestOutline(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, lookups(), t.TempDir())
	mustUpdate(t, ix)
	got, err := ix.Outline(t.Context(), 500, "")
	if err != nil {
		t.Fatal(err)
	}
	want := `5 files: go 3, markdown 1, python 1
core/server.go: Server, Server.Serve, Server.handleConn
web/server.py: Server, Server.serve, serve_forever
docs/core/server.go: Example
web/README.md
tests: core/ 1
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	small, err := ix.Outline(t.Context(), 40, "")
	if err != nil || len(small) > 160 || !strings.Contains(small, "more files") {
		t.Errorf("%q, %v", small, err)
	}
}

func TestClosedIndex(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, lookups(), t.TempDir())
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ix.Keywords(t.Context(), "a", 1); err == nil {
		t.Error("keywords of a closed index")
	}
	if _, err := ix.Update(t.Context(), nil); err == nil {
		t.Error("update of a closed index")
	}
	if _, err := ix.Outline(t.Context(), 100, ""); err == nil {
		t.Error("outline of a closed index")
	}
	if err := ix.Close(); err != nil {
		t.Errorf("the second close: %v", err)
	}
}

// A private name of JavaScript or TypeScript is found with its # and without, and its definition among the places that say it.
func TestPrivateNames(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, newMemory(map[string]string{
		"jar.js": "class Jar {\n  #lid = 1;\n  #open() {\n    return this.#lid;\n  }\n  open() {\n    return this.#open();\n  }\n}\n",
		"pot.ts": "export class Pot {\n  static #steam = 1;\n  #boil = () => Pot.#steam;\n}\n",
	}), t.TempDir())
	mustUpdate(t, ix)
	for query, want := range map[string]string{
		"#lid": "Jar.#lid@2", "lid": "Jar.#lid@2", "Jar.#lid": "Jar.#lid@2", "Jar#lid": "Jar.#lid@2",
		"#open": "Jar.#open@0 Jar.open@0", "open": "Jar.open@0 Jar.#open@0", "Jar.#open()": "Jar.#open@0 Jar.open@0", "Jar#open": "Jar.open@0 Jar.#open@0",
		"#steam": "Pot.#steam@2", "Pot.#boil": "Pot.#boil@0", "boi": "Pot.#boil@0",
	} {
		list, err := ix.Symbols(t.Context(), query, 5)
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprintf("%s@%d", s.Name, s.Line))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v, want %s", query, got, err, want)
		}
	}
	refs, _, err := ix.References(t.Context(), "#lid", GrepOptions{})
	if err != nil || len(refs) != 2 || refs[0].Kind != RefDefinition || refs[0].Line != 2 || refs[1].In != "Jar.#open" {
		t.Errorf("%+v, %v", refs, err)
	}
	callers, _, err := ix.Callers(t.Context(), "Jar.#open", GrepOptions{})
	if err != nil || len(callers) != 1 || callers[0].Line != 7 {
		t.Errorf("%+v, %v", callers, err)
	}
}
