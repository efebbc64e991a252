package proof

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

func TestChecked(t *testing.T) {
	t.Parallel()
	with := func(statuses ...string) evidence {
		return evidence{base: run("a=passed", "old=failed"), patched: run(statuses...), onlyTests: true, touchesTests: true, reruns: 2}
	}
	sound := with("a=passed", "old=failed", "n=passed")
	stopped := with("a=passed", "old=failed")
	stopped.patched.Reason = "timeout"
	weakened := with("a=passed", "old=failed")
	weakened.flags = []Flag{{Rule: "assertion removed"}}
	broken := []Break{{File: "a.py", Line: 1, Tests: []string{"n"}}}
	for _, c := range []struct {
		name     string
		aim      Aim
		e        evidence
		breaks   []Break
		unbroken []string
		checked  bool
		reason   string
	}{
		{"refactoring", SameWork, with("a=passed", "old=failed"), nil, nil, true, "A refactoring turns no test"},
		{"a bug stays unproven", Fixes, sound, nil, nil, false, "No test went from red to green"},
		{"broken", SameWork, with("a=failed", "old=failed"), nil, nil, false, "broken by the patch"},
		{"gone", SameWork, with("old=failed"), nil, nil, false, "broken by the patch"},
		{"a failing test is gone", SameWork, with("a=passed"), nil, nil, false, "skipped or gone"},
		{"weakened", SameWork, weakened, nil, nil, false, "assertion removed"},
		{"cut short", SameWork, stopped, nil, nil, false, ""},
		{"no test", SameWork, evidence{base: run("old=failed"), patched: run("old=failed")}, nil, nil, false, ""},
		{"tests, but none is new", NewTests, with("a=passed", "old=failed"), nil, nil, false, "a name of its own"},
		{"new tests that can fail", NewTests, sound, broken, nil, true, "only when the code is broken"},
		{"a new test that cannot", NewTests, sound, broken, []string{"m"}, false, "1 test was not seen to fail"},
		{"a new test fails", NewTests, with("a=passed", "old=failed", "n=failed"), nil, nil, false, "broken by the patch"},
	} {
		got := judge(c.e)
		got.Breaks, got.Unbroken = append(got.Breaks, c.breaks...), append(got.Unbroken, c.unbroken...)
		got.check(c.aim, c.e)
		if (got.Checked != "") != c.checked || got.State == Proven || !strings.Contains(strings.Join(got.Reasons, "\n"), c.reason) {
			t.Errorf("%s: %s, checked %q, reasons %q", c.name, got.State, got.Checked, got.Reasons)
		}
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, line string
		want       []string
	}{
		{"a.py", "    return a + b  # a - b\n", []string{"    return a - b  # a - b\n", "    return None  # a - b\n"}},
		{"a.py", "if total >= 10 and \"x + y\" != name:\n", []string{"if total >= 10 and \"x + y\" == name:\n", "if total < 10 and \"x + y\" != name:\n",
			"if total >= 10 or \"x + y\" != name:\n", "if total >= 11 and \"x + y\" != name:\n", "if total >= 10 and \"x + yx\" != name:\n"}},
		{"a.go", "\tif !ok || a[i] < 3 {\n", []string{"\tif !ok || a[i] >= 3 {\n", "\tif !ok && a[i] < 3 {\n", "\tif ok || a[i] < 3 {\n", "\tif !ok || a[i] < 4 {\n"}},
		{"a.js", "  log.push(x); // and\n", []string{"  \n"}},
		{"a.js", "  log.push(x);\n", []string{"  \n"}},
		{"a.js", "  return a === 'b';\n", []string{"  return a !== 'b';\n", "  return undefined;\n"}},
		{"a.py", "    return None\n", []string{"    return 1\n"}},
		{"a.py", "    raise ValueError(name)\n", []string{"    pass\n"}},
		{"a.py", "    raise ValueError(\n", nil},
		{"a.go", "\t\treturn 0, err\n", []string{"\t\treturn 1, err\n", "\t\treturn 0, nil\n"}},
		{"a.go", "// a == b\n", nil},
		{"a.py", "import os\n", nil},
		{"a.py", "\n", nil},
		{"a.go", "x := \"unclosed\n", nil},
	} {
		if d := cmp.Diff(c.want, variants(c.file, c.line)); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.line, d)
		}
	}
}

