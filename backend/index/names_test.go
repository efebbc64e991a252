package index

import (
	"bytes"
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
		if d := cmp.Diff(want, places(t, ix, list)); d != "" {
			t.Errorf("%q: %s", query, d)
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
