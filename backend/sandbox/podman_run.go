package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// container is one container, from create to delete.
type container struct {
	svc      *service
	dir      string // the run's folder
	id       string
	stream   io.ReadCloser // its output, attached before it starts
	state    containerState
	warnings []string
	ns       *os.File // its mount namespace; nil where nothing is placed in it
}

// podmanRun is one run in a container of its own.
type podmanRun struct {
	container
	runtime   *podmanRuntime
	spec      Spec
	how       string       // Result.Copied
	image     imageDetails // of a run in an image
	workspace string       // the copy or the overlay's upper folder; "" what the container's own mounts tell
	started   time.Time
}

// killTime is how long a killed run may take to be gone before it is left to the cleanup.
const killTime = 1500 * time.Millisecond

// cleanup is how long deleting and the like may take; it goes on after the caller's context has ended.
const cleanup = time.Minute

func (p *podmanRun) do(ctx context.Context) (res Result, err error) {
	if launch, ok := p.spec.launch(); ok && p.spec.Image == "" && p.runtime.places() {
		err = p.takeOne(ctx, launch)
	} else {
		err = p.makeOne(ctx)
	}
	if err != nil {
		return cancelled(ctx, p.started, p.explain(err))
	}
	return p.watchIt(ctx)
}

// makeOne makes a container for just this run: its mounts and arguments are part of it.
func (p *podmanRun) makeOne(ctx context.Context) (err error) {
	if p.dir, err = p.runtime.home.newRun(); err != nil {
		return err
	}
	p.how = byOverlay
	workspace, copied := p.spec.Workspace, !p.runtime.overlay || p.runtime.copies.Load() || strings.ContainsAny(p.spec.Workspace, `:,\`)
	if copied {
		workspace = filepath.Join(p.dir, "workspace")
		if p.how, err = copyTree(ctx, p.spec.Workspace, workspace, p.runtime.home.host); err != nil {
			return err
		}
		p.workspace = workspace
	}
	if !copied { // the overlay's options stand in the run's mount table: a link of ours there, not the workspace's own path
		link := filepath.Join(p.dir, "lower")
		if err := os.Symlink(workspace, link); err != nil {
			return fmt.Errorf("naming the workspace: %w", err)
		}
		workspace = link
	}
	c, err := p.runtime.spec(p.spec, filepath.Join(p.dir, "root"), workspace, copied)
	if err != nil {
		return err
	}
	if p.spec.Image != "" {
		if c, err = p.onImage(c, p.dir); err != nil {
			return err
		}
	}
	return p.runtime.create(ctx, &p.container, c, p.spec.Limits)
}

// takeOne takes a container that stands and places this run in it.
func (p *podmanRun) takeOne(ctx context.Context, launch string) (err error) {
	if err := p.runtime.take(ctx, &p.container, p.spec.Limits); err != nil {
		return err
	}
	workspace := ""
	if p.runtime.copies.Load() {
		workspace = filepath.Join(p.dir, "workspace")
		p.workspace = workspace
		p.how, err = copyTree(ctx, p.spec.Workspace, workspace, p.runtime.home.host)
	} else {
		p.how, p.workspace = byOverlay, filepath.Join(p.dir, "upper")
		err = makeLayers(p.dir, p.spec.Workspace)
	}
	if err != nil {
		return err
	}
	all, err := placements(p.spec, workspace)
	if err != nil {
		return err
	}
	if err := p.prepareRoot(all, launch); err != nil {
		return err
	}
	return place(p.ns, p.dir, all)
}

// prepareRoot writes what to run, and the mount points, into the container's root from the host's side.
func (p *podmanRun) prepareRoot(all []placement, launch string) error {
	r, err := os.OpenRoot(filepath.Join(p.dir, "root"))
	if err != nil {
		return err
	}
	defer r.Close()
	for _, m := range all {
		if err := makePoint(r, m.target[1:], m.dir); err != nil {
			return fmt.Errorf("the mount point %s: %w", m.target, err)
		}
	}
	return r.WriteFile(launchFile, []byte(launch), 0o644)
}

// create makes a container in c.dir, attaches to it, which sets it up but for its start, and looks at what it became.
func (r *podmanRuntime) create(ctx context.Context, c *container, spec containerSpec, l Limits) (err error) {
	if err := r.home.newStatus(c.dir); err != nil {
		return err
	}
	spec.Rlimits = r.rlimits(c.svc, l)
	if c.id, c.warnings, err = c.svc.api.create(ctx, spec); err != nil {
		return err
	}
	// Cancelling kills the container, which ends the stream.
	if c.stream, err = c.svc.api.attach(context.WithoutCancel(ctx), c.id); err != nil {
		return err
	}
	if c.state, err = c.svc.api.inspect(ctx, c.id); err != nil {
		return err
	}
	if got := filepath.Base(c.state.OCIRuntime); got != r.kind.Name {
		return fmt.Errorf("podman made the container with %q; nothing was run", got)
	}
	return nil
}

// discard ends and deletes a container and its folder, beside: nothing of it runs any more, so nobody need wait.
func (r *podmanRuntime) discard(c *container) {
	r.cleaning.Add(1)
	go func() {
		defer r.cleaning.Done()
		ctx, cancel := context.WithTimeout(context.Background(), cleanup)
		defer cancel()
		var err error
		if c.stream != nil {
			c.stream.Close()
		}
		if c.ns != nil {
			c.ns.Close()
		}
		if c.id != "" {
			err = c.svc.api.remove(ctx, c.id)
		}
		if c.dir != "" {
			err = errors.Join(err, removeAll(c.dir))
		}
		if err != nil {
			r.home.log.Warn("removing a run", "container", c.id, "error", err)
		}
	}()
}

// watchIt starts the attached container and follows it to its end.
func (p *podmanRun) watchIt(ctx context.Context) (Result, error) {
	gone, release := context.WithCancel(context.WithoutCancel(ctx)) // ends killTime after the run was stopped
	defer release()
	w := newWatch(p.state.State.Pid, p.id, p.spec, func() { time.AfterFunc(killTime, release) }, func() {
		if err := p.svc.api.kill(gone, p.id); err != nil && gone.Err() == nil {
			p.runtime.home.log.Warn("killing a container", "error", err)
		}
	})
	if p.workspace == "" {
		p.workspace = upperDir(p.state.State.Pid, dirWorkspace)
	}
	w.disk = append(w.disk, newUsage(p.workspace), newUsage(p.spec.Out), newUsage(p.spec.Cache), newUsage(filepath.Join(p.dir, "status")))
	defer w.close()
	stdout := newCapture(p.spec.Limits.Output, func() { w.stop(Output) })
	stderr := newCapture(p.spec.Limits.Output, func() { w.stop(Output) })

	stopProxy, err := p.spec.Proxy.open(ctx, p.state.State.Pid)
	if err != nil {
		return cancelled(ctx, p.started, err)
	}
	defer stopProxy()
	begin := time.Now()
	if err := p.svc.api.start(ctx, p.id); err != nil {
		return cancelled(ctx, p.started, p.explain(err))
	}
	defer p.runtime.expectSoon(p.spec.Limits)()
	finished := w.watch(ctx)
	err = demuxUntil(gone, p.stream, stdout, stderr)
	w.lookAtEnd() // before the counters go
	var final containerState
	if err == nil || w.reason() != "" {
		final, err = p.final(gone, w) // a program may close its output and go on
	}
	took := time.Since(begin)
	finished()
	if err != nil && w.reason() == "" {
		w.stop(Cancelled) // nobody follows it any more, so it must not go on
		return Result{}, p.explain(err)
	}
	res := Result{ExitCode: final.State.ExitCode, Duration: took, Runtime: p.rung(p.warnings), Copied: p.how, Image: p.imageName()}
	var cutOut, cutErr bool
	res.Stdout, cutOut = stdout.bytes()
	res.Stderr, cutErr = stderr.bytes()
	res.Cut = cutOut || cutErr
	if res.Reason = w.verdict(final.State.ExitCode, final.State.OOMKilled); res.Reason != "" {
		res.ExitCode = -1
		return res, nil
	}
	return res, checkStatus(p.dir, res.ExitCode)
}

// demuxUntil reads the stream to its end, or until gone ends, should the monitor of a killed run be stuck.
func demuxUntil(gone context.Context, stream io.ReadCloser, stdout, stderr io.Writer) error {
	defer context.AfterFunc(gone, func() { stream.Close() })()
	return demux(stream, stdout, stderr)
}

// recordTime is how long Podman may take to record how an ended run ended; fullTime where it cannot, with fewer bytes than
// fullBytes left on the disk.
const (
	recordTime = time.Minute
	fullTime   = 3 * time.Second
	fullBytes  = 64 << 10
)

// final asks until the exit code stands. Podman's own wait is slower: it waits for the whole cleanup. A run that has ended,
// and of which that is not recorded, is an error: on a full disk it would never be.
func (p *podmanRun) final(gone context.Context, w *watch) (containerState, error) {
	var ended time.Time
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		s, err := p.svc.api.inspect(gone, p.id)
		if err != nil || s.ended() {
			return s, err
		}
		switch full := Free(p.dir) < fullBytes; {
		case !w.ended():
		case ended.IsZero():
			ended = time.Now()
		case full && time.Since(ended) > fullTime:
			return s, unrecorded(p.dir)
		case time.Since(ended) > recordTime:
			return s, fmt.Errorf("the run has ended, but podman did not record how within %s", recordTime)
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
