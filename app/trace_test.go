package app

import "testing"

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
