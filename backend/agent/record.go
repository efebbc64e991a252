package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/patch"
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
	r     *Run
	step  int
	start int64 // Unix milliseconds of the call
	part  *session.Part
}

func (c *recorder) Called(ctx context.Context, call model.Call, v policy.Verdict) error {
	c.start = c.r.o.Now().UnixMilli()
	var err error
	if !begun(c.r.history(), call.ID) { // else a run that was interrupted in it goes on
		err = c.r.append(ctx, session.KindToolCalled, session.ToolCalled{Step: c.step, CallID: call.ID, Tool: call.Name, Args: call.Args, Verdict: string(v)})
	}
	if err != nil || call.Name != "run_tests" || v != policy.Allow {
		return err
	}
	b := c.r.bench
	if err := c.r.firstCommand(b); err != nil || len(b.command.Args) == 0 {
		return err
	}
	return c.r.append(ctx, session.KindTestsStarted, session.TestsStarted{Command: b.command.Args, Dir: b.command.Dir, Why: "tool"})
}

func (c *recorder) Finished(ctx context.Context, call model.Call, out tools.Outcome) error {
	if out.Finish != nil {
		return nil
	}
	if out.Question != nil {
		return c.record(ctx, call, out, session.Entry{Kind: session.KindQuestion, Data: session.Question{Step: c.step, Text: *out.Question}})
	}
	return c.record(ctx, call, out)
}

// refuse records a call that is not run, with what the model reads instead of a result.
func (c *recorder) refuse(ctx context.Context, call model.Call, summary, text string) error {
	if err := c.Called(ctx, call, policy.Deny); err != nil {
		return err
	}
	return c.record(ctx, call, tools.Outcome{Summary: summary, Text: text})
}

// record writes a result together with what the call changed and with what follows from it: after a crash the call has
// happened whole, or not at all and is run again.
func (c *recorder) record(ctx context.Context, call model.Call, out tools.Outcome, follows ...session.Entry) error {
	var all []session.Entry
	f := session.ToolFinished{
		Step: c.step, CallID: call.ID, Tool: call.Name, OK: out.OK, Summary: out.Summary, Text: out.Text,
		Cut: out.Cut, Full: out.Full, Part: c.part, Millis: c.r.o.Now().UnixMilli() - c.start,
	}
	for _, s := range out.Seen {
		f.Seen = append(f.Seen, session.Seen(s))
	}
	if out.Run != nil {
		run, err := c.r.keep(ctx, *out.Run, fewTests)
		if err != nil {
			return err
		}
		f.Run = &run
	}
	if out.Patch != nil {
		changed, err := c.r.change(c.step, out.Notes)
		if err != nil {
			return err
		}
		all = append(all, changed)
	}
	if items := number(out.Criteria); len(items) > 0 {
		all = append(all, session.Entry{Kind: session.KindCriteria, Data: session.Criteria{Step: c.step, By: "model", Items: items}})
	}
	if as := trail(withData(c.r.history(), all)); len(as) > 0 && as[len(as)-1].CallID == f.CallID { // else the person just spoke
		as[len(as)-1].finish(f)
		before, behind := beside(as)
		f.Text = strings.Join(slices.Concat(before, []string{f.Text}, behind), "\n")
	}
	all = append(all, session.Entry{Kind: session.KindToolFinished, Data: f})
	return c.r.appendAll(ctx, append(all, follows...)...)
}

// withData are the events with some that are about to be recorded; pure.
func withData(events []entry, more []session.Entry) []entry {
	out := slices.Clip(events)
	for _, e := range more {
		out = append(out, entry{Event: session.Event{Kind: e.Kind}, data: e.Data})
	}
	return out
}

// change is the event of the whole change so far.
func (r *Run) change(step int, notes []patch.Note) (session.Entry, error) {
	p, err := r.bench.ws.Patch()
	if err != nil {
		return session.Entry{}, fmt.Errorf("reading the change so far: %w", err)
	}
	return session.Entry{Kind: session.KindPatchChanged, Data: session.PatchChanged{Step: step, Patch: p, Hash: p.Hash(), Stat: p.Stat(), Notes: notes}}, nil
}

// patchChanged records the whole change so far.
func (r *Run) patchChanged(ctx context.Context, step int, notes []patch.Note) error {
	changed, err := r.change(step, notes)
	if err != nil {
		return err
	}
	return r.appendAll(ctx, changed)
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

// seen are the files that the model saw in the record so far, the latest last; pure.
func seen(events []entry) []tools.Seen {
	var out []tools.Seen
	for _, e := range events {
		if d, ok := e.data.(session.ToolFinished); ok {
			for _, s := range d.Seen {
				out = append(out, tools.Seen(s))
			}
		}
	}
	return out
}

// editForm is the form of edits that a model is told to prefer: the one that a probe measured or the person chose. Else
// small local models break the form of a diff far more often than hosted ones (see tools.Form); a recorded model has
// made its choice.
func editForm(m model.Info) tools.Form {
	switch patch.Form(m.EditForm) {
	case patch.UnifiedDiff, patch.SearchReplace:
		return tools.Blocks
	case patch.OldNew, patch.WholeFile:
		return tools.Pairs
	}
	switch {
	case m.Local && m.Provider != "script":
		return tools.Pairs
	case m.Local:
		return ""
	}
	return tools.Blocks
}
