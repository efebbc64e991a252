package app

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"redgreen/backend/model"
	"redgreen/backend/testrun"
)

// TestStatusLine: what is being done stands on a live trace's last line alone, no wider than it, and leaves nothing behind.
func TestStatusLine(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	tr := newTrace(&out, true, 0)
	stop := tr.live(30)
	tick := func() string {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		out.Reset()
		tr.drawStatus(tr.status.since.Add(42 * time.Second))
		return out.String()
	}
	if got := tick(); got != "" {
		t.Errorf("before anything is done: %q", got)
	}
	tr.phase("Trying edits")
	if got := tick(); got != "\r\x1b[K\x1b[2m   Trying edits… 42 s\x1b[0m" {
		t.Errorf("%q", got)
	}
	tr.tests(testrun.Progress{Done: 3, Total: 14, Rate: 2})
	if got := tick(); got != "\r\x1b[K\x1b[2m   Trying edits… 42 s · 3 of…\x1b[0m" {
		t.Errorf("while tests run: %q", got)
	}
	tr.tests(testrun.Progress{Done: 14, Total: 14, Over: true})
	tick()
	out.Reset()
	tr.told("   a line")
	if got := out.String(); got != "\r\x1b[K   a line\n" {
		t.Errorf("a line leaves %q", got)
	}
	tr.phase("Running " + strings.Repeat("all the tests ", 9))
	shown := strings.TrimSuffix(strings.TrimPrefix(tick(), "\r\x1b[K\x1b[2m"), "\x1b[0m")
	if utf8.RuneCountInString(shown) > 29 {
		t.Errorf("wider than the terminal: %q", shown)
	}
	tr.hold(true)
	if got := tick(); got != "" {
		t.Errorf("over a question: %q", got)
	}
	tr.hold(false)
	tr.delta("", 1, model.Delta{Text: "I look"})
	if got := tick(); got != "" {
		t.Errorf("into a streamed line: %q", got)
	}
	tr.phase("Trying edits") // what was said has ended
	if got := out.String() + tick(); got != "\n\r\x1b[K\x1b[2m   Trying edits… 42 s\x1b[0m" {
		t.Errorf("after a streamed line: %q", got)
	}
	out.Reset()
	stop()
	if got := out.String(); got != "\r\x1b[K" {
		t.Errorf("at the end: %q", got)
	}
	quiet := newTrace(&out, false, 0) // a pipe has no such line
	out.Reset()
	quiet.phase("Trying edits")
	quiet.drawStatus(time.Now())
	if out.String() != "" {
		t.Errorf("in a pipe: %q", out.String())
	}
}
