package model

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func none(string) string { return "" }

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ref  string
		o    Options
		code Code
		says string
	}{
		{"", Options{}, Invalid, "PROVIDER/NAME with one of the providers ollama, openai, anthropic, gemini, openrouter, azure, bedrock, llamacpp, lmstudio, script"},
		{"openai", Options{}, Invalid, "PROVIDER/NAME"},
		{"openai/", Options{}, Invalid, "PROVIDER/NAME"},
		{"geminy/x", Options{}, Invalid, "PROVIDER/NAME"},
		{"azure/x", Options{}, Invalid, "set its base URL in the settings, or AZURE_BASE_URL"},
		{"openai/m", Options{BaseURL: map[string]string{"openai": "localhost:1234"}}, Invalid, "no http or https URL"},
		{"openai/m", Options{BaseURL: map[string]string{"openai": "http://me:" + sentinel + "@\x00"}}, Invalid, "no http or https URL"},
		{"openai/m", Options{Key: func(string) string { return sentinel }, BaseURL: map[string]string{"openai": "http://gpu.lan:8000/v1"}}, Denied, "http is not encrypted"},
		{"openai/m", Options{Prices: []byte("{")}, Invalid, "your own prices"},
	} {
		c.o.Env = none
		_, err := Open(c.ref, c.o)
		if code(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.ref, err)
		}
		noLeak(t, nil, Reply{}, err, nil)
	}
}

