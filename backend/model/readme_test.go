package model

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// redirected sends everything to a local server and notes where it was meant to go.
type redirected struct {
	to string

	mu     sync.Mutex
	hosts  []string
	header http.Header
}

func (r *redirected) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.hosts, r.header = append(r.hosts, req.URL.Scheme+"://"+req.URL.Host), req.Header.Clone()
	r.mu.Unlock()
	to, err := url.Parse(r.to)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = to.Scheme, to.Host
	return http.DefaultTransport.RoundTrip(req)
}

// TestReadmeLines sets each provider up as its line in the README says, by nothing but those variables, and lets it call a tool,
// answer with cached tokens, and recover from an overloaded server and a cut stream, against a server of its wire. The line must
// name each variable that is used.
func TestReadmeLines(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line  string // how it begins
		wire  string
		ref   string
		host  string
		env   map[string]string
		auth  string // the header, and how its value begins
		fixed string // a part of the address that is no variable's value
	}{
		{"Ollama", "ollama", "ollama/qwen3:8b", "http://127.0.0.1:11434", nil, "", ""},
		{"Anthropic", "anthropic", "anthropic/claude-sonnet-4-5", "https://api.anthropic.com", map[string]string{"ANTHROPIC_API_KEY": sentinel}, "X-Api-Key: " + sentinel, ""},
		{"OpenAI", "responses", "openai/gpt-4.1", "https://api.openai.com", map[string]string{"OPENAI_API_KEY": sentinel}, "Authorization: Bearer " + sentinel, ""},
		{"Gemini", "gemini", "gemini/gemini-2.5-flash", "https://generativelanguage.googleapis.com", map[string]string{"GEMINI_API_KEY": sentinel}, "Authorization: Bearer " + sentinel, ""},
		{"OpenRouter", "openrouter", "openrouter/anthropic/claude-sonnet-4.5", "https://openrouter.ai", map[string]string{"OPENROUTER_API_KEY": sentinel}, "Authorization: Bearer " + sentinel, ""},
		{"Azure OpenAI", "azure", "azure/my-gpt-4.1", "https://shop.openai.azure.com",
			map[string]string{"AZURE_OPENAI_ENDPOINT": "https://shop.openai.azure.com", "AZURE_OPENAI_API_KEY": sentinel}, "Api-Key: " + sentinel, "openai.azure.com"},
		{"Amazon Bedrock", "bedrock", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "https://bedrock-runtime.eu-central-1.amazonaws.com",
			map[string]string{"AWS_BEARER_TOKEN_BEDROCK": sentinel, "AWS_REGION": "eu-central-1"}, "Authorization: Bearer " + sentinel, ""},
		{"Amazon Bedrock", "bedrock", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "https://bedrock-runtime.us-east-1.amazonaws.com",
			map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "sk-other", "AWS_SESSION_TOKEN": sentinel}, "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/", "us-east-1"},
		{"llama.cpp", "llamacpp", "llamacpp/gpt-oss-20b", "http://127.0.0.1:8080", nil, "", "port 8080"},
		{"llama.cpp", "llamacpp", "llamacpp/gpt-oss-20b", "https://box:9000", map[string]string{"LLAMACPP_BASE_URL": "https://box:9000/v1", "LLAMA_API_KEY": sentinel}, "Authorization: Bearer " + sentinel, ""},
		{"LM Studio", "lmstudio", "lmstudio/qwen/qwen3-8b", "http://127.0.0.1:1234", nil, "", "port 1234"},
		{"LM Studio", "lmstudio", "lmstudio/qwen/qwen3-8b", "https://box:9000", map[string]string{"LMSTUDIO_BASE_URL": "https://box:9000/v1", "LM_API_TOKEN": sentinel}, "Authorization: Bearer " + sentinel, ""},
		{"any other OpenAI-compatible server", "openai", "openai/gpt-4.1", "http://box:8000", map[string]string{"OPENAI_BASE_URL": "http://box:8000/v1"}, "", ""},
		{"any other OpenAI-compatible server", "responses", "openai/gpt-4.1", "http://box:8000", map[string]string{"OPENAI_BASE_URL": "http://box:8000/v1/responses"}, "", "/responses"},
	} {
		name := c.line
		for variable := range c.env {
			name += " " + variable
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := ""
			for l := range strings.Lines(string(readme)) {
				if strings.HasPrefix(l, "| "+c.line+" |") {
					line = l
				}
			}
			for variable := range c.env {
				if !strings.Contains(line, variable) {
					t.Errorf("the README's line does not name %s: %q", variable, line)
				}
			}
			provider, _, _ := strings.Cut(c.ref, "/")
			if !strings.Contains(line, "`"+provider+"/") || !strings.Contains(line, c.fixed) {
				t.Errorf("the README's line does not tell how to choose it: %q", line)
			}
			p := newPlayer(t, c.wire, "call", "529", "usage", "text:half", "text")
			wire := &redirected{to: p.url}
			var w waits
			m, err := Open(c.ref, Options{Env: func(name string) string { return c.env[name] }, HTTP: &http.Client{Transport: wire}, Sleep: w.sleep,
				Rand: func() float64 { return 0.5 }, Now: func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }})
			if err != nil {
				t.Fatal(err)
			}
			call, err := m.Chat(t.Context(), ask(), nil)
			if err != nil || len(call.Message.Calls) != 1 || call.Message.Calls[0].Name != "read_file" {
				t.Fatalf("%+v, %v", call.Message, err)
			}
			if c.wire != "lmstudio" { // it tells no cache
				used, err := m.Chat(t.Context(), ask(), nil)
				if err != nil || c.wire != "ollama" && used.Usage.CacheRead != 800 {
					t.Errorf("%+v, %v", used.Usage, err)
				}
			} else {
				p.plays = p.plays[2:]
			}
			if said_, err := m.Chat(t.Context(), ask(), nil); err != nil || said_.Message.Text != said {
				t.Errorf("%q, %v", said_.Message.Text, err)
			}
			for _, host := range wire.hosts {
				if host != c.host {
					t.Errorf("it went to %s, want %s", host, c.host)
				}
			}
			header, value, _ := strings.Cut(c.auth, ": ")
			if got := wire.header.Get(header); c.auth != "" && !strings.HasPrefix(got, value) {
				t.Errorf("%s: %q, want %q", header, got, value)
			}
			if c.env["AWS_SESSION_TOKEN"] != "" && wire.header.Get("X-Amz-Security-Token") != sentinel {
				t.Error("the lent key's token is not sent")
			}
		})
	}
}
