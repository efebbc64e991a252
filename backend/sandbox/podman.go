package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// podmanRuntime is an OCI runtime under Podman: krun, runsc, crun or runc.
type podmanRuntime struct {
	kind Kind
	home *home
	set  func(h *home) (podmanSetup, error) // finds the program; the error says why it cannot be used here
	// overlay says that the runtime can show a workspace through an overlay whose upper part is thrown away.
	overlay bool
	copies  atomic.Bool // found out by the probe: the overlay does not work on this file system
	// processes is the smallest process limit that the runtime itself can live with.
	processes int
	// check looks at what the probe printed: kernel release and /proc/version as seen inside.
	check func(h host, inside probeReport) error

	cleaning sync.WaitGroup // containers that are being deleted beside

	mu      sync.Mutex
	svc     *service
	version string
	notes   []string // warnings that hold for every run
}

func (r *podmanRuntime) Name() string { return r.kind.Name }

// service gives the running service, starting it if there is none.
func (r *podmanRuntime) service(ctx context.Context) (*service, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.svc != nil && r.svc.alive() {
		return r.svc, nil
	}
	podman := find(nil, "podman")
	if podman == "" {
		return nil, errNoPodman
	}
	set, err := r.set(r.home)
	if err != nil {
		return nil, err
	}
	svc, err := startService(ctx, r.home, podman, set)
	if err != nil {
		return nil, rootlessHint(r.home.host, err)
	}
	if err := r.learn(ctx, svc); err != nil {
		return nil, errors.Join(err, svc.stop())
	}
	r.svc = svc
	return svc, nil
}

// rootlessHint adds what a plain user most often lacks.
func rootlessHint(h host, err error) error {
	if h.root {
		return err
	}
	if find(nil, "newuidmap") == "" {
		return fmt.Errorf("%w (Debian, Ubuntu: sudo apt-get install uidmap; Fedora: sudo dnf install shadow-utils)", err)
	}
	u, e := user.LookupId(strconv.Itoa(h.uid))
	if e != nil {
		return err
	}
	for _, file := range []string{"/etc/subuid", "/etc/subgid"} {
		b, e := os.ReadFile(file)
		if e != nil || !bytes.Contains(append([]byte("\n"), b...), []byte("\n"+u.Username+":")) {
			return fmt.Errorf("%w (sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 %s)", err, u.Username)
		}
	}
	return err
}

// learn asks the service what it is and refuses one that is too old or has another runtime than we asked for.
func (r *podmanRuntime) learn(ctx context.Context, svc *service) error {
	info, err := svc.api.info(ctx)
	if err != nil {
		return err
	}
	if major, _, _ := strings.Cut(info.Version.Version, "."); len(major) == 1 && major < "4" {
		return fmt.Errorf("podman %s is too old; version 4.0 or later is needed", info.Version.Version)
	}
	if got := filepath.Base(info.Host.OCIRuntime.Name); got != r.kind.Name {
		return fmt.Errorf("podman uses %q though %q was asked for", got, r.kind.Name)
	}
	first, _, _ := strings.Cut(info.Host.OCIRuntime.Version, "\n")
	r.version = fmt.Sprintf("%s, podman %s", strings.TrimSpace(first), info.Version.Version)
	r.notes = nil
	if info.Host.Security.SELinuxEnabled {
		r.notes = append(r.notes, "SELinux confinement is off for the container, since the host's own folders are shown in it")
	}
	if !info.Host.Security.SeccompEnabled {
		r.notes = append(r.notes, "no system call filter: this podman or kernel has no seccomp")
	}
	return nil
}

// Close stops the service, after what is still being deleted.
func (r *podmanRuntime) Close() error {
	r.cleaning.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.svc == nil {
		return nil
	}
	svc := r.svc
	r.svc = nil
	return svc.stop()
}

