package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

type (
	// bedrockEvent is the payload of any event of ConverseStream; its kind is in a header.
	bedrockEvent struct {
		Index int `json:"contentBlockIndex"`
		Start struct {
			Use struct {
				ID   string `json:"toolUseId"`
				Name string `json:"name"`
			} `json:"toolUse"`
		} `json:"start"`
		Delta struct {
			Text string `json:"text"`
			Use  struct {
				Input string `json:"input"`
			} `json:"toolUse"`
			Thinking struct {
				Text      string `json:"text"`
				Signature string `json:"signature"`
				Redacted  string `json:"redactedContent"`
			} `json:"reasoningContent"`
		} `json:"delta"`
		StopReason string        `json:"stopReason"`
		Usage      *bedrockUsage `json:"usage"`
	}
	bedrockUsage struct {
		Input   int64 `json:"inputTokens"` // without cached ones
		Output  int64 `json:"outputTokens"`
		Read    int64 `json:"cacheReadInputTokens"`
		Written int64 `json:"cacheWriteInputTokens"`
		ByAge   []struct {
			TTL   string `json:"ttl"`
			Input int64  `json:"inputTokens"`
		} `json:"cacheDetails"`
	}
	// bedrockPart is one block of a reply as it streams in.
	bedrockPart struct {
		call                *partCall
		text, think, signed strings.Builder
		redacted            string
	}
	bedrockReply struct {
		answer
		parts  map[int]*bedrockPart
		order  []*bedrockPart
		reason string
		usage  Usage
	}
)

func (u *bedrockUsage) usage() Usage {
	out := Usage{Known: true, Input: max(u.Input, 0), CacheRead: max(u.Read, 0), CacheWrite: max(u.Written, 0), Output: max(u.Output, 0)}
	for _, d := range u.ByAge {
		if d.TTL == "1h" {
			out.CacheWrite1h = min(max(d.Input, 0), out.CacheWrite)
			out.CacheWrite -= out.CacheWrite1h
		}
	}
	return out
}

// read gathers the stream, of frames in AWS's binary form with a checksum each. It is whole when a stop reason came;
// usage follows it.
func (p *bedrock) read(model string, req Request, resp *http.Response, emit func(Delta)) (Reply, error) {
	r := bedrockReply{answer: answer{emit: emit}, parts: map[int]*bedrockPart{}}
	dec := eventstream.NewDecoder()
	for {
		m, err := dec.Decode(resp.Body, nil)
		if errors.Is(err, io.EOF) || err != nil && r.reason != "" {
			break
		}
		if err != nil {
			return Reply{}, err
		}
		if name := bedrockKind(m); name != "" {
			return Reply{}, p.refused(model, 0, nil, bedrockTrouble(name, m.Payload))
		}
		var e bedrockEvent
		if err := json.Unmarshal(m.Payload, &e); err != nil {
			return Reply{}, err
		}
		if err := r.take(e); err != nil {
			return Reply{}, err
		}
	}
	reply := Reply{Message: r.message(req), Stop: r.stop(), Usage: r.usage}
	reply.Message.Opaque = r.opaque(reply.Message)
	switch r.reason {
	case "":
		return Reply{}, errCut
	case "max_tokens", "model_context_window_exceeded":
		reply.Stop = StopLength
	case "guardrail_intervened", "content_filtered", "refusal":
		reply.Stop = StopRefusal
	}
	return reply, nil
}

// bedrockKind is the kind of a frame that tells of an error, "" of any other.
func bedrockKind(m eventstream.Message) string {
	header := func(name string) string {
		if v := m.Headers.Get(name); v != nil {
			return v.String()
		}
		return ""
	}
	switch header(":message-type") {
	case "exception":
		return cmp.Or(header(":exception-type"), "exception")
	case "error":
		return cmp.Or(header(":error-code"), "error")
	}
	return ""
}

// bedrockTrouble brings an exception of the stream into the form of other errors.
func bedrockTrouble(name string, payload []byte) []byte {
	var e struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(payload, &e) != nil {
		e.Message = string(payload)
	}
	raw, err := json.Marshal(map[string]any{"error": map[string]string{"type": name, "message": cmp.Or(e.Message, name)}})
	if err != nil {
		return payload // cannot be: a map of strings
	}
	return raw
}

// take adds one event.
func (r *bedrockReply) take(e bedrockEvent) error {
	r.reason = cmp.Or(e.StopReason, r.reason)
	if e.Usage != nil {
		r.usage = e.Usage.usage()
	}
	d := e.Delta
	if e.Start.Use.Name == "" && d.Text+d.Use.Input+d.Thinking.Text+d.Thinking.Signature+d.Thinking.Redacted == "" {
		return nil // begins or ends the message or a block of text
	}
	part := r.parts[e.Index]
	if part == nil {
		part = &bedrockPart{}
		r.parts[e.Index], r.order = part, append(r.order, part)
	}
	if e.Start.Use.Name != "" {
		part.call = r.call(e.Index, e.Start.Use.ID, e.Start.Use.Name)
	}
	part.text.WriteString(d.Text)
	part.think.WriteString(d.Thinking.Text)
	part.signed.WriteString(d.Thinking.Signature)
	part.redacted = cmp.Or(d.Thinking.Redacted, part.redacted)
	if err := r.grow(d.Thinking.Signature + d.Thinking.Redacted); err != nil {
		return err
	}
	if part.call != nil {
		if err := r.addArgs(part.call, d.Use.Input); err != nil {
			return err
		}
	}
	if err := r.addThinking(d.Thinking.Text); err != nil {
		return err
	}
	return r.addText(d.Text)
}

// opaque keeps a reply that has signed thinking as the API gave it: it must come back unchanged with the calls that it
// led to. Thinking that was cut before its signature would be refused: left out.
func (r *bedrockReply) opaque(m Message) json.RawMessage {
	var blocks []bedrockBlock
	signed, calls := false, 0
	think := func(v any) {
		if raw, err := json.Marshal(v); err == nil {
			blocks, signed = append(blocks, bedrockBlock{Thinking: raw}), true
		}
	}
	for _, part := range r.order {
		switch {
		case part.call != nil:
			c := m.Calls[calls]
			calls++
			blocks = append(blocks, bedrockBlock{Use: &bedrockUse{c.ID, c.Name, argsObject(c.Args)}})
		case part.redacted != "":
			think(map[string]string{"redactedContent": part.redacted})
		case part.signed.Len() > 0:
			think(map[string]any{"reasoningText": map[string]string{"text": part.think.String(), "signature": part.signed.String()}})
		case strings.TrimSpace(part.text.String()) != "":
			blocks = append(blocks, bedrockBlock{Text: part.text.String()})
		}
	}
	if !signed {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"bedrock": blocks})
	if err != nil {
		return nil // cannot be: it is made of JSON
	}
	return raw
}
