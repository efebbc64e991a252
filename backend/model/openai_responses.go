package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// responses speaks OpenAI's Responses API, at OpenAI itself and wherever a base URL ends with /responses. Chat Completions
// gives its reasoning models no tools unless they do not reason; here they reason, and what they reasoned goes back to them.
// Nothing is stored at the service: the whole conversation is sent each time, as everywhere, with the reasoning encrypted.
type responses struct{ *openai }

// responsesPath ends the base URL of a server of this form.
const responsesPath = "/responses"

type (
	responsesRequest struct {
		Model     string            `json:"model"`
		Stream    bool              `json:"stream"`
		Store     bool              `json:"store"`
		CacheKey  string            `json:"prompt_cache_key,omitempty"` // sends the calls of one conversation to one cache
		MaxOutput int               `json:"max_output_tokens,omitempty"`
		Include   []string          `json:"include,omitempty"`
		Reasoning *responsesThought `json:"reasoning,omitempty"`
		Text      *responsesText    `json:"text,omitempty"`
		Tools     []responsesTool   `json:"tools,omitempty"`
		System    string            `json:"instructions,omitempty"`
		Input     []any             `json:"input"` // last, so that a longer conversation only adds at the end
	}
	responsesThought struct {
		Summary string `json:"summary"`
	}
	responsesText struct {
		Format struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	}
	responsesTool struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Strict      bool            `json:"strict"` // false: strict schemas may leave no argument out
	}
	responsesMessage struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content []responsesPart `json:"content"`
	}
	responsesPart struct {
		Type  string `json:"type"`
		Text  string `json:"text,omitempty"`
		Image string `json:"image_url,omitempty"` // a data: URL
	}
	responsesCall struct {
		Type string `json:"type"`
		ID   string `json:"call_id"`
		Name string `json:"name"`
		Args string `json:"arguments"`
	}
	responsesResult struct {
		Type   string `json:"type"`
		ID     string `json:"call_id"`
		Output string `json:"output"`
	}
	// reasoned is an item of reasoning as it goes back; Before is how many other items of its reply stood before it.
	reasoned struct {
		Before  int               `json:"before"`
		Summary []json.RawMessage `json:"summary"`
		Sealed  string            `json:"encrypted_content"`
	}
	responsesReasoning struct {
		Type    string            `json:"type"`
		Summary []json.RawMessage `json:"summary"`
		Sealed  string            `json:"encrypted_content"`
	}
)

func (p *responses) request(model string, req Request, q openaiQuirks) responsesRequest {
	out := responsesRequest{Model: model, Stream: true, CacheKey: cacheKey(req), MaxOutput: outputLimit(req.MaxOutput), System: req.System, Input: []any{}}
	if !q.noSealed {
		out.Include = []string{"reasoning.encrypted_content"}
	}
	if !q.noSummary {
		out.Reasoning = &responsesThought{"auto"}
	}
	if len(req.Schema) > 0 && !q.noFormat {
		out.Text = &responsesText{}
		out.Text.Format.Type, out.Text.Format.Name, out.Text.Format.Schema = "json_schema", "step", req.Schema
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, responsesTool{"function", t.Name, t.Description, t.Schema, false})
	}
	for _, m := range req.Messages {
		out.Input = append(out.Input, responsesItems(m)...)
	}
	return out
}

// cacheKey is the same for all calls of one conversation, and of no other.
func cacheKey(req Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(req.System + "\x00" + req.Messages[0].Text))
	return hex.EncodeToString(sum[:12])
}

// responsesItems gives the items of a turn. Reasoning goes back where it stood, before the item that it led to.
func responsesItems(m Message) []any {
	var out []any
	if m.Role == Tool {
		for _, r := range m.Results {
			out = append(out, responsesResult{"function_call_output", r.CallID, r.Text})
		}
		return out
	}
	part := "input_text"
	if m.Role == Assistant {
		part = "output_text"
	}
	var parts []responsesPart
	for _, i := range m.Images {
		parts = append(parts, responsesPart{Type: "input_image", Image: i.DataURL()})
	}
	if m.Text != "" {
		parts = append(parts, responsesPart{Type: part, Text: m.Text})
	}
	if len(parts) > 0 {
		out = append(out, responsesMessage{"message", string(m.Role), parts})
	}
	for _, c := range m.Calls {
		out = append(out, responsesCall{"function_call", c.ID, c.Name, c.Args})
	}
	var opaque struct {
		Kept []reasoned `json:"responses"`
	}
	if m.Role != Assistant || len(m.Opaque) == 0 || json.Unmarshal(m.Opaque, &opaque) != nil {
		return out
	}
	var whole []any
	for i := 0; i <= len(out); i++ {
		for _, r := range opaque.Kept {
			if r.Before == i && i < len(out) { // reasoning without an item behind it is refused
				whole = append(whole, responsesReasoning{"reasoning", r.Summary, r.Sealed})
			}
		}
		if i < len(out) {
			whole = append(whole, out[i])
		}
	}
	return whole
}

func (p *responses) Chat(ctx context.Context, model string, req Request, onDelta func(Delta)) (Reply, error) {
	return p.chat(ctx, "responses", model, onDelta, func(q openaiQuirks) any { return p.request(model, req, q) },
		func(resp *http.Response, emit func(Delta)) (Reply, error) { return p.read(model, req, resp, emit) })
}

