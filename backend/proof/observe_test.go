package proof

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
	"redgreen/backend/sandbox"
	"redgreen/backend/testrun"
)

// TestHasty runs what did not end on the base again with less patience, and never with less than the others took.
func TestHasty(t *testing.T) {
	t.Parallel()
	r := testrun.New(testrun.Options{Hang: 20 * time.Second})
	loops := testrun.Test{ID: "loops", Message: "stopped: " + testrun.TooLong + ", more than 20 s"}
	o := observer{suite: r}
	for name, tt := range map[string]struct {
		tests []testrun.Test
		same  bool
	}{
		"one does not end":           {[]testrun.Test{loops, {ID: "fails", Millis: 900}}, false},
		"one takes long as it fails": {[]testrun.Test{loops, {ID: "fails", Millis: 15_000}}, true},
		"each ends":                  {[]testrun.Test{{ID: "fails", Millis: 900}}, true},
		"another one does not end":   {[]testrun.Test{{ID: "fails"}, {ID: "other", Message: loops.Message}}, true},
	} {
		if got := o.hasty([]string{"loops", "fails"}, testrun.Run{Tests: tt.tests}).suite; (got == suite(r)) != tt.same {
			t.Errorf("%s: another runner: %v", name, got != suite(r))
		}
	}
}

// scripted is a suite whose runs are answered by the kind of tree: "base", "patched", "tests" (base and test
// changes) or "fix" (base and the rest).
type scripted struct {
	answers map[string][]testrun.Run // the last one is given again
	calls   []string
	err     error
}

func (s *scripted) Run(ctx context.Context, dir string, _ testrun.Command, paths []string) (testrun.Run, error) {
	s.calls = append(s.calls, strings.TrimSpace(dir+" "+strings.Join(paths, " ")))
	if s.err != nil {
		return testrun.Run{}, s.err
	}
	queue := s.answers[dir]
	if len(queue) == 0 {
		return testrun.Run{}, fmt.Errorf("no run of %s was expected", dir)
	}
	if len(queue) > 1 {
		s.answers[dir] = queue[1:]
	}
	r := queue[0]
	r.Rung = sandbox.Rung{Name: "fake", Label: "test stand-in", Warnings: []string{"nothing is limited"}}
	r.Duration = time.Second
	return r, ctx.Err()
}

