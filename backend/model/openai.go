package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

const openaiBase = "https://api.openai.com/v1"

// openai speaks Chat Completions, OpenAI's and that of the many servers which imitate it.
type openai struct {
	remote
	d      dialect
	mu     sync.Mutex
	quirks map[string]openaiQuirks // by model, learnt from refusals
	prices map[string]*price       // by model, as the service told
}

// openaiQuirks are the ways in which a server departs from the format that we send at first.
type openaiQuirks struct {
	noUsage    bool // does not know stream_options
	otherLimit bool // calls the output limit by its other name
	noFormat   bool // knows no response_format of a JSON Schema
	noSealed   bool // gives no encrypted reasoning (Responses)
	noSummary  bool // takes no wish about its reasoning (Responses)
	noEffort   bool // takes tools only with reasoning_effort "none" (GPT-5.4 and later, in Chat Completions)
}

type (
	openaiRequest struct {
		Model         string          `json:"model"`
		Stream        bool            `json:"stream"`
		StreamOptions *openaiStream   `json:"stream_options,omitempty"`
		MaxNew        int             `json:"max_completion_tokens,omitempty"`
		MaxOld        int             `json:"max_tokens,omitempty"`
		Effort        string          `json:"reasoning_effort,omitempty"`
		Format        *openaiFormat   `json:"response_format,omitempty"`
		Usage         *openaiAsk      `json:"usage,omitempty"` // OpenRouter's own, which adds what it charged
		Tools         []openaiTool    `json:"tools,omitempty"`
		Messages      []openaiMessage `json:"messages"` // last, so that a longer conversation only adds at the end
	}
	openaiStream struct {
		IncludeUsage bool `json:"include_usage"`
	}
	openaiFormat struct {
		Type   string `json:"type"`
		Schema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	}
	openaiAsk struct {
		Include bool `json:"include"`
	}
	openaiTool struct {
		Type     string     `json:"type"`
		Function openaiSpec `json:"function"`
	}
	openaiSpec struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
	openaiMessage struct {
		Role       string            `json:"role"`
		Content    openaiContent     `json:"content"` // never left out: some servers' templates need it
		Thinking   string            `json:"reasoning_content,omitempty"`
		Details    []json.RawMessage `json:"reasoning_details,omitempty"`
		ToolCallID string            `json:"tool_call_id,omitempty"`
		ToolCalls  []openaiCall      `json:"tool_calls,omitempty"`
	}
	// openaiContent is a text, which all servers take, or a list of parts where there are pictures.
	openaiContent struct {
		text   string
		images []Image
	}
	openaiPart struct {
		Type  string     `json:"type"`
		Text  string     `json:"text,omitempty"`
		Image *openaiURL `json:"image_url,omitempty"`
	}
	openaiURL struct {
		URL string `json:"url"`
	}
	openaiCall struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
		Extra json.RawMessage `json:"extra_content,omitempty"`
	}
)

func (c openaiContent) MarshalJSON() ([]byte, error) {
	if len(c.images) == 0 {
		return json.Marshal(c.text)
	}
	var parts []openaiPart
	for _, i := range c.images {
		parts = append(parts, openaiPart{Type: "image_url", Image: &openaiURL{i.DataURL()}})
	}
	if c.text != "" {
		parts = append(parts, openaiPart{Type: "text", Text: c.text})
	}
	return json.Marshal(parts)
}

func (p *openai) request(model string, req Request, q openaiQuirks) openaiRequest {
	out := openaiRequest{Model: model, Stream: true}
	if !q.noUsage {
		out.StreamOptions = &openaiStream{true}
	}
	if p.d.provider == "openrouter" {
		out.Usage = &openaiAsk{true}
	}
	if p.d.newLimit(p.base.Hostname()) != q.otherLimit {
		out.MaxNew = outputLimit(req.MaxOutput)
	} else {
		out.MaxOld = outputLimit(req.MaxOutput)
	}
	if len(req.Schema) > 0 && !q.noFormat {
		out.Format = &openaiFormat{Type: "json_schema"}
		out.Format.Schema.Name, out.Format.Schema.Schema = "step", req.Schema
	}
	if q.noEffort {
		out.Effort = "none"
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, openaiTool{"function", openaiSpec{t.Name, t.Description, t.Schema}})
	}
	if req.System != "" {
		out.Messages = append(out.Messages, openaiMessage{Role: "system", Content: openaiContent{text: req.System}})
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, p.messages(m)...)
	}
	return out
}

