package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// ScriptReply is one line of a script: a JSON object, one reply each, played in order.
//
//	{"text": "I search first.", "calls": [{"name": "search_code", "args": {"query": "parse date"}}]}
//	{"calls": [{"name": "finish", "args": {"summary": "done"}}], "delay_ms": 400, "expect": ["1 passed"]}
//	{"error": {"code": "unavailable", "message": "the server is overloaded"}}
//
// Empty lines and lines that begin with // are skipped.
type ScriptReply struct {
	Text     string       `json:"text,omitempty"`
	Thinking string       `json:"thinking,omitempty"`
	Calls    []ScriptCall `json:"calls,omitempty"`
	Usage    *Usage       `json:"usage,omitempty"`    // left out: counted with CountTokens
	Stop     Stop         `json:"stop,omitempty"`     // left out: calls where there are calls, else end
	DelayMS  int          `json:"delay_ms,omitempty"` // how long the reply takes, spread over its deltas
	Chunks   int          `json:"chunks,omitempty"`   // number of text deltas; left out: one a word
	Error    *ScriptError `json:"error,omitempty"`    // the call fails with this, after the text was streamed
	Expect   Texts        `json:"expect,omitempty"`   // a text, or a list of them, that the request must contain
}

// ScriptCall is one tool call of a ScriptReply. Its id is made when it is played.
type ScriptCall struct {
	Name string `json:"name"`
	// Args is the JSON value of the arguments. A JSON string stands for its text, so that invalid JSON can be written.
	Args json.RawMessage `json:"args,omitempty"`
}

// ScriptError is the failure that a ScriptReply plays.
type ScriptError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Texts is a list of texts; in JSON a lone text stands for a list of one.
type Texts []string

// UnmarshalJSON reads a text or a list of texts.
func (t *Texts) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		*t = Texts{""}
		return json.Unmarshal(b, &(*t)[0])
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// NewScript plays replies from memory. It says "recorded model" wherever its name is shown, is local and costs nothing.
//
// The next reply is the one after those already played, or after the assistant's messages in the request if these are
// more: so a session that goes on in another process goes on in the script too.
func NewScript(replies []ScriptReply) Provider { return &script{name: "memory", replies: replies} }

type script struct {
	name    string
	replies []ScriptReply
	sleep   func(context.Context, time.Duration) error

	mu   sync.Mutex
	next int
}

func scriptInfo(_ Options, name string) Info {
	return Info{Provider: "script", Name: name, Label: "recorded model", Local: true, Images: No}
}

// newScript reads the script in the file.
func newScript(o Options, file string) (Provider, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, &Error{NotFound, "script", fmt.Sprintf("reading the recorded replies: %v", err), err}
	}
	replies, err := parseScript(data)
	if err != nil {
		return nil, &Error{Invalid, "script", fmt.Sprintf("reading the recorded replies of %s: %v", file, err), err}
	}
	return &script{name: file, replies: replies, sleep: o.Sleep}, nil
}

func parseScript(data []byte) ([]ScriptReply, error) {
	var replies []ScriptReply
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || bytes.HasPrefix(line, []byte("//")) {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var r ScriptReply
		if err := dec.Decode(&r); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if dec.More() {
			return nil, fmt.Errorf("line %d: more than one value on a line", n)
		}
		replies = append(replies, r)
	}
	if len(replies) == 0 {
		return nil, fmt.Errorf("it holds no reply")
	}
	return replies, nil
}

func (s *script) Models(context.Context) ([]Info, error) { return nil, nil }

func (s *script) Chat(ctx context.Context, _ string, req Request, onDelta func(Delta)) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, cancelled("script", err)
	}
	at, r, err := s.take(req)
	if err != nil {
		return Reply{}, err
	}
	body := scriptBody(req)
	for _, want := range r.Expect {
		if !strings.Contains(plain(req), want) {
			return Reply{}, &Error{Invalid, "script", fmt.Sprintf(
				"reply %d of %s was recorded after a request with %q, which this one lacks: record the script again", at, s.name, want), nil}
		}
	}
	if err := s.stream(ctx, r, onDelta); err != nil {
		return Reply{}, cancelled("script", err)
	}
	if r.Error != nil {
		return Reply{}, &Error{r.Error.Code, "script", r.Error.Message, nil}
	}
	return r.reply(at, req, body), nil
}