// edit is a patch of lines replaced in files that hold "old\n".
func edit(t *testing.T, paths ...string) patch.Patch {
	t.Helper()
	var pairs []patch.Pair
	for _, p := range paths {
		pairs = append(pairs, patch.Pair{Path: p, Before: &patch.Content{Data: []byte("old = 1\n"), Mode: 0o644}, After: &patch.Content{Data: []byte("old = 1\nnew = 2\n"), Mode: 0o644}})
	}
	p, err := patch.Diff(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func options(t *testing.T, base testrun.Run, p patch.Patch) (Options, *[]string) {
	t.Helper()
	var said []string
	open := 0
	t.Cleanup(func() {
		if open != 0 {
			t.Errorf("%d trees were not given back", open)
		}
	})
	return Options{
		Command: testrun.Command{Runner: "custom", Args: []string{"make", "test"}}, Baseline: base, Patch: p, BaseHash: "b",
		Tree: func(_ context.Context, q patch.Patch) (string, func(), error) {
			open++
			kind := "tests"
			switch {
			case q.Empty():
				kind = "base"
			case len(q.Files) == len(p.Files):
				kind = "patched"
			case !testrun.TestFile(q.Files[0].Path):
				kind = "fix"
			}
			return kind, func() { open-- }, nil
		},
		ReadBase: func(string) (*patch.Content, error) { return nil, fs.ErrNotExist },
		Now:      func() time.Time { return time.Unix(0, 0).UTC() },
		Progress: func(s string) { said = append(said, s) },
	}, &said
}

func TestProveMakesTheRunsThatItNeeds(t *testing.T) {
	tests := []struct {
		name    string
		base    testrun.Run
		patch   []string
		answers map[string][]testrun.Run
		calls   []string
		state   State
	}{
		{
			name: "red to green", base: run("a=failed"), patch: []string{"a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "base": {run("a=failed")}},
			calls:   []string{"patched", "patched", "patched", "base", "base"}, state: Proven,
		},
		{
			name: "no-op", base: run("a=failed"), patch: []string{"a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=failed")}},
			calls:   []string{"patched"}, state: NotProven,
		},
		{
			name: "does not compile", base: run("p.TestA=failed", "p.TestB=passed"), patch: []string{"a.go"},
			answers: map[string][]testrun.Run{"patched": {unbuilt("p=uncompiled")}},
			calls:   []string{"patched"}, state: NotProven,
		},
		{
			name: "with a test of its own", base: run("a=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed", "n=passed")}, "tests": {run("a=passed", "n=failed")}, "fix": {run("a=passed")}},
			calls:   []string{"patched", "patched", "patched", "tests", "tests", "fix"}, state: Proven,
		},
		{
			name: "lines added to the tests hide what the fix breaks", base: run("a=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed", "n=passed")}, "tests": {run("a=passed", "n=failed")}, "fix": {run("a=failed")}},
			calls:   []string{"patched", "patched", "patched", "tests", "tests", "fix", "fix", "fix"}, state: NotProven,
		},
		{
			name: "a test as it was fails with the fix by chance", base: run("a=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed", "n=passed")}, "tests": {run("a=passed", "n=failed")}, "fix": {run("a=failed"), run("a=passed")}},
			calls:   []string{"patched", "patched", "patched", "tests", "tests", "fix", "fix", "fix"}, state: Proven,
		},
		{
			name: "a case added to a test that was there", base: run("a=passed", "b=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed", "b=passed")}, "tests": {run("a=failed", "b=passed")}, "fix": {run("a=passed", "b=passed")}},
			calls:   []string{"patched", "tests", "tests", "tests", "patched", "patched", "fix"}, state: Proven,
		},
		{
			name: "lines added to a test turn its cases into others", base: run("a=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "tests": {run("a=failed")}, "fix": {run("a=failed")}},
			calls:   []string{"patched", "tests", "tests", "tests", "patched", "patched", "fix", "fix", "fix"}, state: NotProven,
		},
		{
			name: "a test that does not load with the fix unless it is changed", base: run("a=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "tests": {run("a=failed")}, "fix": {run()}},
			calls:   []string{"patched", "tests", "tests", "tests", "patched", "patched", "fix"}, state: NotProven,
		},
		{
			name: "a case that fails without the fix by chance", base: run("a=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "tests": {run("a=failed"), run("a=failed"), run("a=passed")}},
			calls:   []string{"patched", "tests", "tests", "tests", "patched", "patched"}, state: NotProven,
		},
		{
			name: "tests that do not build without the fix say nothing of single ones", base: run("a=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "tests": {run("a=error")}},
			calls:   []string{"patched", "tests"}, state: NotProven,
		},
		{
			name: "a fix and tests that hold without it", base: run("a=passed"), patch: []string{"a.py", "test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "tests": {run("a=passed")}},
			calls:   []string{"patched", "tests"}, state: NotProven,
		},
		{
			name: "only tests", base: run("a=failed"), patch: []string{"test_a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=passed")}},
			calls:   []string{"patched", "patched", "patched"}, state: NotProven,
		},
		{
			name: "broken", base: run("a=passed"), patch: []string{"a.py"},
			answers: map[string][]testrun.Run{"patched": {run("a=failed")}, "base": {run("a=passed")}},
			calls:   []string{"patched", "patched", "patched", "base", "base"}, state: NotProven,
		},
		{
			name: "no verdict on the base", base: noVerdict("timeout"), patch: []string{"a.py"}, state: Unverifiable,
		},
		{
			name: "no verdict with the patch", base: run("a=passed"), patch: []string{"a.py"},
			answers: map[string][]testrun.Run{"patched": {noVerdict("timeout")}},
			calls:   []string{"patched"}, state: Unverifiable,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, said := options(t, tt.base, edit(t, tt.patch...))
			ended := 0
			o.Ran = func(testrun.Run) { ended++ }
			s := &scripted{answers: tt.answers}
			c, _, err := prove(t.Context(), o, s)
			if err != nil {
				t.Fatal(err)
			}
			if c.State != tt.state {
				t.Errorf("state is %s, want %s: %q", c.State, tt.state, c.Reasons)
			}
			if diff := cmp.Diff(tt.calls, s.calls); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			if len(*said) != len(tt.calls) || ended != len(tt.calls) {
				t.Errorf("progress said %q and %d ends for %d runs", *said, ended, len(tt.calls))
			}
			checkForm(t, c)
		})
	}
}

