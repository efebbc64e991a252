package tools

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"redgreen/backend/testrun"
)

// maxBody is how many bytes of data one result carries: about 7,000 tokens.
const maxBody = 24 << 10

// tag is the word of the delimiters. It is odd on purpose: what looks like it is altered in content, and real code that
// the model must quote exactly should never be.
const tag = "untrusted-data"

var lookAlike = regexp.MustCompile(`(?i)<(\s*/?\s*` + tag + `)`)

// Wrap puts content between delimiters that it cannot forge: they carry the session's random delimiter, every occurrence
// of it in the content is taken out, and what looks like a delimiter loses its bracket.
func Wrap(delimiter, content string) string {
	if delimiter != "" {
		content = strings.ReplaceAll(content, delimiter, "[delimiter removed]")
	}
	content = lookAlike.ReplaceAllString(content, "‹$1")
	return fmt.Sprintf("<%s %s>\n%s\n</%s %s>", tag, delimiter, strings.TrimSuffix(content, "\n"), tag, delimiter)
}

// Visible makes what a reader cannot see visible: control characters and terminal escapes as their Unicode pictures,
// invisible and direction-changing characters (zero width, bidi, tags, variation selectors) by number, bytes that are
// no UTF-8 in hex. Tabs and newlines stay; CR LF becomes a newline.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s) + 64)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "[byte %02X]", s[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		case hidden(r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// plain is the common case: printable ASCII, tabs and newlines.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// hidden characters draw nothing or change how others are drawn: format characters (Cf: zero width, bidi, tags, soft
// hyphen), C1 controls, line separators, private and unassigned ones, variation selectors, fillers.
func hidden(r rune) bool {
	if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
		return true
	}
	switch r {
	case 0x2028, 0x2029, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, 0x2800:
		return true
	}
	return r >= 0x80 && r < 0xa0 || unicode.Is(unicode.Co, r) || r >= 0xe0000 && r < 0xe1000 || !unicode.IsGraphic(r)
}

// Cap keeps whole lines from the start, at most max bytes, and says whether it cut. A first line longer than max is cut
// within, between words.
func Cap(s string, max int) (string, bool) {
	if len(s) <= max {
		return s, false
	}
	head := s[:max]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		return head[:i], true
	}
	return s[:testrun.CutAt(s, max)], true
}

// oneLine is the first max bytes of a text with its lines joined.
func oneLine(s string, max int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= max {
		return s
	}
	return s[:testrun.CutAt(s, max)] + "…"
}
