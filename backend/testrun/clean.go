package testrun

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what one result keeps. A message is what a person reads beside a test and a model in its prompt; 4 KiB hold the
// longest useful assertion.
const (
	maxMessage = 4 << 10
	maxID      = 1 << 10
)

// clean makes output readable text: UTF-8, without terminal escapes and control characters, "\n" line ends, and the
// sandbox's own prefix taken off paths.
func clean(data []byte) string {
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	text = strings.ReplaceAll(stripEscapes(text), "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r) || bidi(r):
			return -1
		}
		return r
	}, text)
	return relativePaths(text)
}

// bidi tells the characters that reorder text on the screen and so can make it read as something else.
func bidi(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F
}

// stripEscapes removes terminal escape sequences: CSI (ESC [ … final), OSC (ESC ] … BEL or ESC \), and two-byte ones, as
// in ECMA-48, sections 5.3 to 5.6.
func stripEscapes(text string) string {
	if !strings.ContainsAny(text, "\x1b\u009b") {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "\x1b["):
			i = skipControl(text, i+2)
		case strings.HasPrefix(text[i:], "\u009b"):
			i = skipControl(text, i+2)
		case strings.HasPrefix(text[i:], "\x1b]"):
			i = skipString(text, i+2)
		case text[i] == 0x1b:
			i += 2
		default:
			out.WriteByte(text[i])
			i++
		}
	}
	return out.String()
}

// skipControl finds the end of a control sequence: parameters and intermediates, then one final byte.
func skipControl(text string, i int) int {
	for i < len(text) && text[i] >= 0x20 && text[i] <= 0x3f {
		i++
	}
	if i < len(text) && text[i] >= 0x40 && text[i] <= 0x7e {
		i++
	}
	return i
}

// skipString finds the end of an operating system command; one without an end takes the rest of its line.
func skipString(text string, i int) int {
	for ; i < len(text); i++ {
		switch {
		case text[i] == 0x07:
			return i + 1
		case strings.HasPrefix(text[i:], "\x1b\\"):
			return i + 2
		case text[i] == '\n':
			return i
		}
	}
	return i
}

// relativePaths takes the sandbox's workspace prefix off.
func relativePaths(text string) string {
	const prefix = "/workspace/"
	if !strings.Contains(text, prefix) {
		return text
	}
	text = strings.ReplaceAll(text, "file://"+prefix, "")
	var out strings.Builder
	for {
		i := strings.Index(text, prefix)
		if i < 0 {
			break
		}
		out.WriteString(text[:i])
		if r, _ := utf8.DecodeLastRuneInString(text[:i]); unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.", r) {
			out.WriteString(prefix)
		}
		text = text[i+len(prefix):]
	}
	return out.String() + text
}

// inTree makes a path of the sandbox relative to the root; "" when it lies outside the tree.
func inTree(p string) string {
	p = strings.TrimPrefix(p, "file://")
	p = strings.TrimPrefix(p, "/workspace/")
	if p == "" || strings.HasPrefix(p, "/") {
		return ""
	}
	if p = path.Clean(p); p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return cleanLine(p)
}

// cleanLine is clean for what must stay on one line, such as an id.
func cleanLine(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) && !strings.Contains(s, "/workspace/") {
		return shorten(s, maxID) // as nearly all ids are
	}
	s = strings.ReplaceAll(clean([]byte(s)), "\n", "\\n")
	return shorten(strings.ReplaceAll(s, "\t", "\\t"), maxID)
}

// cleanMessage is clean for a result's message.
func cleanMessage(s string) string {
	if s == "" {
		return ""
	}
	lines := strings.Split(clean([]byte(s)), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	text := address.ReplaceAllString(strings.Trim(strings.Join(lines, "\n"), "\n"), "")
	return shorten(text, maxMessage)
}

// address is an object's place in memory, as Python prints it: it differs from run to run and says nothing.
var address = regexp.MustCompile(` at 0x[0-9a-fA-F]{6,}\b`)

// shorten cuts s to at most n bytes and marks the cut.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:CutAt(s, n-len("…"))] + "…"
}

// longWord is the longest word that a cut goes around, in bytes: longer than all keys and tokens but a private key.
const longWord = 1 << 10

// CutAt gives where to cut s so that at most n bytes stay: between words, if one is not too long. Half of a secret would no
// longer be known as one.
func CutAt(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	n = max(n, 0)
	for i := n; i > max(0, n-longWord); i-- {
		if wordEnd(s[i-1]) || wordEnd(s[i]) {
			return i
		}
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// CutFrom is CutAt for the end of a text: where to begin.
func CutFrom(s string, n int) int {
	from := max(0, len(s)-n)
	for i := from; i > 0 && i < min(len(s), from+longWord); i++ {
		if wordEnd(s[i-1]) || wordEnd(s[i]) {
			return i
		}
	}
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return from
}

func wordEnd(c byte) bool { return c <= ' ' || c == '"' || c == '\'' || c == '`' }

// firstLine is the first line of the first text that has one.
func firstLine(texts ...string) string {
	for _, t := range texts {
		for line := range strings.Lines(t) {
			if line = strings.TrimSpace(line); line != "" {
				return shorten(line, 300)
			}
		}
	}
	return ""
}

// joinLogs puts stdout and stderr after each other.
func joinLogs(stdout, stderr []byte) []byte {
	if len(stderr) == 0 {
		return stdout
	}
	if len(stdout) == 0 {
		return stderr
	}
	return bytes.Join([][]byte{bytes.TrimRight(stdout, "\n"), stderr}, []byte("\n"))
}
