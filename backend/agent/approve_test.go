package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/patch"
	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/session"
)

func TestRejectionWithACommentLeadsToAnotherStep(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	r := start(t, f, script(t, fix, done, comment, done), Task{})
	work(t, r, session.Review)
	if err := r.Say(t.Context(), "too late"); !errors.Is(err, ErrState) {
		t.Fatalf("a message in review: %v", err)
	}
	hash := r.log.State().PatchHash
	if err := r.Reject(t.Context(), "say in a comment what double does"); err != nil {
		t.Fatal(err)
	}
	if err := r.Say(t.Context(), "and be brief"); err != nil {
		t.Fatal(err)
	}
	work(t, r, session.Review)
	if !saw(t, r, "say in a comment what double does") || !saw(t, r, "and be brief") {
		t.Error("the model did not get the comment")
	}
	st := r.log.State()
	if st.PatchHash == hash || st.Proof != "proven" || len(all[session.ProofFinished](t, r)) != 2 {
		t.Fatalf("after the comment: %+v", st)
	}
	if _, err := r.Approve(t.Context(), hash, "person"); !errors.Is(err, repo.ErrConflict) {
		t.Fatalf("the rejected patch was approved: %v", err)
	}
	checkPrefix(t, r)
	if err := r.Reject(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if fin := last[session.Finished](t, r); fin.Outcome != session.Proven || fin.Applied {
		t.Fatalf("finished: %+v", fin)
	}
}

// A write that is on record under its key is not made again, whatever the folder holds by then; one that was taken back by
// other means is another act.
func TestAWriteIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]struct{ found, want string }{
		"as written":         {"right\n", "right\n"},
		"edited since":       {"right, and mine\n", "right, and mine\n"},
		"taken back by hand": {"wrong\n", "right\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := folder(t, map[string]string{"a.txt": "wrong\n"})
			content := func(text string) *patch.Content { return &patch.Content{Data: []byte(text), Mode: 0o644} }
			p, err := patch.Diff([]patch.Pair{{Path: "a.txt", Before: content("wrong\n"), After: content("right\n")}})
			if err != nil {
				t.Fatal(err)
			}
			r := start(t, f, script(t), Task{})
			if err := r.appendAll(t.Context(), session.Entry{Kind: session.KindPatchChanged, Data: session.PatchChanged{Step: 1, Patch: p, Hash: p.Hash(), Stat: p.Stat()}},
				session.Entry{Kind: session.KindReviewAsked, Data: session.ReviewAsked{PatchHash: p.Hash()}}); err != nil {
				t.Fatal(err)
			}
			made, err := f.o.Repo.Apply(t.Context(), r.key(p), p) // a crash came before its event
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(f.root, "a.txt")
			if err := os.WriteFile(path, []byte(edit.found), 0o644); err != nil {
				t.Fatal(err)
			}
			rc, err := r.Approve(t.Context(), p.Hash(), "person")
			if err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != edit.want {
				t.Errorf("the folder holds %q, %v", data, err)
			}
			if again := edit.found == "wrong\n"; again == (rc.ID == made.ID) {
				t.Errorf("the receipt is %s, of the first write %s", rc.ID, made.ID)
			}
			key := last[session.PatchApplied](t, r).Key
			if got, ok := f.o.Repo.Written(key); !ok || got.ID != rc.ID || !strings.HasPrefix(key, r.ID()+"/step-0/write-1/") {
				t.Errorf("recorded under %q, which is on record: %v %s", key, ok, got.ID)
			}
		})
	}
}

func TestApproveWhenTheFolderChanged(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	r := start(t, f, script(t, fix, done), Task{})
	work(t, r, session.Review)
	path := filepath.Join(f.root, "calc.py")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	st := r.log.State()
	elsewhere := string(was) + "\n\n# mine, far from the patch\n"
	for _, mine := range []string{strings.Replace(string(was), "return a - b", "return a - b  # mine", 1), elsewhere} {
		if err := os.WriteFile(path, []byte(mine), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Approve(t.Context(), st.PatchHash, "person"); !errors.Is(err, repo.ErrConflict) {
			t.Fatalf("written into a file that is not the one it was proven on: %v", err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != mine {
			t.Fatalf("the file changed: %s, %v", data, err)
		}
		if got := last[session.Failed](t, r); got.Code != "conflict" {
			t.Fatalf("recorded: %+v", got)
		}
	}
	if st := r.log.State(); st.Outcome != session.Review || st.Applied {
		t.Fatalf("state: %+v", st)
	}
	if err := os.WriteFile(path, was, 0o644); err != nil {
		t.Fatal(err)
	}
	// A crash between the write and its record: the folder holds the patch, the record does not know. Approve finds out.
	if _, err := f.o.Repo.Apply(t.Context(), "", st.Patch); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Approve(t.Context(), st.PatchHash, "person"); err != nil {
		t.Fatalf("approving what is written: %v", err)
	}
	if _, err := Undo(t.Context(), f.o, r.ID()); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != string(was) {
		t.Fatalf("undo: %s, %v", data, err)
	}
	// Written again only onto what it was proven on.
	if err := os.WriteFile(path, []byte(elsewhere), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Redo(t.Context(), f.o, r.ID()); !errors.Is(err, repo.ErrConflict) || !strings.Contains(err.Error(), "calc.py is not as it was") || strings.Contains(err.Error(), "proven again") {
		t.Fatalf("written again into a changed file: %v", err)
	}
}

func TestAskBeforeEdits(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	for name, answer := range map[string]bool{"yes": true, "no": false} {
		t.Run(name, func(t *testing.T) {
			f := folder(t, calc())
			var asked []string
			f.o.Ask = func(_ context.Context, id string, act policy.Act) (bool, error) {
				asked = append(asked, id+" "+act.Object)
				return answer, nil
			}
			r := start(t, f, script(t, fix, done, done, done), Task{AskEdits: true})
			work(t, r, map[bool]session.Outcome{true: session.Review, false: session.NotProven}[answer])
			if len(asked) != 1 || !strings.Contains(asked[0], "return a + b") || !strings.HasPrefix(asked[0], r.ID()) {
				t.Fatalf("asked: %q", asked)
			}
			if got := all[session.ToolCalled](t, r)[1]; got.Verdict != "ask" {
				t.Fatalf("recorded: %+v", got)
			}
		})
	}
}
