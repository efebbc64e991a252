package agent

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redgreen/backend/repo"
	"redgreen/backend/session"
)

// TestProveAgain: the person edits while the patch waits; what is written in the end is a merge that was proven itself.
func TestProveAgain(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	r := start(t, f, script(t, fix, done), Task{})
	if err := r.ProveAgain(t.Context()); !errors.Is(err, ErrState) {
		t.Fatalf("before the review: %v", err)
	}
	work(t, r, session.Review)
	old := r.log.State()
	path := filepath.Join(f.root, "calc.py")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	write(strings.Replace(string(was), "return a - b", "return a - b  # mine", 1))
	if err := r.ProveAgain(t.Context()); !errors.Is(err, repo.ErrConflict) || !strings.Contains(err.Error(), "calc.py was edited in the same place: line 2") {
		t.Fatalf("over the person's own line: %v", err)
	}
	if st := r.log.State(); st.Outcome != session.Review || st.PatchHash != old.PatchHash || st.Proof != "proven" || last[session.Failed](t, r).Code != "conflict" {
		t.Fatalf("after a conflict: %s %s", st.Outcome, st.Proof)
	}

	mine := string(was) + "\n\n# mine, far from the patch\n"
	write(mine)
	if err := r.ProveAgain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := r.log.State(); st.Outcome != session.Running || st.PatchHash == old.PatchHash || st.Proof != "" {
		t.Fatalf("the merge counts as proven before it was: %+v", st)
	}
	calls := len(all[session.ModelRequested](t, r))
	work(t, r, session.Review)
	st := r.log.State()
	if st.Proof != "proven" || len(all[session.ModelRequested](t, r)) != calls || st.Summary != old.Summary || st.BaseHash == old.BaseHash {
		t.Fatalf("proven again: %+v", st)
	}
	if _, err := r.Approve(t.Context(), old.PatchHash, "person"); !errors.Is(err, repo.ErrConflict) {
		t.Fatalf("the old patch was approved: %v", err)
	}
	if _, err := r.Approve(t.Context(), st.PatchHash, "person"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != strings.Replace(mine, "a - b", "a + b", 1) {
		t.Fatalf("written: %s, %v", data, err)
	}
	if _, err := Undo(t.Context(), f.o, r.ID()); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != mine {
		t.Fatalf("undone: %s, %v", data, err)
	}
}

func TestProofOnly(t *testing.T) {
	t.Parallel()
	again, reject, asked, step := session.ReviewAnswered{Decision: "again"}, session.ReviewAnswered{Decision: "reject"}, session.ReviewAsked{}, session.StepStarted{}
	for name, c := range map[string]struct {
		events []any
		want   bool
	}{
		"nothing":                {nil, false},
		"again":                  {[]any{asked, again}, true},
		"again, interrupted":     {[]any{asked, again, session.SandboxReady{}, session.TestsFinished{}}, true},
		"again, done":            {[]any{asked, again, session.ProofFinished{}, asked}, false},
		"again, then rejected":   {[]any{asked, again, asked, reject}, false},
		"rejected, then at work": {[]any{asked, reject, step}, false},
		"rejected, done, again":  {[]any{asked, reject, step, asked, again}, true},
	} {
		var list []entry
		for _, d := range c.events {
			list = append(list, entry{data: d})
		}
		if got := proofOnly(list); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A proof says nothing about a folder in which another file changed since: approving waits until it is made again.
func TestApproveHoldsTheWholeFolderToTheProof(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	r := start(t, f, script(t, fix, done), Task{})
	work(t, r, session.Review)
	other := filepath.Join(f.root, "beside.py")
	if err := os.WriteFile(other, []byte("x = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	old := r.log.State()
	_, err := r.Approve(t.Context(), old.PatchHash, "person")
	var changed *Changed
	if !errors.Is(err, repo.ErrConflict) || !errors.As(err, &changed) || !slices.Equal(changed.Paths, []string{"beside.py"}) {
		t.Fatalf("approved beside a new file: %v", err)
	}
	if err := r.ProveAgain(t.Context()); err != nil {
		t.Fatal(err)
	}
	work(t, r, session.Review)
	if st := r.log.State(); st.Proof != "proven" || st.PatchHash != old.PatchHash {
		t.Fatalf("proven again: %+v", st)
	}
	if err := os.WriteFile(filepath.Join(f.root, "run.log"), nil, 0o644); err != nil { // litter
		t.Fatal(err)
	}
	if _, err := r.Approve(t.Context(), old.PatchHash, "person"); err != nil {
		t.Fatal(err)
	}
}
