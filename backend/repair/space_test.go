package repair

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// place is how far down the list of candidates the real fix of a bug stands, from 1; 0 when it is not among them.
type place struct {
	at, of int
	kind   string
}

// fixPlace ranks the edits of a file with a bug and looks for the one that gives the right text.
func fixPlace(path, bad, good string, h hints) place {
	s := parse(path, bad)
	if s == nil {
		return place{}
	}
	lines := map[int]float64{}
	first, last := 1, len(s.lines)
	scope := s.around(bad, good)
	if scope != nil {
		first, last = scope.line, scope.last
	}
	for l := first; l <= last; l++ {
		lines[l] = 0.5
	}
	all := candidates([]*source{s}, map[string]map[int]float64{path: lines}, h, priors(), learn([]*source{s}))
	want := squeezeAll(good)
	for i, c := range all {
		if squeezeAll(c.after()) == want {
			return place{i + 1, len(all), c.kind}
		}
	}
	return place{0, len(all), ""}
}

// around is the function that two texts differ in: what coverage would tell.
func (s *source) around(bad, good string) *node {
	i := 0
	for i < len(bad) && i < len(good) && bad[i] == good[i] {
		i++
	}
	var found *node
	s.root.walk(func(n *node) bool {
		if n.class == function && n.start <= i && i <= n.end {
			found = n
		}
		return n.start <= i && i <= n.end
	})
	return found
}

// TestTheFixIsAmongTheEdits looks for the right edit of each bug of the tuning set among the candidates, without running
// any test: how many there are, and how far down the list it stands, is what the engine's edits are worth.
func TestTheFixIsAmongTheEdits(t *testing.T) {
	t.Parallel()
	among(t, "../../testdata/builtin/tuning/*.txtar", 21)
}

// TestTheFixOfSmallGoBugs does the same for small programs in Go, each with a mistake that people make in Go.
func TestTheFixOfSmallGoBugs(t *testing.T) {
	t.Parallel()
	among(t, "testdata/bugs/small/go-*.txtar", 20)
}

// TestTheFixOfSmallJavaBugs does the same in Java.
func TestTheFixOfSmallJavaBugs(t *testing.T) {
	t.Parallel()
	among(t, "testdata/bugs/small/java-*.txtar", 28)
}

// among says how many of the bugs of some files have their fix among the edits, and among the first 600: at least as many as wanted.
func among(t *testing.T, pattern string, want int) {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	found, near, all := 0, 0, 0
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var path, bad, good, from string
		for line := range strings.Lines(string(a.Comment)) {
			if f, ok := strings.CutPrefix(strings.TrimSpace(line), "file: "); ok {
				path = f
			}
			if f, ok := strings.CutPrefix(strings.TrimSpace(line), "source: sample "); ok {
				from = "testdata/repos/" + f
			}
		}
		whole := ""
		for _, f := range a.Files {
			switch f.Name {
			case "bad":
				bad = string(f.Data)
			case "good":
				good = string(f.Data)
			case "tree/" + path:
				whole = string(f.Data)
			}
		}
		if whole == "" && from != "" {
			data, _ := os.ReadFile(filepath.Join("../..", from, path))
			whole = string(data)
		}
		if strings.Count(whole, good) != 1 {
			t.Logf("%-40s not looked at", filepath.Base(name))
			continue
		}
		p := fixPlace(path, strings.Replace(whole, good, bad, 1), whole, hints{})
		t.Logf("%-40s %d of %d", filepath.Base(name), p.at, p.of)
		all++
		if p.at > 0 {
			found++
		}
		if p.at > 0 && p.at <= 600 {
			near++
		}
	}
	t.Logf("among the edits: %d of %d, in the first 600: %d", found, all, near)
	if found < want || near < want {
		t.Errorf("found %d of %d, %d of them early, want %d", found, all, near, want)
	}
}

var mistake = regexp.MustCompile(`(?s)⟦(.*?)⇒(.*?)⟧`)

// TestSmallPrograms does the same for small programs in Python whose mistake is in one expression or statement.
func TestSmallPrograms(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/small.txt")
	if err != nil {
		t.Fatal(err)
	}
	found, near, all := 0, 0, 0
	for _, part := range strings.Split(string(data), "\n--- ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		text += "\n"
		p := fixPlace(name, mistake.ReplaceAllString(text, "$1"), mistake.ReplaceAllString(text, "$2"), hints{})
		t.Logf("%-20s %d of %d", name, p.at, p.of)
		all++
		if p.at > 0 {
			found++
		}
		if p.at > 0 && p.at <= 500 {
			near++
		}
	}
	t.Logf("among the edits: %d of %d, in the first 500: %d", found, all, near)
	if found < 36 || near < 33 {
		t.Errorf("found %d of %d, %d of them early", found, all, near)
	}
}

