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
	Timestamp loose  `json:"timestamp"`
}

// claudeMessage is the line of a message.
type claudeMessage struct {
	Session loose `json:"sessionId"`
	Version loose `json:"version"`
	Cwd     loose `json:"cwd"`
	Branch  loose `json:"gitBranch"`
	Message struct {
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
// many lines as it has blocks, results in the user's messages, of parallel calls between the lines of the reply. What
// sub-agents said is left out, as are the tool's own notes, whatever they hold.
func claude(ctx context.Context, data []byte) (trajectory, error) {
	t := trajectory{source: Source{Tool: "Claude Code"}}
	var at time.Time
	for _, line := range foreign(data, &t.source) {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if !json.Valid(line.text) {
			return t, fmt.Errorf("line %d is no JSON", line.n)
		}
		var head claudeLine
		if json.Unmarshal(line.text, &head) != nil || head.Type != "user" && head.Type != "assistant" || head.Sidechain || head.Meta {
			t.source.Skipped++
			continue
		}
		var in claudeMessage
		if err := json.Unmarshal(line.text, &in); err != nil {
			return t, fmt.Errorf("line %d: %w", line.n, err)
		}
		at = later(at, string(head.Timestamp))
		t.source.Version, t.source.Session = orElse(t.source.Version, string(in.Version)), orElse(t.source.Session, string(in.Session))
		t.folder, t.branch = orElse(t.folder, string(in.Cwd)), orElse(t.branch, string(in.Branch))
		blocks, err := claudeBlocks(in.Message.Content)
		if err != nil {
			return t, fmt.Errorf("line %d: its message: %w", line.n, err)
		}
		if head.Type == "user" {
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
			if claudeNote(b.Text) {
				t.source.Skipped++
				continue
			}
			said = append(said, b.Text)
		default:
			said = append(said, "["+b.Type+"]")
		}
	}
	t.person(strings.Join(said, "\n"), at)
}

// claudeNote says whether a text of the role user is what the program put there: a command of its own, a reminder.
func claudeNote(text string) bool {
	text = strings.TrimSpace(text)
	for _, begin := range []string{"<command-name>", "<command-message>", "<local-command-", "<bash-stdout>", "<bash-stderr>", "<system-reminder>", "<user-prompt-submit-hook>", "Caveat: The messages below"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

func (t *trajectory) claudeReply(in claudeMessage, blocks []claudeBlock, at time.Time) {
	if in.Message.Model != "<synthetic>" { // the tool's own words about an error
		t.model = orElse(t.model, in.Message.Model)
	}
	r := t.reply(in.Message.ID, at)
	if u := in.Message.Usage; u != nil { // every line of a reply has it, the last one is complete
		r.usage = model.Usage{Known: true, Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output}
	}
	var results []model.Result // of calls that the provider ran itself
	for _, b := range blocks {
		switch b.Type {
		case "text":
			r.text = strings.TrimSpace(r.text + "\n\n" + b.Text)
		case "thinking":
			r.thinking = strings.TrimSpace(r.thinking + "\n\n" + b.Thinking)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			r.calls = append(r.calls, model.Call{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		default:
			if strings.HasSuffix(b.Type, "_tool_result") {
				results = append(results, model.Result{CallID: b.CallID, Text: texts(b.Content), Error: b.Error})
			}
		}
	}
	for _, result := range results {
		t.result(result, at)
	}
}
