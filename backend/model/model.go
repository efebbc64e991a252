// Package model talks to chat models of any provider through one interface, and prices usage.
//
// A Provider speaks one wire format; a Model is a provider with the name of one of its models. Every provider passes the
// same conformance suite against a local server that plays recorded-shape exchanges of its format, and a new one is a
// file, a row in providers and a folder of such exchanges. Gemini, OpenRouter, Azure, llama.cpp and LM Studio speak
// OpenAI's Chat Completions, each as a dialect (dialect.go); Bedrock has a form of its own.
//
// OpenAI's and Anthropic's formats are spoken by thin clients of our own over net/http, with one reader of event streams
// (sse.go), one wire that bounds silence and size and keeps the key to its host (wire.go), and one retry (retry.go). The
// makers' SDKs were weighed: together they take 255 CPU-seconds of a cold build and 31 MB of the binary, and what they
// add to two short files is types for parts that we do not use; the many servers that only imitate OpenAI's format need
// more leniency than its SDK has. Ollama's own client is small and is used, with the wire below it, since it tells
// neither a cut stream nor an error's headers.
//
// Costs are integers: a price of a dollar for a million tokens is a micro-dollar a token. What is not known (a model
// without a row in the dated table, a server that tells no usage) is said to be unknown and never taken for nothing.
//
// The script provider plays a file of replies, one JSON object a line, of the form of ScriptReply; it stands in for a
// model in tests, demonstrations and replays, and is called "recorded model" wherever its name is shown.
package model

import (
	"context"
	"encoding/json"
	"time"
)

// Role says who speaks in a Message.
type Role string

// The roles. The system prompt is a field of Request, not a message.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool" // carries the results of the calls of the assistant message before it
)

// Message is one turn of a conversation. Its JSON form is stored in sessions and is stable.
type Message struct {
	Role     Role     `json:"role"`
	Text     string   `json:"text,omitempty"`
	Thinking string   `json:"thinking,omitempty"`
	Calls    []Call   `json:"calls,omitempty"`
	Results  []Result `json:"results,omitempty"`
	Images   []Image  `json:"images,omitempty"` // of the user; they stand before the text
	// Opaque is the provider's own form of the turn, where it must be sent back unchanged (signed thinking).
	Opaque json.RawMessage `json:"opaque,omitempty"`
}

// Call is one tool call of a model. Args is the raw JSON text that it wrote, perhaps invalid.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// Result answers the Call with the same id.
type Result struct {
	CallID string `json:"call_id"`
	Name   string `json:"name"`
	Text   string `json:"text"`
	Error  bool   `json:"error,omitempty"`
}

// Spec describes one tool to the model. Schema is a JSON Schema object.
type Spec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Request is one model call.
type Request struct {
	System    string
	Messages  []Message
	Tools     []Spec
	MaxOutput int // tokens, 0 = the provider's default of 8,192
	Window    int // tokens of context to ask for where the provider lets us (Ollama's num_ctx), 0 = Info.Window
	// Schema is a JSON Schema that the reply's text must have, nil any. Ollama, OpenAI and what speaks as it hold the model
	// to it; others are only told what the conversation says.
	Schema json.RawMessage
}

// Delta is a piece of a streamed reply. Deltas are lossy: the Reply is the truth.
type Delta struct {
	Text     string
	Thinking string
	Retry    *Retry // set when an attempt failed and another follows: what was streamed so far is void
}

// Retry tells of a failed attempt.
type Retry struct {
	Attempt int // the attempt that failed, from 1
	Err     *Error
	Wait    time.Duration
}

// Stop says why a reply ended.
type Stop string

// The reasons to stop.
const (
	StopEnd     Stop = "end"
	StopCalls   Stop = "calls"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
	StopGaveUp  Stop = "gave_up" // the text says what was tried and what a person can do
)

// Reply is a whole answer.
type Reply struct {
	Message Message
	Stop    Stop
	Usage   Usage
	Body    []byte // the exact request body that was sent; holds no key, but all pictures (WithoutImages)
	Prefix  Prefix // of the request, as a cache sees it
	Miss    string // why the provider's cache was not read, "" it was, or is not told of
}

// Usage counts tokens in disjoint buckets. Known is false where the provider told nothing.
type Usage struct {
	Known        bool  `json:"known"`
	Input        int64 `json:"input"` // fresh input, without cached tokens
	CacheRead    int64 `json:"cache_read,omitempty"`
	CacheWrite   int64 `json:"cache_write,omitempty"`    // written for 5 minutes
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"` // written for 1 hour
	Output       int64 `json:"output"`                   // with reasoning
	Reasoning    int64 `json:"reasoning,omitempty"`      // a part of Output
	// Billed is what the provider says that it charged for this reply, nil where it does not tell; it stands before any
	// price of a table.
	Billed *MicroUSD `json:"billed,omitempty"`
}

// Total is the number of tokens in all buckets.
func (u Usage) Total() int64 {
	return u.Input + u.CacheRead + u.CacheWrite + u.CacheWrite1h + u.Output
}

// Info is what is known of a model before it is called.
type Info struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	Label    string `json:"label"` // for people: "claude-sonnet-4-5 · Anthropic", "recorded model"
	Local    bool   `json:"local"` // runs on this machine: costs 0
	// Here says that its server is on this machine, but may pass on what it is asked and bill for it: it costs what is
	// known of its price, never 0 for not knowing.
	Here bool `json:"here,omitempty"`
	// Search says that no language model answers but a search procedure, which has tools of its own for that.
	Search bool `json:"search,omitempty"`
	Window int  `json:"window"` // context in tokens, 0 unknown
	// EditForm is the form of edits that the model manages best, as a probe found or the person chose: a name of
	// patch.Form, "" unknown.
	EditForm string `json:"edit_form,omitempty"`
	// Images says whether it takes pictures, as its server, or else its maker, tells.
	Images Takes `json:"images,omitempty"`
}

// Ref is the form PROVIDER/NAME that people write.
func (i Info) Ref() string { return i.Provider + "/" + i.Name }

// Provider speaks one wire format. Implementations are safe for concurrent use.
type Provider interface {
	// Chat sends one request and gives the whole reply; onDelta (may be nil) is called on the calling goroutine.
	// Errors are *Error. It retries by itself (429, 5xx, connection loss before any byte), honouring Retry-After.
	Chat(ctx context.Context, model string, req Request, onDelta func(Delta)) (Reply, error)
	// Models lists what can be called now.
	Models(ctx context.Context) ([]Info, error)
}

// Resigner is a provider that says in its own words, where a limit ends its work, what it suspects, tried and had left.
type Resigner interface {
	Resign(messages []Message, why string) string
}

// Model is one model of one provider.
type Model struct {
	Info
	Provider Provider

	price  *price    // nil: unknown
	own    int       // the person's own window, 0 none
	forms  *forms    // nil: native
	last   *lastCall // nil: the cache is not explained
	second *second   // nil: none
	now    func() time.Time
}

// MicroUSD is money in millionths of a US dollar.
type MicroUSD int64
