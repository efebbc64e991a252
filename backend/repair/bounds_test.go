package repair

import (
	"strings"
	"testing"
)

// made is a candidate that puts a text in the place of a mark of a file.
func marked(t *testing.T, path, text, mark, by string) *candidate {
	t.Helper()
	src := parse(path, text)
	at := strings.Index(text, mark)
	if src == nil || at < 0 {
		t.Fatal(path)
	}
	return &candidate{src: src, edits: []edit{{at, at + len(mark), by}}, kind: "boundary", line: src.lineOf(at)}
}

// TestOneBoundInManyForms: two ways to write one bound of whole numbers are one edit; where they may be no whole numbers, or the
// bound is another, they are two.
func TestOneBoundInManyForms(t *testing.T) {
	t.Parallel()
	const (
		goFile = "package p\n\ntype row struct{ n int }\n\nfunc f(xs []int, n int, r row, u uint, x float64) bool {\n\tfor i := range xs {\n\t\tif HERE {\n\t\t\treturn true\n\t\t}\n\t}\n\tk := 0\n\tk++\n\treturn false\n}\n"
		java   = "class P {\n  boolean f(int[] xs, int n, double x, String s) {\n    for (int i = 0; i < 9; i++) {\n      if (HERE) {\n        return true;\n      }\n    }\n    return false;\n  }\n}\n"
		script = "function f(xs, n, x) {\n  for (let i = 0; i < 9; i++) {\n    if (HERE) {\n      return xs[n];\n    }\n  }\n  let t = 0;\n  t += x / 2;\n  return t;\n}\n"
		python = "def f(xs, n, x):\n    for i in range(9):\n        if HERE:\n            return xs[n]\n    return 0\n"
	)
	for _, c := range []struct {
		path, text, a, b string
		same             bool
	}{
		{"a.go", goFile, "i+1 > n", "i >= n", true},
		{"a.go", goFile, "i < n+1", "n >= i", true},
		{"a.go", goFile, "!(i < n)", "(i >= n)", true},
		{"a.go", goFile, "i >= len(xs)-1", "len(xs) <= i+1", true},
		{"a.go", goFile, "i+1 >= r.n", "r.n-1 <= i", true},
		{"a.go", goFile, "i == n-1", "n == 1+i", true},
		{"a.go", goFile, "!(i != n)", "n == i", true},
		{"a.go", goFile, "i > n", "i >= n", false},
		{"a.go", goFile, "i >= n", "i == n", false},
		{"a.go", goFile, "x+1 > 2*x", "x >= 2*x", false},
		{"a.go", goFile, "u-1 >= 3", "u > 3", false},
		{"a.go", goFile, "r.n+1 > g()", "r.n >= g()", false},
		{"a.go", goFile, "i+1 > g()", "i >= g()", false},
		{"a.go", goFile, `i > n || s == " a"`, `i > n || s == "a"`, false},
		{"A.java", java, "i + 1 > n", "i >= n", true},
		{"A.java", java, "xs.length - 1 < i", "i >= xs.length", true},
		{"A.java", java, "s.length() > i", "!(i >= s.length())", true},
		{"A.java", java, "x + 1 > i", "x >= i", false},
		{"a.js", script, "i + 1 > n", "i >= n", true},
		{"a.ts", script, "i + 1 > xs.length", "xs.length <= i", true},
		{"a.js", script, "x + 1 > i", "x >= i", false},
		{"a.js", script, "t + 1 > i", "t >= i", false},
		{"a.js", script, "i + 1.5 > n", "i + 0.5 >= n", false},
		{"a.py", python, "i + 1 > n", "i >= n", true},
		{"a.py", python, "not i < len(xs)", "len(xs) <= i", true},
		{"a.py", python, "x + 1 > i", "x >= i", false},
		{"a.py", python, "0 < i < n", "0 < i <= n - 1", false},
	} {
		a, b := marked(t, c.path, c.text, "HERE", c.a), marked(t, c.path, c.text, "HERE", c.b)
		if a.meaning() == "" || (a.meaning() == b.meaning()) != c.same {
			t.Errorf("%s: %q and %q: the same %v\n%s\n%s", c.path, c.a, c.b, !c.same, a.meaning(), b.meaning())
		}
	}
	in, out := marked(t, "a.py", python, "            return xs[n]\n", "            return xs[n]\n            n = 1\n"), marked(t, "a.py", python, "            return xs[n]\n", "            return xs[n]\n        n = 1\n")
	if in.meaning() == out.meaning() {
		t.Error("the indent of Python counts for nothing")
	}
}

// TestOneBoundIsNoChoice: nobody has to choose between two forms of one bound, where nothing compared what they do.
func TestOneBoundIsNoChoice(t *testing.T) {
	t.Parallel()
	const text = "package p\n\nfunc f(xs []int, i int) bool {\n\treturn i > len(xs)\n}\n"
	list := []*candidate{marked(t, "a.go", text, "i > len(xs)", "i >= len(xs)"), marked(t, "a.go", text, "i > len(xs)", "i+1 > len(xs)"), marked(t, "a.go", text, "i > len(xs)", "i != 0")}
	top := newLevel("")
	top.batches = []batch{{alike: map[int]int{}}, {alike: map[int]int{}}}
	s := &search{st: &state{failing: []failure{{id: "TestF"}}, levels: []*level{top}}, passing: list[:2], rank: map[*candidate]float64{}, met: map[*candidate]meeting{list[0]: {0, 0}, list[1]: {0, 1}, list[2]: {1, 0}}}
	if v := s.verdict(list[0]); v["doubt"] != nil || strings.Contains(v["summary"].(string), "nother") {
		t.Errorf("%v", v)
	}
	s.met[list[1]] = meeting{1, 1}
	if v := s.verdict(list[0]); v["doubt"] != nil {
		t.Errorf("of two batches: %v", v)
	}
	s.passing = list
	if v := s.verdict(list[0]); v["doubt"] == nil || strings.Contains(v["doubt"].(string), "i+1") {
		t.Errorf("what is another edit is told, alone: %v", v)
	}
}
