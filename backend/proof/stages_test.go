package proof

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// staged answers by what is asked for: the tests near the change, or all.
type staged struct {
	near, all []testrun.Run // in turn; the last one stays
	asked     []string
}

func (s *staged) Run(_ context.Context, _ string, _ testrun.Command, paths []string) (testrun.Run, error) {
	from, what := &s.all, "all"
	if len(paths) > 0 {
		from, what = &s.near, "near"
	}
	s.asked = append(s.asked, what)
	next := (*from)[0]
	if len(*from) > 1 {
		*from = (*from)[1:]
	}
	return next, nil
}

// many is a run of a suite that is large enough to be staged, with one test set to a status.
func many(id string, status testrun.Status) testrun.Run {
	r := run(id + "=" + string(status))
	for i := range stagedFrom {
		r.Tests = append(r.Tests, testrun.Test{ID: fmt.Sprintf("far_%d", i), Status: testrun.Passed})
	}
	return r
}

func TestTheTestsNearTheChangeRunFirst(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "test_a.py"), []byte("def test_a(): pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const id = "test_a.py::test_a"
	passes, fails := run(id+"=passed"), run(id+"=failed")
	tests := []struct {
		name string
		s    *staged
		want []string // what was run with the patch, at the beginning
		near bool
	}{
		{"a broken patch stops early", &staged{near: []testrun.Run{fails, fails, fails, passes}, all: []testrun.Run{many(id, testrun.Passed)}}, []string{"near", "near", "near"}, true},
		{"a flaky test does not stop it", &staged{near: []testrun.Run{fails, passes}, all: []testrun.Run{many(id, testrun.Passed)}}, []string{"near", "near", "near", "all"}, false},
		{"nothing broken goes on to the whole suite", &staged{near: []testrun.Run{passes}, all: []testrun.Run{many(id, testrun.Passed)}}, []string{"near", "all"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, said := options(t, many(id, testrun.Passed), edit(t, "a.py"))
			o.Command = testrun.Command{Runner: "pytest", Args: []string{"python3", "-m", "pytest"}}
			o.Tree = func(context.Context, patch.Patch) (string, func(), error) { return dir, func() {}, nil }
			c, _, err := prove(t.Context(), o, tt.s)
			if err != nil {
				t.Fatal(err)
			}
			if got := tt.s.asked; len(got) < len(tt.want) || !slices.Equal(got[:len(tt.want)], tt.want) {
				t.Errorf("runs %v, want %v first", got, tt.want)
			}
			stopped := slices.ContainsFunc(c.NotCovered, func(s string) bool { return strings.HasPrefix(s, "Only the tests near the change") })
			if c.State != NotProven || stopped != tt.near || tt.near != slices.Equal(c.Broken, []string{id}) {
				t.Errorf("%s, broken %v, %v", c.State, c.Broken, c.NotCovered)
			}
			if tt.near && slices.Contains(tt.s.asked, "all") {
				t.Error("the whole suite ran although the patch breaks a test near it")
			}
			if !strings.HasPrefix((*said)[0], "Running the tests near the change: 1 file") {
				t.Errorf("progress %q", *said)
			}
		})
	}
}

// suiteOf answers with the statuses of whole trees, of which it runs what is asked for.
type suiteOf struct {
	base, patched map[string]testrun.Status
	flaky         string // fails in the first run and passes in the others
	asked         []string
}

func (s *suiteOf) Run(_ context.Context, dir string, _ testrun.Command, paths []string) (testrun.Run, error) {
	tree, where := s.patched, filepath.Base(dir)
	if where == "base" {
		tree = s.base
	}
	r := testrun.Run{PerTest: true, Finished: true}
	for _, id := range sortedIDs(tree) {
		if file, _, _ := strings.Cut(id, "::"); len(paths) == 0 || slices.Contains(paths, id) || slices.Contains(paths, file) {
			r.Tests = append(r.Tests, testrun.Test{ID: id, Status: tree[id]})
		}
	}
	if s.flaky != "" && where == "patched" {
		tree[s.flaky], s.flaky = testrun.Passed, ""
	}
	if where == "patched" {
		s.asked = append(s.asked, strings.Join(paths, " "))
	}
	return r, nil
}

