// Package eval runs the shipped agent over tasks with known answers and scores it.
//
// The harness plays recorded models with deliberate faults through the whole job (copy, baseline, loop, proof) and holds
// each run against the one end it may have: a proven fix, or a clean stop for the right reason. It measures on the side
// what a model is sent, against a bare loop over the same calls, and what the harness itself costs a step. It runs the
// real agent and the real sandbox, since a harness of stand-ins would measure the stand-ins.
package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redgreen/backend/agent"
	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
)

// Options of a run. Samples holds, side by side, folders NAME with NAME.task.json and NAME.script.jsonl.
type Options struct {
	Samples fs.FS
	Names   []string // of samples, none: all
	Cases   []string // of faults, none: all
	Sandbox *sandbox.Sandbox
	Dir     string    // an absolute folder for everything that is written; the caller removes it
	Seed    string    // as in agent.Options
	Told    func(Row) // after each run; may be nil
}

// Row is one run of one fault over one sample.
type Row struct {
	Sample  string          `json:"sample"`
	Fault   string          `json:"fault"`
	Does    string          `json:"does"` // the model's fault in words
	Outcome session.Outcome `json:"outcome"`
	Proof   string          `json:"proof"` // state of the certificate, "" none
	Why     string          `json:"why"`   // the end's own words
	Steps   int             `json:"steps"`
	Millis  int64           `json:"ms"`
	OK      bool            `json:"ok"` // it ended as it must
	Want    string          `json:"want"`
}

// Report is what a run gives.
type Report struct {
	Rows     []Row    `json:"rows"`
	Tokens   []Tokens `json:"tokens"`
	Overhead Overhead `json:"overhead"`
}

// OK says that every run ended as it must.
func (r Report) OK() bool {
	return len(r.Rows) > 0 && !slices.ContainsFunc(r.Rows, func(r Row) bool { return !r.OK })
}

// Harness runs every fault over every sample. An error means that a run could not be made at all.
func Harness(ctx context.Context, o Options) (Report, error) {
	var out Report
	names, err := samples(o)
	if err != nil {
		return out, err
	}
	for _, name := range names {
		s, err := load(o.Samples, name)
		if err != nil {
			return out, err
		}
		for _, f := range faults {
			if len(o.Cases) > 0 && !slices.Contains(o.Cases, f.name) {
				continue
			}
			row, tokens, err := play(ctx, o, s, f)
			if err != nil {
				return out, fmt.Errorf("playing %s over %s: %w", f.name, name, err)
			}
			out.Rows = append(out.Rows, row)
			if tokens != nil {
				out.Tokens = append(out.Tokens, *tokens)
			}
			if o.Told != nil {
				o.Told(row)
			}
		}
	}
	if len(out.Rows) == 0 {
		return out, errors.New("running the harness: no such sample or fault")
	}
	return out, nil
}

func samples(o Options) ([]string, error) {
	found, err := fs.Glob(o.Samples, "*.task.json")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range found {
		if name := strings.TrimSuffix(f, ".task.json"); len(o.Names) == 0 || slices.Contains(o.Names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("running the harness: there is no sample of that name")
	}
	return names, nil
}

// sample is a task with a recorded model that fixes it.
type sample struct {
	name    string
	task    string
	replies []model.ScriptReply
	files   fs.FS
}

func load(samples fs.FS, name string) (sample, error) {
	s := sample{name: name}
	raw, err := fs.ReadFile(samples, name+".task.json")
	if err != nil {
		return s, err
	}
	var task struct{ Task string }
	if err := json.Unmarshal(raw, &task); err != nil {
		return s, fmt.Errorf("reading the task of %s: %w", name, err)
	}
	s.task = task.Task
	if raw, err = fs.ReadFile(samples, name+".script.jsonl"); err != nil {
		return s, err
	}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		var r model.ScriptReply
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return s, fmt.Errorf("reading the script of %s: %w", name, err)
		}
		r.DelayMS = 0
		s.replies = append(s.replies, r)
	}
	s.files, err = fs.Sub(samples, name)
	return s, err
}

// house is a folder with what an agent needs around it.
type house struct {
	root string
	o    agent.Options
	done func()
}

// open lays files into a folder of its own.
func open(o Options, name string, files fs.FS) (*house, error) {
	dir, err := os.MkdirTemp(o.Dir, name+"-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // the sandbox's user passes through
		return nil, err
	}
	h := &house{root: filepath.Join(dir, name)}
	if err := os.CopyFS(h.root, files); err != nil {
		return nil, err
	}
	r, err := repo.Open(h.root, repo.Options{StateDir: filepath.Join(dir, "undo")})
	if err != nil {
		return nil, err
	}
	ix, err := index.Open(r, filepath.Join(dir, "index"), index.Options{})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	store, err := session.Open(filepath.Join(dir, "sessions.db"), session.Options{})
	if err != nil {
		return nil, errors.Join(err, ix.Close(), r.Close())
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o711); err != nil {
		return nil, errors.Join(err, store.Close(), ix.Close(), r.Close())
	}
	h.o = agent.Options{Version: "eval", Store: store, Repo: r, Index: ix, Sandbox: o.Sandbox, Dir: work, Seed: o.Seed, Now: time.Now}
	h.done = func() {
		_ = errors.Join(store.Close(), ix.Close(), r.Close(), os.RemoveAll(dir)) // of a folder that the caller removes too
	}
	return h, nil
}

func scripted(p model.Provider) model.Model {
	return model.Model{Info: model.Info{Provider: "script", Name: "harness", Label: "recorded model", Local: true}, Provider: p}
}

// play runs one fault over one sample.
func play(ctx context.Context, o Options, s sample, f fault) (Row, *Tokens, error) {
	row := Row{Sample: s.name, Fault: f.name, Does: f.does, Want: f.wants()}
	h, err := open(o, s.name, s.files)
	if err != nil {
		return row, nil, err
	}
	defer h.done()
	h.o.Model = scripted(model.NewScript(f.replies(s)))
	begun := time.Now()
	run, err := agent.New(ctx, h.o, agent.Task{Text: s.task, Kind: agent.Fix, Limits: f.limits})
	if err != nil {
		return row, nil, err
	}
	defer run.Close()
	outcome, err := run.Work(ctx)
	if ctx.Err() != nil {
		return row, nil, ctx.Err()
	}
	if err != nil && outcome != session.Error {
		return row, nil, err
	}
	row.Millis = time.Since(begun).Milliseconds()
	st, err := h.o.Store.State(ctx, run.ID())
	if err != nil {
		return row, nil, err
	}
	events, err := h.o.Store.Events(ctx, run.ID(), 0, 0)
	if err != nil {
		return row, nil, err
	}
	row.Outcome, row.Proof, row.Steps, row.Why = outcome, st.Proof, st.Steps, lastWords(events)
	row.OK = f.holds(row)
	if f.name != recordedFault {
		return row, nil, nil
	}
	t, err := measure(ctx, h, s, events)
	return row, &t, err
}

// lastWords are why a session stands as it does.
func lastWords(events []session.Event) string {
	for _, e := range slices.Backward(events) {
		data, err := session.Decode(e)
		if err != nil {
			continue
		}
		switch d := data.(type) {
		case session.Finished:
			return d.Message
		case session.ReviewAsked:
			return "waits for review"
		}
	}
	return ""
}
