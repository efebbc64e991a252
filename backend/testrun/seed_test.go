package testrun

import (
	"context"
	"errors"
	"path/filepath"
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
