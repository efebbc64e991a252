package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

const (
	// A change of num_ctx makes Ollama load the model anew and forget its prefix cache, so it grows in doublings.
	smallestWindow = 8192
	// A prompt that Ollama counts as less than this share of our own estimate was cut. Our estimate is of 3.5 bytes a
	// token; hardly any text has more than 7.
	cutShare = 0.5
	// Below this the markup of the model's template, which we do not know, weighs too much to compare.
	cutLeast = 1500
)

// ollama speaks Ollama's own /api/chat, since its imitation of OpenAI's cannot set num_ctx, and without that Ollama cuts
// long prompts without a word.
type ollama struct {
	remote
	mu    sync.Mutex
	shown map[string]ollamaShown // of each model, as /api/show told
}

// ollamaShown is what /api/show tells of a model.
type ollamaShown struct {
	context int // 0 not told
	images  Takes
}

func newOllama(o Options, _ string) (Provider, error) {
	r, err := newRemote(o, "ollama", ollamaURL(o.Env("OLLAMA_HOST")), "")
	if err != nil {
		return nil, err
	}
	r.down = "Ollama is not running at %s: start it with `ollama serve`"
	return &ollama{remote: r, shown: map[string]ollamaShown{}}, nil
}

// ollamaURL reads OLLAMA_HOST as Ollama does: a host, a port, both, or a URL; an address to listen on anywhere means
// this machine.
func ollamaURL(host string) string {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(host), "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !ok {
		scheme, rest, port = "http", scheme, "11434"
	}
	rest, path, _ := strings.Cut(rest, "/")
	name := rest
	if h, p, err := net.SplitHostPort(rest); err == nil {
		name, port = h, cmp.Or(p, port)
	}
	name = strings.Trim(name, "[]")
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	return (&url.URL{Scheme: scheme, Host: net.JoinHostPort(name, port), Path: path}).String()
}

// ollamaInfo says local only of what runs here: not of Ollama's cloud models, nor of a server elsewhere.
func ollamaInfo(o Options, model string) Info {
	cloud := strings.HasSuffix(model, "-cloud") || strings.HasSuffix(model, ":cloud")
	return Info{Provider: "ollama", Name: model, Label: model + " · Ollama",
		Local: !cloud && o.here(o.baseURL("ollama", ollamaURL(o.Env("OLLAMA_HOST"))))}
}

func (p *ollama) request(model string, req Request, numCtx int) (*api.ChatRequest, error) {
	keep := false
	out := &api.ChatRequest{Model: model, Truncate: &keep, Shift: &keep, // newer servers then refuse what they would cut
		Options: map[string]any{"num_ctx": numCtx, "num_predict": outputLimit(req.MaxOutput)}}
	out.Format = req.Schema
	for _, t := range req.Tools {
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
		if err := json.Unmarshal(t.Schema, &tool.Function.Parameters); err != nil {
			return nil, &Error{Invalid, p.provider, fmt.Sprintf("the schema of tool %s is no JSON Schema object: %v", t.Name, err), err}
		}
		out.Tools = append(out.Tools, tool)
	}
	if req.System != "" {
		out.Messages = append(out.Messages, api.Message{Role: "system", Content: req.System})
	}
	for _, m := range req.Messages {
		for _, r := range m.Results {
			out.Messages = append(out.Messages, api.Message{Role: "tool", Content: r.Text, ToolName: r.Name, ToolCallID: r.CallID})
		}
		if m.Role == Tool {
			continue
		}
		one := api.Message{Role: string(m.Role), Content: m.Text, Thinking: m.Thinking}
		for _, i := range m.Images {
			one.Images = append(one.Images, i.Data)
		}
		for i, c := range m.Calls {
			call := api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Index: i, Name: c.Name}}
			if err := json.Unmarshal(argsObject(c.Args), &call.Function.Arguments); err != nil {
				return nil, err // cannot be: argsObject gives an object
			}
			one.ToolCalls = append(one.ToolCalls, call)
		}
		out.Messages = append(out.Messages, one)
	}
	return out, nil
}

// numCtx is the context to ask for: what the request and its answer need, doubled up from smallestWindow, and no more
// than the model has. A model's whole context is not asked for, since its memory is taken at once.
func numCtx(req Request, most int) int {
	n := req.Window
	if n <= 0 {
		need := CountTokens(req) + int64(outputLimit(req.MaxOutput))
		for n = smallestWindow; int64(n) < need && n < 1<<24; n *= 2 {
		}
	}
	if most > 0 {
		n = min(n, most)
	}
	return n
}

// constrains says that the format can hold a reply to a schema.
func (p *ollama) constrains() {}

func (p *ollama) Chat(ctx context.Context, model string, req Request, onDelta func(Delta)) (Reply, error) {
	var body []byte
	reply, err := p.try(ctx, onDelta, func(w *wire, emit func(Delta)) (Reply, error) {
		shown, err := p.show(ctx, model)
		if err != nil {
			return Reply{}, err
		}
		out, err := p.request(model, req, numCtx(req, shown.context))
		if err != nil {
			return Reply{}, err
		}
		if body, err = json.Marshal(out); err != nil {
			return Reply{}, err
		}
		reply, err := p.chat(ctx, w, out, req, emit)
		return reply, err
	})
	if err != nil {
		return Reply{}, p.suggest(ctx, err, model, p.Models)
	}
	reply.Body = body
	return reply, nil
}

