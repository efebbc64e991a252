package testrun

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

func TestSeedIsAnnounced(t *testing.T) {
	t.Parallel()
	var said []string
	running := false
	r := &Runner{
		options: Options{Seed: t.TempDir(), Told: func(text string) { said = append(said, text) }},
		owner:   func() (uid, gid int, ok bool) { return 0, 0, false },
		run: func(context.Context, sandbox.Spec) (sandbox.Result, error) {
			running = len(said) == 1 && said[0] != ""
			return sandbox.Result{ExitCode: 1}, nil
		},
	}
	j := &job{spec: sandbox.Spec{Args: []string{"/usr/bin/go", "test"}}}
	if err := r.makeSeed(t.Context(), j, filepath.Join(r.options.Seed, "go-x")); err == nil {
		t.Error("a compilation that failed gave a seed")
	}
	if !running || len(said) != 2 || said[1] != "" {
		t.Errorf("told %q, want the reason before the compilation and an empty text after it", said)
	}
}

// TestSeedStopsTheClock: the clock of a task stands while the seed is compiled, also where that fails, and at no other time.
func TestSeedStopsTheClock(t *testing.T) {
	t.Parallel()
	var did []string
	r := &Runner{
		options: Options{Seed: t.TempDir(), Cache: t.TempDir(), Told: func(text string) { did = append(did, text) }},
		owner:   func() (uid, gid int, ok bool) { return 0, 0, false },
		run: func(context.Context, sandbox.Spec) (sandbox.Result, error) {
			did = append(did, "compiles")
			return sandbox.Result{ExitCode: 1}, nil
		},
	}
	j := &job{spec: sandbox.Spec{Args: []string{"/usr/bin/go", "test"}}}
	ctx := Pausing(t.Context(), func() func() {
		did = append(did, "stopped")
		return func() { did = append(did, "goes on") }
	})
	if err := r.seedGo(ctx, j); err == nil {
		t.Error("a compilation that failed gave a seed")
	}
	want := []string{"stopped", "Compiling Go's standard library; it takes minutes, but only once, and counts against no time limit", "compiles", "", "goes on"}
	if !slices.Equal(did, want) {
		t.Errorf("%q, not %q", did, want)
	}
	did = nil
	if err := os.Mkdir(filepath.Join(r.options.Cache, "go-build"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.seedGo(ctx, j); err != nil || did != nil {
		t.Errorf("where nothing is to be compiled: %q, %v", did, err)
	}
}

// TestSeedGoesOn cuts a compilation short: the next one finds what it had compiled, and leaves nothing but the seed.
func TestSeedGoesOn(t *testing.T) {
	t.Parallel()
	runs := 0
	r := &Runner{
		options: Options{Seed: t.TempDir(), Told: func(string) {}},
		owner:   func() (uid, gid int, ok bool) { return 0, 0, false },
		run: func(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
			runs++
			built := filepath.Join(s.Cache, "go-build", "fmt.a")
			if runs == 1 {
				if err := os.MkdirAll(filepath.Dir(built), 0o755); err != nil {
					return sandbox.Result{}, err
				}
				return sandbox.Result{ExitCode: 137}, os.WriteFile(built, []byte("x"), 0o644)
			}
			if _, err := os.Stat(built); err != nil {
				t.Errorf("the second compilation starts from nothing: %v", err)
			}
			return sandbox.Result{}, nil
		},
	}
	j := &job{spec: sandbox.Spec{Args: []string{"/usr/bin/go", "test"}}}
	seed := filepath.Join(r.options.Seed, "go-x")
	if err := r.makeSeed(t.Context(), j, seed); err == nil {
		t.Fatal("a compilation that was cut short gave a seed")
	}
	if err := r.makeSeed(t.Context(), j, seed); err != nil {
		t.Fatal(err)
	}
	if runs != 1+len(seedRuns) {
		t.Errorf("%d runs, want each kind once in the second compilation", runs)
	}
	left, err := filepath.Glob(filepath.Join(r.options.Seed, "*"))
	if err != nil || len(left) != 2 { // the seed and its lock
		t.Errorf("left %q, %v", left, err)
	}
}

func TestLockFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "seed.lock")
	unlock, err := lockFile(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := lockFile(short, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second one got %v, want to wait", err)
	}
	unlock()
	again, err := lockFile(t.Context(), name)
	if err != nil {
		t.Fatalf("after the unlock: %v", err)
	}
	again()
}
