// Package agent turns one task into one proven patch: the loop, its prompt, its context, its limits.
package agent

import (
	"context"
	"errors"
	"time"

	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
)

var errStub = errors.New("not built")

// Options are what a run needs of the house.
type Options struct {
	Version string
	Store   *session.Store
	Repo    *repo.Repo
	Index   *index.Index // brought up to date by New
	Sandbox *sandbox.Sandbox
	Model   model.Model
	Dir     string // absolute folder for workspaces and build caches, one subfolder a session
	Now     func() time.Time
	Ask     func(ctx context.Context, session string, act policy.Act) (bool, error)
	OnDelta func(session string, step int, d model.Delta) // streamed text; must not block
}

// Task is what the person asked.
type Task struct {
	Text          string
	Limits        session.Limits
	Approval      string // ask, auto, never; recorded, acted on by the caller
	AskEdits      bool
	TestCmd       []string // the person's own test command
	SandboxLimits sandbox.Limits
}

// Run is one session at work. Its methods may be called from any goroutine; Work from one at a time.
type Run struct{}

// New creates the session, records session.started and the task; it starts nothing else.
func New(ctx context.Context, o Options, t Task) (*Run, error) { return nil, errStub }

// Open picks a session up from its record: one that waits for review, or one that was interrupted.
func Open(ctx context.Context, o Options, id string) (*Run, error) { return nil, errStub }

func (r *Run) ID() string { return "" }

// Work runs baseline, loop and proof until the patch waits for review (session.Review), or the session has ended:
// a limit, a cancel (ctx), an error, or finish without a patch, with session.finished recorded.
func (r *Run) Work(ctx context.Context) (session.Outcome, error) { return "", errStub }

// Say queues a person's message for the next step.
func (r *Run) Say(ctx context.Context, text string) error { return errStub }

// Reject records the rejection; with a comment, Work goes on with it, without one the session is finished.
func (r *Run) Reject(ctx context.Context, comment string) error { return errStub }

// Approve writes the patch that waits for review into the folder and finishes the session. patchHash is the patch that
// the person saw; by is person or auto (auto only when proven).
func (r *Run) Approve(ctx context.Context, patchHash, by string) (repo.Receipt, error) {
	return repo.Receipt{}, errStub
}

// Finish closes a session that waits for review without writing.
func (r *Run) Finish(ctx context.Context) error { return errStub }

// Close removes the workspace; the record stays.
func (r *Run) Close() error { return nil }

// Undo takes back what a session wrote, or takes the undo back.
func Undo(ctx context.Context, o Options, id string) (repo.Receipt, error) {
	return repo.Receipt{}, errStub
}
