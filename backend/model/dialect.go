package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// dialect is one service that speaks Chat Completions with ways of its own. A new one is a row in dialects, a row in
// providers and a folder of exchanges in its wire shape.
type dialect struct {
	provider string
	label    string // of the maker's own service, "" the host
	base     string // default base URL, "" none
	root     string // the path that a base URL without one gets
	keyName  string
	own      bool // runs models on its own machine: local where that is this one
	limit    bool // calls the output limit max_completion_tokens
	// ask asks the service what it knows of a model, nil nothing.
	ask func(ctx context.Context, p *openai, info Info) (Info, error)
}

// Where Gemini and OpenRouter are; others stand in dialects.
const (
	geminiURL     = "https://generativelanguage.googleapis.com/v1beta/openai"
	openrouterURL = "https://openrouter.ai/api/v1"
)

func dialects() []dialect {
	return []dialect{
		{provider: "openai", label: "OpenAI", base: openaiBase, root: "v1", keyName: "OPENAI_API_KEY"},
		{provider: "gemini", label: "Gemini", base: geminiURL, root: "v1beta/openai", keyName: "GEMINI_API_KEY", ask: askGemini},
		{provider: "openrouter", label: "OpenRouter", base: openrouterURL, root: "api/v1", keyName: "OPENROUTER_API_KEY", ask: askOpenRouter},
		{provider: "azure", root: "openai/v1", keyName: "AZURE_OPENAI_API_KEY", limit: true},
		{provider: "llamacpp", base: "http://127.0.0.1:8080/v1", root: "v1", keyName: "LLAMA_API_KEY", own: true, ask: askLlamaCpp},
		{provider: "lmstudio", base: "http://127.0.0.1:1234/v1", root: "v1", keyName: "LM_API_TOKEN", own: true, ask: askLMStudio},
	}
}

// dialectOf gives a provider's dialect.
func dialectOf(provider string) dialect {
	for _, d := range dialects() {
		if d.provider == provider {
			return d
		}
	}
	return dialect{provider: provider}
}

// make gives the provider that speaks the dialect.
func (d dialect) make(o Options, _ string) (Provider, error) {
	if d.base == "" && o.baseURL(d.provider, "") == "" {
		return nil, &Error{Invalid, d.provider, fmt.Sprintf(
			"where %s is, is not known: set its base URL in the settings, or %s_BASE_URL", d.provider, strings.ToUpper(d.provider)), nil}
	}
	r, err := newRemote(o, d.provider, d.base, d.keyName)
	if err != nil {
		return nil, err
	}
	if strings.Trim(r.base.Path, "/") == "" {
		r.base = r.base.JoinPath(d.root)
	}
	azure := d.provider == "azure" || strings.HasSuffix(r.base.Hostname(), ".azure.com")
	if azure {
		r.base = azureBase(r.base, o)
	}
	r.auth = func(h http.Header, key string) {
		switch {
		case key == "":
		case d.provider == "azure":
			h.Set("Api-Key", key)
		default:
			h.Set("Authorization", "Bearer "+key)
			if azure {
				h.Set("Api-Key", key)
			}
			if d.provider == "gemini" { // what its own form, which tells of models, wants
				h.Set("X-Goog-Api-Key", key)
			}
		}
	}
	path, whole := strings.CutSuffix(strings.TrimSuffix(r.base.Path, "/"), responsesPath)
	if whole {
		r.base.Path = path
	}
	p := &openai{remote: r, d: d, quirks: map[string]openaiQuirks{}, prices: map[string]*price{}}
	if whole || d.provider == "openai" && r.base.Host == d.host() {
		return &responses{p}, nil
	}
	return p, nil
}

