package app

import "testing"

func TestLinkedSession(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]struct {
		id     string
		link   bool
		failed bool
	}{
		"redgreen://session/abc-123":    {"abc-123", true, false},
		"redgreen://session/abc-123/":   {"abc-123", true, false},
		"redgreen://session/":           {"", true, true},
		"redgreen://session/../x":       {"", true, true},
		"redgreen://session/a?write=1":  {"", true, true},
		"redgreen://open/home/ada/shop": {"", true, true},
		"REDGREEN://session/abc":        {"", true, true},
		"/home/ada/shop":                {"", false, false},
		"redgreen":                      {"", false, false},
	} {
		id, link, err := linkedSession(arg)
		if id != want.id || link != want.link || (err != nil) != want.failed {
			t.Errorf("%s: %q, %v, %v", arg, id, link, err)
		}
	}
}
