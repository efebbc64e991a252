package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
	"redgreen/backend/tools"
)

// indexWait is how long the first message waits for the index once the baseline has run: a small folder is always done,
// a huge one goes on in the background.
const indexWait = 20 * time.Second

// otherWait is how long a run looks, in the background, whether another process that writes the index has read everything.
const otherWait = 2 * time.Minute

// testHang is the processor time that one test may take. An endless loop uses it up soon; a test that waits does not.
const testHang = 20 * time.Second

// prepare makes the workspace, runs the baseline on it and puts the first message together. A session that goes on gets
// its recorded patch back.
func (r *Run) prepare(ctx context.Context) (*bench, error) {
	r.phase("Preparing the sandbox")
	if err := os.RemoveAll(r.dir()); err != nil {
		return nil, fmt.Errorf("clearing the workspace of an earlier run: %w", err)
	}
	rung, err := r.o.Sandbox.Rung(ctx)
	if err != nil {
		return nil, fmt.Errorf("preparing the sandbox: %w", err)
	}
	if err := r.append(ctx, session.KindSandboxReady, ready(rung)); err != nil {
		return nil, err
	}
	b := &bench{}
	if err := r.copyFolder(ctx, b); err != nil {
		return nil, err
	}
	if err := r.fillBench(ctx, b); err != nil {
		return nil, errors.Join(err, b.ws.Close())
	}
	b.tools = r.toolsOf(b)
	return b, nil
}

// toolsOf gives the tools over a bench as the present model is told of them.
func (r *Run) toolsOf(b *bench) *tools.Set {
	return tools.New(tools.Options{
		Workspace: b.ws, Index: r.o.Index, Runner: b.runner, Command: b.command,
		Policy: policy.Settings{AskEdits: r.task.AskEdits}, Ask: r.ask(), Full: r.o.Store.PutBody, Hide: r.o.Store.RedactLines, Delimiter: r.delimiter(),
		Seen: seen(r.history()), Known: shown(r.history()), Form: editForm(r.o.Model.Info),
		Search: r.o.Model.Search, Baseline: b.baseline,
	})
}

// fillBench runs the baseline while the index is brought up to date, and writes the first message from both.
func (r *Run) fillBench(ctx context.Context, b *bench) (err error) {
	if err := r.findCommand(b); err != nil {
		return err
	}
	indexed := r.startIndex(ctx)
	if err := r.runBaseline(ctx, b); err != nil {
		return err
	}
	r.background.Go(func() { _ = r.o.Repo.Prepare(ctx, r.copyOptions()) }) // for the next task; Work ends its ctx
	if err := r.restore(b); err != nil {
		return err
	}
	r.phase("Looking through the folder")
	b.first, err = r.firstMessage(ctx, b, indexed.wait(indexWait))
	return err
}

func ready(g sandbox.Rung) session.SandboxReady {
	return session.SandboxReady{Name: g.Name, Label: g.Label, Protects: g.Protects, Warnings: g.Warnings}
}

func (r *Run) ask() func(context.Context, policy.Act) (bool, error) {
	if r.o.Ask == nil {
		return nil
	}
	return func(ctx context.Context, act policy.Act) (bool, error) {
		defer r.clock.pause()()
		act.Object = r.o.Store.Redact(act.Object)
		return r.o.Ask(ctx, r.ID(), act)
	}
}

// copyFolder makes the workspace and the runner of its tests.
func (r *Run) copyFolder(ctx context.Context, b *bench) error {
	r.phase("Copying the folder")
	// Others may pass through, so that the sandbox's own user reaches what it owns below; they cannot list.
	if err := os.MkdirAll(r.dir(), 0o711); err != nil {
		return fmt.Errorf("making the workspace: %w", err)
	}
	cache, tmp := filepath.Join(r.dir(), "cache"), filepath.Join(r.dir(), "tmp")
	for _, dir := range []string{cache, tmp} {
		if err := r.own(dir); err != nil {
			return err
		}
	}
	begun := r.o.Now()
	var err error
	if b.ws, err = r.o.Repo.NewWorkspace(ctx, filepath.Join(r.dir(), "work"), r.copyOptions()); err != nil {
		return fmt.Errorf("copying the folder: %w", err)
	}
	way, anew := b.ws.Way()
	b.copied = session.Copied{Way: string(way), Anew: anew, Millis: r.o.Now().Sub(begun).Milliseconds()}
	o := r.o.Tests
	o.Sandbox, o.Cache, o.Source, o.Limits, o.TempDir, o.Seed = r.o.Sandbox, cache, r.o.Repo.Root(), r.task.SandboxLimits, tmp, r.o.Seed
	o.Told = r.waitsFor(o.Told)
	o.Hang = testHang
	if r.o.OnTests != nil {
		o.Meter = testrun.NewMeter(func(p testrun.Progress) { r.o.OnTests(r.ID(), p) })
	}
	b.runner = testrun.New(o)
	return nil
}