// info is what is known of a model without asking.
func (d dialect) info(o Options, model string) Info {
	base := o.baseURL(d.provider, d.base)
	i := Info{Provider: d.provider, Name: model, Label: model + " · " + cmp.Or(d.label, d.provider), Images: takesByName(model)}
	r, err := newRemote(o, d.provider, d.base, d.keyName)
	if err == nil && (base != d.base || d.label == "") {
		i.Label = model + " · " + r.base.Host
	}
	// A server here that wants no key runs the model itself; one that wants a key, or has a model that only its maker runs,
	// may pass it on and bill for it, unless it is known to be a runner of models.
	here := err == nil && o.here(base)
	i.Local = here && (d.own || r.key == "" && !hosted.MatchString(model))
	i.Here = here && !i.Local
	return i
}

// hosted are the names, also behind their maker's ("anthropic/claude-…"), of models whose weights nobody but the maker has.
var hosted = regexp.MustCompile(`(?i)^(.*/)?(gpt-\d|chatgpt-|o\d\b|claude-|gemini-)`)

// host is the maker's own, which is not asked without a key; "" where none is needed.
func (d dialect) host() string {
	u, err := url.Parse(d.base)
	if err != nil || d.own {
		return ""
	}
	return u.Host
}

// newLimit says whether the server calls the output limit by its newer name.
func (d dialect) newLimit(host string) bool {
	return d.limit || host == "api.openai.com" || strings.HasSuffix(host, ".azure.com")
}

// azureBase understands the three forms in which Azure's address is given: the resource alone or with /openai/v1, whose
// requests name the deployment as their model; the resource with an API version (in the address, or in
// AZURE_OPENAI_API_VERSION or OPENAI_API_VERSION), where the deployment is a part of the path; and the whole path.
func azureBase(base *url.URL, o Options) *url.URL {
	u := *base
	version := cmp.Or(u.Query().Get("api-version"), o.Env("AZURE_OPENAI_API_VERSION"), o.Env("OPENAI_API_VERSION"))
	path := strings.TrimSuffix(u.Path, "/")
	u.RawQuery = ""
	switch {
	case version == "" || version == "v1" || version == "preview":
		if strings.HasSuffix(path, "openai") {
			u = *u.JoinPath("v1")
		}
		return &u
	case strings.HasSuffix(path, "openai/v1"):
		u.Path = strings.TrimSuffix(path, "/v1")
	}
	u.RawQuery = url.Values{"api-version": {version}}.Encode()
	return &u
}

// path is where the model chats, relative to the base URL.
func (p *openai) path(model string) string {
	if p.base.RawQuery != "" && !strings.Contains(p.base.Path, "/deployments/") {
		return "deployments/" + url.PathEscape(model) + "/chat/completions" // Azure's, with an API version
	}
	return "chat/completions"
}

// describe asks the service, where it tells, for the model's context and prices.
func (p *openai) describe(ctx context.Context, info Info) (Info, error) {
	if p.d.ask == nil {
		return info, nil
	}
	if err := p.needKey(p.d.host()); err != nil {
		return info, err
	}
	out, err := p.d.ask(ctx, p, info)
	var e *Error
	if errors.As(err, &e) && (e.Code == NotFound || e.Code == Internal || e.Code == Invalid) {
		return info, nil // an older server: it does not tell
	}
	if err != nil {
		return info, p.listErr(ctx, err)
	}
	return out, nil
}

// askLlamaCpp reads the context that the server was started with (-c), for each of its slots.
func askLlamaCpp(ctx context.Context, p *openai, info Info) (Info, error) {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities *struct {
			Vision bool `json:"vision"`
		} `json:"modalities"` // of newer servers
	}
	err := p.get(ctx, "../props", &props)
	if m := props.Modalities; m != nil {
		info.Images = takes(m.Vision)
	}
	info.Window = cmp.Or(props.Settings.Context, info.Window)
	return info, err
}

