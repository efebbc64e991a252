package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

type (
	openaiChunk struct {
		Choices []struct {
			Delta        openaiDelta `json:"delta"`
			Message      openaiDelta `json:"message"` // of a server that does not stream
			FinishReason string      `json:"finish_reason"`
		} `json:"choices"`
		Usage   *openaiUsage `json:"usage"`
		Timings *struct {    // of llama.cpp, also where it tells no usage
			Cached int64 `json:"cache_n"`
			Prompt int64 `json:"prompt_n"` // without cached ones
			Output int64 `json:"predicted_n"`
		} `json:"timings"`
		Error json.RawMessage `json:"error"`
	}
	openaiDelta struct {
		Content   string            `json:"content"`
		Refusal   string            `json:"refusal"`
		Reasoning string            `json:"reasoning"`         // OpenRouter, vLLM
		Thinking  string            `json:"reasoning_content"` // llama.cpp, LM Studio, DeepSeek
		Details   []json.RawMessage `json:"reasoning_details"` // OpenRouter
		ToolCalls []struct {
			Index    *int            `json:"index"`
			ID       string          `json:"id"`
			Extra    json.RawMessage `json:"extra_content"` // Gemini's signature of its thinking
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	openaiUsage struct {
		Prompt  int64       `json:"prompt_tokens"` // with cached and written ones
		Output  int64       `json:"completion_tokens"`
		Cost    json.Number `json:"cost"` // in dollars: OpenRouter's
		Details struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		OutputDetails struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
)

// usage makes OpenAI's overlapping counts disjoint.
func (u *openaiUsage) usage() Usage {
	read := min(max(u.Details.Cached, 0), max(u.Prompt, 0))
	write := min(max(u.Details.Written, 0), max(u.Prompt, 0)-read)
	return Usage{Known: true, Input: max(u.Prompt, 0) - read - write, CacheRead: read, CacheWrite: write,
		Output: max(u.Output, 0), Reasoning: max(u.OutputDetails.Reasoning, 0), Billed: dollars(u.Cost)}
}

// read gathers the stream. It is whole when a finish reason came, or [DONE]; usage follows between them or is missing.
func (p *openai) read(model string, req Request, resp *http.Response, emit func(Delta)) (Reply, error) {
	a := answer{emit: emit}
	var kept openaiKept
	var finish string
	var usage Usage
	take := func(data []byte) error {
		if isDone(data) {
			finish = cmp.Or(finish, "stop")
			return io.EOF
		}
		if list := []json.RawMessage{}; bytes.HasPrefix(data, []byte("[")) && json.Unmarshal(data, &list) == nil && len(list) > 0 {
			data = list[0] // Gemini's form of an error
		}
		var c openaiChunk
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return p.refused(model, 0, nil, data)
		}
		if c.Usage != nil {
			usage = c.Usage.usage()
		}
		if t := c.Timings; t != nil && usage.CacheRead == 0 {
			usage = Usage{Known: true, Input: max(t.Prompt, 0), CacheRead: max(t.Cached, 0), Output: max(t.Output, 0), Reasoning: usage.Reasoning}
		}
		for _, choice := range c.Choices[:min(1, len(c.Choices))] {
			if choice.FinishReason != "" && finish != "refusal" {
				finish = choice.FinishReason
			}
			for _, d := range []openaiDelta{choice.Delta, choice.Message} {
				if err := d.add(&a, &kept, &finish); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if strings.Contains(resp.Header.Get("Content-Type"), "application/json") {
		var data json.RawMessage
		if err := readJSON(resp.Body, &data); err != nil {
			return Reply{}, err
		}
		if err := take(data); err != nil {
			return Reply{}, err
		}
	} else if err := eachEvent(resp.Body, &finish, take); err != nil {
		return Reply{}, err
	}
	reply := Reply{Message: a.message(req), Stop: a.stop(), Usage: usage}
	reply.Message.Opaque = kept.opaque(p.provider, &a)
	finish, _, _ = strings.Cut(finish, ":") // Gemini adds why
	switch finish {
	case "":
		return Reply{}, errCut
	case "length":
		reply.Stop = StopLength
	case "content_filter", "refusal":
		reply.Stop = StopRefusal
	}
	return reply, nil
}

func (d openaiDelta) add(a *answer, kept *openaiKept, finish *string) error {
	for _, raw := range d.Details {
		if err := a.grow(string(raw)); err != nil {
			return err
		}
		kept.addDetail(raw)
	}
	kept.Thinking = kept.Thinking || d.Thinking != ""
	if d.Refusal != "" {
		*finish = "refusal"
	}
	if err := a.addThinking(d.Reasoning + d.Thinking); err != nil {
		return err
	}
	if err := a.addText(d.Content + d.Refusal); err != nil {
		return err
	}
	for _, t := range d.ToolCalls {
		index := -1
		if t.Index != nil {
			index = *t.Index
		}
		args := string(t.Function.Arguments)
		if bytes.HasPrefix(t.Function.Arguments, []byte(`"`)) {
			if err := json.Unmarshal(t.Function.Arguments, &args); err != nil {
				return err
			}
		} else if args == "null" {
			args = ""
		}
		call := a.call(index, t.ID, t.Function.Name)
		if len(t.Extra) > 0 && string(t.Extra) != "null" {
			call.extra = t.Extra
		}
		if err := a.addArgs(call, args); err != nil {
			return err
		}
	}
	return nil
}
