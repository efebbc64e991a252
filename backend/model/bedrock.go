package model

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// bedrock speaks Amazon Bedrock's ConverseStream, which is the same for all of its models, with a Bedrock API key, or
// with access keys that sign each request (see bedrock_sign.go). The API key comes first: it is for Bedrock alone and can
// do less harm.
type bedrock struct {
	remote
	signed  bool // with access keys
	mu      sync.Mutex
	noCache map[string]bool // models that refused cache points
}

const bedrockKey = "AWS_BEARER_TOKEN_BEDROCK"

func newBedrock(o Options, _ string) (Provider, error) {
	region := cmp.Or(o.Env("AWS_REGION"), o.Env("AWS_DEFAULT_REGION"), "us-east-1")
	r, err := newRemote(o, "bedrock", "https://bedrock-runtime."+region+".amazonaws.com", bedrockKey)
	if err != nil {
		return nil, err
	}
	r.accept = "application/vnd.amazon.eventstream"
	r.auth = func(h http.Header, key string) {
		if key != "" {
			h.Set("Authorization", "Bearer "+key)
		}
	}
	b := &bedrock{remote: r, noCache: map[string]bool{}}
	return b, b.useAccessKeys(region)
}

func bedrockInfo(_ Options, model string) Info {
	return Info{Provider: "bedrock", Name: model, Label: model + " · Bedrock", Images: takesByName(model)}
}

