package repair

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"redgreen/backend/model"
)

func TestKindWords(t *testing.T) {
	t.Parallel()
	var counts struct{ Kinds map[string]any }
	if err := json.Unmarshal(priorCounts, &counts); err != nil {
		t.Fatal(err)
	}
	words := kindWords()
	for _, kind := range append(slices.Sorted(maps.Keys(counts.Kinds)), "under a condition") {
		if words[kind] == "" {
			t.Errorf("edits of the kind %q have no words", kind)
		}
	}
}

func TestSaysInPlainWords(t *testing.T) {
	t.Parallel()
	head := func(part string) string {
		return "Tried 3 of 3 candidates, up to #3: 0 pass all tests, " + part + " do in part, 0 cannot be loaded or built, 0 hang, 0 crash; the others change no failing test."
	}
	three := []string{"a", "b", "c"}
	for got, want := range map[string]string{
		batch{texts: three, head: head("0")}.came():                                         "Of 3 edits none makes all failing tests pass without breaking another.",
		batch{texts: three, head: head("1"), untried: map[int]bool{1: true}}.came():         "Of 2 edits none makes all failing tests pass without breaking another, 1 makes some of them pass.",
		batch{texts: three[:1], head: head("2"), pass: []int{0}}.came():                     "Of 1 edit 1 makes all failing tests pass without breaking another, 2 make some of them pass.",
		batch{texts: three, head: "Nothing was tried.", failed: true}.came():                "Nothing was tried.",
		counted(map[string]int{"guard": 1, "swap": 3}):                                      "two values swapped (3), an early return for a special case (1)",
		counted(map[string]int{"a": 6, "b": 5, "c": 4, "d": 3, "e": 2}):                     "a (6), b (5), c (4), d (3), and 1 other kind",
		places([]suspect{{"a.py", 4, 1, "x"}, {"a.py", 5, 1, "x"}, {"a.py", 7, 1, "x"}}, 3): "a.py:4–5 (x), a.py:7 (x)",
		places([]suspect{{"a.py", 4, 1, "x"}, {"a.py", 5, 1, "y"}}, 1):                      "a.py:4 (x)",
		runBy(2, 1): "run by 2 failing and 1 passing test",
		runBy(2, 0): "run only by failing tests",
	} {
		if got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// TestTheChoiceIsThePersons says plainly which other edits the tests let through, with an input that tells them apart where one
// is known, and nothing of those that do the same.
func TestTheChoiceIsThePersons(t *testing.T) {
	t.Parallel()
	src := parse("days.py", "def f(a, b):\n    return a - b\n")
	var list []*candidate
	var texts []string
	for _, text := range []string{"a + b", "b + a", "a | b", "a ^ b", "b ^ a", "a or b"} {
		at := strings.Index(src.text, "a - b")
		c := &candidate{src: src, edits: []edit{{at, at + len("a - b"), text}}, kind: "operator", line: 2}
		list, texts = append(list, c), append(texts, c.lines())
	}
	args, _ := json.Marshal(map[string]any{"candidates": texts})
	said := ""
	for n := range list {
		said += fmt.Sprintf("#%d passes all tests\n", n+1)
	}
	was := readBatch(model.Call{Args: string(args)}, model.Result{Text: "Tried.\n" + said + "#1 #2 alike\n#3 alike\n#4 #5 alike\n#1 and #3 differ on f(1, 1)\t2\t1\n#1 and #4 differ on f(1, '|')\t!\t0 and #\n"})
	top := newLevel("")
	top.batches = []batch{was}
	s := &search{st: &state{failing: []failure{{id: "test_f"}}, levels: []*level{top}}, passing: list, rank: map[*candidate]float64{}, met: map[*candidate]meeting{}}
	for n, c := range list {
		s.met[c] = meeting{0, n}
	}
	doubt := func(c *candidate) string { d, _ := s.verdict(c)["doubt"].(string); return d }
	got := doubt(list[0])
	for _, want := range []string{"4 other small edits pass all tests as well", "another operator at days.py:2 (`return a | b`): f(1, 1) gives 1 there, 2 with this change\n", "(`return a ^ b`): f(1, '|') gives 0 and # there, ! with this change\n", "and 1 more", "A test for such an input"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "b + a") {
		t.Errorf("it tells of an edit that does the same:\n%s", got)
	}
	if got := doubt(list[2]); !strings.Contains(got, "gives 2 there, 1 with this change") {
		t.Errorf("seen from the other side:\n%s", got)
	}
	s.passing = list[:2]
	if v := s.verdict(list[0]); v["doubt"] != nil || !strings.Contains(v["summary"].(string), "another operator at days.py:2 makes the failing test pass and breaks no other") {
		t.Errorf("where all do the same: %v", v)
	}
	s.passing, s.rank[list[0]] = []*candidate{list[0], list[2]}, clear
	if v := s.verdict(list[0]); v["doubt"] != nil || !strings.Contains(v["summary"].(string), "Another small edit passes all tests too, but less naturally: another operator") {
		t.Errorf("where one ranks far before: %v", v)
	}
	s.passing = []*candidate{list[0], list[5]}
	if s.rank[list[0]] = 0; !strings.Contains(doubt(list[0]), "`return a or b`)\n") {
		t.Errorf("what was not compared is a doubt too: %q", doubt(list[0]))
	}
}
