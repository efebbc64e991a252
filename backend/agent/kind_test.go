package agent

import (
	"testing"

	"redgreen/backend/patch"
	"redgreen/backend/session"

	"github.com/google/go-cmp/cmp"
)

func TestTellKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		code bool
		want Kind
	}{
		{"The total is off by one cent when a discount applies", true, Fix},
		{"crash on an empty list", true, Fix},
		{"`0 9 1 * mon` should run on the first of the month and on every Monday", true, Fix},
		{"Fix the login test", true, Fix},
		{"Adding two numbers gives the wrong sum", true, Fix},
		{"Tests fail on Windows", true, Fix},
		{"An order from a customer who left no address comes back with a 500 error", true, Fix},
		{"Why does the parser crash on tabs? It should skip them", true, Fix},
		{"Add a --json flag to the list command", true, Feature},
		{"Please implement undo", true, Feature},
		{"Allow several addresses per customer", true, Feature},
		{"We need to support IPv6", true, Feature},
		{"Write a command line program that counts words", false, Program},
		{"A todo list with a web page", false, Program},
		{"Add tests for the date parser", true, Tests},
		{"Write property tests for Amount.Parse", true, Tests},
		{"Increase the coverage of journal", true, Tests},
		{"unit tests for the cache", true, Tests},
		{"Refactor the invoice renderer", true, Refactor},
		{"Extract the tax table into a file of its own", true, Refactor},
		{"Rename Foo to Bar without changing behaviour", true, Refactor},
		{"Explain how the scheduler picks a job", true, Explain},
		{"How does the cache expire?", true, Explain},
		{"Where is the VAT computed?", true, Explain},
		{"What does this folder hold?", false, Explain},
	} {
		if got := tellKind(c.text, c.code); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestKindOfReadsAChoice(t *testing.T) {
	t.Parallel()
	for _, row := range kindTable {
		if k, err := KindOf(" " + string(row.kind) + " "); err != nil || k != row.kind || k.Word() == "" || guidanceOf(k) == "" {
			t.Errorf("%s: %s, %v", row.kind, k, err)
		}
	}
	if k, err := KindOf(""); err != nil || k != "" {
		t.Errorf("none: %q, %v", k, err)
	}
	if _, err := KindOf("magic"); err == nil {
		t.Error("magic is accepted")
	}
}

func TestCoveredCriteria(t *testing.T) {
	t.Parallel()
	add := func(path string, lines ...string) patch.File {
		h := patch.Hunk{NewStart: 10}
		for _, l := range lines {
			h.Lines = append(h.Lines, patch.Line{Op: patch.Insert, Text: l + "\n"})
		}
		return patch.File{Path: path, Hunks: []patch.Hunk{h}}
	}
	got := covered(number([]string{"one", " ", "two", "three", "four"}), patch.Patch{Files: []patch.File{
		add("tests/test_a.py", "def test_c1_rejects():", "    # C2, C1: empty input", "    c3 = 4"),
		add("pkg/a_test.go", "func TestC4Limits(t *testing.T) {"),
		add("a.py", "# C3"),
	}})
	want := []session.Criterion{
		{ID: "C1", Text: "one", Tests: []string{"tests/test_a.py:10", "tests/test_a.py:11"}}, {ID: "C2", Text: "two", Tests: []string{"tests/test_a.py:11"}},
		{ID: "C3", Text: "three"}, {ID: "C4", Text: "four", Tests: []string{"pkg/a_test.go:10"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
