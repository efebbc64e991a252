package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormsOnEachWire: a model that is refused tools, or is known to manage none, is asked in another form, and the
// caller sees ordinary calls; a longer conversation only adds at the end of what was sent.
func TestFormsOnEachWire(t *testing.T) {
	t.Parallel()
	step := `{"thought": "I look.", "tool": "read_file", "args": {"path": "src/a.py", "start": 3}}`
	tags := "I look.\n<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/a.py\n</parameter>\n<parameter=start>\n3\n</parameter>\n</function>\n</tool_call>"
	ollamaSays := func(s string) string {
		return fmt.Sprintf(`{"message":{"role":"assistant","content":%q},"done":true,"done_reason":"stop","prompt_eval_count":30,"eval_count":12}`+"\n", s)
	}
	openaiSays := func(s string) string {
		return openaiSSE(fmt.Sprintf(`{"choices":[{"delta":{"content":%q},"finish_reason":"stop"}]}`, s), "[DONE]")
	}
	anthropicSays := func(s string) string {
		return fmt.Sprintf("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":%q}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n", s)
	}
	for _, c := range []struct {
		provider string
		form     Form
		refusal  string // of a request with tools
		answer   string
		want     Form
		sends    string
	}{
		{"ollama", Auto, `{"error":"registry.ollama.ai/library/gemma3 does not support tools"}`, ollamaSays(step), JSON, `"format":{"anyOf":[{"type":"object","properties":{"thought":{"type":"string"},"tool":{"enum":["read_file"],"type":"string"},"args":{`},
		{"ollama", Text, "", ollamaSays(tags), Text, "<function=NAME>"},
		{"llamacpp", Auto, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, openaiSays(step), JSON, `"response_format":{"type":"json_schema","json_schema":{"name":"step","schema":{"anyOf":[`},
		{"openrouter", Auto, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`, openaiSays(step), JSON, `"response_format"`},
		{"openai", JSON, "", openaiSays(step), JSON, `"response_format"`},
		{"lmstudio", Text, "", openaiSays(tags), Text, "<function=NAME>"},
		{"anthropic", Text, "", anthropicSays(tags), Text, "<function=NAME>"},
	} {
		var bodies []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/show") {
				io.WriteString(w, `{"model_info":{"general.architecture":"g","g.context_length":40960}}`)
				return
			}
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), `"tools":[`) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				io.WriteString(w, c.refusal)
				return
			}
			bodies = append(bodies, string(body))
			if c.provider != "ollama" {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			io.WriteString(w, c.answer)
		}))
		o := options(c.provider, srv.URL, &waits{})
		o.Forms = map[string]Form{open(t, c.provider, "", o).Ref(): c.form}
		m := open(t, c.provider, "", o)
		req := Request{System: "You fix bugs.", Tools: fixTools(), Messages: []Message{{Role: User, Text: "Fix it."}}}
		for turn := range 3 {
			var shown strings.Builder
			r, err := m.Chat(t.Context(), req, func(d Delta) { shown.WriteString(d.Text) })
			if err != nil {
				t.Fatalf("%s: %v", c.provider, err)
			}
			want := Message{Role: Assistant, Text: "I look.", Calls: []Call{{fmt.Sprintf("call_%d_1", len(req.Messages)), "read_file", `{"path":"src/a.py","start":3}`}}}
			if r.Stop != StopCalls || len(r.Message.Calls) != 1 || !sameJSON(r.Message.Calls[0].Args, want.Calls[0].Args) {
				t.Fatalf("%s, turn %d: %+v", c.provider, turn, r)
			}
			r.Message.Calls[0].Args = want.Calls[0].Args
			if diff := cmp.Diff(want, r.Message); diff != "" {
				t.Errorf("%s, turn %d: %s", c.provider, turn, diff)
			}
			if strings.TrimSpace(shown.String()) != "I look." {
				t.Errorf("%s: a person is shown %q", c.provider, shown.String())
			}
			req.Messages = append(req.Messages, r.Message, Message{Role: Tool, Results: []Result{{r.Message.Calls[0].ID, "read_file", "1 import os", turn == 1}}})
		}
		srv.Close()
		if m.Form() != c.want || len(bodies) != 3 || !strings.Contains(unescaped(bodies[0]), c.sends) {
			t.Errorf("%s: form %s, %d requests, the first %s", c.provider, m.Form(), len(bodies), bodies[0])
		}
		for i := 1; i < len(bodies); i++ {
			if !extends(bodies[i-1], bodies[i]) {
				t.Errorf("%s: the request\n%s\ndoes not go on from\n%s", c.provider, bodies[i], bodies[i-1])
			}
		}
	}
}

func unescaped(s string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(s)
}

// extends says whether the messages of a request begin with those of an earlier one, and its system prompt is the same.
func extends(before, after string) bool {
	var a, b struct {
		System   json.RawMessage
		Messages []json.RawMessage
	}
	unmark := strings.NewReplacer(`,"cache_control":{"type":"ephemeral"}`, "")
	if json.Unmarshal([]byte(unmark.Replace(before)), &a) != nil || json.Unmarshal([]byte(unmark.Replace(after)), &b) != nil || len(b.Messages) <= len(a.Messages) {
		return false
	}
	return cmp.Diff(a.System, b.System) == "" && cmp.Diff(a.Messages, b.Messages[:len(a.Messages)]) == ""
}

func TestOtherRefusalsStay(t *testing.T) {
	t.Parallel()
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":{"message":"the schema of a tool is not valid"}}`)
	}))
	defer srv.Close()
	m := open(t, "openai", "", options("openai", srv.URL, &waits{}))
	if _, err := m.Chat(t.Context(), ask(), nil); code(err) != Invalid || n != 1 || m.Form() != Native {
		t.Errorf("%v after %d requests, form %s", err, n, m.Form())
	}
}

// TestFormsRoundTrip: what a turn looks like when it is sent again is read as the same call.
func TestFormsRoundTrip(t *testing.T) {
	t.Parallel()
	req := Request{Tools: fixTools()}
	for _, args := range []string{`{"path":"a.py","old":"  x\n\"y\" </b> \\n","new":""}`, `{"path":"a","old":"\n\n","new":"ü\t"}`, `{}`} {
		call := Call{Name: "apply_patch", Args: args}
		for _, form := range []Form{JSON, Text} {
			text := assistantText(form, Message{Text: "So.", Calls: []Call{call}})
			r := Reply{Message: Message{Text: text}, Stop: StopEnd}
			if form == JSON {
				r = fromJSON(req, r, func(Delta) {})
			} else {
				r = leaked(req, r)
			}
			if len(r.Message.Calls) != 1 || r.Message.Text != "So." || !sameJSON(r.Message.Calls[0].Args, args) {
				t.Errorf("%s as %s:\n%s\nis read as %+v", args, form, text, r.Message)
			}
		}
	}
}
