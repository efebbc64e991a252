package lang

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGoReadsAsItsGrammar holds the fast way of reading Go against the grammar, on the files of Go's own library.
// GO_TREE names another tree.
func TestGoReadsAsItsGrammar(t *testing.T) {
	t.Parallel()
	root := os.Getenv("GO_TREE")
	if root == "" {
		root = filepath.Join(runtime.GOROOT(), "src", "go", "types")
	}
	fast, slow := golang(), golang()
	slow.native = nil
	p := NewParser()
	defer p.Close()
	files, both := 0, 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		if _, ok := fast.native(src); !ok {
			return nil // left to the grammar
		}
		want, err := p.Parse(slow, src)
		if errors.Is(err, ErrTooSlow) || err == nil && want.Broken {
			return nil // the grammar is older than the language
		}
		if err != nil {
			return err
		}
		both++
		got, err := p.Parse(fast, src)
		if err != nil {
			return err
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: (-grammar +go/parser)\n%s", name, d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if both < files*9/10 || both == 0 {
		t.Errorf("only %d of %d files were read in both ways", both, files)
	}
	t.Logf("%d of %d files", both, files)
}
