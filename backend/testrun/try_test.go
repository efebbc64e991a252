package testrun

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// changed is a candidate that replaces one text of one file of a tree.
func changed(t *testing.T, dir, file, old, new string) Candidate {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(data), old) != 1 {
		t.Fatalf("%s has %q %d times", file, old, strings.Count(string(data), old))
	}
	return Candidate{file: strings.Replace(string(data), old, new, 1)}
}

// TestTryPython tries candidates of each fate in one run of the real sandbox.
func TestTryPython(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.sampleDir(t, "invoice")
	c := mustFind(t, dir)
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	const guard = "    if customer.address is None:\n        return HOME\n    return customer.address.country"
	both := changed(t, dir, "invoice/tax.py", "    return customer.address.country", guard)
	both["invoice/render.py"] = changed(t, dir, "invoice/render.py", "    return [customer.name, address.street",
		"    if address is None:\n        return [customer.name]\n    return [customer.name, address.street")["invoice/render.py"]
	slow := Candidate{"invoice/render.py": both["invoice/render.py"], "invoice/tax.py": changed(t, dir, "invoice/tax.py", "    return customer.address.country",
		"    import time\n    end = time.process_time() + 0.3\n    while not hasattr(place_of_supply, \"late\") and time.process_time() < end:\n        pass\n    place_of_supply.late = True\n"+guard)["invoice/tax.py"]}
	endless := changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    while True:\n        pass")
	candidates := []Candidate{
		changed(t, dir, "invoice/tax.py", `HOME = "IE"`, `HOME = "DE"`),
		changed(t, dir, "invoice/tax.py", "    return customer.address.country", guard),
		endless,
		changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    return ("),
		changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    import os\n    os._exit(3)"),
		slow,
		both,
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) == 0 && !t.Whole },
		func(t Trial) bool { return slices.Equal(t.Fixed, red[:1]) && t.Whole && !t.All && len(t.Broken) == 0 },
		func(t Trial) bool { return !t.Tried }, // another passes
		func(t Trial) bool { return t.Tried && !t.Built },
		func(t Trial) bool { return t.Crashed && len(t.Fixed) == 0 },
		func(t Trial) bool { return !t.Tried },
		func(t Trial) bool { return t.Passes() },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
	candidates = []Candidate{endless, changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    return sum(range(10 ** 12))"), slow} // no signal reaches the second
	trials, problem, err = b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 3})
	if err != nil || problem != "" || len(trials[0].Hung) == 0 || len(trials[1].Hung) == 0 || !trials[2].Passes() {
		t.Errorf("where no other passes: %s %v %+v", problem, err, trials)
	}
	s, err := b.runner.Trace(t.Context(), dir, c, red, green, []string{"invoice/tax.py", "invoice/render.py"}, time.Second, time.Minute)
	if err != nil || s.Problem != "" {
		t.Fatal(s.Problem, err)
	}
	if s.Reds != len(red) || s.Red["invoice/tax.py"][19] != len(red) || s.Green["invoice/tax.py"][19] == 0 || s.Red["invoice/render.py"][19] != 0 {
		t.Errorf("spectrum: %+v", s)
	}
}

// TestTryNode does the same with node:test.
func TestTryNode(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.sampleDir(t, "cronline")
	c := mustFind(t, dir)
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	const was = "schedule.day.has(time.getUTCDate()) && schedule.weekday.has(time.getUTCDay())"
	day, weekday, _ := strings.Cut(was, " && ")
	candidates := []Candidate{
		changed(t, dir, "src/next.js", "HORIZON_YEARS = 8", "HORIZON_YEARS = 9"),
		changed(t, dir, "src/next.js", was, day+" || "+weekday),
		changed(t, dir, "src/next.js", was, "(() => { for (;;); })()"),
		changed(t, dir, "src/next.js", was, "("),
		changed(t, dir, "src/next.js", was, "schedule.any.has('day') || schedule.any.has('weekday') ? "+was+" : "+day+" || "+weekday),
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) == 0 && !t.Whole && t.Shared },
		func(t Trial) bool { return t.All && len(t.Broken) > 0 },
		func(t Trial) bool { return len(t.Hung) > 0 && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Tried && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Passes() },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
}

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

