package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

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
		func(t Trial) bool { return t.Late }, // another passes
		func(t Trial) bool { return t.Tried && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Passes() },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
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

// TestTryNodeEndless: a file with a test that never ends costs the others nothing and is red, and edits of what it runs are tried
// although most of them never end either.
func TestTryNodeEndless(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"package.json":       `{"name": "x", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}`,
		"src/count.js":       "export function count(n) {\n  let i = 0;\n  while (i < n) i = i * 1;\n  return i;\n}\n",
		"test/a.test.js":     "import assert from 'node:assert';\nimport { test } from 'node:test';\ntest('fine', () => { assert.ok(true); });\n",
		"test/count.test.js": "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { count } from '../src/count.js';\ntest('none', () => { assert.equal(count(0), 0); });\ntest('some', () => { assert.equal(count(3), 3); });\n",
	})
	c := mustFind(t, dir)
	o := b.runner.options
	o.Hang = time.Second
	b.runner = New(o)
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || red[0] != "test/count.test.js" || len(green) != 1 || base.Infrastructure || !slices.ContainsFunc(base.Tests, func(t Test) bool { return strings.Contains(t.Message, TooLong+", more than 2 s") }) {
		t.Fatalf("red %q, green %q, %s: %+v", red, green, base.Reason, base.Tests)
	}
	var candidates []Candidate
	for _, body := range []string{"i = i * 2", "i = i - 1", "i = n + 1", "i = i * 3", "i = i + 1"} {
		candidates = append(candidates, changed(t, dir, "src/count.js", "i = i * 1", body))
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Hangs: true, Test: time.Second, Quick: 100 * time.Millisecond, Wall: time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, trial := range trials {
		endless := i == 0 || i == 1 || i == 3
		if !trial.Tried || trial.Late != endless || trial.Passes() != (i == 4) {
			t.Errorf("candidate %d: %+v", i, trial)
		}
	}
	trials, problem, err = b.runner.Try(t.Context(), dir, c, candidates[:2], TryOptions{Red: red, Green: green, Hangs: true, Test: time.Second, Quick: 100 * time.Millisecond, Wall: time.Minute, Enough: 3})
	if err != nil || problem != "" || len(trials[0].Hung) == 0 || len(trials[1].Hung) == 0 {
		t.Errorf("where no other passes: %s %v %+v", problem, err, trials)
	}
}
