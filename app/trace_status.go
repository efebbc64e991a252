package app

import (
	"fmt"
	"time"

	"redgreen/backend/testrun"
)

// statusLine is the last line of a live trace: what is being done and for how long, until the next line takes its place.
type statusLine struct {
	width int // of the terminal; 0: there is no such line
	text  string
	more  string // how far the tests are
	since time.Time
	shown bool
	held  bool // a question stands there
}

// live gives the trace a status line, drawn anew every second until it is stopped.
func (t *trace) live(width int) (stop func()) {
	t.mu.Lock()
	t.status.width = width
	t.mu.Unlock()
	tick, end, done := time.NewTicker(time.Second), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				t.mu.Lock()
				t.drawStatus(now)
				t.mu.Unlock()
			case <-end:
				return
			}
		}
	}()
	return func() {
		close(end)
		<-done
		t.phase("")
	}
}

// phase says what is being done now, "" nothing.
func (t *trace) phase(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status.text, t.status.more, t.status.since = text, "", time.Now()
	t.clearStatus()
	if t.open && text != "" && t.status.width > 0 { // what was said has ended
		t.endOpen()
	}
}

// tests says how far a run of tests is, until it is over.
func (t *trace) tests(p testrun.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status.more = ""
	if words := testsWords(p); words != "" && !p.Over {
		t.status.more = " · " + words
	}
}

// hold keeps the last line free for a question and its answer, or gives it back.
func (t *trace) hold(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearStatus()
	t.status.held = on
}

// told writes a line between those of the events.
func (t *trace) told(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line("%s", text)
}

func (t *trace) drawStatus(now time.Time) {
	s := &t.status
	if s.width == 0 || s.text == "" || s.held || t.open {
		return
	}
	line := fmt.Sprintf("   %s… %d s%s", printable(s.text, 200), int(now.Sub(s.since).Seconds()), s.more)
	fmt.Fprintf(t.w, "\r\x1b[K%s", t.paint(dim, cut(line, s.width-1, tail)))
	s.shown = true
}

func (t *trace) clearStatus() {
	if t.status.shown {
		fmt.Fprint(t.w, "\r\x1b[K")
		t.status.shown = false
	}
}
