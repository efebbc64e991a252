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
