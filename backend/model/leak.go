package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Many local models are served by programs that do not know their form of a tool call, which then arrives as text. Here
// the forms that are met in practice are read out of an assistant's own text: JSON in <tool_call> (Hermes, Qwen) or in a
// fence, <function=NAME> with JSON or <parameter=NAME> (Llama 3.1, Qwen3-Coder), <arg_key> (GLM), <invoke name="NAME">,
// [TOOL_CALLS] (Mistral), <|python_tag|> (Llama 3), the marks of DeepSeek, Kimi and gpt-oss, and JSON alone.
//
// Text may also quote what a repository says, and a repository may say anything. So a call is read only where the reply
// ends with it (what stands before is prose, nothing may follow), outside of quotations, inline code and fences of
// another language, and not if a message that the model was given holds the same call.

// opener is a mark that begins calls.
type opener struct {
	mark string
	line bool // counts only at the beginning of a line: it is no token of its own that prose cannot hold
	read func(rest string, tools []Spec) (call Call, after string, ok bool)
}

// openers are all marks; readers get what follows the mark. Longer marks come before their own beginnings.
func openers() []opener {
	return []opener{
		{"<tool_call>", true, readToolCall},
		{"<function=", true, readFunction},
		{"<function_calls>", true, readInvoke},
		{"<invoke ", true, readInvoke},
		{"[TOOL_CALLS]", false, readMistral},
		{"<|python_tag|>", false, func(rest string, _ []Spec) (Call, string, bool) { return readNamed(rest) }},
		{"<｜tool▁calls▁begin｜>", false, readDeepSeek},
		{"<｜tool▁call▁begin｜>", false, readDeepSeek},
		{"<|tool_calls_section_begin|>", false, readKimi},
		{"<|tool_call_begin|>", false, readKimi},
		{"<|channel|>commentary to=functions.", false, readHarmony},
		{"<|start|>assistant<|channel|>commentary to=functions.", false, readHarmony},
	}
}

// closers may stand after and between calls without a meaning of their own.
var closers = regexp.MustCompile(`^(\s+|</tool_call>|</tool_calls>|</function>|</function_calls>|</invoke>|<｜tool▁calls▁end｜>|<｜tool▁call▁end｜>|<｜end▁of▁sentence｜>|<\|tool_calls_section_end\|>|<\|tool_call_end\|>|<\|call\|>|<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|</s>|[;,\]])`)

// leaked moves the calls that a reply's text ends with to where calls belong. It changes nothing where the reply has
// calls already, was cut, or ends with none.
func leaked(req Request, r Reply) Reply {
	if len(r.Message.Calls) > 0 || len(req.Tools) == 0 || r.Stop != StopEnd {
		return r
	}
	thought, text := splitThinking(r.Message.Text)
	prose, calls := findCalls(text, req.Tools)
	if len(calls) == 0 || quoted(req, calls) {
		return r
	}
	r.Message.Thinking += thought
	r.Message.Text, r.Message.Opaque, r.Stop = strings.TrimSpace(prose), nil, StopCalls
	for i := range calls {
		calls[i].ID = fmt.Sprintf("call_%d_%d", len(req.Messages), i+1)
	}
	r.Message.Calls = calls
	return r
}

// splitThinking takes a leading <think> out: calls that a model only thinks of are none.
func splitThinking(text string) (thought, rest string) {
	before, after, ok := strings.Cut(text, "</think>")
	if !ok {
		return "", text
	}
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(before), "<think>")), after
}

// findCalls gives the calls that a text ends with and what stands before them.
func findCalls(text string, tools []Spec) (prose string, calls []Call) {
	if call, ok := bareCall(text, tools); ok {
		return "", call
	}
	fence, start := "", 0 // the marks that opened the fence we are in, and where it began
	at := 0
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch mark := fenceMark(trimmed); {
		case fence == "" && mark != "":
			fence, start = mark, at
		case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimLeft(trimmed, fence[:1]) == "":
			fence = ""
			if calls := fencedCalls(text[start:], tools); calls != nil {
				return text[:start], calls
			}
		case fence == "" && !strings.HasPrefix(trimmed, ">"):
			if i, calls := callsIn(text[at:], line, tools); calls != nil {
				return text[:at+i], calls
			}
		}
		at += len(line)
	}
	if fence != "" { // a fence that the reply forgot to close
		if calls := fencedCalls(text[start:]+"\n"+fence, tools); calls != nil {
			return text[:start], calls
		}
	}
	return text, nil
}

