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

// grace is how long after its limit a run may still be there, on a machine that is not busy.
const grace = 2 * time.Second

// late tells whether a run that took so long was stopped too late: more than grace after within, and more than the machine is
// slow by just now, which a few empty runs tell.
func (b bench) late(t *testing.T, took, within time.Duration) bool {
	t.Helper()
	if took <= within+grace {
		return false
	}
	begin := time.Now()
	for range 5 {
		b.run(t, Spec{Args: []string{"true"}})
	}
	slow := time.Since(begin)
	t.Logf("stopped after %s with a limit of %s, while five empty runs take %s", took, within, slow)
	return took > within+grace+slow
}

// overDisk is how far over its limit a run may get: what a memory as disk takes, 4 GB/s, in watchEvery, and a sum's time.
const overDisk = 256 << 20

// peak looks all the time at out and at the folders in runs, of which each run has one with its workspace's layer or copy
// while it lives, and gives the most bytes by which they have grown together, and the longest time in which it could not look,
// since the machine was busy. Earlier runs are being deleted meanwhile.
func peak(runs, out string) (stop func() (int64, time.Duration)) {
	sizes := func() map[string]int64 {
		all := map[string]int64{out: diskUsage(out)}
		entries, _ := os.ReadDir(runs) // none: nothing has grown
		for _, e := range entries {
			all[e.Name()] = diskUsage(filepath.Join(runs, e.Name()))
		}
		return all
	}
	before, done, most := sizes(), make(chan struct{}), make(chan int64)
	last, longest := time.Now(), time.Duration(0)
	grown := func() (sum int64) {
		for name, n := range sizes() {
			sum += max(0, n-before[name])
		}
		return sum
	}
	go func() {
		var n int64
		for {
			select {
			case <-done:
				most <- max(n, grown())
				return
			case <-time.After(5 * time.Millisecond):
				n = max(n, grown())
				longest, last = max(longest, time.Since(last)), time.Now()
			}
		}
	}()
	return func() (int64, time.Duration) {
		close(done)
		return <-most, longest
	}
}

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
	const wall, soon = time.Minute, 8 * time.Second // a busy machine takes longer than soon, see late
	return []hog{
		{"sleeper", []string{"/bin/sleep", "1000"}, Limits{Wall: time.Second}, Timeout, time.Second, true},
		{"ignores SIGTERM", sh("trap '' TERM INT HUP; while :; do sleep 1; done"), Limits{Wall: time.Second}, Timeout, time.Second, true},
		{"leaves children", sh("(trap '' TERM; exec setsid sleep 1000) & (sleep 1000 &) ; sleep 1000"), Limits{Wall: time.Second}, Timeout, time.Second, true},
		{"printer", sh("exec yes"), Limits{Wall: wall, Output: 64 << 10}, Output, soon, false},
		{"printer on stderr", sh("exec yes >&2"), Limits{Wall: wall, Output: 64 << 10}, Output, soon, false},
		{"memory", python("x=[]\nwhile True: x.append(bytearray(1<<20))"), Limits{Wall: wall, Memory: 96 << 20}, Memory, soon, false},
		{"memory in a child", sh(`/usr/bin/python3 -c 'x=[]
while True: x.append(bytearray(1<<20))'; exit 3`), Limits{Wall: wall, Memory: 96 << 20}, Memory, soon, false},
		{"fork bomb", sh("b() { b | b & }; b; sleep 100"), Limits{Wall: 4 * time.Second, Processes: 64, Memory: 256 << 20}, Processes, 4 * time.Second, true},
		{"threads", python("import threading,time,os\ntry:\n  for i in range(5000): threading.Thread(target=time.sleep,args=(60,)).start()\nexcept RuntimeError: time.sleep(1); os._exit(1)"),
			Limits{Wall: wall, Processes: 64}, Processes, soon, false},
		{"fork bomb that stays", python("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"), Limits{Wall: wall, Processes: 64}, Processes, soon, false},
		{"closes its output", sh("exec >&- 2>&-; sleep 1000"), Limits{Wall: time.Second}, Timeout, time.Second, true},
		{"disk", sh("exec cat /dev/zero > big"), Limits{Wall: wall, Disk: 64 << 20}, Disk, soon, false},
		{"disk in many files", python("i=0\nwhile True:\n  i+=1\n  open('f%d'%i,'wb').write(bytes(1<<20))"), Limits{Wall: wall, Disk: 64 << 20}, Disk, soon, false},
		{"disk in /out", sh("exec cat /dev/zero > /out/big"), Limits{Wall: wall, Disk: 64 << 20}, Disk, soon, false},
		{"disk without a name", python("f=open('/out/x','wb',0)\nimport os\nos.unlink('/out/x')\nwhile True: f.write(bytes(1<<20))"), Limits{Wall: wall, Disk: 64 << 20}, Disk, soon, false},
		{"/tmp", sh("cat /dev/zero > /tmp/big; exit 1"), Limits{Wall: wall, Disk: 32 << 20, Memory: 256 << 20}, Disk, soon, false},
	}
}

