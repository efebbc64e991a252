package session

import (
	"math"
	"strings"
)

// assigned looks for a value behind the name in which a mark stands at i: NAME = "VALUE" and the like, in code,
// configuration, environments, JSON, HTTP headers and command lines. Only a value that looks like chance is a secret: code is
// full of tokens and keys that are none, and what is replaced can no longer be edited.
func assigned(text string, i, from int) (span, bool) {
	start, end := i, i
	for start > from && i-start < 48 && nameByte(text[start-1]) && !escaped(text, start-1) {
		start--
	}
	for end < len(text) && end-i < 48 && nameByte(text[end]) {
		end++
	}
	name := text[start:end]
	for range 2 {
		at, quote, ok := valueAt(text, start, end)
		if !ok {
			return span{}, false
		}
		stop := at
		for stop < len(text) && stop-at <= longest && valueByte(text[stop], quote) {
			stop++
		}
		value := text[at:stop]
		if quote == 0 {
			value = strings.TrimRight(value, ".:!?")
		}
		if closes(text, stop, quote) && chance(value) && secretName(name) {
			return span{at, at + len(value), "the value of " + printableName(name)}, true
		}
		if quote != 0 {
			return span{}, false
		}
		end = stop // NAME: TYPE = VALUE
	}
	return span{}, false
}

// closes says whether a value may end at a place: behind a quoted one stands its quote, behind another no call or index.
func closes(text string, stop int, quote byte) bool {
	if stop == len(text) {
		return quote == 0
	}
	if quote == 0 {
		return strings.IndexByte("([{", text[stop]) < 0
	}
	return text[stop] == quote || text[stop] == '\\'
}

// longest is the longest value that is looked at, in bytes.
const longest = 1024

func nameByte(c byte) bool { return wordByte(c) || c == '-' || c == '.' }

// valueByte says whether a byte can be of a value, within a quote or without.
func valueByte(c, quote byte) bool {
	if c <= ' ' || c == quote || c == '\\' || c == 0x7f {
		return false
	}
	return quote != 0 || strings.IndexByte("\"'`,;<>(){}[]&|", c) < 0
}

// printableName is a short name for the note that stands in place of the value.
func printableName(name string) string {
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		name = name[at+1:]
	}
	return strings.TrimLeft(name[max(0, len(name)-40):], "-")
}

// secretName says whether a name is followed by a secret: its last words say so, and none says that it is only about one
// (its name, length, hash, file).
func secretName(name string) bool {
	name = strings.ToLower(name)
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		name = name[at+1:]
	}
	switch name[strings.LastIndexAny(name, "_-")+1:] {
	case "id", "ids", "name", "names", "hash", "hashes", "path", "file", "url", "uri", "type", "len", "length", "count", "size", "index", "format", "prefix", "suffix",
		"regex", "regexp", "pattern", "field", "label", "header", "param", "version", "expiry", "kind", "ref", "digest", "checksum", "fingerprint", "sha256", "thumbprint", "etag":
		return false
	}
	if strings.Contains(name, "public") || strings.Contains(name, "pubkey") {
		return false
	}
	for _, sure := range []string{"secret", "token", "passwd", "password", "passphrase", "credential", "pwd"} {
		if strings.Contains(name, sure) {
			return true
		}
	}
	if !strings.HasSuffix(strings.TrimRight(name, "0123456789_"), "key") {
		return false
	}
	for _, kind := range []string{"api", "access", "private", "sign", "encrypt", "auth", "account", "master", "service", "client", "session", "webhook", "storage", "admin", "license", "deploy", "app"} {
		if strings.Contains(name, kind) {
			return true
		}
	}
	return false
}

// valueAt finds where the value of the name text[start:end] begins, and its quote, 0 for none.
func valueAt(text string, start, end int) (at int, quote byte, ok bool) {
	skip := func(set string, most int) (n int) {
		for end < len(text) && n < most && strings.IndexByte(set, text[end]) >= 0 {
			end, n = end+1, n+1
		}
		return n
	}
	flag := strings.HasPrefix(text[start:], "--")
	closed := skip("\\\"'`]", 3) > 0 // of a quoted name
	blanks := skip(" \t", 8)
	from := end
	skip("=:>!(,", 3)
	operator := text[from:end]
	if operator == ">" && blanks > 0 || operator == "" && !(flag && blanks == 1 && !closed) {
		return 0, 0, false // a comparison, or no assignment
	}
	skip(" \t", 8)
	before := end
	skip("\\", 1)
	if end < len(text) && strings.IndexByte("\"'`", text[end]) >= 0 {
		return end + 1, text[end], true
	}
	return before, 0, before < len(text) && !strings.ContainsAny(operator, "(,")
}

// chance says whether a value looks like a random one: letters and digits of all sorts by turns, in no order, as no word,
// path, number or date has them. Of random values of letters and digits it finds 88 in 100 with 12 bytes, 97 with 16, 99 with 20 and
// 99.9 with 32; of hexadecimal ones 49, 83, 96 and 99.98.
func chance(v string) bool {
	if len(v) < 12 || len(v) > longest || strings.Contains(v, "://") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || reference(v) {
		return false
	}
	turns, marks, letters := 0, 0, 0
	for i := range len(v) {
		c := class(v[i])
		switch {
		case c == upperCase || c == lowerCase:
			letters++
		case c == otherMark:
			marks++
		}
		if i == 0 || c == 0 || class(v[i-1]) == 0 || c == class(v[i-1]) {
			continue
		}
		// a capital that begins a word turns neither way
		hump := c == upperCase && i+1 < len(v) && class(v[i+1]) == lowerCase || class(v[i-1]) == upperCase && c == lowerCase && (i < 2 || class(v[i-2]) != upperCase)
		if !hump {
			turns++
		}
	}
	if letters < 3 || turns+marks < max(3, len(v)/8) || entropy(v) < 3 {
		return false
	}
	lower := strings.ToLower(v)
	for _, word := range []string{"example", "placeholder", "changeme", "your_", "your-", "xxxx", "dummy", "secret removed", "abcdef", "12345678"} {
		if strings.Contains(lower, word) {
			return false
		}
	}
	return true
}

// reference says whether a value only names where the secret is: ${NAME}, $(command), {{template}}, <hint>, $NAME, %NAME%.
func reference(v string) bool {
	switch {
	case strings.HasPrefix(v, "${"), strings.HasPrefix(v, "$("), strings.HasPrefix(v, "%("), v[0] == '{', v[0] == '<':
		return true
	case v[0] != '$' && v[0] != '%':
		return false
	}
	name := strings.TrimSuffix(v[1:], v[:1])
	return (name == strings.ToUpper(name) || name == strings.ToLower(name)) && strings.IndexFunc(name, func(r rune) bool { return r > 0x7f || !wordByte(byte(r)) }) < 0
}

// The classes of bytes; dots, dashes, slashes and the like are none: names and paths are full of them.
const (
	lowerCase = iota + 1
	upperCase
	digit
	otherMark
)

func class(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return lowerCase
	case c >= 'A' && c <= 'Z':
		return upperCase
	case c >= '0' && c <= '9':
		return digit
	case strings.IndexByte("!#$%^&*@?~", c) >= 0:
		return otherMark
	}
	return 0
}

// entropy is Shannon's, in bits for each byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	h := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
