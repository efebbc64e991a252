package sandbox

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// standingOf waits until a container stands in the pool of a runtime that can have one.
func standingOf(t *testing.T, b bench) *standing {
	t.Helper()
	r, ok := b.sb.runtimes[0].(*podmanRuntime)
	if !ok || !r.places() {
		if os.Getenv("CI") == "true" && ok && r.overlay && r.home.host.root {
			t.Fatal("runs are not placed in standing containers here")
		}
		t.Skip("no pool with this runtime or user")
	}
	r.pool.mu.Lock()
	if len(r.pool.stands) == 0 {
		r.pool.mu.Unlock()
		t.Fatal("nothing stands in the pool")
	}
	s := r.pool.stands[0]
	r.pool.mu.Unlock()
	<-s.done
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s
}

// TestPool runs in a container that stood before: it is the one that was made, it is fresh, and it is used once.
func TestPool(t *testing.T) {
	for _, name := range []string{"crun", "runc"} {
		t.Run(name, func(t *testing.T) {
			b := openFor(t, name)
			leave := Spec{Args: sh("echo x > /tmp/left; echo x > left; hostname; exit 3")}
			b.run(t, leave)
			first := standingOf(t, b)
			res := b.run(t, Spec{Args: sh("ls /tmp; ls; exit 4")})
			if res.ExitCode != 4 || string(res.Stdout) != "file\n" {
				t.Errorf("exit %d, stdout %q; want 4 and an empty /tmp", res.ExitCode, res.Stdout)
			}
			if _, err := first.svc.api.inspect(t.Context(), first.id); err == nil {
				b.sb.runtimes[0].(*podmanRuntime).cleaning.Wait()
				if s, err := first.svc.api.inspect(t.Context(), first.id); err == nil && s.State.Status == "initialized" {
					t.Error("the standing container was not used")
				}
			}
			second := standingOf(t, b)
			if second.id == first.id {
				t.Error("a container is used twice")
			}
			// Other limits need another container, and the pool stays small.
			res = b.run(t, Spec{Args: sh("cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null"), Limits: Limits{Memory: 64 << 20}})
			if got := strings.TrimSpace(string(res.Stdout)); got != "67108864" {
				t.Errorf("memory limit %q", got)
			}
			r := b.sb.runtimes[0].(*podmanRuntime)
			for i := range 3 {
				b.run(t, Spec{Args: []string{"true"}, Limits: Limits{Processes: 100 + i}})
			}
			r.pool.mu.Lock()
			n := len(r.pool.stands)
			r.pool.mu.Unlock()
			if n > poolSize {
				t.Errorf("%d containers stand", n)
			}
			standingOf(t, b)
		})
	}
}

// TestStandingDies takes away a container that stands: the run gets another and does not notice.
func TestStandingDies(t *testing.T) {
	b := openFor(t, "runc")
	b.run(t, Spec{Args: []string{"true"}})
	s := standingOf(t, b)
	if err := s.svc.api.remove(t.Context(), s.id); err != nil {
		t.Fatal(err)
	}
	if res := b.run(t, Spec{Args: sh("exit 6")}); res.ExitCode != 6 || res.Reason != "" {
		t.Errorf("got %+v", res)
	}
}

// TestPoolEnds checks that what stands does not stand for ever.
func TestPoolEnds(t *testing.T) {
	b := openFor(t, "runc")
	b.run(t, Spec{Args: []string{"true"}})
	s := standingOf(t, b)
	r := b.sb.runtimes[0].(*podmanRuntime)
	r.drain()
	r.cleaning.Wait()
	until(t, "the drained container is gone", func() bool {
		_, err := s.svc.api.inspect(t.Context(), s.id)
		return isNotFound(err)
	})
}

// TestLaunch gives every byte that an argument can have, in arguments, variables and the working folder.
func TestLaunch(t *testing.T) {
	var all strings.Builder
	for c := 1; c < 256; c++ {
		all.WriteByte(byte(c))
	}
	args := []string{all.String(), "", " ", "\n", "\n\n.\n+x\n-y\n", "-n", "$(exit 1)`exit 1`'\"\\", "A=b", "ü€", strings.Repeat("long\n", 1000)}
	dir := "a b\n'$(x)"
	for _, name := range []string{"runc", "bwrap"} {
		t.Run(name, func(t *testing.T) {
			b := openFor(t, name)
			ws := b.folder(t, map[string]string{dir + "/file": ""})
			spec := Spec{Args: append([]string{"/usr/bin/python3", "-c", "import os,sys\nfor a in [os.getcwd(),os.environ['ALL'],os.environ.get('NONE','-')]+sys.argv[1:]: sys.stdout.buffer.write(os.fsencode(a)+b'\\0')"}, args...),
				Env: map[string]string{"ALL": all.String(), "NONE": ""}, Workspace: ws, Dir: dir}
			if _, ok := spec.launch(); !ok {
				t.Fatal("too long for the launcher: this tests nothing")
			}
			res := b.run(t, spec)
			want := append([]string{dirWorkspace + "/" + dir, all.String(), ""}, args...)
			got := strings.Split(strings.TrimSuffix(string(res.Stdout), "\x00"), "\x00")
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-want +got:\n%s\n%s", d, res.Stderr)
			}
			long := b.run(t, Spec{Args: []string{"/bin/echo", strings.Repeat("x", 2*maxLaunch)}})
			if len(long.Stdout) != 2*maxLaunch+1 {
				t.Errorf("a long argument arrives as %d bytes; stderr %q", len(long.Stdout), long.Stderr)
			}
		})
	}
}
