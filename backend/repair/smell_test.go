package repair

import (
	"strings"
	"testing"

	"redgreen/backend/model"
)

// TestSmell counts against an edit what no person would write, whatever the tests say.
func TestSmell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, before, now string
		worse             bool
	}{
		{"a.py", "def f(a, b):\n    return ⟦a + b⟧\n", "a - b", false},
		{"a.py", "def f(a, b):\n    return ⟦a + b⟧\n", "a", true},
		{"a.py", "def f(a, b):\n    return ⟦a + b⟧\n", "a + a - a", true},
		{"a.py", "def f(a, b):\n    return ⟦a + b⟧\n", "a + b + 0", true},
		{"a.py", "def f(a, b):\n    return ⟦a + b⟧\n", "0 * a + b", true},
		{"a.py", "def f(a, b):\n    return ⟦a + b⟧\n", "a + b + 1 - 1", true},
		{"a.py", "def f(a, b):\n    ⟦a.append(b)⟧\n    return a\n", "b", true},
		{"a.py", "def f(a, b):\n    g(⟦a, b⟧)\n    return a, b\n", "b, a", false},
		{"a.py", "def f(a, b):\n    g(⟦a, b⟧)\n    return a, b\n", "a, a", true},
		{"a.py", "def f(a):\n    for x in ((0, 1), ⟦(1, 0)⟧):\n        g(a, x)\n", "(0, 1)", true},
		{"a.py", "def f(a):\n    b = []\n    for x in a:\n        ⟦b⟧.append(x)\n    return b\n", "a", true},
		{"a.js", "function f(a, b) {\n  for (const x of a) {\n    ⟦b⟧.push(x);\n  }\n  return b;\n}\n", "a", true},
		{"A.java", "class A {\n    void f(List<String> a, List<String> b) {\n        for (String x : a) {\n            ⟦b⟧.add(x);\n        }\n    }\n}\n", "a", true},
		{"a.go", "package a\n\nfunc f(a, b int) int {\n\tif ⟦a < b⟧ {\n\t\treturn a\n\t}\n\treturn b\n}\n", "a < a", true},
		{"a.go", "package a\n\nfunc f(a, b int) int {\n\tif ⟦a < b⟧ {\n\t\treturn a\n\t}\n\treturn b\n}\n", "b < a", false},
		{"a.js", "export function f(a, b) {\n  a ⟦+=⟧ b;\n  return a;\n}\n", "-=", false},
		{"a.js", "export function f(a, b) {\n  a = ⟦a + b⟧;\n  return a;\n}\n", "a", true},
		{"a.go", "package a\n\nfunc f(all []E) int {\n\tn, m := 0, 0\n\tfor _, e := range all {\n\t\tif e.ok {\n\t\t\tn += e.v⟦⟧\n\t\t}\n\t\tm += e.v\n\t}\n\tg(m)\n\treturn n\n}\n", "\n\t\t\treturn n", true},
		{"a.go", "package a\n\nfunc f(all []E) int {\n\tn, m := 0, 0\n\tfor _, e := range all {\n\t\tif e.ok {\n\t\t\tn += e.v⟦⟧\n\t\t}\n\t\tm += e.v\n\t}\n\tg(m)\n\treturn n\n}\n", "\n\t\t\tcontinue", false},
		{"a.py", "def f(all):\n    out = []\n    for x in all:\n        if x:\n            out.append(x)⟦⟧\n        out.append(0)\n    return out\n", "\n            break", true},
		{"a.py", "def f(all):\n    found = False\n    for x in all:\n        if x:\n            found = True⟦⟧\n        g(x)\n    return found\n", "\n            break", false},
		{"A.java", "class A {\n    int f(int a, int b) {\n        ⟦return a;⟧\n    }\n}\n", "return a;\n        return a;", true},
	} {
		at := strings.Index(tt.before, "⟦")
		was := tt.before[at+len("⟦") : strings.Index(tt.before, "⟧")]
		s := parse(tt.path, strings.NewReplacer("⟦", "", "⟧", "").Replace(tt.before))
		c := &candidate{src: s, edits: []edit{{at, at + len(was), tt.now}}}
		if got := c.smell(); (got > 0) != tt.worse {
			t.Errorf("%s for %s: %v", tt.now, was, got)
		}
	}
}

