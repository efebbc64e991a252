package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// probeExit is the exit status that the probe must bring back; some runtimes have been known to lose it.
const probeExit = 37

// probeLimits are small: the probe is a shell with a few lines.
func probeLimits() Limits {
	return Limits{Wall: 20 * time.Second, Memory: 256 << 20, CPUs: 1, Processes: 64, Output: 64 << 10, Disk: 64 << 20}
}

// loopbackScript says whether a program can listen on 127.0.0.1 and connect to it: "loopback held", or why not. A shell cannot
// try that; where neither Perl nor Python is there it says that it is untried.
const loopbackScript = `{ /usr/bin/perl -MSocket -e '
$SIG{ALRM} = sub { die "it takes too long\n" }; alarm 5;
print "loopback ", eval {
	socket(S, PF_INET, SOCK_STREAM, 0) && bind(S, sockaddr_in(0, INADDR_LOOPBACK)) && listen(S, 1) &&
	socket(C, PF_INET, SOCK_STREAM, 0) && connect(C, getsockname(S)) or die "$!\n"; "held\n" } || $@' ||
/usr/bin/python3 -c 'import socket
try:
    s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); socket.create_connection(s.getsockname(), 5); print("loopback held")
except OSError as e:
    print("loopback", e)' || echo "loopback untried"; } 2>/dev/null
`

// probeScript says what it sees, one "key value" a line, and exits with probeExit. It needs nothing but a shell.
const probeScript = loopbackScript + `
echo "release $(uname -r)"
echo "version $(cat /proc/version)"
echo "uid $(id -u)"
echo "file $(cat file)"
echo changed > file && echo "write ok"
echo kept > /out/kept
exit 37`

// probeReport is what the probe saw inside.
type probeReport struct {
	release string // uname -r
	version string // /proc/version
	uid     string
	file    string // what the probe read in its workspace
	wrote   bool   // it could write there
	// loopback is "held", "untried" or why nothing can listen and connect inside.
	loopback string
}

// noLoopback is the error of a rung that works but for this.
type noLoopback struct{ why string }

func (e noLoopback) Error() string {
	return fmt.Sprintf("inside, nothing can listen on 127.0.0.1 and connect to it (%s), so tests with a server of their own would fail", e.why)
}

// isDeaf reports whether an error is that of a rung without loopback.
func isDeaf(err error) bool {
	_, ok := errors.AsType[noLoopback](err)
	return ok
}

// loopbackError is nil for a loopback that nothing could try: that is not held against the rung.
func (r probeReport) loopbackError() error {
	if r.loopback == "held" || r.loopback == "untried" {
		return nil
	}
	return noLoopback{cmp.Or(r.loopback, "the probe did not say why")}
}

func readProbe(out []byte) probeReport {
	var r probeReport
	for _, line := range strings.Split(string(out), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "release":
			r.release = value
		case "version":
			r.version = value
		case "uid":
			r.uid = value
		case "file":
			r.file = value
		case "loopback":
			r.loopback = value
		case "write":
			r.wrote = value == "ok"
		}
	}
	return r
}

// probe runs the probe on rt and checks that what a run promises holds: it starts, reads and writes its workspace without
// changing the host's, keeps /out, its exit status comes back, what checks say, and last that loopback works inside. A rung
// that fails only in that is given beside the error.
func probe(ctx context.Context, h *home, rt Runtime, checks ...func(host, probeReport) error) (Rung, error) {
	dir, err := h.newRun()
	if err != nil {
		return Rung{}, err
	}
	defer removeAll(dir)
	spec := Spec{Args: []string{"/bin/sh", "-c", probeScript}, Workspace: filepath.Join(dir, "ws"), Out: filepath.Join(dir, "out"), Limits: probeLimits()}
	if err := probeFolders(spec, h.host); err != nil {
		return Rung{}, fmt.Errorf("preparing the probe: %w", err)
	}
	res, err := rt.Run(ctx, spec)
	switch {
	case err != nil:
		return Rung{}, err
	case res.Reason == Cancelled && ctx.Err() != nil:
		return Rung{}, ctx.Err()
	case res.Reason != "":
		return Rung{}, fmt.Errorf("the probe was stopped (%s): %s", res.Reason, res.Stderr)
	case res.ExitCode != probeExit:
		return Rung{}, fmt.Errorf("the probe exited with %d instead of %d: %s", res.ExitCode, probeExit, res.Stderr)
	}
	saw := readProbe(res.Stdout)
	if err := judgeProbe(h.host, spec, saw, checks); err != nil {
		return Rung{}, err
	}
	return res.Runtime, saw.loopbackError()
}

func probeFolders(spec Spec, h host) error {
	file := filepath.Join(spec.Workspace, "file")
	for _, d := range []string{spec.Workspace, spec.Out} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(file, []byte("original\n"), 0o644); err != nil {
		return err
	}
	if !h.root {
		return nil
	}
	for _, p := range []string{spec.Workspace, spec.Out, file} {
		if err := os.Chown(p, h.uid, h.gid); err != nil {
			return err
		}
	}
	return nil
}

func judgeProbe(h host, spec Spec, saw probeReport, checks []func(host, probeReport) error) error {
	for _, check := range checks {
		if check == nil {
			continue
		}
		if err := check(h, saw); err != nil {
			return err
		}
	}
	kept, err := os.ReadFile(filepath.Join(spec.Workspace, "file"))
	if err != nil {
		return fmt.Errorf("looking at the probe's workspace: %w", err)
	}
	_, outErr := os.Stat(filepath.Join(spec.Out, "kept"))
	switch {
	case saw.file != "original" || !saw.wrote:
		return fmt.Errorf("the probe could not use its workspace (read %q, wrote %v)", saw.file, saw.wrote)
	case string(kept) != "original\n":
		return fmt.Errorf("the probe changed the host's workspace")
	case outErr != nil:
		return fmt.Errorf("what the probe wrote to its out folder is not there: %w", outErr)
	}
	return nil
}

// unprivileged refuses a probe that ran as root.
func unprivileged(_ host, saw probeReport) error {
	if saw.uid == "0" || saw.uid == "" {
		return fmt.Errorf("the probe ran as user %q instead of an unprivileged one", saw.uid)
	}
	return nil
}

// Probe starts a container that says what it sees. What does not work on this machine is done without, one after another:
// placing a run in a standing container, then the overlay over its workspace.
func (r *podmanRuntime) Probe(ctx context.Context) (Rung, error) {
	if _, err := r.service(ctx); err != nil {
		return Rung{}, err
	}
	rung, err := probe(ctx, r.home, r, unprivileged, r.check)
	first := err
	for _, without := range []*atomic.Bool{&r.fixed, &r.copies} {
		if err == nil || isDeaf(err) || ctx.Err() != nil || !r.overlay || without.Load() {
			continue
		}
		r.home.log.Info("a runtime is used in a slower way, since the quicker one does not work here", "runtime", r.kind.Name, "error", err)
		without.Store(true)
		rung, err = probe(ctx, r.home, r, unprivileged, r.check)
	}
	if isDeaf(err) {
		return rung, err
	}
	if err != nil {
		r.fixed.Store(false)
		r.copies.Store(false)
		if first != nil && ctx.Err() == nil {
			err = rootlessHint(r.home.host, first)
		}
		return Rung{}, err
	}
	return rung, nil
}
