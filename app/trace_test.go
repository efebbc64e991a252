package app

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// TestUnsaid: the end of a run repeats nothing that stands right above it.
func TestUnsaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, message, want string }{
		{"", "cancelled", "cancelled"},
		{"the limit of 1 step is used up", "the limit of 1 step is used up", ""},
		{"no fix. Try more.", "no fix.\nTry more.", ""},
		{"a long text", "a long…", ""},
		{"the limit is used up", "the limit is used up; the patch could not be proven: x", "the patch could not be proven: x"},
		{"I look at it", "cancelled by the person", "cancelled by the person"},
	} {
		if got := (&trace{said: c.said}).unsaid(c.message); got != c.want {
			t.Errorf("%q after %q: %q, not %q", c.message, c.said, got, c.want)
		}
	}
}

// TestFlow: a line of the trace that is too long goes on under its margin, streamed or whole, with colours or without; in a pipe it
// stays as it is.
func TestFlow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width int
		parts []string
		want  string
	}{
		{20, []string{"   one two three four five"}, "   one two three\n   four five"},
		{20, []string{"   one two th", "ree fo", "ur five "}, "   one two three\n   four five"},
		{20, []string{"   \x1b[2mone two three four\x1b[0m"}, "   \x1b[2mone two three\n   four\x1b[0m"},
		{20, []string{"   a\n     indented code here"}, "   a\n     indented code\n   here"},
		{10, []string{"   a_word_that_is_too_long b"}, "   a_word_that_is_too_long\n   b"},
		{0, []string{"   one two three four five six seven"}, "   one two three four five six seven"},
	} {
		f, got := flow{width: c.width}, ""
		for _, p := range c.parts {
			got += f.add(p)
		}
		if got += f.end(); got != c.want {
			t.Errorf("%d %q:\n%q, not\n%q", c.width, c.parts, got, c.want)
		}
	}
	var out strings.Builder
	tr := newTrace(&out, false, 20)
	tr.delta("", 1, model.Delta{Text: "I look at the rounding"})
	tr.told("   and it is told further")
	if got, want := out.String(), "   I look at the\n   rounding\n   and it is told\n   further\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestRetries: each attempt of a model's server that failed is one line, with when the next one comes; the last says no more of that.
func TestRetries(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	tr := newTrace(&out, false, 0)
	for n, wait := range []int64{750, 1500, 0} {
		d := session.ModelFailed{Step: 1, Code: "unavailable", Message: "it failed with 500", Attempt: n + 1, WaitMillis: wait, Final: n == 2}
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		tr.event(session.Event{Kind: session.KindModelFailed, Data: data})
		if !d.Final {
			tr.delta("", 1, model.Delta{Retry: &model.Retry{Attempt: n + 1, Err: &model.Error{Code: model.Unavailable, Message: d.Message}, Wait: time.Duration(wait) * time.Millisecond}})
		}
	}
	want := "   it failed with 500; trying again in 750 ms\n   it failed with 500; trying again in 1.5s\n   it failed with 500\n"
	if out.String() != want {
		t.Errorf("%q, not %q", out.String(), want)
	}
}
