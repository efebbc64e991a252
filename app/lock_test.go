package app

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"redgreen/backend/session"
)

func TestOwnersAndLeftovers(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	release, err := c.ownSession("mine")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine", "dead"} {
		if err := os.MkdirAll(filepath.Join(c.paths.workspace(), name, "work"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.ownSession("mine"); err == nil || explain(err).Code != Conflict {
		t.Errorf("a second owner got %v, want a conflict", err)
	}
	running := func(id string) session.State { return session.State{ID: id, Outcome: session.Running} }
	if c.interrupted(running("mine")) {
		t.Error("a session at work counts as interrupted")
	}
	if !c.interrupted(running("dead")) {
		t.Error("a session without an owner does not count as interrupted")
	}
	if c.interrupted(session.State{ID: "dead", Outcome: session.Proven}) {
		t.Error("an ended session counts as interrupted")
	}
	if err := c.sweep(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.paths.workspace(), "mine")); err != nil {
		t.Errorf("the workspace of a run at work was swept: %v", err)
	}
	if _, err := os.Stat(filepath.Join(c.paths.workspace(), "dead")); !os.IsNotExist(err) {
		t.Errorf("a leftover stays: %v", err)
	}
	release()
	again, err := c.ownSession("mine")
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	again()
	left, err := filepath.Glob(filepath.Join(c.paths.workspace(), "*.lock"))
	if err != nil || len(left) != 0 {
		t.Errorf("locks stay: %v, %v", left, err)
	}
}

// A suspended owner keeps the session, and those who look are told since when nothing was heard of it.
func TestASuspendedOwnerIsSilent(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperOwner$")
	cmd.Env = append(os.Environ(), "REDGREEN_TEST_OWNER="+home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "owned"; {
	}
	c := coreAt(t, home)
	until := func(what string, is func(*Owner) bool) *Owner {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
			if who := c.owner("s"); who != nil && is(who) {
				return who
			} else if time.Now().After(end) {
				t.Fatalf("%s: %+v", what, who)
			}
		}
	}
	silent := func(o *Owner) bool { return o.Silent != nil }
	lively := func(o *Owner) bool { return o.Silent == nil }
	until("at work", lively)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * silentAfter).Truncate(time.Second)
	eventually(t, "all of the process to stand", func() bool { return stands(t, cmd.Process.Pid) })
	if err := os.Chtimes(c.lockFile("s"), long, long); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * beatEvery) // what still beats is heard now
	who := until("suspended", silent)
	if !who.Silent.Equal(long) || !strings.Contains(who.String(), ", silent since ") {
		t.Errorf("silent since %v, not %v: %s", who.Silent, long, who)
	}
	if _, err := c.ownSession("s"); err == nil || explain(err).Code != Conflict || !strings.Contains(err.Error(), "kill -CONT") {
		t.Errorf("the session of a suspended owner: %v", err)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until("goes on", lively)
}

// stands tells whether every thread of a process is stopped.
func stands(t *testing.T, pid int) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(threads) == 0 {
		t.Fatal(threads, err)
	}
	return !slices.ContainsFunc(threads, func(file string) bool {
		stat, err := os.ReadFile(file)
		_, after, ok := strings.Cut(string(stat), ") ")
		return err == nil && ok && !strings.HasPrefix(after, "T ")
	})
}

func TestHelperOwner(t *testing.T) {
	home := os.Getenv("REDGREEN_TEST_OWNER")
	if home == "" {
		t.Skip("only as a helper process")
	}
	if _, err := coreAt(t, home).ownSession("s"); err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString("owned\n")
	select {}
}
