package testrun

import (
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestTryGo does the same in Go, where all candidates are compiled into the same programs.
func TestTryGo(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 4 * time.Minute})
	dir := b.sampleDir(t, "ledger")
	c := mustFind(t, dir)
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	candidates := []Candidate{
		changed(t, dir, "amount/amount.go", "if units < 0 {", "if units <= 0 {"),
		changed(t, dir, "amount/amount.go", "if units < 0 {", "if units < 0 || whole {"),
		changed(t, dir, "amount/amount.go", "if units < 0 {", "for {}\n\tif units < 0 {"),
		changed(t, dir, "amount/amount.go", "if units < 0 {", "if units < {"),
		changed(t, dir, "amount/amount.go", "if units < 0 {", `if units < 0 || strings.HasPrefix(whole, "-") {`),
		changed(t, dir, "amount/amount.go", "if units < 0 {", `if strings.HasPrefix(whole, "-") || 0 > units {`),
		changed(t, dir, "amount/amount.go", "cents *= 10", "cents *= 100"),
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: 500 * time.Millisecond, Wall: 3 * time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) > 0 && !t.All },
		func(t Trial) bool { return t.Tried && !t.Built },
		func(t Trial) bool { return len(t.Hung) > 0 && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Tried && !t.Built },
		func(t Trial) bool { return t.Passes() && t.Group == 5 && t.Raises[1] > 0 },
		func(t Trial) bool { return t.Passes() && t.Group == 5 },
		func(t Trial) bool { return t.Built && !t.All },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
}

// TestTryGoOutsideOfFunctions tries another first value of a variable and an import together with changes of functions, and a
// constant as a run of its own, where nothing else passes.
func TestTryGoOutsideOfFunctions(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 4 * time.Minute})
	dir := b.files(t, map[string]string{
		"go.mod":    "module example.org/a\n\ngo 1.24\n",
		"a.go":      "package a\n\nvar units = map[string]int{\n\t\"k\": 100,\n}\n\nconst most = 3\n\nfunc size(u string) int { return units[u] }\n\nfunc few(n int) bool { return n <= most }\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestSize(t *testing.T) {\n\tif size(\"k\") != 1000 {\n\t\tt.Error(size(\"k\"))\n\t}\n}\n\nfunc TestFew(t *testing.T) {\n\tif !few(3) || few(7) {\n\t\tt.Error(most)\n\t}\n}\n",
	})
	c := mustFind(t, dir)
	o := TryOptions{Red: []string{"TestSize"}, Green: []string{"TestFew"}, Test: time.Second, Wall: time.Minute, Enough: 3}
	upper := changed(t, dir, "a.go", "return units[u] }", "return units[strings.ToLower(u)] * 10 }")
	upper["a.go"] = strings.Replace(upper["a.go"], "package a\n", "package a\n\nimport \"strings\"\n", 1)
	constant := changed(t, dir, "a.go", "most = 3", "most = 4")
	trials, problem, err := b.runner.Try(t.Context(), dir, c, []Candidate{
		changed(t, dir, "a.go", "100,", "1000,"),
		changed(t, dir, "a.go", "100,", "1000"),
		changed(t, dir, "a.go", "100,", "true,"),
		upper, constant,
	}, o)
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Passes() },
		func(t Trial) bool { return t.Tried && !t.Built },
		func(t Trial) bool { return t.Tried && !t.Built },
		func(t Trial) bool { return t.Passes() },
		func(t Trial) bool { return !t.Tried },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
	trials, problem, err = b.runner.Try(t.Context(), dir, c, []Candidate{constant}, o)
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	if got := trials[0]; !got.Tried || !got.Built || len(got.Fixed) > 0 {
		t.Errorf("the constant: %+v", got)
	}
}

// TestTraceGo tells the lines of each test of Go apart, also of one that panics and of one that never ends.
func TestTraceGo(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 4 * time.Minute})
	dir := b.files(t, map[string]string{
		"go.mod": "module example.org/a\n\ngo 1.24\n",
		"a/a.go": "package a\n\nfunc At(all []int, i int) int {\n\tfor i < 0 {\n\t\tall = nil\n\t}\n\tif i > 9 {\n\t\treturn 0\n\t}\n\tif i == 5 {\n\t\treturn 1\n\t}\n\treturn all[i]\n}\n",
		"a/a_test.go": "package a_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/a/a\"\n)\n\nfunc TestAt(t *testing.T) {\n\tfor _, c := range []struct {\n\t\tname string\n\t\ti    int\n\t}{{\"far\", 10}, {\"five\", 5}, {\"panics\", 3}, {\"never ends\", -1}} {\n" +
			"\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tt.Parallel()\n\t\t\tif a.At(nil, c.i) != 0 {\n\t\t\t\tt.Fatal(c.i)\n\t\t\t}\n\t\t})\n\t}\n}\n",
	})
	s, err := b.runner.Trace(t.Context(), dir, mustFind(t, dir), []string{"a.TestAt", "a.TestAt/five", "a.TestAt/panics", "a.TestAt/never_ends"}, []string{"a.TestAt/far"}, []string{"a/a.go"}, time.Second, time.Minute)
	if err != nil || s.Problem != "" {
		t.Fatal(s.Problem, err)
	}
	want := map[int][2]int{4: {3, 1}, 5: {1, 0}, 7: {2, 1}, 8: {0, 1}, 10: {2, 0}, 11: {1, 0}, 13: {1, 0}}
	for line, n := range want {
		if got := [2]int{s.Red["a/a.go"][line], s.Green["a/a.go"][line]}; got != n {
			t.Errorf("line %d: %d, want %d", line, got, n)
		}
	}
	if s.Reds != 3 || s.Greens != 1 {
		t.Errorf("%d failing and %d passing tests", s.Reds, s.Greens)
	}
}
