package proof

import (
	"context"
	"fmt"
	"slices"

	"redgreen/backend/testrun"
)

// stagedFrom is the number of tests from which a few run before all: a smaller suite is over before they would tell anything
// sooner. It is a count, not a time, so that the same inputs give the same certificate.
const stagedFrom = 100

// fewReds is the share of a suite, one in so many, that its failing tests may be to be run before the rest.
const fewReds = 4

// someFirst runs what may already be the verdict before the whole suite of a large one: the tests that fail on the base, then
// those near the change. stop tells that the evidence is whole, of these tests alone, and that the rest need not be waited
// for; e.only says so. A patch can be proven only by the whole suite.
func (o observer) someFirst(ctx context.Context, dir string, e *evidence) (stop bool, err error) {
	if len(e.base.Tests) < stagedFrom {
		return false, nil
	}
	for _, stage := range []func(context.Context, string, *evidence) (bool, error){o.redFirst, o.nearFirst} {
		if stop, err := stage(ctx, dir, e); stop || err != nil {
			return stop, err
		}
	}
	return false, nil
}

// redFirst runs the tests that fail on the base. When each of them still fails, each time, no test can go from red to green,
// unless the patch brings or changes one: then they tell nothing of it, and are not run apart.
func (o observer) redFirst(ctx context.Context, dir string, e *evidence) (stop bool, err error) {
	reds := redTests(e.base)
	if len(reds) == 0 || e.touchesTests || len(reds) > len(e.base.Tests)/fewReds {
		return false, nil
	}
	selected := o.selection(dir, reds)
	if selected == nil {
		return false, nil
	}
	what := verb(len(reds), "the failing test", fmt.Sprintf("the %d failing tests", len(reds)))
	run, err := o.run(ctx, dir, selected, "Running "+what+" with the patch")
	if err != nil || !allRed(run, reds) {
		return false, err
	}
	var again []testrun.Run
	if err := o.repeat(ctx, dir, reds, "with the patch", &again); err != nil {
		return false, err
	}
	if slices.ContainsFunc(again, func(r testrun.Run) bool { return !allRed(r, reds) }) {
		return false, nil
	}
	e.base, e.patched, e.again = restricted(e.base, run), run, again
	e.only = fmt.Sprintf("Only %s with the patch, since %s. Whether it breaks other tests is not known.",
		verb(len(reds), "the test that fails on the base was run", fmt.Sprintf("the %d tests that fail on the base were run", len(reds))),
		verb(len(reds), "it did not turn green", "none of them turned green"))
	return true, nil
}

// redTests are the ids of what failed in a run, sorted.
func redTests(r testrun.Run) []string {
	var ids []string
	for _, t := range r.Tests {
		if red(t.Status) {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// allRed reports whether a run came to its end, failed each of ids and passed nothing.
func allRed(r testrun.Run, ids []string) bool {
	has := statuses(r)
	return !r.Infrastructure && r.Finished && !slices.ContainsFunc(ids, func(id string) bool { return !red(has[id]) }) &&
		!slices.ContainsFunc(r.Tests, func(t testrun.Test) bool { return t.Status == testrun.Passed })
}

// nearFirst runs the tests near the change. When the patch breaks some of them, each time they are run, that is the verdict.
func (o observer) nearFirst(ctx context.Context, dir string, e *evidence) (stop bool, err error) {
	near := testrun.Near(dir, o.Command, o.Patch.Paths())
	if len(near) == 0 {
		return false, nil
	}
	run, err := o.run(ctx, dir, near, "Running the tests near the change: "+plural(len(near), "file"))
	if err != nil || blocked(run) {
		return false, err
	}
	base := restricted(e.base, run)
	c := compare(base, run)
	broke := c.broke
	if len(broke) == 0 {
		return false, nil
	}
	var again []testrun.Run
	if err := o.repeat(ctx, dir, append(slices.Clone(c.turned), c.failing()...), "with the patch", &again); err != nil {
		return false, err
	}
	for _, id := range broke {
		if len(again) == 0 || slices.ContainsFunc(seen(id, again), func(s testrun.Status) bool { return s == testrun.Passed }) {
			return false, nil
		}
	}
	e.base, e.patched, e.again = base, run, again
	e.only = "Only the tests near the change were run, since the patch breaks some of them."
	return true, nil
}

// restricted is the base's run with only the tests that another run has as well.
func restricted(base, to testrun.Run) testrun.Run {
	has := statuses(to)
	base.Tests = slices.DeleteFunc(slices.Clone(base.Tests), func(t testrun.Test) bool { return has[t.ID] == missing })
	return base
}
