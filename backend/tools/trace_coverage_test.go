package tools

import (
	"strings"
	"testing"

	"redgreen/backend/testrun"
)

// TestTraceSaysWhyNot tells a failing test that runs none of the code from one that could not be measured.
func TestTraceSaysWhyNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got  testrun.Spectrum
		want string
	}{
		"no line":  {testrun.Spectrum{Reds: 1}, "execute no line of code outside of tests"},
		"not run":  {testrun.Spectrum{}, "none of the failing tests was run"},
		"a reason": {testrun.Spectrum{Problem: "coverage of x is not read"}, "Nothing was measured.coverage of x is not read"},
	} {
		if r := spectrum(c.got); !r.failed || !strings.Contains(r.head+r.body, c.want) || r.summary == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := spectrum(testrun.Spectrum{Reds: 1, Red: map[string]map[int]int{"a.py": {3: 1}}}); r.failed || r.body != "a.py 3:1/0" {
		t.Errorf("a line: %+v", r)
	}
}
