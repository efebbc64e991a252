package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// anthropic speaks the Messages API.
type anthropic struct{ remote }

func newAnthropic(o Options, _ string) (Provider, error) {
	r, err := newRemote(o, "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY")
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(strings.TrimSuffix(r.base.Path, "/"), "/v1") {
		r.base = r.base.JoinPath("v1")
	}
	r.auth = func(h http.Header, key string) {
		h.Set("Anthropic-Version", "2023-06-01")
		if key != "" {
			h.Set("X-Api-Key", key)
		}
	}
	return &anthropic{r}, nil
}

func anthropicInfo(_ Options, model string) Info {
	return Info{Provider: "anthropic", Name: model, Label: model + " · Anthropic"}
}

type (
	anthropicRequest struct {
		Model     string             `json:"model"`
		MaxTokens int                `json:"max_tokens"`
		Stream    bool               `json:"stream"`
		Tools     []anthropicTool    `json:"tools,omitempty"`
		System    []anthropicBlock   `json:"system,omitempty"`
		Messages  []anthropicMessage `json:"messages"`
	}
	anthropicTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Schema      json.RawMessage `json:"input_schema"`
		Cache       *anthropicCache `json:"cache_control,omitempty"`
	}
	anthropicCache struct {
		Type string `json:"type"`
	}
	anthropicMessage struct {
		Role    string `json:"role"`
		Content []any  `json:"content"` // *anthropicBlock, or json.RawMessage that is sent back as it came
	}
	anthropicBlock struct {
		Type      string          `json:"type"`
		Text      string          `json:"text,omitempty"`
		ID        string          `json:"id,omitempty"`
		Name      string          `json:"name,omitempty"`
		Input     json.RawMessage `json:"input,omitempty"`
		ToolUseID string          `json:"tool_use_id,omitempty"`
		Content   string          `json:"content,omitempty"`
		IsError   bool            `json:"is_error,omitempty"`
		Cache     *anthropicCache `json:"cache_control,omitempty"`
	}
)

// request lays the conversation out for the prompt cache. The API caches tools, system and messages in this order up to
// each of at most four breakpoints, kept for five minutes. One after the tools and one after the system prompt hold
// what all sessions share; one at the newest turn of ours writes what is new, and one at the turn before it reads what
// the last call wrote, also where more than the 20 blocks lie between that the API looks back.
func (p *anthropic) request(model string, req Request) anthropicRequest {
	cache := &anthropicCache{"ephemeral"}
	out := anthropicRequest{Model: model, MaxTokens: outputLimit(req.MaxOutput), Stream: true}
	for i, t := range req.Tools {
		tool := anthropicTool{Name: t.Name, Description: t.Description, Schema: t.Schema}
		if i == len(req.Tools)-1 {
			tool.Cache = cache
		}
		out.Tools = append(out.Tools, tool)
	}
	if req.System != "" {
		out.System = []anthropicBlock{{Type: "text", Text: req.System, Cache: cache}}
	}
	for _, m := range req.Messages {
		if content := anthropicContent(m); len(content) > 0 {
			role := "user"
			if m.Role == Assistant {
				role = "assistant"
			}
			out.Messages = append(out.Messages, anthropicMessage{role, content})
		}
	}
	for i, left := len(out.Messages)-1, 2; i >= 0 && left > 0; i-- {
		if m := out.Messages[i]; m.Role == "user" {
			m.Content[len(m.Content)-1].(*anthropicBlock).Cache = cache
			left--
		}
	}
	return out
}