// TestEachStatement makes edits for files with every kind of short statement: none may end the engine.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	for path, text := range map[string]string{
		"a.py": "import os\n\n\nclass Odd(Exception):\n    pass\n\n\ndef f(a, *b, **c):\n    \"\"\"Text.\"\"\"\n    pass\n    global X\n    X = a\n    del b\n    assert a\n    yield\n" +
			"    for _ in b:\n        break\n    else:\n        continue\n    with open(a) as g:\n        pass\n    try:\n        raise\n    except Odd:\n        return\n    finally:\n        ...\n    print()\n",
		"a.go": "package a\n\nvar (\n\tx int\n)\n\nfunc f(a []int, g ...func()) {\n\tfor {\n\t\tbreak\n\t}\n\tselect {}\n\tdefer g[0]()\n\tswitch {\n\tdefault:\n\t}\n\tgoto end\nend:\n\tx++\n\treturn\n}\n",
		"a.js": "'use strict';\nfunction* f(a = 1, { b }, ...c) {\n  ;\n  debugger;\n  for (;;) { break; }\n  do {} while (a);\n  switch (a) { case 1: default: }\n  try {} catch {} finally {}\n  yield;\n  throw a;\n  return;\n}\n",
		"A.java": "class A {\n  int x;\n  A() {}\n  void f(int... a) throws Exception {\n    ;\n    int b;\n    for (;;) { break; }\n    do { continue; } while (x > 0);\n    switch (x) { case 1: default: }\n" +
			"    try { throw new Exception(); } finally { }\n    synchronized (this) { }\n    return;\n  }\n}\n",
	} {
		s := parse(path, text)
		lines := map[int]float64{}
		for l := range s.lines {
			lines[l+1] = 1
		}
		h := hints{null: true, index: true, hang: true, minus: true, texts: []string{"a"}}
		if all := candidates([]*source{s}, map[string]map[int]float64{path: lines}, h, priors(), learn([]*source{s})); len(all) == 0 {
			t.Errorf("%s: no edit", path)
		}
	}
}

// TestKnownMistakes looks for the fix among the edits, and among the first of them.
func TestKnownMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, bad, good string
		within          int
	}{
		{"a.py", "def fill(names, into=[]):\n    \"\"\"Text.\"\"\"\n    for n in names:\n        into.append(n)\n    return into\n",
			"def fill(names, into=None):\n    \"\"\"Text.\"\"\"\n    if into is None:\n        into = []\n    for n in names:\n        into.append(n)\n    return into\n", 20},
		{"e.py", "def flat(items):\n    out = []\n    for item in items:\n        if isinstance(item, list):\n            out.extend(item)\n        else:\n            out.append(item)\n    return out\n",
			"def flat(items):\n    out = []\n    for item in items:\n        if isinstance(item, list):\n            out.extend(flat(item))\n        else:\n            out.append(item)\n    return out\n", 100},
		{"d.go", "package a\n\nfunc depth(n *node, by int) int {\n\tif n == nil {\n\t\treturn 0\n\t}\n\treturn by + size(n.next)\n}\n",
			"package a\n\nfunc depth(n *node, by int) int {\n\tif n == nil {\n\t\treturn 0\n\t}\n\treturn by + size(depth(n.next, by))\n}\n", 100},
		{"f.py", "def kth(values, k):\n    pivot = values[0]\n    below = [x for x in values if x < pivot]\n    less = len(below)\n    if k >= less:\n        return kth(values[less:], k)\n    return kth(below, k)\n",
			"def kth(values, k):\n    pivot = values[0]\n    below = [x for x in values if x < pivot]\n    less = len(below)\n    if k >= less:\n        return kth(values[less:], k - less)\n    return kth(below, k)\n", 200},
		{"a.js", "export function middle(all) {\n  const o = [...all].sort();\n  return o[0];\n}\n", "export function middle(all) {\n  const o = [...all].sort((a, b) => a - b);\n  return o[0];\n}\n", 20},
		{"a.go", "package a\n\nfunc f(i, n int) int { return (i - 1) % n }\n", "package a\n\nfunc f(i, n int) int { return (i - 1 + n) % n }\n", 20},
		{"b.go", "package a\n\nfunc f(a, b int) int { return a / b * 100 }\n", "package a\n\nfunc f(a, b int) int { return a * 100 / b }\n", 20},
		{"b.py", "def f(size, window):\n    total = sum(window)\n    return total / size\n", "def f(size, window):\n    total = sum(window)\n    return total / len(window)\n", 60},
		{"c.py", "HOME = \"IE\"\n\n\ndef f(vat, country):\n    return bool(vat) and country in RATES\n", "HOME = \"IE\"\n\n\ndef f(vat, country):\n    return bool(vat) and country in RATES and country != HOME\n", 60},
		{"d.py", "def f(a, b):\n    if a in b or not b:\n        raise ValueError(a)\n    b.add(a)\n", "def f(a, b):\n    if a in b:\n        raise ValueError(a)\n    if not b:\n        return\n    b.add(a)\n", 150},
	} {
		p := fixPlace(tt.path, tt.bad, tt.good, hints{})
		t.Logf("%s: %d of %d", tt.path, p.at, p.of)
		if p.at == 0 || p.at > tt.within {
			t.Errorf("%s: %d of %d, want it among the first %d", tt.path, p.at, p.of, tt.within)
		}
	}
}

