package model

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestEveryCallIsAnswered: a conversation whose calls were repaired after a crash is sent in a form that no API refuses:
// each call is followed, in the next message, by a result with its id, and no result is without its call.
func TestEveryCallIsAnswered(t *testing.T) {
	t.Parallel()
	req := Request{System: "s", Tools: fixTools(), Messages: []Message{
		{Role: User, Text: "Fix it."},
		{Role: Assistant, Text: "Two.", Calls: []Call{{"c1", "read_file", `{"path":"a"}`}, {"c2", "run_tests", `{}`}}},
		{Role: Tool, Results: []Result{{"c1", "read_file", "1 x", false}, {"c2", "run_tests", "Interrupted: the outcome of this call is unknown. Look before you repeat it.", true}}},
		{Role: User, Text: "The run was interrupted and goes on."},
		{Role: Assistant, Calls: []Call{{"c3", "read_file", `{"path":`}}},
		{Role: Tool, Results: []Result{{"c3", "read_file", "Not run: the run ended before this call.", true}}},
	}}
	for _, provider := range Known() {
		if provider == "script" {
			continue // has no wire
		}
		p := newPlayer(t, provider, "text")
		if _, err := open(t, provider, "", options(provider, p.url, &waits{})).Chat(t.Context(), req, nil); err != nil {
			t.Errorf("%s: %v", provider, err)
			continue
		}
		if err := answeredCalls(p.requests()[0].body); err != nil {
			t.Errorf("%s: %v in %s", provider, err, p.requests()[0].body)
		}
	}
}

// answeredCalls holds the messages of a request of any wire form to the rule.
func answeredCalls(body []byte) error {
	var req struct{ Messages []map[string]any }
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	waiting, seen := map[string]bool{}, 0
	for i, m := range req.Messages {
		calls, results := ids(m)
		for _, id := range results {
			if !waiting[id] {
				return fmt.Errorf("message %d answers %q, which nobody called", i, id)
			}
			delete(waiting, id)
		}
		if len(waiting) > 0 && (m["role"] == "assistant" || len(results) == 0) {
			return fmt.Errorf("message %d comes before %v is answered", i, waiting)
		}
		for _, id := range calls {
			waiting[id] = true
			seen++
		}
	}
	if len(waiting) > 0 || seen != 3 {
		return fmt.Errorf("%d calls, unanswered %v", seen, waiting)
	}
	return nil
}

// ids gives the calls and the results of one message of OpenAI's, Ollama's, Anthropic's or Bedrock's form.
func ids(m map[string]any) (calls, results []string) {
	text := func(v any) string { s, _ := v.(string); return s }
	list := func(v any) []any { l, _ := v.([]any); return l }
	field := func(v any, name string) any { o, _ := v.(map[string]any); return o[name] }
	for _, c := range list(m["tool_calls"]) {
		calls = append(calls, text(field(c, "id")))
	}
	if m["role"] == "tool" {
		results = append(results, text(m["tool_call_id"]))
	}
	for _, b := range list(m["content"]) {
		switch {
		case field(b, "type") == "tool_use":
			calls = append(calls, text(field(b, "id")))
		case field(b, "type") == "tool_result":
			results = append(results, text(field(b, "tool_use_id")))
		case field(b, "toolUse") != nil:
			calls = append(calls, text(field(field(b, "toolUse"), "toolUseId")))
		case field(b, "toolResult") != nil:
			results = append(results, text(field(field(b, "toolResult"), "toolUseId")))
		}
	}
	return calls, results
}
