package agent

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
	"redgreen/backend/proof"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// A criterion is covered by the tests that name it in a line that the patch adds and that pass with it: not by one that fails,
// by one that was there before, or by a variable of its name.
func TestCovering(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tests/test_a.py": "import a\n\n\ndef test_c1_rejects():\n    assert a.f(-1) is None\n\n\nclass TestMore:\n    def test_many(self):\n        # C2: as many as there are\n        c3 = 3\n        assert a.f(c3)\n\n    # C4, which fails\n    def test_red(self):\n        assert a.f(4)\n",
		"pkg/a_test.go":   "package pkg\n\nimport \"testing\"\n\n// TestLimits holds C5.\nfunc TestLimits(t *testing.T) {\n\tt.Run(\"none\", func(t *testing.T) {})\n}\n",
		"js/a.test.js":    "import { test } from 'node:test';\n\ntest('C6: says so', () => {\n  expect(1).toBe(1);\n});\n",
		"perl/a.t":        "ok(1, 'C7');\n",
	}
	var p patch.Patch
	for _, path := range []string{"tests/test_a.py", "pkg/a_test.go", "js/a.test.js"} {
		h := patch.Hunk{NewStart: 1}
		for line := range strings.Lines(files[path]) {
			h.Lines = append(h.Lines, patch.Line{Op: patch.Insert, Text: line})
		}
		p.Files = append(p.Files, patch.File{Path: path, Status: patch.Added, Hunks: []patch.Hunk{h}})
	}
	passed := func(ids ...string) (out []testrun.Test) {
		for _, id := range ids {
			out = append(out, testrun.Test{ID: id, Status: testrun.Passed})
		}
		return out
	}
	base := testrun.Run{Tests: passed("other/test_z.py::test_c1_of_long_ago")}
	patched := testrun.Run{Tests: append(passed("other/test_z.py::test_c1_of_long_ago", "tests/test_a.py::test_c1_rejects", "tests/test_a.py::TestMore::test_many", "tests/test_b.py::TestMore::test_many",
		"pkg/TestLimits", "pkg/TestLimits/none", "js/a.test.js > C6: says so", "perl/a.t > C7"), testrun.Test{ID: "tests/test_a.py::TestMore::test_red", Status: testrun.Failed})}
	got := covering(number([]string{"one", "two", "three", "four", "five", "six", "seven"}), p, base, patched, func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	})
	tests := map[string][]string{}
	for _, c := range got {
		tests[c.ID] = c.Tests
	}
	want := map[string][]string{
		"C1": {"tests/test_a.py::test_c1_rejects"}, "C2": {"tests/test_a.py::TestMore::test_many"}, "C3": {}, "C4": {},
		"C5": {"pkg/TestLimits", "pkg/TestLimits/none"}, "C6": {"js/a.test.js > C6: says so"}, "C7": {"perl/a.t > C7"},
	}
	if d := cmp.Diff(want, tests); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if places := got[3].Places; len(places) != 1 || places[0] != "tests/test_a.py:14" {
		t.Errorf("C4 is named at %v", places)
	}
}

// A line names a criterion by a test's name, a title, a comment or a documentation string; code that only has those letters
// names none.
func TestNamedBy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"a function":        {"def test_c1_rejects(self):", "C1"},
		"an async one":      {"    async def test_c12(self):", "C12"},
		"Go":                {"func TestC1Limits(t *testing.T) {", "C1"},
		"Java":              {"    public void rejectsC2Empty() {", "C2"},
		"Rust":              {"    fn c_3_is_none_c3_is() {", "C3"},
		"a title":           {"test('C4: says so', () => {", "C4"},
		"a title of a row":  {`	{"C5 empty input", ""},`, "C5"},
		"a title further":   {"  it.each([1])(`C6) says`, () => {})", "C6"},
		"a comment":         {"x = 1  # holds C1 and C2", "C1 C2"},
		"of slashes":        {"// C7: none", "C7"},
		"of Lua":            {"  -- C8", "C8"},
		"a docstring":       {`    """Refuses what is empty (C9)."""`, "C9"},
		"a long docstring":  {"    \"\"\"Refuses\n    what C1 says\n    \"\"\"\n    x = 'C2'", "C1"},
		"a long comment":    {"/* As\n   C3 says. */\nf(C4)", "C3"},
		"a variable":        {"    c1 = 4", ""},
		"its use":           {"    total_c1 = f(c1)", ""},
		"a constant":        {"    f(C1)", ""},
		"a cell":            {`    assert sheet.at("C1") == 3`, ""},
		"a cell's sum":      {`    assert sheet.at('C1:C9') == 3`, ""},
		"a column":          {`    rows = {"C1": 1, "C2": 2}`, ""},
		"an address":        {`    get("http://host/C1")`, ""},
		"a longer number":   {"# C123", ""},
		"a word of letters": {"# the ABC1 and C1x", ""},
	} {
		var got []string
		inside := false
		for line := range strings.Lines(c.text) {
			var ids []string
			ids, inside = namedBy(line, inside)
			got = append(got, ids...)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q names %v, want %q", name, c.text, got, c.want)
		}
	}
}

