package lang

import "unicode/utf8"

// Mention is one place where the code says a name: an identifier outside of comments and strings that is no keyword.
type Mention struct {
	Start, End int // bytes
	Kind       MentionKind
}

// MentionKind says what the code does with the name, as far as the text right around it tells.
type MentionKind uint8

// The kinds of a mention. A call is a name before "("; that may be a conversion too.
const (
	Use MentionKind = iota
	Call
	Import
	Defines
)

// What a byte of a source belongs to.
const (
	inCode byte = iota
	inText
	inImport
)

// paint marks what each byte belongs to; what begins later lies inside of what began before and wins.
func paint(canvas []byte, size int, around, texts []span) []byte {
	if cap(canvas) < size {
		canvas = make([]byte, size+size/4)
	}
	canvas = canvas[:size]
	clear(canvas)
	i := 0
	for _, t := range texts {
		for ; i < len(around) && around[i].start <= t.start; i++ {
			around[i].fill(canvas)
		}
		t.fill(canvas)
	}
	for ; i < len(around); i++ {
		around[i].fill(canvas)
	}
	return canvas
}

func (s span) fill(canvas []byte) {
	var with byte
	switch s.kind {
	case spanComment, spanString:
		with = inText
	case spanImport:
		with = inImport
	case spanCode:
		with = inCode
	case spanAttribute:
		return
	}
	part := canvas[s.start:min(s.end, len(canvas))]
	for i := range part {
		part[i] = with
	}
}

// mentions finds the names in what paint left as code. defined holds where the names of definitions begin, in order.
func mentions(src, canvas []byte, keywords *wordSet, defined []int) []Mention {
	out := make([]Mention, 0, len(src)/16)
	for i := 0; i < len(src); {
		if canvas[i] == inText || !nameByte(src[i]) {
			i++
			continue
		}
		end := nameEnd(src, i)
		if digit(src[i]) {
			i = end
			continue
		}
		if !keywords.has(src[i:end]) || afterDot(src, i) {
			for len(defined) > 0 && defined[0] < i {
				defined = defined[1:]
			}
			m := Mention{i, end, Defines}
			if len(defined) == 0 || defined[0] != i {
				m.Kind = mentionKind(src, canvas, i, end)
			}
			out = append(out, m)
		}
		i = end
	}
	return out
}

// mentionKind is the kind of a name that defines nothing.
func mentionKind(src, canvas []byte, start, end int) MentionKind {
	if canvas[start] == inImport {
		return Import
	}
	for end < len(src) && (src[end] == ' ' || src[end] == '\t' || src[end] == '!') {
		end++
	}
	if end < len(src) && src[end] == '(' {
		return Call
	}
	return Use
}

// wordSet is a set of words in which most of the others are missed without being looked up.
type wordSet struct {
	words   map[string]bool
	lengths [256]uint32 // of the words that begin with a byte, a bit each; the last for all that are longer
}

func newWordSet(words map[string]bool) wordSet {
	s := wordSet{words: words}
	for w := range words {
		if w != "" {
			s.lengths[w[0]] |= 1 << min(len(w), 31)
		}
	}
	return s
}

// has tells of a word that is not empty.
func (s *wordSet) has(word []byte) bool {
	return s.lengths[word[0]]>>min(len(word), 31)&1 != 0 && s.words[string(word)]
}

// afterDot reports a member's name: what is a keyword elsewhere may be one ("map.delete").
func afterDot(src []byte, i int) bool {
	for i--; i >= 0 && (src[i] == ' ' || src[i] == '\t'); i-- {
	}
	return i >= 0 && src[i] == '.'
}

// NameAt gives the end of the name that begins at a byte.
func NameAt(src []byte, start int) int { return nameEnd(src, start) }

func nameEnd(src []byte, i int) int {
	for i < len(src) && nameByte(src[i]) {
		i++
	}
	return i
}

// nameByte reports a byte that names are made of; every byte of a rune that is not ASCII counts.
func nameByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_' || digit(b) || b >= utf8.RuneSelf
}

func digit(b byte) bool { return '0' <= b && b <= '9' }
