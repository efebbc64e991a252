package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAnthropicCacheMarks: never more than the four that the API takes, on the last tool, the system prompt, and the
// newest two turns that are ours.
func TestAnthropicCacheMarks(t *testing.T) {
	t.Parallel()
	p := &anthropic{}
	for n := range len(conversation().Messages) + 1 {
		req := conversation()
		req.Messages = req.Messages[:n]
		body, err := json.Marshal(p.request("m", req))
		if err != nil {
			t.Fatal(err)
		}
		ours := 0
		for _, m := range req.Messages {
			if m.Role != Assistant {
				ours++
			}
		}
		if got, want := strings.Count(string(body), "cache_control"), 2+min(2, ours); got != want {
			t.Errorf("%d messages: %d marks, want %d", n, got, want)
		}
	}
	full := p.request("m", conversation())
	last := full.Messages[len(full.Messages)-1].Content
	if last[len(last)-1].(*anthropicBlock).Cache == nil || full.Tools[0].Cache != nil || full.Tools[1].Cache == nil {
		t.Error("the marks are not at the last tool and the newest turn")
	}
}

func TestAnthropicUsageByAge(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "anthropic", "hour")
	r, err := open(t, "anthropic", "", options("anthropic", p.url, &waits{})).Chat(t.Context(), ask(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Usage{Known: true, Input: 100, CacheRead: 800, CacheWrite: 60, CacheWrite1h: 40, Output: 50}
	if diff := cmp.Diff(want, r.Usage); diff != "" {
		t.Error(diff)
	}
}

// TestAnthropicThinkingComesBackUnchanged: as the API gave it, before the calls that it led to.
func TestAnthropicThinkingComesBackUnchanged(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "anthropic", "thinking", "text")
	m := open(t, "anthropic", "", options("anthropic", p.url, &waits{}))
	req := ask()
	r, err := m.Chat(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(r.Message) // as a session would
	if err != nil {
		t.Fatal(err)
	}
	var again Message
	if err := json.Unmarshal(stored, &again); err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, again, Message{Role: User, Text: "and?"})
	if _, err := m.Chat(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	want := `{"role":"assistant","content":[{"signature":"EqQBCgIYAhIM","thinking":"Look first.","type":"thinking"},{"type":"text","text":"Done."}]}`
	if body := string(p.requests()[1].body); !strings.Contains(body, want) {
		t.Errorf("%s\nlacks\n%s", body, want)
	}
}

func TestAnthropicOpaque(t *testing.T) {
	t.Parallel()
	thinking := func(text, sign string) *anthropicPart {
		p := &anthropicPart{kind: "thinking"}
		p.text.WriteString(text)
		p.sign.WriteString(sign)
		return p
	}
	call := &anthropicPart{kind: "tool_use", call: &partCall{}}
	redacted := &anthropicPart{kind: "redacted_thinking", start: json.RawMessage(`{"type":"redacted_thinking","data":"x"}`)}
	m := Message{Calls: []Call{{"c1", "finish", `{"cut": `}}}
	for _, c := range []struct {
		name  string
		order []*anthropicPart
		want  string
	}{
		{"no thinking", []*anthropicPart{call}, ""},
		{"cut before its signature", []*anthropicPart{thinking("hm", "")}, ""},
		{"hidden text", []*anthropicPart{thinking("", "s")}, `{"anthropic":[{"signature":"s","thinking":"","type":"thinking"}]}`},
		{"redacted", []*anthropicPart{redacted}, `{"anthropic":[{"type":"redacted_thinking","data":"x"}]}`},
		{"invalid arguments", []*anthropicPart{thinking("", "s"), call},
			`{"anthropic":[{"signature":"s","thinking":"","type":"thinking"},{"type":"tool_use","id":"c1","name":"finish","input":{"invalid_json":"{\"cut\": "}}]}`},
	} {
		if got := string(opaque(c.order, m)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
