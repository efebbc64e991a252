package patch

import (
	"fmt"
	"slices"
	"strings"
)

// Conflict is a place that both sides of a merge changed, each in its own way. Starts are 1-based lines; with no lines,
// the place is before that line.
type Conflict struct {
	BaseStart   int `json:"base_start"`
	BaseLines   int `json:"base_lines"`
	MineStart   int `json:"mine_start"`
	MineLines   int `json:"mine_lines"`
	TheirsStart int `json:"theirs_start"`
	TheirsLines int `json:"theirs_lines"`
}

// String names the lines on my side, "lines 3-5" or "before line 3".
func (c Conflict) String() string {
	switch c.MineLines {
	case 0:
		return fmt.Sprintf("before line %d", c.MineStart)
	case 1:
		return fmt.Sprintf("line %d", c.MineStart)
	}
	return fmt.Sprintf("lines %d-%d", c.MineStart, c.MineStart+c.MineLines-1)
}

// Merge makes the changes of both sides to base (the three-way merge of diff3, by lines). Changes go together when an
// unchanged line lies between them or when both sides made the same; any other two that meet are a conflict. merged is
// nil when there are conflicts. It returns an error that wraps ErrBinary for content that is not text.
func Merge(base, mine, theirs []byte) (merged []byte, conflicts []Conflict, err error) {
	texts, enc, err := decodeAll(base, mine, theirs)
	if err != nil {
		return nil, nil, fmt.Errorf("merging: %w", err)
	}
	m := &merger{base: splitLines(texts[0])}
	for i := range m.sides {
		lines := splitLines(texts[i+1])
		m.sides[i] = side{lines: lines, runs: diffLines(m.base, lines)}
	}
	for m.group() {
	}
	m.keep(len(m.base))
	if len(m.conflicts) > 0 {
		return nil, m.conflicts, nil
	}
	merged, err = enc.Encode(m.out.String())
	if err != nil {
		return nil, nil, fmt.Errorf("merging: %w", err)
	}
	return merged, nil, nil
}

// side is one changed text: the runs not yet merged, and how far its lines lie behind those of the base.
type side struct {
	lines []string
	runs  []run
	shift int
}

type merger struct {
	base      []string
	sides     [2]side
	at        int // base lines before this one are merged
	out       strings.Builder
	conflicts []Conflict
}

// keep writes the base lines up to a place that neither side changed.
func (m *merger) keep(to int) {
	for ; m.at < to; m.at++ {
		m.out.WriteString(m.base[m.at])
	}
}

// group merges the next runs that meet; false when there are none left.
func (m *merger) group() bool {
	lo := -1
	for _, s := range m.sides {
		if len(s.runs) > 0 && (lo < 0 || s.runs[0].aLo < lo) {
			lo = s.runs[0].aLo
		}
	}
	if lo < 0 {
		return false
	}
	m.keep(lo)
	hi := lo
	var from, to [2]int // the lines of each side that stand for base[lo:hi]
	var changed [2]bool
	for i := range m.sides {
		from[i] = lo + m.sides[i].shift
	}
	for grown := true; grown; {
		grown = false
		for i := range m.sides {
			s := &m.sides[i]
			for len(s.runs) > 0 && s.runs[0].aLo <= hi {
				r := s.runs[0]
				hi = max(hi, r.aHi)
				s.shift += (r.bHi - r.bLo) - (r.aHi - r.aLo)
				s.runs = s.runs[1:]
				changed[i], grown = true, true
			}
		}
	}
	for i := range m.sides {
		to[i] = hi + m.sides[i].shift
	}
	mine, theirs := m.sides[0].lines[from[0]:to[0]], m.sides[1].lines[from[1]:to[1]]
	switch {
	case changed[0] && changed[1] && !slices.Equal(mine, theirs):
		m.conflicts = append(m.conflicts, Conflict{lo + 1, hi - lo, from[0] + 1, to[0] - from[0], from[1] + 1, to[1] - from[1]})
	case changed[0]:
		m.out.WriteString(strings.Join(mine, ""))
	default:
		m.out.WriteString(strings.Join(theirs, ""))
	}
	m.at = hi
	return true
}
