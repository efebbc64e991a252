package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// podmanRun is one container from create to delete.
type podmanRun struct {
	runtime *podmanRuntime
	svc     *service
	spec    Spec
	dir     string
	id      string
	how     string // Result.Copied
	started time.Time
}

// killTime is how long a killed run may take to be gone before it is left to the cleanup.
const killTime = 1500 * time.Millisecond

// cleanup is how long deleting and the like may take; it goes on after the caller's context has ended.
const cleanup = 20 * time.Second

func (p *podmanRun) do(ctx context.Context) (res Result, err error) {
	p.how = byOverlay
	workspace, copied := p.spec.Workspace, !p.runtime.overlay || p.runtime.copies.Load() || strings.ContainsAny(p.spec.Workspace, `:,\`)
	if copied {
		workspace = filepath.Join(p.dir, "workspace")
		var err error
		if p.how, err = copyTree(ctx, p.spec.Workspace, workspace, p.runtime.home.host); err != nil {
			return cancelled(ctx, p.started, err)
		}
	}
	c, err := p.runtime.spec(p.spec, filepath.Join(p.dir, "root"), workspace, copied)
	if err != nil {
		return Result{}, err
	}
	c.Rlimits = p.rlimits()
	id, warnings, err := p.svc.api.create(ctx, c)
	if err != nil {
		return cancelled(ctx, p.started, p.explain(err))
	}
	p.id = id
	stream, err := p.svc.api.attach(context.WithoutCancel(ctx), id) // cancelling kills the container, which ends the stream
	if err != nil {
		return cancelled(ctx, p.started, p.explain(err))
	}
	defer stream.Close()
	return p.watchIt(ctx, stream, warnings, workspace, copied)
}

// clean deletes the container and the run's folder.
func (p *podmanRun) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, cleanup)
	defer cancel()
	var err error
	if p.id != "" {
		err = p.svc.api.remove(ctx, p.id)
	}
	if err = errors.Join(err, removeAll(p.dir)); err != nil {
		p.runtime.home.log.Warn("removing a run", "container", p.id, "error", err)
	}
}

// watchIt starts the attached container and follows it to its end.
func (p *podmanRun) watchIt(ctx context.Context, stream io.ReadCloser, warnings []string, workspace string, copied bool) (Result, error) {
	state, err := p.svc.api.inspect(ctx, p.id)
	if err != nil {
		return cancelled(ctx, p.started, err)
	}
	if got := filepath.Base(state.OCIRuntime); got != p.runtime.kind.Name {
		return Result{}, fmt.Errorf("podman made the container with %q; nothing was run", got)
	}
	gone, release := context.WithCancel(context.WithoutCancel(ctx)) // ends killTime after the run was stopped
	defer release()
	w := newWatch(state.State.Pid, p.id, p.spec, func() { time.AfterFunc(killTime, release) }, func() {
		if err := p.svc.api.kill(gone, p.id); err != nil && gone.Err() == nil {
			p.runtime.home.log.Warn("killing a container", "error", err)
		}
	})
	if !copied {
		workspace = upperDir(state.State.Pid, dirWorkspace)
	}
	w.disk = append(w.disk, newUsage(workspace), newUsage(p.spec.Out), newUsage(p.spec.Cache))
	defer w.close()
	stdout := newCapture(p.spec.Limits.Output, func() { w.stop(Output) })
	stderr := newCapture(p.spec.Limits.Output, func() { w.stop(Output) })

	begin := time.Now()
	if err := p.svc.api.start(ctx, p.id); err != nil {
		return cancelled(ctx, p.started, p.explain(err))
	}
	finished := w.watch(ctx)
	err = demuxUntil(gone, stream, stdout, stderr)
	w.lookAtEnd() // before the counters go
	var final containerState
	if err == nil || w.reason() != "" {
		final, err = p.final(gone) // a program may close its output and go on
	}
	took := time.Since(begin)
	finished()
	if err != nil && w.reason() == "" {
		w.stop(Cancelled) // nobody follows it any more, so it must not go on
		return Result{}, p.explain(err)
	}
	res := Result{ExitCode: final.State.ExitCode, Duration: took, Runtime: p.rung(warnings), Copied: p.how}
	var cutOut, cutErr bool
	res.Stdout, cutOut = stdout.bytes()
	res.Stderr, cutErr = stderr.bytes()
	res.Cut = cutOut || cutErr
	if res.Reason = w.verdict(final.State.ExitCode, final.State.OOMKilled); res.Reason != "" {
		res.ExitCode = -1
	}
	return res, nil
}

// demuxUntil reads the stream to its end, or until gone ends, should the monitor of a killed run be stuck.
func demuxUntil(gone context.Context, stream io.ReadCloser, stdout, stderr io.Writer) error {
	defer context.AfterFunc(gone, func() { stream.Close() })()
	return demux(stream, stdout, stderr)
}

// final asks until the exit code stands. Podman's own wait is slower: it waits for the whole cleanup.
func (p *podmanRun) final(gone context.Context) (containerState, error) {
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		s, err := p.svc.api.inspect(gone, p.id)
		if err != nil || s.ended() {
			return s, err
		}
		select {
		case <-time.After(pause):
		case <-gone.Done():
			return s, gone.Err()
		}
	}
}

// rung is the label of this run.
func (p *podmanRun) rung(warnings []string) Rung {
	r := p.runtime
	return Rung{Name: r.kind.Name, Label: r.kind.Label, Version: r.version, Protects: r.kind.Protects,
		Warnings: append(append([]string{}, r.notes...), readWarnings(warnings)...)}
}

// readWarnings says in plain words what Podman warns about at create.
func readWarnings(in []string) []string {
	var out []string
	for _, w := range in {
		if strings.Contains(w, "Resource limits are not supported") {
			w = "limits of memory, CPU and processes are not enforced by the kernel here (control groups v1 without root); memory and processes are watched and the run is stopped when it goes over"
		}
		out = append(out, w)
	}
	return out
}

// explain adds the service's last words when it broke down.
func (p *podmanRun) explain(err error) error {
	if err != nil && !p.svc.alive() {
		return fmt.Errorf("%w (the podman service has ended: %s)", err, p.svc.lastWords())
	}
	return err
}

// cancelled turns an error that came from the caller's own cancelling into a result.
func cancelled(ctx context.Context, started time.Time, err error) (Result, error) {
	if ctx.Err() != nil {
		return Result{ExitCode: -1, Reason: Cancelled, Duration: time.Since(started)}, nil
	}
	return Result{}, err
}
