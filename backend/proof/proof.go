// Package proof compares runs before and after a patch and issues the certificate.
//
// The verdict is a pure function (judge) of what was observed: the run on the base, the run with the patch, the reruns
// that tell a real change from a flaky test, and the patch itself, whose changes to tests and their surroundings are
// flagged line by line. Prove only makes those observations. A test counts as red→green when it fails on the base, also
// with the patch's own changes to tests, and passes with the whole patch, each time: so a test that was bent until it
// passed, or that passes by chance, proves nothing.
package proof

import (
	"context"
	"fmt"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// State of a certificate.
type State string

// The states. Stale is set by whoever holds a certificate against a newer patch or base.
const (
	Proven       State = "proven"
	NotProven    State = "not_proven"
	Stale        State = "stale"
	Unverifiable State = "unverifiable"
)

// Certificate is the proof attached to a patch; the same inputs give the same certificate but for times. Its JSON form
// is a contract: lists are sorted and never null.
type Certificate struct {
	State          State     `json:"state"`
	Reasons        []string  `json:"reasons"`      // why it is not proven, or what is missing; empty when proven
	RedToGreen     []string  `json:"red_to_green"` // failed on the base, pass with the patch
	Broken         []string  `json:"broken"`       // passed on the base, fail, are skipped or do not run with the patch
	PreExisting    []string  `json:"pre_existing"` // failed on the base and still do
	Flaky          []string  `json:"flaky"`        // gave different results on the same tree
	Infrastructure []string  `json:"infrastructure"`
	Integrity      []Flag    `json:"integrity"`
	StillGreen     int       `json:"still_green"`
	Skipped        int       `json:"skipped"`
	NotCovered     []string  `json:"not_covered"` // plain sentences: what the proof does not say
	Runtime        string    `json:"runtime"`
	RuntimeLabel   string    `json:"runtime_label"`
	Warnings       []string  `json:"warnings"` // limits this host cannot enforce
	Command        []string  `json:"command"`
	Dir            string    `json:"dir"`
	BaseHash       string    `json:"base_hash"`
	PatchHash      string    `json:"patch_hash"`
	BaselineMillis int64     `json:"baseline_ms"`
	PatchedMillis  int64     `json:"patched_ms"`
	Issued         time.Time `json:"issued"`
	Reruns         int       `json:"reruns"` // how often each red→green test was run again
	Hash           string    `json:"hash"`   // of all this but the times, see Hash; Against keeps it

	Toolchain []testrun.Tool `json:"toolchain"` // what the tests ran with
	Base      string         `json:"base"`      // "host", or the image's reference and id
	Limits    testrun.Limits `json:"limits"`    // durations in nanoseconds, sizes in bytes

	Static    []testrun.Finding `json:"static"`    // new findings of the repository's own linters; they are shown and do not decide
	Linters   []string          `json:"linters"`   // the repository's own linters that looked at the changed files; they do only where a test went from red to green
	Uncovered []Span            `json:"uncovered"` // changed lines that no test executed, where that was measured

	// Checked says in a sentence what holds of a patch that turns no test green, because that is not what it is for; "" nothing.
	Checked  string      `json:"checked"`
	Breaks   []Break     `json:"breaks"`   // of a patch for the sake of its tests: how each new one was made to fail
	Unbroken []string    `json:"unbroken"` // new tests that nothing made fail
	Criteria []Criterion `json:"criteria"` // the task's acceptance criteria, in their order, see Options
}

// Criterion is one thing that the result is held to, with the tests that cover it: they name it and pass with the patch.
type Criterion struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Tests  []string `json:"tests"`  // ids; none: it is not covered
	Places []string `json:"places"` // the patch's lines of tests that name it, FILE:LINE
}

// Span is a run of lines of the patched file, both ends included.
type Span struct {
	File  string `json:"file"`
	First int    `json:"first"`
	Last  int    `json:"last"`
}

// None is the certificate of a patch that nothing can be said about, with why.
func None(reason string, now time.Time) Certificate {
	c := blank(0)
	c.State, c.Reasons, c.Issued = Unverifiable, []string{sentence(reason)}, now
	c.seal()
	return c
}

// Against is the certificate held against a folder in which the given files have changed since: it is stale when there are
// any, whatever it was before.
func (c Certificate) Against(changed []string) Certificate {
	if len(changed) == 0 {
		return c
	}
	c.State = Stale
	c.Reasons = append([]string{fmt.Sprintf("The folder has changed since: %s.", some(changed))}, c.Reasons...)
	return c
}

// Flag is a change that weakens the tests' word.
type Flag struct {
	File string `json:"file"`
	Line int    `json:"line"` // in the new text; in the old text for what was removed
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// Aim is what a patch is for; it decides what is checked of one that turns no test green, never what is proven.
type Aim string

// The aims.
const (
	Fixes    Aim = ""      // a test turns green
	SameWork Aim = "same"  // another shape of the code, the same behaviour
	NewTests Aim = "tests" // tests for code that is there
)

// Options of a proof. Tree gives a folder that holds the base with p applied (the empty patch: the base itself); done
// removes it. ReadBase reads a file of the base.
type Options struct {
	Runner   *testrun.Runner
	Command  testrun.Command
	Baseline testrun.Run // the run on the base
	Patch    patch.Patch
	Aim      Aim
	BaseHash string
	Tree     func(ctx context.Context, p patch.Patch) (dir string, done func(), err error)
	ReadBase patch.ReadFunc
	Reruns   int // of each red→green and each newly failing test; default 2, see chanceReruns
	Now      func() time.Time
	Progress func(what string)                           // what is being run now; may be nil
	Ran      func(run testrun.Run)                       // a run that just ended; may be nil
	Criteria func(base, patched testrun.Run) []Criterion // the task's acceptance criteria by the two runs of the suite; nil none
}

// defaultReruns: three results of one tree show a test that fails every second time with 75 %; more would cost a slow
// suite more than it tells.
const defaultReruns = 2

// Prove runs the whole suite with the patch, the patch's own tests on the base, and the reruns, and issues the
// certificate with the run of the patched tree. An error means only that ctx ended or a tree could not be made.
func Prove(ctx context.Context, o Options) (Certificate, testrun.Run, error) {
	if o.Runner == nil { // nothing will be run
		return prove(ctx, o, nil)
	}
	runner, done, err := o.Runner.Apart()
	if err != nil {
		return Certificate{}, testrun.Run{}, err
	}
	defer done()
	return prove(ctx, o, runner)
}
