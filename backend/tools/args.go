package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Field is one argument of a tool. The schema that the model sees and the check of its calls come from the same table.
type Field struct {
	Name     string
	Type     Type
	Doc      string
	Required bool
	Min, Max int // of an integer; Max 0: none
}

// Type is the JSON type of a Field.
type Type string

// The types of arguments.
const (
	Text    Type = "string"
	Integer Type = "integer"
	Texts   Type = "array" // of strings
)

// Args are checked arguments: string, int or []string by name. What the model left out or set to null is absent.
type Args map[string]any

func (a Args) text(name string) string { v, _ := a[name].(string); return v }

func (a Args) number(name string, otherwise int) int {
	if v, ok := a[name].(int); ok {
		return v
	}
	return otherwise
}

func (a Args) texts(name string) []string { v, _ := a[name].([]string); return v }

func (a Args) has(name string) bool { _, ok := a[name]; return ok }

// schema is the JSON Schema of the fields, byte-stable: keys in a fixed order, fields in the order of the table.
func schema(fields []Field) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%s:{"type":%s,"description":%s`, quote(f.Name), quote(string(f.Type)), quote(f.Doc))
		if f.Type == Texts {
			b.WriteString(`,"items":{"type":"string"}`)
		}
		if f.Type == Integer {
			fmt.Fprintf(&b, `,"minimum":%d`, f.Min)
			if f.Max > 0 {
				fmt.Fprintf(&b, `,"maximum":%d`, f.Max)
			}
		}
		b.WriteByte('}')
		if f.Required {
			required = append(required, quote(f.Name))
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		fmt.Fprintf(&b, `,"required":[%s]`, strings.Join(required, ","))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

func quote(s string) string {
	q, err := json.Marshal(s)
	if err != nil { // cannot happen for a string
		return `""`
	}
	return string(q)
}

// usage names the valid arguments, for a call that had others.
func (t Tool) usage() string {
	var parts []string
	for _, f := range t.Fields {
		text := f.Name + " (" + string(f.Type)
		if f.Type == Texts {
			text = f.Name + " (array of strings"
		}
		if f.Required {
			text += ", required"
		}
		parts = append(parts, text+")")
	}
	return "Arguments of " + t.Name + ", as one JSON object: " + strings.Join(parts, ", ") + "."
}

// parse reads the JSON text of a call. It accepts what says the same in another type (5.0 or "5" for 5, a lone string for
// a list of one), and refuses everything else: an unknown name, a missing one, text behind the object.
func parse(raw string, fields []Field) (Args, error) {
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	var got map[string]json.RawMessage
	dec := json.NewDecoder(strings.NewReader(raw))
	if err := dec.Decode(&got); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a JSON object: there is text behind its end")
	}
	args := Args{}
	for _, f := range fields {
		v, ok := got[f.Name]
		delete(got, f.Name)
		if !ok || string(v) == "null" {
			if f.Required {
				return nil, fmt.Errorf("%s is missing", f.Name)
			}
			continue
		}
		value, err := f.value(v)
		if err != nil {
			return nil, err
		}
		args[f.Name] = value
	}
	for name := range got {
		return nil, fmt.Errorf("there is no argument named %q", oneLine(name, 80))
	}
	return args, nil
}

func (f Field) value(raw json.RawMessage) (any, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	switch f.Type {
	case Text:
		if s, ok := v.(string); ok {
			return s, nil
		}
	case Integer:
		if n, ok := integer(v); ok {
			return f.inRange(n)
		}
	case Texts:
		if list, ok := texts(v); ok {
			return list, nil
		}
	}
	return nil, fmt.Errorf("%s must be %s", f.Name, map[Type]string{Text: "a string", Integer: "an integer", Texts: "an array of strings"}[f.Type])
}

func integer(v any) (int, bool) {
	switch v := v.(type) {
	case float64:
		return int(v), v == math.Trunc(v) && math.Abs(v) < 1<<31
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(v))
		return n, err == nil
	}
	return 0, false
}

func (f Field) inRange(n int) (int, error) {
	if n < f.Min {
		return 0, fmt.Errorf("%s is %d, must be at least %d", f.Name, n, f.Min)
	}
	if f.Max > 0 && n > f.Max {
		return f.Max, nil // asking for too much gets the most there is
	}
	return n, nil
}

func texts(v any) ([]string, bool) {
	switch v := v.(type) {
	case string:
		var list []string
		if strings.HasPrefix(strings.TrimSpace(v), "[") && json.Unmarshal([]byte(v), &list) == nil {
			return list, true
		}
		if v == "" {
			return nil, true
		}
		return []string{v}, true
	case []any:
		list := make([]string, 0, len(v))
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, false
			}
			list = append(list, s)
		}
		return list, true
	}
	return nil, false
}
