package model

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden requests anew")

// conversation has everything that a request can hold.
func conversation() Request {
	return Request{
		System: "You fix bugs.",
		Tools: []Spec{
			{Name: "read_file", Description: "Reads a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"where"}},"required":["path"]}`)},
			{Name: "finish", Description: "Ends.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
		},
		Messages: []Message{
			{Role: User, Text: "Fix dates."},
			{Role: Assistant, Text: "I look.", Thinking: "hm", Calls: []Call{{"c1", "read_file", `{"path": "a.py"}`}, {"c2", "read_file", `{"path": "b.p`}}},
			{Role: Tool, Results: []Result{{"c1", "read_file", "1 def f():", false}, {"c2", "read_file", "invalid arguments", true}}},
			{Role: Assistant, Calls: []Call{{"c3", "finish", `{}`}}, Opaque: json.RawMessage(`{"anthropic":[{"type":"thinking","thinking":"so","signature":"sig"},{"type":"tool_use","id":"c3","name":"finish","input":{}}]}`)},
			{Role: Tool, Results: []Result{{"c3", "finish", "not proven", false}}},
			{Role: Assistant},
			{Role: User, Text: "Go on."},
		},
		MaxOutput: 1000,
	}
}

// TestRequests compares what is sent with golden files, and holds that a longer conversation changes nothing before its
// end but cache marks.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, provider := range wires() {
		if provider == "script" {
			continue
		}
		p := newPlayer(t, provider, "text", "text")
		m := open(t, provider, "", options(provider, p.url, &waits{}))
		full, short := conversation(), conversation()
		short.Messages = short.Messages[:3]
		for _, req := range []Request{short, full} {
			if _, err := m.Chat(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
		}
		sent := p.requests()
		var value any
		if err := json.Unmarshal(sent[1].body, &value); err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join(exchanges, provider, "request.json")
		if *update {
			if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
			t.Errorf("%s: %s", provider, diff)
		}
		unmark := strings.NewReplacer(`,"cache_control":{"type":"ephemeral"}`, "", `,{"cachePoint":{"type":"default"}}`, "")
		first, second := unmark.Replace(string(sent[0].body)), unmark.Replace(string(sent[1].body))
		if provider == "ollama" { // its client puts the settings after the messages
			first, _, _ = strings.Cut(first, `],"stream"`)
			first, _, _ = strings.Cut(first, `],"tools"`)
		}
		if first = strings.TrimSuffix(first, "]}"); !strings.HasPrefix(second, first) {
			t.Errorf("%s: the request\n%s\ndoes not begin as\n%s", provider, second, first)
		}
	}
}

func openaiSSE(events ...string) string {
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

// TestOpenAIServers reads what the servers that imitate OpenAI's format make of it.
func TestOpenAIServers(t *testing.T) {
	t.Parallel()
	stop := `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	call := func(s string) string { return `{"choices":[{"delta":{"tool_calls":[` + s + `]}}]}` }
	two := []Call{{"", "a", `{"x":1}`}, {"", "b", `{"y":2}`}}
	for _, c := range []struct {
		name, body string
		text       string
		calls      []Call // an empty id: made up
		stop       Stop
		usage      Usage
	}{
		{name: "no [DONE]", body: openaiSSE(`{"choices":[{"delta":{"content":"hi"}}]}`, stop), text: "hi", stop: StopEnd},
		{name: "no finish reason, but [DONE]", body: openaiSSE(`{"choices":[{"delta":{"content":"hi"}}]}`, `[DONE]`), text: "hi", stop: StopEnd},
		{name: "null everywhere", body: openaiSSE(`{"choices":[{"delta":{"content":null,"tool_calls":null,"refusal":null},"finish_reason":null}],"usage":null,"error":null}`, stop), stop: StopEnd},
		{name: "usage in every chunk", body: openaiSSE(`{"choices":[{"delta":{"content":"hi"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`,
			`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`), text: "hi", stop: StopEnd, usage: Usage{Known: true, Input: 5, Output: 2}},
		{name: "more cached than there was", body: openaiSSE(stop, `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":-2,"prompt_tokens_details":{"cached_tokens":9,"cache_write_tokens":3}}}`), stop: StopEnd, usage: Usage{Known: true, CacheRead: 5}},
		{name: "two calls, no index, whole", body: openaiSSE(call(`{"function":{"name":"a","arguments":"{\"x\":1}"}}`), call(`{"function":{"name":"b","arguments":"{\"y\":2}"}}`), stop), calls: two, stop: StopCalls},
		{name: "two calls in one chunk", body: openaiSSE(call(`{"function":{"name":"a","arguments":"{\"x\":1}"}},{"function":{"name":"b","arguments":"{\"y\":2}"}}`), stop), calls: two, stop: StopCalls},
		{name: "no index, pieces without id", body: openaiSSE(call(`{"id":"1","function":{"name":"a","arguments":""}}`), call(`{"function":{"arguments":"{\"x\":"}}`), call(`{"function":{"arguments":"1}"}}`),
			call(`{"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}`), stop), calls: []Call{{"1", "a", `{"x":1}`}, {"2", "b", `{"y":2}`}}, stop: StopCalls},
		{name: "all calls have index 0", body: openaiSSE(call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}}`), call(`{"index":0,"id":"2","function":{"name":"b","arguments":"{\"y\""}}`), call(`{"index":0,"function":{"arguments":":2}"}}`), stop),
			calls: []Call{{"1", "a", `{"x":1}`}, {"2", "b", `{"y":2}`}}, stop: StopCalls},
		{name: "id and name with every piece", body: openaiSSE(call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\""}}`), call(`{"index":0,"id":"1","function":{"name":"a","arguments":":1}"}}`), stop), calls: []Call{{"1", "a", `{"x":1}`}}, stop: StopCalls},
		{name: "id comes late", body: openaiSSE(call(`{"index":0,"function":{"name":"a","arguments":"{\"x\""}}`), call(`{"index":0,"id":"9","function":{"arguments":":1}"}}`), stop), calls: []Call{{"9", "a", `{"x":1}`}}, stop: StopCalls},
		{name: "interleaved", body: openaiSSE(call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\""}}`), call(`{"index":1,"id":"2","function":{"name":"b","arguments":"{\"y\""}}`), call(`{"index":0,"function":{"arguments":":1}"}}`), call(`{"index":1,"function":{"arguments":":2}"}}`), stop),
			calls: []Call{{"1", "a", `{"x":1}`}, {"2", "b", `{"y":2}`}}, stop: StopCalls},
		{name: "arguments as an object", body: openaiSSE(call(`{"index":0,"function":{"name":"a","arguments":{"x":1}}},{"index":1,"function":{"name":"b","arguments":{"y":2}}}`), stop), calls: two, stop: StopCalls},
		{name: "no arguments", body: openaiSSE(call(`{"index":0,"function":{"name":"a","arguments":null}}`), stop), calls: []Call{{"", "a", "{}"}}, stop: StopCalls},
		{name: "surrogate split between pieces", body: openaiSSE(call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":\"\\ud83d"}}`), call(`{"index":0,"function":{"arguments":"\\ude00\"}"}}`), stop), calls: []Call{{"1", "a", `{"x":"\ud83d\ude00"}`}}, stop: StopCalls},
		{name: "does not stream", body: `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`, text: "hi", stop: StopEnd, usage: Usage{Known: true, Input: 5, Output: 2}},
		{name: "content filter", body: openaiSSE(`{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`), stop: StopRefusal},
	} {
		kind := "text/event-stream"
		if strings.HasPrefix(c.body, "{") {
			kind = "application/json"
		}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			io.WriteString(w, c.body)
		}))
		r, err := open(t, "openai", "", options("openai", srv.URL, &waits{})).Chat(t.Context(), ask(), nil)
		srv.Close()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i := range c.calls {
			if c.calls[i].ID == "" {
				c.calls[i].ID = fmt.Sprintf("call_1_%d", i+1)
			}
		}
		if diff := cmp.Diff(Message{Role: Assistant, Text: c.text, Calls: c.calls}, r.Message); diff != "" || r.Stop != c.stop || r.Usage != c.usage {
			t.Errorf("%s: stop %s, usage %+v: %s", c.name, r.Stop, r.Usage, diff)
		}
	}
}