// A test's own name is what stands behind its file, package or module.
func TestOwnName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"tests/test_c1_a.py::TestA::test_b[C2]": "TestA::test_b[C2]",
		"tests.test_c1_a.TestA.test_b":          "TestA.test_b",
		"tests.test_c1_a.test_b":                "test_b",
		"pkg_c1/v1.2/path.TestName/a.B":         "TestName/a.B",
		"TestName/a.B":                          "TestName/a.B",
		"pkg/Sub.TestName/a.B":                  "TestName/a.B",
		"C1.test.js > suite > test":             "suite > test",
		"app.C1Test > rounds":                   "rounds",
		"t/c1.t - adds":                         "adds",
		"test_b":                                "test_b",
	} {
		if got := ownName(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// The name of a file covers a criterion only where the patch adds the file and it is named after nothing else; a file that is
// renamed or whose name only contains the id covers none.
func TestCoveringByFile(t *testing.T) {
	t.Parallel()
	text := "def test_one():\n    assert 1\n\n\ndef test_two():\n    assert 2\n"
	for name, c := range map[string]struct {
		path   string
		status patch.Status
		old    string // the path before
		ids    []string
		want   []string
	}{
		"named after it":        {"tests/test_c1.py", patch.Added, "", []string{"tests/test_c1.py::test_one", "tests/test_c1.py::test_two"}, []string{"tests/test_c1.py::test_one", "tests/test_c1.py::test_two"}},
		"unittest":              {"tests/test_c1.py", patch.Added, "", []string{"tests.test_c1.A.test_one"}, []string{"tests.test_c1.A.test_one"}},
		"of JavaScript":         {"c1.test.js", patch.Added, "", []string{"c1.test.js > a > b"}, []string{"c1.test.js > a > b"}},
		"of Java":               {"src/test/java/app/C1Test.java", patch.Added, "", []string{"app.C1Test > rounds"}, []string{}},
		"only contains it":      {"tests/test_c1_parse.py", patch.Added, "", []string{"tests/test_c1_parse.py::test_one"}, []string{}},
		"only contains it, JS":  {"parse_C1.test.js", patch.Added, "", []string{"parse_C1.test.js > a > b"}, []string{}},
		"a folder":              {"pkg_c1/a_test.go", patch.Added, "", []string{"pkg_c1/a.TestOne"}, []string{}},
		"was there":             {"tests/test_c1.py", patch.Modified, "", []string{"tests/test_c1.py::test_one"}, []string{}},
		"renamed":               {"tests/test_c1.py", patch.Renamed, "tests/test_old.py", []string{"tests/test_c1.py::test_one"}, []string{}},
		"renamed, of its tests": {"tests/test_new.py", patch.Renamed, "tests/test_old.py", []string{"tests/test_new.py::test_c1_one"}, []string{}},
	} {
		base, patched := testrun.Run{}, testrun.Run{}
		for _, id := range c.ids {
			patched.Tests = append(patched.Tests, testrun.Test{ID: id, Status: testrun.Passed})
			if c.old != "" {
				base.Tests = append(base.Tests, testrun.Test{ID: strings.Replace(id, c.path, c.old, 1), Status: testrun.Passed})
			}
		}
		p := patch.Patch{Files: []patch.File{{Path: c.path, OldPath: c.old, Status: c.status}}}
		got := covering(number([]string{"one"}), p, base, patched, func(string) ([]byte, error) { return []byte(text), nil })
		if d := cmp.Diff(c.want, got[0].Tests); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// What the person changes after the certificate was issued is covered by nothing in it, whatever its number.
func TestHeld(t *testing.T) {
	t.Parallel()
	c := proof.Certificate{Criteria: []proof.Criterion{{ID: "C1", Text: "one", Tests: []string{"t1"}}, {ID: "C2", Text: "two", Tests: []string{"t2"}}}}
	st := session.State{Criteria: []session.Criterion{{ID: "C1", Text: "one"}, {ID: "C2", Text: "another"}}}
	want := []proof.Criterion{{ID: "C1", Text: "one", Tests: []string{"t1"}}, {ID: "C2", Text: "another"}}
	if d := cmp.Diff(want, Held(st, c)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	old := session.State{Criteria: []session.Criterion{{ID: "C1", Text: "one", Tests: []string{"test_a.py:3"}}}}
	if d := cmp.Diff([]proof.Criterion{{ID: "C1", Text: "one", Places: []string{"test_a.py:3"}}}, Held(old, proof.Certificate{})); d != "" {
		t.Errorf("a record of before (-want +got):\n%s", d)
	}
}