// askLMStudio reads the context that a model is loaded with, or the most that it can have. The second address is that of
// its newer versions.
func askLMStudio(ctx context.Context, p *openai, info Info) (Info, error) {
	var old struct {
		Data []struct {
			ID     string `json:"id"`
			Type   string `json:"type"` // llm, vlm
			Loaded int    `json:"loaded_context_length"`
			Max    int    `json:"max_context_length"`
		} `json:"data"`
	}
	err := p.get(ctx, "../api/v0/models", &old)
	for _, m := range old.Data {
		if m.ID == info.Name {
			info.Window = cmp.Or(m.Loaded, m.Max, info.Window)
			if m.Type != "" {
				info.Images = takes(m.Type == "vlm")
			}
		}
	}
	var e *Error
	if !errors.As(err, &e) || e.Code != NotFound {
		return info, err
	}
	var list struct {
		Models []struct {
			Key          string `json:"key"`
			Max          int    `json:"max_context_length"`
			Capabilities *struct {
				Vision bool `json:"vision"`
			} `json:"capabilities"`
			Instances []struct {
				Config struct {
					Context int `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	if err := p.get(ctx, "../api/v1/models", &list); err != nil {
		return info, err
	}
	for _, m := range list.Models {
		if m.Key != info.Name {
			continue
		}
		info.Window = cmp.Or(m.Max, info.Window)
		if c := m.Capabilities; c != nil {
			info.Images = takes(c.Vision)
		}
		if len(m.Instances) > 0 {
			info.Window = cmp.Or(m.Instances[0].Config.Context, info.Window)
		}
	}
	return info, nil
}

// askGemini reads the limit of a model's input in Gemini's own form of the list.
func askGemini(ctx context.Context, p *openai, info Info) (Info, error) {
	var m struct {
		Input int `json:"inputTokenLimit"`
	}
	err := p.get(ctx, "../models/"+url.PathEscape(strings.TrimPrefix(info.Name, "models/")), &m)
	info.Window = cmp.Or(m.Input, info.Window)
	return info, err
}

// askOpenRouter reads context and prices, which it tells of every model in dollars a token.
func askOpenRouter(ctx context.Context, p *openai, info Info) (Info, error) {
	var list struct {
		Data []struct {
			ID           string `json:"id"`
			Context      int    `json:"context_length"`
			Architecture struct {
				Inputs   []string `json:"input_modalities"`
				Modality string   `json:"modality"` // older: text+image->text
			} `json:"architecture"`
			Pricing struct {
				Input  json.Number `json:"prompt"`
				Output json.Number `json:"completion"`
				Read   json.Number `json:"input_cache_read"`
				Write  json.Number `json:"input_cache_write"`
			} `json:"pricing"`
		} `json:"data"`
	}
	if err := p.get(ctx, "models", &list); err != nil {
		return info, err
	}
	for _, m := range list.Data {
		if m.ID != info.Name {
			continue
		}
		info.Window = cmp.Or(m.Context, info.Window)
		inputs, _, told := strings.Cut(m.Architecture.Modality, "->")
		if told || len(m.Architecture.Inputs) > 0 {
			info.Images = takes(strings.Contains(inputs, "image") || slices.Contains(m.Architecture.Inputs, "image"))
		}
		in, ok1 := perToken(m.Pricing.Input)
		out, ok2 := perToken(m.Pricing.Output)
		if !ok1 || !ok2 {
			continue // it varies (-1), or is not told
		}
		r := rates{input: in, output: out, cacheRead: in, cacheWrite: in, cacheWrite1h: in}
		if n, ok := perToken(m.Pricing.Read); ok {
			r.cacheRead = n
		}
		if n, ok := perToken(m.Pricing.Write); ok {
			r.cacheWrite, r.cacheWrite1h = n, n
		}
		p.mu.Lock()
		p.prices[info.Name] = &price{provider: p.provider, match: info.Name, rates: r}
		p.mu.Unlock()
	}
	return info, nil
}

// price is what the service told of the model's price, nil nothing.
func (p *openai) price(model string) *price {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prices[model]
}
