package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// helperDir tells the test binary to be a process that uses the sandbox and is killed in mid-run.
const helperDir = "REDGREEN_SANDBOX_HELPER_DIR"

// TestHelperProcess is not a test of its own: it is what TestSweep starts and kills.
func TestHelperProcess(t *testing.T) {
	dir := os.Getenv(helperDir)
	if dir == "" {
		t.Skip("only as a helper of TestSweep")
	}
	sb, err := Open(Options{Dir: dir, Runtime: os.Getenv("REDGREEN_SANDBOX_HELPER_RUNTIME"), AllowNone: true})
	if err != nil {
		t.Fatal(err)
	}
	b := bench{sb: sb}
	out := b.folder(t, nil)
	go func() {
		for {
			if r, ok := sb.runtimes[0].(*podmanRuntime); ok && r.places() && !r.stands() {
				time.Sleep(10 * time.Millisecond) // so that one stands when the process is killed
				continue
			}
			if _, err := os.Stat(filepath.Join(out, "up")); err == nil {
				fmt.Printf("\nhelper: up\n")
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	sleep := sleepOf(os.Getppid())
	b.run(t, Spec{Args: sh("(trap '' TERM; exec setsid " + sleep + ") & echo > /out/up; " + sleep), Out: out, Limits: Limits{Wall: 10 * time.Minute}})
}

// stands tells whether a container stands ready.
func (r *podmanRuntime) stands() bool {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	for _, s := range r.pool.stands {
		select {
		case <-s.done:
			return s.err == nil
		default:
		}
	}
	return false
}

// TestSweep kills a process that uses the sandbox with SIGKILL and opens the sandbox again.
func TestSweep(t *testing.T) {
	for _, k := range Runtimes() {
		t.Run(k.Name, func(t *testing.T) {
			openFor(t, k.Name) // or skip
			dir := t.TempDir()
			owner := killHelper(t, dir, k.Name)
			if got := leftovers(dir); len(got) == 0 && k.Name != "bwrap" { // which dies with its parent
				t.Error("nothing outlived the killed process: this test tests nothing")
			}
			sb, err := Open(Options{Dir: dir, Runtime: k.Name})
			if err != nil {
				t.Fatal(err)
			}
			defer sb.Close()
			gone(t, dir)
			if _, err := os.Stat(filepath.Join(dir, "run", owner)); !os.IsNotExist(err) {
				t.Errorf("the dead owner's folder is still there: %v", err)
			}
			for _, tree := range cgroupTrees() {
				if _, err := os.Stat(filepath.Join(tree, cgroupRoot, owner)); !os.IsNotExist(err) {
					t.Errorf("its control group is still there: %v", err)
				}
			}
		})
	}
}

// killHelper starts the helper, waits until its run is up, kills it, and gives the name of its owner folder.
func killHelper(t *testing.T, dir, name string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$", "-test.v")
	cmd.Env = append(os.Environ(), helperDir+"="+dir, "REDGREEN_SANDBOX_HELPER_RUNTIME="+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	s := bufio.NewScanner(out)
	for s.Scan() && s.Text() != "helper: up" {
		t.Log(s.Text())
	}
	entries, err := os.ReadDir(filepath.Join(dir, "run"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("owners: %v, %v", entries, err)
	}
	return entries[0].Name()
}

// sleepOf is a command that sleeps for ever, and that only the tests of one process start.
func sleepOf(pid int) string { return fmt.Sprintf("sleep 98765.%d", pid) }

// running are the processes whose command line holds one of these texts, but not ours.
func running(texts ...string) []string {
	var out []string
	for _, pid := range allPids() {
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		line := strings.ReplaceAll(string(args), "\x00", " ")
		if err == nil && pid != os.Getpid() && slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(line, s) }) {
			out = append(out, fmt.Sprintf("process %d: %s", pid, line))
		}
	}
	return out
}

// gone fails where something is left over that does not go: what was killed may need a moment on a busy machine.
func gone(t *testing.T, dir string) {
	t.Helper()
	until(t, "nothing is left over", func() bool { return len(leftovers(dir)) == 0 })
}

// leftovers are processes and mounts that name dir, and the sleeping children of our tests.
func leftovers(dir string) []string {
	out := running(dir, sleepOf(os.Getpid()))
	for _, m := range mountTable() {
		if strings.HasPrefix(m, dir) {
			out = append(out, "mount "+m)
		}
	}
	return out
}

// TestNothingLeft closes a sandbox in mid-run.
func TestNothingLeft(t *testing.T) {
	for _, k := range Runtimes() {
		t.Run(k.Name, func(t *testing.T) {
			b := openFor(t, k.Name)
			dir := filepath.Dir(filepath.Dir(b.sb.home.dir))
			b.run(t, Spec{Args: sh("(exec setsid " + sleepOf(os.Getpid()) + ") & exit 0")})
			if err := b.sb.Close(); err != nil {
				t.Error(err)
			}
			gone(t, dir)
			if entries, err := os.ReadDir(filepath.Join(dir, "run")); err != nil || len(entries) > 0 {
				t.Errorf("left after close: %v, %v", entries, err)
			}
		})
	}
}
