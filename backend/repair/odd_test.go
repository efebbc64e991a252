package repair

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/model"
)

// everywhere makes all edits of a text, whatever its lines.
func everywhere(path, text string) int {
	s := parse(path, text)
	if s == nil {
		return 0
	}
	lines := map[int]float64{}
	for l := 1; l <= len(s.lines); l++ {
		lines[l] = 0.5
	}
	return len(candidates([]*source{s}, map[string]map[int]float64{path: lines}, hints{}, priors(), learn([]*source{s})))
}

// TestOddCode: no code ends the engine, however little a function holds or wherever a file is cut.
func TestOddCode(t *testing.T) {
	t.Parallel()
	for path, texts := range map[string][]string{
		"a.py": {"def f():\n    \"\"\"Only says what it would do.\"\"\"\n", "def f():\n    ...\n", "class A:\n    \"\"\"Empty.\"\"\"\n", "def f(): pass\n",
			"def f():\n    for x in y:\n        \"\"\"t\"\"\"\n", "def f():\n    n = 0\n    for x in y:\n        \"\"\"t\"\"\"\n    return n\n", "if x:\n    \"\"\"t\"\"\"\nelse:\n    pass\n", "lambda: 0\n", "\n", "x =\n",
			"x: int\n", "class A:\n    x: int\n    y: str\n\n    def f(self):\n        n: int\n        for n in self.x:\n            m: int\n        return n\n"},
		"a.go": {"package a\n\nfunc f() {}\n", "package a\n\nfunc f() () {\n}\n", "package a\n\nfunc f() (a int, ) { return }\n", "package a\n\nfunc f(xs []int) {\n\tfor range xs {\n\t}\n\tfor {\n\t}\n}\n", "package a\n\nfunc f() { if true {} else {} ; switch {} ; select {} }\n",
			"package a\n\nfunc f(xs []T) {\n\tfor range xs {\n\t\tif a {\n\t\t\tcontinue\n\t\xe9}\n\t\tg()\n\t}\n}\n"}, // the statement holds what stands behind it
		"a.js":   {"function f() {}\n", "const f = () => {};\n", "for (;;) {}\n", "if (a) {} else {}\n", "class A { m() {} }\n", "switch (a) {}\n", "try {} catch {}\n"},
		"a.ts":   {"function f(): void {}\n", "interface A {}\n", "abstract class A { abstract m(): void; }\n"},
		"A.java": {"class A {}\n", "class A { void m() {} int n() { while (true) {} } }\n", "interface A { void m(); }\n", "class A { void m() { for (;;) {} } }\n"},
	} {
		for _, text := range texts {
			everywhere(path, text)
		}
	}
	made := 0
	for _, pattern := range []string{"invoice/invoice/*.py", "ledger/*/*.go", "cronline/src/*.js"} {
		names, err := filepath.Glob("../../testdata/repos/" + pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names[:min(len(names), 3)] {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(data), "\n")
			for cut := 1; cut < len(lines); cut += 1 + len(lines)/12 {
				made += everywhere(name, strings.Join(lines[:cut], ""))
			}
		}
	}
	if made < 1000 {
		t.Errorf("only %d edits were made: the test sees nothing", made)
	}
}

// TestGuarded: a fault of the engine is an error of its session, not the end of the program.
func TestGuarded(t *testing.T) {
	t.Parallel()
	_, _, err := guarded(func() (string, []model.Call) { var none *node; return none.kind, nil })
	var e *model.Error
	if !errors.As(err, &e) || e.Code != model.Internal || !strings.Contains(e.Message, "nothing was changed") {
		t.Errorf("got %v", err)
	}
	if text, _, err := guarded(func() (string, []model.Call) { return "all is well", nil }); text != "all is well" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestOddNames: a file is found, edited and taken back whatever it is called.
func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mein ordner/größe.py", "日本/日付.py", "a+b@c/two  blanks.py"} {
		k := newTalk(t, func(string) bool { return false })
		k.files = map[string]string{name: daysPy}
		k.coverage = name + " 3:1/3 5:1/2\n"
		refused := 0
		k.refuse = func(map[string]string) bool { refused++; return refused == 1 }
		k.judge = func(files map[string]string) string {
			if strings.Contains(files[name], "last - first + 1") || strings.Contains(files[name], "1 + last - first") || strings.Contains(files[name], "last + first") {
				return "passes all tests"
			}
			return ""
		}
		if r := k.run(); refused != 2 || k.files[name] == daysPy {
			t.Errorf("%s: %d proofs, it ends with %q", name, refused, r.Message.Text)
		}
	}
	if m := frame.FindStringSubmatch(`  File "/workspace/größe.py", line 3, in f`); m == nil || m[1] != "/workspace/größe.py" || m[2] != "3" {
		t.Errorf("a frame: %q", m)
	}
}

// TestTaskSteersNothing: a task that speaks of failing tests makes none.
func TestTaskSteersNothing(t *testing.T) {
	t.Parallel()
	const task = "Task:\nFAILED test_other.py::test_steer\n  at secret.py:3\nOn the untouched copy 1 tests pass, 1 fail, 0 are skipped. FAILED x\nERROR y\n\n"
	if got := failures(task + "On the untouched copy 3 tests pass, 0 fail, 0 are skipped."); len(got) != 0 {
		t.Errorf("of a green baseline it reads %+v", got)
	}
	if got := failures(task + strings.TrimPrefix(begin, "Task:\n")); len(got) != 1 || got[0].id != "test_days.py::test_first" || got[0].line != 4 {
		t.Errorf("it reads %+v", got)
	}
}

// TestTooLongAFile: of a file that is too long to edit the end of the run says so.
func TestTooLongAFile(t *testing.T) {
	t.Parallel()
	k := newTalk(t, func(string) bool { return true })
	k.files["days.py"] = daysPy + strings.Repeat("x = 1\n", maxReadLine)
	if r := k.run(); !strings.Contains(r.Message.Text, "days.py has 4005 lines, and I edit files of 4000 at most") || k.finished != "" {
		t.Errorf("it ends with %q", r.Message.Text)
	}
}
