package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"redgreen/backend/model"
)

// codexLine is a line of a rollout of Codex: what it is about, and that. Old rollouts have items without the frame.
type codexLine struct {
	Timestamp loose           `json:"timestamp"`
	Type      string          `json:"type"` // session_meta, turn_context, response_item, event_msg, compacted
	Payload   json.RawMessage `json:"payload"`
}

// codexItem is the payload of any type.
type codexItem struct {
	Type string `json:"type"` // message, reasoning, function_call …; token_count
	Role string `json:"role"`

	Content json.RawMessage `json:"content"`
	Summary json.RawMessage `json:"summary"`

	Name   loose           `json:"name"`
	Args   json.RawMessage `json:"arguments"` // a text of JSON
	Input  loose           `json:"input"`
	CallID loose           `json:"call_id"`
	Action json.RawMessage `json:"action"`
	Output json.RawMessage `json:"output"`

	ID      loose `json:"id"` // from here: session_meta and turn_context
	Cwd     loose `json:"cwd"`
	Version loose `json:"cli_version"`
	Model   loose `json:"model"`
	Git     struct {
		Branch string `json:"branch"`
	} `json:"git"`

	Info json.RawMessage `json:"info"` // of a token_count, codexTokens
}

// codexTokens are the tokens of the last reply.
type codexTokens struct {
	Last struct {
		Input     int64 `json:"input_tokens"` // with what was cached
		Cached    int64 `json:"cached_input_tokens"`
		Output    int64 `json:"output_tokens"` // with reasoning
		Reasoning int64 `json:"reasoning_output_tokens"`
	} `json:"last_token_usage"`
}

// codex reads a rollout of Codex (~/.codex/sessions/…/rollout-….jsonl): the items of the conversation in their order. What the
// program puts in front of the person's words, and events that only repeat an item, are left out.
func codex(ctx context.Context, data []byte) (trajectory, error) {
	t := trajectory{source: Source{Tool: "Codex"}}
	var at time.Time
	for _, line := range foreign(data, &t.source) {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if !json.Valid(line.text) {
			return t, fmt.Errorf("line %d is no JSON", line.n)
		}
		var in codexLine
		if json.Unmarshal(line.text, &in) != nil {
			t.source.Skipped++
			continue
		}
		at = later(at, string(in.Timestamp))
		if len(in.Payload) == 0 {
			in.Type, in.Payload = "response_item", line.text
		}
		var item codexItem
		if json.Unmarshal(in.Payload, &item) != nil { // of a kind that is not known here
			t.source.Skipped++
			continue
		}
		switch in.Type {
		case "session_meta":
			t.source.Version, t.source.Session = orElse(t.source.Version, string(item.Version)), orElse(t.source.Session, string(item.ID))
			t.folder, t.branch = orElse(t.folder, string(item.Cwd)), orElse(t.branch, item.Git.Branch)
		case "turn_context":
			t.model, t.folder = orElse(t.model, string(item.Model)), orElse(t.folder, string(item.Cwd))
		case "response_item":
			t.codexItem(item, at)
		default:
			t.codexEvent(item)
		}
	}
	return t, nil
}

// codexEvent takes the tokens of the last reply; all else is told by items.
func (t *trajectory) codexEvent(item codexItem) {
	var tokens codexTokens
	if item.Type == "token_count" && len(item.Info) > 0 && json.Unmarshal(item.Info, &tokens) == nil && tokens != (codexTokens{}) {
		u := tokens.Last
		for i := len(t.turns) - 1; i >= 0; i-- {
			if t.turns[i].model {
				t.turns[i].usage = model.Usage{Known: true, Input: u.Input - u.Cached, CacheRead: u.Cached, Output: u.Output, Reasoning: u.Reasoning}
				return
			}
		}
	}
	t.source.Skipped++
}

func (t *trajectory) codexItem(item codexItem, at time.Time) {
	switch item.Type {
	case "message":
		text := texts(item.Content)
		switch {
		case item.Role == "assistant":
			r := t.reply("", at)
			r.text = strings.TrimSpace(r.text + "\n\n" + text)
		case item.Role == "user" && !codexPreface(text):
			t.person(text, at)
		default:
			t.source.Skipped++
		}
	case "reasoning":
		r := t.reply("", at)
		r.thinking = strings.TrimSpace(r.thinking + "\n\n" + orElse(texts(item.Summary), texts(item.Content)))
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call":
		r := t.reply("", at)
		c := model.Call{ID: string(item.CallID), Name: orElse(string(item.Name), strings.TrimSuffix(item.Type, "_call")), Args: orElse(codexArgs(item.Args), string(item.Action))}
		if item.Input != "" {
			if raw, err := encode(map[string]string{"input": string(item.Input)}); err == nil {
				c.Args = string(raw)
			}
		}
		r.calls = append(r.calls, c)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		text, failed := codexOutput(item.Output)
		t.result(model.Result{CallID: string(item.CallID), Text: text, Error: failed}, at)
	default:
		t.source.Skipped++
	}
}

// codexArgs are a call's arguments: a text of JSON, or the JSON itself.
func codexArgs(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// codexPreface says whether a text of the role user is what the program puts in front of the person's.
func codexPreface(text string) bool {
	text = strings.TrimSpace(text)
	for _, begin := range []string{"<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "# AGENTS.md instructions", "<turn_aborted>", "<permissions"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// codexOutput is the text of an output, and whether it failed: a text, often of JSON with the text and an exit code in it.
func codexOutput(raw json.RawMessage) (text string, failed bool) {
	text = texts(raw)
	var in struct {
		Output   *string `json:"output"`
		Success  *bool   `json:"success"`
		Metadata struct {
			Code int `json:"exit_code"`
		} `json:"metadata"`
	}
	for _, form := range [][]byte{raw, []byte(text)} {
		if json.Unmarshal(form, &in) == nil && (in.Output != nil || in.Success != nil) {
			if in.Output != nil {
				text = *in.Output
			}
			return text, in.Metadata.Code != 0 || in.Success != nil && !*in.Success
		}
	}
	return text, strings.HasPrefix(text, "Exit code: ") && !strings.HasPrefix(text, "Exit code: 0")
}
