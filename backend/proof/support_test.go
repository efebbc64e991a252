package proof

import (
	"slices"
	"strings"
	"testing"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// TestFlagsWhatTestsStandOn changes files that are no tests by name and decide what the tests say. A test that turns green
// by such a change alone must not prove anything.
func TestFlagsWhatTestsStandOn(t *testing.T) {
	t.Parallel()
	const doc = "def total(p):\n    \"\"\"Sums.\n\n    >>> total([2, 3])\n    5\n    \"\"\"\n    return sum(p) - 1\n"
	tests := []struct {
		name, path, old, new, rule string
		ids                        []string
		part                       bool // belongs to the tests when only the fix is reverted
	}{
		{name: "data among the tests", path: "tests/data/case.json", old: "{\"out\": 5}\n", new: "{\"out\": 4}\n", rule: ruleData, part: true},
		{name: "data among the tests of Java", path: "src/test/resources/want.xml", old: "<a/>\n", new: "<b/>\n", rule: ruleData, part: true},
		{name: "new data among the tests", path: "tests/data/more.json", new: "{}\n", part: true},
		{name: "data of the program", path: "shop/rates.json", old: "{}\n", new: "{\"a\": 1}\n"},
		{name: "prose among the tests", path: "tests/README.md", old: "a\n", new: "b\n"},

		{name: "helper, go", path: "checks/same.go", old: "package checks\n\nimport (\n\t\"testing\"\n)\n\nfunc Same(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Error(a)\n\t}\n}\n",
			new: "package checks\n\nimport (\n\t\"testing\"\n)\n\nfunc Same(t *testing.T, a, b int) {\n}\n", rule: ruleAssertion, part: true},
		{name: "helper by its name, go", path: "internal/testutil/same.go", old: "package testutil\n\nfunc Same(a, b int) bool { return a == b }\n", new: "package testutil\n\nfunc Same(a, b int) bool { return true }\n", rule: ruleChanged, part: true},
		{name: "helper, python", path: "shop/helpers.py", old: "import pytest\n\n\ndef same(a, b):\n    assert a == b\n", new: "import pytest\n\n\ndef same(a, b):\n    pass\n", rule: ruleAssertion, part: true},
		{name: "helper, js", path: "src/check.js", old: "import { expect } from 'vitest';\nexport const same = (a, b) => expect(a).toBe(b);\n", new: "import { expect } from 'vitest';\nexport const same = (a, b) => true;\n", rule: ruleAssertion, part: true},
		{name: "invariants are no helper", path: "src/shop.js", old: "import assert from 'node:assert';\nexport const a = 1;\n", new: "import assert from 'node:assert';\nexport const a = 2;\n"},
		{name: "a library of tests' subject", path: "shop/latest.py", old: "a = 1\n", new: "a = 2\n"},

		{name: "expected value of an example", path: "shop.py", old: doc, new: strings.Replace(doc, "    5\n", "    4\n", 1), ids: []string{"shop.py::shop.total"}, rule: ruleExpected},
		{name: "example that is skipped", path: "shop.py", old: doc, new: strings.Replace(doc, "3])\n", "3])  # doctest: +SKIP\n", 1), ids: []string{"shop.py::shop.total"}, rule: ruleSkipped},
		{name: "example that replaces what it calls", path: "shop.py", old: doc, new: strings.Replace(doc, "    >>>", "    >>> total = sum\n    >>>", 1), ids: []string{"shop.py::shop.total"}, rule: ruleChanged},
		{name: "fix beside an example", path: "shop.py", old: doc, new: strings.Replace(doc, " - 1", "", 1), ids: []string{"shop.py::shop.total"}},
		{name: "one more example", path: "shop.py", old: doc, new: strings.Replace(doc, "    5\n", "    5\n    >>> total([])\n    0\n", 1), ids: []string{"shop.py::shop.total"}},
		{name: "example that no test runs", path: "shop.py", old: doc, new: strings.Replace(doc, "    5\n", "    4\n", 1)},
		{name: "test beside the code", path: "shop.py", old: "def test_a():\n    assert a() == 1\n", new: "def test_a():\n    assert a() == 2\n", ids: []string{"shop.py::test_a"}, rule: ruleExpected},

		{name: "the assertions of a vendored library", path: "vendor/github.com/a/assert/assert.go", old: "package assert\n", new: "package assert\n\nvar a int\n", rule: string(manifest)},
		{name: "a folder that is only called so", path: "shop/vendor/models.py", old: "a = 1\n", new: "a = 2\n"},
		{name: "another toolchain", path: ".mise.toml", new: "[tools]\npython = \"3.9\"\n", rule: string(manifest)},

		{name: "equal by an expression", path: "shop.py", old: "a = 1\n", new: "class N(int):\n    __eq__ = lambda s, o: True\n", rule: ruleEqual},
		{name: "compares by an expression", path: "shop.py", old: "a = 1\n", new: "class N(int):\n    __ne__ = lambda s, o: not s == o\n"},
		{name: "equal to every number", path: "shop.py", old: "a = 1\n", new: "class N(int):\n    def __eq__(self, other):\n        return isinstance(other, int)\n", rule: ruleEqual},
		{name: "equal without a look", path: "shop.py", old: "a = 1\n", new: "class N(int):\n    def __eq__(self, other):\n        ok = True\n\n        return ok\n\nother = 1\n", rule: ruleEqual},
		{name: "equal by a look", path: "shop.py", old: "a = 1\n", new: "class N(int):\n    def __eq__(self, other):\n        own = self.key\n        return own == other.key\n"},
		{name: "not comparable", path: "shop.py", old: "a = 1\n", new: "class N(int):\n    def __lt__(self, other):\n        self.log()\n        return NotImplemented\n"},
		{name: "equal to its own kind", path: "shop.py", old: "a = 1\n", new: "class Never:\n    def __eq__(self, other):\n        return isinstance(other, Never)\n"},
		{name: "a name put together", path: "shop.py", old: "a = 1\n", new: "p = importlib.import_module('py' + 'test')\n", rule: ruleReaches},
		{name: "a name decoded", path: "shop.py", old: "a = 1\n", new: "p = __import__(bytes.fromhex('00').decode())\n", rule: ruleReaches},
		{name: "a plain import by name", path: "shop.py", old: "a = 1\n", new: "p = importlib.import_module('shop.more')\nq = importlib.import_module(name)\nr = importlib.import_module('.more', package=__name__)\n"},
		{name: "text run as code", path: "shop.py", old: "a = 1\n", new: "exec(bytes.fromhex('00').decode())\n", rule: ruleReaches},
		{name: "a pattern that is run", path: "shop.js", old: "let a;\n", new: "const m = /a/.exec(b);\n"},
		{name: "walks to the runner's classes", path: "shop.py", old: "a = 1\n", new: "for c in object.__subclasses__():\n    c.runtest = None\n", rule: ruleReaches},
		{name: "replaces a built-in", path: "shop.py", old: "a = 1\n", new: "builtins.isinstance = lambda a, b: True\n", rule: ruleReaches},
		{name: "replaces an assertion", path: "shop.js", old: "let a;\n", new: "assert.equal = () => {};\n", rule: ruleReaches},
		{name: "replaces an assertion by its name", path: "shop.js", old: "let a;\n", new: "assert['eq' + 'ual'] = () => {};\n", rule: ruleReaches},
		{name: "reads a table", path: "shop.js", old: "let a;\n", new: "if (assertions[kind] === other) assert[kind](a);\n"},
		{name: "replaces a required assertion", path: "shop.js", old: "let a;\n", new: "require('node:assert').strict.equal = () => {};\n", rule: ruleReaches},
		{name: "calls an assertion", path: "shop.js", old: "let a;\n", new: "assert.equal(a, 1);\nconst f = (x) => assert.ok(x);\n"},
		{name: "leaves by the system call", path: "shop.go", old: "package shop\n", new: "package shop\n\nfunc init() { syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0) }\n", rule: ruleReaches},
		{name: "one import line", path: "shop.go", old: "package shop\n", new: "package shop\n\nimport (\"fmt\"; \"testing\")\n", rule: ruleReaches},
		{name: "what stood there before", path: "cli.py", old: "sys.exit(0)  # fine\n", new: "sys.exit(0)  # done\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := change(t, tt.path, tt.old, tt.new)
			read := func(string) (*patch.Content, error) { return &patch.Content{Data: []byte(tt.old)}, nil }
			var base testrun.Run
			for _, id := range tt.ids {
				base.Tests = append(base.Tests, testrun.Test{ID: id, Status: testrun.Failed})
			}
			flags := inspect(p, read, ownFiles(base))
			if tt.rule == "" && len(flags) > 0 || tt.rule != "" && !slices.ContainsFunc(flags, func(f Flag) bool { return f.Rule == tt.rule }) {
				t.Errorf("flags %v, want %q", flags, tt.rule)
			}
			if part := ofTests(p.Files[0], read); tt.part && !part {
				t.Errorf("%s is no part of the tests", tt.path)
			}
		})
	}
}

