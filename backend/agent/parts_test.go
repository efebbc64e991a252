package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/session"
)

// two is a small program with two bugs and a test that shows each.
func two() map[string]string {
	return map[string]string{
		"calc.py":      "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 3 * a\n",
		"test_calc.py": "import unittest\n\nimport calc\n\n\nclass CalcTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n\n    def test_double(self):\n        self.assertEqual(calc.double(4), 8)\n",
	}
}

// A larger change is proven part by part; what a run could not finish does not spoil the parts before.
func TestParts(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	one, other := edit("calc.py", "    return a - b", "    return a + b"), edit("calc.py", "    return 3 * a", "    return 2 * a")
	part := func(summary string) string { return say("finish", args{"summary": summary, "rest": "the other one"}) }
	prose := `{"text":"I think about it."}`
	for _, c := range []struct {
		name    string
		script  []string
		outcome session.Outcome
		gained  []string // tests of each part
		proof   string
		holds   string // in the patch
		lacks   string
		saw     string
	}{
		{"both parts", []string{one, part("add"), other, part("double"), done}, session.Review, []string{"test_add", "test_double"}, "proven", "2 * a", "", "Part 2 is proven"},
		{"a part that proves nothing new", []string{one, part("add"), edit("calc.py", "def double(a):", "def double(a):  # twice"), part("a comment"), other, done},
			session.Review, []string{"test_add"}, "proven", "# twice", "", "no further test turned"},
		{"a part that is not proven", []string{edit("calc.py", "def double(a):", "def double(a):  # twice"), part("a comment"), one, other, done}, session.Review, nil, "proven", "a + b", "", "This part is not proven"},
		{"stuck behind a part", []string{one, part("add"), edit("calc.py", "    return a + b", "    return a * b"), prose, prose, prose}, session.NotProven, []string{"test_add"}, "proven", "a + b", "a * b", ""},
		{"a wrong end behind a part", []string{one, part("add"), edit("calc.py", "    return a + b", "    return a - b"), done, done, done}, session.Review, []string{"test_add"}, "proven", "a + b", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, folder(t, two()), script(t, c.script...), Task{})
			work(t, r, c.outcome)
			st := r.log.State()
			var gained []string
			for _, p := range st.Parts {
				gained = append(gained, p.Gained[0][strings.LastIndexAny(p.Gained[0], ":.")+1:])
			}
			if diff := cmp.Diff(c.gained, gained); diff != "" {
				t.Errorf("parts: %s", diff)
			}
			if st.Proof != c.proof || !strings.Contains(st.Patch.String(), c.holds) || c.lacks != "" && strings.Contains(st.Patch.String(), c.lacks) {
				t.Errorf("%s with the patch\n%s", st.Proof, st.Patch.String())
			}
			if c.saw != "" && !saw(t, r, c.saw) {
				t.Errorf("the model never saw %q", c.saw)
			}
			now, err := r.bench.ws.Patch()
			if err != nil || now.Hash() != st.PatchHash {
				t.Errorf("the workspace is not as recorded: %v", err)
			}
		})
	}
}
