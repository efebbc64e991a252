package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const mixedTree = `
-- go.mod --
module m
-- a_test.go --
package m

func TestRoot(t *testing.T) {}
-- pkg/v1.2/x/x_test.go --
package x

func TestX(t *testing.T) {}

func ExampleX() {}
-- pkg/plain/plain.go --
package plain
-- tests/test_a.py --
import base

def test_a(): pass

class TestB(base.Shared):
    def test_b(self): pass
-- tests/helper.py --
x = 1
-- custom/check_a.py --
def test_c(): pass
-- pytest.ini --
[pytest]
python_files = check_*.py test_*.py
-- test/a.test.js --
x
-- src/a.js --
x
-- sub/tests/test_s.py --
def test_s(): pass
`

func TestValidate(t *testing.T) {
	dir := tree(t, mixedTree)
	outside := tree(t, "-- test_out.py --\ndef test_out(): pass\n")
	if err := os.Symlink(outside, filepath.Join(dir, "tests", "link")); err != nil {
		t.Fatal(err)
	}
	py := Command{Runner: "pytest", Args: []string{"python3", "-m", "pytest"}}
	inSub := Command{Runner: "pytest", Dir: "sub", Args: py.Args}
	ut := Command{Runner: "unittest", Args: []string{"python3", "-m", "unittest"}}
	gt := Command{Runner: "go", Args: []string{"go", "test", "./..."}}
	js := Command{Runner: "node", Args: []string{"node", "--test"}}
	tests := []struct {
		c    Command
		path string
		want string // part of the error, "" valid
	}{
		{py, "tests", ""}, {py, "tests/test_a.py", ""}, {py, "tests/", ""}, {py, "custom/check_a.py", ""},
		{py, "tests/test_a.py::test_a", ""}, {py, "tests/test_a.py::TestB::test_b", ""},
		{py, "tests/test_a.py::TestB::test_inherited", ""},
		{py, "tests/test_a.py::test_a[x::y-1]", ""},
		{py, "tests/test_a.py::test_z", "it has TestB, test_a"},
		{py, "tests/test_a.py::test_a; rm -rf x", "not the name of a test"},
		{py, "tests/helper.py", "not a test_*.py"}, {py, "tests/gone.py", "the test files are: "}, {py, "src", "no test"},
		{py, "", "empty"}, {py, "  ", "empty"}, {py, "-k", "looks like an option"}, {py, "--cov", "looks like an option"}, {py, "@file", "looks like an option"},
		{py, "../x/test_a.py", "outside"}, {py, "/etc/passwd", "outside"}, {py, "tests/../../test_a.py", "outside"},
		{py, "tests\\test_a.py", "outside"}, {py, "tests/test_a.py\n-x", "control characters"}, {py, "tests/link/test_out.py", "there is no such file"},
		{py, strings.Repeat("a", 2000), "longer than"},
		{inSub, "sub/tests/test_s.py", ""}, {inSub, "tests/test_a.py", "is not in sub/"},
		{ut, "tests/test_a.py", ""}, {ut, "tests", ""}, {ut, "tests.test_a.TestB.test_b", ""}, {ut, "test_a.TestB", ""},
		{ut, "os.path", "no module"}, {ut, "tests.test_a; x", "neither"},
		{gt, "TestRoot", ""}, {gt, "TestRoot/any sub.test", ""}, {gt, "pkg/v1.2/x.TestX", ""}, {gt, "pkg/v1.2/x.ExampleX", ""}, {gt, "./...", ""},
		{gt, "pkg/v1.2/x", ""}, {gt, "./pkg/...", ""}, {gt, "pkg/v1.2/x/x_test.go", ""}, {gt, "a_test.go", ""},
		{gt, "TestGone", "it has TestRoot"}, {gt, "pkg/plain", "no test"}, {gt, "pkg/plain/plain.go", "it is not"}, {gt, "pkg/gone.TestX", "there is no such file"},
		{gt, "-run=X", "looks like an option"}, {gt, "../x.TestX", "outside"},
		{js, "test/a.test.js", ""}, {js, "test/a.test.js > suite > a test", ""}, {js, "test", ""},
		{js, "src/a.js", "not a test file"}, {js, "test/b.test.js > x", "there is no such file"}, {js, "--eval=1", "looks like an option"},
		{Custom([]string{"make", "test"}), "tests", "takes no paths"},
	}
	for _, tt := range tests {
		err := Validate(dir, tt.c, []string{tt.path})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s %q: %v", tt.c.Runner, tt.path, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s %q: error %v, want one with %q", tt.c.Runner, tt.path, err, tt.want)
		}
	}
}

func TestValidateBoundsASelection(t *testing.T) {
	dir := tree(t, mixedTree)
	c := Command{Runner: "pytest", Args: []string{"python3", "-m", "pytest"}}
	if err := Validate(dir, c, slices.Repeat([]string{"tests"}, maxSelected+1)); err == nil {
		t.Error("a selection without bounds is valid")
	}
	if err := Validate(dir, Command{Runner: "go", Dir: "../x", Args: []string{"go", "test"}}, nil); err == nil {
		t.Error("a command outside the tree is valid")
	}
}

// FuzzPlain holds that what Validate lets pass never is an option and never spans lines.
func FuzzValidate(f *testing.F) {
	for _, s := range []string{"tests/test_a.py::test_a", "-x", "a.TestB/c", "test/a.test.js > x", "../x", "a\x00b"} {
		f.Add(s)
	}
	dir := f.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "tests"), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tests", "test_a.py"), []byte("def test_a(): pass\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, p string) {
		for _, runner := range []string{"pytest", "unittest", "go", "node"} {
			err := Validate(dir, Command{Runner: runner, Args: []string{"x"}}, []string{p})
			if err == nil && (strings.HasPrefix(p, "-") || strings.ContainsAny(p, "\n\x00") || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "..")) {
				t.Errorf("%s takes %q", runner, p)
			}
		}
	})
}