// TestFlagsScripts changes what the test command starts.
func TestFlagsScripts(t *testing.T) {
	t.Parallel()
	files := map[string]string{"Makefile": "test:\n\tsh ci/run.sh\n", "web/package.json": `{"scripts": {"test": "node scripts/all.js && tsc"}}`}
	read := func(name string) (*patch.Content, error) {
		if text, ok := files[name]; ok {
			return &patch.Content{Data: []byte(text)}, nil
		}
		return nil, nil
	}
	for _, tt := range []struct {
		path, dir, args string
		want            bool
	}{
		{"check.sh", "", "sh check.sh", true},
		{"check.sh", "", "./check.sh", true},
		{"sub/check.py", "sub", "python3 check.py", true},
		{"ci/run.sh", "", "make test", true},
		{"ci/other.sh", "", "make test", false},
		{"web/scripts/all.js", "web", "npm test", true},
		{"web/scripts/build.js", "web", "npm test", false},
		{"shop.py", "", "python3 -m pytest -q", false},
		{"shop.py", "", "make test", false},
	} {
		c := testrun.Command{Dir: tt.dir, Args: strings.Fields(tt.args)}
		if got := len(scripts(change(t, tt.path, "a\n", "b\n"), c, read)) > 0; got != tt.want {
			t.Errorf("%s by %s: flagged %v, want %v", tt.path, tt.args, got, tt.want)
		}
	}
}

// TestFlagsTheAssertionThatFailed takes away the line at which a test failed.
func TestFlagsTheAssertionThatFailed(t *testing.T) {
	t.Parallel()
	const old = "def same(a, b):\n    assert a == b\n    assert b\n    return a\n"
	at := func(line int) testrun.Run {
		return testrun.Run{Tests: []testrun.Test{{ID: "test_a.py::test_a", Status: testrun.Failed, File: "checks.py", Line: line}}}
	}
	for _, tt := range []struct {
		new  string
		line int
		want bool
	}{
		{strings.Replace(old, "    assert a == b\n", "", 1), 2, true},
		{strings.Replace(old, "    assert a == b\n", "    return True\n", 1), 2, true},
		{strings.Replace(old, "    assert a == b\n", "", 1), 3, false},
		{strings.Replace(old, "return a", "return b", 1), 4, false},
		{strings.Replace(old, "    assert a == b\n", "    if a:\n        assert a == b\n", 1), 2, false},
	} {
		if got := len(failedThere(change(t, "checks.py", old, tt.new), at(tt.line))) > 0; got != tt.want {
			t.Errorf("flagged %v, want %v:\n%s", got, tt.want, tt.new)
		}
	}
}
