package testrun

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"redgreen/backend/sandbox"
)

// forger prints and writes what a run of passed tests leaves, and ends the process as if all were well.
const forger = `
import os, glob
for path in glob.glob("/out/*"):
    with open(path, "a") as f:
        f.write('{"event": "test", "id": "test_a.py::test_a", "phase": "call", "status": "passed", "ms": 0}\n{"event": "end", "status": "0", "collected": 1}\n')
with open("/out/junit.xml", "w") as f:
    f.write('<testsuite><testcase classname="test_a" name="test_a"/></testsuite>')
print("1 passed in 0.01s")
os._exit(0)
`

// TestHostilePython runs failing tests beside code that wants them to look as if they had passed.
func TestHostilePython(t *testing.T) {
	b := strongBench(t, sandbox.Limits{Wall: time.Minute})
	const failing = "\n\ndef test_a():\n    import prices\n    assert prices.total() == 5\n"
	const wrong = "def total():\n    return 4\n"
	honest := []string{"failed test_a.py::test_a"}
	tests := []struct {
		name, args, files string
		want              []string // status and id
		reason            string   // part of it
		unfinished        bool
	}{
		{name: "files in the place of pytest and of what it imports", args: "python3 -m pytest", want: honest, files: "-- test_a.py --" + failing +
			"-- prices.py --\n" + wrong + shadow("pytest", "_pytest/__init__", "pluggy", "iniconfig", "json", "hmac", "sitecustomize", "usercustomize", "difflib", "pprint",
			"argparse", "logging", "redgreen_report", "run_pytest", "os", "types", "importlib/__init__", "packaging/__init__")},
		{name: "files in the place of unittest and of what it imports", args: "python3 -m unittest", want: []string{"failed test_a.A.test_a"},
			files: "-- test_a.py --\nimport unittest\nimport prices\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(prices.total(), 5)\n" +
				"-- prices.py --\n" + wrong + shadow("unittest", "json", "hmac", "traceback", "argparse", "sitecustomize", "redgreen_report")},
		{name: "a result of its own beside the report", args: "python3 -m pytest", reason: "the report of the tests was changed while they ran",
			files: "-- test_a.py --" + failing + "-- prices.py --\n" + forger},
		{name: "the same under unittest", args: "python3 -m unittest", reason: "the report of the tests was changed while they ran",
			files: "-- test_a.py --\nimport unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        import prices\n        self.assertEqual(prices.total(), 5)\n-- prices.py --\n" + forger},
		{name: "a runner that runs nothing", args: "python3 -m pytest", reason: "Function.runtest of the test runner was replaced", files: "-- test_a.py --" + failing +
			"-- conftest.py --\nimport prices\n-- prices.py --\nimport importlib\nimportlib.import_module('py' + 'test').Function.runtest = lambda self: None\n" + wrong},
		{name: "a runner whose code is another", args: "python3 -m pytest", reason: "Function.runtest of the test runner was replaced", files: "-- test_a.py --" + failing +
			"-- conftest.py --\nimport prices\n-- prices.py --\nimport pytest\npytest.Function.runtest.__code__ = (lambda self: None).__code__\n" + wrong},
		{name: "assertions that hold for anything", args: "python3 -m unittest", reason: "TestCase.assertEqual of the test runner was replaced",
			files: "-- test_a.py --\nimport unittest\nimport prices\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(prices.total(), 5)\n" +
				"-- prices.py --\nimport unittest\nunittest.TestCase.assertEqual = lambda *a: None\n" + wrong},
		{name: "the same under pytest", args: "python3 -m pytest", reason: "TestCase.assertEqual of the test runner was replaced",
			files: "-- test_a.py --\nimport unittest\nimport prices\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(prices.total(), 5)\n" +
				"-- prices.py --\nimport unittest\nunittest.TestCase.assertEqual = lambda *a: None\n" + wrong},
		{name: "settings and more assertions are no attack", args: "python3 -m unittest", want: []string{"failed test_a.A.test_a"},
			files: "-- test_a.py --\nimport unittest\nimport prices\nunittest.TestCase.maxDiff = None\nunittest.TestCase.assertNear = lambda *a: None\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(prices.total(), 5)\n" +
				"-- prices.py --\n" + wrong},
		{name: "an exit in mid-run", args: "python3 -m pytest", want: []string{"error test_a.py::test_a", "passed test_a.py::test_ok"}, unfinished: true,
			files: "-- test_a.py --\ndef test_ok():\n    assert True\n" + failing + "-- prices.py --\nimport os\n\n\ndef total():\n    os._exit(0)\n"},
		{name: "other functions in the place of those that report", args: "python3 -m pytest", want: honest, files: "-- test_a.py --" + failing +
			"-- prices.py --\nimport hmac, json, os, sys\n\njson.dumps = lambda *a, **k: '{}'\njson.JSONEncoder.encode = lambda *a: '{}'\nos.write = lambda fd, data: len(data)\nhmac.new = None\n" +
			"assert 'redgreen_report' not in sys.modules and 'run_pytest' not in sys.modules and not hasattr(sys.modules['__main__'], 'Reporter')\n" + wrong},
		{name: "a reporter found by its type that drops failures", args: "python3 -m pytest", reason: "interferes with the results", files: "-- test_a.py --\ndef test_ok():\n    assert True\n" + failing +
			"-- prices.py --\nimport gc\n\nfor o in gc.get_objects():\n    if type(o).__name__ == 'Reporter' and hasattr(o, 'collected'):\n        real = o.write\n" +
			"        o.write = lambda **e: e.get('status') == 'failed' or real(**e)\n" + wrong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := b.folder(t, func(dir string) {
				for name, text := range files(tt.files) {
					writeFile(t, dir, name, text)
				}
			})
			r, err := b.runner.Run(t.Context(), dir, Custom(strings.Fields(tt.args)), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, test := range r.Tests {
				got = append(got, string(test.Status)+" "+test.ID)
			}
			if tt.reason != "" {
				if !r.Infrastructure || !strings.Contains(r.Reason, tt.reason) {
					t.Errorf("reason %q, want %q: %v\n%s", r.Reason, tt.reason, got, r.Log)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || r.Infrastructure || r.Finished == tt.unfinished {
				t.Errorf("results (-want +got):\n%s%s\n%s", diff, r.Reason, r.Log)
			}
		})
	}
}

// shadow makes modules that forge a result when they are imported.
func shadow(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("-- " + name + ".py --\n" + forger)
	}
	return b.String()
}

// TestHostileNode writes into the report from a test file's own process.
func TestHostileNode(t *testing.T) {
	b := strongBench(t, sandbox.Limits{Wall: time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "test/a.test.js", `const { test } = require('node:test');
const fs = require('node:fs');
test('fails', () => {
  if (process.env.REDGREEN_REPORT && fs.existsSync(process.env.REDGREEN_REPORT + '.key')) process.exit(0);
  for (const f of fs.readdirSync('/out')) fs.appendFileSync('/out/' + f, '{"event":"test","nesting":0,"name":"fails","file":"/workspace/test/a.test.js","status":"passed"}\n{"event":"end"}\n');
  throw new Error('no');
});
`)
	})
	r, err := b.runner.Run(t.Context(), dir, Custom([]string{"node", "--test"}), nil)
	passed, _, _ := r.Counts() // Node may write over what was added, or behind it
	if err != nil || passed != 0 || r.Infrastructure && !strings.Contains(r.Reason, "was changed while they ran") {
		t.Errorf("Run = %+v, %v\n%s", r.Tests, err, r.Log)
	}
}

