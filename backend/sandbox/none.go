package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// noneRuntime runs the program with no isolation, as this process's user, for people whose machine can do no better and who
// have switched it on. What is left is bounded means, an environment of its own, a copy of the workspace, and an end of all
// that was started as far as the kernel lets us find it.
type noneRuntime struct {
	kind Kind
	home *home
}

func newNone(h *home, k Kind) Runtime { return &noneRuntime{kind: k, home: h} }

func (r *noneRuntime) Name() string { return r.kind.Name }

// errNoneOff says how to switch it on.
var errNoneOff = errors.New("runs without any isolation are switched off for this folder (redgreen doctor --allow-none FOLDER, for a folder that you trust as you trust your own shell)")

// runMark is the variable by which the processes of a run are found, whatever session or group they went into.
const runMark = "REDGREEN_RUN"

// plainPath are paths that need no quoting anywhere: arguments of programs are rewritten to name them.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./+-]+$`)

// Probe runs a shell that says what it sees; it is not held against isolation.
func (r *noneRuntime) Probe(ctx context.Context) (Rung, error) {
	if !r.home.allowNone {
		return Rung{}, errNoneOff
	}
	return probe(ctx, r.home, r)
}

// Run runs spec as a child of this process.
func (r *noneRuntime) Run(ctx context.Context, spec Spec) (res Result, err error) {
	if !r.home.allowNone {
		return Result{}, fmt.Errorf("running the tests: %w", errNoneOff)
	}
	if err := spec.check(); err != nil {
		return Result{}, err
	}
	if spec.Image != "" {
		return Result{}, errors.New("running without isolation: an image cannot be used without a container engine (choose the host's toolchain for this folder)")
	}
	spec.Limits = spec.Limits.withDefaults()
	dir, err := r.home.newRun()
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, removeAll(dir)) }()
	run := &noneRun{runtime: r, started: time.Now(), gatedRun: gatedRun{name: "the shell", spec: spec, dir: dir}}
	if res, err = run.do(ctx); err != nil {
		return Result{}, fmt.Errorf("running without isolation: %w", err)
	}
	return res, nil
}

// noneRun is one run. The paths of the sandbox (/workspace, /out, a mount's target, …) lie below its folder: what names
// them in the arguments and variables is rewritten, and back in what comes out.
type noneRun struct {
	gatedRun
	runtime *noneRuntime
	started time.Time
}

func (n *noneRun) do(ctx context.Context) (Result, error) {
	if !plainPath.MatchString(n.dir) {
		return Result{}, fmt.Errorf("the folder %q has characters that not every test tool can cope with (set REDGREEN_HOME to a plain path)", n.dir)
	}
	h := n.runtime.home
	var err error
	if n.how, err = copyTree(ctx, n.spec.Workspace, filepath.Join(n.dir, "workspace"), host{}); err != nil {
		return cancelled(ctx, n.started, err)
	}
	if err := n.furnish(); err != nil {
		return Result{}, err
	}
	if n.group, err = newRunGroup(h, filepath.Base(n.dir), n.spec.Limits); err != nil {
		h.log.Debug("making control groups", "error", err)
	}
	defer n.group.remove()
	n.rung, n.disk, n.strays = n.label(), []string{n.dir}, n.processes
	null, err := os.Open(os.DevNull)
	if err != nil {
		return Result{}, err
	}
	defer null.Close()
	res, err := n.follow(ctx, n.command(null))
	if err != nil {
		return res, err
	}
	res.Stdout, res.Stderr, res.Paths = n.tell(res.Stdout), n.tell(res.Stderr), n.tell
	return res, nil
}

