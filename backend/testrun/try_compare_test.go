package testrun

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestComparison judges candidates by what came of calls, as a driver of any language reports it.
func TestComparison(t *testing.T) {
	t.Parallel()
	fates := func(all ...string) []fate {
		var out []fate
		for i, f := range all {
			out = append(out, fate{Input: i, Fate: f, Shown: f, Reaches: true})
		}
		return out
	}
	touching := fates("1", "2", "!Error", "4", "5")
	touching[1].Touches = true
	for _, tt := range []struct {
		name   string
		tree   [2][]fate
		own    [][]fate
		groups []int
		near   [2]int // of the last
		raises int
		ends   int
		touch  int
		input  string // by which the first and the last are told apart
	}{
		{"alike", [2][]fate{fates("1", "2", "!Error", "4", "5"), fates("1", "2", "!Error", "4", "5")}, [][]fate{fates("1", "3", "3", "4", "5"), fates("1", "3", "3", "4", "5")}, []int{1, 1}, [2]int{1, 3}, 0, 0, 0, ""},
		{"apart", [2][]fate{fates("1", "2", "!Error", "4", "5"), fates("1", "2", "!Error", "4", "5")}, [][]fate{fates("1", "3", "3", "4", "5"), fates("1", "2", "3", "!Error", "5")}, []int{1, 2}, [2]int{1, 3}, 1, 0, 0, "f(10)"},
		{"no end", [2][]fate{fates("1", "2", "3", "4", "5"), fates("1", "2", "3", "4", "5")}, [][]fate{fates("1", "2", "3", "4", "5"), fates("1", "!hangs", "!RecursionError")}, []int{1, 2}, [2]int{3, 4}, 4, 2, 0, "f(10)"},
		{"by chance", [2][]fate{fates("1", "2", "3", "4", "5"), fates("1", "9", "3", "4", "5")}, [][]fate{fates("1", "3", "3", "4", "5"), fates("1", "8", "3", "4", "5")}, []int{1, 1}, [2]int{0, 3}, 0, 0, 0, ""},
		{"unknown", [2][]fate{fates("?", "?", "?", "?", "?"), fates("?", "?", "?", "?", "?")}, [][]fate{fates("?", "?", "?", "?", "?"), fates("?", "?", "?", "?", "?")}, []int{0, 0}, [2]int{0, 4}, 0, 0, 0, ""},
		{"touches", [2][]fate{fates("1", "2", "!Error", "4", "5"), fates("1", "2", "!Error", "4", "5")}, [][]fate{fates("1", "2", "!Error", "4", "5"), touching}, []int{1, 1}, [2]int{0, 3}, 1, 0, 1, ""},
		{"of no driver", [2][]fate{}, nil, []int{0, 0}, [2]int{}, 0, 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c comparison
			trials := make([]Trial, 2)
			if tt.own != nil {
				c.take(driven{Event: "inputs", Calls: []string{"f(1)", "f(10)", "f(200)", "f(3000)", "f(4)"}, Green: []bool{true, true, true, true, false}}, 2)
				for _, f := range tt.tree {
					c.take(driven{Event: "fates", N: ofTree, Fates: f}, 2)
				}
				for n, f := range tt.own {
					c.take(driven{Event: "fates", N: n, Fates: f}, 2)
				}
			}
			c.take(driven{Event: "fates", N: 7, Fates: fates("1")}, 2) // what no driver of ours says
			c.take(driven{Event: "inputs", Calls: []string{"g()"}}, 2)
			c.judge(trials)
			if got := []int{trials[0].Group, trials[1].Group}; !slices.Equal(got, tt.groups) {
				t.Errorf("groups: %v, want %v", got, tt.groups)
			}
			last := trials[1]
			if last.Near != tt.near || last.Raises[0] != tt.raises || last.Endless != tt.ends || last.Touches != tt.touch {
				t.Errorf("the last: %+v", last)
			}
			input := ""
			for _, d := range trials[0].Differs {
				input = d.Input
			}
			if input != tt.input {
				t.Errorf("told apart by %q, want %q", input, tt.input)
			}
		})
	}
}

