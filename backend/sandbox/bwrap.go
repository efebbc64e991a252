package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// bwrapRuntime is bubblewrap: the same view of the host as the container runtimes, made without a container engine. As root
// it sets up the namespaces and then drops to the sandbox's user; without root it needs user namespaces.
type bwrapRuntime struct {
	kind Kind
	home *home

	once    sync.Once
	version string
}

func newBwrap(h *home, k Kind) Runtime { return &bwrapRuntime{kind: k, home: h} }

func (r *bwrapRuntime) Name() string { return r.kind.Name }

// tools are the programs that a run needs on the host.
func (r *bwrapRuntime) tools() (bwrap, setpriv string, err error) {
	if bwrap, err = locate("bwrap", "Debian, Ubuntu: sudo apt-get install bubblewrap; Fedora: sudo dnf install bubblewrap"); err != nil {
		return "", "", err
	}
	if r.home.host.root {
		setpriv, err = locate("setpriv", "it is part of util-linux")
	}
	return bwrap, setpriv, err
}

// Probe runs a shell that says what it sees.
func (r *bwrapRuntime) Probe(ctx context.Context) (Rung, error) {
	if _, _, err := r.tools(); err != nil {
		return Rung{}, err
	}
	rung, err := probe(ctx, r.home, r, unprivileged)
	if err == nil || isDeaf(err) {
		return rung, err
	}
	if strings.Contains(err.Error(), "user namespace") || strings.Contains(err.Error(), "uid map") {
		err = fmt.Errorf("%w (this system forbids user namespaces; try: sudo sysctl kernel.unprivileged_userns_clone=1, on Ubuntu 24.04: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0)", err)
	}
	return Rung{}, err
}

// Run runs spec in fresh namespaces.
func (r *bwrapRuntime) Run(ctx context.Context, spec Spec) (res Result, err error) {
	if err := spec.check(); err != nil {
		return Result{}, err
	}
	spec.Limits = spec.Limits.withDefaults()
	bwrap, setpriv, err := r.tools()
	if err != nil {
		return Result{}, err
	}
	r.once.Do(func() {
		out, _ := exec.CommandContext(ctx, bwrap, "--version").Output() // "" when it does not tell
		r.version = strings.TrimSpace(string(out))
	})
	dir, err := r.home.newRun()
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, removeAll(dir)) }()
	run := &bwrapRun{runtime: r, bwrap: bwrap, setpriv: setpriv, started: time.Now(),
		gatedRun: gatedRun{name: "bubblewrap", spec: spec, dir: dir}}
	res, err = run.do(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("running in bwrap: %w", err)
	}
	return res, nil
}

// bwrapRun is one run.
type bwrapRun struct {
	gatedRun
	runtime        *bwrapRuntime
	bwrap, setpriv string
	started        time.Time
}

func (b *bwrapRun) do(ctx context.Context) (Result, error) {
	workspace := filepath.Join(b.dir, "workspace")
	err := b.runtime.home.newStatus(b.dir)
	if err != nil {
		return Result{}, err
	}
	if b.how, err = copyTree(ctx, b.spec.Workspace, workspace, b.runtime.home.host); err != nil {
		return cancelled(ctx, b.started, err)
	}
	group, err := newRunGroup(b.runtime.home, filepath.Base(b.dir), b.spec.Limits)
	if err != nil {
		b.runtime.home.log.Debug("making control groups for bwrap", "error", err)
	}
	b.group = group
	defer group.remove()
	filter, err := b.filter()
	if err != nil {
		return Result{}, err
	}
	defer filter.Close()
	cmd, err := b.command(workspace, filter)
	if err != nil {
		return Result{}, err
	}
	b.disk = []string{workspace}
	b.rung = b.label()
	return b.follow(ctx, cmd)
}

// filter is an open file with the compiled system call filter, for bubblewrap to read.
func (b *bwrapRun) filter() (*os.File, error) {
	program, err := seccompBPF()
	if err != nil {
		return nil, err
	}
	p := filepath.Join(b.dir, "seccomp.bpf")
	if err := os.WriteFile(p, program, 0o600); err != nil {
		return nil, fmt.Errorf("writing the system call filter: %w", err)
	}
	return os.Open(p)
}

// seccompFD and infoFD are the numbers under which the command finds its extra files.
const (
	seccompFD = 3
	infoFD    = 4 // bubblewrap tells the first process's pid
	goFD      = 5 // the wrapped program waits for a line here,
	readyFD   = 6 // having said here that it stands
)

// gate is what the wrapped shell does first, so that the run is only let go when it is being watched.
const gate = "echo >&6; read -r _ <&5 || exit 125; exec 5<&- 6>&-; "