// furnish makes the sandbox's folders below the run's.
func (n *noneRun) furnish() error {
	err := n.runtime.home.newStatus(n.dir)
	for _, d := range []string{"run", "tmp", "home/sandbox"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(n.dir, d), 0o700))
	}
	links := map[string]string{dirStatus: filepath.Join(n.dir, "status")}
	for target, source := range map[string]string{dirOut: n.spec.Out, dirCache: n.spec.Cache} {
		if source != "" {
			links[target] = source
		}
	}
	for _, m := range n.spec.ReadOnly {
		if m.Source != m.Target {
			links[m.Target] = m.Source
		}
	}
	r, err2 := os.OpenRoot(n.dir)
	if err = errors.Join(err, err2); err != nil {
		return fmt.Errorf("making the run's folders: %w", err)
	}
	defer r.Close()
	for _, target := range sortedKeys(links) {
		err = errors.Join(err, r.MkdirAll("."+path.Dir(target), 0o700))
		if e := r.Symlink(links[target], target[1:]); e != nil && !errors.Is(e, fs.ErrExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// names are the sandbox's paths that are rewritten, the longest first.
func (n *noneRun) names() []string {
	names := []string{dirWorkspace, dirStatus, dirOut, dirCache, dirTmp, dirHome}
	for _, m := range n.spec.ReadOnly {
		if m.Source != m.Target && !strings.HasPrefix(m.Target, dirWorkspace+"/") {
			names = append(names, m.Target)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return names
}

// real rewrites every path of the sandbox in an argument to where it really is.
func (n *noneRun) real(arg string) string {
	names := n.names()
	inPath := func(c byte) bool {
		return c == '/' || c == '.' || c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|32 && c|32 <= 'z'
	}
	var b strings.Builder
	for i := 0; i < len(arg); {
		found := ""
		if arg[i] == '/' && (i == 0 || !inPath(arg[i-1])) {
			for _, name := range names {
				if rest, ok := strings.CutPrefix(arg[i:], name); ok && (rest == "" || rest[0] == '/' || !inPath(rest[0])) {
					found = name
					break
				}
			}
		}
		if found != "" {
			b.WriteString(n.dir + found)
			i += len(found)
			continue
		}
		b.WriteByte(arg[i])
		i++
	}
	return b.String()
}

// tell rewrites what a run says back to the sandbox's paths.
func (n *noneRun) tell(b []byte) []byte { return bytes.ReplaceAll(b, []byte(n.dir+"/"), []byte("/")) }

// fileBackstop is how far over the disk limit one file may go before the kernel refuses: the watch, which stops the whole
// run and says why, comes first.
const fileBackstop = 4 << 30

// command is a shell that enters the control groups, says that it stands, waits for the go, and runs the arguments.
func (n *noneRun) command(null *os.File) *exec.Cmd {
	h, s := n.runtime.home.host, n.spec
	limit := ""
	if n.group == nil { // dash says -p for what bash says -u
		count := min(h.nproc, processBackstop(os.Getuid(), s.Limits))
		limit = fmt.Sprintf("ulimit -u %[1]d 2>/dev/null || ulimit -p %[1]d || exit 125; ", count)
	}
	script := fmt.Sprintf(`ulimit -c 0; ulimit -n %d || exit 125; ulimit -f %d || exit 125; %s%secho "{\"child-pid\":$$}" >&%d; %sexec 3<&- 4>&-; cd -- "$0" || exit 125; "$@"; %s`,
		min(h.nofile, 65536), (s.Limits.Disk+fileBackstop)/512, limit, n.group.enter(), infoFD, gate, strings.ReplaceAll(tellStatus, dirStatus, n.dir+dirStatus))
	args := []string{"-c", script, n.dir + s.workDir(), "/usr/bin/env", "-i", "--"}
	env := s.environment()
	env[runMark] = n.dir + "/"
	for _, k := range sortedKeys(env) {
		args = append(args, k+"="+n.real(env[k]))
	}
	for _, a := range s.Args {
		args = append(args, n.real(a))
	}
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=" + toolPath(), runMark + "=" + n.dir + "/"}
	cmd.ExtraFiles = []*os.File{null}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// processes lists what belongs to the run: its control group, and every process that has its mark, or a parent that has.
func (n *noneRun) processes() []int {
	if n.group != nil {
		for _, d := range n.group.dirs {
			if _, err := os.Stat(filepath.Join(d, "pids.current")); err == nil {
				return readPids(filepath.Join(d, "cgroup.procs"))
			}
		}
	}
	return owned([]string{n.dir})
}

// label is the label of this run.
func (n *noneRun) label() Rung {
	k := n.runtime.kind
	r := Rung{Name: k.Name, Label: k.Label, Version: "as user " + strconv.Itoa(unix.Getuid()), Protects: k.Protects, Warnings: []string{
		"no isolation: the network, your files, your programs' sockets and other processes are within reach of the tests"}}
	if n.group == nil {
		r.Warnings = append(r.Warnings, "limits of memory and processes are not enforced by the kernel here (no writable control groups); both are watched and the run is stopped when it goes over; the CPU limit is not enforced, and a process that hides its origin is not found")
	}
	return r
}