// chat does one exchange. The client gives no error for a stream that was cut at the end of a line, and the half line as
// the error's text for one that was cut within, so the wire's memory and the last chunk's Done decide.
func (p *ollama) chat(ctx context.Context, w *wire, out *api.ChatRequest, req Request, emit func(Delta)) (Reply, error) {
	a := answer{emit: emit}
	var last api.ChatResponse
	err := api.NewClient(p.base, w.client()).Chat(ctx, out, func(c api.ChatResponse) error {
		if c.Done {
			last = c
		}
		if err := a.addThinking(c.Message.Thinking); err != nil {
			return err
		}
		for _, t := range c.Message.ToolCalls {
			call := &partCall{id: t.ID, name: t.Function.Name}
			a.calls = append(a.calls, call)
			if err := a.addArgs(call, t.Function.Arguments.String()); err != nil {
				return err
			}
		}
		return a.addText(c.Message.Content)
	})
	if err := p.explain(w, out.Model, err); err != nil {
		return Reply{}, err
	}
	if !last.Done || last.DoneReason == "load" || last.DoneReason == "unload" {
		return Reply{}, errCut
	}
	reply := Reply{Message: a.message(req), Stop: a.stop(), Usage: Usage{
		Known: last.PromptEvalCount+last.EvalCount > 0, Input: int64(max(last.PromptEvalCount, 0)), Output: int64(max(last.EvalCount, 0))}}
	if last.DoneReason == "length" {
		reply.Stop = StopLength
	}
	if n := CountTokens(ofText(req)); n >= cutLeast && last.PromptEvalCount > 0 && float64(last.PromptEvalCount) < cutShare*float64(n) {
		return Reply{}, &Error{Invalid, p.provider, fmt.Sprintf(
			"Ollama read only %d tokens of a prompt of about %d: it silently cut the conversation; choose a model with a larger context, or raise OLLAMA_CONTEXT_LENGTH", last.PromptEvalCount, n), nil}
	}
	return reply, nil
}

// ofText is a request without earlier thinking, which most templates leave out, and without pictures, which each model
// counts in its own way.
func ofText(req Request) Request {
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		req.Messages[i].Thinking, req.Messages[i].Images = "", nil
	}
	return req
}

// explain makes a failure of what the client gave.
func (p *ollama) explain(w *wire, model string, err error) error {
	var status api.StatusError
	var denied api.AuthorizationError
	switch {
	case w.err != nil:
		return w.err
	case errors.As(err, &denied):
		return &Error{Denied, p.provider, "the server wants you signed in: run `ollama signin`", err}
	case errors.As(err, &status) || w.status >= 300:
		return p.bad(w, model, cmp.Or(status.StatusCode, w.status), status.ErrorMessage)
	case err == nil, errors.Is(err, errLarge):
		return err
	case strings.HasPrefix(err.Error(), "{") || strings.HasPrefix(err.Error(), "invalid character"):
		return errCut // half a line
	}
	return p.refused(model, 0, nil, []byte(err.Error()))
}

// bad explains an answer with a bad status.
func (p *ollama) bad(w *wire, model string, status int, message string) *failure {
	f := p.refused(model, status, w.header, []byte(message))
	switch {
	case f.e.Code == NotFound:
		f.e.Message = p.clean(fmt.Sprintf("model %q is not on this machine: pull it with: ollama pull %s", model, model))
	case strings.Contains(message, "does not support tools"):
		f.e.Message = p.clean(fmt.Sprintf("model %q cannot call tools, which is how it would read and edit code: choose one that `ollama show` lists with the capability tools", model))
	}
	return f
}

// show is what is known of a model here. A server that names no capabilities is an older one.
func (p *ollama) show(ctx context.Context, model string) (ollamaShown, error) {
	p.mu.Lock()
	s, ok := p.shown[model]
	p.mu.Unlock()
	if ok {
		return s, nil
	}
	w := &wire{r: &p.remote}
	show, err := api.NewClient(p.base, w.client()).Show(ctx, &api.ShowRequest{Model: model})
	if err := p.explain(w, model, err); err != nil {
		return s, err
	}
	arch, _ := show.ModelInfo["general.architecture"].(string)
	length, _ := show.ModelInfo[arch+".context_length"].(float64)
	s.context = int(length)
	if len(show.Capabilities) > 0 {
		s.images = takes(slices.Contains(show.Capabilities, "vision"))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown[model] = s
	return s, nil
}

func (p *ollama) describe(ctx context.Context, info Info) (Info, error) {
	s, err := p.show(ctx, info.Name)
	if err != nil {
		return info, p.listErr(ctx, err)
	}
	info.Window, info.Images = cmp.Or(s.context, info.Window), s.images
	return info, nil
}

func (p *ollama) Models(ctx context.Context) ([]Info, error) {
	w := &wire{r: &p.remote}
	list, err := api.NewClient(p.base, w.client()).List(ctx)
	if err := p.explain(w, "", err); err != nil {
		return nil, p.listErr(ctx, err)
	}
	var infos []Info
	for _, m := range list.Models {
		if !strings.Contains(m.Name, "embed") {
			infos = append(infos, ollamaInfo(p.o, m.Name))
		}
	}
	return infos, nil
}
