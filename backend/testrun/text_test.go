package testrun

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"redgreen/backend/sandbox"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\nb\tc\n", "a\nb\tc\n"},
		{"colours", "\x1b[1;31mred\x1b[0m", "red"},
		{"8-bit control", "\u009b31mred", "red"},
		{"title", "\x1b]0;evil\x07text", "text"},
		{"title ended by ST", "\x1b]8;;http://x\x1b\\link", "link"},
		{"title without end", "\x1b]0;evil\nnext", "\nnext"},
		{"two-byte escape", "\x1bcreset", "reset"},
		{"escape at the end", "a\x1b", "a"},
		{"cut sequence", "a\x1b[3", "a"},
		{"carriage returns", "10%\r20%\r\ndone", "10%\n20%\ndone"},
		{"control characters", "a\x00b\x08c\x7fd", "abcd"},
		{"latin-1", "caf\xe9", "caf\uFFFD"},
		{"bidi", "a\u202eb\u2066c", "abc"},
		{"workspace", "at /workspace/a/b.py:3 and file:///workspace/c.js", "at a/b.py:3 and c.js"},
		{"workspace elsewhere", "/home/me/workspace/a", "/home/me/workspace/a"},
		{"workspace in a longer name", "/my/workspace/a /workspace-x/b", "/my/workspace/a /workspace-x/b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := clean([]byte(tt.in)); got != tt.want {
				t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// A cut leaves no half of a word, which may be half of a secret, unless the word is longer than any secret.
func TestCuts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*longWord)
	for _, c := range []struct {
		in         string
		n          int
		head, tail string
	}{
		{"one two three", 100, "one two three", "one two three"},
		{"one two three", 9, "one two ", "two three"},
		{`{"token":"sk-secretsecret","b":1}`, 20, `{"token":"`, `","b":1}`},
		{"ähnlich wie", 2, "ä", "ie"},
		{long, longWord, long[:longWord], long[:longWord]},
		{"é" + long, longWord, "é" + long[:longWord-2], long[:longWord]},
		{"", 5, "", ""},
	} {
		if got := c.in[:CutAt(c.in, c.n)]; got != c.head {
			t.Errorf("CutAt(%.40q, %d) leaves %.40q, want %.40q", c.in, c.n, got, c.head)
		}
		if got := c.in[CutFrom(c.in, c.n):]; got != c.tail {
			t.Errorf("CutFrom(%.40q, %d) leaves %.40q, want %.40q", c.in, c.n, got, c.tail)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("\x1b[31m\xff\x1b]0;x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := clean(data)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b\r\x07\x08") {
			t.Errorf("clean(%q) = %q", data, got)
		}
		if n := len(shorten(got, 20)); n > 20 || !utf8.ValidString(shorten(got, 20)) {
			t.Errorf("shorten gives %d bytes", n)
		}
	})
}

// FuzzReaders holds that no reader fails on any report.
func FuzzReaders(f *testing.F) {
	f.Add([]byte(`{"event":"test","id":"a","status":"failed"}`), []byte("TAP version 13\nnot ok 1 - x\n1..2"), []byte("<testsuite><testcase name='a'><failure/>"))
	f.Add([]byte(`{"Action":"fail","Package":"m","Test":"TestA"}`), []byte("test a ... FAILED"), []byte("&#27;"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, report, stdout, xml []byte) {
		for _, k := range Kinds() {
			o := output{exit: 1, report: report, stdout: stdout, stderr: stdout, xml: [][]byte{xml}, module: "m", tree: folder{root: dir}}
			r := finish(Run{Tests: []Test{}}, k, Command{Runner: k.Name, Args: []string{"x"}}, o, sandbox.Result{ExitCode: 1})
			text, _ := r.Brief(500)
			if len(text) > 500 || !utf8.ValidString(text) {
				t.Errorf("%s: brief of %d bytes", k.Name, len(text))
			}
			for _, test := range r.Tests {
				if strings.Contains(test.ID, "\n") || strings.HasPrefix(test.File, "/") || strings.HasPrefix(test.File, "..") {
					t.Errorf("%s: test %+v", k.Name, test)
				}
			}
		}
	})
}

func TestBriefIsBounded(t *testing.T) {
	r := Run{PerTest: true}
	for i := range 500 {
		r.Tests = append(r.Tests, Test{ID: fmt.Sprintf("test_%03d", i), Status: Failed, Message: strings.Repeat("e", 300), File: "a.py", Line: i + 1})
	}
	for _, max := range []int{100, 1000, 5000, 1 << 20} {
		text, cut := r.Brief(max)
		if len(text) > max {
			t.Errorf("Brief(%d) has %d bytes", max, len(text))
		}
		if cut != (max < 1<<20) {
			t.Errorf("Brief(%d): cut = %v", max, cut)
		}
		if max >= 1000 && max < 1<<20 && (!strings.Contains(text, "test_000") || !strings.Contains(text, "more failing tests left out")) {
			t.Errorf("Brief(%d) does not say what it left out:\n%s", max, text)
		}
	}
}

