package repair

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
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

// TestSummaryNamesTheOthers: what the tests cannot tell apart is for the person to see.
func TestSummaryNamesTheOthers(t *testing.T) {
	t.Parallel()
	src := parse("days.py", "def f(a, b):\n    return a - b\n")
	edits := func(text string) *candidate {
		at := strings.Index(src.text, "a - b")
		return &candidate{src: src, edits: []edit{{at, at + len("a - b"), text}}, kind: "operator", line: 2}
	}
	mine := edits("a + b")
	s := &search{st: &state{failing: []failure{{id: "test_f"}}, levels: []*level{newLevel("")}}, passing: []*candidate{mine, edits("b + a"), edits("a | b"), edits("a ^ b"), edits("b ^ a")}}
	got := s.summary(mine)
	for _, want := range []string{"another operator at days.py:2 makes the failing test pass and breaks no other", "4 other small edits that pass them too: days.py:2 `return b + a`;", "; …"} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary does not say %q:\n%s", want, got)
		}
	}
	s.passing = s.passing[:1]
	if got := s.summary(mine); strings.Contains(got, "other small") {
		t.Errorf("one alone has others:\n%s", got)
	}
}
