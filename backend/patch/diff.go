package patch

import (
	"bytes"
	"slices"
	"strings"
)

// contextLines is how many unchanged lines stand around a change, as in git.
const contextLines = 3

// Diff makes the canonical patch between the two states of each pair, with three lines of context. Equal pairs are left
// out; files are sorted by path. It returns an *Error for content that is not text, a path that leaves the root and a
// path named twice.
func Diff(pairs []Pair) (Patch, error) {
	var p Patch
	var bad []Failure
	seen := make(map[string]bool, len(pairs))
	for _, pair := range pairs {
		f, fail := diffPair(pair)
		switch {
		case fail != nil:
			bad = append(bad, *fail)
		case f == nil:
		case seen[f.Path] || f.OldPath != "" && seen[f.OldPath]:
			bad = append(bad, Failure{Path: f.Path, Code: Mixed, Message: "the path is changed twice in one patch"})
		default:
			seen[f.Path] = true
			if f.OldPath != "" {
				seen[f.OldPath] = true
			}
			p.Files = append(p.Files, *f)
		}
	}
	if len(bad) > 0 {
		return Patch{}, &Error{Failures: bad}
	}
	sortFiles(p.Files)
	return p, nil
}

func sortFiles(files []File) {
	slices.SortStableFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// diffPair gives nil for a pair without a change.
func diffPair(pair Pair) (*File, *Failure) {
	f := &File{Path: pair.Path, Status: Modified}
	if fail := checkPath(pair.Path); fail != nil {
		return nil, fail
	}
	switch {
	case pair.Before == nil && pair.After == nil:
		return nil, nil
	case pair.Before == nil:
		f.Status = Added
	case pair.After == nil:
		f.Status = Deleted
	case pair.OldPath != "" && pair.OldPath != pair.Path:
		if fail := checkPath(pair.OldPath); fail != nil {
			return nil, fail
		}
		f.Status, f.OldPath = Renamed, pair.OldPath
	}
	var before, after []byte
	if pair.Before != nil {
		before, f.OldMode, f.Before = pair.Before.Data, pair.Before.Mode, Hash(pair.Before.Data)
	}
	if pair.After != nil {
		after, f.NewMode, f.After = pair.After.Data, pair.After.Mode, Hash(pair.After.Data)
	}
	same := bytes.Equal(before, after)
	if same && f.Status == Modified && f.OldMode == f.NewMode {
		return nil, nil
	}
	if same && f.Status != Added && f.Status != Deleted {
		return f, nil
	}
	texts, enc, err := decodeAll(before, after)
	if err != nil {
		return nil, &Failure{Path: pair.Path, Code: Binary, Message: "the file is not text; a patch cannot hold it"}
	}
	f.Encoding = enc
	f.Hunks = makeHunks(splitLines(texts[0]), splitLines(texts[1]))
	return f, nil
}

// makeHunks groups the runs between two texts with their context.
func makeHunks(a, b []string) []Hunk {
	runs := diffLines(a, b)
	var hunks []Hunk
	section := sections{lines: a}
	for len(runs) > 0 {
		n := 1
		for n < len(runs) && runs[n].aLo-runs[n-1].aHi <= 2*contextLines {
			n++
		}
		hunks = append(hunks, makeHunk(a, b, runs[:n], &section))
		runs = runs[n:]
	}
	return hunks
}

func makeHunk(a, b []string, runs []run, section *sections) Hunk {
	first, last := runs[0], runs[len(runs)-1]
	lead := min(first.aLo, contextLines)
	lo, hi := first.aLo-lead, min(last.aHi+contextLines, len(a))
	h := Hunk{
		OldStart: lo + 1, OldLines: hi - lo,
		NewStart: first.bLo - lead + 1, NewLines: last.bHi + hi - last.aHi - (first.bLo - lead),
		Section: section.before(lo),
	}
	if h.OldLines == 0 {
		h.OldStart--
	}
	if h.NewLines == 0 {
		h.NewStart--
	}
	h.Lines = make([]Line, 0, h.OldLines+h.NewLines)
	at := lo
	for _, r := range runs {
		h.add(Context, a[at:r.aLo])
		h.add(Delete, a[r.aLo:r.aHi])
		h.add(Insert, b[r.bLo:r.bHi])
		at = r.aHi
	}
	h.add(Context, a[at:hi])
	return h
}

func (h *Hunk) add(op Op, lines []string) {
	for _, l := range lines {
		h.Lines = append(h.Lines, Line{Op: op, Text: l})
	}
}
