package model

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestSecondPlace: in an outage the same model is asked elsewhere, and first there for a while; nothing else is tried.
func TestSecondPlace(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer down.Close()
	there := newPlayer(t, "openai", "text", "text")
	var w waits
	o := options("openai", down.URL, &w)
	now := time.Unix(0, 0)
	o.Now = func() time.Time { return now }
	o.Second = map[string]string{"openai": there.url}
	o.Prices = []byte(`{"rows": [{"provider": "openai", "match": "gpt-4.1", "input": 1, "output": 1}]}`)
	m := open(t, "openai", "", o)
	var told []string
	chat := func() error {
		_, err := m.Chat(t.Context(), ask(), func(d Delta) {
			if d.Retry != nil {
				told = append(told, d.Retry.Err.Message)
			}
		})
		return err
	}
	if err := chat(); err != nil || len(w.got) != 3 || !strings.Contains(told[3], "the same model is asked at "+strings.TrimPrefix(there.url, "http://")) {
		t.Fatalf("%v after waits %v, told %q", err, w.got, told)
	}
	if got := there.requests()[0]; !strings.Contains(string(got.body), `"model":"gpt-4.1"`) {
		t.Errorf("another model was asked: %s", got.body)
	}
	if _, known := m.Cost(Usage{Known: true, Input: 1}); !known {
		t.Error("the person's own price does not count at the second place")
	}
	if err := chat(); err != nil || len(w.got) != 3 {
		t.Errorf("the first place is asked again at once: %v, waits %v", err, w.got)
	}
	now = now.Add(secondFor)
	w.got = nil
	if err := chat(); code(err) != Unavailable { // the second has nothing left to play: a teapot
		t.Errorf("%v", err)
	}
	if len(w.got) != 3 {
		t.Errorf("the first place is not asked again after a while: waits %v", w.got)
	}
}

func TestSecondPlaceForOutagesOnly(t *testing.T) {
	t.Parallel()
	first, there := newPlayer(t, "openai", "badkey", "toolong"), newPlayer(t, "openai")
	o := options("openai", first.url, &waits{})
	o.Second = map[string]string{"openai": there.url}
	m := open(t, "openai", "", o)
	for _, want := range []Code{Denied, Invalid} {
		if _, err := m.Chat(t.Context(), ask(), nil); code(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if len(there.requests()) != 0 {
		t.Error("the second place was asked")
	}
}

func TestBothPlacesDown(t *testing.T) {
	t.Parallel()
	first, there := newPlayer(t, "ollama", "500", "500", "500", "500"), newPlayer(t, "ollama", "500", "500", "500", "500")
	o := options("ollama", first.url, &waits{})
	o.Second = map[string]string{"ollama": there.url}
	_, err := open(t, "ollama", "", o).Chat(t.Context(), ask(), nil)
	if code(err) != Unavailable || !strings.Contains(err.Error(), "nor could the same model be asked at") || !strings.Contains(err.Error(), "choose another model") {
		t.Error(err)
	}
}
