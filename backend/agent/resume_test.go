package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

func TestCancelThenResume(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	before := tree(t, f.root)
	ctx, cancel := context.WithCancel(t.Context())
	var r *Run
	r = start(t, f, hangs(func() {
		if _, err := r.Approve(ctx, "", "person"); !errors.Is(err, ErrState) {
			t.Errorf("approving while it works: %v", err)
		}
		cancel()
	}), Task{})
	got, err := r.Work(ctx)
	if got != session.Cancelled || err != nil {
		t.Fatalf("outcome %s, %v\n%s", got, err, story(t, r))
	}
	if fin := last[session.Finished](t, r); fin.Outcome != session.Cancelled || fin.Message != "cancelled by the person" {
		t.Fatalf("finished: %+v", fin)
	}
	if diff := cmp.Diff(before, tree(t, f.root)); diff != "" {
		t.Fatal(diff)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	f.o.Model = script(t, fix, done)
	r, err = Open(t.Context(), f.o, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	work(t, r, session.Review)
	if !saw(t, r, "was interrupted and goes on") {
		t.Error("the model was not told")
	}
}

// A crash at any event: what was acknowledged is there, the session opens, says what was interrupted, and goes on to the
// same patch.
func TestResumeAfterACrash(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	for _, kind := range []session.Kind{session.KindMessage, session.KindModelRequested, session.KindToolCalled,
		session.KindPatchChanged, session.KindProofFinished, session.KindReviewAsked} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			f := folder(t, calc())
			replies := []string{fix, readIt, readIt, done, done, done}
			r := start(t, f, script(t, replies...), Task{})
			path := filepath.Join(f.state, "sessions.db")
			var once sync.Once
			crash := func() { once.Do(func() { _ = f.o.Store.Close() }) }
			if kind == session.KindMessage {
				crash()
			}
			seen := 0
			stop := f.o.Store.Subscribe(func(n session.Notice) {
				if n.Kind == kind {
					seen++
				}
				if seen == 1 && kind != session.KindToolCalled || seen == 3 { // behind the edit, which this model would not repeat
					crash()
				}
			})
			out, err := r.Work(t.Context())
			stop()
			if kind != session.KindReviewAsked && (err == nil || out != session.Error) {
				t.Fatalf("outcome %s, %v", out, err)
			}
			reopened, err := session.Open(path, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = reopened.Close() })
			f.o.Store, f.o.Model = reopened, script(t, replies...)
			r, err = Open(t.Context(), f.o, r.ID())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			if kind == session.KindReviewAsked {
				if left, err := os.ReadDir(f.o.Dir); err != nil || len(left) != 1 {
					t.Logf("work folder: %v, %v", left, err)
				}
			}
			work(t, r, session.Review)
			st := r.log.State()
			if st.Proof != "proven" || st.Patch.Stat().Added != 1 || st.Patch.Stat().Removed != 1 {
				t.Fatalf("after resuming: %s %s\n%s", st.Proof, st.Patch, story(t, r))
			}
			if n := len(all[session.ModelReplied](t, r)); n != len(replies)-2 { // the call that was cut off ran again instead
				t.Errorf("the model was asked %d times", n)
			}
			if saw(t, r, interrupted) || saw(t, r, notRun) {
				t.Error("a call was given up")
			}
			if err := reopened.Verify(t.Context(), r.ID()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestFolderThatChangedWhileInterrupted(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	m := script(t, fix)
	inner := m.Provider
	m.Provider = provider{func(c context.Context, req model.Request) (model.Reply, error) {
		if n++; n == 2 {
			cancel()
			return model.Reply{}, &model.Error{Code: model.Cancelled, Provider: "test", Message: "cancelled", Err: c.Err()}
		}
		return inner.Chat(c, "memory", req, nil)
	}}
	r := start(t, f, m, Task{})
	if out, err := r.Work(ctx); out != session.Cancelled || err != nil {
		t.Fatalf("outcome %s, %v", out, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.root, "calc.py"), []byte("def add(a, b):\n    return sum([a, b])\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(t.Context(), f.o, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	out, err := r.Work(t.Context())
	if out != session.Error || err == nil || !strings.Contains(err.Error(), "the folder changed since") {
		t.Fatalf("outcome %s, %v", out, err)
	}
}

// TestStoppedBy: where the context's cause says what stopped a run, the record says that, and nothing of the person.
func TestStoppedBy(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]string{
		nil:                                   "cancelled by the person",
		context.Canceled:                      "cancelled by the person",
		errors.New("its terminal was closed"): "stopped: its terminal was closed",
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		inner, end := context.WithCancel(ctx)
		cancel(cause)
		if got := whyCancelled(inner); got != want {
			t.Errorf("%v: %q", cause, got)
		}
		end()
	}
}
