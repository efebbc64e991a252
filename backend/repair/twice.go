package repair

import (
	"cmp"
	"fmt"
	"slices"
)

// Where no edit alone does, two of the best together may: a condition and what it guards, both ends of a range. With a single failing
// test nothing says of one that it helps in part.

// The bounds of such pairs: how many edits they are made of, of these of one kind at one line, how many lines apart, and how many pairs.
const (
	maxHalves    = 90
	maxAlikeHalf = 3
	maxApart     = 12
	maxTwo       = 1500
)

// twoTogether are pairs of edits of one file that stand close to each other, the best first, in languages in which many are tried at once.
func (s *search) twoTogether() []*candidate {
	if s.blind != nil {
		return s.blind
	}
	s.blind = []*candidate{}
	var halves []*candidate
	crowd := map[string]int{}
	for _, c := range s.all {
		at := fmt.Sprintf("%s:%d %s", c.src.path, c.line, c.kind)
		if len(halves) == maxHalves || !c.src.row.braces() || c.kind == "delete" || crowd[at] == maxAlikeHalf || !s.compiler.takes(c, s.files) {
			continue
		}
		crowd[at]++
		halves = append(halves, c)
	}
	for i, a := range halves {
		for _, b := range halves[i+1:] {
			if far := max(a.line-b.line, b.line-a.line); a.src == b.src && far <= maxApart && apartFrom(a, b) {
				s.blind = append(s.blind, &candidate{src: a.src, edits: a.edits, kind: a.kind, line: a.line, score: a.score + b.score - 0.05*float64(far), more: []*candidate{b}})
			}
		}
	}
	slices.SortStableFunc(s.blind, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	s.blind = s.blind[:min(len(s.blind), maxTwo)]
	return s.blind
}

// apartFrom reports whether two candidates change different bytes.
func apartFrom(a, b *candidate) bool {
	for _, x := range a.edits {
		for _, y := range b.edits {
			if x.start <= y.end && y.start <= x.end {
				return false
			}
		}
	}
	return true
}

// blindText is the pair that a text was made of, nil none.
func (s *search) blindText(text string) *candidate {
	for _, c := range s.twoTogether() {
		if c.lines() == text {
			return c
		}
	}
	return nil
}
