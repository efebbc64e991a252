package repair

import (
	"strings"
	"testing"
)

// TestWhatDoesNotCompile: an edit that the compiler of Go would refuse is not tried, one that it may take is, also where
// neither the packages nor all files of the folder are known.
func TestWhatDoesNotCompile(t *testing.T) {
	t.Parallel()
	const text = `package a

import (
	"fmt"

	"example.org/other"
)

type box struct{ size int }

func (b box) area() int { return b.size * b.size }

func f(n int, s string, b box) (string, error) {
	m := other.Of(n)
	if n > limit {
		return s, fmt.Errorf("%d", m)
	}
	return s, nil
}
`
	one := parse("a/a.go", text)
	two := parse("a/b.go", "package a\n\nimport \"fmt\"\n\nfunc helps(n int) string { return fmt.Sprint(n) }\n")
	files := []*source{one, two}
	k := newCompiler()
	for _, tt := range []struct {
		was, now string
		want     bool
	}{
		{"n > limit", "n >= limit", true},
		{"n > limit", "s > limit && n > 1", true}, // what limit is stands in a file that was not read
		{"n > limit", "n", false},
		{"n > limit", "n > limit && s == \"\"", true},
		{"n > limit", "n > limit && s == 0", false},
		{"n > limit", "n > limits", false},
		{"other.Of(n)", "other.Any(s, n)", true},
		{"other.Of(n)", "helps(n)", true},
		{"other.Of(n)", "helps(s)", false},
		{"other.Of(n)", "b.area()", true},
		{"other.Of(n)", "b.volume()", false},
		{"fmt.Errorf(\"%d\", m)", "nil", false}, // m is not used
		{"return s, nil", "return s", false},
		{"	return s, nil\n", "", false},
		{"return b.size * b.size", "return b", false},
		{"return b.size * b.size", "return 2 * b.size", true},
		{"return s, nil", "return s + , nil", false},
	} {
		at := strings.Index(text, tt.was)
		c := &candidate{src: one, edits: []edit{{at, at + len(tt.was), tt.now}}}
		if got := k.takes(c, files); got != tt.want {
			t.Errorf("%q for %q: %t", tt.now, tt.was, got)
		}
	}
}
