package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/proof"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
	"redgreen/backend/tools"
)

// maxProofs is how often a finish may fail its proof before the person gets what there is.
const maxProofs = 3

// finished proves the patch of a call of finish. Proven, or after the last try, it goes to the person; otherwise the
// reasons are the call's result. A last try without any change ends the session.
func (r *Run) finished(ctx context.Context, b *bench, rec *recorder, call model.Call, out tools.Outcome) (done bool, err error) {
	if r.task.Kind == Explain && r.log.State().Patch.Empty() {
		out.Text = "The answer goes to the person."
		if r.unheard() {
			out.Text = meanwhile
			return false, rec.record(ctx, call, out)
		}
		return true, rec.record(ctx, call, out, r.ending(r.log.State(), session.Answered, *out.Finish))
	}
	if out.Rest != "" && failedFinishes(r.history())+1 < maxProofs {
		return false, r.finishedPart(ctx, b, rec, call, out)
	}
	reasons, label, err := r.judge(ctx, b)
	if err != nil {
		return false, err
	}
	out.OK = len(reasons) == 0
	if r.unheard() {
		if out.Text = meanwhile; !out.OK {
			out.Text += "\n" + r.data("It is not proven either. Reasons:", strings.Join(reasons, "\n"))
		}
		return false, rec.record(ctx, call, out)
	}
	last := failedFinishes(r.history())+1 >= maxProofs
	back := ""
	if last && len(reasons) > 0 {
		if back, err = r.backToPart(ctx); err != nil {
			return false, err
		}
	}
	st := r.log.State()
	switch {
	case label != "":
		out.Text = "It holds as far as this kind of task can be checked. The patch waits for the person's review."
	case out.OK:
		out.Text = "The proof holds. The patch waits for the person's review."
	case last && st.Patch.Empty():
		out.Text = "Not proven, and nothing was changed. The run ends here."
	case last:
		out.Text = "Not proven" + cmp.Or(back, ". The patch goes to the person as it is") + ".\n" + r.data("Reasons:", strings.Join(reasons, "\n"))
	default:
		out.Text = fmt.Sprintf("Not finished: the proof does not hold. Go on, then call finish again (%d tries left).\n", maxProofs-1-failedFinishes(r.history())) +
			r.data("Reasons:", strings.Join(reasons, "\n"))
	}
	switch {
	case !out.OK && !last:
		return false, rec.record(ctx, call, out)
	case st.Patch.Empty():
		return true, rec.record(ctx, call, out, r.ending(st, session.NotProven, "the model finished without a change"))
	}
	return true, rec.record(ctx, call, out, session.Entry{Kind: session.KindReviewAsked, Data: review(st, *out.Finish, label, out.Doubt)})
}

// meanwhile is the result of a finish during which the person wrote: the run does not end over their words.
const meanwhile = "The person wrote while this was proven; what they say follows. Do as they say, then call finish again."

// unheard reports a message of the person that no request has brought to the model yet. A search hears none.
func (r *Run) unheard() bool {
	if r.o.Model.Search {
		return false
	}
	for _, e := range slices.Backward(r.history()) {
		switch e.data.(type) {
		case session.Message:
			return e.Seq > 2 // the second event is the task
		case session.ModelRequested:
			return false
		}
	}
	return false
}

// Scrutiny marks the changed places that deserve a second look, whatever the proof says.
func Scrutiny(p patch.Patch) []session.Mark {
	var out []session.Mark
	for _, m := range proof.Scrutinise(p) {
		out = append(out, session.Mark{File: m.File, Line: m.Line, Kind: m.Kind, Why: m.Why})
	}
	return out
}

// dependencies are the places of a patch that change what the folder depends on, "" none.
func dependencies(p patch.Patch) string {
	var places []string
	for _, m := range proof.Scrutinise(p) {
		if place := fmt.Sprintf("%s:%d", m.File, m.Line); m.Kind == "dependency" && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	return strings.Join(places, ", ")
}

// judge says why the present patch is not proven, nothing when it is; label says what holds of one whose kind of task cannot
// turn a test from red to green. A patch that was judged before is not run again.
func (r *Run) judge(ctx context.Context, b *bench) (why []string, label string, err error) {
	st := r.log.State()
	if st.Patch.Empty() {
		return []string{"nothing was changed: there is no patch"}, "", nil
	}
	var cert proof.Certificate
	if st.Proof != "" {
		if err := json.Unmarshal(st.Certificate, &cert); err != nil {
			return nil, "", fmt.Errorf("reading the certificate: %w", err)
		}
	} else if cert, err = r.prove(ctx, b); err != nil {
		return nil, "", err
	}
	if cert.State == proof.Proven || cert.Checked != "" {
		return nil, cert.Checked, nil
	}
	return reasons(cert), "", nil
}

func reasons(c proof.Certificate) []string {
	out := append([]string{}, c.Reasons...)
	for _, id := range c.Broken {
		out = append(out, "broken by the patch: "+id)
	}
	for _, f := range c.Integrity {
		out = append(out, fmt.Sprintf("%s:%d weakens the tests (%s): %s", f.File, f.Line, f.Rule, f.Text))
	}
	const most = 40
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("… and %d more", len(out)-most))
	}
	if len(out) == 0 {
		out = []string{"the certificate says " + string(c.State)}
	}
	return out
}

