package search

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/index"
)

// A line or a word that is left out before it is cut would have had no score.
func TestLinesThatSayNothing(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, pattern := range []string{"*.go", "../lang/*.go", "../../*.md", "../../build/docs/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, strings.Split(string(text), "\n")...)
		}
	}
	lines = append(lines, "they were dying and lying", "tie the knot, die, lie", "skies", "sky", "x.HTTPServer2(aB_c-d)", "the \u212aelvin", "kelvin", "foo-bar __init__ _x", "IDs of URLs")
	if len(lines) < 3000 {
		t.Fatalf("only %d lines to try", len(lines))
	}
	left, kept := 0, 0
	for i := 0; i < len(lines); i += 61 {
		q, err := Parse(lines[i] + " dying ski possibility")
		if err != nil {
			continue
		}
		s := newLineScorer(q)
		for j := i % 7; j < len(lines); j += 7 {
			says := s.sum(index.Words(lines[j]))
			if got := s.score(lines[j]); got != says {
				t.Fatalf("%q says %v of %q by some of its words, %v by all", lines[j], got, q.Text, says)
			}
			if s.may(lines[j]) {
				kept++
			} else if left++; says > 0 {
				t.Fatalf("%q says %v of %q, and is left out", lines[j], says, q.Text)
			}
		}
	}
	for _, c := range []struct{ query, line string }{
		{"die", "dying"}, {"dying", "to die"}, {"lie", "Lying_down"}, {"sky", "skies"}, {"skies", "sky"}, {"possibility", "possible"}, {"possible", "possibilities"},
		{"retry", "isRetrying"}, {"server", "HTTPServers"}, {"init", "__init__"}, {"foo-bar", "a foo-bar"}, {"\u212aelvin", "kelvin"}, {"kelvin", "\u212aelvin"}, {"64", "utf64x"}, {"for", "FoR"},
	} {
		s := newLineScorer(Query{Text: c.query})
		if says := s.sum(index.Words(c.line)); says != s.score(c.line) || says > 0 && !s.may(c.line) {
			t.Errorf("%q says something of %q", c.line, c.query)
		}
	}
	if left < kept/2 {
		t.Errorf("%d lines are left out, %d are not: that helps nobody", left, kept)
	}
}
