package testrun

import (
	"slices"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestIDsAreSteady holds that a test has one id in all runs, also where its parameter is printed with an address, and can be run
// again by it.
func TestIDsAreSteady(t *testing.T) {
	for id, want := range map[string]string{
		"t.py::test_a[<object object at 0x7fe1f3124de0>]": "t.py::test_a[<object object at 0x…>]",
		"TestA/0xc000012345":                              "TestA/0x…",
		"t.py::test_a[0xdeadbeef]":                        "t.py::test_a[0xdeadbeef]",
		"t.py::test_a[0xc0]":                              "t.py::test_a[0xc0]",
	} {
		if got := steady(id); got != want {
			t.Errorf("steady(%q) = %q, want %q", id, got, want)
		}
	}
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "test_a.py", "import pytest\n\n@pytest.mark.parametrize('o', [object(), 1], ids=repr)\ndef test_a(o):\n    assert o == 1\n")
	})
	c := Custom([]string{"python3", "-m", "pytest"})
	var runs [2]Run
	for i := range runs {
		run, err := b.runner.Run(t.Context(), dir, c, nil)
		if err != nil || len(run.Tests) != 2 {
			t.Fatalf("%v %s\n%s", err, run.Reason, run.Log)
		}
		runs[i] = run
	}
	id := runs[0].Tests[1].ID
	if one, two := ids(runs[0]), ids(runs[1]); !slices.Equal(one, two) {
		t.Errorf("the ids of two runs: %q, %q", one, two)
	}
	again, err := b.runner.Run(t.Context(), dir, c, []string{id})
	if err != nil || !slices.Contains(ids(again), id) {
		t.Errorf("%q run again: %v, %q", id, err, ids(again))
	}
}

// ids are the ids of a run.
func ids(r Run) (all []string) {
	for _, t := range r.Tests {
		all = append(all, t.ID)
	}
	return all
}
