package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"redgreen/backend/model"
)

// miniSWE reads a trajectory of mini-swe-agent: one JSON object with info and messages. Its first form (mini-swe-agent-1) has
// one shell command in each reply's text and the result as the next message of the user; the later one (mini-swe-agent-1.1)
// has tool calls, results of the role tool and a last message of the role exit.
func miniSWE(ctx context.Context, data []byte) (trajectory, error) {
	var in struct {
		Format string `json:"trajectory_format"`
		Info   struct {
			Exit       string `json:"exit_status"`
			Submission string `json:"submission"`
			Version    string `json:"mini_version"`
			Stats      struct {
				Cost *float64 `json:"instance_cost"`
			} `json:"model_stats"`
			Config struct {
				Model struct {
					Name string `json:"model_name"`
				} `json:"model"`
				Environment struct {
					Cwd string `json:"cwd"`
				} `json:"environment"`
			} `json:"config"`
		} `json:"info"`
		Instance string        `json:"instance_id"`
		Messages []miniMessage `json:"messages"`
	}
	t := trajectory{source: Source{Tool: "mini-swe-agent"}}
	if err := json.Unmarshal(data, &in); err != nil {
		return t, fmt.Errorf("reading a trajectory of mini-swe-agent: %w", err)
	}
	t.source.Version, t.source.Session = in.Info.Version, in.Instance
	t.model, t.folder, t.ended, t.usd = in.Info.Config.Model.Name, in.Info.Config.Environment.Cwd, in.Info.Exit, in.Info.Stats.Cost
	if strings.Contains(in.Info.Submission, "diff --git ") {
		t.patch = in.Info.Submission
	}
	m := mini{t: &t}
	for i, message := range in.Messages {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if err := m.add(message); err != nil {
			return t, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return t, nil
}

type miniMessage struct {
	Role     string          `json:"role"`
	Content  json.RawMessage `json:"content"`
	Thinking string          `json:"reasoning_content"`
	CallID   string          `json:"tool_call_id"`
	Calls    []struct {
		ID       string `json:"id"`
		Function struct {
			Name string `json:"name"`
			Args string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	Extra struct {
		Cost      *float64 `json:"cost"`
		Timestamp float64  `json:"timestamp"` // Unix seconds
		Code      *int     `json:"returncode"`
		Response  struct {
			Usage struct {
				Input   int64 `json:"prompt_tokens"`
				Output  int64 `json:"completion_tokens"`
				Details struct {
					Cached int64 `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			} `json:"usage"`
		} `json:"response"`
	} `json:"extra"`
}

// mini is the state of reading: the command whose result the next message is.
type mini struct {
	t    *trajectory
	wait []string // ids of calls without a result
	n    int
}

// The command of a reply and the exit code of its result, as the first form writes them.
var (
	miniCommand = regexp.MustCompile("(?s)```[a-z_-]*\\s*\\n(.*?)\\n```")
	miniCode    = regexp.MustCompile(`<returncode>\s*(-?\d+)\s*</returncode>`)
)

func (m *mini) add(in miniMessage) error {
	text := texts(in.Content)
	at := time.Time{}
	if in.Extra.Timestamp > 0 && in.Extra.Timestamp < 7e9 { // until 2191
		at = time.Unix(0, int64(in.Extra.Timestamp*1e9)).UTC()
	}
	switch in.Role {
	case "system", "developer":
	case "assistant":
		m.n++
		r := m.t.reply(fmt.Sprint(m.n), at)
		r.text, r.thinking, r.usd = text, in.Thinking, in.Extra.Cost
		if u := in.Extra.Response.Usage; u.Input+u.Output > 0 {
			r.usage = model.Usage{Known: true, Input: u.Input - u.Details.Cached, CacheRead: u.Details.Cached, Output: u.Output}
		}
		m.wait = nil
		for _, c := range in.Calls {
			r.calls = append(r.calls, model.Call{ID: c.ID, Name: c.Function.Name, Args: c.Function.Args})
			m.wait = append(m.wait, c.ID)
		}
		if found := miniCommand.FindAllStringSubmatch(text, -1); len(in.Calls) == 0 && len(found) == 1 {
			args, err := encode(map[string]string{"command": found[0][1]})
			if err != nil {
				return err
			}
			id := fmt.Sprintf("call_%d", m.n)
			r.calls, m.wait = []model.Call{{ID: id, Name: "bash", Args: string(args)}}, []string{id}
		}
	case "tool", "user":
		id := in.CallID
		if id == "" && len(m.wait) > 0 {
			id = m.wait[0]
		}
		if id == "" {
			m.t.person(text, at)
			return nil
		}
		m.wait = slices.DeleteFunc(m.wait, func(w string) bool { return w == id })
		code := miniCode.FindStringSubmatch(text)
		failed := in.Extra.Code != nil && *in.Extra.Code != 0 || in.Extra.Code == nil && code != nil && code[1] != "0"
		m.t.result(model.Result{CallID: id, Text: text, Error: failed}, at)
	case "exit":
		m.wait = nil
	default:
		m.t.source.Skipped++
	}
	return nil
}
