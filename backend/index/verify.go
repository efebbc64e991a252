package index

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// matcher finds the lines of a pattern in texts. It is made once a search; goroutines share it.
//
// An expression costs 30 to 60 ns a byte, a fixed text about 0.1. So where every match has a fixed text in its first line,
// only the lines with that text are held against the expression.
type matcher struct {
	p    Pattern
	must []needle // one of them is in every line where a match begins; nil: nothing is known
	fold bool     // must is lower case and stands for either case
	more int      // lines with more than white space in them that a match can go on over, after its first
}

func newMatcher(p Pattern) matcher {
	m := matcher{p: p}
	if p.Regexp == nil {
		return m
	}
	re, err := syntax.Parse(p.Regexp.String(), syntax.Perl)
	if err != nil || !nearLine(re) {
		return m
	}
	m.more = crossings(re)
	parts := fixedParts(re)
	for _, lit := range parts {
		m.fold = m.fold || lit.Flags&syntax.FoldCase != 0
	}
	for _, lit := range parts {
		text := string(lit.Rune)
		if m.fold {
			text = strings.ToLower(text)
		}
		m.must = append(m.must, newNeedle(text))
	}
	return m
}

// withinLine reports that no match has a line end in it, and that none depends on where the text begins and ends.
func withinLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return false
	case syntax.OpLiteral:
		return !slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		return !hasRune(re, '\n')
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !withinLine(sub) })
}

// nearLine is withinLine, but that white space and the line ends that are written may be in a match: from any line it goes
// on over few.
func nearLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return false
	case syntax.OpCharClass:
		return !hasRune(re, '\n') || onlyBlanks(re)
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		return withinLine(re.Sub[0]) || re.Sub[0].Op == syntax.OpCharClass && onlyBlanks(re.Sub[0])
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !nearLine(sub) })
}

// crossings counts what can hold a line end; what lies between two of them is within a line.
func crossings(re *syntax.Regexp) (n int) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				n++
			}
		}
	case syntax.OpCharClass:
		if hasRune(re, '\n') {
			n++
		}
	}
	for _, sub := range re.Sub {
		n += crossings(sub)
	}
	return n
}

func hasRune(class *syntax.Regexp, r rune) bool {
	for i := 0; i < len(class.Rune); i += 2 {
		if class.Rune[i] <= r && r <= class.Rune[i+1] {
			return true
		}
	}
	return false
}

func onlyBlanks(class *syntax.Regexp) bool {
	for i := 0; i < len(class.Rune); i += 2 {
		for r := class.Rune[i]; r <= class.Rune[i+1]; r++ {
			if !strings.ContainsRune(" \t\n\f\r\v", r) {
				return false
			}
		}
	}
	return true
}

// maxParts is how many alternatives are looked for at a time.
const maxParts = 8

// fixedParts are literals of which every match has one in its first line, nil where none are known.
func fixedParts(re *syntax.Regexp) (best []*syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		lit := &syntax.Regexp{Op: re.Op, Flags: re.Flags, Rune: re.Rune}
		if i := slices.Index(re.Rune, '\n'); i >= 0 {
			lit.Rune = re.Rune[:i]
		}
		if len(lit.Rune) > 0 && (re.Flags&syntax.FoldCase == 0 || isASCII([]byte(string(lit.Rune)))) {
			return []*syntax.Regexp{lit}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return fixedParts(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return fixedParts(re.Sub[0])
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			parts := fixedParts(sub)
			if best = append(best, parts...); len(parts) == 0 || len(best) > maxParts {
				return nil
			}
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if parts := fixedParts(sub); shortest(parts) > shortest(best) {
				best = parts
			}
			if !withinLine(sub) {
				break
			}
		}
	}
	return best
}

// shortest is the length of the literal that tells least, 0 where there is none.
func shortest(parts []*syntax.Regexp) int {
	n := 0
	for _, lit := range parts {
		if n == 0 || len(lit.Rune) < n {
			n = len(lit.Rune)
		}
	}
	return n
}

// lowered keeps the room for texts in lower case between files.
var lowered = sync.Pool{New: func() any { return new([]byte) }}

// lowerASCII is the text with its letters A to Z in lower case, byte for byte, in the room of another if that is enough.
func lowerASCII(room, b []byte) []byte {
	const each = 0x0101010101010101 // a byte in each of eight, which are looked at together
	out := append(room[:0], b...)
	i := 0
	for ; i+8 <= len(out); i += 8 {
		x := binary.LittleEndian.Uint64(out[i:])
		low := x &^ (0x80 * each)
		fromA, beyondZ := low+(0x80-'A')*each, low+(0x7f-'Z')*each
		upper := (fromA ^ beyondZ) &^ x & (0x80 * each)
		binary.LittleEndian.PutUint64(out[i:], x|upper>>2)
	}
	for ; i < len(out); i++ {
		if c := out[i]; 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
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
	near := make([]int, len(m.must)) // where each is next; len(src): no more
	for i := range near {
		near[i] = -1
	}
	for at := 0; len(out) < n; {
		if at = m.next(same, at, near); at == len(src) {
			break
		}
		start, end := lineAround(src, at)
		if col := m.begins(src, start, end); col >= 0 {
			line += bytes.Count(src[counted:start], []byte{'\n'})
			counted = start
			out = append(out, GrepHit{Line: line, Col: col + 1, Text: lineText(src[start:end])})
		}
		if at = end + 1; at > len(src) {
			break
		}
	}
	return out
}

// next is where the next of the fixed texts begins, not before at.
func (m matcher) next(src []byte, at int, near []int) int {
	first := len(src)
	for i, must := range m.must {
		if near[i] < at {
			near[i] = len(src)
			if found := must.index(src[at:]); found >= 0 {
				near[i] = at + found
			}
		}
		first = min(first, near[i])
	}
	return first
}

// begins is where a match begins in a line, -1 none does.
func (m matcher) begins(src []byte, start, end int) int {
	last := end
	for range m.more {
		last = nextLine(src, last)
	}
	if loc := m.p.Regexp.FindIndex(src[start:last]); loc != nil && loc[0] <= end-start {
		return loc[0]
	}
	return -1
}

// nextLine is the end of the next line that is not all white space, after the end of another.
func nextLine(src []byte, end int) int {
	for end < len(src) {
		from := end + 1
		if i := bytes.IndexByte(src[from:], '\n'); i >= 0 {
			end = from + i
		} else {
			end = len(src)
		}
		if len(bytes.TrimSpace(src[from:end])) > 0 {
			break
		}
	}
	return end
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
