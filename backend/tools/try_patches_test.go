package tools

import (
	"maps"
	"strings"
	"testing"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// TestEdited: an edit changes its lines and nothing else, least of all how the file ends.
func TestEdited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		list             []change
	}{
		{"the last line, without an end", "a\nb", "a\nB", []change{{2, 2, []string{"B"}}}},
		{"another line, the last without an end", "a\nb", "A\nb", []change{{1, 1, []string{"A"}}}},
		{"more last lines", "a\nb", "a\nB\nc", []change{{2, 2, []string{"B", "c"}}}},
		{"before the last line", "a\nb", "a\nx\nb", []change{{2, 1, []string{"x"}}}},
		{"behind the last line", "a\nb", "a\nb\nc", []change{{3, 2, []string{"c"}}}},
		{"the last line, with its end", "a\nb\n", "a\nB\n", []change{{2, 2, []string{"B"}}}},
		{"behind all, with its end", "a\nb\n", "a\nb\nc\n", []change{{3, 2, []string{"c"}}}},
		{"of Windows, without an end", "a\r\nb", "a\r\nB\r\nc", []change{{2, 2, []string{"B", "c"}}}},
		{"two", "a\nb\nc", "A\nb\nC", []change{{1, 1, []string{"A"}}, {3, 3, []string{"C"}}}},
	} {
		got, err := edited("x.py", c.text, c.list)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	if _, err := edited("x.py", "a", []change{{4, 4, nil}}); err == nil {
		t.Error("lines that are not there were changed")
	}
}

// TestCandidateEncoded: a candidate's file is written as it was encoded, or the candidate is refused.
func TestCandidateEncoded(t *testing.T) {
	t.Parallel()
	s := bench(t, map[string]string{"name.py": "# coding: latin-1\nNAME = 'caf\xe9'\nN = 1\n"}, Options{})
	encodings := map[string]patch.Encoding{}
	c, err := s.candidate("@@ name.py 3-3\n|N = 2", encodings)
	if err != nil {
		t.Fatal(err)
	}
	data, err := encodings["name.py"].Encode(c["name.py"])
	if want := "# coding: latin-1\nNAME = 'caf\xe9'\nN = 2\n"; err != nil || string(data) != want {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := s.candidate("@@ name.py 3-3\n|N = '→'", encodings); err == nil {
		t.Error("a letter that the encoding does not have was taken")
	}
}

// TestLastLineWithoutEnd: the diff of the built-in engine, which knows nothing of how a file ends, leaves that as it is.
func TestLastLineWithoutEnd(t *testing.T) {
	t.Parallel()
	s := bench(t, map[string]string{"a.py": "x = 1\ny = 2"}, Options{})
	call(t, s, "read_file", m{"path": "a.py"})
	out := call(t, s, "apply_patch", m{"patch": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"})
	if !out.OK {
		t.Fatal(out.Text)
	}
	if data, err := s.o.Workspace.Read("a.py"); err != nil || string(data) != "x = 1\ny = 3" {
		t.Errorf("%q, %v: %s", data, err, out.Text)
	}
}

// TestTimesOfTests: what a test may take goes by what it took on the untouched copy; one that never ended there, and a few slow ones,
// do not raise what a failing test has at first.
func TestTimesOfTests(t *testing.T) {
	t.Parallel()
	passed := func(id string, ms int64) testrun.Test {
		return testrun.Test{ID: id, Status: testrun.Passed, Millis: ms}
	}
	hung := testrun.Test{ID: "hung", Status: testrun.Failed, Millis: 20_000, Message: "stopped: " + testrun.TooLong + ", more than 20 s"}
	for name, tt := range map[string]struct {
		tests       []testrun.Test
		most, quick int
		each        map[string]time.Duration
		hangs       bool
	}{
		"quick":            {[]testrun.Test{passed("a", 3), {ID: "f", Status: testrun.Failed, Millis: 2}}, 400, 100, map[string]time.Duration{}, false},
		"never ends":       {[]testrun.Test{passed("a", 3), hung}, 400, 100, map[string]time.Duration{}, true},
		"one slow":         {[]testrun.Test{passed("a", 3), passed("b", 100), passed("c", 900), hung}, 4500, 300, map[string]time.Duration{"a": 400 * time.Millisecond, "b": 500 * time.Millisecond}, true},
		"slow to fail":     {[]testrun.Test{passed("a", 3), {ID: "f", Status: testrun.Failed, Millis: 700}}, 400, 2100, map[string]time.Duration{}, false},
		"all fail at once": {[]testrun.Test{{ID: "f", Status: testrun.Errored}}, 400, 100, map[string]time.Duration{}, false},
	} {
		s := &Set{o: Options{Baseline: testrun.Run{Tests: tt.tests}}}
		if got := s.testMillis(); got != tt.most {
			t.Errorf("%s: a test may take %d ms, want %d", name, got, tt.most)
		}
		if got := s.quickMillis(); got != tt.quick {
			t.Errorf("%s: at first %d ms, want %d", name, got, tt.quick)
		}
		if got := s.each(tt.most); !maps.Equal(got, tt.each) {
			t.Errorf("%s: the passing ones %v, want %v", name, got, tt.each)
		}
		if s.hangs() != tt.hangs {
			t.Errorf("%s: hangs is %v", name, s.hangs())
		}
	}
}

// TestLateIsSaid: candidates that had little time are listed, and are not among those that were tried.
func TestLateIsSaid(t *testing.T) {
	t.Parallel()
	trials := []testrun.Trial{{Tried: true, Built: true}, {Tried: true, Late: true}, {Tried: true, Late: true}, {}, {Tried: true, Late: true}}
	numbers := []int{1, 2, 3, 4, 6}
	r := tried(trials, numbers, []string{"f"})
	if r.summary != "1 edit tried, none passes all tests" || !strings.Contains(r.head, "3 take long and had little time") {
		t.Errorf("%q, %q", r.summary, r.head)
	}
	if got := listed("late", trials, numbers, func(t testrun.Trial) bool { return t.Late }); got != "late: 2-3 6-6\n" {
		t.Errorf("%q", got)
	}
}
