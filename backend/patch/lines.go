package patch

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// run is one replacement of lines: a[aLo:aHi] becomes b[bLo:bHi]; one of the two may be empty.
type run struct{ aLo, aHi, bLo, bHi int }

// diffLines gives the runs that turn a into b, in order and never touching.
//
// Lines that stand once in a and once in b, in the same order, are anchors (Bram Cohen's patience diff); the library's
// two-sided Myers search fills the gaps between them. The search alone gives up beyond 100 differences and replaces the
// whole middle; the anchors keep its gaps small, which makes the result readable and the cost nearly linear. It depends
// on nothing but its arguments, so that the hash of a patch does too.
func diffLines(a, b []string) []run {
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	aHi, bHi := len(a), len(b)
	for aHi > lo && bHi > lo && a[aHi-1] == b[bHi-1] {
		aHi--
		bHi--
	}
	d := newDiffer(a, b, lo, aHi, bHi)
	d.gap(lo, aHi, lo, bHi, 0)
	return d.slide(d.join())
}

type differ struct {
	a, b   []string
	na, nb []int32 // the lines by number; what both sides begin and end with has none
	seen   []tally // by number, zero outside of anchors
	runs   []run
}

// tally counts a line on both sides of a gap; b is its last place on that side.
type tally struct{ nA, nB, b int32 }

func newDiffer(a, b []string, lo, aHi, bHi int) *differ {
	d := &differ{a: a, b: b, na: make([]int32, len(a)), nb: make([]int32, len(b))}
	names := newInterner(aHi + bHi - 2*lo)
	for i := lo; i < aHi; i++ {
		d.na[i] = names.number(a[i])
	}
	for i := lo; i < bHi; i++ {
		d.nb[i] = names.number(b[i])
	}
	d.seen = make([]tally, len(names.text))
	return d
}

// maxDepth bounds the search for anchors within gaps; each level makes new lines unique.
const maxDepth = 8

// gap appends the runs between a[aLo:aHi] and b[bLo:bHi].
func (d *differ) gap(aLo, aHi, bLo, bHi, depth int) {
	if aLo == aHi && bLo == bHi {
		return
	}
	if aLo == aHi || bLo == bHi {
		d.runs = append(d.runs, run{aLo, aHi, bLo, bHi})
		return
	}
	anchors, common := d.anchors(aLo, aHi, bLo, bHi)
	if !common {
		d.runs = append(d.runs, run{aLo, aHi, bLo, bHi})
		return
	}
	if len(anchors) == 0 || depth == maxDepth {
		for _, e := range lcs.DiffLines(d.a[aLo:aHi], d.b[bLo:bHi]) {
			d.runs = append(d.runs, run{aLo + e.Start, aLo + e.End, bLo + e.ReplStart, bLo + e.ReplEnd})
		}
		return
	}
	for _, m := range append(anchors, anchor{aHi, bHi}) {
		i, j := aLo, bLo
		for i < m.a && j < m.b && d.na[i] == d.nb[j] {
			i++
			j++
		}
		iHi, jHi := m.a, m.b
		for iHi > i && jHi > j && d.na[iHi-1] == d.nb[jHi-1] {
			iHi--
			jHi--
		}
		d.gap(i, iHi, j, jHi, depth+1)
		aLo, bLo = m.a+1, m.b+1
	}
}

type anchor struct{ a, b int }

// anchors are the lines that are unique on both sides, in the longest order that both sides share; common says whether
// the sides share any line.
func (d *differ) anchors(aLo, aHi, bLo, bHi int) (found []anchor, common bool) {
	for _, n := range d.na[aLo:aHi] {
		d.seen[n].nA++
	}
	for j, n := range d.nb[bLo:bHi] {
		t := &d.seen[n]
		t.nB++
		t.b = int32(bLo + j)
		common = common || t.nA > 0
	}
	var both []anchor
	for i, n := range d.na[aLo:aHi] {
		if t := d.seen[n]; t.nA == 1 && t.nB == 1 {
			both = append(both, anchor{aLo + i, int(t.b)})
		}
	}
	for _, n := range d.na[aLo:aHi] {
		d.seen[n] = tally{}
	}
	for _, n := range d.nb[bLo:bHi] {
		d.seen[n] = tally{}
	}
	if !common {
		return nil, false
	}
	return longestRising(both), true
}

