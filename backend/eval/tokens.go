package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing/fstest"
	"time"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/session"
)

// Tokens compares what the model was sent with what a bare loop over the same calls would send: the same system prompt,
// tools and task, but whole files where we give 200 lines and whole test output where we give the failing assertions, and
// neither a map nor first hits. Counted with model.CountTokens on both sides.
type Tokens struct {
	Sample  string  `json:"sample"`
	Steps   int     `json:"steps"`
	Ours    int64   `json:"ours"`     // input tokens over all steps
	Bare    int64   `json:"bare"`     // of the bare loop
	PerStep int64   `json:"per_step"` // ours
	Ratio   float64 `json:"ratio"`    // ours to bare
	// Again is the share of the bytes of each request but the last that the next one begins with; Prefix the share of the
	// bytes of each request but the first that are such a prefix. The rest is what is new.
	Again  float64 `json:"again"`
	Prefix float64 `json:"prefix"`
}

// measure reads a run's record.
func measure(ctx context.Context, h *house, s sample, events []session.Event) (Tokens, error) {
	t := Tokens{Sample: s.name}
	b := bare{ctx: ctx, store: h.o.Store, files: s.files}
	var sent [][]byte
	for _, e := range events {
		data, err := session.Decode(e)
		if err != nil {
			continue
		}
		if d, ok := data.(session.ModelReplied); ok {
			body, err := h.o.Store.Body(ctx, d.Body)
			if err != nil {
				return t, fmt.Errorf("reading a request: %w", err)
			}
			sent = append(sent, body)
		}
		b.see(data, s.task, sent)
	}
	if b.err != nil {
		return t, fmt.Errorf("measuring %s: %w", s.name, b.err)
	}
	t.Steps, t.Ours, t.Bare = b.steps, b.ours, b.total
	t.PerStep, t.Ratio = t.Ours/int64(max(t.Steps, 1)), float64(t.Ours)/float64(max(t.Bare, 1))
	t.Again, t.Prefix = stable(sent)
	return t, nil
}

// stable compares each request with the next, byte by byte.
func stable(sent [][]byte) (again, prefix float64) {
	same, earlier, later := 0, 0, 0
	for i := 1; i < len(sent); i++ {
		head := strings.TrimSuffix(string(sent[i-1]), "]}") // the end of the list of messages and of the request
		n := 0
		for n < len(head) && n < len(sent[i]) && head[n] == sent[i][n] {
			n++
		}
		same, earlier, later = same+n, earlier+len(head), later+len(sent[i])
	}
	if earlier == 0 {
		return 0, 0
	}
	return float64(same) / float64(earlier), float64(same) / float64(later)
}

// bare is the bare loop's conversation, grown call by call.
type bare struct {
	ctx   context.Context
	store *session.Store
	files fs.FS
	req   model.Request
	calls map[string]session.ToolCalled
	steps int
	ours  int64
	total int64
	err   error
}

func (b *bare) see(data any, task string, sent [][]byte) {
	switch d := data.(type) {
	case session.TestsFinished:
		b.say(model.Message{Role: model.User, Text: task + "\n\n" + b.log(d.Run)})
	case session.ModelRequested:
		b.steps++
		b.ours += d.Tokens
	case session.ModelReplied:
		if b.req.System == "" && len(sent) > 0 {
			var first struct {
				System string
				Tools  []model.Spec
			}
			b.fail(json.Unmarshal(sent[0], &first))
			b.req.System, b.req.Tools = first.System, first.Tools
		}
		b.total += model.CountTokens(b.req) // what this reply answers
		b.say(d.Message)
	case session.ToolCalled:
		if b.calls == nil {
			b.calls = map[string]session.ToolCalled{}
		}
		b.calls[d.CallID] = d
	case session.ToolFinished:
		b.say(model.Message{Role: model.Tool, Results: []model.Result{{Name: d.Tool, Text: b.result(d)}}})
	}
}