// TestHang lets a test that never ends fail, and the others go on.
func TestHang(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	for name, test := range map[string]string{
		"pytest":   "import pytest\n\n\ndef test_loop():\n    a = [2, 1]\n    going = True\n    while going:\n        for i in range(len(a) - 1):\n            if a[i] > a[i + 1]:\n                going = True\n\n\ndef test_good():\n    pass\n",
		"unittest": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_loop(self):\n        while True:\n            pass\n\n    def test_other(self):\n        pass\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := b.folder(t, func(dir string) {
				if err := os.WriteFile(filepath.Join(dir, "test_x.py"), []byte(test), 0o644); err != nil {
					t.Fatal(err)
				}
			})
			o := b.runner.options
			o.Hang = time.Minute
			r := New(o).Hasty(time.Second)
			c := Command{Runner: name, Args: map[string][]string{"pytest": {"python3", "-m", "pytest"}, "unittest": {"python3", "-m", "unittest", "discover"}}[name]}
			run, err := r.Run(t.Context(), dir, c, nil)
			if err != nil {
				t.Fatal(err)
			}
			passed, failed, _ := run.Counts()
			if passed != 1 || failed != 1 || run.Infrastructure || !slices.ContainsFunc(run.Tests, func(t Test) bool { return strings.Contains(t.Message, TooLong+", more than 1 s") }) {
				t.Errorf("%d passed, %d failed, %s: %+v", passed, failed, run.Reason, run.Tests)
			}
		})
	}
}

func mustFind(t *testing.T, dir string) Command {
	t.Helper()
	found, err := Find(dir)
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	return found[0]
}

// sides are the failing and the passing tests of a run.
func sides(run Run) (red, green []string) {
	for _, t := range run.Tests {
		switch t.Status {
		case Failed, Errored:
			red = append(red, t.ID)
		case Passed:
			green = append(green, t.ID)
		}
	}
	return red, green
}

// TestTryNodeTogether tries many versions in one process where that tells the same as processes of their own, and not where
// what one version leaves behind shows in the next.
func TestTryNodeTogether(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	const code = "'use strict';\nconst { one } = require('./lib/one');\nexports.add = (a, b) => a - b;\nexports.one = one;\n"
	const tests = `'use strict';
const assert = require('node:assert');
const { describe, it, test, before, beforeEach } = require('node:test');
const { add, one } = require('..');
let seen = 0;
beforeEach(() => { seen += 1; });
test('adds', () => { assert.strictEqual(add(1, 2), 3); });
test('subtests', async (t) => {
  await t.test('inner', () => { assert.strictEqual(add(2, 2), 4); });
  await t.test('other', () => {});
});
test('calls back', (t, done) => { setTimeout(() => done(add(1, 1) === 2 ? undefined : new Error('no')), 1); });
test.skip('not now', () => { throw new Error('no'); });
test('later', { todo: true }, () => { throw new Error('no'); });
describe('a suite', () => {
  let ready = false;
  before(() => { ready = true; });
  it('is set up', () => { assert.ok(ready && seen > 0); });
  it('waits', async () => { assert.strictEqual(await Promise.resolve(one), 1); });
  describe('within', () => { it('adds too', () => { assert.strictEqual(add(0, 5), 5); }); });
});
`
	for name, tt := range map[string]struct {
		tests  string
		shared bool
	}{
		"plain":            {tests, true},
		"something stays":  {tests + "globalThis.times = (globalThis.times ?? 0) + 1;\ntest('first time', () => { assert.strictEqual(globalThis.times, 1); });\n", false},
		"cannot be played": {tests + "test('planned', (t) => { t.mock.timers.enable({ apis: ['setTimeout'] }); t.mock.timers.reset(); assert.ok(typeof t.runOnly === 'function' && t.parent === undefined && Object.getPrototypeOf(t) !== Object.prototype); });\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := b.folder(t, func(dir string) {
				for file, text := range map[string]string{"package.json": `{"name": "x", "version": "1.0.0", "main": "index.js", "scripts": {"test": "node --test"}}`, "index.js": code,
					"lib/one.js": "exports.one = 1;\n", "test/x.test.js": tt.tests} {
					full := filepath.Join(dir, filepath.FromSlash(file))
					if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			})
			c := mustFind(t, dir)
			base, err := b.runner.Run(t.Context(), dir, c, nil)
			if err != nil {
				t.Fatal(err)
			}
			red, green := sides(base)
			if len(red) < 4 || len(green) < 3 {
				t.Fatalf("red %q, green %q", red, green)
			}
			var candidates []Candidate
			for _, body := range []string{"a * b", "{ Array.prototype.push = () => 7; return 1; }", "{ process.exit(0); }", "{ for (;;); }", "{ setTimeout(() => { throw new Error('late'); }); return 0; }", "(", "a + b"} {
				candidates = append(candidates, changed(t, dir, "index.js", "(a, b) => a - b", "(a, b) => "+body))
			}
			candidates = append(candidates, changed(t, dir, "lib/one.js", "one = 1", "one = 2"))
			if !tt.shared { // the same as before: two are enough
				candidates = []Candidate{candidates[0], candidates[6]}
			}
			trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 3})
			if err != nil || problem != "" {
				t.Fatal(problem, err)
			}
			for i, trial := range trials {
				right, hangs := i == 6, i == 3
				if !tt.shared {
					right, hangs = i == 1, false
				}
				if !trial.Tried || trial.Passes() != right || hangs != (len(trial.Hung) > 0) {
					t.Errorf("candidate %d: %+v", i, trial)
				}
			}
			if trials[0].Shared != tt.shared {
				t.Errorf("tried in a process with others: %v", trials[0].Shared)
			}
		})
	}
}