type (
	bedrockRequest struct {
		Limits   bedrockLimits    `json:"inferenceConfig"`
		Tools    *bedrockTools    `json:"toolConfig,omitempty"`
		System   []bedrockBlock   `json:"system,omitempty"`
		Messages []bedrockMessage `json:"messages"`
	}
	bedrockLimits struct {
		MaxTokens int `json:"maxTokens"`
	}
	bedrockTools struct {
		Tools []bedrockTool `json:"tools"`
	}
	bedrockTool struct {
		Spec  *bedrockSpec  `json:"toolSpec,omitempty"`
		Cache *bedrockCache `json:"cachePoint,omitempty"`
	}
	bedrockSpec struct {
		Name        string      `json:"name"`
		Description string      `json:"description,omitempty"`
		Schema      bedrockJSON `json:"inputSchema"`
	}
	bedrockJSON struct {
		JSON json.RawMessage `json:"json"`
	}
	bedrockCache struct {
		Type string `json:"type"`
	}
	bedrockMessage struct {
		Role    string         `json:"role"`
		Content []bedrockBlock `json:"content"`
	}
	// bedrockBlock has one field set.
	bedrockBlock struct {
		Text     string             `json:"text,omitempty"`
		Image    *bedrockImage      `json:"image,omitempty"`
		Use      *bedrockUse        `json:"toolUse,omitempty"`
		Result   *bedrockToolResult `json:"toolResult,omitempty"`
		Thinking json.RawMessage    `json:"reasoningContent,omitempty"` // sent back as it came
		Cache    *bedrockCache      `json:"cachePoint,omitempty"`
	}
	bedrockImage struct {
		Format string `json:"format"`
		Source struct {
			Bytes []byte `json:"bytes"`
		} `json:"source"`
	}
	bedrockUse struct {
		ID    string          `json:"toolUseId"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	bedrockToolResult struct {
		ID      string         `json:"toolUseId"`
		Content []bedrockBlock `json:"content"`
		Status  string         `json:"status"`
	}
)

// request lays the conversation out with cache points where the model has them, as for Anthropic: after the tools, after
// the system prompt, and at the two newest turns of ours.
func (p *bedrock) request(model string, req Request) bedrockRequest {
	out := bedrockRequest{Limits: bedrockLimits{outputLimit(req.MaxOutput)}}
	claude, cache := p.caches(model)
	point := &bedrockCache{"default"}
	if len(req.Tools) > 0 {
		out.Tools = &bedrockTools{}
	}
	for _, t := range req.Tools {
		out.Tools.Tools = append(out.Tools.Tools, bedrockTool{Spec: &bedrockSpec{t.Name, t.Description, bedrockJSON{t.Schema}}})
	}
	if claude && cache && len(req.Tools) > 0 {
		out.Tools.Tools = append(out.Tools.Tools, bedrockTool{Cache: point})
	}
	if req.System != "" {
		out.System = []bedrockBlock{{Text: req.System}}
		if cache {
			out.System = append(out.System, bedrockBlock{Cache: point})
		}
	}
	for _, m := range req.Messages {
		if content := bedrockContent(m); len(content) > 0 {
			role := "user"
			if m.Role == Assistant {
				role = "assistant"
			}
			out.Messages = append(out.Messages, bedrockMessage{role, content})
		}
	}
	out.Messages = bedrockTurns(out.Messages)
	for i, left := len(out.Messages)-1, 2; cache && i >= 0 && left > 0; i-- {
		if m := &out.Messages[i]; m.Role == "user" {
			m.Content = append(m.Content, bedrockBlock{Cache: point})
			left--
		}
	}
	return out
}

// bedrockTurns joins turns of one role that follow each other: Converse takes them only in turn.
func bedrockTurns(in []bedrockMessage) []bedrockMessage {
	var out []bedrockMessage
	for _, m := range in {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Content = append(out[n-1].Content, m.Content...)
			continue
		}
		out = append(out, m)
	}
	return out
}

// caches says whether a model is one of Claude's, which also cache their tools, and whether it caches at all.
func (p *bedrock) caches(model string) (claude, cache bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	claude = strings.Contains(model, "anthropic.claude")
	return claude, !p.noCache[model] && (claude || strings.Contains(model, "amazon.nova"))
}

// bedrockContent gives the blocks of a turn; empty text, which the API refuses, is left out.
func bedrockContent(m Message) []bedrockBlock {
	var opaque struct {
		Blocks []bedrockBlock `json:"bedrock"`
	}
	if m.Role == Assistant && len(m.Opaque) > 0 && json.Unmarshal(m.Opaque, &opaque) == nil && len(opaque.Blocks) > 0 {
		return opaque.Blocks
	}
	var content []bedrockBlock
	for _, r := range m.Results {
		status := "success"
		if r.Error {
			status = "error"
		}
		content = append(content, bedrockBlock{Result: &bedrockToolResult{r.CallID, []bedrockBlock{{Text: cmp.Or(r.Text, "(nothing)")}}, status}})
	}
	for _, i := range m.Images {
		one := &bedrockImage{Format: strings.TrimPrefix(i.Type, "image/")}
		one.Source.Bytes = i.Data
		content = append(content, bedrockBlock{Image: one})
	}
	if strings.TrimSpace(m.Text) != "" {
		content = append(content, bedrockBlock{Text: m.Text})
	}
	for _, c := range m.Calls {
		content = append(content, bedrockBlock{Use: &bedrockUse{c.ID, c.Name, argsObject(c.Args)}})
	}
	return content
}

func (p *bedrock) Chat(ctx context.Context, model string, req Request, onDelta func(Delta)) (Reply, error) {
	if strings.HasSuffix(p.base.Hostname(), ".amazonaws.com") && !p.signed {
		if err := p.needKey(p.base.Host); err != nil {
			return Reply{}, &Error{Denied, p.provider, p.keyHelp() + ", or set " + accessKey + " and " + secretKey, nil}
		}
	}
	var body []byte
	reply, err := p.try(ctx, onDelta, func(w *wire, emit func(Delta)) (Reply, error) {
		var err error
		if body, err = json.Marshal(p.request(model, req)); err != nil {
			return Reply{}, &Error{Invalid, p.provider, fmt.Sprintf("a tool's schema is no JSON: %v", err), err}
		}
		path := "model/" + url.PathEscape(model) + "/converse-stream"
		resp, err := p.post(ctx, w, path, model, body)
		if err != nil && p.withoutCache(model, err) {
			if body, err = json.Marshal(p.request(model, req)); err == nil {
				resp, err = p.post(ctx, w, path, model, body)
			}
		}
		if err != nil {
			return Reply{}, err
		}
		defer resp.Body.Close()
		return p.read(model, req, resp, emit)
	})
	if err != nil {
		return Reply{}, asError(p.provider, err)
	}
	reply.Body = body
	return reply, nil
}

// withoutCache says whether a refusal was of cache points, which the model then gets no more.
func (p *bedrock) withoutCache(model string, err error) bool {
	e := asError(p.provider, err)
	low := strings.ToLower(e.Message)
	if e.Code != Invalid && e.Code != Denied || !strings.Contains(low, "cachepoint") && !strings.Contains(low, "caching") {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.noCache[model]
	p.noCache[model] = true
	return !before
}

// Models gives none: what an account may call is listed by another service, at another host.
func (p *bedrock) Models(context.Context) ([]Info, error) { return nil, nil }