func (b *bare) say(m model.Message) { b.req.Messages = append(b.req.Messages, m) }

func (b *bare) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// log is a run's whole output.
func (b *bare) log(r session.Run) string {
	if r.Log == "" {
		return ""
	}
	body, err := b.store.Body(b.ctx, r.Log)
	b.fail(err)
	return string(body)
}

// result is what a bare loop would show of a call.
func (b *bare) result(d session.ToolFinished) string {
	if d.Run != nil {
		return b.log(*d.Run)
	}
	var a struct{ Path string }
	if d.Tool == "read_file" && json.Unmarshal([]byte(b.calls[d.CallID].Args), &a) == nil {
		if whole, err := fs.ReadFile(b.files, a.Path); err == nil {
			return string(whole)
		}
	}
	return d.Text
}

// Overhead is what the harness itself costs a step: the time from a reply of the model to its next call, with a quick
// tool in it and no test run, late in a long session.
type Overhead struct {
	History int           `json:"history"` // steps before the measured ones
	Steps   int           `json:"steps"`   // measured
	Median  time.Duration `json:"median"`
	P90     time.Duration `json:"p90"`
	CPU     time.Duration `json:"cpu"` // median of the process's own CPU time a step: what a busy machine does not stretch
}

// The measured session: steps of history, and steps that are measured behind them.
const (
	history  = 200
	measured = 40
)

// Cost measures the harness's own time a step, on a folder of small files and a model that answers at once.
func Cost(ctx context.Context, o Options) (Overhead, error) {
	out := Overhead{History: history, Steps: measured}
	files := fstest.MapFS{}
	for i := range 60 {
		text := strings.Repeat(fmt.Sprintf("def f%d(a, b):\n    return a + b\n\n\n", i), 10)
		files[fmt.Sprintf("src/part%d.py", i)] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	h, err := open(o, "cost", files)
	if err != nil {
		return out, err
	}
	defer h.done()
	p := &stopwatch{}
	for i := range history + measured {
		p.replies = append(p.replies, call("I read on.", "read_file", m{"path": fmt.Sprintf("src/part%d.py", i%60), "start_line": 1 + i/60, "end_line": 12 + i/60}))
	}
	p.replies = append(p.replies, finish())
	p.inner = model.NewScript(p.replies)
	h.o.Model = scripted(p)
	h.o.Model.Window = 10_000_000 // so that nothing leaves the history
	run, err := agent.New(ctx, h.o, agent.Task{Text: "Explain what src holds", Kind: agent.Explain,
		Limits: session.Limits{Steps: history + measured + 10, Output: 1 << 30, Wall: time.Hour}})
	if err != nil {
		return out, err
	}
	defer run.Close()
	if outcome, err := run.Work(ctx); err != nil || outcome != session.Answered {
		return out, fmt.Errorf("measuring a step: the run ended as %s: %w", outcome, err)
	}
	late := slices.Sorted(slices.Values(p.gaps[history:]))
	busy := slices.Sorted(slices.Values(p.cpu[history:]))
	out.Median, out.P90, out.CPU = late[len(late)/2], late[len(late)*9/10], busy[len(busy)/2]
	return out, nil
}

// stopwatch is a model that notes the time between its replies and its next calls.
type stopwatch struct {
	replies []model.ScriptReply
	inner   model.Provider
	last    time.Time
	lastCPU time.Duration
	gaps    []time.Duration
	cpu     []time.Duration
}

// cpuTime is the CPU time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (p *stopwatch) Models(ctx context.Context) ([]model.Info, error) { return p.inner.Models(ctx) }

func (p *stopwatch) Chat(ctx context.Context, name string, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	if !p.last.IsZero() {
		p.gaps, p.cpu = append(p.gaps, time.Since(p.last)), append(p.cpu, cpuTime()-p.lastCPU)
	}
	reply, err := p.inner.Chat(ctx, name, req, onDelta)
	p.last, p.lastCPU = time.Now(), cpuTime()
	return reply, err
}
