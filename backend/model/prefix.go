package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Providers cache a prompt by its beginning: what stands after the first byte that differs from the last call is read
// anew and paid in full. So each call's beginning is kept as a hash of each of its parts, and where a cache missed, the
// first part that differs says why.

// Prefix is the beginning of a request as a cache sees it: what a longer conversation must not change.
type Prefix struct {
	Tools    string `json:"tools"`    // hash
	System   string `json:"system"`   // hash
	Messages int    `json:"messages"` // how many
	Hash     string `json:"hash"`     // of all parts in their order
}

// parts is a prefix with the hash of each message.
type parts struct {
	Prefix
	messages []string
}

// prefixOf hashes a request part by part.
func prefixOf(req Request) parts {
	all := sha256.New()
	hash := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			raw = fmt.Appendf(nil, "%+v", v) // an opaque turn or schema that is no JSON
		}
		sum := sha256.Sum256(raw)
		all.Write(sum[:])
		return hex.EncodeToString(sum[:6])
	}
	p := parts{Prefix: Prefix{Tools: hash(req.Tools), System: hash(req.System), Messages: len(req.Messages)}}
	for _, m := range req.Messages {
		p.messages = append(p.messages, hash(m))
	}
	p.Hash = hex.EncodeToString(all.Sum(nil)[:12])
	return p
}

// changed names the first part of an earlier call's prefix that is not the same in a later one, "" none.
func (p parts) changed(later parts) string {
	switch {
	case p.Tools != later.Tools:
		return "the tools"
	case p.System != later.System:
		return "the system prompt"
	}
	for i, h := range p.messages {
		if i >= len(later.messages) {
			return fmt.Sprintf("message %d, which is gone", i+1)
		}
		if h != later.messages[i] {
			return fmt.Sprintf("message %d of %d", i+1, len(later.messages))
		}
	}
	return ""
}

const (
	// The shortest prompt that all providers cache: 1,024 tokens at OpenAI and with most of Anthropic's models, up to 4,096
	// with some of them and at Gemini.
	leastCached = 4096
	// How long a prompt is kept when it is not asked for longer: five minutes at Anthropic, five to ten at OpenAI.
	cacheLife = 5 * time.Minute
)

// lastCall is what a model remembers of its last call, to explain the cache of the next; safe for concurrent use.
type lastCall struct {
	mu sync.Mutex
	call
}

type call struct {
	prefix parts
	prompt int64 // tokens
	ended  time.Time
	made   bool
	tells  bool // the provider has told of a cache
}

// miss takes a call in and says why its cache missed, "" that it did not, or that the provider does not tell.
func (l *lastCall) miss(p parts, u Usage, begun, ended time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.call
	l.prefix, l.prompt, l.ended, l.made = p, u.Total()-u.Output, ended, true
	l.tells = l.tells || u.CacheRead+u.CacheWrite+u.CacheWrite1h > 0
	if !before.made {
		return "" // there was nothing to read
	}
	if part := before.prefix.changed(p); part != "" {
		return "changed: " + part
	}
	if !u.Known || !l.tells || before.prompt < leastCached || u.CacheRead*2 >= before.prompt {
		return ""
	}
	if gap := begun.Sub(before.ended); gap > cacheLife {
		return fmt.Sprintf("expired: %s passed since the last call, a cache is kept for %s", gap.Round(time.Second), cacheLife)
	}
	return fmt.Sprintf("not kept: the provider read %d of %d tokens from its cache, though nothing changed", u.CacheRead, before.prompt)
}