// TestTryComparesWhatItReaches calls what is changed, functions and methods, also where only the same file calls it.
func TestTryComparesWhatItReaches(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"label.py":      "class Card:\n    def __init__(self, text):\n        self.text = text\n\n    def size(self):\n        return len(self.text) - 1\n\n\ndef cut(text, room):\n    return text[:room] + '.'\n\n\ndef show(card):\n    return cut(card.text, 4)\n\n\ndef other(n):\n    return n\n",
		"test_label.py": "from label import Card, other, show\n\n\ndef test_cut():\n    assert len(show(Card('abcdef'))) == 4\n    assert Card('a').size() == 1\n    assert other(3) == 3\n",
	})
	c := mustFind(t, dir)
	both := func(from, to string) Candidate {
		cand := changed(t, dir, "label.py", from, to)
		cand["label.py"] = strings.Replace(cand["label.py"], "len(self.text) - 1", "len(self.text)", 1)
		return cand
	}
	for _, tt := range []struct {
		name, code string
		candidates []Candidate
		groups     []int
	}{
		{"a helper", "", []Candidate{both("text[:room] + '.'", "text[:room]"), both("text[:room] + '.'", "text[:room - 1] + '.'"), both("text[:room] + '.'", "text[0:room]")}, []int{1, 2, 1}},
		{"a method", "text[:room]", []Candidate{changed(t, dir, "label.py", "len(self.text) - 1", "len(self.text)"), changed(t, dir, "label.py", "len(self.text) - 1", "1")}, []int{1, 2}},
	} {
		if tt.code != "" {
			if err := os.WriteFile(filepath.Join(dir, "label.py"), []byte(strings.Replace(both("text[:room] + '.'", tt.code)["label.py"], "len(self.text)", "len(self.text) - 1", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, cand := range tt.candidates {
				cand["label.py"] = strings.Replace(cand["label.py"], "text[:room] + '.'", tt.code, 1)
			}
		}
		trials, problem, err := b.runner.Try(t.Context(), dir, c, tt.candidates, TryOptions{Red: []string{"test_label.py::test_cut"}, Test: time.Second, Wall: time.Minute, Enough: 9})
		if err != nil || problem != "" {
			t.Fatal(problem, err)
		}
		for i, want := range tt.groups {
			if got := trials[i]; !got.Passes() || got.Group != want {
				t.Errorf("%s, candidate %d: %+v", tt.name, i, got)
			}
		}
		if d := trials[0].Differs; len(d) != 1 || tt.code != "" && d[0].Input != "size(Card(text=''))" {
			t.Errorf("%s: they differ so: %+v", tt.name, d)
		}
	}
}

// TestTryCompares says of candidates that pass all tests what they do with inputs a little off those of the tests.
func TestTryCompares(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"twice.py":      "def twice(n):\n    if n > 3:\n        return n * 3\n    return n * 2\n",
		"test_twice.py": "from twice import twice\n\n\ndef test_small():\n    assert twice(1) == 2\n\n\ndef test_none():\n    assert twice(0) == 0\n\n\ndef test_large():\n    assert twice(7) == 14\n",
	})
	c := mustFind(t, dir)
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	candidates := []Candidate{
		changed(t, dir, "twice.py", "n * 3", "n * 2"),
		changed(t, dir, "twice.py", "n * 3", "14 if n == 7 else 1 // 0"),
		changed(t, dir, "twice.py", "    return n * 2", "    return n * 2 if n in (0, 1) else 9\n"),
		changed(t, dir, "twice.py", "n * 3", "2 * n"),
	}
	candidates[2]["twice.py"] = strings.Replace(candidates[2]["twice.py"], "n * 3", "14", 1)
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 9})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	if trials[0].Touches != 0 || trials[0].Endless != 0 {
		t.Errorf("it changes what it is given: %+v", trials[0])
	}
	for i, want := range []struct{ changes, raises bool }{{false, false}, {false, true}, {true, false}, {false, false}} {
		if got := trials[i]; !got.Passes() || got.Near[1] < 2 || got.Raises[1] < 4 || (got.Near[0] > 0) != want.changes || (got.Raises[0] > 0) != want.raises {
			t.Errorf("candidate %d: %+v", i, got)
		}
	}
	if trials[0].Group != trials[3].Group || trials[0].Group == trials[1].Group || trials[1].Group == trials[2].Group {
		t.Errorf("groups: %d %d %d %d", trials[0].Group, trials[1].Group, trials[2].Group, trials[3].Group)
	}
	var all []Differ
	for _, one := range trials {
		all = append(all, one.Differs...)
	}
	if len(all) != 3 { // each two of three groups
		t.Errorf("they differ so: %+v", all)
	}
	for _, d := range all {
		if !strings.HasPrefix(d.Input, "twice(") || d.Gives[0] == d.Gives[1] {
			t.Errorf("it tells nothing: %+v", d)
		}
	}
}

// TestTrySeesWhatIsTouched says of candidates whether they change their arguments, where the code as it is does not, and whether they
// end.
func TestTrySeesWhatIsTouched(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"look.py":      "def look(names, key):\n    return names.get(key, 1)\n",
		"test_look.py": "from look import look\n\n\ndef test_there():\n    assert look({'a': 2}, 'a') == 2\n\n\ndef test_missing():\n    assert look({'b': 3}, 'a') == 0\n",
	})
	var candidates []Candidate
	for _, now := range []string{"get(key, 0)", "pop(key, 0)", "setdefault(key, 0)", "get(key, 0) if names else look(names, key)"} {
		candidates = append(candidates, changed(t, dir, "look.py", "get(key, 1)", now))
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, mustFind(t, dir), candidates,
		TryOptions{Red: []string{"test_look.py::test_missing"}, Green: []string{"test_look.py::test_there"}, Test: time.Second, Wall: time.Minute, Enough: 9})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []bool{false, true, true, false} {
		if got := trials[i]; !got.Passes() || (got.Touches > 0) != want || (got.Endless > 0) != (i == 3) {
			t.Errorf("candidate %d: %+v", i, got)
		}
	}
	if len(trials[0].Differs)+len(trials[1].Differs) < 2 || !strings.Contains(fmt.Sprint(trials[0].Differs), "changes what it is given to") {
		t.Errorf("they differ so: %+v %+v", trials[0].Differs, trials[1].Differs)
	}
}
