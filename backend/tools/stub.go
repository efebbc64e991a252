// Package tools is the fixed set of acts an agent has, each behind the policy.
package tools

import (
	"context"
	"errors"

	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/testrun"
)

// Options are what the tools act on.
type Options struct {
	Workspace *repo.Workspace
	Index     *index.Index
	Runner    *testrun.Runner
	Command   testrun.Command
	Policy    policy.Settings
	Ask       func(ctx context.Context, act policy.Act) (bool, error) // nil: what must be asked is denied
	Full      func(ctx context.Context, data []byte) (hash string, err error)
	Delimiter string // random per session, wraps untrusted data
}

// Outcome is what a call gave. Text is exactly what the model sees.
type Outcome struct {
	OK      bool
	Summary string
	Text    string
	Cut     bool
	Full    string
	Run     *testrun.Run // of run_tests
	Patch   *patch.Patch // of apply_patch: what this call changed
	Notes   []patch.Note
	Finish  *string // the summary, of finish
}

// Recorder is told before and after each call; an error stops the run.
type Recorder interface {
	Called(ctx context.Context, call model.Call, verdict policy.Verdict) error
	Finished(ctx context.Context, call model.Call, out Outcome) error
}

// Set is the tools of one session.
type Set struct{}

func New(o Options) *Set { return &Set{} }

// Specs describes the tools to a model, byte-stable.
func (s *Set) Specs() []model.Spec { return nil }

// Call is the only way an agent acts: look up, validate, policy, ask, run, cap, record. The error is for a cancelled
// context or a record that could not be written; all else is an Outcome for the model.
func (s *Set) Call(ctx context.Context, call model.Call, rec Recorder) (Outcome, error) {
	return Outcome{}, errors.New("not built")
}