func TestProveLabelsTheCertificate(t *testing.T) {
	base := run("a=failed")
	base.Duration = 3 * time.Second
	p := edit(t, "a.py")
	o, _ := options(t, base, p)
	c, patched, err := prove(t.Context(), o, &scripted{answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "base": {run("a=failed")}}})
	if err != nil {
		t.Fatal(err)
	}
	want := Certificate{
		State: Proven, Reasons: []string{}, RedToGreen: []string{"a"}, Broken: []string{}, PreExisting: []string{}, Flaky: []string{},
		Infrastructure: []string{}, Integrity: []Flag{}, Runtime: "fake", RuntimeLabel: "test stand-in", Warnings: []string{"nothing is limited"},
		Command: []string{"make", "test"}, BaseHash: "b", PatchHash: p.Hash(), BaselineMillis: 3000, PatchedMillis: 1000,
		Issued: time.Unix(0, 0).UTC(), Reruns: 2, NotCovered: []string{"Coverage was not measured, so whether a test runs each changed line is not known."},
		Toolchain: []testrun.Tool{}, Static: []testrun.Finding{}, Linters: []string{}, Uncovered: []Span{},
		Breaks: []Break{}, Unbroken: []string{}, Criteria: []Criterion{},
	}
	want.seal()
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("certificate (-want +got):\n%s", diff)
	}
	if len(patched.Tests) != 1 {
		t.Errorf("the run of the patched tree has %d tests", len(patched.Tests))
	}
}

func TestProveEmptyPatch(t *testing.T) {
	o, _ := options(t, run("a=failed"), patch.Patch{})
	c, _, err := prove(t.Context(), o, &scripted{})
	if err != nil || c.State != NotProven || len(c.Reasons) != 1 {
		t.Errorf("prove = %+v, %v", c, err)
	}
}

func TestProveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o, _ := options(t, run("a=failed"), edit(t, "a.py"))
	if _, _, err := prove(ctx, o, &scripted{err: context.Canceled}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want canceled", err)
	}
}

func TestProveReportsATreeThatCannotBeMade(t *testing.T) {
	o, _ := options(t, run("a=failed"), edit(t, "a.py"))
	full := errors.New("disk full")
	o.Tree = func(context.Context, patch.Patch) (string, func(), error) { return "", nil, full }
	if _, _, err := prove(t.Context(), o, &scripted{}); !errors.Is(err, full) {
		t.Errorf("err = %v, want %v", err, full)
	}
}

func TestReruns(t *testing.T) {
	o, _ := options(t, run("a=failed"), edit(t, "a.py"))
	o.Reruns = 4
	s := &scripted{answers: map[string][]testrun.Run{"patched": {run("a=passed")}, "base": {run("a=failed")}}}
	c, _, err := prove(t.Context(), o, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.calls) != 9 || c.Reruns != 4 || c.State != Proven {
		t.Errorf("%d runs, certificate %+v; want 9 runs and 4 reruns", len(s.calls), c)
	}
}

// coin is a suite whose test passes with the patch as a coin falls.
type coin struct{ heads func() bool }

func (c coin) Run(_ context.Context, dir string, _ testrun.Command, _ []string) (testrun.Run, error) {
	if filepath.Base(dir) == "patched" && c.heads() {
		return run("a.py::a=passed"), nil
	}
	return run("a.py::a=failed"), nil
}

