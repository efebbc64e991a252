package proof

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
)

// change makes a patch of one file from its old and new text; "" is an absent file.
func change(t *testing.T, path, old, new string) patch.Patch {
	t.Helper()
	pair := patch.Pair{Path: path}
	if old != "" {
		pair.Before = &patch.Content{Data: []byte(old), Mode: 0o644}
	}
	if new != "" {
		pair.After = &patch.Content{Data: []byte(new), Mode: 0o644}
	}
	p, err := patch.Diff([]patch.Pair{pair})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const pythonTests = `from shop import total
import pytest


def test_empty():
    assert total([]) == 0


@pytest.mark.parametrize("prices, want", [([5], 5)])
def test_total(prices, want):
    got = total(prices)
    assert got == want
`

const goTests = `package shop

import "testing"

func TestTotal(t *testing.T) {
	for _, tt := range []struct {
		prices []int
		want   int
	}{
		{nil, 0},
		{[]int{5}, 5},
	} {
		if got := Total(tt.prices); got != tt.want {
			t.Errorf("Total(%v) = %d, want %d", tt.prices, got, tt.want)
		}
	}
}
`

const nodeTests = `import { test } from 'node:test';
import { total } from '../shop.js';

test('empty', () => {
  assert.equal(total([]), 0);
});

test('one', () => {
  assert.equal(total([5]), 5);
});
`

func TestInspect(t *testing.T) {
	tests := []struct {
		name, path, old, new string
		replace              [2]string // instead of new
		want                 []string  // "line rule", none: no flag
	}{
		{name: "fix in code", path: "shop.py", old: "a = 1\n", new: "a = 2\n"},
		{name: "fix that mentions tests in a comment", path: "shop.py", old: "a = 1\n", new: "# unlike PYTEST_CURRENT_TEST, this is a comment\na = 2\n"},
		{name: "new test file", path: "tests/test_new.py", new: "def test_new():\n    return_value = 1\n    assert return_value\n"},
		{name: "new test in a file", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"def test_empty", "def test_new():\n    try:\n        total(None)\n    except TypeError:\n        return\n\n\ndef test_empty"}},
		{name: "new case in a table", path: "shop_test.go", old: goTests, replace: [2]string{"		{[]int{5}, 5},\n", "		{[]int{5}, 5},\n		{[]int{5, 6}, 11},\n"}},
		{name: "new assertion", path: "test/shop.test.js", old: nodeTests, replace: [2]string{"  assert.equal(total([5]), 5);\n", "  assert.equal(total([5]), 5);\n  assert.equal(total([6]), 6);\n"}},
		{name: "import of one more name", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"from shop import total\n", "from shop import count, total\n"}},
		{name: "import of one more name, js", path: "test/shop.test.js", old: nodeTests, replace: [2]string{"import { total } from", "import { count, total } from"}},
		{name: "moved test", path: "tests/test_shop.py", old: pythonTests,
			new:  strings.Replace(strings.Replace(pythonTests, "def test_empty():\n    assert total([]) == 0\n\n\n", "", 1)+"\n\ndef test_empty():\n    assert total([]) == 0\n", "\n\n\n\n", "\n\n\n", 1),
			want: []string{"6 assertion removed"}}, // the assertion stands elsewhere now: a person looks

		{name: "import from elsewhere", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"from shop import total", "from fake import total"}, want: []string{"1 existing test changed"}},
		{name: "expected value", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"assert total([]) == 0", "assert total([]) == 1"}, want: []string{"6 expected value changed"}},
		{name: "expected value, go", path: "shop_test.go", old: goTests, replace: [2]string{"{[]int{5}, 5}", "{[]int{5}, 0}"}, want: []string{"11 existing test changed"}},
		{name: "expected value, js", path: "test/shop.test.js", old: nodeTests, replace: [2]string{"total([5]), 5", "total([5]), 0"}, want: []string{"9 expected value changed"}},
		{name: "assertion removed", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"    assert got == want\n", "    pass\n"}, want: []string{"12 assertion removed"}},
		{name: "case removed", path: "shop_test.go", old: goTests, replace: [2]string{"		{[]int{5}, 5},\n", ""}, want: []string{"11 existing test changed"}},
		{name: "test deleted", path: "test/shop.test.js", old: nodeTests, replace: [2]string{"\ntest('one', () => {\n  assert.equal(total([5]), 5);\n});\n", ""},
			want: []string{"8 test deleted", "9 assertion removed"}},
		{name: "test renamed", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"def test_empty", "def check_empty"}, want: []string{"5 test deleted"}},
		{name: "test file deleted", path: "tests/test_shop.py", old: pythonTests, want: []string{"1 test file deleted"}},
		{name: "skip", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"def test_empty", "@pytest.mark.skip\ndef test_empty"}, want: []string{"5 test skipped"}},
		{name: "xfail", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"def test_empty", "@pytest.mark.xfail(reason='flaky')\ndef test_empty"}, want: []string{"5 test skipped"}},
		{name: "skip, go", path: "shop_test.go", old: goTests, replace: [2]string{"func TestTotal(t *testing.T) {\n", "func TestTotal(t *testing.T) {\n	t.Skip()\n"}, want: []string{"6 test skipped"}},
		{name: "build tag, go", path: "shop_test.go", old: goTests, replace: [2]string{"package shop\n", "//go:build never\n\npackage shop\n"}, want: []string{"1 test skipped"}},
		{name: "skip, js", path: "test/shop.test.js", old: nodeTests, replace: [2]string{"test('one'", "test.skip('one'"}, want: []string{"8 test skipped"}},
		{name: "skip option, js", path: "test/shop.test.js", old: nodeTests, replace: [2]string{"test('one', (", "test('one', { skip: true }, ("}, want: []string{"8 test skipped"}},
		{name: "only", path: "test/shop.test.js", old: nodeTests, replace: [2]string{"test('empty'", "test.only('empty'"}, want: []string{"4 tests narrowed"}},
		{name: "early return", path: "shop_test.go", old: goTests, replace: [2]string{"		if got :=", "		return\n		if got :="}, want: []string{"13 test cut short"}},
		{name: "swallowed", path: "tests/test_shop.py", old: pythonTests, replace: [2]string{"    got = total(prices)\n", "    try:\n        got = total(prices)\n    except Exception:\n        got = want\n"}, want: []string{"13 test cut short"}},
		{name: "snapshot", path: "tests/__snapshots__/shop.snap", old: "a\nb\n", new: "a\nc\n", want: []string{"2 expected data changed"}},
		{name: "new snapshot", path: "tests/__snapshots__/shop.snap", new: "a\n"},

		{name: "detects pytest", path: "shop.py", old: "a = 1\n", new: "import os\na = 'PYTEST_CURRENT_TEST' in os.environ\n", want: []string{"2 code detects that it is under test"}},
		{name: "detects pytest by its module", path: "shop.py", old: "a = 1\n", new: "a = \"pytest\" in sys.modules\n", want: []string{"1 code detects that it is under test"}},
		{name: "detects go test", path: "shop.go", old: "package shop\n", new: "package shop\n\nvar fast = testing.Testing()\n", want: []string{"3 code detects that it is under test"}},
		{name: "detects go test by its flag", path: "shop.go", old: "package shop\n", new: "package shop\n\nvar fast = flag.Lookup(\"test.v\") != nil\n", want: []string{"3 code detects that it is under test"}},
		{name: "detects node --test", path: "shop.js", old: "let a;\n", new: "let a = process.env.NODE_TEST_CONTEXT;\n", want: []string{"1 code detects that it is under test"}},
		{name: "reaches for the report", path: "shop.py", old: "a = 1\n", new: "open('/out/report', 'a')\n", want: []string{"1 code detects that it is under test"}},
		{name: "ends the process", path: "shop.js", old: "let a;\n", new: "process.exit(0);\n", want: []string{"1 code ends the process as if all went well"}},
		{name: "ends the process, python", path: "shop.py", old: "a = 1\n", new: "os._exit(0)\n", want: []string{"1 code ends the process as if all went well"}},

		{name: "ends the process, syscall", path: "shop.go", old: "package shop\n", new: "package shop\n\nfunc init() { syscall.Exit(0) }\n", want: []string{"3 code ends the process as if all went well"}},
		{name: "takes hold of pytest", path: "shop.py", old: "a = 1\n", new: "import _pytest.python as p\na = 1\n", want: []string{"1 code reaches for the test runner"}},
		{name: "looks through the modules", path: "shop.py", old: "a = 1\n", new: "a = sys.modules.get('py' + 'test')\n", want: []string{"1 code reaches for the test runner"}},
		{name: "looks through the live objects", path: "shop.py", old: "a = 1\n", new: "a = [o for o in gc.get_objects() if hasattr(o, 'collected')]\n", want: []string{"1 code detects that it is under test"}},
		{name: "looks at its callers", path: "shop.py", old: "a = 1\n", new: "a = sys._getframe(3).f_locals\n", want: []string{"1 code detects that it is under test"}},
		{name: "writes to open files", path: "shop.py", old: "a = 1\n", new: "a = os.listdir('/proc/self/fd')\n", want: []string{"1 code detects that it is under test"}},
		{name: "is equal to anything", path: "shop.py", old: "a = 1\n", new: "class A(int):\n    def __eq__(self, other):\n        # as asked\n        return True\n", want: []string{"2 object is equal to anything"}},
		{name: "is equal to anything, one line", path: "shop.py", old: "a = 1\n", new: "class A(int):\n    def __ne__(self, other): return False\n", want: []string{"2 object is equal to anything"}},
		{name: "compares what it is", path: "shop.py", old: "a = 1\n", new: "class A:\n    def __eq__(self, other):\n        return self.a == other.a\n"},
		{name: "brings its own interpreter", path: ".venv/lib/python3.11/site-packages/pytest.py", new: "a = 1\n", want: []string{"1 dependency manifest changed"}},
		{name: "looks at its caller, go", path: "shop.go", old: "package shop\n", new: "package shop\n\nvar pc, _, _, _ = runtime.Caller(1)\n", want: []string{"3 code reaches for the test runner"}},
		{name: "prints a verdict, go", path: "shop.go", old: "package shop\n", new: "package shop\n\nfunc init() { fmt.Print(\"--- PASS: TestTotal (0.00s)\") }\n", want: []string{"3 code reaches for the test runner"}},
		{name: "a test may import its runner", path: "tests/test_more.py", new: "import pytest\nimport unittest\n"},
		{name: "prose may name it", path: "README.md", old: "a\n", new: "import pytest\n"},

		{name: "conftest", path: "tests/conftest.py", new: "def pytest_collection_modifyitems(items):\n    items.clear()\n", want: []string{"1 test configuration changed", "1 tests narrowed"}},
		{name: "pytest.ini", path: "pytest.ini", old: "[pytest]\n", new: "[pytest]\naddopts = -k nothing\n", want: []string{"2 test configuration changed"}},
		{name: "pyproject, pytest", path: "pyproject.toml", old: "[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n", new: "[tool.pytest.ini_options]\ntestpaths = [\"other\"]\n", want: []string{"2 test configuration changed"}},
		{name: "pyproject, dependency", path: "pyproject.toml", old: "[project]\ndependencies = []\n", new: "[project]\ndependencies = [\"x\"]\n", want: []string{"2 dependency manifest changed"}},
		{name: "package.json, test script", path: "package.json", old: "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n", new: "{\n  \"scripts\": {\n    \"test\": \"true\"\n  }\n}\n", want: []string{"3 test configuration changed"}},
		{name: "package.json, dependency", path: "web/package.json", old: "{\n  \"dependencies\": {}\n}\n", new: "{\n  \"dependencies\": {\"a\": \"1\"}\n}\n", want: []string{"2 dependency manifest changed"}},
		{name: "go.mod", path: "go.mod", old: "module m\n", new: "module m\n\nrequire x v1.0.0\n", want: []string{"2 dependency manifest changed"}},
		{name: "workflow", path: ".github/workflows/ci.yml", old: "on: push\n", new: "on: []\n", want: []string{"1 CI file changed"}},
		{name: "Makefile", path: "Makefile", old: "test:\n\tgo test\n", new: "test:\n\ttrue\n", want: []string{"2 build script changed"}},
		{name: "makefile-like name", path: "docs/makefile-tips.md", old: "a\n", new: "b\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.replace[0] != "" {
				if strings.Count(tt.old, tt.replace[0]) != 1 {
					t.Fatalf("%q is not once in the old text", tt.replace[0])
				}
				tt.new = strings.Replace(tt.old, tt.replace[0], tt.replace[1], 1)
			}
			var got []string
			for _, f := range inspect(change(t, tt.path, tt.old, tt.new), nil, nil) {
				if f.File != tt.path {
					t.Errorf("flag for %s, want %s", f.File, tt.path)
				}
				got = append(got, strings.Join([]string{itoa(f.Line), f.Rule}, " "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
		})
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// TestInspectIsSorted keeps the order of flags independent of the patch's.
func TestInspectIsSorted(t *testing.T) {
	a := change(t, "b_test.go", goTests, strings.Replace(goTests, "{nil, 0}", "{nil, 1}", 1))
	b := change(t, "Makefile", "a:\n", "b:\n")
	one := inspect(patch.Patch{Files: slices.Concat(a.Files, b.Files)}, nil, nil)
	other := inspect(patch.Patch{Files: slices.Concat(b.Files, a.Files)}, nil, nil)
	if len(one) != 2 || !cmp.Equal(one, other) {
		t.Errorf("flags differ by the order of files: %v and %v", one, other)
	}
}
