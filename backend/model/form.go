package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Form is how a model is asked for tool calls. Whatever the form, a caller sees ordinary calls.
type Form string

// The forms. Auto is native until the provider says that the model has no tools, and then the best of the others.
const (
	Auto   Form = ""
	Native Form = "native" // the provider's own
	JSON   Form = "json"   // one JSON object a reply, which the server's grammar holds to a schema where it has one
	Text   Form = "text"   // tags in text, in which values need no escapes
)

// Forms lists the forms that a model can be asked in, best first.
func Forms() []Form { return []Form{Native, JSON, Text} }

// forms remembers which models were refused tools, for as long as a Model lives.
type forms struct {
	mu   sync.Mutex
	form Form
}

func (f *forms) get() Form {
	if f == nil {
		return Auto
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.form
}

func (f *forms) set(form Form) {
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.form = form
	}
}

// Form is the form in which the model is asked now.
func (m Model) Form() Form {
	if f := m.forms.get(); f != Auto {
		return f
	}
	return Native
}

// WithForm is the model asked in another form.
func (m Model) WithForm(f Form) Model {
	m.forms = &forms{form: f}
	return m
}

// Apart is the same model for other work: its calls are not compared with those of the task to explain their cache.
func (m Model) Apart() Model {
	if m.last != nil {
		m.last = &lastCall{}
	}
	return m
}

// Chat calls the model, in the form that it manages. Calls that the reply's text ends with are read out of it. Where the
// provider cannot be reached, the same model is asked at its second place. The reply says why a cache was not read.
func (m Model) Chat(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error) {
	if onDelta == nil {
		onDelta = func(Delta) {}
	}
	if err := m.RefuseImages(); err != nil && hasImages(req) {
		return Reply{}, err
	}
	if m.last == nil {
		return m.chat(ctx, req, onDelta)
	}
	begun := m.now()
	reply, err := m.chat(ctx, req, onDelta)
	if err == nil {
		p := prefixOf(req)
		reply.Prefix = p.Prefix
		reply.Miss = m.last.miss(p, reply.Usage, begun, m.now())
	}
	return reply, err
}

func (m Model) chat(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error) {
	form := m.forms.get()
	if form == JSON || form == Text {
		return m.chatIn(ctx, form, req, onDelta)
	}
	reply, err := m.call(ctx, req, onDelta)
	if form == Auto && err != nil && len(req.Tools) > 0 && noTools(err) {
		form = Text
		if _, ok := m.Provider.(interface{ constrains() }); ok {
			form = JSON
		}
		m.forms.set(form)
		return m.chatIn(ctx, form, req, onDelta)
	}
	if err != nil {
		return reply, err
	}
	return leaked(req, reply), nil
}

// noTools says whether a refusal is of the tools and not of the request.
func noTools(err error) bool {
	low := strings.ToLower(asError("", err).Message)
	for _, s := range []string{"cannot call tools", "support tool", "requires --jinja", "tool use is not supported", "tools is not supported",
		"does not support function", "doesn't support tool", "doesn't support function"} {
		if strings.Contains(low, s) {
			return true
		}
	}
	return false
}

// chatIn calls the model with the tools described in its system prompt and the calls and results of the conversation as
// text; pure but for the call, so that a longer conversation only adds at the end.
func (m Model) chatIn(ctx context.Context, form Form, req Request, onDelta func(Delta)) (Reply, error) {
	reply, err := m.call(ctx, inText(form, req), quiet(form, onDelta))
	if err != nil {
		return reply, err
	}
	reply.Message.Opaque = nil // of a turn without its calls
	if form == JSON {
		return fromJSON(req, reply, onDelta), nil
	}
	return leaked(req, reply), nil
}

// quiet passes a stream on without the markup of calls, which is for us and not for people.
func quiet(form Form, onDelta func(Delta)) func(Delta) {
	var held strings.Builder
	marked := false
	return func(d Delta) {
		if d.Retry != nil {
			held.Reset()
			marked = false
		}
		text := d.Text
		d.Text = ""
		if form == Text && !marked && text != "" {
			held.WriteString(text)
			all := held.String()
			held.Reset()
			cut := strings.Index(all, "<tool_call>")
			marked = cut >= 0
			if !marked {
				cut = len(all) - partial(all, "<tool_call>")
				held.WriteString(all[cut:])
			}
			d.Text = all[:cut]
		}
		if d.Text != "" || d.Thinking != "" || d.Retry != nil {
			onDelta(d)
		}
	}
}

// partial is the length of the longest beginning of mark that s ends with.
func partial(s, mark string) int {
	for n := min(len(s), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(s, mark[:n]) {
			return n
		}
	}
	return 0
}

// The words that explain the forms to a model.
const (
	textHelp = `You act by calling tools. To call one, end your reply with exactly this, one parameter after the other, the value as it is, without quotes or escapes:

<tool_call>
<function=NAME>
<parameter=PARAMETER>
value
</parameter>
</function>
</tool_call>

Write nothing after it. Its result comes in the next message. The tools are:`
	jsonHelp = `You act by calling tools. Every reply is one JSON object and nothing else, of the form
{"thought": "why, in a sentence", "tool": "NAME", "args": {"PARAMETER": "value"}}
The result comes in the next message. The tools are:`
)

