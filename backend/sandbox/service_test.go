package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestServiceDies kills the podman service in mid-run: that run is an error, not a verdict and not a weaker rung; its program
// does not go on; and the next run has a new service of the same rung.
func TestServiceDies(t *testing.T) {
	for _, name := range []string{"runc"} { // the rung that works with every layout of control groups
		t.Run(name, func(t *testing.T) {
			b := openFor(t, name)
			out, ws := b.folder(t, nil), b.folder(t, nil)
			svc, err := b.sb.runtimes[0].(*podmanRuntime).service(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for range 1000 {
					if _, err := os.Stat(filepath.Join(out, "up")); err == nil {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				_ = unix.Kill(svc.pid, unix.SIGKILL) // the run below fails to fail if this does not work
			}()
			_, err = b.sb.Run(t.Context(), Spec{Args: sh("echo > /out/up; sleep 34567"), Workspace: ws, Out: out, Limits: Limits{Wall: 30 * time.Second}})
			if err == nil || !strings.Contains(err.Error(), "running in "+name) {
				t.Errorf("got %v", err)
			}
			if res := b.run(t, Spec{Args: sh("exit 9")}); res.ExitCode != 9 || res.Runtime.Name != name {
				t.Errorf("the next run: %+v", res)
			}
			for _, pid := range allPids() {
				if args, _ := os.ReadFile(filepath.Join("/proc", itoa(pid), "cmdline")); strings.Contains(string(args), "34567") {
					t.Errorf("process %d goes on: %q", pid, args)
				}
			}
		})
	}
}

// TestManyAtOnce runs several at a time on one service.
func TestManyAtOnce(t *testing.T) {
	b := openFor(t, "runc")
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			res := b.run(t, Spec{Args: sh("echo $0; exit " + itoa(i)), Limits: Limits{CPUs: 0.5}})
			if res.ExitCode != i || res.Reason != "" {
				t.Errorf("run %d: exit %d %s", i, res.ExitCode, res.Reason)
			}
		})
	}
	wg.Wait()
}
