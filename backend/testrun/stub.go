// Package testrun finds a repository's test commands, runs them in the sandbox, and reads their output into results.
package testrun

import (
	"context"
	"errors"
	"time"

	"redgreen/backend/sandbox"
)

var errStub = errors.New("not built")

// Command is a fixed test command: an argument list, never a shell string.
type Command struct {
	Runner string   `json:"runner"` // pytest, unittest, go, node, custom
	Dir    string   `json:"dir"`    // slash-separated, relative to the root, "" the root
	Args   []string `json:"args"`   // as shown to people; the reader may add report flags
	Source string   `json:"source"` // the file or fact it was found by: "go.mod", "--test-cmd"
}

// Status of a test.
type Status string

const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
	Errored Status = "error"
)

// Test is one test's result. IDs are stable between runs and can be passed back to select the test.
type Test struct {
	ID      string `json:"id"`
	Status  Status `json:"status"`
	Millis  int64  `json:"ms"`
	Message string `json:"message"` // failing assertion, trimmed
	File    string `json:"-"`       // where it failed, relative, "" unknown
	Line    int    `json:"-"`
}

// Run is one finished run. The JSON form is the contract of `redgreen test --json`.
type Run struct {
	Runtime  string   `json:"runtime"`
	Command  []string `json:"command"`
	Tests    []Test   `json:"tests"`
	ExitCode int      `json:"exit_code"`
	Reason   string   `json:"reason"` // "" ended by itself; timeout, memory, …; or infrastructure: why there is no verdict

	Infrastructure bool           `json:"-"` // no verdict: command not found, no test collected, stopped by a limit, …
	Rung           sandbox.Rung   `json:"-"`
	Limits         sandbox.Limits `json:"-"`
	Duration       time.Duration  `json:"-"`
	Log            []byte         `json:"-"` // the whole output kept
	PerTest        bool           `json:"-"` // false: only the exit status is known
}

// Counts of a run.
func (r Run) Counts() (passed, failed, skipped int) { return }

// Find lists the test commands of a tree, most likely first; empty when none was found.
func Find(dir string) ([]Command, error) { return nil, errStub }

// Custom is the person's own command.
func Custom(args []string) Command { return Command{} }

// Options configure a Runner.
type Options struct {
	Sandbox *sandbox.Sandbox
	Cache   string // host folder for build caches, kept between runs of a session
	Source  string // the person's folder: where dependency folders (node_modules, .venv) are shown from, read-only; "" none
	Limits  sandbox.Limits
	TempDir string
}

// Runner runs test commands. Safe for concurrent use.
type Runner struct{}

func New(o Options) *Runner { return &Runner{} }

// Run runs a command over the tree in dir. paths are test files, folders or ids, validated with Validate; none runs all.
func (r *Runner) Run(ctx context.Context, dir string, c Command, paths []string) (Run, error) {
	return Run{}, errStub
}

// Validate checks that each path is inside the tree and is a test, folder or id of this runner; the error names what is
// not and lists what is.
func Validate(dir string, c Command, paths []string) error { return errStub }

// Brief is what a model gets: counts, failing tests with their assertions and lines, at most max bytes.
func (r Run) Brief(max int) (text string, cut bool) { return "", false }
