package tools

import (
	"strings"
	"testing"

	"redgreen/backend/search"
	"redgreen/backend/testrun"
)

// A failure that the model was shown before its first step comes again as a word; another failure of that test does not.
func TestKnownFailures(t *testing.T) {
	t.Parallel()
	const long = "want 1, have 2: the two differ in their last place"
	s := New(Options{Known: map[string]string{"a": long, "b": "boom", "c": ""}})
	run := testrun.Run{PerTest: true, ExitCode: 1, Tests: []testrun.Test{
		{ID: "a", Status: testrun.Failed, Message: long, File: "a_test.py", Line: 7},
		{ID: "b", Status: testrun.Failed, Message: "another boom", File: "b_test.py", Line: 9},
		{ID: "c", Status: testrun.Failed},
		{ID: "d", Status: testrun.Failed, Message: "want 1, have 2"},
	}}
	brief, _ := s.known(run).Brief(maxBrief)
	want := "0 passed, 4 failed, 0 skipped.\n\nFAILED a\n  " + asBefore + "\n\nFAILED b\n  at b_test.py:9\n  another boom\n\nFAILED c\n\nFAILED d\n  want 1, have 2"
	if brief != want {
		t.Errorf("got %q\nwant %q", brief, want)
	}
	if run.Tests[0].Message != long {
		t.Error("the run itself was changed")
	}
	run.Tests[1].Message = long // red in another way now; then the same again
	if brief, _ := s.known(run).Brief(maxBrief); !strings.Contains(brief, "FAILED b\n  at b_test.py:9\n  "+long) {
		t.Errorf("a new failure: %s", brief)
	}
	if brief, _ := s.known(run).Brief(maxBrief); !strings.Contains(brief, "FAILED b\n  "+asLast) {
		t.Errorf("the same again: %s", brief)
	}
	s.Forget()
	if brief, _ := s.known(run).Brief(maxBrief); strings.Contains(brief, asLast) || !strings.Contains(brief, asBefore) {
		t.Errorf("after a compaction, which leaves the first message: %s", brief)
	}
}

func TestHitLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, snippet, symbol, want string }{
		{"the line names it", "func f(a int) {\n}", "f", "a.go:3-4 | 3: func f(a int) {"},
		{"the line does not", "// doc\nfunc f() {}", "f", "a.go:3-4 function f | 3: // doc"},
		{"a method", "func (r R) f() {\n}", "R.f", "a.go:3-4 function R.f | 3: func (r R) f() {"},
		{"no symbol", "text\nmore", "", "a.go:3-4 | 3: text"},
	} {
		h := search.Hit{Path: "a.go", StartLine: 3, EndLine: 4, Kind: "function", Symbol: c.symbol, Snippet: c.snippet, BestLine: 3}
		if got := hitLine(h); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		h.BestLine = 0
		if got := hitLine(h); c.symbol != "" && !strings.HasSuffix(got, "function "+c.symbol) {
			t.Errorf("%s without a best line: %q", c.name, got)
		}
	}
}
