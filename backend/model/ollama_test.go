package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestOllamaURL(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"":                     "http://127.0.0.1:11434",
		"  ":                   "http://127.0.0.1:11434",
		"0.0.0.0":              "http://127.0.0.1:11434",
		"0.0.0.0:8080":         "http://127.0.0.1:8080",
		":8080":                "http://127.0.0.1:8080",
		"[::]:8080":            "http://127.0.0.1:8080",
		"[::1]":                "http://[::1]:11434",
		"gpu":                  "http://gpu:11434",
		"gpu:1":                "http://gpu:1",
		"http://gpu":           "http://gpu:80",
		"https://gpu.lan/path": "https://gpu.lan:443/path",
		"https://gpu.lan:8443": "https://gpu.lan:8443",
	} {
		if got := ollamaURL(host); got != want {
			t.Errorf("%q: %s, want %s", host, got, want)
		}
	}
}

func TestNumCtx(t *testing.T) {
	t.Parallel()
	long := Request{System: strings.Repeat("x", 70_000)} // about 20,000 tokens
	for _, c := range []struct {
		name string
		req  Request
		most int
		want int
	}{
		{"small, with its answer", Request{}, 40960, 16384},
		{"small answer", Request{MaxOutput: 100}, 40960, 8192},
		{"long", long, 262144, 32768},
		{"more than the model has", long, 4096, 4096},
		{"the model does not tell", long, 0, 32768},
		{"asked for", Request{Window: 12345}, 40960, 12345},
		{"asked for too much", Request{Window: 1 << 20}, 40960, 40960},
	} {
		if got := numCtx(c.req, c.most); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// ollamaServer answers /api/show with a context and /api/chat with one reply that read so many tokens.
func ollamaServer(t *testing.T, context, read int, sent *map[string]any) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/show") {
			fmt.Fprintf(w, `{"model_info":{"general.architecture":"qwen3","qwen3.context_length":%d}}`, context)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, sent); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"message":{"content":"ok"},"done":true,"done_reason":"stop","prompt_eval_count":%d,"eval_count":3}`+"\n", read)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestOllamaTellsOfACutPrompt(t *testing.T) {
	t.Parallel()
	req := Request{System: strings.Repeat("word and word ", 5000)} // 70,000 bytes, 20,000 by our count, 15,000 in truth
	for _, c := range []struct {
		name string
		req  Request
		read int
		code Code
	}{
		{"whole", req, 15_000, ""},
		{"whole, in few tokens", req, 10_100, ""},
		{"cut", req, 4_096, Invalid},
		{"not told", req, 0, ""},
		{"thinking left out", Request{System: req.System, Messages: []Message{{Role: Assistant, Thinking: req.System + req.System}}}, 15_000, ""},
		{"too small to judge", Request{System: strings.Repeat("x", 2000)}, 100, ""},
	} {
		var sent map[string]any
		m := open(t, "ollama", "", options("ollama", ollamaServer(t, 40960, c.read, &sent), &waits{}))
		_, err := m.Chat(t.Context(), c.req, nil)
		if code(err) != c.code || c.code != "" && !strings.Contains(err.Error(), "silently cut") {
			t.Errorf("%s: %v", c.name, err)
		}
		if sent["truncate"] != false || sent["shift"] != false {
			t.Errorf("%s: the server is not asked to refuse instead of cutting: %v", c.name, sent)
		}
	}
}

func TestOllamaDescribe(t *testing.T) {
	t.Parallel()
	var sent map[string]any
	m := open(t, "ollama", "", options("ollama", ollamaServer(t, 40960, 5, &sent), &waits{}))
	info, err := m.Describe(t.Context())
	if err != nil || info.Window != 40960 || !info.Local {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := m.Chat(t.Context(), Request{MaxOutput: 100_000}, nil); err != nil {
		t.Fatal(err)
	}
	if got := sent["options"].(map[string]any)["num_ctx"]; got != float64(40960) {
		t.Errorf("num_ctx %v", got)
	}
}

func TestOllamaLocal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host, model string
		local       bool
	}{{"", "qwen3:8b", true}, {"", "gpt-oss:120b-cloud", false}, {"", "x:cloud", false}, {"gpu.lan", "qwen3:8b", false}} {
		m, err := Open("ollama/"+c.model, Options{Env: func(string) string { return c.host }})
		if err != nil {
			t.Fatal(err)
		}
		if _, known := m.Cost(Usage{Known: true, Input: 5}); m.Local != c.local || known != c.local {
			t.Errorf("%s at %q: local %v, price known %v", c.model, c.host, m.Local, known)
		}
	}
}

func TestOllamaWithoutTools(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "ollama", "notools")
	_, err := open(t, "ollama", "", options("ollama", p.url, &waits{})).WithForm(Native).Chat(t.Context(), ask(), nil)
	if code(err) != Invalid || !strings.Contains(err.Error(), `model "qwen3:8b" cannot call tools`) {
		t.Error(err)
	}
}
