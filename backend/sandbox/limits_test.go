package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// grace is how long after its limit a run may still be there.
const grace = 2 * time.Second

// python runs a script with the host's own interpreter.
func python(script string) []string { return []string{"/usr/bin/python3", "-c", script} }

// hog is a program that goes over one limit.
type hog struct {
	name   string
	args   []string
	limits Limits
	want   Reason
	within time.Duration // from the start of the run, beside grace
	idle   bool          // it only waits, so several can run at once
}

// ownKernel is what a rung may say instead where a kernel of its own counts processes and files in memory, which we cannot
// read: the run is stopped all the same, but conservatively named, or the program ends by itself.
func ownKernel(rung string, want, got Reason) bool {
	return (rung == "runsc" || rung == "krun") && (want == Processes && (got == Timeout || got == Memory) || want == Disk && got == "")
}

func hogs() []hog {
	const wall = 8 * time.Second
	return []hog{
		{"sleeper", []string{"/bin/sleep", "1000"}, Limits{Wall: time.Second}, Timeout, time.Second, true},
		{"ignores SIGTERM", sh("trap '' TERM INT HUP; while :; do sleep 1; done"), Limits{Wall: time.Second}, Timeout, time.Second, true},
		{"leaves children", sh("(trap '' TERM; exec setsid sleep 1000) & (sleep 1000 &) ; sleep 1000"), Limits{Wall: time.Second}, Timeout, time.Second, true},
		{"printer", sh("exec yes"), Limits{Wall: wall, Output: 64 << 10}, Output, wall, false},
		{"printer on stderr", sh("exec yes >&2"), Limits{Wall: wall, Output: 64 << 10}, Output, wall, false},
		{"memory", python("x=[]\nwhile True: x.append(bytearray(1<<20))"), Limits{Wall: wall, Memory: 96 << 20}, Memory, wall, false},
		{"memory in a child", sh(`/usr/bin/python3 -c 'x=[]
while True: x.append(bytearray(1<<20))'; exit 3`), Limits{Wall: wall, Memory: 96 << 20}, Memory, wall, false},
		{"fork bomb", sh("b() { b | b & }; b; sleep 100"), Limits{Wall: 2 * time.Second, Processes: 64, Memory: 256 << 20}, Processes, wall, true},
		{"threads", python("import threading,time,os\ntry:\n  for i in range(5000): threading.Thread(target=time.sleep,args=(60,)).start()\nexcept RuntimeError: time.sleep(1); os._exit(1)"),
			Limits{Wall: wall, Processes: 64}, Processes, wall, false},
		{"fork bomb that stays", python("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"), Limits{Wall: wall, Processes: 64}, Processes, wall, false},
		{"closes its output", sh("exec >&- 2>&-; sleep 1000"), Limits{Wall: time.Second}, Timeout, time.Second, true},
		{"disk", sh("exec cat /dev/zero > big"), Limits{Wall: wall, Disk: 64 << 20}, Disk, wall, false},
		{"disk in many files", python("i=0\nwhile True:\n  i+=1\n  open('f%d'%i,'wb').write(bytes(1<<20))"), Limits{Wall: wall, Disk: 64 << 20}, Disk, wall, false},
		{"disk in /out", sh("exec cat /dev/zero > /out/big"), Limits{Wall: wall, Disk: 64 << 20}, Disk, wall, false},
		{"disk without a name", python("f=open('/out/x','wb',0)\nimport os\nos.unlink('/out/x')\nwhile True: f.write(bytes(1<<20))"), Limits{Wall: wall, Disk: 64 << 20}, Disk, wall, false},
		{"/tmp", sh("cat /dev/zero > /tmp/big; exit 1"), Limits{Wall: wall, Disk: 32 << 20, Memory: 256 << 20}, Disk, wall, false},
	}
}

func (b bench) testLimits(t *testing.T) {
	for _, h := range hogs() {
		t.Run(h.name, func(t *testing.T) {
			if h.idle {
				t.Parallel()
			}
			out := b.folder(t, nil)
			res := b.run(t, Spec{Args: h.args, Limits: h.limits, Out: out})
			if alike := ownKernel(res.Runtime.Name, h.want, res.Reason); !alike && (res.Reason != h.want || res.ExitCode != -1) || alike && res.ExitCode == 0 {
				t.Errorf("reason %q exit %d, want %q -1; stderr %.300q", res.Reason, res.ExitCode, h.want, res.Stderr)
			}
			if res.Duration > h.within+grace {
				t.Errorf("stopped after %s, want at most %s", res.Duration, h.within+grace)
			}
			if h.want == Disk {
				if n := diskUsage(out); n > 2<<30 {
					t.Errorf("%d bytes written over a limit of %d", n, h.limits.Disk)
				}
			}
		})
	}
}

