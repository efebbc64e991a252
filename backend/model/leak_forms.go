package model

import (
	"encoding/json"
	"regexp"
	"strings"
)

// The readers of openers: each gets what follows its mark and gives the call and what follows that.

// readToolCall reads what stands in <tool_call>: JSON, <function=NAME>, or a name with <arg_key> and <arg_value>.
func readToolCall(rest string, tools []Spec) (Call, string, bool) {
	inner := strings.TrimSpace(rest)
	if f, ok := strings.CutPrefix(inner, "<function="); ok {
		return readFunction(f, tools)
	}
	if strings.HasPrefix(inner, "{") {
		return readNamed(inner)
	}
	body, after, ok := strings.Cut(rest, "</tool_call>")
	name, pairs, _ := strings.Cut(strings.TrimSpace(body), "<arg_key>")
	if name = strings.TrimSpace(name); !ok || !isName(name) {
		return Call{}, "", false
	}
	args := map[string]string{}
	for _, pair := range strings.Split("<arg_key>"+pairs, "<arg_key>")[1:] {
		key, value, _ := strings.Cut(pair, "</arg_key>")
		_, value, _ = strings.Cut(value, "<arg_value>")
		value, _, _ = strings.Cut(value, "</arg_value>")
		if key = strings.TrimSpace(key); key != "" {
			args[key] = value
		}
	}
	return Call{Name: name, Args: typed(args, specOf(name, tools))}, after, true
}

// readFunction reads NAME>, then JSON or <parameter=NAME>, until </function> or the end.
func readFunction(rest string, tools []Spec) (Call, string, bool) {
	name, rest, ok := strings.Cut(rest, ">")
	if name = strings.Trim(name, `"' `); !ok || !isName(name) {
		return Call{}, "", false
	}
	if raw, after, ok := readObject(rest); ok {
		return Call{Name: name, Args: string(raw)}, after, true
	}
	body, after, ok := strings.Cut(rest, "</function>")
	if !ok && strings.Contains(body, "<parameter=") && !strings.Contains(body, "</parameter>") {
		return Call{}, "", false
	}
	args := map[string]string{}
	for _, part := range strings.Split(body, "<parameter=")[1:] {
		key, value, ok := strings.Cut(part, ">")
		if !ok {
			return Call{}, "", false
		}
		if i := strings.LastIndex(value, "</parameter>"); i >= 0 {
			value = value[:i]
		}
		args[strings.Trim(key, `"' `)] = unpad(value)
	}
	return Call{Name: name, Args: typed(args, specOf(name, tools))}, after, true
}

var (
	invoke    = regexp.MustCompile(`(?s)^\s*(?:<invoke\s+)?name="([\w.-]+)"\s*>(.*?)</invoke>`)
	parameter = regexp.MustCompile(`(?s)<parameter\s+name="([\w.-]+)"[^>]*>(.*?)</parameter>`)
)

// readInvoke reads <invoke name="NAME"> with <parameter name="NAME">.
func readInvoke(rest string, tools []Spec) (Call, string, bool) {
	m := invoke.FindStringSubmatch(rest)
	if m == nil {
		return Call{}, "", false
	}
	args := map[string]string{}
	for _, p := range parameter.FindAllStringSubmatch(m[2], -1) {
		args[p[1]] = unpad(p[2])
	}
	return Call{Name: m[1], Args: typed(args, specOf(m[1], tools))}, rest[len(m[0]):], true
}

// readMistral reads a list of objects, or NAME and an object with or without [ARGS] and a [CALL_ID] between.
func readMistral(rest string, _ []Spec) (Call, string, bool) {
	rest = strings.TrimLeft(rest, " \t\r\n[")
	if strings.HasPrefix(rest, "{") {
		return readNamed(rest)
	}
	i := strings.IndexByte(rest, '{')
	if i < 0 {
		return Call{}, "", false
	}
	name, _, _ := strings.Cut(rest[:i], "[")
	return readNameThen(name, rest[i:])
}

// readDeepSeek reads [function<sep>]NAME<sep>object, the object in a fence or not.
func readDeepSeek(rest string, _ []Spec) (Call, string, bool) {
	const begin, sep, end = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
	rest = strings.TrimPrefix(strings.TrimSpace(rest), begin)
	name, body, ok := strings.Cut(rest, sep)
	if !ok {
		return Call{}, "", false
	}
	if strings.TrimSpace(name) == "function" {
		name, body, _ = strings.Cut(body, "\n")
		body = strings.TrimPrefix(strings.TrimSpace(body), "```json")
	}
	call, after, ok := readNameThen(name, body)
	after = strings.TrimPrefix(strings.TrimSpace(after), "```")
	return call, strings.TrimPrefix(strings.TrimSpace(after), end), ok
}

// readKimi reads functions.NAME:NUMBER<|tool_call_argument_begin|>object.
func readKimi(rest string, _ []Spec) (Call, string, bool) {
	rest = strings.TrimPrefix(strings.TrimSpace(rest), "<|tool_call_begin|>")
	name, body, ok := strings.Cut(rest, "<|tool_call_argument_begin|>")
	if !ok {
		return Call{}, "", false
	}
	name, _, _ = strings.Cut(strings.TrimSpace(name), ":")
	return readNameThen(strings.TrimPrefix(name, "functions."), body)
}

// readHarmony reads NAME<|constrain|>json<|message|>object, as gpt-oss writes it.
func readHarmony(rest string, _ []Spec) (Call, string, bool) {
	head, body, ok := strings.Cut(rest, "<|message|>")
	name, _, _ := strings.Cut(head, "<|")
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	if !ok {
		return Call{}, "", false
	}
	return readNameThen(name, body)
}

func readNameThen(name, body string) (Call, string, bool) {
	raw, after, ok := readObject(body)
	name = strings.TrimSpace(name)
	return Call{Name: name, Args: string(raw)}, after, ok && isName(name)
}

var nameForm = regexp.MustCompile(`^[A-Za-z_][\w.-]{0,63}$`)

func isName(s string) bool { return nameForm.MatchString(s) }

// unpad takes the line ends away that stand between a tag and its value.
func unpad(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}

// typed makes JSON of arguments that came as text: what the tool's schema does not call a string is read as JSON.
func typed(args map[string]string, tool *Spec) string {
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	if tool != nil {
		_ = json.Unmarshal(tool.Schema, &schema) // a schema without types: all are strings
	}
	out := map[string]any{}
	for k, v := range args {
		out[k] = v
		t := schema.Properties[k].Type
		if raw := strings.TrimSpace(v); t != nil && t != "string" && json.Valid([]byte(raw)) {
			out[k] = json.RawMessage(raw)
		}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return "{}" // cannot be: strings and valid JSON
	}
	return string(raw)
}
