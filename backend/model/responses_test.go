package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a model reasoned goes back in front of the call that it led to, and nothing is stored at the service.
func TestResponsesKeepsReasoning(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "responses", "reasons", "text")
	m := open(t, "responses", "", options("responses", p.url, &waits{}))
	req := ask()
	first, err := m.Chat(t.Context(), req, nil)
	if err != nil || first.Message.Thinking != "I read it." || first.Usage.Reasoning != 9 {
		t.Fatalf("%+v, %v", first, err)
	}
	req.Messages = append(req.Messages, first.Message, Message{Role: Tool, Results: []Result{{CallID: "call_r", Name: "read_file", Text: "1| x"}}})
	if _, err := m.Chat(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	var bodies []struct {
		Store    bool             `json:"store"`
		CacheKey string           `json:"prompt_cache_key"`
		Include  []string         `json:"include"`
		Input    []map[string]any `json:"input"`
	}
	for _, s := range p.requests() {
		if s.path != "/v1/responses" {
			t.Errorf("sent to %s", s.path)
		}
		bodies = append(bodies, struct {
			Store    bool             `json:"store"`
			CacheKey string           `json:"prompt_cache_key"`
			Include  []string         `json:"include"`
			Input    []map[string]any `json:"input"`
		}{})
		if err := json.Unmarshal(s.body, &bodies[len(bodies)-1]); err != nil {
			t.Fatal(err)
		}
	}
	second := bodies[1]
	var kinds []string
	for _, item := range second.Input {
		kinds = append(kinds, item["type"].(string))
	}
	if got := strings.Join(kinds, " "); got != "message reasoning function_call function_call_output" {
		t.Errorf("items: %s", got)
	}
	if second.Input[1]["encrypted_content"] != "gAAAAsealed2" || second.Input[1]["id"] != nil {
		t.Errorf("reasoning: %v", second.Input[1])
	}
	if second.Store || len(second.Include) != 1 || second.CacheKey == "" || second.CacheKey != bodies[0].CacheKey {
		t.Errorf("%+v", second)
	}
	req.Messages[0].Text = "Another task."
	if cacheKey(req) == second.CacheKey {
		t.Error("two conversations share a cache key")
	}
}

// Models that do not reason refuse what is asked for about it; it is left out from then on.
func TestResponsesLearnsWhatAModelTakes(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "responses", "nosealed", "noreasoning", "text", "text")
	var w waits
	m := open(t, "responses", "", options("responses", p.url, &w))
	for range 2 {
		if _, err := m.Chat(t.Context(), ask(), nil); err != nil {
			t.Fatal(err)
		}
	}
	sent := p.requests()
	if len(sent) != 4 || len(w.got) != 0 {
		t.Fatalf("%d requests, waits %v", len(sent), w.got)
	}
	for i, has := range []struct{ include, reasoning bool }{{true, true}, {false, true}, {false, false}, {false, false}} {
		body := string(sent[i].body)
		if strings.Contains(body, `"include"`) != has.include || strings.Contains(body, `"reasoning"`) != has.reasoning {
			t.Errorf("request %d: %s", i+1, body)
		}
	}
}

func TestResponsesErrorEvent(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "responses", "error", "text")
	var w waits
	reply, err := open(t, "responses", "", options("responses", p.url, &w)).Chat(t.Context(), ask(), nil)
	if err != nil || reply.Message.Text != said || len(w.got) != 1 {
		t.Errorf("%+v, %v after %v", reply, err, w.got)
	}
}

// Where each form of the wire is spoken.
func TestWhereResponsesAreSpoken(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"": true, "https://api.openai.com/v1": true, "https://example.com/v1": false, "https://example.com/v1/responses": true, "https://example.com/v1/responses/": true,
	} {
		o := Options{Env: func(string) string { return "" }}
		if base != "" {
			o.BaseURL = map[string]string{"openai": base}
		}
		m, err := Open("openai/gpt-6.2-sol", o)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := m.Provider.(*responses); got != want {
			t.Errorf("%q: responses %v", base, got)
		}
	}
}