// take gives the next reply and its number, from 1.
func (s *script) take(req Request) (int, ScriptReply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := 0
	for _, m := range req.Messages {
		if m.Role == Assistant {
			said++
		}
	}
	s.next = max(s.next, said) + 1
	if s.next > len(s.replies) {
		return 0, ScriptReply{}, &Error{Unavailable, "script", fmt.Sprintf(
			"the script %s has ended: it holds %d replies and reply %d was asked for; the recorded model only fits the task it was recorded with, choose a live model", s.name, len(s.replies), s.next), nil}
	}
	return s.next, s.replies[s.next-1], nil
}

// stream plays the deltas of a reply.
func (s *script) stream(ctx context.Context, r ScriptReply, onDelta func(Delta)) error {
	thinking, text := pieces(r.Thinking, 0), pieces(r.Text, r.Chunks)
	n := len(thinking) + len(text) + 1 // one wait more stands for the calls
	pause := time.Duration(r.DelayMS) * time.Millisecond / time.Duration(n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if pause > 0 {
			wait := s.sleep
			if wait == nil {
				wait = sleep
			}
			if err := wait(ctx, pause); err != nil {
				return err
			}
		}
		switch {
		case onDelta == nil || i == n-1:
		case i < len(thinking):
			onDelta(Delta{Thinking: thinking[i]})
		default:
			onDelta(Delta{Text: text[i-len(thinking)]})
		}
	}
	return ctx.Err()
}

// pieces cuts text into n pieces at character bounds, or after each word if n is 0.
func pieces(text string, n int) []string {
	if text == "" {
		return nil
	}
	if n <= 0 {
		return strings.SplitAfter(text, " ")
	}
	var out []string
	size := (len(text) + n - 1) / n
	for len(text) > size {
		cut := size
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		out, text = append(out, text[:cut]), text[cut:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// reply is the whole of a played reply.
func (r ScriptReply) reply(at int, req Request, body []byte) Reply {
	m := Message{Role: Assistant, Text: r.Text, Thinking: r.Thinking}
	for i, c := range r.Calls {
		args := string(c.Args)
		if strings.HasPrefix(args, `"`) {
			_ = json.Unmarshal(c.Args, &args) // it is a string: it was parsed as a part of its line
		}
		if args == "" || args == "null" {
			args = "{}"
		}
		m.Calls = append(m.Calls, Call{ID: fmt.Sprintf("call_%d_%d", at, i+1), Name: c.Name, Args: args})
	}
	out := Reply{Message: m, Stop: r.Stop, Body: body}
	if out.Stop == "" {
		out.Stop = StopEnd
		if len(m.Calls) > 0 {
			out.Stop = StopCalls
		}
	}
	if r.Usage != nil {
		out.Usage = *r.Usage
	} else {
		size, _ := messageSize(m)
		out.Usage = Usage{Known: true, Input: CountTokens(req), Output: Tokens(size)}
	}
	return out
}

// scriptBody is the request in the order in which a live provider would send it, so that what is measured on bodies
// (a byte-stable prefix, say) can be measured with a script.
func scriptBody(req Request) []byte {
	body, err := json.Marshal(struct {
		System   string    `json:"system"`
		Tools    []Spec    `json:"tools,omitempty"`
		Messages []Message `json:"messages"`
	}{req.System, req.Tools, req.Messages})
	if err != nil { // a tool schema or opaque turn that is no JSON
		return []byte(fmt.Sprintf("%+v", req))
	}
	return body
}

// plain is all text of a request, part by part.
func plain(req Request) string {
	var b strings.Builder
	b.WriteString(req.System)
	for _, m := range req.Messages {
		b.WriteString("\n" + m.Text)
		for _, r := range m.Results {
			b.WriteString("\n" + r.Text)
		}
	}
	return b.String()
}
