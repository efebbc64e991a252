package session

import "strings"

// Stream takes secrets out of a text that comes in pieces. What it hands on lags behind by an unfinished word, since half a
// secret cannot be told. Not safe for concurrent use.
type Stream struct {
	s     *Store
	text  string // the end of what came, of two streamContexts or so
	sent  int    // of text, handed on
	clean string // text[:sent] without secrets
}

// streamContext is how many bytes in front of a piece are looked at with it: the name of a value, the longest of usual keys.
const streamContext = 4 << 10

// Stream begins a stream without secrets, those of Hide among them.
func (s *Store) Stream() *Stream { return &Stream{s: s} }

const blanks = " \t\n"

// Add takes a piece and gives what can be handed on.
func (t *Stream) Add(piece string) string {
	t.text += piece
	return t.upTo(strings.LastIndexAny(t.text, blanks) + 1)
}

// Rest gives what was held back; the next piece begins a new text.
func (t *Stream) Rest() string {
	rest := t.upTo(len(t.text))
	*t = Stream{s: t.s}
	return rest
}

// upTo gives the part of the text without secrets that goes beyond what was handed on already.
func (t *Stream) upTo(end int) string {
	if end <= t.sent {
		return ""
	}
	clean, same := t.s.Redact(t.text[:end]), 0
	for same < len(clean) && same < len(t.clean) && clean[same] == t.clean[same] {
		same++
	}
	news := clean[same:]
	t.sent, t.clean = end, clean
	if t.sent > 2*streamContext {
		from := strings.LastIndexAny(t.text[:t.sent-streamContext], blanks) + 1
		t.text, t.sent = t.text[from:], t.sent-from
		t.clean = t.s.Redact(t.text[:t.sent])
	}
	return news
}
