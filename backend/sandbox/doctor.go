package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Doctor probes every rung, all at once, and then looks closely at the one in use: what it really keeps in, and how long a
// run takes. It starts what it needs; a service that was not in use before is stopped again.
func (s *Sandbox) Doctor(ctx context.Context) Report {
	found := make([]probed, len(s.runtimes))
	var wg sync.WaitGroup
	for i, rt := range s.runtimes {
		wg.Go(func() { found[i] = probeOne(ctx, rt) })
	}
	wg.Wait()
	chosen, rung := s.settle(found)
	report := Report{Chosen: rung.Name}
	for i, rt := range s.runtimes {
		report.Checks = append(report.Checks, found[i].check())
		if c, ok := rt.(io.Closer); ok && rt != chosen {
			wg.Go(func() {
				if err := c.Close(); err != nil {
					s.home.log.Warn("stopping a probed runtime", "runtime", rt.Name(), "error", err)
				}
			})
		}
	}
	defer wg.Wait()
	if chosen == nil {
		return report
	}
	for _, w := range rung.Warnings {
		report.Checks = append(report.Checks, Check{Name: rung.Name + ": limits", Detail: w})
	}
	report.Checks = append(report.Checks, s.examine(ctx, chosen)...)
	return report
}

// probed is what came of probing one rung.
type probed struct {
	name string
	rung Rung
	err  error
	took time.Duration
}

func probeOne(ctx context.Context, rt Runtime) probed {
	begin := time.Now()
	rung, err := rt.Probe(ctx)
	return probed{rt.Name(), rung, err, time.Since(begin)}
}

// check is one rung's line.
func (p probed) check() Check {
	c := Check{Name: p.name, OK: p.err == nil, Took: p.took}
	if p.err != nil {
		c.Detail, c.Fix = splitFix(p.err.Error())
	} else {
		c.Detail = fmt.Sprintf("%s, %s: %s", p.rung.Label, p.rung.Version, p.rung.Protects)
	}
	return c
}

// settle gives the runtime in use. If none was chosen yet, it is the strongest that was just found to work; one that was
// chosen before stays.
func (s *Sandbox) settle(found []probed) (Runtime, Rung) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen == nil {
		if rt, rung, _ := s.climb(func(i int) probed { return found[i] }); rt != nil {
			s.take(rt, rung)
		}
	}
	return s.chosen, s.rung
}

// splitFix takes the last bracket of an error as what to do, which is how this room's errors are written.
func splitFix(msg string) (detail, fix string) {
	msg = strings.TrimSpace(msg)
	if i := strings.LastIndex(msg, " ("); i > 0 && strings.HasSuffix(msg, ")") {
		return msg[:i], msg[i+2 : len(msg)-1]
	}
	return msg, ""
}

// examination is one thing that is tried in the chosen rung: a script that prints "held" when the wall held.
type examination struct {
	name   string
	script string
	limits Limits
	judge  func(r Result) (ok bool, detail string)
	wall   bool // it is about what the program cannot reach
}

// held says yes to a script that printed just that.
func held(r Result) (bool, string) {
	out := strings.TrimSpace(string(r.Stdout))
	if r.ExitCode != 0 || out != "held" {
		return false, fmt.Sprintf("exit %d %s: %s %.200s", r.ExitCode, r.Reason, out, r.Stderr)
	}
	return true, "held"
}