// waitsFor shows what a test run waits for in place of the phase, and tells the caller's own function as well.
func (r *Run) waitsFor(also func(string)) func(string) {
	return func(text string) {
		r.phase(cmp.Or(text, "Running the tests"))
		if also != nil {
			also(text)
		}
	}
}

func (r *Run) copyOptions() repo.CopyOptions {
	uid, gid, other := r.o.Sandbox.Owner()
	return repo.CopyOptions{UID: uid, GID: gid, Chown: other, Spare: r.o.Spare}
}

// own makes a folder that the sandbox may write.
func (r *Run) own(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the workspace: %w", err)
	}
	if uid, gid, other := r.o.Sandbox.Owner(); other {
		if err := os.Chown(dir, uid, gid); err != nil {
			return fmt.Errorf("giving %s to the sandbox: %w", filepath.Base(dir), err)
		}
	}
	return nil
}

// findCommand takes the person's command, else all that the folder has, one for each part of it; none is no error. It
// looks into the person's folder, since what git ignores (.venv, node_modules) says which runner there is and is not in
// the copy.
func (r *Run) findCommand(b *bench) error {
	if len(r.task.TestCmd) > 0 {
		b.command = testrun.Custom(r.task.TestCmd)
		b.command.Dir = r.task.TestDir
		return nil
	}
	found, err := testrun.Find(r.o.Repo.Root())
	if err != nil {
		return fmt.Errorf("looking for the test command: %w", err)
	}
	b.command = testrun.Together(found)
	return nil
}

// runBaseline runs the tests on the untouched copy. Without a command there is nothing to run.
func (r *Run) runBaseline(ctx context.Context, b *bench) error {
	if len(b.command.Args) == 0 {
		return nil
	}
	r.phase("Running the tests on the untouched copy")
	if err := r.append(ctx, session.KindTestsStarted, session.TestsStarted{Command: b.command.Args, Dir: b.command.Dir, Why: "baseline"}); err != nil {
		return err
	}
	run, err := b.runner.Run(ctx, b.ws.Dir(), b.command, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("running the tests on the untouched copy: %w", err)
	}
	b.baseline = run
	kept, err := r.keep(ctx, run, manyTests)
	if err != nil {
		return err
	}
	return r.append(ctx, session.KindBaseline, session.TestsFinished{Run: kept, BaseHash: b.ws.BaseHash(), Copied: &b.copied})
}

// restore puts the recorded patch of an interrupted session back into the workspace.
func (r *Run) restore(b *bench) error {
	st := r.log.State()
	if st.Patch.Empty() {
		return nil
	}
	if err := b.ws.Apply(st.Patch); err != nil {
		if st.Parent != "" {
			return fmt.Errorf("the folder is not as it was at the step that was gone back to: %w; if what session %s wrote is still there, undo it first", err, st.Parent)
		}
		return fmt.Errorf("the folder changed since this session was interrupted, so that its patch fits no more: %w; start a new task", err)
	}
	return nil
}

// indexing is an index update that runs beside the baseline.
type indexing struct {
	done chan struct{}
	err  error
}

var errBuilding = errors.New("the index is still being built")

// startIndex brings the index up to date in the background; Work ends its ctx and waits for it.
func (r *Run) startIndex(ctx context.Context) *indexing {
	x := &indexing{done: make(chan struct{})}
	r.background.Go(func() {
		defer close(x.done)
		st, err := r.o.Index.CatchUp(ctx, otherWait, nil)
		if x.err = err; err == nil && st.Behind > 0 {
			x.err = errBuilding
		}
	})
	return x
}

func (x *indexing) wait(d time.Duration) error {
	select {
	case <-x.done:
		return x.err
	case <-time.After(d):
		return errBuilding
	}
}
