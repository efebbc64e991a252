package testrun

import (
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestMarks puts marks on what can be called, on the lines that a file has, and tells which of it a version changes.
func TestMarks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path, text, from, to string
		marks                      []string // in the text with marks
		changed                    string
	}{
		{"a function", "a.js", "#!/usr/bin/env node\n// what\n'use strict';\nfunction f(a) {\n  return a;\n}\nmodule.exports = { f };\n", "return a", "return -a",
			[]string{"'use strict';\n;f=globalThis.__redgreen(\"a.js\",\"f\",f);function f", "module.exports = globalThis.__redgreen(\"a.js\",\"exports\",{ f });"}, "a.js:f"},
		{"exported", "a.mjs", "import x from 'x';\nexport async function f(a) { return a; }\nexport default (a) => a;\n", "=> a", "=> -a", []string{"export default globalThis.__redgreen(\"a.mjs\",\"default\",(a) => a);"}, "a.mjs:default"},
		{"a class", "a.js", "export class A {\n  #x = 1;\n  m() { return 1; }\n  static s() { return 2; }\n}\nexport default class B {}\n", "return 2", "return 3", []string{"};globalThis.__redgreen(\"a.js\",\"A\",A);\n", ";globalThis.__redgreen(\"a.js\",\"B\",B);\n"}, "a.js:A.s"},
		{"values", "a.ts", "const f = (a: number): number => a, g = 1;\nexport const api = { h(a: string) { return a; }, i: function () { return 1; } };\n", "return 1", "return 2", []string{"= globalThis.__redgreen(\"a.ts\",\"f\",(a: number): number => a), g = 1;"}, "a.ts:api.i"},
		{"assigned", "a.js", "exports.f = function () { return 1; };\nA.prototype.m = function () { return 2; };\nexports.x = require('x');\n", "return 2", "return 3", []string{"globalThis.__redgreen(\"a.js\",\"A.m\",function"}, "a.js:A.m"},
		{"called at once", "a.js", "(function (root, factory) {\n  root.f = factory();\n}(this, function () {\n  'use strict';\n  function f() { return 1; }\n  return f;\n}));\n", "return 1", "return 2", []string{"'use strict';\n  ;f=globalThis.__redgreen(\"a.js\",\"f\",f);function f"}, "a.js:f"},
		{"outside", "a.js", "const most = 3;\nfunction f() { return most; }\n", "3", "4", nil, "a.js:f"},
		{"a constructor", "a.js", "class A {\n  constructor() { this.n = 3; }\n  m() { return 1; }\n}\nfunction make() { return new A(); }\nfunction other() {}\n", "3", "4", nil, "a.js:make"},
		{"nothing to call", "a.js", "export const all = [3];\n", "3", "4", nil, ""},
		{"no code", "a.js", "function f( {\n", "f", "g", nil, "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, units, ok := withMarks(tt.path, tt.text)
			if ok != (tt.changed != "none") {
				t.Fatalf("read: %v", ok)
			}
			if strings.Count(out, "\n") != strings.Count(tt.text, "\n") && ok {
				t.Errorf("its lines are others:\n%s", out)
			}
			for _, want := range tt.marks {
				if !strings.Contains(out, want) {
					t.Errorf("no %s in\n%s", want, out)
				}
			}
			_, now, _ := withMarks(tt.path, strings.Replace(tt.text, tt.from, tt.to, 1))
			if got := strings.Join(markedChanges(units, now), " "); ok && got != tt.changed {
				t.Errorf("changed: %q, want %q", got, tt.changed)
			}
		})
	}
}

// passing are candidates that replace a text of one file, tried with tests of which all fail that are named red.
func tryAll(t *testing.T, files map[string]string, file, from string, to []string) []Trial {
	t.Helper()
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	files["package.json"] = `{"name": "x", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}`
	dir := b.files(t, files)
	c := mustFind(t, dir)
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) == 0 {
		t.Fatalf("no red test: %s %s", base.Reason, base.Log)
	}
	var candidates []Candidate
	for _, one := range to {
		candidates = append(candidates, changed(t, dir, file, from, one))
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: len(to) + 1})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, one := range trials {
		if !one.Passes() {
			t.Fatalf("%s does not pass: %+v", to[i], one)
		}
	}
	return trials
}

// groups are the numbers of the trials' groups.
func groups(trials []Trial) []int {
	var out []int
	for _, t := range trials {
		out = append(out, t.Group)
	}
	return out
}