// examinations are the same things that the conformance suite tests, as far as a shell and bash or python can try them.
// $1 is a port that listens on the host's loopback, $2 a file of the host that must not be seen, $3 the rung.
func examinations(h host, rung, out string) []examination {
	uid := h.uid
	if rung == "none" {
		uid = os.Getuid()
	}
	return []examination{
		{name: "kernel", script: "uname -r; cat /proc/version", judge: func(r Result) (bool, string) { return judgeKernel(h, rung, r) }},
		{name: "no network", script: connectScript, judge: held, wall: true},
		{name: "loopback inside", script: loopbackScript, judge: func(r Result) (bool, string) {
			return readProbe(r.Stdout).loopback == "held", strings.TrimPrefix(strings.TrimSpace(string(r.Stdout)), "loopback ")
		}},
		{name: "host files are not seen", judge: held, wall: true,
			script: `for f in "$2" /etc/shadow /run/podman /var/run/docker.sock /var/lib /root/.ssh; do [ -e "$f" ] && { echo "saw $f"; exit 1; }; done; echo held`},
		{name: "host environment is not seen", judge: held,
			script: `for v in SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR ANTHROPIC_API_KEY OPENAI_API_KEY; do eval "[ -z \"\${$v:-}\" ]" || { echo "saw $v"; exit 1; }; done; echo held`},
		{name: "no write outside", judge: held, wall: true,
			script: `for d in / /usr /etc /opt /root /var; do (: > "$d/redgreen-probe") 2>/dev/null && { echo "wrote to $d"; exit 1; }; done; echo held`},
		{name: "no new namespaces or rights", judge: held, wall: true,
			script: `grep "^CapEff" /proc/self/status | grep -q "[1-9a-f]0*$" && { echo "it has capabilities"; exit 1; }
case $3 in krun|runsc) echo held; exit ;; esac # what is left is about the host's kernel
grep -q "NoNewPrivs:.1" /proc/self/status || { echo "new privileges are possible"; exit 1; }
unshare -Ur true 2>/dev/null && { echo "a user namespace was made"; exit 1; }; echo held`},
		{name: "exit status", script: "exit 41", judge: func(r Result) (bool, string) {
			return r.ExitCode == 41, fmt.Sprintf("41 came back as %d", r.ExitCode)
		}},
		{name: "file ownership", script: `echo kept > /out/owned && chmod 640 /out/owned && [ -O /workspace ] && [ -O /out/owned ] && echo held`,
			judge: func(r Result) (bool, string) { return judgeOwner(uid, out, r) }},
		{name: "kill at the time limit", script: "trap '' TERM; while :; do sleep 1; done", limits: Limits{Wall: 500 * time.Millisecond},
			judge: func(r Result) (bool, string) {
				return r.Reason == Timeout && r.Duration < 2500*time.Millisecond, fmt.Sprintf("stopped after %s (%s)", r.Duration.Round(time.Millisecond), r.Reason)
			}},
	}
}

// connectScript tries the host's loopback, an outside address and a name.
const connectScript = `py=$(command -v /usr/bin/python3) || { echo "python3 is not there to try it"; exit 1; }
exec $py -c 'import socket,sys
for a in (("127.0.0.1", int(sys.argv[1])), ("1.1.1.1", 53), ("example.com", 80)):
    try:
        socket.create_connection(a, 1)
    except OSError:
        continue
    sys.exit("reached %s" % (a,))
print("held")' "$1"`

// examineAtOnce is how many examinations run at a time: they mostly wait for the kernel and for Podman.
const examineAtOnce = 3

// examine runs every examination on the chosen runtime and times an empty run.
func (s *Sandbox) examine(ctx context.Context, rt Runtime) []Check {
	dir, err := s.home.newRun()
	if err != nil {
		return []Check{{Name: "examination", Detail: err.Error()}}
	}
	defer removeAll(dir)
	secret := filepath.Join(dir, "secret")
	spec := Spec{Workspace: filepath.Join(dir, "ws"), Out: filepath.Join(dir, "out"), Limits: probeLimits()}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		defer listener.Close()
		if err = probeFolders(spec, s.home.host); err == nil {
			err = os.WriteFile(secret, []byte("x"), 0o644)
		}
	}
	if err != nil {
		return []Check{{Name: "examination", Detail: err.Error()}}
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // an address of our own listener
	all := examinations(s.home.host, rt.Name(), spec.Out)
	checks := make([]Check, len(all))
	slots := make(chan struct{}, examineAtOnce)
	var wg sync.WaitGroup
	for i, e := range all {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			checks[i] = e.try(ctx, rt, spec, port, secret)
		})
	}
	wg.Wait()
	return append(checks, timeRuns(ctx, rt, spec))
}

