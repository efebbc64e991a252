package app

import (
	"os"
	"path/filepath"
	"testing"

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