type (
	// responsesEvent is any event of the stream; its kind is in its type.
	responsesEvent struct {
		Type     string          `json:"type"`
		Delta    string          `json:"delta"`
		Index    int             `json:"output_index"`
		Item     responsesItem   `json:"item"`
		Response responsesAnswer `json:"response"`
		Code     string          `json:"code"`    // of an error
		Message  string          `json:"message"` // of it
	}
	responsesItem struct {
		Type    string            `json:"type"`
		ID      string            `json:"call_id"`
		Name    string            `json:"name"`
		Args    string            `json:"arguments"`
		Summary []json.RawMessage `json:"summary"`
		Sealed  string            `json:"encrypted_content"`
	}
	responsesAnswer struct {
		Status     string          `json:"status"`
		Error      json.RawMessage `json:"error"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage *responsesUsage `json:"usage"`
	}
	responsesUsage struct {
		Input   int64 `json:"input_tokens"` // with cached ones
		Output  int64 `json:"output_tokens"`
		Details struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		OutputDetails struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	}
)

// responsesReader gathers a stream.
type responsesReader struct {
	p       *responses
	model   string
	a       answer
	kept    []reasoned
	others  int  // items that are no reasoning, so far
	said    bool // one of them is the text
	refused bool
	end     string // the reply's status, "" it goes on
	reason  string // why it is incomplete
	usage   Usage
}

func (p *responses) read(model string, req Request, resp *http.Response, emit func(Delta)) (Reply, error) {
	r := responsesReader{p: p, model: model, a: answer{emit: emit}}
	if err := eachEvent(resp.Body, &r.end, r.take); err != nil {
		return Reply{}, err
	}
	if r.end == "" {
		return Reply{}, errCut
	}
	reply := Reply{Message: r.a.message(req), Stop: r.a.stop(), Usage: r.usage}
	reply.Message.Opaque = r.opaque()
	switch {
	case r.refused || r.reason == "content_filter":
		reply.Stop = StopRefusal
	case r.end == "incomplete":
		reply.Stop = StopLength
	}
	return reply, nil
}

// take reads one event; io.EOF ends the stream.
func (r *responsesReader) take(data []byte) error {
	if isDone(data) {
		return io.EOF // some servers send it; the reply's own end came before
	}
	var e responsesEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "response.output_text.delta":
		return r.a.addText(e.Delta)
	case "response.refusal.delta":
		r.refused = true
		return r.a.addText(e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return r.a.addThinking(e.Delta)
	case "response.output_item.added":
		if e.Item.Type == "function_call" {
			r.a.call(e.Index, e.Item.ID, e.Item.Name)
		}
	case "response.function_call_arguments.delta":
		return r.a.addArgs(r.a.call(e.Index, "", ""), e.Delta)
	case "response.output_item.done":
		return r.item(e)
	case "response.completed", "response.incomplete":
		r.end, r.reason = strings.TrimPrefix(e.Type, "response."), e.Response.Incomplete.Reason
		if u := e.Response.Usage; u != nil {
			r.usage = u.usage()
		}
		return io.EOF
	case "response.failed":
		body, err := json.Marshal(map[string]json.RawMessage{"error": e.Response.Error})
		if err != nil {
			return err
		}
		return r.p.refused(r.model, 0, nil, body)
	case "error":
		if e.Message == "" { // in the form of other services
			return r.p.refused(r.model, 0, nil, data)
		}
		body, err := json.Marshal(map[string]any{"error": map[string]string{"code": e.Code, "message": e.Message}})
		if err != nil {
			return err
		}
		return r.p.refused(r.model, 0, nil, body)
	}
	return nil
}

// item takes a whole item in. Arguments that did not stream are in it.
func (r *responsesReader) item(e responsesEvent) error {
	switch e.Item.Type {
	case "reasoning":
		if e.Item.Sealed == "" {
			return nil // nothing to give back
		}
		if e.Item.Summary == nil {
			e.Item.Summary = []json.RawMessage{}
		}
		r.kept = append(r.kept, reasoned{r.others, e.Item.Summary, e.Item.Sealed})
		return r.a.grow(e.Item.Sealed)
	case "function_call":
		r.others++
		c := r.a.call(e.Index, e.Item.ID, e.Item.Name)
		if c.args.Len() == 0 {
			return r.a.addArgs(c, e.Item.Args)
		}
	case "message":
		if r.a.text.Len() > 0 && !r.said { // the turn keeps one text
			r.said = true
			r.others++
		}
	}
	return nil
}

// opaque is the reasoning to give back, nil none.
func (r *responsesReader) opaque() json.RawMessage {
	if len(r.kept) == 0 {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"responses": r.kept})
	if err != nil {
		return nil // cannot be: it is made of JSON
	}
	return raw
}

// usage makes the overlapping counts disjoint.
func (u *responsesUsage) usage() Usage {
	var c openaiUsage
	c.Prompt, c.Output, c.Details.Cached, c.Details.Written = u.Input, u.Output, u.Details.Cached, u.Details.Written
	c.OutputDetails.Reasoning = u.OutputDetails.Reasoning
	return c.usage()
}

// learnResponses says whether a refusal of this form taught something new: models that do not reason take no wish about it.
func (q *openaiQuirks) learnResponses(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.Code != Invalid {
		return false
	}
	low := strings.ToLower(e.Message)
	switch {
	case strings.Contains(low, "encrypted") && !q.noSealed:
		q.noSealed = true
	case strings.Contains(low, "reasoning") && !q.noSummary:
		q.noSummary = true
	case strings.Contains(low, "text.format") && !q.noFormat:
		q.noFormat = true
	default:
		return false
	}
	return true
}