// TestOpenAILearnsWhatAServerTakes: refusals that name a field are answered at once with a request that suits, and once
// only for a model.
func TestOpenAILearnsWhatAServerTakes(t *testing.T) {
	t.Parallel()
	var sent []map[string]any
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		sent = append(sent, body)
		refuse := func(s string) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, s)
		}
		switch {
		case body["stream_options"] != nil:
			refuse("Unknown field: stream_options")
		case body["max_tokens"] != nil:
			refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
		case body["reasoning_effort"] != "none":
			refuse("Function tools with reasoning_effort are not supported for m in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.")
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, openaiSSE(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`))
		}
	}))
	defer srv.Close()
	var w waits
	m := open(t, "openai", "", options("openai", srv.URL, &w))
	for range 2 {
		if r, err := m.Chat(t.Context(), ask(), nil); err != nil || r.Message.Text != "hi" || !strings.Contains(string(r.Body), `"reasoning_effort":"none"`) {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if len(sent) != 5 || len(w.got) != 0 {
		t.Errorf("%d requests, want 4 and 1; waits %v", len(sent), w.got)
	}
	if sent[4]["max_completion_tokens"] != float64(8192) {
		t.Errorf("the output limit is %v", sent[4])
	}
}

func TestOpenAIGivesUpOnARefusalThatStays(t *testing.T) {
	t.Parallel()
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":{"message":"stream_options and reasoning_effort with tools and max_tokens are not supported"}}`)
	}))
	defer srv.Close()
	_, err := open(t, "openai", "", options("openai", srv.URL, &waits{})).Chat(t.Context(), ask(), nil)
	if code(err) != Invalid || n != 4 {
		t.Errorf("%v after %d requests", err, n)
	}
}

