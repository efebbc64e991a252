package testrun

import (
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestTryComparesGo tells versions of Go apart that differ off the tests' inputs only, and takes for one what does the same; one
// that never ends, ends the process or panics costs only what is said of it.
func TestTryComparesGo(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 4 * time.Minute})
	const code = `package a

import (
	"fmt"
	"os"
	"strings"
	"time"
)

type Card struct {
	text string
	tags map[string]int
	next *Card
}

func twice(n int) int {
	if n > 3 {
		return n * 3
	}
	return n * 2
}

func (c *Card) Size() int { return len(c.text) - 1 }

func (c Card) Tag(name string, more ...int) (int, error) {
	if len(more) > 0 {
		return more[0], nil
	}
	return 0, fmt.Errorf("no tag %s", name)
}

func Last[T any](all []T) T { return all[0] }

func sorted(all []int) []int { return all }

func day(t time.Time, f func()) int { return t.Day() }

func (c *Card) Add(s string) { c.text = s }

func outer(s string) string { return inner(s) }

func inner(s string) string { return s }

var _, _ = os.Exit, strings.ToUpper
`
	const tests = `package a

import (
	"testing"
	"time"
)

func TestTwice(t *testing.T) {
	for _, n := range []int{7} {
		t.Run("large", func(t *testing.T) {
			if got := twice(n); got != 14 {
				t.Fatal(got)
			}
		})
	}
}

func TestSmall(t *testing.T) {
	t.Parallel()
	if twice(1) != 2 || twice(0) != 0 {
		t.Error("small")
	}
}

func TestSize(t *testing.T) {
	if (&Card{text: "a"}).Size() != 1 {
		t.Error("size")
	}
}

func TestTag(t *testing.T) {
	if n, _ := (Card{tags: map[string]int{"a": 3}}).Tag("a"); n != 3 {
		t.Error(n)
	}
}

func TestLast(t *testing.T) {
	if Last([]string{"b", "a"}) != "a" {
		t.Error("last")
	}
}

func TestSorted(t *testing.T) {
	if got := sorted([]int{2, 1}); got[0] != 1 {
		t.Error(got)
	}
}

func TestDay(t *testing.T) {
	if day(time.Unix(0, 0).UTC(), nil) != 2 {
		t.Error("day")
	}
}

func TestAdd(t *testing.T) {
	c := &Card{text: "a"}
	if c.Add("b"); c.text != "ab" {
		t.Error(c.text)
	}
}

func TestOuter(t *testing.T) {
	if outer("ab") != "AB" {
		t.Error("outer")
	}
}
`
	dir := b.files(t, map[string]string{"go.mod": "module example.org/a\n\ngo 1.24\n", "a.go": code, "a_test.go": tests})
	c := mustFind(t, dir)
	for _, tt := range []struct {
		name, from string
		to         []string
		groups     []int  // of the first: a recursion without end may be seen by the clock, too
		input      string // what tells the first two groups apart begins so
		gives      string // and holds that
	}{
		{"Twice", "n * 3", []string{"n * 2", "2 * n", "n + 7", "14 / (8 - n)", "n + map[bool]int{true: 7}[n == 7 || func() bool { os.Exit(3); return true }()]", "func() int { for n != 7 {}; return 14 }()",
			"func() int { if n == 7 { return 14 }; return twice(n) }()"}, []int{1, 1, 3, 4, 5}, "twice(", ""},
		{"Size", "len(c.text) - 1", []string{"len(c.text)", "1", "len(c.text) + 0"}, []int{1, 2, 1}, "&Card{text: ", ""},
		{"Tag", `return 0, fmt.Errorf("no tag %s", name)`, []string{"return c.tags[name], nil", `return 3, fmt.Errorf("no tag %s", name)`, "n := c.tags[name]; return n, nil"}, []int{1, 2, 1}, "Card{text: ", "error \"no tag "},
		{"Last", "all[0]", []string{"all[len(all)-1]", "all[1]"}, []int{1, 2}, "Last([", ""},
		{"Sorted", "[]int { return all", []string{"[]int { return []int{all[1], all[0]}", "[]int { all[0], all[1] = all[1], all[0]; return all"}, []int{1, 2}, "sorted([", "and changes what it is given to"},
		{"Day", "t.Day()", []string{"t.Day() + 1", "2", "1 + t.Day()"}, []int{1, 2, 1}, "day(", ""},
		{"Add", "c.text = s", []string{"c.text += s", `c.text = "ab"`}, []int{1, 2}, "&Card{text: ", "leaves &Card{text: "},
		{"Outer", "string { return s", []string{"string { return strings.ToUpper(s)", `string { return strings.Replace("AB", "x", s, 1)`}, []int{1, 2}, "inner(", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var candidates []Candidate
			trials := make([]Trial, len(tt.to))
			for i, one := range tt.to {
				candidates = append(candidates, changed(t, dir, "a.go", tt.from, one))
				trials[i] = Trial{Tried: true, Whole: true, All: true}
			}
			if err := b.runner.compareGo(t.Context(), dir, c, candidates, trials, TryOptions{Red: []string{"Test" + tt.name}, Green: []string{"TestSmall"}, Test: time.Second}); err != nil {
				t.Fatal(err)
			}
			if got := groups(trials)[:len(tt.groups)]; !slices.Equal(got, tt.groups) || slices.Contains(groups(trials)[len(tt.groups):], 1) {
				t.Errorf("groups: %v, want %v\n%+v", got, tt.groups, trials)
			}
			if d := trials[0].Differs; len(d) == 0 || !strings.HasPrefix(d[0].Input, tt.input) || !strings.Contains(d[0].Gives[0]+"\n"+d[0].Gives[1], tt.gives) || d[0].Gives[0] == d[0].Gives[1] {
				t.Errorf("they differ so: %+v", d)
			}
			if touches := trials[1].Touches > 0; touches != (tt.name == "Sorted") {
				t.Errorf("it changes what it is given: %v", touches)
			}
			if tt.name == "Twice" && (trials[0].Near[1] < 2 || trials[0].Raises[0] != 0 || trials[3].Raises[0] == 0 || trials[4].Raises[0] == 0 || trials[5].Endless == 0 || trials[6].Endless == 0) {
				t.Errorf("%+v", trials)
			}
		})
	}
}

