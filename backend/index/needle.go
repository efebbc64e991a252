package index

import (
	"bytes"
	"strings"
)

// needle is a fixed text to look for: by its rarest byte, which is found sixteen and more bytes at a time and starts few
// comparisons that come to nothing. bytes.Index goes by the first.
type needle struct {
	text []byte
	rare int // where the byte is in text
}

// frequent are the bytes of code (Go's and Python's libraries), the most frequent first; all others are rarer.
const frequent = " etrsnaoi\nldcfup.\tmh_,')(\"g:0=TbExyAILw-RNSCv#/kP1O{}D2\\F>HM"

func newNeedle(text string) needle {
	n := needle{text: []byte(text)}
	best := -1
	for i := range len(text) {
		at := strings.IndexByte(frequent, text[i])
		if at < 0 {
			at = len(frequent)
		}
		if at > best {
			n.rare, best = i, at
		}
	}
	return n
}

// index is where the text first is in another, -1 where it is not.
func (n needle) index(in []byte) int {
	if len(n.text) == 0 {
		return 0
	}
	for i, wrong := n.rare, 0; i < len(in); i++ {
		next := bytes.IndexByte(in[i:], n.text[n.rare])
		if next < 0 {
			return -1
		}
		i += next
		start := i - n.rare
		if bytes.HasPrefix(in[start:], n.text) {
			return start
		}
		if wrong++; wrong > 16+i/16 { // the byte is not rare here
			if found := bytes.Index(in[start+1:], n.text); found >= 0 {
				return start + 1 + found
			}
			return -1
		}
	}
	return -1
}
