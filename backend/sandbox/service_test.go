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
			out, ws, sleep := b.folder(t, nil), b.folder(t, nil), sleepOf(os.Getpid())
			svc, err := b.sb.runtimes[0].(*podmanRuntime).service(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for t.Context().Err() == nil {
					if _, err := os.Stat(filepath.Join(out, "up")); err == nil {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				_ = unix.Kill(svc.pid, unix.SIGKILL) // the run below fails to fail if this does not work
			}()
			_, err = b.sb.Run(t.Context(), Spec{Args: sh("echo > /out/up; " + sleep), Workspace: ws, Out: out, Limits: Limits{Wall: 2 * time.Minute}})
			if err == nil || !strings.Contains(err.Error(), "running in "+name) {
				t.Errorf("got %v", err)
			}
			if res := b.run(t, Spec{Args: sh("exit 9")}); res.ExitCode != 9 || res.Runtime.Name != name {
				t.Errorf("the next run: %+v", res)
			}
			until(t, "the program of the run that failed is gone", func() bool { return len(running(sleep)) == 0 })
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