// TestTryComparesWhatItReaches calls what is changed, functions and methods, also where only the same file calls it.
func TestTryComparesWhatItReaches(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"label.py":      "class Card:\n    def __init__(self, text):\n        self.text = text\n\n    def size(self):\n        return len(self.text) - 1\n\n\ndef cut(text, room):\n    return text[:room] + '.'\n\n\ndef show(card):\n    return cut(card.text, 4)\n\n\ndef other(n):\n    return n\n",
		"test_label.py": "from label import Card, other, show\n\n\ndef test_cut():\n    assert len(show(Card('abcdef'))) == 4\n    assert Card('a').size() == 1\n    assert other(3) == 3\n",
	})
	c := mustFind(t, dir)
	both := func(from, to string) Candidate {
		cand := changed(t, dir, "label.py", from, to)
		cand["label.py"] = strings.Replace(cand["label.py"], "len(self.text) - 1", "len(self.text)", 1)
		return cand
	}
	for _, tt := range []struct {
		name, code string
		candidates []Candidate
		groups     []int
	}{
		{"a helper", "", []Candidate{both("text[:room] + '.'", "text[:room]"), both("text[:room] + '.'", "text[:room - 1] + '.'"), both("text[:room] + '.'", "text[0:room]")}, []int{1, 2, 1}},
		{"a method", "text[:room]", []Candidate{changed(t, dir, "label.py", "len(self.text) - 1", "len(self.text)"), changed(t, dir, "label.py", "len(self.text) - 1", "1")}, []int{1, 2}},
	} {
		if tt.code != "" {
			if err := os.WriteFile(filepath.Join(dir, "label.py"), []byte(strings.Replace(both("text[:room] + '.'", tt.code)["label.py"], "len(self.text)", "len(self.text) - 1", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, cand := range tt.candidates {
				cand["label.py"] = strings.Replace(cand["label.py"], "text[:room] + '.'", tt.code, 1)
			}
		}
		trials, problem, err := b.runner.Try(t.Context(), dir, c, tt.candidates, TryOptions{Red: []string{"test_label.py::test_cut"}, Test: time.Second, Wall: time.Minute, Enough: 9})
		if err != nil || problem != "" {
			t.Fatal(problem, err)
		}
		for i, want := range tt.groups {
			if got := trials[i]; !got.Passes() || got.Group != want {
				t.Errorf("%s, candidate %d: %+v", tt.name, i, got)
			}
		}
		if d := trials[0].Differs; len(d) != 1 || tt.code != "" && d[0].Input != "size(Card(text=''))" {
			t.Errorf("%s: they differ so: %+v", tt.name, d)
		}
	}
}

// TestTryCompares says of candidates that pass all tests what they do with inputs a little off those of the tests.
func TestTryCompares(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"twice.py":      "def twice(n):\n    if n > 3:\n        return n * 3\n    return n * 2\n",
		"test_twice.py": "from twice import twice\n\n\ndef test_small():\n    assert twice(1) == 2\n\n\ndef test_none():\n    assert twice(0) == 0\n\n\ndef test_large():\n    assert twice(7) == 14\n",
	})
	c := mustFind(t, dir)
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	candidates := []Candidate{
		changed(t, dir, "twice.py", "n * 3", "n * 2"),
		changed(t, dir, "twice.py", "n * 3", "14 if n == 7 else 1 // 0"),
		changed(t, dir, "twice.py", "    return n * 2", "    return n * 2 if n in (0, 1) else 9\n"),
		changed(t, dir, "twice.py", "n * 3", "2 * n"),
	}
	candidates[2]["twice.py"] = strings.Replace(candidates[2]["twice.py"], "n * 3", "14", 1)
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 9})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	if trials[0].Touches != 0 || trials[0].Endless != 0 {
		t.Errorf("it changes what it is given: %+v", trials[0])
	}
	for i, want := range []struct{ changes, raises bool }{{false, false}, {false, true}, {true, false}, {false, false}} {
		if got := trials[i]; !got.Passes() || got.Near[1] < 2 || got.Raises[1] < 4 || (got.Near[0] > 0) != want.changes || (got.Raises[0] > 0) != want.raises {
			t.Errorf("candidate %d: %+v", i, got)
		}
	}
	if trials[0].Group != trials[3].Group || trials[0].Group == trials[1].Group || trials[1].Group == trials[2].Group {
		t.Errorf("groups: %d %d %d %d", trials[0].Group, trials[1].Group, trials[2].Group, trials[3].Group)
	}
	var all []Differ
	for _, one := range trials {
		all = append(all, one.Differs...)
	}
	if len(all) != 3 { // each two of three groups
		t.Errorf("they differ so: %+v", all)
	}
	for _, d := range all {
		if !strings.HasPrefix(d.Input, "twice(") || d.Gives[0] == d.Gives[1] {
			t.Errorf("it tells nothing: %+v", d)
		}
	}
}