// TestTryComparesGoOwnMain compares a package that begins its tests itself, before it tidies up.
func TestTryComparesGoOwnMain(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 5 * time.Minute})
	dir := b.files(t, map[string]string{"go.mod": "module example.org/a\n\ngo 1.24\n", "a.go": "package a\n\nvar ready = map[string]int{}\n\nfunc few(n int) int { return n - ready[\"one\"] }\n",
		"main_test.go": "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(begin(m)) }\n\nfunc begin(all *testing.M) int {\n\tready[\"one\"] = 1\n\tdefer clear(ready)\n\treturn all.Run()\n}\n",
		"a_test.go":    "package a\n\nimport \"testing\"\n\nfunc TestFew(t *testing.T) {\n\tif few(3) != 4 {\n\t\tt.Error(few(3))\n\t}\n}\n"})
	var candidates []Candidate
	var trials []Trial
	for _, to := range []string{`n + ready["one"]`, `ready["one"] + n`, `4 * ready["one"]`} {
		candidates, trials = append(candidates, changed(t, dir, "a.go", `n - ready["one"]`, to)), append(trials, Trial{Tried: true, Whole: true, All: true})
	}
	if err := b.runner.compareGo(t.Context(), dir, mustFind(t, dir), candidates, trials, TryOptions{Red: []string{"TestFew"}, Test: time.Second}); err != nil {
		t.Fatal(err)
	}
	if got := groups(trials); !slices.Equal(got, []int{1, 1, 3}) || len(trials[0].Differs) == 0 || !strings.HasPrefix(trials[0].Differs[0].Gives[1], "4") {
		t.Errorf("groups %v, %+v", got, trials)
	}
}

// TestHookRun finds where a test file runs its tests.
func TestHookRun(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"func TestMain(m *testing.M) { os.Exit(m.Run()) }":                             "func TestMain(m *testing.M) { os.Exit(redgreenRun(m)) }",
		"func TestMain(m *testing.M) { func() { defer x(); c = m.Run() }(); m.Run() }": "func TestMain(m *testing.M) { func() { defer x(); c = redgreenRun(m) }(); redgreenRun(m) }",
		"func run(all *testing.M, s server) int { s.Run(); return all.Run() }":         "func run(all *testing.M, s server) int { s.Run(); return redgreenRun(all) }",
		"var f = func(m *testing.M) int { return m.Run() }":                            "var f = func(m *testing.M) int { return redgreenRun(m) }",
		"func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }":                     "",
		"func TestA(t *testing.T) { t.Run(\"a\", nil) }":                               "",
		"func (": "",
	} {
		got, pkg, found := hookRun("package a\n\n" + text + "\n")
		if found != (want != "") || found && (pkg != "a" || got != "package a\n\n"+want+"\n") {
			t.Errorf("%s: %v, %s", text, found, got)
		}
	}
}

// TestTryComparesNoGo says nothing where a package begins its tests in a way that is not known, or where what passes changes more than functions.
func TestTryComparesNoGo(t *testing.T) {
	t.Parallel()
	b := realBench(t, sandbox.Limits{})
	dir := b.files(t, map[string]string{"go.mod": "module example.org/a\n\ngo 1.24\n", "a.go": "package a\n\nvar most = 3\n\nfunc few(n int) bool { return n < most }\n",
		"a_test.go": "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n"})
	trials := []Trial{{Tried: true, Whole: true, All: true}, {Tried: true, Whole: true, All: true}}
	both := []Candidate{changed(t, dir, "a.go", "n < most", "n <= most"), changed(t, dir, "a.go", "n < most", "n < most+1")}
	if err := b.runner.compareGo(t.Context(), dir, mustFind(t, dir), both, trials, TryOptions{Red: []string{"TestFew"}}); err != nil || trials[0].Group != 0 {
		t.Errorf("%+v, %v", trials, err)
	}
	both[1] = changed(t, dir, "a.go", "most = 3", "most = 4")
	if g := comparableGo(folder{root: dir}, both, trials); len(g.changes) != 1 || len(g.changes[0]) != 1 {
		t.Errorf("%+v", g)
	}
}
