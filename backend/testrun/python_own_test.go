package testrun

import (
	"os"
	"path/filepath"
	"testing"
)

// Tests that lie in a package of the folder are its own; those of a part with a root of its own are the part's.
func TestPythonTestsBesideTheCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files []string
		want  bool
	}{
		{[]string{"pkg/__init__.py", "pkg/tests/test_m.py"}, true},
		{[]string{"pkg/__init__.py", "pkg/sub/deep/tests/test_m.py"}, true},
		{[]string{"src/pkg/__init__.py", "src/pkg/tests/test_m.py"}, true},
		{[]string{"part/pyproject.toml", "part/tests/test_m.py"}, false},
		{[]string{"src/part/tests/test_m.py"}, false},
	} {
		root := t.TempDir()
		for _, name := range c.files {
			file := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := (folder{root: root, dir: "."}).ownPythonTest(c.files[len(c.files)-1]); got != c.want {
			t.Errorf("%v: own %v, want %v", c.files, got, c.want)
		}
	}
}
