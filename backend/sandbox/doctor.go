package sandbox

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Doctor probes every rung and then looks closely at the one in use: what it really keeps in, and how long a run takes
// beside the program's own time. It starts what it needs; a service that was not in use before is stopped again.
func (s *Sandbox) Doctor(ctx context.Context) Report {
	chosen, rung, err := s.choose(ctx)
	report := Report{Chosen: rung.Name}
	for _, rt := range s.runtimes {
		report.Checks = append(report.Checks, s.examineRung(ctx, rt, chosen))
	}
	if err != nil {
		return report
	}
	for _, w := range rung.Warnings {
		report.Checks = append(report.Checks, Check{Name: rung.Name + ": limits", Detail: w})
	}
	return s.examine(ctx, chosen, report)
}

// examineRung is one rung's line.
func (s *Sandbox) examineRung(ctx context.Context, rt, chosen Runtime) Check {
	begin := time.Now()
	rung, err := rt.Probe(ctx)
	c := Check{Name: rt.Name(), OK: err == nil, Took: time.Since(begin)}
	if err != nil {
		c.Detail, c.Fix = splitFix(err.Error())
	} else {
		c.Detail = fmt.Sprintf("%s, %s: %s", rung.Label, rung.Version, rung.Protects)
	}
	if closer, ok := rt.(interface{ Close() error }); ok && rt != chosen {
		if err := closer.Close(); err != nil {
			s.home.log.Warn("stopping a probed runtime", "runtime", rt.Name(), "error", err)
		}
	}
	return c
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
// $1 is a port that listens on the host's loopback, $2 a file of the host that must not be seen.
func examinations() []examination {
	return []examination{
		{name: "no network", script: connectScript, judge: held},
		{name: "loopback inside", script: loopbackScript, judge: held},
		{name: "host files are not seen", judge: held,
			script: `for f in "$2" /etc/shadow /run/podman /var/run/docker.sock /var/lib /root/.ssh; do [ -e "$f" ] && { echo "saw $f"; exit 1; }; done; echo held`},
		{name: "host environment is not seen", judge: held,
			script: `for v in SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR ANTHROPIC_API_KEY OPENAI_API_KEY; do eval "[ -z \"\${$v:-}\" ]" || { echo "saw $v"; exit 1; }; done; echo held`},
		{name: "no write outside", judge: held,
			script: `for d in / /usr /etc /opt /root /var; do (: > "$d/redgreen-probe") 2>/dev/null && { echo "wrote to $d"; exit 1; }; done; echo held`},
		{name: "no new namespaces or rights", judge: held,
			script: `grep -q "NoNewPrivs:.1" /proc/self/status || [ ! -r /proc/self/status ] || grep -q gVisor /proc/version || { echo "new privileges are possible"; exit 1; }
unshare -Ur true 2>/dev/null && ! grep -q gVisor /proc/version && { echo "a user namespace was made"; exit 1; }; echo held`},
		{name: "exit status", script: "exit 41", judge: func(r Result) (bool, string) {
			return r.ExitCode == 41, fmt.Sprintf("41 came back as %d", r.ExitCode)
		}},
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

// loopbackScript listens on a free port and connects to it.
const loopbackScript = `py=$(command -v /usr/bin/python3) || { echo "python3 is not there to try it"; exit 1; }
exec $py -c 'import socket
s=socket.socket(); s.bind(("127.0.0.1",0)); s.listen(); socket.create_connection(s.getsockname(),2); print("held")'`

// examine runs every examination on the chosen runtime and times an empty run.
func (s *Sandbox) examine(ctx context.Context, rt Runtime, report Report) Report {
	dir, err := s.home.newRun()
	if err != nil {
		report.Checks = append(report.Checks, Check{Name: "examination", Detail: err.Error()})
		return report
	}
	defer removeAll(dir)
	secret := filepath.Join(dir, "secret")
	spec := Spec{Workspace: filepath.Join(dir, "ws"), Out: filepath.Join(dir, "out")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		defer listener.Close()
		if err = probeFolders(spec, s.home.host); err == nil {
			err = os.WriteFile(secret, []byte("x"), 0o644)
		}
	}
	if err != nil {
		report.Checks = append(report.Checks, Check{Name: "examination", Detail: err.Error()})
		return report
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // an address of our own listener
	for _, e := range examinations() {
		spec.Limits = probeLimits()
		if e.limits.Wall > 0 {
			spec.Limits.Wall = e.limits.Wall
		}
		spec.Args = []string{"/bin/sh", "-c", e.script, "doctor", port, secret}
		begin := time.Now()
		res, err := rt.Run(ctx, spec)
		c := Check{Name: rt.Name() + ": " + e.name, Took: time.Since(begin)}
		if err != nil {
			c.Detail = err.Error()
		} else {
			c.OK, c.Detail = e.judge(res)
		}
		report.Checks = append(report.Checks, c)
	}
	report.Checks = append(report.Checks, s.time(ctx, rt, spec))
	return report
}

// time says how long a run takes that does nothing.
func (s *Sandbox) time(ctx context.Context, rt Runtime, spec Spec) Check {
	const times = 5
	best := time.Hour
	spec.Args, spec.Limits = []string{"true"}, probeLimits()
	for range times {
		begin := time.Now()
		if _, err := rt.Run(ctx, spec); err != nil {
			return Check{Name: rt.Name() + ": start", Detail: err.Error()}
		}
		best = min(best, time.Since(begin))
	}
	return Check{Name: rt.Name() + ": start", OK: true, Took: best, Detail: fmt.Sprintf("an empty run takes %s (the best of %d)", best.Round(time.Millisecond), times)}
}
