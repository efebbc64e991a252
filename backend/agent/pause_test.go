package agent

import (
	"context"
	"testing"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// TestPause: a paused run does nothing more until it goes on, its clock stands still, and it can be cancelled.
func TestPause(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	m := script(t, readIt, fix, done)
	inner, calls := m.Provider, make(chan struct{}, 10)
	m.Provider = provider{func(ctx context.Context, req model.Request) (model.Reply, error) {
		calls <- struct{}{}
		return inner.Chat(ctx, "memory", req, nil)
	}}
	phases := make(chan string, 1000)
	f.o.OnPhase = func(_, text string) { phases <- text }
	r := start(t, f, m, Task{})
	r.Pause()
	ended := make(chan session.Outcome, 1)
	go func() {
		out, err := r.Work(t.Context())
		if err != nil {
			t.Error(err)
		}
		ended <- out
	}()
	for text := range phases {
		if text == "Paused" {
			break
		}
	}
	used := r.clock.used()
	select {
	case <-calls:
		t.Fatal("the model was called while the run was paused")
	case <-time.After(300 * time.Millisecond):
	}
	if !r.Paused() || r.clock.used() != used {
		t.Errorf("paused %v; the clock went from %v to %v", r.Paused(), used, r.clock.used())
	}
	r.Unpause()
	if out := <-ended; out != session.Review || len(calls) != 3 {
		t.Errorf("it ended as %s after %d calls", out, len(calls))
	}

	g := folder(t, calc())
	paused := make(chan string, 1000)
	g.o.OnPhase = func(_, text string) { paused <- text }
	r = start(t, g, script(t, readIt, fix, done), Task{})
	r.Pause()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for text := range paused {
			if text == "Paused" {
				cancel()
				return
			}
		}
	}()
	if out, err := r.Work(ctx); out != session.Cancelled || err != nil || r.Paused() {
		t.Errorf("cancelled while paused: %s, %v, paused %v", out, err, r.Paused())
	}
	work(t, r, session.Review)
}
