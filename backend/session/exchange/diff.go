package exchange

import (
	"fmt"
	"strings"
	"unicode"

	"redgreen/backend/patch"
)

// diffFile is a changed file, side by side.
type diffFile struct {
	Path, Was, Status string
	Stat              string
	Rows              []diffRow
}

// diffRow is one line of the two sides: same, change, add, del; or gap, a run of unchanged lines between hunks.
type diffRow struct {
	Kind       string
	Old, New   []piece
	OldN, NewN int
	Text       string // of a gap
}

// piece is a part of a line; Mark is what changed within it.
type piece struct {
	Text string
	Mark bool
}

// diffMost is how many lines of a diff are drawn: a browser stays quick with them, and nobody reads more.
const diffMost = 20_000

// diffFiles lays a patch out, and says how many of its lines are left out.
func diffFiles(p patch.Patch) (out []diffFile, cut int) {
	drawn := 0
	for _, f := range p.Files {
		stat := f.Stat()
		d := diffFile{Path: f.Path, Was: f.OldPath, Status: string(f.Status), Stat: fmt.Sprintf("+%d −%d", stat.Added, stat.Removed)}
		end := 0 // of the hunk before, in the old text
		for _, h := range f.Hunks {
			if drawn += len(h.Lines); drawn > diffMost {
				cut += len(h.Lines)
				continue
			}
			if n := h.OldStart - end - 1; n > 0 {
				d.Rows = append(d.Rows, diffRow{Kind: "gap", Text: strings.TrimSpace(plural(n, "unchanged line") + "  " + h.Section)})
			}
			end = h.OldStart + h.OldLines - 1
			d.Rows = append(d.Rows, rows(h)...)
		}
		out = append(out, d)
	}
	return out, cut
}

// rows puts removed lines beside the ones that stand in their place.
func rows(h patch.Hunk) (out []diffRow) {
	oldN, newN := h.OldStart, h.NewStart
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Op == patch.Context {
			text := []piece{{Text: lineText(h.Lines[i].Text)}}
			out = append(out, diffRow{Kind: "same", Old: text, New: text, OldN: oldN, NewN: newN})
			oldN, newN, i = oldN+1, newN+1, i+1
			continue
		}
		var del, ins []string
		for ; i < len(h.Lines) && h.Lines[i].Op != patch.Context; i++ {
			if h.Lines[i].Op == patch.Delete {
				del = append(del, lineText(h.Lines[i].Text))
			} else {
				ins = append(ins, lineText(h.Lines[i].Text))
			}
		}
		for j := range max(len(del), len(ins)) {
			r := diffRow{Kind: "change"}
			switch {
			case j >= len(ins):
				r.Kind, r.Old = "del", []piece{{Text: del[j]}}
			case j >= len(del):
				r.Kind, r.New = "add", []piece{{Text: ins[j]}}
			default:
				r.Old, r.New = marks(del[j], ins[j])
			}
			if r.Old != nil {
				r.OldN, oldN = oldN, oldN+1
			}
			if r.New != nil {
				r.NewN, newN = newN, newN+1
			}
			out = append(out, r)
		}
	}
	return out
}

func lineText(s string) string { return strings.TrimRight(s, "\r\n") }

// wordsMost is the longest line, in words, whose words are compared: the comparison is quadratic.
const wordsMost = 300

// marks marks the words that differ between two lines, by their longest common subsequence. Lines that have less than a
// third in common are taken as a whole: marks everywhere say nothing.
func marks(before, after string) (was, is []piece) {
	a, b := words(before), words(after)
	whole := func() ([]piece, []piece) { return []piece{{Text: before}}, []piece{{Text: after}} }
	if len(a) > wordsMost || len(b) > wordsMost {
		return whole()
	}
	table := common(a, b)
	same := 0 // bytes of common words, without blanks
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			was, is = join(was, a[i], false), join(is, b[j], false)
			same += len(strings.TrimSpace(a[i]))
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && table[i+1][j] >= table[i][j+1]:
			was, i = join(was, a[i], true), i+1
		default:
			is, j = join(is, b[j], true), j+1
		}
	}
	if 3*same < max(len(strings.TrimSpace(before)), len(strings.TrimSpace(after))) {
		return whole()
	}
	return was, is
}

// common is the table of the longest common subsequence: how many bytes the words from i and from j on have in common.
func common(a, b []string) [][]int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if table[i][j] = max(table[i+1][j], table[i][j+1]); a[i] == b[j] {
				table[i][j] = max(table[i][j], table[i+1][j+1]+len(a[i]))
			}
		}
	}
	return table
}

// join adds a word to a line, together with the piece before when that is of the same sort.
func join(line []piece, word string, mark bool) []piece {
	if n := len(line); n > 0 && line[n-1].Mark == mark {
		line[n-1].Text += word
		return line
	}
	return append(line, piece{word, mark})
}

// words cuts a line into words, runs of blanks and single other characters.
func words(s string) (out []string) {
	class := func(r rune) int {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	start, last := 0, -1
	for i, r := range s {
		c := class(r)
		if i > 0 && (c != last || c == 0) {
			out, start = append(out, s[start:i]), i
		}
		last = c
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
