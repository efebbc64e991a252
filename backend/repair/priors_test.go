package repair

import (
	"math"
	"strings"
	"testing"
)

// TestPriors reads the counts: kinds that fixes are often made of stand before those that they seldom are.
func TestPriors(t *testing.T) {
	t.Parallel()
	p := priors()
	if len(p) < 20 {
		t.Fatalf("%d kinds", len(p))
	}
	for kind, v := range p {
		if math.IsNaN(v) || v < -1 || v > priorMost {
			t.Errorf("%s: %v", kind, v)
		}
	}
	if p["boundary"] <= p["missing statement"] || p["variable"] <= p["field"] {
		t.Errorf("boundary %.2f, missing statement %.2f, variable %.2f, field %.2f", p["boundary"], p["missing statement"], p["variable"], p["field"])
	}
}

// TestExplain names the kind of a small fix, and no kind for a change that is no edit.
func TestExplain(t *testing.T) {
	t.Parallel()
	const before = "def f(a, b):\n    if a < b:\n        return a\n    return b\n"
	for _, tt := range []struct{ after, kind string }{
		{"def f(a, b):\n    if a <= b:\n        return a\n    return b\n", "boundary"},
		{"def f(a, b):\n    if a < b:\n        return a\n    return a\n", "variable"},
		{"def f(a, b):\n    if a < b:\n        return a\n    return quite(something, other)\n", ""},
	} {
		kind, made := Explain("f.py", before, tt.after)
		if kind != tt.kind || len(made) == 0 {
			t.Errorf("%q of %v for\n%s", kind, made, tt.after)
		}
	}
	const loop = "def f(a):\n    n = 0\n    for x in a:\n        n += x\n        return n\n"
	if kind, _ := Explain("f.py", loop, strings.Replace(loop, "        return n", "    return n", 1)); kind != "move" {
		t.Errorf("a statement taken out of its loop is %q", kind)
	}
	for _, after := range []string{"# why\n" + before, strings.Replace(before, ":\n", ":\n    \"\"\"Text.\"\"\"\n", 1)} {
		if _, made := Explain("f.py", before, after); made != nil {
			t.Errorf("a change of words alone gives %v for\n%s", made, after)
		}
	}
	if _, made := Explain("f.txt", before, "x"); made != nil {
		t.Errorf("an unknown language gives %v", made)
	}
}
