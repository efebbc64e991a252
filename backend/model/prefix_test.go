package model

import (
	"strings"
	"testing"
	"time"
)

// TestCacheMiss: why a cache was not read, call by call.
func TestCacheMiss(t *testing.T) {
	t.Parallel()
	base := func(texts ...string) Request {
		req := Request{System: "s", Tools: fixTools()}
		for i, text := range texts {
			role := User
			if i%2 == 1 {
				role = Assistant
			}
			req.Messages = append(req.Messages, Message{Role: role, Text: text})
		}
		return req
	}
	other := base("a", "b", "c")
	other.System = "t"
	fewer := base("a", "b", "c", "d", "e")
	fewer.Tools = fewer.Tools[:2]
	read := Usage{Known: true, Input: 100, CacheRead: 9_900, Output: 10}
	wrote := Usage{Known: true, CacheWrite: 10_000, Output: 10}
	for _, c := range []struct {
		name          string
		before, after Request
		usage         Usage // of the second call
		gap           time.Duration
		want          string
	}{
		{"read", base("a"), base("a", "b", "c"), read, 0, ""},
		{"read in part", base("a"), base("a", "b", "c"), Usage{Known: true, Input: 4000, CacheRead: 6000}, 0, ""},
		{"tools", base("a"), fewer, wrote, 0, "changed: the tools"},
		{"system", base("a"), other, wrote, 0, "changed: the system prompt"},
		{"a message", base("a", "b", "c"), base("a", "x", "c", "d", "e"), wrote, 0, "changed: message 2 of 5"},
		{"a message, even if the provider tells nothing", base("a", "b", "c"), base("a", "b", "x"), Usage{}, 0, "changed: message 3 of 3"},
		{"compaction", base("a", "b", "c"), base("a"), wrote, 0, "changed: message 2, which is gone"},
		{"late", base("a"), base("a", "b", "c"), wrote, 7 * time.Minute, "expired: 7m0s passed since the last call, a cache is kept for 5m0s"},
		{"not kept", base("a"), base("a", "b", "c"), wrote, time.Minute, "not kept: the provider read 0 of 10000 tokens from its cache, though nothing changed"},
		{"not told", base("a"), base("a", "b", "c"), Usage{}, time.Hour, ""},
	} {
		at := time.Unix(0, 0)
		l := &lastCall{}
		if got := l.miss(prefixOf(c.before), wrote, at, at); got != "" {
			t.Errorf("%s: the first call: %s", c.name, got)
		}
		at = at.Add(c.gap)
		if got := l.miss(prefixOf(c.after), c.usage, at, at); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	l := &lastCall{}
	small := Usage{Known: true, Input: 500}
	l.miss(prefixOf(base("a")), wrote, time.Unix(0, 0), time.Unix(0, 0))
	l.miss(prefixOf(base("a", "b", "c")), small, time.Unix(0, 0), time.Unix(0, 0))
	if got := l.miss(prefixOf(base("a", "b", "c", "d")), small, time.Unix(0, 0), time.Unix(0, 0)); got != "" {
		t.Errorf("a prompt too short to be kept: %s", got)
	}
}

// TestReplyTellsItsPrefix: an opened model explains its cache; the hash is that of what was asked and of nothing else.
func TestReplyTellsItsPrefix(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "anthropic", "text", "text", "text")
	m := open(t, "anthropic", "", options("anthropic", p.url, &waits{}))
	req := ask()
	first, err := m.Chat(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Chat(t.Context(), req, nil)
	if err != nil || again.Prefix.Hash != first.Prefix.Hash || again.Miss != "" || first.Prefix.Messages != 1 {
		t.Errorf("%+v and %+v, %v", first.Prefix, again, err)
	}
	req.System += "!"
	other, err := m.Chat(t.Context(), req, nil)
	if err != nil || other.Prefix.Tools != first.Prefix.Tools || other.Prefix.System == first.Prefix.System || !strings.HasPrefix(other.Miss, "changed: the system") {
		t.Errorf("%+v, %v", other, err)
	}
}
