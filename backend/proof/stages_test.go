package proof

import (
	"context"
	"fmt"
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
