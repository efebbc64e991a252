package patch

import (
	"strings"
	"testing"
)

func TestKeepEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ was, text, want string }{
		"all LF":                {"a\nb\n", "a\nx\nb\n", "a\nx\nb\n"},
		"all CR LF":             {"a\r\nb\r\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"},
		"mixed, one changed":    {"a\nb\r\nc\nd\r\n", "a\nB\nc\nd\n", "a\nB\r\nc\nd\r\n"},
		"mixed, one more":       {"a\nb\r\nc\n", "a\nb\nnew\nc\n", "a\nb\r\nnew\r\nc\n"},
		"mixed, one less":       {"a\nb\r\nc\nd\r\n", "a\nc\nd\n", "a\nc\nd\r\n"},
		"mixed, new head":       {"a\r\nb\n", "new\na\nb\n", "new\r\na\r\nb\n"},
		"unchanged":             {"a\nb\r\nc\rd", "a\nb\nc\nd", "a\nb\r\nc\rd"},
		"lone CR":               {"10%\r20%\rdone\n", "10%\n30%\ndone\n", "10%\r30%\rdone\n"},
		"end added":             {"a\r\nb", "a\nb\n", "a\r\nb\r\n"},
		"end taken":             {"a\r\nb\r\n", "a\nb", "a\r\nb"},
		"line after no end":     {"a\r\nb", "a\nb\nc", "a\r\nb\r\nc"},
		"from nothing":          {"", "a\nb\n", "a\nb\n"},
		"to nothing":            {"a\r\n", "", ""},
		"all new":               {"a\r\nb\r\n", "x\ny\nz\n", "x\r\ny\r\nz\r\n"},
		"person writes CR LF":   {"a\n", "a\r\nb\r\n", "a\nb\n"},
		"blank lines at an end": {"a\r\n\r\n", "a\n\n\n", "a\r\n\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := KeepEnds(c.was, c.text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if got := KeepEnds(c.was, strings.ReplaceAll(strings.ReplaceAll(c.was, "\r\n", "\n"), "\r", "\n")); got != c.was {
				t.Errorf("without a change: %q, want %q", got, c.was)
			}
		})
	}
}
