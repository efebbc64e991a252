package proof

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// looking is a scripted suite that can look at trees as well.
type looking struct {
	scripted
	lint   map[string]testrun.Lint // by kind of tree
	cover  testrun.Coverage
	linted []string
}

func (l *looking) Lint(_ context.Context, dir string, files, only []string) (testrun.Lint, error) {
	l.linted = append(l.linted, strings.Join(append([]string{dir}, append(files, only...)...), " "))
	return l.lint[dir], nil
}

func (l *looking) Cover(_ context.Context, dir string, _ testrun.Command, _, files []string) (testrun.Coverage, error) {
	return l.cover, nil
}

// proven is a suite that finds a patch of a.py right.
func proven(t *testing.T) (*looking, Options) {
	o, _ := options(t, run("a=failed"), edit(t, "a.py"))
	o.Command.Runner = "pytest"
	return &looking{scripted: scripted{answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "base": {run("a=failed")}}}}, o
}

func TestStaticFindingsAreShownAndDecideNothing(t *testing.T) {
	s, o := proven(t)
	old := testrun.Finding{Tool: "flake8", File: "a.py", Line: 1, Rule: "E501", Text: "line too long (81 > 79)"}
	moved := old
	moved.Line, moved.Text = 5, "line too long (90 > 79)"
	fresh := testrun.Finding{Tool: "flake8", File: "a.py", Line: 2, Rule: "F841", Text: "local variable is never used"}
	s.lint = map[string]testrun.Lint{
		"base":    {Findings: []testrun.Finding{old}, Ran: []string{"flake8"}},
		"patched": {Findings: []testrun.Finding{fresh, moved}, Ran: []string{"flake8"}, Failed: []string{"mypy (asked for by setup.cfg): not installed here"}},
	}
	s.cover = testrun.Coverage{Files: map[string]map[int]bool{"a.py": {1: true, 2: true}}}
	c, _, err := prove(t.Context(), o, s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]testrun.Finding{fresh}, c.Static); diff != "" || c.State != Proven {
		t.Errorf("state %s, new findings (-want +got):\n%s", c.State, diff)
	}
	if diff := cmp.Diff([]string{"flake8"}, c.Linters); diff != "" {
		t.Errorf("linters (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"patched a.py", "base a.py flake8"}, s.linted); diff != "" {
		t.Errorf("linted (-want +got):\n%s", diff)
	}
	if text := strings.Join(c.NotCovered, "\n"); !strings.Contains(text, "mypy (asked for by setup.cfg): not installed here.") {
		t.Errorf("the tool that is missing is not named: %q", text)
	}
	checkForm(t, c)
}

func TestUncoveredLinesAreNamed(t *testing.T) {
	tests := []struct {
		name  string
		cover testrun.Coverage
		want  []Span
		says  string
	}{
		{"executed", testrun.Coverage{Files: map[string]map[int]bool{"a.py": {1: true, 2: true}}}, []Span{}, ""},
		{"not executed", testrun.Coverage{Files: map[string]map[int]bool{"a.py": {1: true, 2: false}}}, []Span{{"a.py", 2, 2}}, "No test executed 1 line of the change: a.py:2."},
		{"nothing that runs", testrun.Coverage{Files: map[string]map[int]bool{"a.py": {1: true}}}, []Span{}, ""},
		{"not measured", testrun.Coverage{Problem: "the run was stopped: timeout"}, []Span{}, "Coverage was not measured: the run was stopped: timeout."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, o := proven(t)
			s.cover = tt.cover
			c, _, err := prove(t.Context(), o, s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.Uncovered); diff != "" || c.State != Proven {
				t.Errorf("state %s, uncovered (-want +got):\n%s", c.State, diff)
			}
			if text := strings.Join(c.NotCovered, "\n"); !strings.Contains(text, tt.says) || tt.says == "" && text != "" {
				t.Errorf("not covered is %q, want %q", text, tt.says)
			}
			checkForm(t, c)
		})
	}
}

