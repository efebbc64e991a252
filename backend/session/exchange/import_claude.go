package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"redgreen/backend/model"
)

// claudeLine is a line of a record of Claude Code.
type claudeLine struct {
	Type      string `json:"type"` // user, assistant; others are the tool's own
	Sidechain bool   `json:"isSidechain"`
	Meta      bool   `json:"isMeta"`
	Session   string `json:"sessionId"`
	Version   string `json:"version"`
	Cwd       string `json:"cwd"`
	Branch    string `json:"gitBranch"`
	Timestamp string `json:"timestamp"`
	Message   struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"` // a text, or blocks
		Usage   *struct {
			Input      int64 `json:"input_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
			Output     int64 `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// claudeBlock is a part of a message.
type claudeBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	CallID   string          `json:"tool_use_id"`
	Content  json.RawMessage `json:"content"`
	Error    bool            `json:"is_error"`
}

// claude reads a record of Claude Code (~/.claude/projects/…/SESSION.jsonl): one message a line, a reply of the model in as
// many lines as it has blocks, results in the user's next message. What sub-agents said is left out.
func claude(ctx context.Context, data []byte) (trajectory, error) {
	t := trajectory{source: Source{Tool: "Claude Code"}}
	var at time.Time
	for _, line := range lines(data) {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		var in claudeLine
		if err := json.Unmarshal(line.text, &in); err != nil {
			return t, fmt.Errorf("line %d: %w", line.n, err)
		}
		at = later(at, in.Timestamp)
		if in.Type != "user" && in.Type != "assistant" || in.Sidechain || in.Meta {
			t.source.Skipped++
			continue
		}
		t.source.Version, t.source.Session = orElse(t.source.Version, in.Version), orElse(t.source.Session, in.Session)
		t.folder, t.branch = orElse(t.folder, in.Cwd), orElse(t.branch, in.Branch)
		blocks, err := claudeBlocks(in.Message.Content)
		if err != nil {
			return t, fmt.Errorf("line %d: its message: %w", line.n, err)
		}
		if in.Type == "user" {
			t.claudeUser(blocks, at)
		} else {
			t.claudeReply(in, blocks, at)
		}
	}
	return t, nil
}

func claudeBlocks(raw json.RawMessage) (blocks []claudeBlock, err error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []claudeBlock{{Type: "text", Text: text}}, nil
	}
	return blocks, json.Unmarshal(raw, &blocks)
}

func (t *trajectory) claudeUser(blocks []claudeBlock, at time.Time) {
	var said []string
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			t.result(model.Result{CallID: b.CallID, Text: texts(b.Content), Error: b.Error}, at)
		case "text":
			said = append(said, b.Text)
		default:
			said = append(said, "["+b.Type+"]")
		}
	}
	t.person(strings.Join(said, "\n"), at)
}

func (t *trajectory) claudeReply(in claudeLine, blocks []claudeBlock, at time.Time) {
	t.model = orElse(t.model, in.Message.Model)
	r := t.reply(in.Message.ID, at)
	if u := in.Message.Usage; u != nil { // every line of a reply has it, the last one is complete
		r.usage = model.Usage{Known: true, Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output}
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			r.text = strings.TrimSpace(r.text + "\n\n" + b.Text)
		case "thinking":
			r.thinking = strings.TrimSpace(r.thinking + "\n\n" + b.Thinking)
		case "tool_use":
			r.calls = append(r.calls, model.Call{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		}
	}
}