// TestEachKind looks for the right edit of each kind in each language: it must be there, and early enough to be tried.
func TestEachKind(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(data), "\n--- ")[1:] {
		head, text, _ := strings.Cut(part, "\n")
		text += "\n"
		name := head[strings.LastIndexByte(head, ' ')+1:]
		p := fixPlace(name, mistake.ReplaceAllString(text, "$1"), mistake.ReplaceAllString(text, "$2"), hints{null: strings.HasPrefix(head, "null guard")})
		if p.kind == "" || kindWords()[p.kind] == "" {
			t.Errorf("%s: edits of the kind %q have no words", head, p.kind)
		}
		t.Logf("%-40s %d of %d", head, p.at, p.of)
		if p.at == 0 || p.at > 300 {
			t.Errorf("%s: %d of %d", head, p.at, p.of)
		}
	}
}

// TestWhatLacked guards first what the failure says was nothing, of all that is asked there, and takes a field's method of the same
// name for no recursion.
func TestWhatLacked(t *testing.T) {
	t.Parallel()
	const bad = "HOME = \"IE\"\n\n\ndef supply(shop, customer, goods):\n    return shop.rates.get(goods.kind, shop.usual) + customer.address.country + goods.maker.name\n"
	good := strings.Replace(bad, "    return", "    if customer.address is None:\n        return HOME\n    return", 1)
	st := &state{levels: []*level{newLevel("")}, failing: []failure{{message: "AttributeError: 'NoneType' object has no attribute 'country'"}}}
	p := fixPlace("a.py", bad, good, st.hints())
	t.Logf("%d of %d", p.at, p.of)
	if p.at == 0 || p.at > 12 {
		t.Errorf("the guard of what was nothing stands at %d of %d", p.at, p.of)
	}
	for message, want := range map[string]string{
		"TypeError: Cannot read properties of undefined (reading 'city')": "city", "TypeError: Cannot read properties of null (reading 'size')": "size",
		`java.lang.NullPointerException: Cannot invoke "java.lang.String.trim()" because "<parameter1>" is null`: "trim",
		`java.lang.NullPointerException: Cannot read field "next" because "this.head" is null`:                   "next",
		"TypeError: 'NoneType' object is not subscriptable":                                                      "",
	} {
		st.failing = []failure{{message: message}}
		h := st.hints()
		if got := strings.Join(h.lacked, " "); !h.null || got != want {
			t.Errorf("%s: %v %q, want %q", message, h.null, got, want)
		}
	}
	for text, want := range map[string]bool{
		"class A:\n    def get(self, k):\n        return self._all.get(k)\n":          false,
		"class A:\n    def total(self):\n        return self.v + self.left.total()\n": true,
		"class A:\n    def get(self, k):\n        return self.get(k - 1)\n":           true,
		"def get(k):\n    return get(k - 1)\n":                                        true,
	} {
		s := parse("a.py", text)
		if got := s.scopeOf(s.root.smallest(len(text)-2, len(text)-2)).recursive(s); got != want {
			t.Errorf("recursive: %v of\n%s", got, text)
		}
	}
}

// TestNotReached moves a statement that the failing test does not reach, since it stands on the wrong side of another.
func TestNotReached(t *testing.T) {
	t.Parallel()
	s := parse("a.py", "def f(a):\n    if a > 1:\n        return 1\n        return 2\n")
	all := candidates([]*source{s}, map[string]map[int]float64{"a.py": {2: 1}}, hints{}, priors(), learn([]*source{s}))
	for i, c := range all {
		if c.after() == "def f(a):\n    if a > 1:\n        return 1\n    return 2\n" {
			if i > 30 {
				t.Errorf("it is %d of %d", i+1, len(all))
			}
			return
		}
	}
	t.Error("it is not among the edits")
}
