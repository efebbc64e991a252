package proof

import (
	"context"
	"slices"

	"redgreen/backend/testrun"
)

// stagedFrom is the number of tests from which those near the change run first: a smaller suite is over before it would
// tell anything sooner. It is a count, not a time, so that the same inputs give the same certificate.
const stagedFrom = 100

// nearFirst runs the tests near the change before the whole suite. When the patch breaks some of them, each time they are
// run, that is the verdict, and the rest of the suite need not be waited for; stop then tells that the evidence is whole,
// of these tests alone. A patch can be proven only by the whole suite.
func (o observer) nearFirst(ctx context.Context, dir string, e *evidence) (stop bool, err error) {
	if len(e.base.Tests) < stagedFrom {
		return false, nil
	}
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
	e.base, e.patched, e.again, e.near = base, run, again, true
	return true, nil
}

// restricted is the base's run with only the tests that another run has as well.
func restricted(base, to testrun.Run) testrun.Run {
	has := statuses(to)
	base.Tests = slices.DeleteFunc(slices.Clone(base.Tests), func(t testrun.Test) bool { return has[t.ID] == missing })
	return base
}
