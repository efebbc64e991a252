package index

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// matcher finds the lines of a pattern in texts. It is made once a search; goroutines share it.
//
// An expression costs 30 to 60 ns a byte, a fixed text about 0.1. So where every match lies within one line and holds a
// fixed text, only the lines with that text are held against the expression.
type matcher struct {
	p    Pattern
	must []byte // in every line with a match; nil: nothing is known
	fold bool   // must is lower case and stands for either case
}

func newMatcher(p Pattern) matcher {
	m := matcher{p: p}
	if p.Regexp == nil {
		return m
	}
	re, err := syntax.Parse(p.Regexp.String(), syntax.Perl)
	if err != nil || !withinLine(re) {
		return m
	}
	if lit := fixedPart(re); lit != nil {
		m.fold = lit.Flags&syntax.FoldCase != 0
		m.must = []byte(string(lit.Rune))
		if m.fold {
			m.must = []byte(strings.ToLower(string(lit.Rune)))
		}
	}
	return m
}

// withinLine reports that no match has a line end in it, and that none depends on where the text begins and ends.
func withinLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return false
	case syntax.OpLiteral:
		return !strings.ContainsRune(string(re.Rune), '\n')
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return false
			}
		}
	}
	for _, sub := range re.Sub {
		if !withinLine(sub) {
			return false
		}
	}
	return true
}

// fixedPart is the longest literal that every match holds, nil none that helps.
func fixedPart(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 && !isASCII([]byte(string(re.Rune))) {
			return nil
		}
		return re
	case syntax.OpCapture, syntax.OpPlus:
		return fixedPart(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return fixedPart(re.Sub[0])
		}
	case syntax.OpConcat:
		var best *syntax.Regexp
		for _, sub := range re.Sub {
			if lit := fixedPart(sub); lit != nil && (best == nil || len(lit.Rune) > len(best.Rune)) {
				best = lit
			}
		}
		return best
	}
	return nil
}

// lowered keeps the room for texts in lower case between files.
var lowered = sync.Pool{New: func() any { return new([]byte) }}

// lowerASCII is the text with its letters A to Z in lower case, byte for byte, in the room of another if that is enough.
func lowerASCII(room, b []byte) []byte {
	out := slices.Grow(room[:0], len(b))[:len(b)]
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lines finds the lines of a text where matches begin, each once, at most n.
func (m matcher) lines(src []byte, n int) []GrepHit {
	if m.must == nil || m.fold && (bytes.Contains(src, []byte("\u212a")) || bytes.Contains(src, []byte("\u017f"))) {
		return m.p.lines(src, n) // the two letters beyond ASCII that are a k and an s in another case
	}
	same := src
	if m.fold {
		room := lowered.Get().(*[]byte)
		defer lowered.Put(room)
		*room = lowerASCII(*room, src)
		same = *room
	}
	var out []GrepHit
	line, counted := 1, 0
	for at := 0; len(out) < n; {
		i := bytes.Index(same[at:], m.must)
		if i < 0 {
			break
		}
		start, end := lineAround(src, at+i)
		if loc := m.p.Regexp.FindIndex(src[start:end]); loc != nil {
			line += bytes.Count(src[counted:start], []byte{'\n'})
			counted = start
			out = append(out, GrepHit{Line: line, Col: loc[0] + 1, Text: lineText(src[start:end])})
		}
		if at = end + 1; at > len(src) {
			break
		}
	}
	return out
}

// lineAround gives the borders of the line that holds a byte, without its line end.
func lineAround(src []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(src[:at], '\n') + 1
	if end = bytes.IndexByte(src[at:], '\n'); end < 0 {
		return start, len(src)
	}
	return start, at + end
}

func lineText(line []byte) string { return string(bytes.TrimSuffix(line, []byte{'\r'})) }