// TestTrySeesWhatIsTouched says of candidates whether they change their arguments, where the code as it is does not, and whether they
// end.
func TestTrySeesWhatIsTouched(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"look.py":      "def look(names, key):\n    return names.get(key, 1)\n",
		"test_look.py": "from look import look\n\n\ndef test_there():\n    assert look({'a': 2}, 'a') == 2\n\n\ndef test_missing():\n    assert look({'b': 3}, 'a') == 0\n",
	})
	var candidates []Candidate
	for _, now := range []string{"get(key, 0)", "pop(key, 0)", "setdefault(key, 0)", "get(key, 0) if names else look(names, key)"} {
		candidates = append(candidates, changed(t, dir, "look.py", "get(key, 1)", now))
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, mustFind(t, dir), candidates,
		TryOptions{Red: []string{"test_look.py::test_missing"}, Green: []string{"test_look.py::test_there"}, Test: time.Second, Wall: time.Minute, Enough: 9})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []bool{false, true, true, false} {
		if got := trials[i]; !got.Passes() || (got.Touches > 0) != want || (got.Endless > 0) != (i == 3) {
			t.Errorf("candidate %d: %+v", i, got)
		}
	}
	if len(trials[0].Differs)+len(trials[1].Differs) < 2 || !strings.Contains(fmt.Sprint(trials[0].Differs), "changes what it is given to") {
		t.Errorf("they differ so: %+v %+v", trials[0].Differs, trials[1].Differs)
	}
}

