package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// syncBuffer is a buffer that is written and read at once.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Reset()
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// coreAt is a house on a home that may have others.
func coreAt(t *testing.T, home string) *core {
	t.Helper()
	c, err := newCore(testAssets(), testEnv(home), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// windowAt is a window on a home.
func windowAt(t *testing.T, home string) *App {
	t.Helper()
	h, err := newHost(coreAt(t, home), "window", func(string, any) {}, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return &App{h: h}
}

// inReview stores a session whose patch waits: it makes a.txt "right". It gives the file's path, the session and the patch's hash.
func inReview(t *testing.T, c *core) (file, id, hash string) {
	t.Helper()
	folder := t.TempDir()
	file = filepath.Join(folder, "a.txt")
	if err := os.WriteFile(file, []byte("wrong\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := patch.Diff([]patch.Pair{{Path: "a.txt", Before: &patch.Content{Data: []byte("wrong\n"), Mode: 0o644}, After: &patch.Content{Data: []byte("right\n"), Mode: 0o644}}})
	if err != nil {
		t.Fatal(err)
	}
	store, err := c.sessions()
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.Create(t.Context(), session.Started{Schema: session.Schema, Folder: folder, Task: "it is wrong", Model: model.Info{Provider: "script", Name: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.AppendAll(t.Context(),
		session.Entry{Kind: session.KindMessage, Data: session.Message{Text: "it is wrong"}},
		session.Entry{Kind: session.KindPatchChanged, Data: session.PatchChanged{Step: 1, Patch: p, Hash: p.Hash(), Stat: p.Stat()}},
		session.Entry{Kind: session.KindReviewAsked, Data: session.ReviewAsked{PatchHash: p.Hash(), Summary: "it is right"}}); err != nil {
		t.Fatal(err)
	}
	return file, l.ID(), p.Hash()
}

func events(t *testing.T, c *core, id string) int {
	t.Helper()
	store, err := c.sessions()
	if err != nil {
		t.Fatal(err)
	}
	all, err := store.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// A session that a terminal has is read only in the window, says who has it, and is the window's once the terminal is done.
func TestOneOwnerTheOthersOnlyLook(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	terminal, a := coreAt(t, home), windowAt(t, home)
	file, id, hash := inReview(t, terminal)
	release, err := terminal.ownSession(id)
	if err != nil {
		t.Fatal(err)
	}
	v, err := a.Session(id)
	if err != nil || v.Owner == nil || v.Owner.Kind != "terminal" || v.Owner.PID != os.Getpid() || v.CanApprove || v.CanUndo || v.CanResume {
		t.Fatalf("%+v %+v, %v", v.Owner, v, err)
	}
	page, err := a.Sessions(SessionQuery{})
	if err != nil || len(page.Sessions) != 1 || page.Sessions[0].Owner == nil {
		t.Fatalf("%+v, %v", page, err)
	}
	for q, want := range map[SessionQuery]int{
		{Model: "script/none", Since: "2020-01-01T00:00:00Z"}: 1, {Model: "script/other"}: 0, {Since: time.Now().Add(time.Hour).Format(time.RFC3339)}: 0, {Pinned: true}: 0,
	} {
		if page, err := a.Sessions(q); err != nil || page.Total != want {
			t.Errorf("%+v finds %d sessions, not %d: %v", q, page.Total, want, err)
		}
	}
	if _, err := a.Sessions(SessionQuery{Since: "yesterday"}); err == nil || explain(err).Code != Invalid {
		t.Errorf("since yesterday: %v", err)
	}
	before := events(t, terminal, id)
	for name, act := range map[string]func() error{
		"approve":      func() error { _, err := a.Approve(id, hash); return err },
		"undo":         func() error { _, err := a.Undo(id, false); return err },
		"reject":       func() error { return a.Reject(id, "no", nil) },
		"say":          func() error { return a.Say(id, "hello", nil) },
		"cancel":       func() error { return a.Cancel(id) },
		"resume":       func() error { return a.Resume(id) },
		"another":      func() error { return a.ResumeWith(id, "script/other") },
		"criteria":     func() error { return a.EditCriteria(id, []string{"x"}) },
		"choose":       func() error { return a.Choose(id, Choice{PatchHash: hash}) },
		"send back":    func() error { return a.SendBack(id, Choice{PatchHash: hash, Comment: "no"}) },
		"prove again":  func() error { return a.ProveAgain(id) },
		"delete":       func() error { return a.DeleteSession(id) },
		"the terminal": func() error { _, err := terminal.undo(t.Context(), terminal.store, id, false, hooks{}); return err },
	} {
		err := act()
		if err == nil || explain(err).Code != Conflict || !strings.Contains(err.Error(), "a terminal (process ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now := events(t, terminal, id); now != before {
		t.Errorf("%d events, %d before", now, before)
	}
	if text, _ := os.ReadFile(file); string(text) != "wrong\n" {
		t.Errorf("the folder holds %q", text)
	}

	release()
	if v, err := a.Session(id); err != nil || v.Owner != nil || !v.CanApprove {
		t.Fatalf("given up: %+v, %v", v, err)
	}
	want := func(text string) {
		t.Helper()
		if got, _ := os.ReadFile(file); string(got) != text {
			t.Fatalf("the folder holds %q, not %q", got, text)
		}
		if who := terminal.elsewhere(id); who != nil {
			t.Fatalf("the window keeps the session after its act: %+v", who)
		}
	}
	if _, err := a.Approve(id, hash); err != nil {
		t.Fatal(err)
	}
	want("right\n")
	if _, err := a.Undo(id, false); err != nil { // right after the approval
		t.Fatal(err)
	}
	want("wrong\n")
	// Neither is ever done in place of the other, though a page that was not told yet asks for it.
	if _, err := a.Undo(id, false); err == nil || explain(err).Code != Conflict {
		t.Fatalf("undone twice: %v", err)
	}
	want("wrong\n")
	if _, err := terminal.undo(t.Context(), terminal.store, id, true, hooks{}); err != nil {
		t.Fatal(err)
	}
	want("right\n")
	if _, err := terminal.undo(t.Context(), terminal.store, id, true, hooks{}); err == nil || explain(err).Code != Conflict {
		t.Fatalf("written twice: %v", err)
	}
	if w, err := a.Undo(id, false); err != nil || w.Redo {
		t.Fatal(w, err)
	}
	want("wrong\n")
}

// Of two windows that write at once one does, and the other is told; so of two clicks in one window.
func TestTwoWindowsWriteOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a, b := windowAt(t, home), windowAt(t, home)
	for range 10 {
		file, id, hash := inReview(t, a.h.core)
		var wait sync.WaitGroup
		errs := make([]error, 4)
		for i, w := range []*App{a, b, a, b} {
			wait.Go(func() { _, errs[i] = w.Approve(id, hash) })
		}
		wait.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if explain(err).Code != Conflict {
				t.Error(err)
			}
		}
		if text, _ := os.ReadFile(file); won != 1 || string(text) != "right\n" {
			t.Fatalf("%d wrote it, the folder holds %q: %v", won, text, errs)
		}
		if err := a.h.core.store.Verify(t.Context(), id); err != nil {
			t.Error(err)
		}
		for _, w := range []*App{a, b} {
			if who := w.h.core.owner(id); who != nil {
				t.Errorf("still owned: %+v", who)
			}
		}
	}
}

// An act that fails leaves the session free, and what another process wrote since is seen.
func TestAFailedActGivesTheSessionUp(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a, b := windowAt(t, home), windowAt(t, home)
	file, id, hash := inReview(t, a.h.core)
	if _, err := a.Approve(id, "another"); err == nil {
		t.Fatal("wrote a patch that was not shown")
	}
	if err := b.Reject(id, "", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Approve(id, hash); err == nil {
		t.Fatal("wrote a patch that was rejected elsewhere")
	}
	if text, _ := os.ReadFile(file); string(text) != "wrong\n" {
		t.Errorf("the folder holds %q", text)
	}
}

// A session is owned from its first moment: nobody sees it as one that was interrupted.
func TestANewSessionIsOwned(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a, other := windowAt(t, home), coreAt(t, home)
	store, err := a.h.core.sessions()
	if err != nil {
		t.Fatal(err)
	}
	stop := store.Subscribe(func(n session.Notice) {
		if n.Seq == 1 && other.elsewhere(n.Session) == nil {
			t.Error("nobody owns the session")
		}
	})
	defer stop()
	f, err := a.h.core.open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id, err := a.h.runs.start(t.Context(), f, model.Model{Info: model.Info{Provider: "script", Name: "none"}, Provider: absent{errors.New("none")}}, agent.Task{Text: "it is wrong"})
	if err != nil {
		t.Fatal(err)
	}
	if events(t, other, id) == 0 {
		t.Error("no event")
	}
}

// Who only looks never stands in the way of who works.
func TestLookingTakesNoLock(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c, other := coreAt(t, home), coreAt(t, home)
	ctx, end := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for ctx.Err() == nil {
				other.interrupted(session.State{ID: "s", Outcome: session.Running})
				if who := c.elsewhere("s"); who != nil {
					t.Errorf("its own lock counts as another's: %+v", who)
					return
				}
			}
		})
	}
	for range 500 {
		release, err := c.ownSession("s")
		if err != nil {
			t.Error(err)
			break
		}
		release()
	}
	end()
	wait.Wait()
}

// The terminal follows a session live until its owner gives it up.
func TestFollowInTheTerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	owner, looker := coreAt(t, home), coreAt(t, home)
	owner.kind = "window"
	_, id, _ := inReview(t, owner)
	release, err := owner.ownSession(id)
	if err != nil {
		t.Fatal(err)
	}
	store, err := looker.sessions()
	if err != nil {
		t.Fatal(err)
	}
	var out, said syncBuffer
	c := &command{out: &out, err: &said}
	done := make(chan error, 1)
	go func() { done <- c.follow(t.Context(), looker, store, id) }()
	seen := func(text string) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); !strings.Contains(out.String(), text); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%q was not followed:\n%s\n%s", text, out.String(), said.String())
			}
		}
	}
	seen(id)
	l, err := owner.store.Log(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), session.KindReviewAnswered, session.ReviewAnswered{Decision: "reject", By: "person", Comment: "the name is odd"}); err != nil {
		t.Fatal(err)
	}
	seen("the name is odd")
	if _, err := l.Append(t.Context(), session.KindSessionFinished, session.Finished{Outcome: session.NotProven}); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "another window (process ") || !strings.Contains(out.String(), "not proven · ") {
		t.Errorf("%s\n%s", said.String(), out.String())
	}
}