// command builds the process: a shell that enters the control groups and sets ulimits, then bubblewrap, then (as root)
// setpriv, then the wrapped program.
func (b *bwrapRun) command(workspace string, filter *os.File) (*exec.Cmd, error) {
	args, err := b.arguments(workspace)
	if err != nil {
		return nil, err
	}
	h := b.runtime.home.host
	limit := ""
	if b.group == nil { // dash says -p for what bash says -u
		n := min(h.nproc, processBackstop(h.uid, b.spec.Limits))
		limit = fmt.Sprintf("ulimit -u %[1]d 2>/dev/null || ulimit -p %[1]d || exit 125; ", n)
	}
	script := fmt.Sprintf(`ulimit -c 0; ulimit -n %d || exit 125; %s%sexec "$@"`, min(h.nofile, 65536), limit, b.group.enter())
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "sandbox"}, args...)...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + toolPath()}
	cmd.ExtraFiles = []*os.File{filter}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	return cmd, nil
}

// arguments is bubblewrap's own argument list and what it runs.
func (b *bwrapRun) arguments(workspace string) ([]string, error) {
	h, s := b.runtime.home.host, b.spec
	a := []string{b.bwrap, "--die-with-parent", "--new-session", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
		"--unshare-cgroup-try", "--hostname", hostName, "--cap-drop", "ALL"}
	if h.root {
		a = append(a, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP")
	} else {
		a = append(a, "--unshare-user", "--uid", strconv.Itoa(h.uid), "--gid", strconv.Itoa(h.gid))
	}
	a = append(a, "--seccomp", strconv.Itoa(seccompFD), "--info-fd", strconv.Itoa(infoFD), "--clearenv")
	env := s.environment()
	for _, k := range sortedKeys(env) {
		a = append(a, "--setenv", k, env[k])
	}
	v := hostView("/")
	for _, at := range sortedKeys(v.links) {
		a = append(a, "--symlink", v.links[at], at)
	}
	a = append(a, "--perms", "0755", "--dir", "/etc")
	etc, err := b.etc()
	if err != nil {
		return nil, err
	}
	a = append(a, etc...)
	a = append(a, "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--dir", "/var/tmp", "--dir", "/run")
	tmp := strconv.FormatInt(tmpSize(s.Limits), 10)
	for _, t := range []string{dirTmp, dirHome} {
		a = append(a, "--perms", "1777", "--size", tmp, "--tmpfs", t)
	}
	a = append(a, "--bind", workspace, dirWorkspace, "--bind", filepath.Join(b.dir, "status"), dirStatus)
	if s.Out != "" {
		a = append(a, "--bind", s.Out, dirOut)
	}
	if s.Cache != "" {
		a = append(a, "--bind", s.Cache, dirCache)
	}
	for _, m := range submounts(append(append([]Mount{}, v.mounts...), s.ReadOnly...), nil) {
		for _, d := range parents(m.Target) { // bubblewrap would make them for root only
			a = append(a, "--perms", "0755", "--dir", d)
		}
		a = append(a, "--ro-bind", m.Source, m.Target) // recursive, submounts become read-only too
	}
	a = append(a, "--remount-ro", "/", "--chdir", s.workDir(), "--")
	if h.root {
		id := strconv.Itoa(sandboxID)
		a = append(a, b.setpriv, "--reuid", id, "--regid", id, "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--")
	}
	return append(a, s.command(gate)...), nil
}

// parents lists the folders above p, from the top, without the root.
func parents(p string) []string {
	var out []string
	for d := path.Dir(p); d != "/"; d = path.Dir(d) {
		out = append([]string{d}, out...)
	}
	return out
}

// etc writes the sandbox's own /etc beside the run and gives the arguments that show it.
func (b *bwrapRun) etc() ([]string, error) {
	dir := filepath.Join(b.dir, "etc")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	files := etcFiles(b.runtime.home.host)
	var a []string
	for _, name := range sortedKeys(files) {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(files[name]), 0o644); err != nil {
			return nil, fmt.Errorf("writing the sandbox's /etc: %w", err)
		}
		a = append(a, "--ro-bind", p, "/etc/"+name)
	}
	return a, nil
}

// label is the label of this run.
func (b *bwrapRun) label() Rung {
	k := b.runtime.kind
	r := Rung{Name: k.Name, Label: k.Label, Version: b.runtime.version, Protects: k.Protects}
	if b.group == nil {
		r.Warnings = append(r.Warnings, "limits of memory and processes are not enforced by the kernel here (no writable control groups); both are watched and the run is stopped when it goes over; the CPU limit is not enforced")
	}
	return r
}