// try runs one examination.
func (e examination) try(ctx context.Context, rt Runtime, spec Spec, port, secret string) Check {
	c := Check{Name: rt.Name() + ": " + e.name}
	if e.wall && rt.Name() == "none" { // and what it would write, it would really write
		c.Detail = "not provided: there is no isolation"
		return c
	}
	if e.limits.Wall > 0 {
		spec.Limits.Wall = e.limits.Wall
	}
	spec.Args = []string{"/bin/sh", "-c", e.script, "doctor", port, secret, rt.Name()}
	begin := time.Now()
	res, err := rt.Run(ctx, spec)
	c.Took = time.Since(begin)
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	c.OK, c.Detail = e.judge(res)
	return c
}

// judgeKernel says whose kernel it was.
func judgeKernel(h host, rung string, r Result) (bool, string) {
	release, version, _ := strings.Cut(strings.TrimSpace(string(r.Stdout)), "\n")
	own := rung == "krun" || rung == "runsc"
	switch same := version == h.version; {
	case version == "":
		return false, fmt.Sprintf("the kernel's version could not be read inside: %.200s", r.Stderr)
	case own && same:
		return false, "it saw the host's kernel " + h.kernel + ", so there is none of its own"
	case own:
		return true, fmt.Sprintf("its own, %s, not the host's %s", release, h.kernel)
	}
	return true, "the host's, " + release + ": a hole in it is a way out"
}

// judgeOwner looks at what the script left in out.
func judgeOwner(uid int, out string, r Result) (bool, string) {
	if ok, detail := held(r); !ok {
		return false, detail
	}
	var st unix.Stat_t
	if err := unix.Lstat(filepath.Join(out, "owned"), &st); err != nil {
		return false, err.Error()
	}
	want, who := uint32(uid), fmt.Sprintf("a user without rights (%d)", uid)
	if want == uint32(os.Getuid()) {
		who = "you"
	}
	if st.Uid != want || st.Mode&0o777 != 0o640 {
		return false, fmt.Sprintf("what it wrote belongs to %d with mode %o on the host, not to %s", st.Uid, st.Mode&0o777, who)
	}
	return true, "what it writes belongs to " + who + " on the host"
}

// ready is a runtime that can have a container stand ready for a run.
type ready interface {
	places() bool
	drain()
	await(ctx context.Context, l Limits)
}

// timeRuns says how long a run takes that does nothing: the best of a few, with and without a container that stands ready.
func timeRuns(ctx context.Context, rt Runtime, spec Spec) Check {
	const times = 3
	c := Check{Name: rt.Name() + ": start"}
	spec.Args, spec.Limits = []string{"true"}, probeLimits()
	best := func(before func()) (time.Duration, error) {
		least := time.Hour
		for range times {
			before()
			begin := time.Now()
			if _, err := rt.Run(ctx, spec); err != nil {
				return 0, err
			}
			least = min(least, time.Since(begin))
		}
		return least, nil
	}
	pool, pooled := rt.(ready)
	pooled = pooled && pool.places()
	cold, err := best(func() {
		if pooled {
			pool.drain()
		}
	})
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	c.OK, c.Took = true, cold
	c.Detail = fmt.Sprintf("an empty run takes %s", cold.Round(time.Millisecond))
	if !pooled {
		return c
	}
	warm, err := best(func() { pool.await(ctx, spec.Limits) })
	if err != nil {
		return Check{Name: c.Name, Detail: err.Error()}
	}
	c.Took = warm
	c.Detail = fmt.Sprintf("an empty run takes %s, or %s when nothing stands ready", warm.Round(time.Millisecond), cold.Round(time.Millisecond))
	return c
}