// inText gives the request without tools of its own: they are described in the system prompt, byte-stable, and the calls
// and results so far are text.
func inText(form Form, req Request) Request {
	help := textHelp
	if form == JSON {
		help = jsonHelp
	}
	var b strings.Builder
	b.WriteString(help)
	for _, t := range req.Tools {
		fmt.Fprintf(&b, "\n\n%s: %s\nIts parameters, as JSON Schema: %s", t.Name, t.Description, t.Schema)
	}
	out := req
	out.Tools, out.Messages = nil, nil
	if len(req.Tools) > 0 {
		out.System = strings.TrimSpace(req.System + "\n\n" + b.String())
	}
	if form == JSON && len(req.Tools) > 0 {
		out.Schema = stepSchema(req.Tools)
	}
	for _, m := range req.Messages {
		text := m.Text
		switch m.Role {
		case Assistant:
			m = Message{Role: Assistant, Text: assistantText(form, m)}
		case Tool:
			text = resultsText(m.Results)
			fallthrough
		case User:
			if n := len(out.Messages); n > 0 && out.Messages[n-1].Role == User { // many templates take turns only
				out.Messages[n-1].Text += "\n\n" + text
				out.Messages[n-1].Images = slices.Concat(out.Messages[n-1].Images, m.Images)
				continue
			}
			m = Message{Role: User, Text: text, Images: m.Images}
		}
		out.Messages = append(out.Messages, m)
	}
	return out
}

// assistantText is an earlier turn with its calls as the form has them.
func assistantText(form Form, m Message) string {
	var parts []string
	if form == JSON && len(m.Calls) > 0 {
		for _, c := range m.Calls {
			parts = append(parts, stepJSON(m.Text, c))
			m.Text = ""
		}
		return strings.Join(parts, "\n")
	}
	if m.Text != "" {
		parts = append(parts, m.Text)
	}
	for _, c := range m.Calls {
		parts = append(parts, callText(c))
	}
	return strings.Join(parts, "\n")
}

func resultsText(results []Result) string {
	var parts []string
	for _, r := range results {
		head := "Result of " + r.Name
		if r.Error {
			head = "Error of " + r.Name
		}
		parts = append(parts, head+":\n"+r.Text)
	}
	return strings.Join(parts, "\n\n")
}

// callText is a call in tags, its arguments by name.
func callText(c Call) string {
	var args map[string]json.RawMessage
	if json.Unmarshal([]byte(c.Args), &args) != nil {
		return "<tool_call>\n<function=" + c.Name + ">\n" + c.Args + "\n</function>\n</tool_call>"
	}
	var b strings.Builder
	b.WriteString("<tool_call>\n<function=" + c.Name + ">\n")
	names := make([]string, 0, len(args))
	for name := range args {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := string(args[name])
		var s string
		if json.Unmarshal(args[name], &s) == nil {
			value = s
		}
		b.WriteString("<parameter=" + name + ">\n" + value + "\n</parameter>\n")
	}
	b.WriteString("</function>\n</tool_call>")
	return b.String()
}

func stepJSON(thought string, c Call) string {
	head, err := json.Marshal(struct {
		Thought string `json:"thought"`
		Tool    string `json:"tool"`
	}{thought, c.Name})
	if err != nil {
		return "" // cannot be: two strings
	}
	return strings.TrimSuffix(string(head), "}") + `,"args":` + string(argsObject(c.Args)) + "}"
}

// step is one alternative of the schema of a reply. Servers that make a grammar of it keep the order of its fields, so
// the thought comes first.
type step struct {
	Type       string `json:"type"`
	Properties struct {
		Thought any             `json:"thought"`
		Tool    any             `json:"tool"`
		Args    json.RawMessage `json:"args"`
	} `json:"properties"`
	Required []string `json:"required"`
	More     bool     `json:"additionalProperties"`
}

// stepSchema is the schema of a reply: a thought and a call of one of the tools.
func stepSchema(tools []Spec) json.RawMessage {
	var steps []step
	for _, t := range tools {
		s := step{Type: "object", Required: []string{"thought", "tool", "args"}}
		s.Properties.Thought = map[string]string{"type": "string"}
		s.Properties.Tool = map[string]any{"type": "string", "enum": []string{t.Name}}
		s.Properties.Args = t.Schema
		steps = append(steps, s)
	}
	raw, err := json.Marshal(map[string]any{"anyOf": steps})
	if err != nil {
		return nil // a tool's schema is no JSON: the provider is asked without
	}
	return raw
}

// fromJSON reads the call out of a reply in the JSON form. A reply that is no such object may still end with a call.
func fromJSON(req Request, r Reply, onDelta func(Delta)) Reply {
	thought, text := splitThinking(r.Message.Text)
	var step struct {
		Thought string `json:"thought"`
	}
	if call, after, ok := readNamed(text); ok && strings.TrimSpace(after) == "" && r.Stop == StopEnd && !quoted(req, []Call{call}) {
		raw, _, _ := readObject(text)
		_ = json.Unmarshal(raw, &step) // without a thought: none
		call.ID = fmt.Sprintf("call_%d_1", len(req.Messages))
		r.Message.Thinking += thought
		r.Message.Text, r.Message.Calls, r.Stop = step.Thought, []Call{call}, StopCalls
	} else {
		r = leaked(req, r)
	}
	if r.Message.Text != "" {
		onDelta(Delta{Text: r.Message.Text})
	}
	return r
}