// fenceMark gives the marks that open or close a fence, "" none.
func fenceMark(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// fenced is a fence that calls may stand in, which ends the text.
var fenced = regexp.MustCompile("(?s)^\\s*(`{3,}|~{3,})[ \t]*(json|tool_call|tool_calls|tool|xml|)[ \t]*\r?\n(.*?)\r?\n?[ \t]*(`{3,}|~{3,})\\s*$")

func fencedCalls(text string, tools []Spec) []Call {
	m := fenced.FindStringSubmatch(text)
	if m == nil || fenceMark(m[1]) == "" || strings.Contains(m[3], m[1]) {
		return nil
	}
	if calls, ok := bareCall(m[3], tools); ok {
		return calls
	}
	if body := strings.TrimSpace(m[3]); strings.HasPrefix(body, "<") {
		if i, calls := callsIn(body, body, tools); i == 0 && knownAll(calls, tools) {
			return calls
		}
	}
	return nil
}

// callsIn reads calls from the first mark in line on; all of text, which begins with line, must be calls from there.
func callsIn(text, line string, tools []Spec) (at int, calls []Call) {
	for _, o := range openers() {
		at := strings.Index(line, o.mark)
		if at < 0 || o.line && strings.TrimSpace(line[:at]) != "" || strings.Count(line[:at], "`")%2 == 1 {
			continue
		}
		if calls := readAll(text[at:], tools); calls != nil {
			return at, calls
		}
	}
	return 0, nil
}

// readAll reads calls until the end of text, nil if anything else stands there. What a model makes up as the result of
// its call is not read: the call is, and its result will come.
func readAll(text string, tools []Spec) []Call {
	var calls []Call
next:
	for {
		for m := closers.FindString(text); m != ""; m = closers.FindString(text) {
			text = text[len(m):]
		}
		if text == "" || strings.HasPrefix(text, "<tool_response>") || strings.HasPrefix(text, "<function_results>") {
			return calls
		}
		for _, o := range openers() {
			if rest, ok := strings.CutPrefix(text, o.mark); ok {
				call, after, ok := o.read(rest, tools)
				if !ok {
					return nil
				}
				calls, text = append(calls, call), after
				continue next
			}
		}
		if len(calls) > 0 { // the list of Mistral, the calls of Llama in a row
			if call, after, ok := readNamed(text); ok {
				calls, text = append(calls, call), after
				continue next
			}
		}
		return nil
	}
}

// bareCall reads a text that is nothing but the JSON of calls to tools that there are.
func bareCall(text string, tools []Spec) ([]Call, bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		list = []json.RawMessage{json.RawMessage(text)}
	}
	var calls []Call
	for _, raw := range list {
		call, after, ok := readNamed(string(raw))
		if !ok || strings.TrimSpace(after) != "" {
			return nil, false
		}
		calls = append(calls, call)
	}
	return calls, knownAll(calls, tools)
}

func knownAll(calls []Call, tools []Spec) bool {
	for _, c := range calls {
		if specOf(c.Name, tools) == nil {
			return false
		}
	}
	return len(calls) > 0
}

func specOf(name string, tools []Spec) *Spec {
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	return nil
}

