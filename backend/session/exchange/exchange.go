// Package exchange takes sessions out of the program and into it: as JSON Lines, Markdown or one page of HTML, and from JSON
// Lines or the records of other tools.
//
// What leaves is for reading, so every secret is replaced, also where the store must stay exact. What comes in is other
// people's text: bounded, checked, and never more than a record to look at. All of it is pure over lists of events.
package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"redgreen/backend/session"
)

// Form is a form in which a session leaves the program.
type Form string

// The forms. All are written without secrets, also in patches, which the store must keep exact.
const (
	JSONL    Form = "jsonl"    // every event, one a line; Import reads it again
	Markdown Form = "markdown" // the trace, the diff and the certificate, for an issue or a commit
	HTML     Form = "html"     // the same as one page that needs neither network nor scripts
)

// Forms lists the forms, the complete one first.
func Forms() []Form { return []Form{JSONL, Markdown, HTML} }

// Ext is the usual end of a file's name in the form.
func (f Form) Ext() string {
	return map[Form]string{JSONL: ".jsonl", Markdown: ".md", HTML: ".html"}[f]
}

// Render writes all events of one session in a form; pure but for w. source says where an imported session is from, "" it was
// made here: the forms for people then say that nothing in it was checked here. It refuses a form that is not of Forms, an empty
// session and events out of order. body gives a stored body by its hash, nil where it is not there; of the forms only HTML asks
// for any, for the pictures that it shows.
func Render(w io.Writer, as Form, events []session.Event, source string, body func(hash string) []byte) error {
	if !slices.Contains(Forms(), as) {
		return fmt.Errorf("exporting a session: there is no form %q; choose one of %v", as, Forms())
	}
	if len(events) == 0 {
		return fmt.Errorf("exporting a session: it has no events")
	}
	show := Visible
	if as == JSONL {
		show = func(s string) string { return s }
	}
	clean, err := cleaned(events, show)
	if err != nil {
		return fmt.Errorf("exporting session %s: %w", events[0].Session, err)
	}
	draw := map[Form]func(io.Writer, []session.Event, string, bodies) error{JSONL: renderJSONL, Markdown: renderMarkdown, HTML: renderHTML}[as]
	if err := draw(w, clean, source, body); err != nil {
		return fmt.Errorf("exporting session %s: %w", events[0].Session, err)
	}
	return nil
}

// bodies gives stored bodies by their hashes.
type bodies func(hash string) []byte

func renderJSONL(w io.Writer, events []session.Event, _ string, _ bodies) error {
	for _, e := range events {
		line, err := Flat(e)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Flat is an event as one JSON object in which the payload's fields stand beside seq, session, time and kind: the line of
// a JSONL file. A payload that has a field of such a name itself stands under data as a whole (session.forked).
func Flat(e session.Event) ([]byte, error) {
	flat := map[string]json.RawMessage{}
	if err := json.Unmarshal(e.Data, &flat); err != nil || flat == nil || taken(flat) { // nil: the payload is null
		flat = map[string]json.RawMessage{"data": e.Data}
	}
	for name, value := range map[string]any{"seq": e.Seq, "session": e.Session, "time": e.Time, "kind": e.Kind} {
		raw, err := encode(value)
		if err != nil {
			return nil, err
		}
		flat[name] = raw
	}
	return encode(flat)
}

// heads are the event's own fields in a line of a JSONL file.
var heads = []string{"seq", "session", "time", "kind", "data"}

func taken(payload map[string]json.RawMessage) bool {
	return slices.ContainsFunc(heads, func(name string) bool { _, ok := payload[name]; return ok })
}

// cleaned is the events with every secret replaced, also in patches and receipts, and every text shown by show. Such a patch
// can no longer be applied; what leaves the program is read, not applied.
func cleaned(events []session.Event, show func(string) string) ([]session.Event, error) {
	clean := func(s string) string {
		s, _ = session.Redact(s)
		return show(s)
	}
	out := slices.Clone(events)
	for i, e := range out {
		dec := json.NewDecoder(bytes.NewReader(e.Data))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
		}
		raw, err := encode(eachText(v, clean))
		if err != nil {
			return nil, err
		}
		out[i].Data = raw
	}
	return out, nil
}

// eachText replaces every text of a value by what clean makes of it.
func eachText(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		if lines, ok := hunkLines(v, clean); ok {
			return lines
		}
		for i := range v {
			v[i] = eachText(v[i], clean)
		}
	case map[string]any:
		for key, field := range v {
			if key == "opaque" { // a provider's signed form of a turn: of use to nobody else
				delete(v, key)
				continue
			}
			v[key] = eachText(field, clean)
		}
	}
	return v
}

// hunkLines cleans the lines of a hunk as one text, since a private key runs over several of them.
func hunkLines(lines []any, clean func(string) string) (out []any, ok bool) {
	var b strings.Builder
	for _, l := range lines {
		line, _ := l.(map[string]any)
		op, isOp := line["op"].(string)
		text, isText := line["text"].(string)
		if !isOp || !isText || len(op) != 1 || len(line) != 2 {
			return nil, false
		}
		b.WriteString(op + text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteString("\n")
		}
	}
	before := b.String()
	after := clean(before)
	if after == before {
		return lines, true // with a last line that has no end
	}
	for line := range strings.Lines(after) {
		out = append(out, map[string]any{"op": line[:1], "text": line[1:]})
	}
	return out, true
}

// Visible replaces what a terminal would obey or a reader not see: control characters but line ends and tabs, and
// invisible Unicode, among it the marks that turn the order of text around. CR LF stays a line end.
func Visible(s string) string {
	lines := strings.Split(strings.ToValidUTF8(s, "\uFFFD"), "\r\n")
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			switch {
			case r == '\n', r == '\t', r >= ' ' && r < 0x7f:
				return r
			case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
				return '\uFFFD'
			}
			return r
		}, line)
	}
	return strings.Join(lines, "\r\n")
}

// encode is json.Marshal without the escaping of <, > and &, so that stored text stays readable.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding %T: %w", v, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