// anthropicContent gives the blocks of a turn; empty text, which the API refuses, is left out.
func anthropicContent(m Message) []any {
	var opaque struct {
		Blocks []json.RawMessage `json:"anthropic"`
	}
	var content []any
	if m.Role == Assistant && len(m.Opaque) > 0 && json.Unmarshal(m.Opaque, &opaque) == nil && len(opaque.Blocks) > 0 {
		for _, b := range opaque.Blocks {
			content = append(content, b)
		}
		return content
	}
	for _, r := range m.Results {
		content = append(content, &anthropicBlock{Type: "tool_result", ToolUseID: r.CallID, Content: r.Text, IsError: r.Error})
	}
	if strings.TrimSpace(m.Text) != "" {
		content = append(content, &anthropicBlock{Type: "text", Text: m.Text})
	}
	for _, c := range m.Calls {
		content = append(content, &anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.Name, Input: argsObject(c.Args)})
	}
	return content
}

func (p *anthropic) Chat(ctx context.Context, model string, req Request, onDelta func(Delta)) (Reply, error) {
	if p.key == "" && p.base.Host == "api.anthropic.com" {
		return Reply{}, &Error{Denied, p.provider, p.keyHelp(), nil}
	}
	body, err := json.Marshal(p.request(model, req))
	if err != nil {
		return Reply{}, &Error{Invalid, p.provider, fmt.Sprintf("a tool's schema is no JSON: %v", err), err}
	}
	reply, err := p.try(ctx, onDelta, func(w *wire, emit func(Delta)) (Reply, error) {
		resp, err := p.post(ctx, w, "messages", model, body)
		if err != nil {
			return Reply{}, err
		}
		defer resp.Body.Close()
		return p.read(model, req, resp, emit)
	})
	if err != nil {
		return Reply{}, p.suggest(ctx, err, model, p.Models)
	}
	reply.Body = body
	return reply, nil
}