// readNamed reads one JSON object with a name and arguments from the beginning of text, however these are called.
func readNamed(text string) (call Call, after string, ok bool) {
	raw, after, ok := readObject(text)
	if !ok {
		return Call{}, "", false
	}
	var o struct {
		Name       string          `json:"name"`
		Tool       string          `json:"tool"`
		ToolName   string          `json:"tool_name"`
		Function   json.RawMessage `json:"function"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
		Args       json.RawMessage `json:"args"`
		Input      json.RawMessage `json:"input"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return Call{}, "", false
	}
	var inner struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(o.Function, &inner) != nil {
		_ = json.Unmarshal(o.Function, &inner.Name) // a name alone, or nothing
	}
	for _, n := range []string{o.Name, o.Tool, o.ToolName, inner.Name} {
		if call.Name == "" {
			call.Name = n
		}
	}
	call.Args = "{}"
	found := false
	for _, a := range []json.RawMessage{o.Arguments, o.Parameters, o.Args, o.Input, inner.Arguments} {
		if !found && len(a) > 0 {
			call.Args, found = argsText(a), true
		}
	}
	return call, after, call.Name != "" && found
}

// argsText gives arguments as JSON text; some models write the object as a string.
func argsText(raw json.RawMessage) string {
	var s string
	if bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return "{}"
	}
	return string(raw)
}

// readObject reads a JSON object from the beginning of text. Line ends within its strings, which models forget to
// escape, are escaped.
func readObject(text string) (raw json.RawMessage, after string, ok bool) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if !strings.HasPrefix(text, "{") {
		return nil, "", false
	}
	var b strings.Builder
	depth, inString, escaped := 0, false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString && (c == '\n' || c == '\r' || c == '\t'):
			b.WriteString(map[byte]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}[c])
			continue
		case !inString && c == '{':
			depth++
		case !inString && c == '}':
			depth--
		}
		b.WriteByte(c)
		if depth == 0 {
			raw = json.RawMessage(b.String())
			return raw, text[i+1:], json.Valid(raw)
		}
	}
	return nil, "", false
}

// quoted says whether a message that the model was given holds one of the calls: then the reply repeats what it read.
func quoted(req Request, calls []Call) bool {
	var given strings.Builder
	for _, m := range req.Messages {
		if m.Role == Assistant {
			continue
		}
		given.WriteString(m.Text + "\n")
		for _, r := range m.Results {
			given.WriteString(r.Text + "\n")
		}
	}
	all := letters(given.String())
	return slices.ContainsFunc(calls, func(c Call) bool { return holds(all, c) })
}

// near is how far, in letters, the parts of a call may stand from each other in a quotation, beside their own length.
const near = 200

// holds says whether a text, in letters, holds a call: its name close to each of its arguments with its value, in any of
// the forms that are read and in any order.
func holds(all string, c Call) bool {
	var args map[string]any
	if json.Unmarshal([]byte(c.Args), &args) != nil {
		args = map[string]any{c.Args: ""}
	}
	name := letters(c.Name)
	longest, size := "", len(name)+2*near
	var pairs []string
	for key, v := range args {
		value, ok := v.(string)
		if raw, err := json.Marshal(v); !ok && err == nil {
			value = string(raw)
		}
		pair := letters(key + value)
		pairs, size = append(pairs, pair), size+len(pair)
		if len(pair) > len(longest) {
			longest = pair
		}
	}
	if longest == "" {
		return strings.Contains(all, "name"+name) || strings.Contains(all, "function"+name) || strings.Contains(all, "CALLS"+name)
	}
	for at := 0; ; at++ {
		i := strings.Index(all[at:], longest)
		if i < 0 {
			return false
		}
		at += i
		window := all[max(0, at-size):min(len(all), at+size)]
		if strings.Contains(window, name) && !slices.ContainsFunc(pairs, func(p string) bool { return !strings.Contains(window, p) }) {
			return true
		}
	}
}

// marks are what stands between an argument and its value, or within a value, in the one or the other form.
var marks = strings.NewReplacer(`\n`, "", `\r`, "", `\t`, "", "</arg_key>", "", "<arg_value>", "")

// letters keeps the letters of a text, so that no change of layout, quoting or line numbers hides a quotation.
func letters(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) {
			return c
		}
		return -1
	}, marks.Replace(s))
}
