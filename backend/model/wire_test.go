package model

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestKeyInURL: a key that stands in a base URL is shown neither with the address nor where a server repeats it.
func TestKeyInURL(t *testing.T) {
	t.Parallel()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		http.Error(w, "bad key "+name+password+r.URL.Query().Get("key"), http.StatusBadRequest)
	}))
	defer echo.Close()
	there := strings.TrimPrefix(echo.URL, "http://")
	for _, ref := range []string{"openai/m", "anthropic/m", "ollama/m", "gemini/m", "bedrock/m", "openrouter/m"} {
		provider, _, _ := strings.Cut(ref, "/")
		for _, host := range []string{there, "127.0.0.1:1", "127.0.0.1:99999"} {
			for _, base := range []string{"http://" + sentinel + "@" + host + "/v1", "http://me:" + sentinel + "@" + host + "/v1", "http://" + host + "/v1?key=" + sentinel + "#" + sentinel} {
				m, err := Open(ref, Options{Key: func(string) string { return "" }, Env: func(string) string { return "" }, BaseURL: map[string]string{provider: base},
					Sleep: func(context.Context, time.Duration) error { return nil }})
				if err == nil {
					_, err = m.Provider.Chat(t.Context(), m.Name, Request{Messages: []Message{{Role: User, Text: "hi"}}}, nil)
				}
				if err == nil || strings.Contains(err.Error(), sentinel) || strings.Contains(m.Label, sentinel) {
					t.Errorf("%s at %s: %v", ref, base, err)
				}
			}
		}
	}
}

// TestPastTheProxy: what is for this machine is given to no proxy, by whatever name it is called.
func TestPastTheProxy(t *testing.T) {
	t.Parallel()
	o := Options{Addrs: func() ([]net.Addr, error) { return []net.Addr{&net.IPNet{IP: net.ParseIP("192.168.1.7")}}, nil }}.defaults()
	for base, want := range map[string]bool{"http://192.168.1.7:4000": true, "http://0.0.0.0:4000": true, "http://[::]:4000": true, "http://localhost:4000": true,
		"https://192.168.1.8:4000": false, "https://api.openai.com": false} {
		o.BaseURL = map[string]string{"openai": base}
		r, err := newRemote(o, "openai", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if transport, ok := r.transport().(*http.Transport); !ok || (transport.Proxy == nil) != want {
			t.Errorf("%s: past the proxy %v, want %v", base, !want, want)
		}
	}
}
