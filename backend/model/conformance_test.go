package model

import (
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const said = "Grüße 👋, the fix is in `dates.py`."

// behaviour is one row of the suite that every provider passes. A row without plays is set up by its function.
type behaviour struct {
	name  string
	plays string // plays of the server, separated by spaces
	skip  string // "PROVIDER: why" where the format cannot express it
	opts  func(o *Options)
	idle  time.Duration // Options.Idle, which is really waited for: only for one provider of each wire

	text, thinking string
	calls          []Call // ids are checked to be there and to differ
	stop           Stop
	usage          *Usage // nil: 30 in, 12 out

	code  Code            // of the error, "" none
	says  []string        // what the error's message has; PROVIDER=text for one provider alone
	waits []time.Duration // between attempts
}

// s is a wait of so many milliseconds.
func ms(n ...int) []time.Duration {
	var out []time.Duration
	for _, n := range n {
		out = append(out, time.Duration(n)*time.Millisecond)
	}
	return out
}

func behaviours() []behaviour {
	read := []Call{{Name: "read_file", Args: `{"path": "src/dates.py", "start": 10}`}}
	none := Usage{}
	return []behaviour{
		{name: "text", plays: "text", text: said},
		{name: "every byte alone", plays: "text:bytes", text: said},
		{name: "thinking", plays: "thinking", thinking: "Look first.", text: "Done.", usage: &Usage{Known: true, Input: 30, Output: 12, Reasoning: 5},
			skip: "azure: does not show it; gemini: does not show it"},
		{name: "tool call in pieces", plays: "call", calls: read, stop: StopCalls},
		{name: "tool call, every byte alone", plays: "call:bytes", calls: read, stop: StopCalls},
		{name: "two tool calls", plays: "two", text: "Let me look.", stop: StopCalls,
			calls: []Call{{Name: "search_code", Args: `{"query": "parse daté"}`}, {Name: "read_file", Args: `{"path": "a.py"}`}}},
		{name: "invalid arguments", plays: "badargs", stop: StopCalls, calls: []Call{{Name: "apply_patch", Args: `{"path": "a.py", "old": \x`}},
			skip: "ollama: its server parses the arguments itself, and fails with 500; gemini: its server parses them too"},
		{name: "refusal", plays: "refusal", text: "I can't help with that.", stop: StopRefusal, skip: "ollama: has no refusals; llamacpp: nor has it; lmstudio: nor it"},
		{name: "length", plays: "length", text: "This goes on and", stop: StopLength},
		{name: "cached tokens", plays: "usage", text: "ok", usage: &Usage{Known: true, Input: 100, CacheRead: 800, CacheWrite: 100, Output: 50, Reasoning: 20},
			skip: "ollama: tells nothing of its cache; lmstudio: nor does it"},
		{name: "no usage", plays: "nousage", text: "ok", usage: &none, skip: "anthropic: always tells; gemini: always tells; script: counts"},

		{name: "429 with Retry-After", plays: "429 text", text: said, waits: ms(7000)},
		{name: "429 for an hour", plays: "429long", code: Limit, says: []string{"it asks to wait 1h0m0s"}},
		{name: "quota", plays: "quota", code: Limit, says: []string{"quota or credit"}, skip: "ollama: has none; llamacpp: nor has it; lmstudio: nor it; bedrock: its limits are rates"},
		{name: "500 then well", plays: "500 text", text: said, waits: ms(750)},
		{name: "overloaded then well", plays: "529 529 text", text: said, waits: ms(750, 1500)},
		{name: "500 for good", plays: "500 500 500 500", code: Unavailable, says: []string{"after 4 attempts"}, waits: ms(750, 1500, 3000)},
		{name: "error within the stream", plays: "midstream text", text: said, waits: ms(750)},
		{name: "connection reset in mid-stream", plays: "text:reset text", text: said, waits: ms(750)},
		{name: "connection closed in mid-stream", plays: "text:abort text", text: said, waits: ms(750)},
		{name: "stream cut at the end of a line", plays: "text:half text", text: said, waits: ms(750)},
		{name: "call cut in mid-stream", plays: "call:half call", calls: read, stop: StopCalls, waits: ms(750)},
		{name: "cut for good", plays: "text:half text:abort text:reset text:half", code: Unavailable, waits: ms(750, 1500, 3000)},
		{name: "silence", plays: "text:hang text", text: said, waits: ms(750), idle: time.Second},
		{name: "silence from the start", plays: "text:mute text", text: said, waits: ms(750), idle: 400 * time.Millisecond},
		{name: "endless", plays: "text:endless", code: Internal, says: []string{"larger than any model's reply"}, opts: func(o *Options) { o.MaxBytes = 1 << 20 }},
		{name: "web page", plays: "page", code: Internal, says: []string{"correct the base URL"}},
		{name: "bad key", plays: "badkey", code: Denied,
			says: []string{"openai=OPENAI_API_KEY was refused", "anthropic=ANTHROPIC_API_KEY was refused", "ollama=ollama signin",
				"gemini=GEMINI_API_KEY was refused", "openrouter=OPENROUTER_API_KEY was refused", "azure=AZURE_OPENAI_API_KEY was refused",
				"bedrock=AWS_BEARER_TOKEN_BEDROCK was refused", "responses=OPENAI_API_KEY was refused", "llamacpp=LLAMA_API_KEY was refused", "lmstudio=LM_API_TOKEN was refused"}},
		{name: "unknown model", plays: "unknown", code: NotFound,
			says: []string{"openai=it has gpt-4.1, gpt-4.1-mini", "responses=it has gpt-4.1, gpt-4.1-mini", "anthropic=it has claude-", "ollama=ollama pull ", "ollama=it has ",
				"gemini=it has gemini-2.5-flash", "openrouter=it has anthropic/claude-sonnet-4.5", "azure=The API deployment", "bedrock=has no model", "llamacpp=it has gpt-oss-20b", "lmstudio=it has qwen/qwen3-8b"}},
		{name: "too long", plays: "toolong", code: Invalid, says: []string{"longer than"}},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, provider := range wires() {
		for _, b := range behaviours() {
			if strings.Contains(b.skip, provider+":") {
				continue
			}
			if d := dialectOf(provider); b.idle > 0 && d.keyName != "" && provider != "openai" {
				continue // the wire is openai's
			}
			if provider == "script" && (strings.ContainsAny(b.plays, ": ") || b.code != "" || b.waits != nil) {
				continue // what the wire does; the script has none
			}
			t.Run(provider+"/"+b.name, func(t *testing.T) { t.Parallel(); b.check(t, provider) })
		}
	}
}

func (b behaviour) check(t *testing.T, provider string) {
	p := newPlayer(t, provider, strings.Fields(b.plays)...)
	var w waits
	o := options(provider, p.url, &w)
	if b.opts != nil {
		b.opts(&o)
	}
	if b.idle > 0 {
		o.Idle = max(b.idle, 50*exchange(t, provider)) // on a busy machine who is only slow must not count as silent
	}
	m := open(t, provider, b.plays, o)
	var deltas []Delta
	reply, err := m.Chat(t.Context(), ask(), func(d Delta) { deltas = append(deltas, d) })
	noLeak(t, p, reply, err, deltas)
	if diff := cmp.Diff(b.waits, w.got); diff != "" {
		t.Errorf("waits: %s", diff)
	}
	if provider != "script" && len(p.requests()) != len(w.got)+1 {
		t.Errorf("%d requests for %d waits", len(p.requests()), len(w.got))
	}
	if b.code != "" {
		b.checkError(t, provider, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	b.checkReply(t, provider, reply)
	text, thinking := streamed(deltas)
	if text != reply.Message.Text || thinking != reply.Message.Thinking {
		t.Errorf("streamed %q and %q", text, thinking)
	}
	if provider != "script" {
		if sent := p.requests(); string(sent[len(sent)-1].body) != string(reply.Body) {
			t.Errorf("the body that was sent:\n%s\nis told as\n%s", sent[len(sent)-1].body, reply.Body)
		}
	}
}

// exchange is how long the simplest exchange takes just now.
func exchange(t *testing.T, provider string) time.Duration {
	t.Helper()
	p := newPlayer(t, provider, "text")
	begin := time.Now()
	if _, err := open(t, provider, "text", options(provider, p.url, &waits{})).Chat(t.Context(), ask(), nil); err != nil {
		t.Fatal(err)
	}
	return time.Since(begin)
}

// wires are the providers, and the second form in which OpenAI is spoken to.
func wires() []string { return append(Known(), "responses") }

// open opens a model of the provider; the script's is the file of the play.
func open(t *testing.T, provider, play string, o Options) Model {
	t.Helper()
	name := map[string]string{"ollama": "qwen3:8b", "openai": "gpt-4.1", "anthropic": "claude-sonnet-4-5",
		"gemini": "gemini-2.5-flash", "openrouter": "anthropic/claude-sonnet-4.5", "azure": "my-gpt-4.1",
		"bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "llamacpp": "gpt-oss-20b", "lmstudio": "qwen/qwen3-8b",
		"script": filepath.Join(exchanges, "script", play+".jsonl"), "responses": "gpt-4.1"}[provider]
	if provider == "responses" {
		provider = "openai"
	}
	m, err := Open(provider+"/"+name, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask() Request {
	return Request{System: "You fix bugs.", Messages: []Message{{Role: User, Text: "Fix it."}},
		Tools: []Spec{{Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}}}
}

// streamed is what was shown, with what a retry made void taken away.
func streamed(deltas []Delta) (text, thinking string) {
	for _, d := range deltas {
		if d.Retry != nil {
			text, thinking = "", ""
		}
		text, thinking = text+d.Text, thinking+d.Thinking
	}
	return text, thinking
}

func (b behaviour) checkError(t *testing.T, provider string, err error) {
	t.Helper()
	if err == nil || code(err) != b.code {
		t.Fatalf("error %v with code %q, want %q", err, code(err), b.code)
	}
	for _, want := range b.says {
		who, text, ok := strings.Cut(want, "=")
		if !ok {
			who, text = provider, want
		}
		if who == provider && !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
}

func (b behaviour) checkReply(t *testing.T, provider string, r Reply) {
	t.Helper()
	m := r.Message
	if m.Role != Assistant || m.Text != b.text || m.Thinking != b.thinking {
		t.Errorf("message %+v, want text %q and thinking %q", m, b.text, b.thinking)
	}
	stop := b.stop
	if stop == "" {
		stop = StopEnd
	}
	if r.Stop != stop {
		t.Errorf("stop %q, want %q", r.Stop, stop)
	}
	usage := Usage{Known: true, Input: 30, Output: 12}
	if b.usage != nil {
		usage = *b.usage
	}
	switch provider {
	case "ollama", "bedrock":
		usage.Reasoning = 0 // they do not tell it apart
	case "llamacpp":
		usage.Reasoning, usage.Input, usage.CacheWrite = 0, usage.Input+usage.CacheWrite, 0
	case "gemini", "azure":
		usage.Input, usage.CacheWrite = usage.Input+usage.CacheWrite, 0 // they do not tell what they wrote
	case "openrouter":
		if charged := MicroUSD(270); usage.Known {
			usage.Billed = &charged
		}
	}
	if diff := cmp.Diff(usage, r.Usage); diff != "" {
		t.Errorf("usage: %s", diff)
	}
	if len(m.Calls) != len(b.calls) {
		t.Fatalf("calls %+v, want %+v", m.Calls, b.calls)
	}
	ids := map[string]bool{}
	for i, c := range m.Calls {
		if c.ID == "" || ids[c.ID] {
			t.Errorf("id %q is empty or not the only one", c.ID)
		}
		ids[c.ID] = true
		if c.Name != b.calls[i].Name || !sameJSON(c.Args, b.calls[i].Args) {
			t.Errorf("call %+v, want %+v", c, b.calls[i])
		}
	}
}

// sameJSON compares JSON by value, and what is no JSON by its text.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return reflect.DeepEqual(x, y)
}

func TestConformanceCancel(t *testing.T) {
	t.Parallel()
	for _, provider := range wires() {
		t.Run(provider+"/before", func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, provider, "text")
			m := open(t, provider, "text", options(provider, p.url, &waits{}))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := m.Chat(ctx, ask(), func(Delta) { t.Error("a delta") })
			if code(err) != Cancelled || len(p.seen) != 0 {
				t.Errorf("%v after %d requests", err, len(p.seen))
			}
		})
		t.Run(provider+"/during", func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, provider, "text:hang", "text")
			m := open(t, provider, "text", options(provider, p.url, &waits{}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n := 0
			_, err := m.Chat(ctx, ask(), func(Delta) { n++; cancel() })
			if code(err) != Cancelled || n == 0 {
				t.Errorf("%v after %d deltas", err, n)
			}
			if provider == "script" {
				return
			}
			select {
			case <-p.gone:
			case <-time.After(time.Minute):
				t.Error("the connection stays open after the cancel")
			}
			if len(p.requests()) != 1 {
				t.Errorf("%d requests after a cancel", len(p.requests()))
			}
		})
		t.Run(provider+"/between attempts", func(t *testing.T) {
			t.Parallel()
			if provider == "script" {
				return // has no attempts
			}
			p := newPlayer(t, provider, "500", "text")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := options(provider, p.url, &waits{})
			o.Sleep = func(ctx context.Context, d time.Duration) error { cancel(); return sleep(ctx, time.Hour) }
			_, err := open(t, provider, "", o).Chat(ctx, ask(), nil)
			if code(err) != Cancelled || len(p.requests()) != 1 {
				t.Errorf("%v after %d requests", err, len(p.requests()))
			}
		})
	}
}

func TestConformanceRefusedConnection(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	for provider, says := range map[string]string{
		"ollama":     "Ollama is not running at " + url + ": start it with `ollama serve`",
		"openai":     "nothing answers at " + url,
		"gemini":     "nothing answers at " + url,
		"openrouter": "nothing answers at " + url,
		"azure":      "nothing answers at " + url,
		"bedrock":    "nothing answers at " + url,
		"llamacpp":   "nothing answers at " + url,
		"lmstudio":   "nothing answers at " + url,
		"anthropic":  "nothing answers at " + url,
	} {
		var w waits
		_, err := open(t, provider, "", options(provider, url, &w)).Chat(t.Context(), ask(), nil)
		if code(err) != Unavailable || !strings.Contains(err.Error(), says) || len(w.got) != 0 {
			t.Errorf("%s: %v after %v, want %q at once", provider, err, w.got, says)
		}
		noLeak(t, nil, Reply{}, err, nil)
	}
}
