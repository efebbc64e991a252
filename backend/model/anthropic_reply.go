package model

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

type (
	anthropicEvent struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			Usage anthropicUsage `json:"usage"`
		} `json:"message"`
		Block json.RawMessage `json:"content_block"`
		Delta struct {
			Type       string `json:"type"`
			Text       string `json:"text"`
			Thinking   string `json:"thinking"`
			Signature  string `json:"signature"`
			JSON       string `json:"partial_json"`
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
		Usage anthropicUsage `json:"usage"`
	}
	anthropicUsage struct {
		Input   *int64 `json:"input_tokens"` // without cached ones
		Read    *int64 `json:"cache_read_input_tokens"`
		Written *int64 `json:"cache_creation_input_tokens"`
		ByAge   *struct {
			Minutes int64 `json:"ephemeral_5m_input_tokens"`
			Hour    int64 `json:"ephemeral_1h_input_tokens"`
		} `json:"cache_creation"`
		Output  *int64 `json:"output_tokens"`
		Details struct {
			Thinking int64 `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	}
	// anthropicPart is one block of a reply as it streams in.
	anthropicPart struct {
		kind  string
		start json.RawMessage
		text  strings.Builder // text or thinking
		sign  strings.Builder
		call  *partCall
	}
)

// onto lays newer counts over older ones: the last event gives totals, of which some servers leave out all but output.
func (u anthropicUsage) onto(old Usage) Usage {
	set := func(to *int64, from *int64) {
		if from != nil {
			*to, old.Known = max(*from, 0), true
		}
	}
	set(&old.Input, u.Input)
	set(&old.CacheRead, u.Read)
	set(&old.Output, u.Output)
	if u.Written != nil {
		old.CacheWrite, old.CacheWrite1h = max(*u.Written, 0), 0
	}
	if u.ByAge != nil && u.ByAge.Minutes+u.ByAge.Hour > 0 {
		old.CacheWrite, old.CacheWrite1h = max(u.ByAge.Minutes, 0), max(u.ByAge.Hour, 0)
	}
	old.Reasoning = max(old.Reasoning, u.Details.Thinking)
	return old
}

// anthropicReply is a reply as it streams in.
type anthropicReply struct {
	answer
	parts  map[int]*anthropicPart // by the server's number
	order  []*anthropicPart
	reason string
	usage  Usage
}

// read gathers the stream. It is whole when a stop reason came.
func (p *anthropic) read(model string, req Request, resp *http.Response, emit func(Delta)) (Reply, error) {
	r := anthropicReply{answer: answer{emit: emit}, parts: map[int]*anthropicPart{}}
	err := eachEvent(resp.Body, &r.reason, func(data []byte) error {
		var e anthropicEvent
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		if e.Type == "error" {
			return p.refused(model, 0, nil, data)
		}
		return r.take(e)
	})
	if err != nil {
		return Reply{}, err
	}
	reply := Reply{Message: r.message(req), Stop: r.stop(), Usage: r.usage}
	reply.Message.Opaque = opaque(r.order, reply.Message)
	switch r.reason {
	case "":
		return Reply{}, errCut
	case "max_tokens", "model_context_window_exceeded":
		reply.Stop = StopLength
	case "refusal":
		reply.Stop = StopRefusal
	}
	return reply, nil
}

// take adds one event; io.EOF is the end. Events that we do not know, such as pings, are passed over.
func (r *anthropicReply) take(e anthropicEvent) error {
	switch e.Type {
	case "message_start":
		r.usage = e.Message.Usage.onto(r.usage)
	case "content_block_start":
		part, err := startPart(&r.answer, e)
		if err != nil {
			return err
		}
		r.parts[e.Index], r.order = part, append(r.order, part)
	case "content_block_delta":
		if part := r.parts[e.Index]; part != nil {
			return part.add(&r.answer, e)
		}
	case "message_delta":
		r.reason = e.Delta.StopReason
		r.usage = e.Usage.onto(r.usage)
	case "message_stop":
		return io.EOF
	}
	return nil
}

func startPart(a *answer, e anthropicEvent) (*anthropicPart, error) {
	var b struct {
		Type, Text, Thinking, ID, Name string
	}
	if err := json.Unmarshal(e.Block, &b); err != nil {
		return nil, err
	}
	part := &anthropicPart{kind: b.Type, start: e.Block}
	part.text.WriteString(b.Text + b.Thinking)
	if b.Type == "tool_use" {
		part.call = a.call(e.Index, b.ID, b.Name)
	}
	if err := a.addThinking(b.Thinking); err != nil {
		return nil, err
	}
	return part, a.addText(b.Text)
}

func (part *anthropicPart) add(a *answer, e anthropicEvent) error {
	d := e.Delta
	part.text.WriteString(d.Text + d.Thinking)
	part.sign.WriteString(d.Signature)
	if err := a.grow(d.Signature); err != nil {
		return err
	}
	if part.call != nil {
		if err := a.addArgs(part.call, d.JSON); err != nil {
			return err
		}
	}
	if err := a.addThinking(d.Thinking); err != nil {
		return err
	}
	return a.addText(d.Text)
}

// opaque keeps a reply that has thinking as the API gave it: it must come back unchanged, with its signature, as long
// as the tools that it called are answered. Thinking that was cut before its signature would be refused: left out.
func opaque(order []*anthropicPart, m Message) json.RawMessage {
	var blocks []any
	signed, calls := false, 0
	for _, part := range order {
		switch {
		case part.call != nil:
			c := m.Calls[calls]
			calls++
			blocks = append(blocks, anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.Name, Input: argsObject(c.Args)})
		case part.kind == "text":
			if strings.TrimSpace(part.text.String()) != "" {
				blocks = append(blocks, anthropicBlock{Type: "text", Text: part.text.String()})
			}
		case part.kind == "thinking":
			if part.sign.Len() > 0 {
				blocks = append(blocks, map[string]string{"type": "thinking", "thinking": part.text.String(), "signature": part.sign.String()})
				signed = true
			}
		default: // redacted_thinking, and what we do not know
			blocks = append(blocks, part.start)
			signed = true
		}
	}
	if !signed {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"anthropic": blocks})
	if err != nil {
		return nil // cannot be: it is made of JSON
	}
	return raw
}