func TestTheFailingTestsRunFirst(t *testing.T) {
	const a, b, far = "test_a.py::test_a", "test_a.py::test_b", "test_far.py::test_0"
	tests := []struct {
		name    string
		patched map[string]testrun.Status // what differs from the base
		flaky   string
		files   []string // of the patch
		asked   []string // with the patch, at the beginning
		state   State
		stopped bool
	}{
		{"none turns green", map[string]testrun.Status{}, "", []string{"a.py"}, []string{a + " " + b, a + " " + b, a + " " + b}, NotProven, true},
		{"nor when the patch breaks others", map[string]testrun.Status{far: testrun.Failed}, "", []string{"a.py"}, []string{a + " " + b, a + " " + b, a + " " + b}, NotProven, true},
		{"one turns green", map[string]testrun.Status{a: testrun.Passed}, "", []string{"a.py"}, []string{a + " " + b, "test_a.py", "", a}, Proven, false},
		{"all turn green", map[string]testrun.Status{a: testrun.Passed, b: testrun.Passed}, "", []string{"a.py"}, []string{a + " " + b, "test_a.py", ""}, Proven, false},
		{"one turns green only when run again", map[string]testrun.Status{}, a, []string{"a.py"}, []string{a + " " + b, a + " " + b, a + " " + b, "test_a.py", ""}, Proven, false},
		{"they are skipped", map[string]testrun.Status{a: testrun.Skipped, b: testrun.Skipped}, "", []string{"a.py"}, []string{a + " " + b, "test_a.py", ""}, NotProven, false},
		{"the patch brings a test", map[string]testrun.Status{"test_new.py::test_new": testrun.Passed}, "", []string{"a.py", "test_new.py"}, []string{"test_a.py test_new.py", ""}, NotProven, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := map[string]testrun.Status{a: testrun.Failed, b: testrun.Failed}
			for i := range stagedFrom {
				base[fmt.Sprintf("test_far.py::test_%d", i)] = testrun.Passed
			}
			root := t.TempDir()
			for _, dir := range []string{"base", "patched", "tests"} {
				for _, name := range []string{"test_a.py", "test_far.py", "test_new.py"} {
					if err := errors.Join(os.MkdirAll(filepath.Join(root, dir), 0o755), os.WriteFile(filepath.Join(root, dir, name), []byte("def test_a(): pass\ndef test_b(): pass\n"), 0o644)); err != nil {
						t.Fatal(err)
					}
				}
			}
			try := func(runner string) (Certificate, *suiteOf, []string) {
				s := &suiteOf{base: base, patched: maps.Clone(base), flaky: tt.flaky}
				maps.Copy(s.patched, tt.patched)
				whole, err := s.Run(t.Context(), "base", testrun.Command{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				o, said := options(t, whole, edit(t, tt.files...))
				o.Command = testrun.Command{Runner: runner, Args: []string{"python3", "-m", "pytest"}}
				kind := o.Tree
				o.Tree = func(ctx context.Context, p patch.Patch) (string, func(), error) {
					name, done, err := kind(ctx, p)
					return filepath.Join(root, name), done, err
				}
				c, _, err := prove(t.Context(), o, s)
				if err != nil {
					t.Fatal(err)
				}
				return c, s, *said
			}
			c, s, said := try("pytest")
			if len(s.asked) < len(tt.asked) || !slices.Equal(s.asked[:len(tt.asked)], tt.asked) {
				t.Errorf("ran %q, want %q first", s.asked, tt.asked)
			}
			only := slices.ContainsFunc(c.NotCovered, func(s string) bool {
				return s == "Only the 2 tests that fail on the base were run with the patch, since none of them turned green. Whether it breaks other tests is not known."
			})
			if c.State != tt.state || only != tt.stopped || tt.stopped && slices.Contains(s.asked, "") {
				t.Errorf("%s %q, not covered %q, ran %q", c.State, c.Reasons, c.NotCovered, s.asked)
			}
			if tt.stopped && (len(c.Reasons) != 1 || !strings.HasPrefix(c.Reasons[0], "No test went from red to green")) {
				t.Errorf("reasons %q", c.Reasons)
			}
			if first := "Running the 2 failing tests with the patch"; (said[0] == first) == (len(tt.files) > 1) {
				t.Errorf("progress %q", said)
			}
			if tt.flaky != "" { // which of its runs comes first is all that the stages change
				return
			}
			if unstaged, _, _ := try("custom"); unstaged.State != c.State || !slices.Equal(unstaged.RedToGreen, c.RedToGreen) {
				t.Errorf("without stages it is %s %q, with them %s %q", unstaged.State, unstaged.RedToGreen, c.State, c.RedToGreen)
			}
		})
	}
}