// aims are the kinds of task whose patch is not there to turn a test green.
var aims = map[Kind]proof.Aim{Refactor: proof.SameWork, Tests: proof.NewTests}

// prove makes the certificate of the present patch, outside the model's reach, and records it.
func (r *Run) prove(ctx context.Context, b *bench) (proof.Certificate, error) {
	if err := r.firstCommand(b); err != nil {
		return proof.Certificate{}, err
	}
	p := r.log.State().Patch
	if err := r.append(ctx, session.KindProofStarted, session.ProofStarted{PatchHash: p.Hash()}); err != nil {
		return proof.Certificate{}, err
	}
	command, baseline := concerned(b, p)
	if len(command.Args) > 0 {
		if err := r.append(ctx, session.KindTestsStarted, session.TestsStarted{Command: command.Args, Dir: command.Dir, Why: "proof"}); err != nil {
			return proof.Certificate{}, err
		}
	}
	defer r.phase("")
	runner, done, err := r.cleanRunner(b)
	if err != nil {
		return proof.Certificate{}, err
	}
	defer done()
	cert, run, err := proof.Prove(ctx, proof.Options{
		Runner: runner, Command: command, Baseline: baseline, Patch: p, Aim: aims[r.task.Kind], BaseHash: b.ws.BaseHash(),
		Tree:     func(ctx context.Context, p patch.Patch) (string, func(), error) { return r.tree(ctx, b, p) },
		ReadBase: b.ws.Base, Now: r.o.Now, Progress: r.phase,
		Criteria: func(base, patched testrun.Run) []proof.Criterion {
			return covering(r.log.State().Criteria, p, base, patched, b.ws.Read)
		},
	})
	if ctx.Err() != nil {
		return cert, ctx.Err()
	}
	if err != nil {
		return cert, fmt.Errorf("proving the patch: %w", err)
	}
	kept, err := r.keep(ctx, run, manyTests)
	if err != nil {
		return cert, err
	}
	raw, err := json.Marshal(cert)
	if err != nil {
		return cert, fmt.Errorf("encoding the certificate: %w", err)
	}
	return cert, r.append(ctx, session.KindProofFinished, session.ProofFinished{State: string(cert.State), Certificate: raw, Run: kept})
}

// cleanRunner runs tests with a cache of its own, which done removes. What the agent's runs kept is no ground for a proof:
// code that it has taken back since could have left there what the compiler takes for the result of the present code.
func (r *Run) cleanRunner(b *bench) (runner *testrun.Runner, done func(), err error) {
	dir, err := os.MkdirTemp(r.dir(), "proof-")
	if err != nil {
		return nil, nil, fmt.Errorf("making the cache of the proof: %w", err)
	}
	done = func() { _ = os.RemoveAll(dir) } // what stays behind goes with the session's folder
	if err = os.Chmod(dir, 0o711); err == nil {
		err = r.own(filepath.Join(dir, "cache"))
	}
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("making the cache of the proof: %w", err)
	}
	return b.runner.With(filepath.Join(dir, "cache")), done, nil
}

// concerned are the test commands, of a folder that has several, in whose parts the patch changes something, with their
// share of the baseline: a part that cannot run here must not keep a patch elsewhere from being proven.
func concerned(b *bench, p patch.Patch) (testrun.Command, testrun.Run) {
	c := testrun.Together(testrun.Touched(b.command.Parts, p.Paths()))
	if base, ok := b.baseline.Only(c); ok && len(c.Args) > 0 {
		return c, base
	}
	return b.command, b.baseline
}

// firstCommand looks for a test command again where the base had none: the agent may have written the first test. The
// base then counts as one with no test at all.
func (r *Run) firstCommand(b *bench) error {
	if len(b.command.Args) > 0 {
		return nil
	}
	found, err := testrun.Find(b.ws.Dir())
	if err != nil {
		return fmt.Errorf("looking for the test command: %w", err)
	}
	b.command = testrun.Together(found)
	b.baseline = testrun.Run{Tests: []testrun.Test{}, PerTest: true, Finished: true}
	if len(b.command.Args) == 0 {
		b.baseline.Infrastructure, b.baseline.Reason = true, "no test command was found"
	}
	return nil
}

// tree makes a copy of the base with a patch, for the proof; done removes it.
func (r *Run) tree(ctx context.Context, b *bench, p patch.Patch) (dir string, done func(), err error) {
	b.copies++
	dir = filepath.Join(r.dir(), fmt.Sprintf("proof-%d", b.copies))
	ws, err := b.ws.Pristine(ctx, dir)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("copying the base: %w", err), os.RemoveAll(dir))
	}
	if err := ws.Apply(p); err != nil {
		return "", nil, errors.Join(fmt.Errorf("applying the patch to a copy of the base: %w", err), ws.Close())
	}
	return ws.Dir(), func() { _ = ws.Close() }, nil // what is left is removed with the session's folder
}

// failedFinishes counts the calls of finish that failed their proof since the person last answered, or the last proven
// part; pure.
func failedFinishes(events []entry) int {
	n := 0
	for _, e := range events {
		switch d := e.data.(type) {
		case session.ReviewAnswered:
			n = 0
		case session.ToolFinished:
			if d.Part != nil {
				n = 0
			}
			if d.Tool == "finish" && !d.OK {
				n++
			}
		}
	}
	return n
}
