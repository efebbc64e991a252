package model

import (
	"context"
	"encoding/json"
	"fmt"
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
	return Info{Provider: "anthropic", Name: model, Label: model + " · Anthropic", Images: takesByName(model)}
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
	anthropicImage struct {
		Type  string `json:"type"`
		Media string `json:"media_type"`
		Data  []byte `json:"data"`
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
		Source    *anthropicImage `json:"source,omitempty"`
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
	for _, i := range m.Images {
		content = append(content, &anthropicBlock{Type: "image", Source: &anthropicImage{"base64", i.Type, i.Data}})
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
	if err := p.needKey("api.anthropic.com"); err != nil {
		return Reply{}, err
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

func (p *anthropic) Models(ctx context.Context) ([]Info, error) {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Window int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := p.needKey("api.anthropic.com"); err != nil {
		return nil, err
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
