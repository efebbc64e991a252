package repair

import (
	"regexp"
	"strings"
	"testing"
)

// TestFolded works out constant arithmetic where that changes nothing.
func TestFolded(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{
		"1-1": "0", "1 + 1": "2", "0 - 1": "-1", "x + 0": "x", "x-0": "x", "0 + x": "x", "f(0 + x, 1)": "f(x, 1)", "x + 1 - 1": "x", "x - 1 + 1": "x",
		"x + 1 + 1": "x + 2", "x-1-1": "x-2", "x - 2 + 1": "x - 1", "x * 1": "x", "1 * x": "x", "len(a) - 1 + 1": "len(a)", "a[i + 0]": "a[i]", "x + 1 + 1 < n": "x + 2 < n",
		// and these stay
		"60 * 60": "60 * 60", "x + 1": "x + 1", "x - 10": "x - 10", "1 + 1 * x": "1 + x", "x + 0.5": "x + 0.5", "x * 10": "x * 10", "10 - 1.5": "10 - 1.5", "x + 1 - 1 * y": "x + 1 - y",
		"'1 + 1'": "'1 + 1'", "x + 0 * y": "x + 0 * y", "y - 1 + 1 * x": "y - 1 + x", "2 - 1 / x": "2 - 1 / x", "x * 1 ** 2": "x * 1 ** 2", "x - 01": "x - 01",
	} {
		if got := folded(from); got != to {
			t.Errorf("%s gives %s, not %s", from, got, to)
		}
	}
}

// TestNoOddArithmetic makes all edits of functions in each language: none leaves arithmetic that no person writes, two that say
// the same are one, and what the folded ones stand for is there.
func TestNoOddArithmetic(t *testing.T) {
	t.Parallel()
	odd := regexp.MustCompile(`[\w)\]] ?[+-] ?0\b(?:[^.]|$)|\b0 ?\+|[(\[=,:<>] ?\d+ ?[+-] ?\d+\b|[+-] ?\d+ ?[+-] ?\d+\b|[*] ?1\b|\b1 ?\*|[*/%] ?0\b|[/%] ?1\b`)
	for path, tt := range map[string]struct {
		text string
		want []string
	}{
		"a.go": {"package a\n\nfunc f(vals []int, n int) (int, []int) {\n\tbest := vals[0]\n\tfor i := n - 1; i < len(vals)-1; i++ {\n\t\tbest += vals[i+1] * 2\n\t}\n\tn += 1\n\treturn best, vals[1:]\n}\n",
			[]string{"return best, vals\n", "i := n;", "i := n - 2;", "i < len(vals);", "vals[i]", "vals[i+2]", "return best, vals[2:]"}},
		"a.py": {"def f(vals, n):\n    best = vals[0]\n    for i in range(n - 1, len(vals) - 1):\n        best += vals[i + 1] * 2\n    n += 1\n    if not vals[1:]:\n        return n\n    return best, vals[1:], vals[n - 1:]\n",
			[]string{"vals[:], vals[n - 1:]", "if not vals:", "range(n,", "len(vals))", "vals[i]", "vals[i + 2]", "vals[2:]", "vals[n:]", "vals[n - 2:]"}},
		"a.js": {"export function f(vals, n) {\n  let best = vals[0];\n  for (let i = n - 1; i < vals.length - 1; i++) {\n    best += vals[i + 1] * 2;\n  }\n  n += 1;\n  return [best, vals.slice(1), vals.slice(n - 1)];\n}\n",
			[]string{"vals.slice(0)", "i = n;", "i < vals.length;", "vals[i]", "vals[i + 2]", "vals.slice(n)"}},
		"A.java": {"class A {\n    static int f(int[] vals, int n, String s) {\n        int best = vals[0];\n        for (int i = n - 1; i < vals.length - 1; i++) {\n            best += vals[i + 1] * 2;\n        }\n        n += 1;\n        return best + s.substring(1).length() + s.substring(n - 1).length();\n    }\n}\n",
			[]string{"s.substring(0)", "i = n;", "i < vals.length;", "vals[i]", "vals[i + 2]", "s.substring(n)"}},
	} {
		s := parse(path, tt.text)
		lines := map[int]float64{}
		for l := range s.lines {
			lines[l+1] = 1
		}
		all := candidates([]*source{s}, map[string]map[int]float64{path: lines}, hints{}, priors(), learn([]*source{s}))
		there, keys := "", map[string]bool{}
		for _, c := range all {
			text := c.lines()
			there += text
			for _, line := range strings.Split(text, "\n") {
				if m := odd.FindString(line); strings.HasPrefix(line, "|") && m != "" && !strings.Contains(tt.text, m) {
					t.Errorf("%s, %s: %q in %s", path, c.kind, m, line)
				}
			}
			if keys[c.key()] {
				t.Errorf("%s: twice\n%s", path, text)
			}
			keys[c.key()] = true
		}
		for _, want := range tt.want {
			if !strings.Contains(there, want) {
				t.Errorf("%s: no edit gives %q", path, want)
			}
		}
	}
}

// TestEither writes a condition of two as a person would.
func TestEither(t *testing.T) {
	t.Parallel()
	py, js := pythonRow(), scriptRow("javascript")
	for _, tt := range []struct {
		r                *row
		p, now, was, got string
	}{
		{py, "not todo", "False", "True", "todo"}, {py, "todo", "False", "True", "not todo"}, {py, "a < b", "True", "False", "a < b"}, {py, "todo", "True", "a < b", "todo or a < b"},
		{py, "a < b", "False", "c", "a >= b and c"}, {js, "a < b", "false", "c", "!(a < b) && c"}, {js, "a == f(b, c)", "false", "c", "a != f(b, c) && c"}, {py, "a < b < c", "False", "d", "not (a < b < c) and d"},
		{py, "a is not None", "False", "d", "a is None and d"}, {py, "x in [y for y in z]", "False", "d", "x not in [y for y in z] and d"}, {py, "todo", "a < b", "True", "not todo or a < b"}, {py, "not (a and b)", "x or y", "False", "not (a and b) and (x or y)"},
		{py, "p", "x", "y", "p and x or not p and y"}, {js, "!p", "false", "true", "p"}, {js, "p", "x", "y || z", "p && x || !p && (y || z)"}, {js, "!(a && b)", "false", "true", "a && b"},
	} {
		if got := tt.r.either(tt.p, tt.now, tt.was); got != tt.got {
			t.Errorf("%s where %s, else %s: %s, not %s", tt.now, tt.p, tt.was, got, tt.got)
		}
	}
}