func TestWithoutAKeyNothingIsSent(t *testing.T) {
	t.Parallel()
	for ref, env := range map[string]string{"openai/m": "OPENAI_API_KEY", "anthropic/m": "ANTHROPIC_API_KEY", "gemini/m": "GEMINI_API_KEY",
		"openrouter/m": "OPENROUTER_API_KEY", "bedrock/m": "AWS_BEARER_TOKEN_BEDROCK"} {
		m, err := Open(ref, Options{Env: none, HTTP: &http.Client{Transport: forbidden{t}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Chat(t.Context(), ask(), nil)
		if code(err) != Denied || !strings.Contains(err.Error(), "set the environment variable "+env) {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

type forbidden struct{ t *testing.T }

func (f forbidden) RoundTrip(r *http.Request) (*http.Response, error) {
	f.t.Errorf("a request to %s", r.URL)
	return nil, fmt.Errorf("forbidden")
}

// TestRedirectsCarryNothing: neither the key nor the prompt goes to another host, whatever the first one says.
func TestRedirectsCarryNothing(t *testing.T) {
	t.Parallel()
	var reached bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, status)
		}))
		for _, provider := range []string{"ollama", "openai", "anthropic", "gemini", "openrouter", "azure", "bedrock", "llamacpp", "lmstudio"} {
			m := open(t, provider, "", options(provider, srv.URL, &waits{}))
			_, err := m.Chat(t.Context(), ask(), nil)
			if code(err) != Invalid || !strings.Contains(err.Error(), "redirects to another address") {
				t.Errorf("%s, %d: %v", provider, status, err)
			}
			if _, err := m.Provider.Models(t.Context()); code(err) != Invalid && provider != "azure" && provider != "bedrock" {
				t.Errorf("%s, %d: %v", provider, status, err)
			}
		}
		srv.Close()
	}
	if reached {
		t.Error("the other host was reached")
	}
}

func TestTheKeyGoesToItsHostOnly(t *testing.T) {
	t.Parallel()
	var got []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
	}))
	defer srv.Close()
	for _, provider := range []string{"openai", "anthropic"} {
		for _, base := range []string{srv.URL, "https://127.0.0.1:9", "http://127.0.0.1:9"} {
			m := open(t, provider, "", options(provider, base, &waits{}))
			var r *remote
			switch p := m.Provider.(type) {
			case *openai:
				r = &p.remote
			case *anthropic:
				r = &p.remote
			}
			resp, err := (&wire{r: r}).client().Get(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	}
	if diff := cmp.Diff([]string{"Bearer " + sentinel, "", "", sentinel, "", ""}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAvailable(t *testing.T) {
	t.Parallel()
	urls := map[string]string{}
	for _, provider := range []string{"ollama", "openai", "anthropic"} {
		urls[provider] = newPlayer(t, provider).url
	}
	o := options("", "", &waits{})
	o.BaseURL = urls
	models, problems := Available(t.Context(), o)
	var got []string
	for _, m := range models {
		got = append(got, fmt.Sprintf("%s local=%v window=%d", m.Ref(), m.Local, m.Window))
	}
	want := []string{
		"ollama/qwen3:8b local=true window=0",
		"ollama/gpt-oss:120b-cloud local=false window=0",
		"openai/gpt-4.1 local=false window=0",
		"openai/gpt-4.1-mini local=false window=0",
		"openai/o3 local=false window=0",
		"anthropic/claude-sonnet-4-5-20250929 local=false window=200000",
		"anthropic/claude-opus-5-5 local=false window=1000000",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(problems) != 0 {
		t.Errorf("problems %v: %s", problems, diff)
	}
}

func TestAvailableTellsWhyThereIsNone(t *testing.T) {
	t.Parallel()
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	o := Options{Env: none, HTTP: &http.Client{Transport: onlyLoopback{}},
		BaseURL: map[string]string{"ollama": down.URL, "anthropic": slow.URL}}
	start := time.Now()
	models, problems := Available(t.Context(), o)
	if took := time.Since(start); took > time.Minute || len(models) != 0 {
		t.Errorf("took %v for %v", took, models)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%s %s", p.Provider, p.Code))
	}
	if diff := cmp.Diff([]string{"ollama unavailable", "openai denied", "anthropic unavailable"}, got); diff != "" {
		t.Errorf("%v: %s", problems, diff)
	}
}

type onlyLoopback struct{}

func (onlyLoopback) RoundTrip(r *http.Request) (*http.Response, error) {
	if !loopback(r.URL.Hostname()) {
		return nil, fmt.Errorf("a test must not reach %s", r.URL.Host)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0.5": 500 * time.Millisecond, "-3": 0, "soon": 0, "1e300": 0, "NaN": 0,
		"Sun, 29 Nov 2026 12:00:09 GMT": 9 * time.Second,
		"Sun, 29 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"1"}}, now); got != 250*time.Millisecond {
		t.Errorf("milliseconds: %v", got)
	}
}

func TestProblem(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`{"error":{"type":"a","code":"b","message":"c"}}`:     {"a b", "c"},
		`{"error":{"message":"c","code":400}}`:                {"", "c"},
		`{"type":"error","error":{"type":"a","message":"c"}}`: {"a", "c"},
		`{"error":"c"}`:        {"", "c"},
		`{"message":"c"}`:      {"", "c"},
		`{"detail":"c"}`:       {"", "c"},
		`{"detail":[{"a":1}]}`: {"", `[{"a":1}]`},
		`[{"error":{"code":429,"message":"c","status":"x"}}]`: {"x", "c"},
		`not json`: {"", "not json"},
		``:         {"", ""},
		`null`:     {"", ""},
	} {
		if p := problem([]byte(body)); p.kind != want[0] || p.message != want[1] {
			t.Errorf("%s: %q, %q", body, p.kind, p.message)
		}
	}
}

func TestErrorsAreOneShortLine(t *testing.T) {
	t.Parallel()
	r := remote{key: "k3y"}
	got := r.clean("a\n\tb \x1b[31m k3y \u202e" + strings.Repeat("é", 1000))
	if strings.ContainsAny(got, "\n\t\x1b\u202e") || strings.Contains(got, "k3y") || len(got) > 710 || !strings.HasPrefix(got, "a b [31m [key] ") {
		t.Errorf("%q", got)
	}
}

// TestPriceTable holds the embedded table to its form: dated, every row with a source, and no row hidden by another.
func TestPriceTable(t *testing.T) {
	t.Parallel()
	prices, err := parsePrices(pricesJSON)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range prices {
		if id := p.provider + "/" + p.match; seen[id] {
			t.Errorf("%s has two rows", id)
		} else {
			seen[id] = true
		}
		if p.input <= 0 || p.output <= p.input || p.cacheRead > p.input || p.cacheWrite < p.input || p.above > 0 && p.dear.input <= p.input {
			t.Errorf("%s/%s has odd prices: %+v", p.provider, p.match, p)
		}
	}
	raw, err := os.ReadFile("prices.json")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), `"source": "`); n != len(prices) || !strings.Contains(string(raw), `"date": "20`) {
		t.Errorf("%d sources for %d rows", n, len(prices))
	}
}

func TestPricesOfModels(t *testing.T) {
	t.Parallel()
	own := []byte(`{"rows": [{"provider": "openai", "match": "gpt-4.1", "input": 1, "output": 1}, {"provider": "openai", "match": "qwen*", "input": 0, "output": 0}]}`)
	for _, c := range []struct {
		ref, base string
		own       []byte
		in        int64
		want      MicroUSD // -1 unknown
	}{
		{"anthropic/claude-sonnet-4-5", "", nil, 1_000_000, 3_000_000},
		{"anthropic/claude-sonnet-4-5-20250929", "", nil, 1_000_000, 3_000_000},
		{"anthropic/claude-sonnet-4-5-turbo", "", nil, 1_000_000, -1},
		{"anthropic/claude-haiku-5-5", "", nil, 100_000, 10_000},
		{"anthropic/claude-haiku-5-5", "", nil, 100_001, 50_001},
		{"openai/gpt-4.1-2025-04-14", "", nil, 1_000_000, 2_000_000},
		{"openai/gpt-4.1", "https://openrouter.ai/api/v1", nil, 1_000_000, -1}, // others sell it at other prices
		{"openai/gpt-4.1", "https://openrouter.ai/api/v1", own, 1_000_000, 1_000_000},
		{"openai/gpt-4.1", "", own, 1_000_000, 1_000_000},
		{"openai/qwen3", "http://127.0.0.1:4000", own, 1_000_000, 0},
		{"openai/never-heard-of", "", nil, 1_000_000, -1},
	} {
		o := Options{Env: none, Key: func(string) string { return sentinel }, Prices: c.own}
		if c.base != "" {
			o.BaseURL = map[string]string{strings.Split(c.ref, "/")[0]: c.base}
		}
		m, err := Open(c.ref, o)
		if err != nil {
			t.Fatal(err)
		}
		cost, known := m.Cost(Usage{Known: true, Input: c.in})
		if known != (c.want >= 0) || known && cost != c.want {
			t.Errorf("%s at %q: %d, known %v; want %d", c.ref, c.base, cost, known, c.want)
		}
	}
}

func TestSleepEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sleep(ctx, time.Hour); err == nil {
		t.Error("slept through a cancel")
	}
	if err := sleep(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
}
