package app

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms is the import table of backend/doc.go: what each room may import of the others.
func rooms() map[string][]string {
	all := []string{"patch", "lang", "model", "policy", "sandbox", "repo", "session", "index", "search", "testrun", "proof", "tools"}
	return map[string][]string{
		"patch":   {},
		"lang":    {},
		"model":   {},
		"policy":  {},
		"repair":  {"lang", "model", "patch"},
		"sandbox": {},
		"repo":    {"patch"},
		"session": {"model", "patch"},
		"index":   {"repo", "lang"},
		"search":  {"index", "lang", "model"},
		"testrun": {"lang", "sandbox"},
		"proof":   {"patch", "testrun"},
		"tools":   {"model", "policy", "repo", "sandbox", "index", "search", "testrun", "proof", "patch", "lang"},
		"agent":   all,
		"eval":    append(slices.Clone(all), "agent"),
		"deliver": {"repo", "patch", "session"},
	}
}

// TestHouse holds the code against the table: a room imports only what its row allows, every folder has a row, and only
// app knows the window. Tests may put rooms together.
func TestHouse(t *testing.T) {
	t.Parallel()
	table := rooms()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		at, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			checkImport(t, table, filepath.ToSlash(at), name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkImport judges one import of one file (a slash path relative to the repository).
func checkImport(t *testing.T, table map[string][]string, file, imported string) {
	if strings.HasSuffix(file, "_test.go") && strings.HasPrefix(imported, "redgreen/backend/") {
		return // a test may put rooms together; the compiler keeps it from going in a circle
	}
	parts := strings.Split(file, "/")
	if strings.HasPrefix(imported, "github.com/wailsapp/") && parts[0] != "app" {
		t.Errorf("%s imports %s: only app/ knows the window, so that everything else builds and runs without one", file, imported)
	}
	if parts[0] != "backend" || len(parts) < 3 {
		return
	}
	room := parts[1]
	allowed, ok := table[room]
	if !ok {
		t.Errorf("%s: backend/%s has no row in the import table; if a new room is really needed, add its row here and in backend/doc.go with its one sentence", file, room)
		return
	}
	other, isRoom := strings.CutPrefix(imported, "redgreen/backend/")
	other, _, _ = strings.Cut(other, "/")
	if isRoom && other != room && !slices.Contains(allowed, other) {
		t.Errorf("%s imports %s, but the room %s may import only %v: move what is needed to a room below, or take it as a function or interface", file, imported, room, allowed)
	}
	if strings.HasPrefix(imported, "redgreen/app") {
		t.Errorf("%s imports %s: rooms know nothing of app, it puts them together", file, imported)
	}
}

// TestRoomsAreDrawn keeps backend/doc.go in step with the table and the folders.
func TestRoomsAreDrawn(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../backend/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("../backend")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.Contains(string(doc), "\n//\t"+e.Name()+" ") {
			t.Errorf("backend/%s is not drawn in backend/doc.go", e.Name())
		}
	}
}