func (b bench) testLimits(t *testing.T) {
	for _, h := range hogs() {
		t.Run(h.name, func(t *testing.T) {
			if h.idle {
				t.Parallel()
			}
			out := b.folder(t, nil)
			most := func() (int64, time.Duration) { return 0, 0 }
			if h.want == Disk {
				most = peak(filepath.Join(b.sb.home.dir, "runs"), out)
			}
			res := b.run(t, Spec{Args: h.args, Limits: h.limits, Out: out})
			if alike := ownKernel(res.Runtime.Name, h.want, res.Reason); !alike && (res.Reason != h.want || res.ExitCode != -1) || alike && res.ExitCode == 0 {
				t.Errorf("reason %q exit %d, want %q -1; stderr %.300q", res.Reason, res.ExitCode, h.want, res.Stderr)
			}
			if b.late(t, res.Duration, h.within) {
				t.Errorf("stopped after %s, want at most %s", res.Duration, h.within+grace)
			}
			if n, blind := most(); h.want == Disk {
				t.Logf("%d MiB written with a limit of %d", n>>20, h.limits.Disk>>20)
				if n > h.limits.Disk+overDisk+int64(overDisk*(blind/watchEvery)) { // who watches the run is as blind as we were
					t.Errorf("%d bytes written with a limit of %d", n, h.limits.Disk)
				}
				_, _, root := b.sb.Owner() // else Podman keeps the layer with its own files
				if seen := root && h.name != "disk without a name" && h.name != "/tmp"; seen && n < h.limits.Disk/2 {
					t.Errorf("only %d bytes were seen, so this measures nothing", n)
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
	res = b.run(t, Spec{Args: sh("sleep 0.2; exit 7"), Limits: Limits{Wall: time.Minute}})
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
	if took := time.Since(begin); b.late(t, took, 0) {
		t.Errorf("took %s", took)
	}
	if res := b.runCtx(ctx, t, Spec{Args: sh("echo x")}); res.Reason != Cancelled || res.Runtime.Name == "" {
		t.Errorf("a run that is cancelled before it starts: %+v", res)
	}
}

// TestAFillingDiskIsLookedAtAtOnce pretends that a disk has lost what the run may write, long before the next sum is due.
func TestAFillingDiskIsLookedAtAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		lost int64 // of what is free
		want Reason
	}{{"it fills", 1 << 40, Disk}, {"it does not", -1 << 40, ""}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			u := newUsage(dir)
			w := &watch{pidfd: -1, limits: Limits{Disk: 1 << 20, Processes: 64}, counters: &counters{}, disk: []*usage{u}, stopping: func() {}, killed: make(chan struct{})}
			w.diskNext = time.Now().Add(time.Hour)
			if err := os.WriteFile(filepath.Join(dir, "big"), bytes.Repeat([]byte("x"), 2<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			u.free = u.freeNow() + c.lost
			if w.look(); w.reason() != c.want {
				t.Errorf("reason %q, want %q", w.reason(), c.want)
			}
		})
	}
}

// TestGVisorHasRoomForItsThreads looks at the process limit that a container of each rung is made with.
func TestGVisorHasRoomForItsThreads(t *testing.T) {
	t.Parallel()
	h, err := openHome(t.TempDir(), discardLog())
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	for _, c := range []struct {
		rung        string
		asked, want int
	}{{"runsc", 64, 1024}, {"runsc", 0, 1024}, {"runsc", 4096, 4096}, {"runc", 64, 64}, {"runc", 0, defaultProcesses}} {
		for _, k := range Runtimes() {
			if k.Name != c.rung {
				continue
			}
			r := k.open(h, k).(*podmanRuntime)
			spec, err := r.spec(Spec{Args: []string{"true"}, Limits: r.limits(Limits{Processes: c.asked})}, filepath.Join(t.TempDir(), "root"), "", false)
			if err != nil {
				t.Fatal(err)
			}
			if got := spec.Resources.Pids.Limit; got != int64(c.want) {
				t.Errorf("%s with a limit of %d gets %d, want %d", c.rung, c.asked, got, c.want)
			}
		}
	}
}
