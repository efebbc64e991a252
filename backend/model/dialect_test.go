package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDescribe: what each service tells of a model, in its own form.
func TestDescribe(t *testing.T) {
	t.Parallel()
	for provider, window := range map[string]int{
		"gemini": 1048576, "openrouter": 1000000, "llamacpp": 32768, "lmstudio": 16384, "azure": 0, "bedrock": 0,
	} {
		p := newPlayer(t, provider)
		m := open(t, provider, "", options(provider, p.url, &waits{}))
		info, err := m.Describe(t.Context())
		if err != nil || info.Window != window {
			t.Errorf("%s: window %d, want %d; %v", provider, info.Window, window, err)
		}
		if local := provider == "llamacpp" || provider == "lmstudio"; info.Local != local {
			t.Errorf("%s: local %v", provider, info.Local)
		}
		o := options(provider, p.url, &waits{})
		o.Windows = map[string]int{m.Ref(): 4321}
		m = open(t, provider, "", o)
		if info, err = m.Describe(t.Context()); err != nil || info.Window != 4321 || m.Window != 4321 {
			t.Errorf("%s: the person's own window is %d, %v", provider, info.Window, err)
		}
	}
}

// TestOpenRouterTellsItsPrices: what it lists prices a call before it is made, and what it charged stands after it.
func TestOpenRouterTellsItsPrices(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "openrouter", "usage")
	m := open(t, "openrouter", "", options("openrouter", p.url, &waits{}))
	if _, known := m.WorstCost(1000, 100); known {
		t.Error("the price is known before it was asked for")
	}
	if _, err := m.Describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if worst, known := m.WorstCost(1_000_000, 1_000_000); !known || worst != 3_750_000+15_000_000 {
		t.Errorf("worst %d, %v", worst, known)
	}
	r, err := m.Chat(t.Context(), ask(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if cost, known := m.Cost(r.Usage); !known || cost != 270 {
		t.Errorf("charged %d, %v", cost, known)
	}
	r.Usage.Billed = nil
	if cost, known := m.Cost(r.Usage); !known || cost != 1665 { // 100×3 + 800×0.3 + 100×3.75 + 50×15
		t.Errorf("by the list %d, %v", cost, known)
	}
	free := open(t, "openrouter", "", options("openrouter", p.url, &waits{}))
	free.Name = "qwen/qwen3-coder:free"
	if _, err := free.Describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if cost, known := free.Cost(Usage{Known: true, Input: 1000}); !known || cost != 0 {
		t.Errorf("a free model costs %d, known %v", cost, known)
	}
}

// TestSignedThinkingComesBack: what a service wants to see again is sent with the turn it belongs to, unchanged.
func TestSignedThinkingComesBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, play, want string }{
		{"gemini", "call", `"extra_content":{"google":{"thought_signature":"CiQB0e2KbwS1gn"}}`},
		{"gemini", "two", `"extra_content":{"google":{"thought_signature":"CiQB0e2Kb9=="}}}`},
		{"openrouter", "thinking", `"reasoning_details":[{"format":"anthropic-claude-v1","index":0,"signature":"EqoBCkgIARABGAI","text":"Look first.","type":"reasoning.text"}]`},
		{"bedrock", "thinking", `{"reasoningContent":{"reasoningText":{"signature":"EqoBCkgIARABGAI","text":"Look first."}}},{"text":"Done."}`},
		{"anthropic", "thinking", `"signature":`},
	} {
		p := newPlayer(t, c.provider, c.play, "text")
		m := open(t, c.provider, "", options(c.provider, p.url, &waits{}))
		req := ask()
		r, err := m.Chat(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := json.Marshal(r.Message) // as a session does
		if err != nil {
			t.Fatal(err)
		}
		var back Message
		if err := json.Unmarshal(stored, &back); err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, back)
		if len(back.Calls) > 0 {
			results := Message{Role: Tool}
			for _, call := range back.Calls {
				results.Results = append(results.Results, Result{CallID: call.ID, Name: call.Name, Text: "ok"})
			}
			req.Messages = append(req.Messages, results)
		} else {
			req.Messages = append(req.Messages, Message{Role: User, Text: "Go on."})
		}
		r, err = m.Chat(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(r.Body), c.want) || strings.Count(string(r.Body), c.want) != 1 {
			t.Errorf("%s, %s: %s\nlacks %s", c.provider, c.play, r.Body, c.want)
		}
		other := newPlayer(t, "openai", "text")
		if r, err = open(t, "openai", "", options("openai", other.url, &waits{})).Chat(t.Context(), req, nil); err != nil || strings.Contains(string(r.Body), c.want) {
			t.Errorf("%s's own form was sent to another provider: %s, %v", c.provider, r.Body, err)
		}
	}
}

func TestAzureAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, version, want string
	}{
		{"", "", "/openai/v1/chat/completions"},
		{"/", "", "/openai/v1/chat/completions"},
		{"/openai/v1/", "", "/openai/v1/chat/completions"},
		{"/openai", "", "/openai/v1/chat/completions"},
		{"", "2024-10-21", "/openai/deployments/my-gpt-4.1/chat/completions?api-version=2024-10-21"},
		{"/openai/v1", "2024-10-21", "/openai/deployments/my-gpt-4.1/chat/completions?api-version=2024-10-21"},
		{"/openai?api-version=2025-01-01-preview", "", "/openai/deployments/my-gpt-4.1/chat/completions?api-version=2025-01-01-preview"},
		{"/openai/deployments/other?api-version=2024-10-21", "", "/openai/deployments/other/chat/completions?api-version=2024-10-21"},
	} {
		p := newPlayer(t, "azure", "text")
		o := options("azure", p.url+c.base, &waits{})
		o.Env = func(name string) string {
			if name == "AZURE_OPENAI_API_VERSION" {
				return c.version
			}
			return ""
		}
		if _, err := open(t, "azure", "", o).Chat(t.Context(), ask(), nil); err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		got := p.requests()[0]
		if got.uri != c.want || got.header.Get("Api-Key") != sentinel || got.header.Get("Authorization") != "" {
			t.Errorf("%+v: %s with %v", c, got.uri, got.header)
		}
	}
	m, err := Open("azure/d", Options{Key: none, Env: func(name string) string {
		return map[string]string{"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com"}[name]
	}})
	if err != nil || m.Label != "d · r.openai.azure.com" {
		t.Errorf("%+v, %v", m.Info, err)
	}
}

func TestBedrock(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "bedrock", "nocache", "text", "text", "hour", "throttled", "text")
	var w waits
	m := open(t, "bedrock", "", options("bedrock", p.url, &w))
	for range 2 {
		if r, err := m.Chat(t.Context(), ask(), nil); err != nil || strings.Contains(string(r.Body), "cachePoint") {
			t.Errorf("after a refusal of cache points: %s, %v", r.Body, err)
		}
	}
	if got := p.requests(); !strings.Contains(string(got[0].body), "cachePoint") || len(w.got) != 0 ||
		got[0].uri != "/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse-stream" || got[0].header.Get("Accept") != frames {
		t.Errorf("%+v, waits %v", got[0], w.got)
	}
	r, err := m.Chat(t.Context(), ask(), nil)
	if want := (Usage{Known: true, Input: 100, CacheRead: 800, CacheWrite: 100, CacheWrite1h: 50, Output: 50}); err != nil || r.Usage != want {
		t.Errorf("%+v, %v", r.Usage, err)
	}
	if r, err = m.Chat(t.Context(), ask(), nil); err != nil || r.Message.Text != said || len(w.got) != 1 {
		t.Errorf("after throttling within the stream: %+v, %v, waits %v", r, err, w.got)
	}
	for region, host := range map[string]string{"": "bedrock-runtime.us-east-1.amazonaws.com", "eu-central-1": "bedrock-runtime.eu-central-1.amazonaws.com"} {
		m, err := Open("bedrock/x", Options{Key: none, Env: func(name string) string { return map[string]string{"AWS_REGION": region}[name] }})
		if err != nil || m.Provider.(*bedrock).base.Host != host {
			t.Errorf("%s: %v, %v", region, m.Provider, err)
		}
	}
}

func TestBedrockARNs(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "bedrock", "text")
	m, err := Open("bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/x", options("bedrock", p.url, &waits{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Chat(t.Context(), ask(), nil); err != nil {
		t.Fatal(err)
	}
	if got := p.requests()[0].uri; got != "/model/arn:aws:bedrock:us-east-1:1:inference-profile%2Fx/converse-stream" {
		t.Error(got)
	}
}

// TestLlamaCppTellsItsTimings stands for usage where an older server gives none.
func TestLlamaCppTellsItsTimings(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "llamacpp", "timings")
	r, err := open(t, "llamacpp", "", options("llamacpp", p.url, &waits{})).Chat(t.Context(), ask(), nil)
	if want := (Usage{Known: true, Input: 200, CacheRead: 800, Output: 50}); err != nil || r.Usage != want {
		t.Errorf("%+v, %v", r.Usage, err)
	}
}

func TestLMStudioNewerList(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "lmstudio")
	p.hide = "v0models"
	info, err := open(t, "lmstudio", "", options("lmstudio", p.url, &waits{})).Describe(t.Context())
	if err != nil || info.Window != 12288 {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestAServersAmounts: what a server claims to have charged is an amount or nothing.
func TestAServersAmounts(t *testing.T) {
	t.Parallel()
	for in, want := range map[json.Number]MicroUSD{"0": 0, "0.00027": 270, "0.0000001": 1, "1e-3": 1000, "12.5": 12_500_000,
		"-1": -1, "": -1, "1e999": -1, "1e-999": 0, "1000001": -1, "1/2": -1, "x": -1} {
		got := dollars(in)
		if want < 0 && got != nil || want >= 0 && (got == nil || *got != want) {
			t.Errorf("%q: %v, want %d", in, got, want)
		}
	}
}