func (p *openai) messages(m Message) []openaiMessage {
	var out []openaiMessage
	if m.Role == Tool {
		for _, r := range m.Results {
			out = append(out, openaiMessage{Role: "tool", Content: openaiContent{text: r.Text}, ToolCallID: r.CallID})
		}
		return out
	}
	kept := p.kept(m)
	one := openaiMessage{Role: string(m.Role), Content: openaiContent{m.Text, m.Images}, Details: kept.Details}
	if kept.Thinking {
		one.Thinking = m.Thinking
	}
	for i, c := range m.Calls {
		call := openaiCall{ID: c.ID, Type: "function"}
		if i < len(kept.Extra) {
			call.Extra = kept.Extra[i]
		}
		call.Function.Name, call.Function.Arguments = c.Name, c.Args
		one.ToolCalls = append(one.ToolCalls, call)
	}
	return append(out, one)
}

// constrains says that the format can hold a reply to a schema.
func (p *openai) constrains() {}

func (p *openai) Chat(ctx context.Context, model string, req Request, onDelta func(Delta)) (Reply, error) {
	return p.chat(ctx, p.path(model), model, onDelta, func(q openaiQuirks) any { return p.request(model, req, q) },
		func(resp *http.Response, emit func(Delta)) (Reply, error) { return p.read(model, req, resp, emit) })
}

// chat sends a request in either form of the API and gives what read makes of the answer.
func (p *openai) chat(ctx context.Context, path, model string, onDelta func(Delta), request func(openaiQuirks) any,
	read func(resp *http.Response, emit func(Delta)) (Reply, error)) (Reply, error) {
	if err := p.needKey(p.d.host()); err != nil {
		return Reply{}, err
	}
	reply, err := p.try(ctx, onDelta, func(w *wire, emit func(Delta)) (Reply, error) {
		body, resp, err := p.exchange(ctx, w, path, model, request)
		if err != nil {
			return Reply{}, err
		}
		defer resp.Body.Close()
		reply, err := read(resp, emit)
		reply.Body = body
		return reply, err
	})
	if err != nil {
		return Reply{}, p.suggest(ctx, err, model, p.Models)
	}
	return reply, nil
}

// exchange posts a request, again at once where the refusal names something that the server does not take.
func (p *openai) exchange(ctx context.Context, w *wire, path, model string, request func(openaiQuirks) any) ([]byte, *http.Response, error) {
	for {
		p.mu.Lock()
		q := p.quirks[model]
		p.mu.Unlock()
		body, err := json.Marshal(request(q))
		if err != nil {
			return nil, nil, &Error{Invalid, p.provider, fmt.Sprintf("a tool's schema is no JSON: %v", err), err}
		}
		resp, err := p.post(ctx, w, path, model, body)
		if err == nil || path == "responses" && !q.learnResponses(err) || path != "responses" && !q.learn(err) {
			return body, resp, err
		}
		p.mu.Lock()
		p.quirks[model] = q
		p.mu.Unlock()
	}
}

// learn says whether a refusal taught something new. Flags are only ever set, so it ends.
func (q *openaiQuirks) learn(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.Code != Invalid {
		return false
	}
	has := func(s string) bool { return strings.Contains(e.Message, s) }
	switch {
	case has("stream_options") && !q.noUsage:
		q.noUsage = true
	case (has("response_format") || has("json_schema")) && !q.noFormat:
		q.noFormat = true
	case has("reasoning_effort") && has("tools") && !q.noEffort:
		q.noEffort = true
	case (has("max_tokens") || has("max_completion_tokens")) && (has("upported") || has("nknown") || has("nrecognized")) && !q.otherLimit:
		q.otherLimit = true
	default:
		return false
	}
	return true
}

// notChat are parts of the names of OpenAI's models that do not chat.
var notChat = []string{"embed", "whisper", "tts", "dall-e", "image", "audio", "realtime", "moderation", "transcribe", "sora", "babbage", "davinci"}

func (p *openai) Models(ctx context.Context) ([]Info, error) {
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			Type    string `json:"type"`           // LM Studio's: llm, vlm, embeddings
			Context int    `json:"context_length"` // OpenRouter's
			Meta    struct {
				Context int `json:"n_ctx"` // of newer llama.cpp servers
			} `json:"meta"`
		} `json:"data"`
	}
	if p.d.provider == "azure" {
		return nil, nil // it lists what could be deployed, not what is
	}
	if err := p.needKey(p.d.host()); err != nil {
		return nil, err
	}
	if err := p.get(ctx, "models", &list); err != nil {
		return nil, p.listErr(ctx, err)
	}
	var infos []Info
next:
	for _, m := range list.Data {
		for _, part := range notChat {
			if strings.Contains(m.ID, part) {
				continue next
			}
		}
		info := p.d.info(p.o, strings.TrimPrefix(m.ID, "models/"))
		info.Window = cmp.Or(m.Context, m.Meta.Context)
		infos = append(infos, info)
	}
	return infos, nil
}