// TestTryComparesNode tells versions of JavaScript apart that differ off the tests' inputs only, and takes for one what does the same.
func TestTryComparesNode(t *testing.T) {
	const twice = "export function twice(n) {\n  if (n > 3) return BODY;\n  return n * 2;\n}\n"
	trials := tryAll(t, map[string]string{
		"twice.js":      strings.Replace(twice, "BODY", "n * 3", 1),
		"twice.test.js": "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { twice } from './twice.js';\ntest('small', () => assert.equal(twice(1), 2));\ntest('none', () => assert.equal(twice(0), 0));\ntest('large', () => assert.equal(twice(7), 14));\n",
	}, "twice.js", "n * 3", []string{"n * 2", "2 * n", "n === 7 ? 14 : n.x.y", "n + 7", "7 - n ? process.exit(3) : 14", "7 - n ? (() => { for (;;); })() : 14",
		"7 - n ? (Array.prototype.push = Map.prototype.get = JSON.stringify = () => 7) : 14", "(console.log('x'.repeat(1e6)), n + n)", "7 - n ? twice(n) : 14", "(() => { if (n === 7) return 14; throw null; })()"})
	if got := groups(trials); got[0] != 1 || got[1] != 1 || got[7] != 1 || slices.Contains(got[2:7], 1) || slices.Contains(got[8:], 1) {
		t.Errorf("groups: %v", got)
	}
	for i, raises := range []bool{false, false, true, false, true, true, false, false, true, true} {
		if one := trials[i]; i != 6 && (one.Near[1] < 2 || one.Raises[1] < 4 || (one.Raises[0] > 0) != raises) {
			t.Errorf("candidate %d: %+v", i, one)
		}
	}
	if trials[0].Endless != 0 || trials[5].Endless == 0 || trials[8].Endless == 0 {
		t.Errorf("without an end: %d, %d, %d", trials[0].Endless, trials[5].Endless, trials[8].Endless)
	}
	for i, one := range trials {
		for _, d := range one.Differs {
			if i != 6 && d.Other != 6 && (!strings.HasPrefix(d.Input, "twice(") || d.Gives[0] == d.Gives[1]) {
				t.Errorf("candidate %d differs so: %+v", i, d)
			}
		}
	}
	if !slices.ContainsFunc(trials[0].Differs, func(d Differ) bool { return d.Other == 4 && d.Gives[1] == "the process ends" }) {
		t.Errorf("the first differs so: %+v", trials[0].Differs)
	}
}

// TestTryComparesWhatNodeReaches calls methods, what only the same file calls, what waits and what gives one thing after the other, and sees
// what is changed of what is given.
func TestTryComparesWhatNodeReaches(t *testing.T) {
	const code = `export class Card {
  constructor(text) { this.text = text; }
  size() { return this.text.length - 1; }
}
export const api = { last(list) { return list[0]; } };
export function Old(n) { this.n = n; }
Old.prototype.next = function () { return this.n; };
function cut(text, room) { return text; }
export const show = (card) => cut(card.text, 4);
export const later = async (list) => list.length;
export function* each(list) { yield* list; }
export const none = (f) => f() - 1;
const MOST = 3;
export const few = (n) => n < MOST;
`
	const tests = `import assert from 'node:assert';
import { test } from 'node:test';
import * as all from './card.js';
test('size', () => assert.equal(new all.Card('a').size(), 1));
test('last', () => assert.equal(all.api.last([2, 1]), 1));
test('old', () => assert.equal(new all.Old(1).next(), 2));
test('show', () => assert.equal(all.show(new all.Card('abcdef')), 'abcd'));
test('later', async () => assert.equal(await all.later([5]), 5));
test('each', () => assert.deepEqual([...all.each([1, 2])], [2, 1]));
test('none', () => assert.equal(all.none(() => 3), 3));
test('few', () => assert.ok(all.few(3)));
`
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{"package.json": `{"name": "x", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}`, "card.js": code, "card.test.js": tests})
	c := mustFind(t, dir)
	for _, tt := range []struct {
		name, from string
		to         []string
		groups     []int
		input      string // what tells the first two groups apart begins so
		gives      string // and holds that
	}{
		{"size", "this.text.length - 1", []string{"this.text.length", "1", "this.text.length - 0"}, []int{1, 2, 1}, "Card {text: ", ""},
		{"last", "list[0]", []string{"list[list.length - 1]", "list.pop()", "list.at(-1)"}, []int{1, 2, 1}, "api.last([", "and changes what it is given to"},
		{"old", "return this.n;", []string{"return this.n + 1;", "return 2;"}, []int{1, 2}, "Old {n: ", ""},
		{"show", "return text;", []string{"return text.slice(0, room);", "return text.slice(0, 4);"}, []int{1, 2}, "cut(\"abcdef\", ", ""},
		{"later", "list.length", []string{"list[0]", "list.at(-1)", "5"}, []int{1, 2, 3}, "later([", ""},
		{"each", "yield* list;", []string{"yield* list.toReversed();", "yield 2; yield 1;"}, []int{1, 2}, "each([", "]"},
		{"none", "f() - 1", []string{"f()", "3"}, []int{0, 0}, "", ""},
		{"few", "MOST = 3", []string{"MOST = 4", "MOST = 3.5"}, []int{1, 1}, "", ""},
		{"few by", "MOST = 3", []string{"MOST = 4", "MOST = 5", "MOST = 9 - 4"}, []int{1, 2, 2}, "few(4)", "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var candidates []Candidate
			trials := make([]Trial, len(tt.to))
			for i, one := range tt.to {
				candidates = append(candidates, changed(t, dir, "card.js", tt.from, one))
				trials[i] = Trial{Whole: true, All: true}
			}
			name, _, _ := strings.Cut(tt.name, " ")
			if err := b.runner.compareNode(t.Context(), dir, c, candidates, trials, TryOptions{Red: []string{"card.test.js > " + name}, Test: time.Second}); err != nil {
				t.Fatal(err)
			}
			if got := groups(trials); !slices.Equal(got, tt.groups) {
				t.Errorf("groups: %v, want %v", got, tt.groups)
			}
			if tt.input == "" {
				return
			}
			if d := trials[0].Differs; len(d) == 0 || !strings.HasPrefix(d[0].Input, tt.input) || !strings.Contains(d[0].Gives[0]+"\n"+d[0].Gives[1], tt.gives) || d[0].Gives[0] == d[0].Gives[1] {
				t.Errorf("they differ so: %+v", d)
			}
			if touches := trials[1].Touches > 0; touches != (tt.name == "last") {
				t.Errorf("it changes what it is given: %v", touches)
			}
		})
	}
}
