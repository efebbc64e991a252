package repo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

type crash struct{}

// crashing runs something that stops dead before its n-th instruction; false when it had fewer.
func crashing(n int, do func(step func(string, string) error)) (crashed bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case crash:
			crashed = true
		default:
			panic(r)
		}
	}()
	do(func(string, string) error {
		if n--; n < 0 {
			panic(crash{})
		}
		return nil
	})
	return false
}

// TestCrashTwice stops Apply dead before every instruction, then the recovery before every one of its own, then opens.
func TestCrashTwice(t *testing.T) {
	t.Parallel()
	dir, before, after, p := states(t)
	state := t.TempDir()
	restore := func() {
		must(t, os.RemoveAll(dir))
		must(t, os.Mkdir(dir, 0o755))
		change5(t, dir)
	}
	cases := 0
	for n := 0; ; n++ {
		for m := 0; ; m++ {
			restore()
			must(t, os.RemoveAll(state))
			o := Options{StateDir: state}
			if !crashing(n, func(step func(string, string) error) {
				r, err := openRepo(dir, o, step)
				must(t, err)
				defer r.Close()
				_, err = r.Apply(t.Context(), "act", p)
				must(t, err)
			}) {
				diff(t, after, snapshot(t, dir))
				if cases < 100 {
					t.Errorf("only %d cases", cases)
				}
				return
			}
			cases++
			again := crashing(m, func(step func(string, string) error) {
				r, err := openRepo(dir, o, step)
				must(t, err)
				r.Close()
			})
			r, err := Open(dir, o)
			must(t, err)
			_, known := r.Written("act")
			r.Close()
			old, new := snapshot(t, dir), snapshot(t, dir)
			if d := different(before, old); d != "" && different(after, new) != "" {
				t.Fatalf("stopped before instruction %d, recovery before %d: neither old nor new:\n%s", n, m, d)
			} else if known != (d != "") {
				t.Fatalf("stopped before instruction %d, recovery before %d: the act is known as done: %v, written: %v", n, m, known, d != "")
			}
			if left, _ := filepath.Glob(filepath.Join(r.state, "[jc]o*")); len(left) > 1 || len(left) == 1 && filepath.Base(left[0]) != "content" {
				t.Errorf("left: %v", left)
			}
			if !again {
				break
			}
		}
	}
}

// TestKilled is the real thing: another process is killed with SIGKILL before every instruction.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir, before, after, p := states(t)
	state := t.TempDir()
	for n := 0; ; n++ {
		must(t, os.RemoveAll(dir))
		must(t, os.Mkdir(dir, 0o755))
		change5(t, dir)
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelperKilled$")
		cmd.Env = append(os.Environ(), "REDGREEN_TEST_KILL="+strconv.Itoa(n), "REDGREEN_TEST_DIR="+dir, "REDGREEN_TEST_STATE="+state)
		out, err := cmd.CombinedOutput()
		if err == nil {
			diff(t, after, snapshot(t, dir))
			if n < 20 {
				t.Errorf("only %d instructions", n)
			}
			return
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("helper: %v\n%s", err, out)
		}
		r, err := Open(dir, Options{StateDir: state})
		must(t, err)
		now := snapshot(t, dir)
		done := different(after, now) == ""
		if !done && different(before, now) != "" {
			t.Fatalf("killed before instruction %d: neither old nor new\n%s", n, different(before, now))
		}
		if said := strings.Contains(r.Recovered(), "is complete"); said != done && !(done && r.Recovered() == "") {
			t.Errorf("killed before %d: done %v, said %q", n, done, r.Recovered())
		}
		_, known := r.Written("act " + strconv.Itoa(n))
		diff(t, done, known)
		// Once and never twice, whenever it was killed.
		if _, err := r.Apply(t.Context(), "act "+strconv.Itoa(n), p); done && !errors.Is(err, ErrDone) || !done && err != nil {
			t.Errorf("killed before %d: done %v, then %v", n, done, err)
		}
		diff(t, after, snapshot(t, dir))
		r.Close()
	}
}

func TestHelperKilled(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("REDGREEN_TEST_KILL"))
	if err != nil {
		t.Skip("only as a helper process")
	}
	dir := os.Getenv("REDGREEN_TEST_DIR")
	model := t.TempDir()
	p := change5(t, model)
	r, err := openRepo(dir, Options{StateDir: os.Getenv("REDGREEN_TEST_STATE")}, func(string, string) error {
		if n--; n < 0 {
			must(t, syscall.Kill(os.Getpid(), syscall.SIGKILL))
			select {}
		}
		return nil
	})
	must(t, err)
	_, err = r.Apply(t.Context(), "act "+os.Getenv("REDGREEN_TEST_KILL"), p)
	must(t, err)
}

// TestCrashThenEdit: what the person edited between the crash and the next start is left as it is.
func TestCrashThenEdit(t *testing.T) {
	t.Parallel()
	dir, before, _, p := states(t)
	o := Options{StateDir: t.TempDir()}
	crashed := crashing(1000, func(step func(string, string) error) {
		r, err := openRepo(dir, o, func(name, path string) error {
			if name == "commit" {
				panic(crash{})
			}
			return nil
		})
		must(t, err)
		_, _ = r.Apply(t.Context(), "", p)
	})
	diff(t, true, crashed)
	fixture{"mod.txt": "mine\n"}.write(t, dir)
	r, err := Open(dir, o)
	must(t, err)
	defer r.Close()
	if !strings.Contains(r.Recovered(), "except in mod.txt") {
		t.Error(r.Recovered())
	}
	now := snapshot(t, dir)
	diff(t, "mine\n", fileText(t, dir, "mod.txt"))
	delete(now, "mod.txt")
	delete(before, "mod.txt")
	diff(t, before, now)
	if kept, _ := filepath.Glob(filepath.Join(r.state, "kept-*.json")); len(kept) != 1 {
		t.Error("the journal was not kept")
	}
}
