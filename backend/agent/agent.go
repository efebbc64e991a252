// Package agent turns one task into one proven patch: the loop, its prompt, its context, its limits.
//
// The record is the truth: what the model is sent is rebuilt from the events by one pure function (Conversation), so a
// live run and one that goes on after a crash are the same. The model only proposes: the system copies the folder, runs
// the baseline, keeps the limits and makes the proof, and nothing is written into the folder before a person approves.
package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
	"redgreen/backend/tools"
)

// Options are what a run needs of the house.
type Options struct {
	Version string
	Store   *session.Store
	Repo    *repo.Repo
	Index   *index.Index // brought up to date by Work
	Sandbox *sandbox.Sandbox
	Model   model.Model
	Summary model.Model     // for supporting work: shortens reasoning when room is made; without a Provider a rule does it
	Window  int             // tokens of context to assume where the provider does not tell, 0 the default of 64,000
	Dir     string          // absolute folder for workspaces and build caches, one subfolder a session
	Spare   string          // absolute folder, in the filesystem of Dir, where the copy for the next task is kept ready; "" none
	Tests   testrun.Options // what the runner of tests has beside what the run itself fills in: images, what was installed
	Seed    string          // absolute folder of compiled standard libraries that the build caches of all sessions start from; "" none
	Now     func() time.Time
	Ask     func(ctx context.Context, session string, act policy.Act) (bool, error)
	OnDelta func(session string, step int, d model.Delta) // streamed text; must not block
	OnPhase func(session, text string)                    // what the system does now, in words, "" nothing; must not block
	OnTests func(session string, p testrun.Progress)      // how far a run of tests is; must not block; nil nobody is told
}

// Task is what the person asked.
type Task struct {
	ID            string // of the session, by Store.NewID; "" a new one
	Text          string
	Images        []model.Image // as model.ReadImage gives them
	Kind          Kind          // "" is told from the text and the folder
	Limits        session.Limits
	Approval      string // ask, auto, never; recorded, acted on by the caller
	AskEdits      bool
	NoGuides      bool     // what the repository says to agents (repo.Guide) is not given to the model
	Guides        string   // repo.HashGuides of what the person was shown, and nothing else is given; "" what is there at the start
	TestCmd       []string // the person's own test command
	TestDir       string   // the folder that TestCmd runs in, relative to the root, "" the root
	SandboxLimits sandbox.Limits
}

// Run is one session at work. Its methods may be called from any goroutine; Work from one at a time.
type Run struct {
	o    Options
	log  *session.Log
	task Task

	working sync.Mutex // held by Work, and by what must not run beside it

	mu     sync.Mutex // guards events and the order in which they are appended, and paused
	events []entry
	paused chan struct{} // closed when the run goes on; nil: it is not paused

	clock      *clock         // of the present or last Work; only Work's goroutine uses it
	bench      *bench         // workspace and tests; nil until Work needs them
	background sync.WaitGroup // the index update that Work started
}

// ErrState is returned for an act that the session's present state does not allow; the message says which would be.
var ErrState = errors.New("not possible now")

// New creates the session, records session.started and the task; it starts nothing else.
func New(ctx context.Context, o Options, t Task) (*Run, error) {
	o = o.filled()
	if strings.TrimSpace(t.Text) == "" {
		return nil, errors.New("starting a task: it has no text; say what is wrong")
	}
	t.Limits = withDefaults(t.Limits)
	by := "person"
	if t.Kind == "" {
		code, err := holdsCode(ctx, o.Repo)
		if err != nil {
			return nil, fmt.Errorf("starting a task: %w", err)
		}
		t.Kind, by = tellKind(t.Text, code), "text"
	}
	if err := able(o.Model.Info, t.Kind); err != nil {
		return nil, err
	}
	if err := fitsImages(o.Model.Info, nil, t.Images); err != nil {
		return nil, err
	}
	git := o.Repo.Git()
	bounds, err := json.Marshal(t.SandboxLimits)
	if err != nil {
		return nil, fmt.Errorf("starting a task: encoding the limits of its test runs: %w", err)
	}
	guides, err := t.shownGuides(o.Repo)
	if err != nil {
		return nil, fmt.Errorf("starting a task: %w", err)
	}
	log, err := o.Store.CreateAs(ctx, cmp.Or(t.ID, o.Store.NewID()), session.Started{
		Schema: session.Schema, Version: o.Version, Folder: o.Repo.Root(), Task: t.Text, Model: o.Model.Info, Limits: t.Limits,
		Approval: t.Approval, AskEdits: t.AskEdits, TestCmd: t.TestCmd, TestDir: t.TestDir, Branch: git.Branch, Commit: git.Commit,
		TaskKind: string(t.Kind), KindBy: by, SandboxLimits: bounds, NoGuides: t.NoGuides, Guides: guides, GuidesHash: t.Guides,
	})
	if err != nil {
		return nil, err
	}
	first, err := o.Store.Events(ctx, log.ID(), 0, 0)
	if err != nil {
		return nil, err
	}
	r := &Run{o: o, log: log, task: t}
	if r.events, err = decode(first); err != nil {
		return nil, err
	}
	return r, r.append(ctx, session.KindMessage, session.Message{Text: t.Text, Images: r.keepImages(t.Images)})
}

