package patch

import (
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// fix is one change to one source text and the diff of it, before a model's slips are put in.
type fix struct {
	path, before, after, diff string
}

// loadFixes gives the fixes of testdata/patch/fixes: real ones in their shape, in our own words (see the README there).
// The text after is made by the line numbers of git's own diff, with nothing of this package but its line splitter.
func loadFixes(t *testing.T) []fix {
	t.Helper()
	ar, err := txtar.ParseFile("../../testdata/patch/fixes/fixes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var list []fix
	for _, f := range ar.Files {
		name, what, _ := strings.Cut(f.Name, " ")
		text := tokens.Replace(string(f.Data))
		if what == "before" {
			list = append(list, fix{path: path.Join("src", name), before: text})
			continue
		}
		l := &list[len(list)-1]
		l.diff = "diff --git a/" + l.path + " b/" + l.path + "\n--- a/" + l.path + "\n+++ b/" + l.path + "\n" + text
		l.after = byNumbers(t, l.before, text)
	}
	if len(list) < 100 {
		t.Fatalf("%d fixes, want at least 100", len(list))
	}
	return list
}

// byNumbers makes the change of a flawless diff, by its line numbers alone.
func byNumbers(t *testing.T, before, hunks string) string {
	t.Helper()
	old, out, at, op := splitLines(before), "", 0, byte(0)
	for _, l := range splitLines(hunks) {
		switch l[0] {
		case '@':
			start := 0
			onHeaders(l, func(oldStart, oldLines, _, _ int) string {
				start = oldStart - 1
				if oldLines == 0 {
					start = oldStart
				}
				return ""
			})
			out += strings.Join(old[at:start], "")
			at = start
		case '+':
			out += l[1:]
		case '\\':
			if op != '-' {
				out = strings.TrimSuffix(out, "\n")
			}
		default:
			if trimEnd(old[at]) != trimEnd(l[1:]) {
				t.Fatalf("line %d is %q, the diff has %q", at+1, old[at], l)
			}
			if l[0] == ' ' {
				out += l[1:]
			}
			at++
		}
		op = l[0]
	}
	return out + strings.Join(old[at:], "")
}
