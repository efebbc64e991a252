package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"redgreen/backend/session"
)

// Source says where an imported session is from.
type Source struct {
	Tool    string `json:"tool"`    // redgreen, mini-swe-agent, Claude Code, Codex
	Version string `json:"version"` // of the tool or of its format, "" unknown
	Session string `json:"session"` // its id there, "" none
	Skipped int    `json:"skipped"` // records that have no place here: another agent's, a tool's own notes
}

// String names the source as the list of sessions does.
func (s Source) String() string {
	name := strings.TrimSpace(s.Tool + " " + s.Version)
	if s.Session != "" {
		name += ", " + s.Session
	}
	return name
}

// What is read at most, so that a hostile file costs little: bytes of a file, bytes of one text, records.
const (
	fileMost   = 256 << 20
	textMost   = 1 << 20
	recordMost = 200_000
)

// Import reads a session from our own JSON Lines, a trajectory of mini-swe-agent (JSON), or a record of Claude Code or Codex
// (JSON Lines); which one is told from the content. Events of other tools are ours in kind, with the texts as they were; such
// a session was not proven here, and says so. An error names the line that is wrong. A cancelled ctx ends it within a record.
func Import(ctx context.Context, r io.Reader) ([]session.Event, Source, error) {
	data, err := io.ReadAll(io.LimitReader(within{ctx, r}, fileMost+1))
	if err != nil {
		return nil, Source{}, fmt.Errorf("importing a session: %w", err)
	}
	if len(data) > fileMost {
		return nil, Source{}, fmt.Errorf("importing a session: the file has more than %d MB; that is more than any session of these tools", fileMost>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	events, source, err := read(ctx, data)
	if err != nil {
		return nil, source, fmt.Errorf("importing a session: %w", err)
	}
	return events, source, nil
}

// within reads until ctx ends.
type within struct {
	ctx context.Context
	r   io.Reader
}

func (w within) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

// headMost is how many lines of a tool's own notes may stand before one that says whose record it is.
const headMost = 1000

// errForm is of a file that is none of those that can be read.
var errForm = errors.New("this is neither a session that Redgreen exported as jsonl nor a record of mini-swe-agent, Claude Code or Codex")

func read(ctx context.Context, data []byte) ([]session.Event, Source, error) {
	var whole struct {
		Messages json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(data, &whole); err == nil && len(whole.Messages) > 0 {
		return record(miniSWE(ctx, data))
	}
	for i, line := range lines(data) {
		var head struct {
			Seq       int64           `json:"seq"`
			Kind      string          `json:"kind"`
			Type      string          `json:"type"`
			Payload   json.RawMessage `json:"payload"`
			SessionID string          `json:"sessionId"`
			UUID      string          `json:"uuid"`
			Role      string          `json:"role"`
		}
		if err := json.Unmarshal(line.text, &head); err != nil {
			if i == 0 {
				return nil, Source{}, fmt.Errorf("%w (line %d: %v)", errForm, line.n, err)
			}
			if !json.Valid(line.text) {
				break
			}
			continue // a tool's own note, in some other form
		}
		switch {
		case head.Kind != "" && head.Seq > 0:
			return ours(ctx, data)
		case len(head.Payload) > 0 || head.Type == "message" && head.Role != "":
			return record(codex(ctx, data))
		case head.SessionID != "" || head.UUID != "":
			return record(claude(ctx, data))
		}
		if i == headMost {
			break
		}
	}
	return nil, Source{}, errForm
}

// numbered is a line that is not blank.
type numbered struct {
	n    int // from 1
	text []byte
}

// loose is a text that is nice to have: what is none counts as none, and spoils nothing.
type loose string

func (l *loose) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*l = loose(s)
	}
	return nil
}

// foreign are the lines of another tool's record. A last line that was cut off, as the record of a session under way or of a
// crash has one, is left out and counted.
func foreign(data []byte, s *Source) []numbered {
	all := lines(data)
	if n := len(all); n > 1 && !bytes.HasSuffix(data, []byte("\n")) && !json.Valid(all[n-1].text) {
		s.Skipped++
		return all[:n-1]
	}
	return all
}

func lines(data []byte) (out []numbered) {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(out, numbered{n, line})
		}
	}
	return out
}

// ours reads our own export, in both shapes: a payload's fields beside the event's own, or under data.
func ours(ctx context.Context, data []byte) ([]session.Event, Source, error) {
	source := Source{Tool: "redgreen"}
	var events []session.Event
	all := lines(data)
	if len(all) > recordMost {
		return nil, source, fmt.Errorf("the file has more than %d events", recordMost)
	}
	for _, line := range all {
		if err := ctx.Err(); err != nil {
			return nil, source, err
		}
		e, err := ourLine(line.text)
		if err != nil {
			return nil, source, fmt.Errorf("line %d: %w", line.n, err)
		}
		if want := int64(len(events) + 1); e.Seq != want {
			return nil, source, fmt.Errorf("line %d: event %d stands where event %d is expected; lines were lost, doubled or moved", line.n, e.Seq, want)
		}
		if len(events) > 0 && e.Session != events[0].Session {
			return nil, source, fmt.Errorf("line %d: an event of session %q among those of %q", line.n, e.Session, events[0].Session)
		}
		events = append(events, e)
	}
	first, err := session.Decode(events[0])
	started, ok := first.(session.Started)
	if err != nil && events[0].Kind == session.KindStarted {
		return nil, source, fmt.Errorf("line %d: %w", all[0].n, err)
	}
	if !ok {
		return nil, source, fmt.Errorf("line %d: a session begins with %s, not with %s", all[0].n, session.KindStarted, events[0].Kind)
	}
	if started.Schema > session.Schema {
		return nil, source, fmt.Errorf("line %d: the file has version %d of the format, this Redgreen knows %d; a newer Redgreen reads it", all[0].n, started.Schema, session.Schema)
	}
	var state session.State
	for i, e := range events {
		if state, err = session.Fold(state, e); err != nil {
			return nil, source, fmt.Errorf("line %d: %w", all[i].n, err)
		}
	}
	source.Version, source.Session = started.Version, events[0].Session
	return events, source, nil
}

func ourLine(text []byte) (session.Event, error) {
	flat := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &flat); err != nil {
		return session.Event{}, fmt.Errorf("not a JSON object: %w", err)
	}
	var e session.Event
	for name, to := range map[string]any{"seq": &e.Seq, "session": &e.Session, "time": &e.Time, "kind": &e.Kind} {
		if err := json.Unmarshal(flat[name], to); err != nil || len(flat[name]) == 0 {
			return e, fmt.Errorf("its %s is missing or wrong", name)
		}
		delete(flat, name)
	}
	if e.Time.Year() < 1970 || e.Time.Year() > 2200 {
		return e, fmt.Errorf("its time %s is no time of a session", e.Time)
	}
	e.Data = flat["data"]
	if len(e.Data) == 0 {
		raw, err := encode(flat)
		if err != nil {
			return e, err
		}
		e.Data = raw
	}
	if e.Data[0] != '{' { // null above all, which a decoder takes for anything
		return e, fmt.Errorf("the data of its %s is no JSON object", e.Kind)
	}
	return e, nil
}

// later is the time of a record, never before the one before it; a record without one gets that of the one before.
func later(last time.Time, text string) time.Time {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil && at.After(last) && at.Year() >= 1970 && at.Year() <= 2200 {
		return at.UTC()
	}
	return last
}