// longestRising picks the longest subsequence with rising b (patience sorting).
func longestRising(all []anchor) []anchor {
	var tops []int // index of the last element of the best subsequence of each length
	prev := make([]int, len(all))
	for i, m := range all {
		n, _ := slices.BinarySearchFunc(tops, m.b, func(t, b int) int { return all[t].b - b })
		prev[i] = -1
		if n > 0 {
			prev[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([]anchor, len(tops))
	for i, k := tops[len(tops)-1], len(out)-1; k >= 0; k-- {
		out[k] = all[i]
		i = prev[i]
	}
	return out
}

// join merges runs that touch.
func (d *differ) join() []run {
	var out []run
	for _, r := range d.runs {
		if r.aLo == r.aHi && r.bLo == r.bHi {
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].aHi == r.aLo && out[n].bHi == r.bLo {
			out[n].aHi, out[n].bHi = r.aHi, r.bHi
			continue
		}
		out = append(out, r)
	}
	return out
}

// maxSlide bounds how far a run is moved for the reader's sake.
const maxSlide = 100

// slide moves runs that only insert or only delete to where they read best: at a line with the least indentation, among
// equals the last. The result is the same text; a run never meets its neighbour.
func (d *differ) slide(runs []run) []run {
	for i := range runs {
		lo, hi := 0, len(d.a)
		if i > 0 {
			lo = runs[i-1].aHi + 1
		}
		if i+1 < len(runs) {
			hi = runs[i+1].aLo - 1
		}
		switch r := runs[i]; {
		case r.aLo == r.aHi:
			up, down := slack(d.b, r.bLo, r.bHi, min(r.aLo-lo, maxSlide), min(hi-r.aHi, maxSlide))
			runs[i] = r.moved(bestStart(d.b, r.bLo, up, down))
		case r.bLo == r.bHi:
			up, down := slack(d.a, r.aLo, r.aHi, min(r.aLo-lo, maxSlide), min(hi-r.aHi, maxSlide))
			runs[i] = r.moved(bestStart(d.a, r.aLo, up, down))
		}
	}
	return runs
}

func (r run) moved(by int) run { return run{r.aLo + by, r.aHi + by, r.bLo + by, r.bHi + by} }

// slack says how far lines[lo:hi] can move up and down and leave the same text.
func slack(lines []string, lo, hi, maxUp, maxDown int) (up, down int) {
	for up < maxUp && lines[lo-up-1] == lines[hi-up-1] {
		up++
	}
	for down < maxDown && lines[lo+down] == lines[hi+down] {
		down++
	}
	return up, down
}

func bestStart(lines []string, lo, up, down int) int {
	best, cost := 0, 1<<30
	for by := -up; by <= down; by++ {
		if c := startCost(lines, lo+by); c <= cost {
			best, cost = by, c
		}
	}
	return best
}

// startCost rates line i as the first of a change: by its indentation, a blank line by that of the text behind it and a
// little more, a line of signs alone, which closes something that began before, a little more again.
func startCost(lines []string, i int) int {
	const near = 8 // blank lines that are looked over
	blanks := 0
	for blanks < near && i+1 < len(lines) && blank(lines[i]) {
		i++
		blanks++
	}
	text := trimSpace(lines[i])
	cost := 4 * (len(text) - len(strings.TrimLeft(text, " \t")))
	switch {
	case blanks > 0:
		return cost + 2
	case !hasWord(text):
		return cost + 3
	}
	return cost
}
