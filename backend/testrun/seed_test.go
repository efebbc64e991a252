package testrun

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

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