// TestHidden counts a statement that is moved behind one that leaves its block as one that was deleted; one that is moved to where it
// runs is no worse than before.
func TestHidden(t *testing.T) {
	t.Parallel()
	for path, text := range map[string]string{
		"a.py":   "def f(x, log):\n    if x < 0:\n        raise ValueError(\"low\")\n    if x > 100:\n        raise ValueError(\"high\")\n    log.append(x)\n    return x\n",
		"a.js":   "export function f(x, log) {\n  if (x < 0) {\n    throw new Error('low');\n  }\n  if (x > 100) throw new Error('high');\n  log.push(x);\n  return x;\n}\n",
		"a.go":   "package a\n\nfunc f(x int, log []int) error {\n\tif x < 0 {\n\t\treturn low\n\t}\n\tif x > 100 {\n\t\treturn high\n\t}\n\tkeep(x)\n\treturn nil\n}\n",
		"A.java": "class A {\n    int f(int x) {\n        if (x < 0) {\n            throw new Low();\n        }\n        if (x > 100) throw new High();\n        keep(x);\n        return x;\n    }\n}\n",
	} {
		s := parse(path, text)
		hidden, moves := 0, 0
		for _, c := range candidates([]*source{s}, suspectAll(s), hints{}, priors(), learn([]*source{s})) {
			if c.kind != "move" || len(c.more) > 0 {
				continue
			}
			moves++
			after := parse(path, c.after())
			if at := c.edits[0].start; after != nil && after.dead(at) > s.dead(at) {
				hidden++
				if least := byAccident("delete") - byAccident("move"); c.smell() < least {
					t.Errorf("%s: %v for\n%s", path, c.smell(), c.after())
				}
			} else if c.smell() >= smellHidden {
				t.Errorf("%s: %v for what runs\n%s", path, c.smell(), c.after())
			}
		}
		if moves == 0 || hidden == 0 && path == "a.py" {
			t.Errorf("%s: %d of %d moves hide something", path, hidden, moves)
		}
	}
}

// suspectAll suspects each line of a file alike.
func suspectAll(s *source) map[string]map[int]float64 {
	lines := map[int]float64{}
	for n := range strings.Count(s.text, "\n") {
		lines[n+1] = 1
	}
	return map[string]map[int]float64{s.path: lines}
}

// TestLosesText keeps an edit that takes out a text behind one that does not.
func TestLosesText(t *testing.T) {
	t.Parallel()
	s := parse("a.py", "def f(label, room):\n    return label[:room] + \"…\"\n")
	at := strings.Index(s.text, "label[")
	end := len(s.text) - 1
	for text, want := range map[string]bool{"label[:room]": true, "label[:room - 1] + \"…\"": false, "label[:room] + \"...\"": false} {
		c := &candidate{src: s, edits: []edit{{at, end, text}}}
		if c.losesText() != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

// TestOrder takes of edits that pass all tests the one that changes and breaks least beside them.
func TestOrder(t *testing.T) {
	t.Parallel()
	k := newTalk(t, nil)
	k.judge = func(files map[string]string) string {
		text := files["days.py"]
		switch {
		case strings.Contains(text, "return last - first + 1"):
			return "passes all tests; near the inputs of passing tests it changes 9 of 10 results, near those of all it raises on 8 of 20"
		case strings.Contains(text, "return last + first"):
			return "passes all tests; near the inputs of passing tests it changes 0 of 10 results, near those of all it raises on 0 of 20"
		}
		return ""
	}
	k.run()
	if text := k.files["days.py"]; !strings.Contains(text, "return last + first") {
		t.Errorf("it takes\n%s", text)
	}
	k = newTalk(t, nil)
	k.judge = func(files map[string]string) string {
		text := files["days.py"]
		near := "passes all tests; near the inputs of passing tests it changes 0 of 10 results, near those of all it raises on 2 of 20"
		switch {
		case strings.Contains(text, "return last - first + 1"):
			return near + ", does not end on 2"
		case strings.Contains(text, "return last * first"):
			return near + ", does not end on 1"
		}
		return ""
	}
	k.run()
	if text := k.files["days.py"]; !strings.Contains(text, "return last * first") {
		t.Errorf("where one ends more often it takes\n%s", text)
	}
	b := readBatch(model.Call{Args: `{"candidates": ["a", "b", "c"]}`}, model.Result{Text: "Tried 2.\n#1 passes all tests; near the inputs of passing tests it changes 1 of 4 results, near those of all it raises on 1 of 2\n#2 passes all tests\n" +
		"#3 passes all tests; near the inputs of passing tests it changes 0 of 4 results, near those of all it raises on 0 of 2, and changes what it is given on 1\n"})
	if len(b.pass) != 3 || b.beside[0] != 0.75 || b.beside[1] != 0 || b.beside[2] != touching {
		t.Errorf("%+v", b)
	}
}
