package model

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func writeScript(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "replies.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestScriptPlaysFile(t *testing.T) {
	t.Parallel()
	file := writeScript(t,
		`// a comment`,
		`{"text": "héllo wörld", "thinking": "well then", "calls": [{"name": "read_file", "args": {"path": "a.go"}}, {"name": "finish"}]}`,
		``,
		`{"calls": [{"name": "read_file", "args": "{not json"}], "usage": {"known": true, "input": 7, "cache_read": 3, "output": 2}, "stop": "length"}`,
	)
	m, err := Open("script/"+file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := Info{Provider: "script", Name: file, Label: "recorded model", Local: true, Images: No}
	if diff := cmp.Diff(want, m.Info); diff != "" {
		t.Error(diff)
	}
	req := Request{System: "s", Messages: []Message{{Role: User, Text: "fix it"}}}
	var text, thinking string
	reply, err := m.Chat(t.Context(), req, func(d Delta) { text += d.Text; thinking += d.Thinking })
	if err != nil {
		t.Fatal(err)
	}
	if text != "héllo wörld" || thinking != "well then" {
		t.Errorf("streamed %q and %q", text, thinking)
	}
	msg := Message{Role: Assistant, Text: "héllo wörld", Thinking: "well then", Calls: []Call{
		{"call_1_1", "read_file", `{"path": "a.go"}`}, {"call_1_2", "finish", `{}`}}}
	if diff := cmp.Diff(msg, reply.Message); diff != "" {
		t.Error(diff)
	}
	if reply.Stop != StopCalls || !reply.Usage.Known || reply.Usage.Input != CountTokens(req) || reply.Usage.Output == 0 {
		t.Errorf("stop %s, usage %+v", reply.Stop, reply.Usage)
	}
	if cost, known := m.Cost(reply.Usage); cost != 0 || !known {
		t.Errorf("cost %d, %v", cost, known)
	}
	reply, err = m.Chat(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := reply.Message.Calls[0]; got != (Call{"call_2_1", "read_file", "{not json"}) || reply.Stop != StopLength || reply.Usage.Total() != 12 {
		t.Errorf("got %+v", reply)
	}
	_, err = m.Chat(t.Context(), req, nil)
	if code(err) != Unavailable || !strings.Contains(err.Error(), "has ended: it holds 2 replies") {
		t.Errorf("past the end: %v", err)
	}
}

func TestScriptGoesOnWhereTheConversationIs(t *testing.T) {
	t.Parallel()
	p := NewScript([]ScriptReply{{Text: "one"}, {Text: "two"}, {Text: "three"}})
	req := Request{Messages: []Message{{Role: User}, {Role: Assistant, Text: "one"}, {Role: User}}}
	for _, want := range []string{"two", "three"} {
		r, err := p.Chat(t.Context(), "", req, nil)
		if err != nil || r.Message.Text != want {
			t.Errorf("got %q, %v; want %q", r.Message.Text, err, want)
		}
	}
}

func TestScriptExpectErrorAndFaults(t *testing.T) {
	t.Parallel()
	p := NewScript([]ScriptReply{
		{Text: "a", Expect: Texts{"1 passed", "weak"}},
		{Text: "b", Expect: Texts{"2 passed"}},
		{Text: "partial", Error: &ScriptError{Limit, "slow down"}},
	})
	req := Request{System: "weak", Messages: []Message{{Role: Tool, Results: []Result{{Text: "1 passed"}}}}}
	if _, err := p.Chat(t.Context(), "", req, nil); err != nil {
		t.Error(err)
	}
	if _, err := p.Chat(t.Context(), "", req, nil); code(err) != Invalid || !strings.Contains(err.Error(), `"2 passed"`) {
		t.Errorf("expect: %v", err)
	}
	var got string
	if _, err := p.Chat(t.Context(), "", req, func(d Delta) { got += d.Text }); code(err) != Limit || got != "partial" {
		t.Errorf("error reply: %v after %q", err, got)
	}
	for _, c := range []struct{ name, line, want string }{
		{"unknown field", `{"txt": "a"}`, `line 1: json: unknown field "txt"`},
		{"no json", `hello`, "line 1: invalid character"},
		{"two values", `{} {}`, "line 1: more than one value"},
		{"empty", ``, "no reply"},
	} {
		if _, err := Open("script/"+writeScript(t, c.line), Options{}); code(err) != Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Open("script/"+filepath.Join(t.TempDir(), "none"), Options{}); code(err) != NotFound {
		t.Errorf("missing file: %v", err)
	}
}

func TestScriptTakesItsTimeAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewScript([]ScriptReply{{Text: "a b c", DelayMS: 400}, {Text: "a b c", DelayMS: 400}})
		start, n := time.Now(), 0
		if _, err := p.Chat(t.Context(), "", Request{}, func(Delta) { n++ }); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 400*time.Millisecond || n != 3 {
			t.Errorf("took %v in %d deltas", took, n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		defer cancel()
		start, n = time.Now(), 0
		_, err := p.Chat(ctx, "", Request{}, func(Delta) { n++ })
		if took := time.Since(start); code(err) != Cancelled || took != 150*time.Millisecond || n != 1 {
			t.Errorf("cancelled after %v and %d deltas: %v", took, n, err)
		}
	})
}

func TestScriptBodyGrowsAtItsEnd(t *testing.T) {
	t.Parallel()
	req := Request{System: "s", Tools: []Spec{{Name: "t", Schema: json.RawMessage(`{}`)}}, Messages: []Message{{Role: User, Text: "u"}}}
	p := NewScript([]ScriptReply{{Text: "a"}, {Text: "b"}})
	first, err := p.Chat(t.Context(), "", req, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, first.Message, Message{Role: User, Text: "go on"})
	second, err := p.Chat(t.Context(), "", req, nil)
	if err != nil {
		t.Fatal(err)
	}
	prefix := strings.TrimSuffix(string(first.Body), "]}")
	if !json.Valid(first.Body) || !strings.HasPrefix(string(second.Body), prefix) {
		t.Errorf("%s\nis no prefix of\n%s", first.Body, second.Body)
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 3, nil},
		{"one two", 0, []string{"one ", "two"}},
		{"abcdef", 3, []string{"ab", "cd", "ef"}},
		{"ééé", 3, []string{"é", "é", "é"}},
		{"日本", 6, []string{"日", "本"}},
		{"ab", 1, []string{"ab"}},
	} {
		if diff := cmp.Diff(c.want, pieces(c.text, c.n)); diff != "" {
			t.Errorf("%q in %d: %s", c.text, c.n, diff)
		}
	}
}

func code(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
