package app

import (
	"bytes"
	"testing"
	"time"

	"redgreen/backend/testrun"
)

// TestTestsWords: only what is known is said of how far a run of tests is.
func TestTestsWords(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]testrun.Progress{
		"":                        {Elapsed: time.Minute},
		"1 test":                  {Done: 1},
		"0 of 1 test":             {Total: 1},
		"took 1.5s the last time": {Last: 1500 * time.Millisecond},
		"3 of about 14 tests, 0.3 a second, 44s left":            {Done: 3, Total: 14, About: true, Rate: 0.26, Left: 43200 * time.Millisecond, Last: time.Minute},
		"part 2 of 3, 1180 of 2000 tests, 118 a second, 7s left": {Done: 1180, Total: 2000, Part: 2, Parts: 3, Rate: 118.2, Left: 7 * time.Second},
	} {
		if got := testsWords(p); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}

// TestMeterSaysWhatItWaitsFor: on a terminal the line of a test run says in words what is going on from its first moment.
func TestMeterSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		wait string
		p    testrun.Progress
		want string
	}{
		{"", testrun.Progress{Elapsed: 3 * time.Second}, "   Running the tests… 3 s"},
		{"Compiling Go's standard library", testrun.Progress{Elapsed: 9 * time.Second}, "   Compiling Go's standard library… 9 s"},
		{"", testrun.Progress{Elapsed: 9 * time.Second, Done: 4, Total: 5}, "   Running the tests… 9 s · 4 of 5 tests"},
	} {
		var out bytes.Buffer
		c := &command{err: &out, colour: true}
		c.told("something before it")
		c.told(tt.wait)
		c.drawTests(tt.p)
		if got := out.String(); got != clearLine+tt.want {
			t.Errorf("%+v is drawn %q, want %q", tt, got, tt.want)
		}
	}
}