// TestPythonPathIsAsUsual holds that what the launchers do to sys.path cannot be told from `python -m pytest`.
func TestPythonPathIsAsUsual(t *testing.T) {
	b := strongBench(t, sandbox.Limits{Wall: time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "plug/marks.py", "import pytest\n\n\n@pytest.fixture\ndef mark():\n    return 7\n")
		writeFile(t, dir, "pytest.ini", "[pytest]\naddopts = -p plug.marks --cov-less\npythonpath = src\n")
		writeFile(t, dir, "conftest.py", "def pytest_addoption(parser):\n    parser.addoption('--cov-less', action='store_true')\n")
		writeFile(t, dir, "src/inner.py", "VALUE = 3\n")
		writeFile(t, dir, "calendar.py", "OURS = True\n")
		writeFile(t, dir, "tests/test_a.py", `import os
import subprocess
import sys

import calendar
import inner


def test_path(mark):
    assert (mark, inner.VALUE, calendar.OURS) == (7, 3, True)
    plain = subprocess.run([sys.executable, "-m", "site"], capture_output=True, text=True).stdout
    own = [p for p in sys.path if p not in ("/workspace/src", "/workspace/tests")]
    assert repr(own[0]) in plain.splitlines()[1]
    for p in own:
        assert repr(p) in plain
    assert sys.argv[0].endswith("pytest/__main__.py")
    assert "REDGREEN_REPORT" not in os.environ

`)
	})
	r, err := b.runner.Run(t.Context(), dir, Custom([]string{"python3", "-m", "pytest"}), nil)
	if passed, failed, _ := r.Counts(); err != nil || passed != 1 || failed != 0 || !r.Finished {
		t.Errorf("Run = %+v, %v\n%s", r.Tests, err, r.Log)
	}
}

func TestUnseal(t *testing.T) {
	key := []byte("key")
	one, two := "", ""
	{
		first := sealOf(key, "", "a")
		one, two = first+" a\n", sealOf(key, first, "b")+" b\n"
	}
	tests := []struct {
		name, report, want string
		whole, tampered    bool
	}{
		{"whole", one + two, "a\nb\n", true, false}, {"none", "", "", true, false}, {"cut off", one + two[:30], "a\n", false, false}, {"cut off early", "ab", "", false, false},
		{"a line without a seal", one + "{}\n" + two, "a\n", true, true}, {"a line behind", one + two + "{}\n", "a\nb\n", true, true},
		{"a line taken out", two, "", true, true}, {"a line twice", one + one, "a\n", true, true}, {"a changed line", strings.Replace(one, " a", " c", 1), "", true, true}, {"an empty line", one + "\n", "a\n", true, true},
	}
	for _, tt := range tests {
		got, whole, tampered := unseal([]byte(tt.report), key)
		if string(got) != tt.want || whole != tt.whole || tampered != tt.tampered {
			t.Errorf("%s: unseal = %q, %v, %v, want %q, %v, %v", tt.name, got, whole, tampered, tt.want, tt.whole, tt.tampered)
		}
	}
}

// sealOf is the seal by its definition.
func sealOf(key []byte, before, line string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(before + line))
	return hex.EncodeToString(mac.Sum(nil))
}

// files are the parts of a txtar by name.
func files(text string) map[string]string {
	all := map[string]string{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		all[f.Name] = string(f.Data)
	}
	return all
}