func TestOpenAIInfo(t *testing.T) {
	t.Parallel()
	key := func(string) string { return sentinel }
	none := func(string) string { return "" }
	for _, c := range []struct {
		base  string
		key   func(string) string
		label string
		path  string
	}{
		{"", key, "m · OpenAI", "https://api.openai.com/v1"},
		{"http://localhost:1234", none, "m · localhost:1234", "http://localhost:1234/v1"},
		{"http://localhost:1234/v1/", none, "m · localhost:1234", "http://localhost:1234/v1/"},
		{"http://127.0.0.1:4000", key, "m · 127.0.0.1:4000", "http://127.0.0.1:4000/v1"},
		{"https://openrouter.ai/api/v1", key, "m · openrouter.ai", "https://openrouter.ai/api/v1"},
		{"https://x.openai.azure.com/openai/v1", key, "m · x.openai.azure.com", "https://x.openai.azure.com/openai/v1"},
	} {
		m, err := Open("openai/m", Options{Key: c.key, Env: none, BaseURL: map[string]string{"openai": c.base}})
		if err != nil {
			t.Fatal(err)
		}
		p, ok := m.Provider.(*openai)
		if r, own := m.Provider.(*responses); own {
			p, ok = r.openai, true
		}
		if !ok || m.Label != c.label || p.base.String() != c.path {
			t.Errorf("%s: %+v at %s", c.base, m.Info, p.base)
		}
	}
}

// TestServerHere: a server on this machine is local by whatever name it is called; it costs nothing only where no key and
// no name of a model says that it may be a proxy, whose price is then what is known of it.
func TestServerHere(t *testing.T) {
	t.Parallel()
	addrs := func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("192.168.1.7")}, &net.IPNet{IP: net.ParseIP("fe80::7")}}, nil
	}
	const row = `{"rows":[{"provider":"openai","match":"priced","input":1,"output":2}]}`
	for _, c := range []struct {
		base, model string
		key         string
		local, here bool
		known       bool // a price
	}{
		{"http://127.0.0.1:8000/v1", "qwen3", "", true, false, true},
		{"http://localhost:8000/v1", "qwen3", "", true, false, true},
		{"http://[::1]:8000/v1", "qwen3", "", true, false, true},
		{"http://0.0.0.0:8000/v1", "qwen3", "", true, false, true},
		{"http://[::]:8000/v1", "qwen3", "", true, false, true},
		{"http://192.168.1.7:8000/v1", "qwen3", "", true, false, true},
		{"http://[fe80::7%25eth0]:8000/v1", "qwen3", "", true, false, true},
		{"http://192.168.1.8:8000/v1", "qwen3", "", false, false, false}, // another machine of the network
		{"https://127.0.0.1.example.com/v1", "qwen3", "", false, false, false},
		{"http://127.0.0.1:4000/v1", "qwen3", sentinel, false, true, false},   // whoever wants a key may bill
		{"http://192.168.1.7:4000/v1", "qwen3", sentinel, false, true, false}, // where the key does not leave the machine
		{"http://127.0.0.1:4000/v1", "gpt-4.1", "", false, true, false},       // nobody runs it but its maker
		{"http://127.0.0.1:4000/v1", "anthropic/claude-opus-5", "", false, true, false},
		{"http://127.0.0.1:4000/v1", "o3", "", false, true, false},
		{"http://127.0.0.1:4000/v1", "gpt-oss:20b", "", true, false, true}, // open weights
		{"http://127.0.0.1:4000/v1", "gemma3", "", true, false, true},
		{"http://127.0.0.1:4000/v1", "priced", sentinel, false, true, true},
	} {
		m, err := Open("openai/"+c.model, Options{Key: func(string) string { return c.key }, Addrs: addrs, Prices: []byte(row),
			Env: func(name string) string { return map[string]string{"OPENAI_BASE_URL": c.base}[name] }})
		if err != nil {
			t.Fatal(err)
		}
		cost, known := m.Cost(Usage{Known: true, Input: 1_000_000})
		if m.Local != c.local || m.Here != c.here || known != c.known || !c.local && known && cost != 1_000_000 {
			t.Errorf("%s at %s: local %v, here %v, costs %d, known %v", c.model, c.base, m.Local, m.Here, cost, known)
		}
	}
}
