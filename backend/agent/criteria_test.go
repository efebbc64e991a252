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