// TestSpansAreJoined puts neighbours and the lines of one statement together.
func TestSpansAreJoined(t *testing.T) {
	code := span{file: "a.go"}
	for n := 1; n <= 12; n++ {
		code.lines = append(code.lines, line{n, "x"})
	}
	a := aside{measurable: []span{code}, coverage: testrun.Coverage{Files: map[string]map[int]bool{"a.go": {1: true, 2: false, 4: false, 5: true, 6: false, 12: false}}}}
	want := []Span{{"a.go", 2, 4}, {"a.go", 6, 6}, {"a.go", 12, 12}}
	if diff := cmp.Diff(want, uncovered(a)); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// TestTheSameInputsGiveTheSameCertificate but for its times.
func TestTheSameInputsGiveTheSameCertificate(t *testing.T) {
	var all []Certificate
	for range 5 {
		s, o := proven(t)
		var findings []testrun.Finding
		for n, rule := range []string{"F1", "F2", "F3", "F4", "F5", "F6"} {
			findings = append(findings, testrun.Finding{Tool: "flake8", File: "a.py", Line: 6 - n, Rule: rule, Text: "x"})
		}
		s.lint = map[string]testrun.Lint{"patched": {Findings: findings, Ran: []string{"flake8"}}}
		c, _, err := prove(t.Context(), o, s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all[1:] {
		if diff := cmp.Diff(all[0], c); diff != "" {
			t.Errorf("it differs:\n%s", diff)
		}
	}
}

func TestAgainst(t *testing.T) {
	c := Certificate{State: Proven, Reasons: []string{}}
	if got := c.Against(nil); got.State != Proven {
		t.Errorf("held against nothing new it is %s", got.State)
	}
	got := c.Against([]string{"a.py"})
	if got.State != Stale || len(got.Reasons) != 1 || got.Reasons[0] != "The folder has changed since: a.py." || len(c.Reasons) != 0 {
		t.Errorf("against a changed folder it is %s: %q", got.State, got.Reasons)
	}
}

// TestPartOfTests takes the tests out of a file that holds them beside its code.
func TestPartOfTests(t *testing.T) {
	filler := strings.Repeat("// filler\n", 12)
	old := "pub fn double(n: u32) -> u32 {\n    n + n + n\n}\n" + filler + "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn zero() {\n        assert_eq!(double(0), 0);\n    }\n}\n"
	new := strings.Replace(strings.Replace(old, "n + n + n", "n + n", 1), "    #[test]\n    fn zero", "    #[test]\n    fn two() {\n        assert_eq!(double(2), 4);\n    }\n\n    #[test]\n    fn zero", 1)
	p := change(t, "src/lib.rs", old, new)
	read := func(string) (*patch.Content, error) { return &patch.Content{Data: []byte(old), Mode: 0o644}, nil }
	part := testPart(p, read)
	if len(p.Files) != 1 || len(p.Files[0].Hunks) != 2 || len(part.Files) != 1 || len(part.Files[0].Hunks) != 1 || !strings.Contains(part.String(), "fn two") || strings.Contains(part.String(), "-    n + n") {
		t.Errorf("the tests of the patch are\n%s", part)
	}
	if flags := inspect(p, read, nil); len(flags) > 0 {
		t.Errorf("a new inline test is flagged: %+v", flags)
	}
	weak := change(t, "src/lib.rs", old, strings.Replace(old, "double(0), 0", "double(0), 1", 1))
	if flags := inspect(weak, read, nil); len(flags) != 1 || flags[0].Rule != ruleExpected {
		t.Errorf("a weakened inline test gives %+v", flags)
	}
}

// TestNotRead holds that the certificate names what no coverage is read of, not only that none was measured.
func TestNotRead(t *testing.T) {
	cargo, node := testrun.Command{Runner: "cargo"}, testrun.Command{Runner: "node"}
	for _, tt := range []struct {
		command testrun.Command
		kinds   []string
		want    string
	}{
		{cargo, nil, ""},
		{cargo, []string{".rs", ".rs"}, "coverage of .rs files is not read from cargo"},
		{testrun.Custom([]string{"make", "check"}), []string{".py", ".c"}, "coverage of .c, .py files is not read from this test command"},
		{testrun.Together([]testrun.Command{cargo, node}), []string{".rs"}, "coverage of .rs files is not read from these test commands"},
	} {
		if got := notRead(tt.command, tt.kinds); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	var c Certificate
	c.sayAside(aside{other: notRead(cargo, []string{".rs"})}, patch.Patch{})
	if got := strings.Join(c.NotCovered, " "); !strings.Contains(got, "Coverage of .rs files is not read from cargo, so whether a test runs each changed line is not known.") {
		t.Error(got)
	}
}