// Open picks a session up from its record: one that waits for review, or one that was interrupted. It is cheap: a
// workspace is made only when Work needs it.
func Open(ctx context.Context, o Options, id string) (*Run, error) {
	o = o.filled()
	log, err := o.Store.Log(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("opening session %s: %w", id, err)
	}
	stored, err := o.Store.Events(ctx, id, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("opening session %s: %w", id, err)
	}
	events, err := decode(stored)
	if err != nil {
		return nil, fmt.Errorf("opening session %s: %w", id, err)
	}
	st, ok := events[0].data.(session.Started)
	if !ok {
		return nil, fmt.Errorf("opening session %s: its first event is %s, not its start", id, stored[0].Kind)
	}
	if st.Folder != o.Repo.Root() {
		return nil, fmt.Errorf("opening session %s: it belongs to %s, open that folder first", id, st.Folder)
	}
	r := &Run{o: o, log: log, events: events, task: Task{
		Text: st.Task, Kind: cmp.Or(Kind(st.TaskKind), Fix), Limits: withDefaults(st.Limits), Approval: st.Approval, AskEdits: st.AskEdits, TestCmd: st.TestCmd, TestDir: st.TestDir,
		NoGuides: st.NoGuides, Guides: st.GuidesHash}}
	if len(st.SandboxLimits) > 0 {
		if err := json.Unmarshal(st.SandboxLimits, &r.task.SandboxLimits); err != nil {
			return nil, fmt.Errorf("opening session %s: reading the limits of its test runs: %w", id, err)
		}
	}
	return r, nil
}

func (o Options) filled() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnDelta == nil {
		o.OnDelta = func(string, int, model.Delta) {}
	}
	if o.OnPhase == nil {
		o.OnPhase = func(string, string) {}
	}
	return o
}

// ID is the session's id.
func (r *Run) ID() string { return r.log.ID() }

// Folder is the folder that the session works on.
func (r *Run) Folder() string { return r.o.Repo.Root() }

// append records an event; the record does not end with the caller's context.
func (r *Run) append(ctx context.Context, kind session.Kind, data any) error {
	return r.appendAll(ctx, session.Entry{Kind: kind, Data: data})
}

// appendAll records events of which a crash must not leave only some.
func (r *Run) appendAll(ctx context.Context, entries ...session.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	stored, err := r.log.AppendAll(context.WithoutCancel(ctx), entries...)
	if err != nil {
		return &recordError{err}
	}
	more, err := decode(stored)
	if err != nil {
		return &recordError{err}
	}
	r.events = append(r.events, more...)
	return nil
}

// entry is an event with its payload: read once, since every step looks at all of them. data is nil for an event of a
// newer version.
type entry struct {
	session.Event
	data any
}

func decode(events []session.Event) ([]entry, error) {
	out := make([]entry, len(events))
	for i, e := range events {
		data, err := session.Decode(e)
		if err != nil && !errors.Is(err, session.ErrUnknownKind) {
			return nil, fmt.Errorf("reading the record: %w", err)
		}
		out[i] = entry{e, data}
	}
	return out, nil
}

// recordError is a record that could not be written: nothing can go on without it.
type recordError struct{ err error }

func (e *recordError) Error() string { return e.err.Error() }
func (e *recordError) Unwrap() error { return e.err }

// history is the events so far.
func (r *Run) history() []entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[:len(r.events):len(r.events)]
}

func (r *Run) phase(text string) { r.o.OnPhase(r.ID(), text) }

// dir is the folder of this session's workspaces and caches.
func (r *Run) dir() string { return filepath.Join(r.o.Dir, r.ID()) }

// delimiter marks untrusted data. Content of the repository was there before the session and cannot hold it; it is made
// from the session's random id and start, so that a run that goes on keeps it, and a fork has that of its first parent.
func (r *Run) delimiter() string {
	id, events := r.ID(), r.history()
	for _, e := range events {
		if d, ok := e.data.(session.Forked); ok {
			id = d.From
			break
		}
	}
	sum := sha256.Sum256([]byte("delimiter " + id + " " + events[0].Time.Format(time.RFC3339Nano)))
	return hex.EncodeToString(sum[:8])
}

// Keep copies what the agent worked on to dir, which must not exist, for a look after Close. There is nothing to keep before
// Work made a workspace.
func (r *Run) Keep(dir string) error {
	r.working.Lock()
	defer r.working.Unlock()
	if r.bench == nil {
		return errors.New("keeping the working copy: none was made")
	}
	return r.bench.ws.Keep(dir)
}

// Close removes the workspace; the record stays. It waits for Work, whose context must have ended.
func (r *Run) Close() error {
	r.working.Lock()
	defer r.working.Unlock()
	var werr error
	if r.bench != nil {
		werr = r.bench.ws.Close()
	}
	r.bench = nil
	if err := os.RemoveAll(r.dir()); err != nil {
		return fmt.Errorf("removing the workspace of session %s: %w", r.ID(), err)
	}
	return werr
}

// bench is what a session works on.
type bench struct {
	ws       *repo.Workspace
	runner   *testrun.Runner
	command  testrun.Command // without Args: none was found
	baseline testrun.Run
	tools    *tools.Set
	first    string // the first message
	copies   int    // of the base, made so far for proofs
	copied   session.Copied
}