type (
	anthropicEvent struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			Usage anthropicUsage `json:"usage"`
		} `json:"message"`
		Block json.RawMessage `json:"content_block"`
		Delta struct {
			Type       string `json:"type"`
			Text       string `json:"text"`
			Thinking   string `json:"thinking"`
			Signature  string `json:"signature"`
			JSON       string `json:"partial_json"`
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
		Usage anthropicUsage `json:"usage"`
	}
	anthropicUsage struct {
		Input   *int64 `json:"input_tokens"` // without cached ones
		Read    *int64 `json:"cache_read_input_tokens"`
		Written *int64 `json:"cache_creation_input_tokens"`
		ByAge   *struct {
			Minutes int64 `json:"ephemeral_5m_input_tokens"`
			Hour    int64 `json:"ephemeral_1h_input_tokens"`
		} `json:"cache_creation"`
		Output  *int64 `json:"output_tokens"`
		Details struct {
			Thinking int64 `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	}
	// anthropicPart is one block of a reply as it streams in.
	anthropicPart struct {
		kind  string
		start json.RawMessage
		text  strings.Builder // text or thinking
		sign  strings.Builder
		call  *partCall
	}
)

// onto lays newer counts over older ones: the last event gives totals, of which some servers leave out all but output.
func (u anthropicUsage) onto(old Usage) Usage {
	set := func(to *int64, from *int64) {
		if from != nil {
			*to, old.Known = max(*from, 0), true
		}
	}
	set(&old.Input, u.Input)
	set(&old.CacheRead, u.Read)
	set(&old.Output, u.Output)
	if u.Written != nil {
		old.CacheWrite, old.CacheWrite1h = max(*u.Written, 0), 0
	}
	if u.ByAge != nil && u.ByAge.Minutes+u.ByAge.Hour > 0 {
		old.CacheWrite, old.CacheWrite1h = max(u.ByAge.Minutes, 0), max(u.ByAge.Hour, 0)
	}
	old.Reasoning = max(old.Reasoning, u.Details.Thinking)
	return old
}

// read gathers the stream. It is whole when a stop reason came.
func (p *anthropic) read(model string, req Request, resp *http.Response, emit func(Delta)) (Reply, error) {
	a := answer{emit: emit}
	parts := map[int]*anthropicPart{}
	var order []*anthropicPart
	var reason string
	var usage Usage
	ev := newEvents(resp.Body)
	for {
		_, data, err := ev.next()
		if err == io.EOF || err != nil && reason != "" {
			break
		}
		if err != nil {
			return Reply{}, err
		}
		var e anthropicEvent
		if err := json.Unmarshal(data, &e); err != nil {
			return Reply{}, err
		}
		switch e.Type {
		case "error":
			return Reply{}, p.refused(model, 0, nil, data)
		case "message_start":
			usage = e.Message.Usage.onto(usage)
		case "content_block_start":
			part, err := startPart(&a, e)
			if err != nil {
				return Reply{}, err
			}
			parts[e.Index], order = part, append(order, part)
		case "content_block_delta":
			if part := parts[e.Index]; part != nil {
				if err := part.add(&a, e); err != nil {
					return Reply{}, err
				}
			}
		case "message_delta":
			reason = e.Delta.StopReason
			usage = e.Usage.onto(usage)
		}
		if e.Type == "message_stop" {
			break
		}
	}
	if reason == "" {
		return Reply{}, errCut
	}
	reply := Reply{Message: a.message(req), Stop: a.stop(), Usage: usage}
	reply.Message.Opaque = opaque(order, reply.Message)
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		reply.Stop = StopLength
	case "refusal":
		reply.Stop = StopRefusal
	}
	return reply, nil
}

func startPart(a *answer, e anthropicEvent) (*anthropicPart, error) {
	var b struct {
		Type, Text, Thinking, ID, Name string
	}
	if err := json.Unmarshal(e.Block, &b); err != nil {
		return nil, err
	}
	part := &anthropicPart{kind: b.Type, start: e.Block}
	part.text.WriteString(b.Text + b.Thinking)
	if b.Type == "tool_use" {
		part.call = a.call(e.Index, b.ID, b.Name)
	}
	if err := a.addThinking(b.Thinking); err != nil {
		return nil, err
	}
	return part, a.addText(b.Text)
}

func (part *anthropicPart) add(a *answer, e anthropicEvent) error {
	d := e.Delta
	part.text.WriteString(d.Text + d.Thinking)
	part.sign.WriteString(d.Signature)
	if err := a.grow(d.Signature); err != nil {
		return err
	}
	if part.call != nil {
		if err := a.addArgs(part.call, d.JSON); err != nil {
			return err
		}
	}
	if err := a.addThinking(d.Thinking); err != nil {
		return err
	}
	return a.addText(d.Text)
}

// opaque keeps a reply that has thinking as the API gave it: it must come back unchanged, with its signature, as long
// as the tools that it called are answered. Thinking that was cut before its signature would be refused: left out.
func opaque(order []*anthropicPart, m Message) json.RawMessage {
	var blocks []any
	signed, calls := false, 0
	for _, part := range order {
		switch {
		case part.call != nil:
			c := m.Calls[calls]
			calls++
			blocks = append(blocks, anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.Name, Input: argsObject(c.Args)})
		case part.kind == "text":
			if strings.TrimSpace(part.text.String()) != "" {
				blocks = append(blocks, anthropicBlock{Type: "text", Text: part.text.String()})
			}
		case part.kind == "thinking":
			if part.sign.Len() > 0 {
				blocks = append(blocks, map[string]string{"type": "thinking", "thinking": part.text.String(), "signature": part.sign.String()})
				signed = true
			}
		default: // redacted_thinking, and what we do not know
			blocks = append(blocks, part.start)
			signed = true
		}
	}
	if !signed {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"anthropic": blocks})
	if err != nil {
		return nil // cannot be: it is made of JSON
	}
	return raw
}

func (p *anthropic) Models(ctx context.Context) ([]Info, error) {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Window int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := p.get(ctx, "models", &list); err != nil {
		return nil, p.listErr(ctx, err)
	}
	var infos []Info
	for _, m := range list.Data {
		i := anthropicInfo(p.o, m.ID)
		i.Window = m.Window
		infos = append(infos, i)
	}
	return infos, nil
}