// TestBreaks lets tests be added to code that is right: those that compare are seen to fail, one that only runs the code is not.
func TestBreaks(t *testing.T) {
	b := newBench(t)
	s := sample{dir: t.TempDir()}
	for name, text := range map[string]string{
		"shop.py":      "RATE = 20\n\n\ndef total(prices):\n    out = 0\n    for p in prices:\n        out += p\n    return out\n\n\ndef with_tax(price):\n    return price + price * RATE // 100\n",
		"test_shop.py": "import shop\n\n\ndef test_total():\n    assert shop.total([1, 2]) == 3\n",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	more := "\n\ndef test_with_tax():\n    assert shop.with_tax(100) == 120\n\n\ndef test_total_of_nothing():\n    assert shop.total([]) == 0\n\n\ndef test_blind():\n    try:\n        shop.total([1])\n    except Exception:\n        pass\n"
	p := s.resolve(t, patch.Replace("test_shop.py", "    assert shop.total([1, 2]) == 3\n", "    assert shop.total([1, 2]) == 3\n"+more))
	base, done, err := b.tree(t, s, patch.Patch{})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	c := testrun.Custom([]string{"python3", "-m", "pytest"})
	baseline, err := b.runner.Run(t.Context(), base, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Runner: b.runner, Command: c, Baseline: baseline, Patch: p, BaseHash: "x", ReadBase: s.read, Now: time.Now, Aim: NewTests,
		Tree: func(_ context.Context, p patch.Patch) (string, func(), error) { return b.tree(t, s, p) }}
	got, _, err := Prove(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, br := range got.Breaks {
		t.Logf("%s:%d %q → %q: %v", br.File, br.Line, br.Was, br.Now, br.Tests)
		failed = append(failed, br.Tests...)
	}
	slices.Sort(failed)
	if d := cmp.Diff([]string{"test_shop.py::test_total_of_nothing", "test_shop.py::test_with_tax"}, failed); d != "" {
		t.Errorf("seen to fail (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"test_shop.py::test_blind"}, got.Unbroken); d != "" || got.Checked != "" || got.State != NotProven {
		t.Errorf("%s, checked %q, not seen to fail (-want +got):\n%s", got.State, got.Checked, d)
	}
}

// TestNewProgram: the first test of a new program cannot be loaded without it, which is how it fails before the patch; a package
// that the patch does not bring stays a missing dependency.
func TestNewProgram(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name  string
		test  bool // the person wrote the test already
		lacks string
		want  State
	}{
		{name: "program and test", want: Proven},
		{name: "the test is there", test: true, want: Proven},
		{name: "a package lacks", lacks: "import nowhere_to_be_found\n", want: NotProven},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sample{dir: t.TempDir()}
			test := c.lacks + "import words\n\n\ndef test_count():\n    assert words.count('a b') == 2\n"
			edits := []patch.Edit{patch.Whole("words.py", "def count(text):\n    return len(text.split())\n")}
			if c.test {
				if err := os.WriteFile(filepath.Join(s.dir, "test_words.py"), []byte(test), 0o644); err != nil {
					t.Fatal(err)
				}
			} else {
				edits = append(edits, patch.Whole("test_words.py", test))
			}
			p := s.resolve(t, edits...)
			base, done, err := b.tree(t, s, patch.Patch{})
			if err != nil {
				t.Fatal(err)
			}
			defer done()
			command := testrun.Custom([]string{"python3", "-m", "pytest"})
			baseline, err := b.runner.Run(t.Context(), base, command, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := Prove(t.Context(), Options{Runner: b.runner, Command: command, Baseline: baseline, Patch: p, BaseHash: "x", ReadBase: s.read, Now: time.Now,
				Tree: func(_ context.Context, p patch.Patch) (string, func(), error) { return b.tree(t, s, p) }})
			if err != nil || got.State != c.want {
				t.Errorf("%s, %v, red to green %v, because %v", got.State, err, got.RedToGreen, got.Reasons)
			}
		})
	}
}