// spec builds the container.
func (r *podmanRuntime) spec(s Spec, root, workspace string, copied bool) (containerSpec, error) {
	h := r.home.host
	l := s.Limits
	v := hostView("/")
	shown := submounts(append(append([]Mount{}, v.mounts...), s.ReadOnly...), mountTable())
	if err := buildSkeleton(root, h, v, shown); err != nil {
		return containerSpec{}, err
	}
	c := containerSpec{
		Command: s.command(""), Env: s.environment(), UnsetEnv: []string{"container", "TERM"},
		User: fmt.Sprintf("%d:%d", h.uid, h.gid), Hostname: hostName,
		Labels: map[string]string{"redgreen.owner": r.home.owner},
		Rootfs: root, WorkDir: s.workDir(),
		CapDrop: []string{"all"}, NoNewPrivileges: true, SeccompProfile: r.home.seccompPath(), SelinuxOpts: []string{"disable"},
		ReadOnly: true,
		NetNS:    namespace{Mode: "none"}, IPCNS: namespace{Mode: "private"}, CgroupNS: namespace{Mode: "private"},
		UseImageHosts: true, UseImageResolve: true, Systemd: "false",
		Resources: &resources{
			Memory: &memoryLimit{Limit: l.Memory, Swap: l.Memory},
			CPU:    &cpuLimit{Quota: int64(l.CPUs * 100_000), Period: 100_000},
			Pids:   &pidsLimit{Limit: int64(l.Processes)},
		},
		Log:     logConfig{Driver: "none"},
		ShmSize: min(l.Memory/4, 256<<20),
		Timeout: uint(l.Wall/time.Second) + 15, // only if this process dies: it kills by itself before
	}
	if h.root {
		c.CgroupParent = r.home.cgroupParent()
	} else {
		c.UserNS = &namespace{Mode: "keep-id"}
	}
	for _, m := range shown {
		c.Mounts = append(c.Mounts, specMount{m.Target, "bind", m.Source, []string{"bind", "ro", "nosuid", "nodev"}})
	}
	if copied {
		c.Mounts = append(c.Mounts, bindWritable(dirWorkspace, workspace))
	} else {
		c.OverlayVolumes = []overlayVolume{{Destination: dirWorkspace, Source: workspace, Options: []string{}}}
	}
	for target, source := range map[string]string{dirOut: s.Out, dirCache: s.Cache} {
		if source != "" {
			c.Mounts = append(c.Mounts, bindWritable(target, source))
		}
	}
	for _, target := range []string{dirTmp, dirHome} {
		c.Mounts = append(c.Mounts, specMount{target, "tmpfs", "tmpfs", []string{"rw", "nosuid", "nodev", "exec", "mode=1777",
			"size=" + strconv.FormatInt(tmpSize(l), 10)}})
	}
	return c, nil
}

func bindWritable(target, source string) specMount {
	return specMount{target, "bind", source, []string{"bind", "rw", "nosuid", "nodev"}}
}

// tmpSize is the size of /tmp and of the home. Both are memory and count against its limit.
func tmpSize(l Limits) int64 { return min(l.Disk, max(l.Memory/2, minMemory)) }

// rlimits are set in any case: Podman's own defaults are higher than a process without CAP_SYS_RESOURCE may set. They are
// read from the service, which lowers some of its own.
func (p *podmanRun) rlimits() []rlimit {
	out := []rlimit{{"core", 0, 0}}
	for name, which := range map[string]int{"nofile": unix.RLIMIT_NOFILE, "nproc": unix.RLIMIT_NPROC} {
		var l unix.Rlimit
		if err := unix.Prlimit(p.svc.pid, which, nil, &l); err != nil {
			continue // then Podman's default is as good as any
		}
		n := min(l.Max, 65536)
		if name == "nproc" && !p.runtime.home.host.root {
			n = min(n, processBackstop(p.runtime.home.host.uid, p.spec.Limits))
		}
		out = append(out, rlimit{name, n, n})
	}
	return out
}

// Run runs spec in a fresh container.
func (r *podmanRuntime) Run(ctx context.Context, spec Spec) (Result, error) {
	if err := spec.check(); err != nil {
		return Result{}, err
	}
	spec.Limits = spec.Limits.withDefaults()
	spec.Limits.Processes = max(spec.Limits.Processes, r.processes)
	svc, err := r.service(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("running in %s: %w", r.kind.Name, err)
	}
	dir, err := r.home.newRun()
	if err != nil {
		return Result{}, err
	}
	run := &podmanRun{runtime: r, svc: svc, spec: spec, dir: dir, started: time.Now()}
	res, err := run.do(ctx)
	r.cleaning.Add(1)
	go func() { // nothing of it runs any more; the caller need not wait
		defer r.cleaning.Done()
		run.clean(context.WithoutCancel(ctx))
	}()
	if err != nil {
		return Result{}, fmt.Errorf("running in %s: %w", r.kind.Name, err)
	}
	return res, nil
}

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
