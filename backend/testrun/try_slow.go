package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The bounds of trySlowly: how many runs go side by side, each on its own copy of the tree, and how many candidates at least are
// tried behind the first that passes, for a better one.
const (
	slowWorkers = 2
	slowMore    = 20
	slowTimes   = 4 // of a whole run's time, for one candidate's runs
	slowGrace   = 10 * time.Second
)

// trySlowly tries candidates each as a run of its own.
func (r *Runner) trySlowly(ctx context.Context, dir string, c Command, candidates []Candidate, o TryOptions) ([]Trial, string, error) {
	q := &queue{trials: make([]Trial, len(candidates)), until: time.Now().Add(o.Wall), enough: o.Enough, last: len(candidates)}
	if !Selectable(c) {
		q.whole = true
	}
	var done sync.WaitGroup
	for range min(slowWorkers, len(candidates)) {
		done.Go(func() { q.end(r.tryOn(ctx, q, dir, c, candidates, o)) })
	}
	done.Wait()
	return q.trials, q.problem, q.err
}

// queue is what the workers of trySlowly share.
type queue struct {
	mu           sync.Mutex
	trials       []Trial
	until        time.Time
	enough, last int // last: no candidate from this number on is begun
	begun        int
	passed       int
	whole        bool // the runner cannot run some tests alone
	problem      string
	err          error
}

// take is the next candidate, false none.
func (q *queue) take() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil || q.problem != "" || q.begun >= q.last || q.passed >= q.enough || time.Now().After(q.until) {
		return 0, false
	}
	q.begun++
	return q.begun - 1, true
}

func (q *queue) put(n int, t Trial) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.trials[n] = t
	if t.Passes() {
		q.passed++
		q.last = min(q.last, q.begun+max(q.begun, slowMore))
	}
}

func (q *queue) end(problem string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.problem, q.err = cmp.Or(q.problem, problem), errors.Join(q.err, err)
}

// tryOn tries what the queue gives on one copy of the tree.
func (r *Runner) tryOn(ctx context.Context, q *queue, dir string, c Command, candidates []Candidate, o TryOptions) (problem string, err error) {
	tree, err := os.MkdirTemp(r.options.TempDir, "try-")
	if err != nil {
		return "", fmt.Errorf("making a folder for candidates: %w", err)
	}
	defer os.RemoveAll(tree)
	copied := filepath.Join(tree, "tree")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return "the tree could not be copied: " + firstLine(err.Error()), nil
	}
	if err := os.Chmod(tree, 0o755); err != nil {
		return "", err
	}
	first := o.Red[:min(len(o.Red), maxFirst)]
	if q.whole {
		first = nil
	}
	for n, ok := q.take(); ok; n, ok = q.take() {
		if err := lay(copied, candidates[n], o.Bytes); err != nil {
			return firstLine(err.Error()), nil
		}
		t, err := r.tryOne(ctx, copied, c, first, o)
		if err != nil {
			return "", err
		}
		q.put(n, t)
		if err := lay(copied, original(dir, candidates[n]), nil); err != nil {
			return "", err
		}
	}
	return "", nil
}

// tryOne runs the first tests over a tree, and all where those pass.
func (r *Runner) tryOne(ctx context.Context, tree string, c Command, first []string, o TryOptions) (Trial, error) {
	patient := ctx
	if o.Run > 0 {
		until, cancel := context.WithTimeout(ctx, slowTimes*o.Run+slowGrace)
		defer cancel()
		patient = until
	}
	hung := func() bool { return ctx.Err() == nil && patient.Err() != nil }
	run, err := r.Run(patient, tree, c, first)
	if hung() {
		return Trial{Tried: true, Built: true, Hung: o.Red[:min(1, len(o.Red))]}, nil
	}
	if err != nil {
		return Trial{}, err
	}
	t := Trial{Tried: true, Built: !run.Unbuilt}
	status := statuses(run)
	fixed := func() {
		t.Fixed = nil
		for _, id := range o.Red {
			if status[id] == Passed {
				t.Fixed = append(t.Fixed, id)
			}
		}
	}
	fixed()
	if len(first) > 0 && len(t.Fixed) < len(first) || len(t.Fixed) == 0 {
		return t, nil
	}
	if len(first) > 0 {
		run, err = r.Run(patient, tree, c, nil)
		if hung() {
			t.Hung = o.Red[:min(1, len(o.Red))]
			return t, nil
		}
		if err != nil {
			return Trial{}, err
		}
		status = statuses(run)
		fixed()
	}
	t.Whole, t.All = true, len(t.Fixed) == len(o.Red)
	for _, id := range o.Green {
		if status[id] != Passed {
			t.Broken = append(t.Broken, id)
		}
	}
	return t, nil
}

func statuses(run Run) map[string]Status {
	all := map[string]Status{}
	for _, t := range run.Tests {
		all[t.ID] = t.Status
	}
	return all
}

// lay writes the files of a candidate into a copy of the tree; encode nil writes the bytes of the texts.
func lay(tree string, c Candidate, encode func(path, text string) ([]byte, error)) error {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	for p, text := range c {
		data := []byte(text)
		if encode != nil {
			if data, err = encode(p, text); err != nil {
				return err
			}
		}
		if err := root.WriteFile(p, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func original(dir string, c Candidate) Candidate {
	o := Candidate{}
	for p := range c {
		o[p] = folder{root: dir}.read(p)
	}
	return o
}