func TestRunJSON(t *testing.T) {
	r := finish(Run{Command: []string{"go", "test"}, Tests: []Test{}, Toolchain: []Tool{{Name: "go", Version: "1.26.8", Path: "/usr/local/go/bin/go"}}, Base: "host"}, goKind(), Command{Runner: "go", Args: []string{"go"}}, output{exit: 127}, sandbox.Result{ExitCode: 127, Runtime: sandbox.Rung{Name: "runc"}})
	data, err := json.Marshal(r)
	want := `{"runtime":"runc","command":["go","test"],"tests":[],"exit_code":127,"reason":"command not found in the sandbox: go; install it, or give another command with --test-cmd. On Debian or Ubuntu: sudo apt-get install golang-go; or run the tests in an image that has it (redgreen image use IMAGE FOLDER)","toolchain":[{"name":"go","version":"1.26.8","path":"/usr/local/go/bin/go"}],"base":"host"}`
	if err != nil || string(data) != want {
		t.Errorf("JSON is %s, %v; want %s", data, err, want)
	}
}

func TestCovers(t *testing.T) {
	tests := []struct {
		errored, id string
		want        bool
	}{
		{"tests/test_a.py", "tests/test_a.py::test_x", true}, {"tests/test_a.py", "tests/test_ab.py::test_x", false},
		{"tests/conftest.py", "tests/sub/test_a.py::test_x", true}, {"conftest.py", "a/test_a.py::test_x", true}, {"tests/conftest.py", "other/test_a.py::x", false},
		{"amount", "amount.TestParse", true}, {"amount", "amounts.TestParse", false}, {".", "TestRoot/a.b", true}, {".", "amount.TestParse", false},
		{"test/a.test.js", "test/a.test.js > suite > x", true}, {"tests.test_a", "tests.test_a.A.test_x", true}, {"build", "anything", true},
	}
	for _, tt := range tests {
		if got := Covers(tt.errored, tt.id); got != tt.want {
			t.Errorf("Covers(%q, %q) = %v, want %v", tt.errored, tt.id, got, tt.want)
		}
	}
}

func TestTestFile(t *testing.T) {
	for p, want := range map[string]bool{
		"tests/test_a.py": true, "a_test.go": true, "test/a.test.js": true, "src/a.spec.ts": true, "testdata/x.json": true, "a/__snapshots__/b.snap": true,
		"src/a.js": false, "a.go": false, "contest.py": false, "README.md": false,
	} {
		if got := TestFile(p); got != want {
			t.Errorf("TestFile(%q) = %v, want %v", p, got, want)
		}
	}
}

// A model is given a traceback once, and a place once.
func TestOnce(t *testing.T) {
	t.Parallel()
	trace := "ERROR app.py:48 request failed\n" + strings.Repeat("  File \"tax.py\", line 30, in rate\n", 6) + "AttributeError: no country"
	r := Run{PerTest: true, Tests: []Test{
		{ID: "a", Status: Failed, File: "t.py", Line: 3, Message: "E  assert 500 == 201\ncaptured: " + trace},
		{ID: "b", Status: Failed, File: "t.py", Line: 9, Message: "E  assert 404 == 200\ncaptured: " + trace},
		{ID: "c", Status: Failed, File: "t.py", Line: 12, Message: "E  assert 1 == 2\ncaptured: other " + trace},
		{ID: "d", Status: Failed, File: "t.py", Line: 15, Message: "E  short\ncaptured: x"},
		{ID: "e", Status: Failed, File: "t.py", Line: 18, Message: "E  short\ncaptured: x"},
		{ID: "f", Status: Failed, File: "a_test.go", Line: 26, Message: "a_test.go:26: Parse = 75\nwant -75"},
		{ID: "g", Status: Failed, File: "n.test.js", Line: 44, Message: "AssertionError\n- 5\n  ^\n    at n.test.js:44"},
		{ID: "h", Status: Passed},
	}}
	was := r.Tests[1].Message
	got := r.Once()
	want := []string{r.Tests[0].Message, "E  assert 404 == 200\ncaptured: the same as of a", r.Tests[2].Message, r.Tests[3].Message, r.Tests[4].Message,
		"Parse = 75\nwant -75", "AssertionError\n- 5", ""}
	for i, w := range want {
		if got.Tests[i].Message != w {
			t.Errorf("%s: %q, want %q", got.Tests[i].ID, got.Tests[i].Message, w)
		}
	}
	if r.Tests[1].Message != was {
		t.Error("the run itself was changed")
	}
}
