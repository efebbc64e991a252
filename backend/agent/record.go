package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/policy"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
	"redgreen/backend/tools"
)

// How many tests of a run its event names, failed ones first; the log's body has all. A tool's run is asked for often.
const (
	manyTests = 2000
	fewTests  = 200
	maxReason = 2000 // bytes of a test's message or a reason
)

// keep turns a run into its record: the log as a body, at most max tests.
func (r *Run) keep(ctx context.Context, run testrun.Run, max int) (session.Run, error) {
	out := session.Run{
		Runtime: run.Runtime, Command: run.Command, ExitCode: run.ExitCode, Millis: run.Duration.Milliseconds(),
	}
	out.Reason, _ = tools.Cap(run.Reason, maxReason)
	out.Passed, out.Failed, out.Skipped = run.Counts()
	if len(run.Log) > 0 {
		hash, err := r.o.Store.PutBody(context.WithoutCancel(ctx), run.Log)
		if err != nil {
			return out, &recordError{err}
		}
		out.Log = hash
	}
	sorted := slices.Clone(run.Tests)
	slices.SortStableFunc(sorted, func(a, b testrun.Test) int { return rank(a.Status) - rank(b.Status) })
	out.Omitted = len(sorted) - min(len(sorted), max)
	for _, t := range sorted[:min(len(sorted), max)] {
		message, _ := tools.Cap(t.Message, maxReason)
		out.Tests = append(out.Tests, session.Test{ID: t.ID, Status: string(t.Status), Millis: t.Millis, Message: message})
	}
	return out, nil
}

func rank(s testrun.Status) int {
	if s == testrun.Failed || s == testrun.Errored {
		return 0
	}
	return 1
}

// recorder writes a step's calls and results into the record. The result of a finish that was accepted waits for the
// proof, which is what the model sees as its result.
type recorder struct {
	r      *Run
	step   int
	start  int64 // Unix milliseconds of the call
	repeat int   // how often this call gave nothing new before
}

func (c *recorder) Called(ctx context.Context, call model.Call, v policy.Verdict) error {
	c.start = c.r.o.Now().UnixMilli()
	c.repeat = repeats(c.r.history(), call)
	err := c.r.append(ctx, session.KindToolCalled, session.ToolCalled{Step: c.step, CallID: call.ID, Tool: call.Name, Args: call.Args, Verdict: string(v)})
	if err != nil || call.Name != "run_tests" || v != policy.Allow {
		return err
	}
	b := c.r.bench
	if err := c.r.firstCommand(b); err != nil || len(b.command.Args) == 0 {
		return err
	}
	return c.r.append(ctx, session.KindTestsStarted, session.TestsStarted{Command: b.command.Args, Dir: b.command.Dir, Why: "tool"})
}

// repeatWarning stands in front of the result of the third equal call; the fourth stops the run.
const repeatWarning = "You made this same call before, with nothing changed in between: it gives the same again. Do something else; the next repeat ends the run."

func (c *recorder) Finished(ctx context.Context, call model.Call, out tools.Outcome) error {
	if out.Finish != nil {
		return nil
	}
	if c.repeat == maxRepeats-2 {
		out.Text = repeatWarning + "\n" + out.Text
	}
	return c.record(ctx, call, out)
}

func (c *recorder) record(ctx context.Context, call model.Call, out tools.Outcome) error {
	f := session.ToolFinished{
		Step: c.step, CallID: call.ID, Tool: call.Name, OK: out.OK, Summary: out.Summary, Text: out.Text,
		Cut: out.Cut, Full: out.Full, Millis: c.r.o.Now().UnixMilli() - c.start,
	}
	if out.Run != nil {
		run, err := c.r.keep(ctx, *out.Run, fewTests)
		if err != nil {
			return err
		}
		f.Run = &run
	}
	if out.Patch != nil { // before the result: after a crash between the two the model is told less than there is, never more
		p, err := c.r.bench.ws.Patch()
		if err != nil {
			return fmt.Errorf("reading the change so far: %w", err)
		}
		changed := session.PatchChanged{Step: c.step, Patch: p, Hash: p.Hash(), Stat: p.Stat(), Notes: out.Notes}
		if err := c.r.append(ctx, session.KindPatchChanged, changed); err != nil {
			return err
		}
	}
	return c.r.append(ctx, session.KindToolFinished, f)
}

// maxRepeats is how often the same call may be made with the same workspace: the last but one is warned, the last one
// stops the run.
const maxRepeats = 4

// repeats counts the calls in the record that were the same, with the same workspace, as call would be now; pure. Tests
// that run again after a change are no repeat.
func repeats(events []entry, call model.Call) int {
	hash, n := "", 0
	for _, e := range events {
		switch d := e.data.(type) {
		case session.PatchChanged:
			if d.Hash != hash {
				hash, n = d.Hash, 0
			}
		case session.ToolCalled:
			if d.Tool == call.Name && d.Args == call.Args {
				n++
			}
		case session.ReviewAnswered, session.Message:
			n = 0 // a person changed what is wanted
		}
	}
	return n
}

// tried is one line for each act, for a person who reads why a run stopped; pure.
func tried(events []entry) []string {
	args := map[string]string{}
	var out []string
	for _, e := range events {
		switch d := e.data.(type) {
		case session.ToolCalled:
			args[d.CallID], _ = tools.Cap(strings.Join(strings.Fields(d.Args), " "), 120)
		case session.ToolFinished:
			out = append(out, fmt.Sprintf("step %d: %s %s → %s", d.Step, d.Tool, args[d.CallID], d.Summary))
		}
	}
	return out
}

// stillRed are the tests that failed in the last run of any kind; pure.
func stillRed(events []entry) []string {
	for _, e := range slices.Backward(events) {
		switch d := e.data.(type) {
		case session.ProofFinished:
			return red(d.Run)
		case session.TestsFinished:
			return red(d.Run)
		case session.ToolFinished:
			if d.Run != nil {
				return red(*d.Run)
			}
		}
	}
	return nil
}

func red(run session.Run) []string {
	var out []string
	for _, t := range run.Tests {
		if t.Status == string(testrun.Failed) || t.Status == string(testrun.Errored) {
			out = append(out, t.ID)
		}
	}
	return out
}
