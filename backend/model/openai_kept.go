package model

import (
	"encoding/json"
	"strings"
)

// openaiKept is what a service wants to see again, unchanged, in the turn that it gave: Gemini's signatures of thinking,
// one a call; OpenRouter's details of reasoning; the thinking itself where it came as reasoning_content (DeepSeek refuses
// a call without it). It is sent back to the provider that it came from and to no other.
type openaiKept struct {
	Provider string            `json:"provider"`
	Details  []json.RawMessage `json:"details,omitempty"`
	Extra    []json.RawMessage `json:"extra,omitempty"` // by call, null where it had none
	Thinking bool              `json:"thinking,omitempty"`

	parts []detail // of Details, while they stream in
}

// kept reads what an earlier reply of this provider left to be sent back.
func (p *openai) kept(m Message) openaiKept {
	var o struct {
		Kept openaiKept `json:"openai"`
	}
	if m.Role != Assistant || len(m.Opaque) == 0 || json.Unmarshal(m.Opaque, &o) != nil || o.Kept.Provider != p.provider {
		return openaiKept{}
	}
	for i, e := range o.Kept.Extra {
		if string(e) == "null" {
			o.Kept.Extra[i] = nil
		}
	}
	return o.Kept
}

// opaque is what to keep of a reply, nil nothing. Thinking is only wanted again with calls, whose results it leads to.
func (k openaiKept) opaque(provider string, a *answer) json.RawMessage {
	k.Provider = provider
	for _, d := range k.parts {
		k.Details = append(k.Details, d.json())
	}
	k.Thinking = k.Thinking && len(a.calls) > 0
	signed := false
	for _, c := range a.calls {
		k.Extra = append(k.Extra, c.extra)
		signed = signed || c.extra != nil
	}
	if !signed {
		k.Extra = nil
	}
	if !k.Thinking && !signed && len(k.Details) == 0 {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"openai": k})
	if err != nil {
		return nil // cannot be: it is made of JSON
	}
	return raw
}

// detail is one detail of reasoning as it streams in.
type detail struct {
	fields map[string]any
	texts  map[string]*strings.Builder // the fields that come in pieces
}

// addDetail adds a piece of the details of reasoning. Pieces of one detail follow each other with the same type and
// index; their texts are joined, since the whole must come back as one.
func (k *openaiKept) addDetail(raw json.RawMessage) {
	var next map[string]any
	if json.Unmarshal(raw, &next) != nil {
		return
	}
	if n := len(k.parts); n == 0 || !k.parts[n-1].goesOn(next) {
		k.parts = append(k.parts, detail{map[string]any{}, map[string]*strings.Builder{}})
	}
	k.parts[len(k.parts)-1].add(next)
}

func (d detail) goesOn(next map[string]any) bool {
	return d.fields["type"] == next["type"] && d.fields["index"] == next["index"] &&
		(next["id"] == nil || d.fields["id"] == nil || d.fields["id"] == next["id"])
}

func (d detail) add(next map[string]any) {
	for key, v := range next {
		s, isText := v.(string)
		switch {
		case isText && (key == "text" || key == "summary" || key == "data"):
			if d.texts[key] == nil {
				d.texts[key] = &strings.Builder{}
			}
			d.texts[key].WriteString(s)
		case v != nil && v != "" || d.fields[key] == nil:
			d.fields[key] = v
		}
	}
}

func (d detail) json() json.RawMessage {
	for key, b := range d.texts {
		d.fields[key] = b.String()
	}
	raw, err := json.Marshal(d.fields)
	if err != nil {
		return nil // cannot be: it came from JSON
	}
	return raw
}