// testTouched checks that a limit which a program copes with is no verdict on it.
func (b bench) testTouched(t *testing.T) {
	res := b.run(t, Spec{Args: sh("cat /dev/zero > /tmp/x 2>/dev/null; rm /tmp/x; echo fine"), Limits: Limits{Disk: 32 << 20}})
	if res.Reason != "" && res.Reason != Disk || res.Reason == "" && res.ExitCode != 0 {
		t.Errorf("got %q, %d", res.Reason, res.ExitCode)
	}
	res = b.run(t, Spec{Args: sh("sleep 0.2; exit 7"), Limits: Limits{Wall: 5 * time.Second}})
	if res.ExitCode != 7 || res.Reason != "" {
		t.Errorf("a plain failure is exit %d, reason %q", res.ExitCode, res.Reason)
	}
	res = b.run(t, Spec{Args: sh("exec >&- 2>&-; sleep 0.5; exit 5")})
	if res.ExitCode != 5 || res.Reason != "" {
		t.Errorf("a program that closes its output first is exit %d, reason %q", res.ExitCode, res.Reason)
	}
	res = b.run(t, Spec{Args: sh("kill -KILL $$")})
	if res.ExitCode != 137 || res.Reason != "" {
		t.Errorf("a program that kills itself is exit %d, reason %q", res.ExitCode, res.Reason)
	}
}

// testOutOfMemory tells a program that the kernel killed for its memory from one that was killed otherwise: both are 137.
func (b bench) testOutOfMemory(t *testing.T) {
	hog := `/usr/bin/python3 -c 'x=bytearray(1<<30)
for i in range(0, len(x), 4096): x[i] = 1'; `
	for _, c := range []struct {
		name, script string
		want         Reason
		code         int
	}{
		{"the program itself", "exec " + hog, Memory, -1},
		{"a child, and its status passed on", hog + "exit $?", Memory, -1},
		{"a child, and another failure", hog + "exit 3", Memory, -1},
		{"killed otherwise", "kill -KILL $$", "", 137},
		{"says 137", "exit 137", "", 137},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := b.run(t, Spec{Args: sh(c.script), Limits: Limits{Memory: 96 << 20}})
			if res.Reason != c.want || res.ExitCode != c.code {
				t.Errorf("reason %q exit %d, want %q %d; stderr %.200s", res.Reason, res.ExitCode, c.want, c.code, res.Stderr)
			}
		})
	}
}

// bigOutput writes 30 MB of three-byte characters to stdout and some to stderr, and its own checksums to /out.
const bigOutput = `import hashlib, os, sys
line = ("\u20ac" * 341 + "\n").encode()
h = hashlib.sha256(); n = 0
while n < 30_000_000:
    h.update(line); sys.stdout.buffer.write(line); n += len(line)
    if n % 7 == 0: sys.stderr.buffer.write(line)
sys.stdout.buffer.flush()
open("/out/sum", "w").write(h.hexdigest())
`

func (b bench) testBigOutput(t *testing.T) {
	out := b.folder(t, nil)
	res := b.run(t, Spec{Args: python(bigOutput), Out: out, Limits: Limits{Output: 40 << 20}})
	sum, err := os.ReadFile(filepath.Join(out, "sum"))
	if err != nil {
		t.Fatal(err, string(res.Stderr[:min(len(res.Stderr), 500)]))
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(res.Stdout)); got != string(sum) || res.Cut {
		t.Errorf("%d bytes with sum %s (cut %v), the program wrote %s", len(res.Stdout), got, res.Cut, sum)
	}
	res = b.run(t, Spec{Args: python(bigOutput), Out: out, Limits: Limits{Output: 1 << 20}})
	if !res.Cut || res.Reason != "" || len(res.Stdout) > 1<<20+100 || !bytes.Contains(res.Stdout, []byte("bytes left out here]")) {
		t.Errorf("cut %v reason %q, %d bytes", res.Cut, res.Reason, len(res.Stdout))
	}
	if bytes.ContainsRune(res.Stdout, '\uFFFD') || !bytes.HasPrefix(res.Stdout, []byte("€")) || !bytes.HasSuffix(res.Stdout, []byte("€\n")) {
		t.Error("the cut output is not whole characters")
	}
}

func (b bench) testCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := b.folder(t, nil)
	var begin time.Time
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(out, "begun")); err == nil {
				time.Sleep(100 * time.Millisecond) // the output follows
				begin = time.Now()
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	res := b.runCtx(ctx, t, Spec{Args: sh("trap '' TERM; echo begun; echo > /out/begun; while :; do sleep 1; done"), Out: out})
	if res.Reason != Cancelled || res.ExitCode != -1 || string(res.Stdout) != "begun\n" {
		t.Errorf("reason %q exit %d stdout %q", res.Reason, res.ExitCode, res.Stdout)
	}
	if took := time.Since(begin); took > grace {
		t.Errorf("took %s", took)
	}
	if res := b.runCtx(ctx, t, Spec{Args: sh("echo x")}); res.Reason != Cancelled || res.Runtime.Name == "" {
		t.Errorf("a run that is cancelled before it starts: %+v", res)
	}
}
