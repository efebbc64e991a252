package app

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for unwritten, want := range map[bool]string{true: "interrupted; nothing was written\n", false: "interrupted\n"} { // what only reads says no more
		var out strings.Builder
		c := &command{err: &out, unwritten: unwritten}
		if code := c.status(ctx, context.Canceled); code != exitInterrupt || out.String() != want {
			t.Errorf("unwritten %v: exit code %d, %q", unwritten, code, out.String())
		}
	}
}

func TestReplayWords(t *testing.T) {
	t.Parallel()
	at := func(seconds int) session.Event { return session.Event{Time: time.Unix(int64(seconds), 0)} }
	end := at(62)
	end.Kind = session.KindSessionFinished
	events := []session.Event{at(0), at(2), end, at(90000)} // it was approved a day later
	for speed, want := range map[float64]string{
		1:   "the session took 1m2s and plays in 12s; ",
		30:  "the session took 1m2s and plays in 7s; ",
		1e6: "the session took 1m2s and plays in less than 1s; ",
	} {
		if got := replayWords(events, speed); !strings.HasPrefix(got, want) {
			t.Errorf("at %v: %q", speed, got)
		}
	}
}

// TestTraceSaysOnce: what was streamed is not said again by its event, though the events before it may be drawn later.
func TestTraceSaysOnce(t *testing.T) {
	t.Parallel()
	event := func(kind session.Kind, data any) session.Event {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		return session.Event{Kind: kind, Data: raw}
	}
	say := func(step int, text string) []session.Event {
		return []session.Event{event(session.KindStepStarted, session.StepStarted{Step: step}),
			event(session.KindModelReplied, session.ModelReplied{Step: step, Message: model.Message{Text: text}})}
	}
	var live, saved strings.Builder
	for _, c := range []struct {
		out    *strings.Builder
		stream bool
	}{{&live, true}, {&saved, false}} {
		tr := newTrace(c.out, false, 0)
		tr.local = true
		for step, text := range []string{"I look.", "I found\nit."} {
			if c.stream {
				if !tr.begins(step + 1) {
					t.Errorf("step %d does not begin", step+1)
				}
				tr.delta("", step+1, model.Delta{Text: text[:3]})
				tr.delta("", step+1, model.Delta{Text: text[3:]})
			}
			for _, e := range say(step+1, text) {
				tr.event(e)
			}
		}
		tr.event(event(session.KindSessionFinished, session.Finished{Message: "the end"}))
	}
	want := "   I look.\n   I found\n   it.\n   the end\n"
	if saved.String() != want {
		t.Errorf("saved: %q", saved.String())
	}
	if live.String() != want {
		t.Errorf("live: %q", live.String())
	}
}

func TestWrapped(t *testing.T) {
	t.Parallel()
	got := wrapped("one two three\n\nfour-and-five \x1b[31msix", 12, "  ")
	if d := cmp.Diff("  one two\n  three\n\n  four-and-five\n  \ufffd[31msix\n", got); d != "" {
		t.Error(d)
	}
}
