package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// openEmbedder opens a provider's embedder against a player.
func openEmbedder(t *testing.T, provider string, plays ...string) (*Embedder, *player) {
	t.Helper()
	p := newPlayer(t, provider, plays...)
	e, err := OpenEmbedder(provider+"/some-model", Options{
		BaseURL: map[string]string{provider: p.url}, HTTP: http.DefaultClient,
		Key: func(string) string { return sentinel }, Env: func(string) string { return "" },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, Rand: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return e, p
}

// TestEmbedders is the conformance suite of what embeds.
func TestEmbedders(t *testing.T) {
	t.Parallel()
	texts := []string{"func a() {}", "func b() {}"}
	want := [][]float32{{0.5, -0.25, 0}, {0.125, 1, 0.5}}
	for _, provider := range []string{"ollama", "openai"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			for name, plays := range map[string][]string{"vectors": {"embed"}, "a limit": {"429", "embed"}, "an outage": {"500", "embed"}} {
				e, p := openEmbedder(t, provider, plays...)
				got, err := e.Embed(t.Context(), texts)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s: %s", name, d)
				}
				last := p.seen[len(p.seen)-1]
				var body struct {
					Model string
					Input []string
				}
				if err := json.Unmarshal(last.body, &body); err != nil || body.Model != "some-model" || !cmp.Equal(body.Input, texts) {
					t.Errorf("%s: sent %s (%v)", name, last.body, err)
				}
				if strings.Contains(string(last.body), sentinel) {
					t.Errorf("%s: the key is in the body", name)
				}
			}
			e, _ := openEmbedder(t, provider, "embed")
			if _, err := e.Embed(t.Context(), texts[:1]); err == nil || !strings.Contains(err.Error(), "2 vectors for 1") {
				t.Errorf("another count: %v", err)
			}
			e, _ = openEmbedder(t, provider, "badkey")
			_, err := e.Embed(t.Context(), texts)
			var typed *Error
			if !errors.As(err, &typed) || typed.Code != Denied || strings.Contains(err.Error(), sentinel) {
				t.Errorf("a bad key: %v", err)
			}
			e, _ = openEmbedder(t, provider, "embed:half")
			if _, err := e.Embed(t.Context(), texts); err == nil {
				t.Error("half an answer gave vectors")
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			e, _ = openEmbedder(t, provider, "embed")
			if _, err := e.Embed(ctx, texts); !errors.As(err, &typed) || typed.Code != Cancelled {
				t.Errorf("cancelled: %v", err)
			}
		})
	}
	for _, ref := range []string{"", "ollama", "nobody/x", "anthropic/x"} {
		if _, err := OpenEmbedder(ref, Options{Key: func(string) string { return "k" }}); err == nil {
			t.Errorf("%q opened", ref)
		}
	}
}