// TestTrySlowly tries each candidate as a run of its own where the runner has no driver: one that never ends is stopped after a few
// times what a run takes and costs the others nothing, and behind one that passes not all the rest is tried.
func TestTrySlowly(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	const lib = "value() { echo 1; }\n"
	dir := b.files(t, map[string]string{
		"lib.sh": lib,
		"run.sh": ". ./lib.sh\necho 1..2\nif [ \"$(value)\" = 2 ]; then echo 'ok 1 - two'; else echo 'not ok 1 - two'; fi\necho 'ok 2 - other'\n[ \"$(value)\" = 2 ]\n",
	})
	c := Custom([]string{"sh", "run.sh"})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 1 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	var candidates []Candidate
	for _, does := range []string{"while :; do :; done", "echo 3", "echo 2"} {
		candidates = append(candidates, Candidate{"lib.sh": strings.Replace(lib, "echo 1", does, 1)})
	}
	for len(candidates) < 3+2*slowMore {
		candidates = append(candidates, candidates[1])
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: 2 * time.Minute, Enough: 3, Run: 100 * time.Millisecond})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && len(t.Hung) == 1 && !t.Whole },
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Passes() },
		func(t Trial) bool { return t.Tried && len(t.Hung) == 0 },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
	if trials[len(trials)-1].Tried {
		t.Error("all were tried, although one passed early")
	}
	if got, err := os.ReadFile(filepath.Join(dir, "lib.sh")); err != nil || string(got) != lib {
		t.Errorf("the folder was changed: %q, %v", got, err)
	}
}

// TestTryJavaByExitStatus: where a command tells only its exit status, no test can be run in our driver, and each candidate is a run.
func TestTryJavaByExitStatus(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: time.Minute})
	dir := b.files(t, map[string]string{"Price.java": "class Price { int n = 1; }\n"})
	c := Custom([]string{"grep", "-q", "n = 2", "Price.java"})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 {
		t.Fatalf("red %q: %s", red, base.Reason)
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, []Candidate{changed(t, dir, "Price.java", "1", "3"), changed(t, dir, "Price.java", "1", "2")},
		TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	if !trials[0].Tried || trials[0].Passes() || !trials[1].Passes() {
		t.Errorf("%+v", trials)
	}
}

// TestTrySlowlyEncoded: where each candidate is a run of its own, its file has the bytes of its encoding.
func TestTrySlowlyEncoded(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: time.Minute})
	dir := b.files(t, map[string]string{"name.py": "# coding: latin-1\nNAME, N = 'caf\xe9', 1\n"})
	c := Custom([]string{"python3", "-c", "import name; assert (name.NAME, name.N) == ('caf\u00e9', 2)"})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 {
		t.Fatalf("red %q: %s", red, base.Reason)
	}
	fix := Candidate{"name.py": "# coding: latin-1\nNAME, N = 'café', 2\n"}
	latin := func(_, text string) ([]byte, error) { return []byte(strings.ReplaceAll(text, "é", "\xe9")), nil }
	trials, problem, err := b.runner.Try(t.Context(), dir, c, []Candidate{fix}, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 1, Bytes: latin})
	if err != nil || problem != "" || !trials[0].Passes() {
		t.Errorf("%+v, %q, %v", trials, problem, err)
	}
}

// TestTryJava does the same in Java, where the command is one that we know nothing of but that it runs JUnit.
func TestTryJava(t *testing.T) {
	if _, err := os.Stat("/usr/share/java/junit4.jar"); err != nil {
		t.Skip("this machine has no JUnit 4")
	}
	triesJava(t, "17")
}

// TestTryJavaThatStopsNoThread does it where Java itself cannot stop a test that never ends.
func TestTryJavaThatStopsNoThread(t *testing.T) {
	if found, _ := filepath.Glob("/usr/lib/jvm/*-25-*"); len(found) == 0 {
		t.Skip("this machine has no Java 25")
	}
	if _, err := os.Stat("/usr/share/java/junit4.jar"); err != nil {
		t.Skip("this machine has no JUnit 4")
	}
	triesJava(t, "25")
}

