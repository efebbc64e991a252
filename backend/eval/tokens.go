package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
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
// tools and task, but whole files where we give 200 lines and the runner's own output where we give the failing
// assertions, and neither a map nor first hits. There are two such peers. The plain one takes each step and is shown the
// whole file each time that it reads in one. The best that a bare loop can be has a file once and does not read it again
// before it changes, and saves the steps that this saves. The runner of both names no test that passes. Counted with
// model.CountTokens on all sides.
type Tokens struct {
	Sample  string  `json:"sample"`
	Steps   int     `json:"steps"`
	Fewer   int     `json:"fewer"`    // steps that the bare loop saves
	Ours    int64   `json:"ours"`     // input tokens over all steps
	Bare    int64   `json:"bare"`     // of the best bare loop
	Plain   int64   `json:"plain"`    // of the plain one
	PerStep int64   `json:"per_step"` // ours
	Ratio   float64 `json:"ratio"`    // ours to the best bare loop
	OfPlain float64 `json:"of_plain"` // ours to the plain one
	// Again is the share of the bytes of each request but the last that the next one begins with; Prefix the share of the
	// bytes of each request but the first that are such a prefix. The rest is what is new.
	Again  float64 `json:"again"`
	Prefix float64 `json:"prefix"`
}

// measure reads a run's record.
func measure(ctx context.Context, h *house, s sample, events []session.Event) (Tokens, error) {
	t := Tokens{Sample: s.name}
	b := bare{ctx: ctx, store: h.o.Store, files: s.files}
	plain := bare{ctx: ctx, store: h.o.Store, files: s.files, plain: true}
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
		plain.see(data, s.task, sent)
	}
	if b.err != nil {
		return t, fmt.Errorf("measuring %s: %w", s.name, b.err)
	}
	b.end()
	plain.end()
	t.Steps, t.Fewer, t.Ours, t.Bare = b.steps, b.fewer, b.ours, b.total
	t.Plain, t.OfPlain = plain.total, float64(t.Ours)/float64(max(plain.total, 1))
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
	plain bool // see Tokens
	req   model.Request
	calls map[string]session.ToolCalled
	has   map[string]string // path → hash of the content that it has whole before its eyes
	turn  *turn             // the last reply, until the next
	steps int
	fewer int
	ours  int64
	total int64
	err   error
}

// turn is a reply with the results of its calls; need says that one of them tells a bare loop something.
type turn struct {
	reply   model.Message
	prompt  int64 // what it answers
	results []model.Result
	need    bool
}

func (b *bare) see(data any, task string, sent [][]byte) {
	switch d := data.(type) {
	case session.TestsFinished:
		b.say(model.Message{Role: model.User, Text: task + "\n\n" + b.log(d.Run)})
	case session.ModelRequested:
		b.end()
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
		b.turn = &turn{reply: d.Message, prompt: model.CountTokens(b.req), need: len(d.Message.Calls) == 0}
	case session.ToolCalled:
		if b.calls == nil {
			b.calls = map[string]session.ToolCalled{}
		}
		b.calls[d.CallID] = d
	case session.ToolFinished:
		if b.turn != nil {
			text, anew := b.result(d)
			b.turn.results = append(b.turn.results, model.Result{Name: d.Tool, Text: text})
			b.turn.need = b.turn.need || anew
		}
	}
}

// end takes the last turn in, or leaves it out where it would only read again what is before the bare loop's eyes.
func (b *bare) end() {
	t := b.turn
	if b.turn = nil; t == nil {
		return
	}
	if !t.need {
		b.fewer++
		return
	}
	b.total += t.prompt
	b.say(t.reply)
	if len(t.results) > 0 {
		b.say(model.Message{Role: model.Tool, Results: t.results})
	}
}

func (b *bare) say(m model.Message) { b.req.Messages = append(b.req.Messages, m) }

func (b *bare) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// passing are the lines in which go test -v and pytest -v name what passes, or only begins.
var passing = regexp.MustCompile(`(?m)^(?:=== (?:RUN|PAUSE|CONT|NAME) .*|\s*--- PASS: .*|\S+::.* PASSED\b.*)\n`)

// log is a run's output as its runner prints it without our wish for the name of each test.
func (b *bare) log(r session.Run) string {
	if r.Log == "" {
		return ""
	}
	body, err := b.store.Body(b.ctx, r.Log)
	b.fail(err)
	return passing.ReplaceAllString(string(body), "")
}

// result is what a bare loop would show of a call; anew says that it does not have it yet.
func (b *bare) result(d session.ToolFinished) (text string, anew bool) {
	if d.Run != nil {
		return b.log(*d.Run), true
	}
	if d.Tool != "read_file" || len(d.Seen) == 0 {
		return d.Text, true
	}
	seen := d.Seen[0]
	if b.has[seen.Path] == seen.Hash && !b.plain {
		return "(as above)", false
	}
	if b.has == nil {
		b.has = map[string]string{}
	}
	b.has[seen.Path] = seen.Hash
	if whole, err := fs.ReadFile(b.files, seen.Path); err == nil {
		return string(whole), true
	}
	return d.Text, true
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
