package model

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzRead holds that no stream, however broken, makes a reader panic, and that it gives either a reply or an error.
func FuzzRead(f *testing.F) {
	for _, provider := range []string{"openai", "anthropic"} {
		files, err := filepath.Glob(filepath.Join(exchanges, provider, "*.http"))
		if err != nil || len(files) == 0 {
			f.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			_, body, _ := strings.Cut(string(data), "\n\n")
			f.Add(body)
		}
	}
	base := options("", "", &waits{})
	o, err := dialectOf("openai").make(base, "")
	if err != nil {
		f.Fatal(err)
	}
	a, err := newAnthropic(base, "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, kind := range []string{"text/event-stream", "application/json"} {
			answer := func() *http.Response {
				return &http.Response{Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body))}
			}
			for _, read := range []func(string, Request, *http.Response, func(Delta)) (Reply, error){o.(*responses).openai.read, o.(*responses).read, a.(*anthropic).read} {
				r, err := read("m", ask(), answer(), func(Delta) {})
				if err == nil && (r.Message.Role != Assistant || r.Stop == "" || r.Usage.Input < 0 || r.Usage.CacheRead < 0 || r.Usage.Output < 0) {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}