// A fix that is right half of the time is proven in fewer than 2 of 100 tries where its code says that chance may have a hand
// in it, and a certificate says how often its test was run again. Code that leaves nothing to chance is run no more often.
func TestFixByChance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, test string
		reruns     int
	}{
		"the fix":                 {"import random\n\ndef f():\n    return random.random() < 0.5\n", "", chanceReruns},
		"the test":                {"def f():\n    return 1\n", "import threading\n\ndef test_a():\n    threading.Thread(target=f).start()\n", chanceReruns},
		"nothing left to chance":  {"def f():\n    return 1\n", "def test_a():\n    assert f() == 1\n", defaultReruns},
		"a word within a word":    {"brand = 'operand'\nlifetimes = 3\nvalid(brand)\n", "", defaultReruns},
		"Go's maps":               {"for k := range map[string]int{} {\n", "", chanceReruns},
		"a word of prose":         {"// go through. the set (of them)\nvalues.set(1)\n", "", defaultReruns},
		"a channel":               {"v := <-done\n", "", chanceReruns},
		"JavaScript's clock":      {"const at = new Date();\n", "", chanceReruns},
		"a day that stands there": {"const at = new Date(2020, 1, 2);\n", "", defaultReruns},
	} {
		root := t.TempDir()
		for _, kind := range []string{"patched", "base"} {
			if err := os.Mkdir(filepath.Join(root, kind), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range map[string]string{"fix.py": c.file, "a.py": c.test} {
			if err := os.WriteFile(filepath.Join(root, "patched", name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o, _ := options(t, run("a.py::a=failed"), edit(t, "fix.py"))
		inner := o.Tree
		o.Tree = func(ctx context.Context, p patch.Patch) (string, func(), error) {
			kind, done, err := inner(ctx, p)
			return filepath.Join(root, map[bool]string{true: "base", false: "patched"}[kind == "base"]), done, err
		}
		sure, _, err := prove(t.Context(), o, coin{func() bool { return true }})
		if err != nil || sure.State != Proven || sure.Reruns != c.reruns {
			t.Errorf("%s: %s with %d reruns, %v, want %d", name, sure.State, sure.Reruns, err, c.reruns)
		}
		if c.reruns == defaultReruns {
			continue
		}
		const tries = 4000
		dice, proven := rand.New(rand.NewPCG(1, 2)), 0
		for range tries {
			got, _, err := prove(t.Context(), o, coin{func() bool { return dice.IntN(2) == 0 }})
			if err != nil {
				t.Fatal(err)
			}
			if got.State == Proven {
				proven++
			}
		}
		if proven*100 >= 2*tries {
			t.Errorf("%s: proven in %d of %d tries", name, proven, tries)
		}
	}
}

// A module that the patch takes away is named as that: to install one of its name would be wrong, and no help.
func TestTakenAwayIsNotToBeInstalled(t *testing.T) {
	t.Parallel()
	missing := testrun.Run{Infrastructure: true, Missing: "calc", Reason: "missing dependency: calc. Install calc"}
	for _, tt := range []struct {
		file patch.File
		want string
	}{
		{patch.File{Path: "calc.py", Status: patch.Deleted}, "calc.py"},
		{patch.File{Path: "sums.py", OldPath: "calc.py", Status: patch.Renamed}, "calc.py"},
		{patch.File{Path: "sums/add.py", OldPath: "calc/add.py", Status: patch.Renamed}, "calc/add.py"},
		{patch.File{Path: "other.py", Status: patch.Deleted}, ""},
	} {
		run := brought(missing, patch.Patch{Files: []patch.File{tt.file}})
		if named := strings.Contains(run.Reason, "the patch takes "+tt.want+" away"); named != (tt.want != "") || run.Unbuilt != named {
			t.Errorf("%s: %v %q", tt.file.Path, run.Unbuilt, run.Reason)
		}
	}
}
