package app

import (
	"context"
	"strings"
	"testing"
	"time"

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