func triesJava(t *testing.T, version string) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	runner, err := os.ReadFile("../../testdata/builtin/RunTests.java")
	if err != nil {
		t.Fatal(err)
	}
	dir := b.files(t, map[string]string{
		".java-version": version,
		"RunTests.java": string(runner),
		"src/shop/Price.java": `package shop;

/** What a thing costs. */
public class Price {
    static final int MOST = 100;

    public static int total(int each, int n) {
        return each + n;
    }

    public static boolean dear(int price) {
        return price > MOST;
    }
}
`,
		"src/shop/Sale.java": `package shop;

public class Sale {
    public static int most() {
        return Price.MOST;
    }
}
`,
		"test/shop/PriceTest.java": `package shop;

import static org.junit.Assert.*;

import org.junit.Test;

public class PriceTest {
    @Test public void three() { System.out.println("three"); assertEquals(12, Price.total(4, 3)); }
    @Test public void two() { assertEquals(4, Price.total(2, 2)); }
    @Test public void dear() { assertTrue(Price.dear(101)); assertFalse(Price.dear(100)); }
    @Test public void most() { assertEquals(100, Sale.most()); }
}
`})
	c := Custom([]string{"java", "-XX:TieredStopAtLevel=1", "-cp", "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar", "RunTests.java"})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 3 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	const file, sum = "src/shop/Price.java", "each + n"
	fixed := func(old, new string) Candidate {
		c := changed(t, dir, file, sum, "each * n")
		c[file] = strings.Replace(c[file], old, new, 1)
		return c
	}
	candidates := []Candidate{
		changed(t, dir, file, sum, "each + n + 1"),
		changed(t, dir, file, sum, "12"),
		changed(t, dir, file, "return "+sum, "for (;;) each++"),
		changed(t, dir, file, sum, "each +"),
		changed(t, dir, file, "return "+sum, "System.exit(0); return 12"),
		fixed("price > MOST", "price >= MOST"),
		fixed("MOST = 100", "MOST = 99"),
		changed(t, dir, file, sum, "total(each, n)"),
		changed(t, dir, file, sum, "n * each"),
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: 500 * time.Millisecond, Wall: 3 * time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) == 0 && !t.Whole },
		func(t Trial) bool {
			return t.Whole && t.All && slices.Equal(t.Broken, []string{"shop.PriceTest > two"})
		},
		func(t Trial) bool { return len(t.Hung) > 0 && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Tried && !t.Built },
		func(t Trial) bool { return t.Crashed && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.All && slices.Equal(t.Broken, []string{"shop.PriceTest > dear"}) },
		func(t Trial) bool { return t.All && len(t.Broken) == 2 }, // Sale has the constant in its own code
		func(t Trial) bool { return t.Built && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Passes() },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
	s, err := b.runner.Trace(t.Context(), dir, c, red, green, []string{file}, time.Second, 3*time.Minute)
	if err != nil || s.Problem != "" {
		t.Fatal(s.Problem, err)
	}
	if s.Reds != 1 || s.Red[file][8] != 1 || s.Green[file][8] != 1 || s.Red[file][12] != 0 || s.Green[file][12] != 1 {
		t.Errorf("spectrum: %+v", s)
	}
}

// TestTryPythonEncoded: a version of a file in another encoding has the letters that the file has.
func TestTryPythonEncoded(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"price.py": "# -*- coding: latin-1 -*-\r\ndef total(each, n):\r\n\treturn each + n\r\n\r\n\r\ndef name():\r\n\treturn 'caf\xe9'\r\n",
		"test_price.py": `import unittest
import price


class Price(unittest.TestCase):
    def test_total(self):
        self.assertEqual(price.total(4, 3), 12)

    def test_name(self):
        self.assertEqual(price.name(), "caf\u00e9")
`})
	c := Command{Runner: "unittest", Args: []string{"python3", "-m", "unittest"}}
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 1 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	text := changed(t, dir, "price.py", "each + n", "each * n")["price.py"]
	fix := Candidate{"price.py": strings.Replace(text, "\xe9", "é", 1)} // as it is decoded
	trials, problem, err := b.runner.Try(t.Context(), dir, c, []Candidate{fix}, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 1})
	if err != nil || problem != "" || !trials[0].Passes() {
		t.Errorf("%+v, %q, %v", trials, problem, err)
	}
}
