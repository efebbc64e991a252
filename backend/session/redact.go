package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Redact replaces secrets by "[secret removed: KIND]" and says how many it replaced. It finds what has a published shape
// (see table), and values that look like chance behind a name that says secret, token, password or key. A password that
// looks like a word passes.
func Redact(text string) (clean string, n int) {
	return redact(text, nil, false)
}

// redact is Redact that also replaces values that are known to be secret, wherever they occur. lines keeps what follows a
// secret of several lines where it is.
func redact(text string, known []string, lines bool) (clean string, n int) {
	for _, secret := range known {
		if c := strings.Count(text, secret); c > 0 {
			text, n = strings.ReplaceAll(text, secret, "[secret removed: a stored key]"), n+c
		}
	}
	f := theFinder()
	var b strings.Builder
	done := 0 // of text is in b, or replaced
	for i := 0; i+3 <= len(text); i++ {
		h := hash3(text[i], text[i+1], text[i+2])
		if f.first[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		s, ok := f.look(text, i, done)
		if !ok {
			continue
		}
		b.WriteString(text[done:s.start])
		b.WriteString("[secret removed: " + s.kind + "]")
		if lines {
			b.WriteString(strings.Repeat("\n", strings.Count(text[s.start:s.end], "\n")))
		}
		done, n = s.end, n+1
		i = done - 1
	}
	if done == 0 {
		return text, n
	}
	b.WriteString(text[done:])
	return b.String(), n
}

// span is a secret in a text.
type span struct {
	start, end int
	kind       string
}

// look says whether a mark at i belongs to a secret, which must not begin before from.
func (f *finder) look(text string, i, from int) (span, bool) {
	for _, m := range f.marks[[3]byte([]byte(text[i:i+3]))] {
		if !strings.HasPrefix(text[i:], m.text) {
			continue
		}
		s, ok := span{}, false
		if m.rule < 0 {
			s, ok = assigned(text, i, from)
		} else {
			s, ok = f.rules[m.rule].match(text, i, i+len(m.text), from)
		}
		if ok {
			return s, true
		}
	}
	return span{}, false
}

// match tries a rule around its mark text[i:behind].
func (r *rule) match(text string, i, behind, from int) (span, bool) {
	start, stop := i, len(text)
	switch {
	case r.back > 0: // tried on little text, since the place of its beginning is not known: up to the next blank
		start = max(i-r.back-1, from) // one more for a word's boundary
		for stop = behind; stop < len(text) && text[stop] > ' '; stop++ {
		}
		if r.holds != "" && !strings.Contains(text[behind:stop], r.holds) {
			return span{}, false
		}
	case wordByte(text[i]) && i > from && wordByte(text[i-1]) && !escaped(text, i-1):
		return span{}, false // within a word
	}
	at := r.compile.FindStringSubmatchIndex(text[start:stop])
	if at == nil || start+at[0] > i || start+at[1] <= i {
		return span{}, false
	}
	s := span{start + at[0], start + at[1], r.name}
	if len(at) > 2 && at[3] >= 0 {
		s.start = start + at[3]
	}
	switch {
	case strings.HasSuffix(r.pattern, "@"):
		s.end-- // the @ that ends a password in a URL stays
	case wordByte(text[s.end-1]): // a longer one than is usual goes as a whole
		for s.end < len(text) && (wordByte(text[s.end]) || text[s.end] == '-') {
			s.end++
		}
	}
	return s, true
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// escaped says whether the letter at i belongs to an escape such as \n.
func escaped(text string, i int) bool {
	return i > 0 && text[i-1] == '\\' && strings.IndexByte("nrtbf", text[i]) >= 0
}

// Hide has values replaced wherever they occur in what is written from now on: the person's own keys, whatever their shape.
// They stay in memory only. Values of less than eight bytes are left out: they would be replaced where they mean nothing.
func (s *Store) Hide(values ...string) {
	var known []string
	for _, v := range values {
		if v = strings.TrimSpace(v); len(v) >= 8 && !slices.Contains(known, v) {
			known = append(known, v)
		}
	}
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // one may hold another
	s.hidden.Store(&known)
}

// known is what Hide was last given.
func (s *Store) known() []string {
	if p := s.hidden.Load(); p != nil {
		return *p
	}
	return nil
}

// Redact is a text as the store would keep it: without secrets, among them those of Hide.
func (s *Store) Redact(text string) string {
	clean, _ := s.redact(text)
	return clean
}

// RedactLines is Redact that leaves every line where it is, for a text of which only some lines are shown.
func (s *Store) RedactLines(text string) string {
	clean, _ := redact(text, s.known(), true)
	return clean
}

func (s *Store) redact(text string) (string, int) { return redact(text, s.known(), false) }

func (s *Store) redactJSON(raw []byte) ([]byte, error) { return redactJSON(raw, s.known()) }

// redactJSON replaces secrets in the strings of an event's data. Fields named patch and receipt are left byte-exact: they
// are applied and undone. A provider's opaque form of a message is dropped when it holds a secret, since it is signed.
func redactJSON(raw []byte, known []string) ([]byte, error) {
	if !mayHold(raw, known) {
		return raw, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading an event back to redact it: %w", err)
	}
	c := cleaner{known: known}
	v = c.value(v)
	if c.n == 0 {
		return raw, nil
	}
	return encode(v)
}

// mayHold says whether a mark or a known secret stands in JSON text, where a quote within a string is escaped.
func mayHold(raw []byte, known []string) bool {
	if len(known) > 0 {
		return true
	}
	f := theFinder()
	for i := 0; i+3 <= len(raw); i++ {
		h := hash3(raw[i], raw[i+1], raw[i+2])
		if f.first[h/64]&(1<<(h%64)) != 0 && f.marks[[3]byte(raw[i:i+3])] != nil {
			return true
		}
	}
	return false
}

// cleaner redacts a decoded value and counts what it replaced.
type cleaner struct {
	known []string
	n     int
}

func (c *cleaner) value(v any) any {
	switch v := v.(type) {
	case string:
		clean, n := redact(v, c.known, false)
		c.n += n
		return clean
	case []any:
		for i := range v {
			v[i] = c.value(v[i])
		}
	case map[string]any:
		for key, field := range v {
			switch key {
			case "patch", "receipt":
			case "opaque":
				if raw, err := encode(field); err != nil || c.signed(string(raw)) {
					delete(v, key)
				}
			default:
				v[key] = c.value(field)
			}
		}
	}
	return v
}

// signed says whether a provider's opaque JSON text holds a secret anywhere.
func (c *cleaner) signed(text string) bool {
	_, n := redact(text, c.known, false)
	c.n += n
	return n > 0
}
