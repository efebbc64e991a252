package proof

import (
	"context"
	"fmt"
	"slices"

	"redgreen/backend/testrun"
)

// A patch can take the teeth out of a test that was there by adding lines alone: one that overwrites the table of cases, or
// a new file of tests that changes what the others use. Such a test passes before the patch and with it, and nothing of it
// was deleted. So, before a patch that changes tests counts as proven, the tests as they were have to pass with the fix.

// older is what the tests as they were say of the fix.
type older struct {
	run   testrun.Run
	again []testrun.Run // of those that fail
	asked bool
}

// older runs the suite with the fix and without the patch's changes to tests. Of a long suite only the tests near the patch
// are run.
func (o observer) older(ctx context.Context, e *evidence) error {
	return o.in(ctx, fixPart(o.Patch, o.ReadBase), func(dir string) (err error) {
		var paths []string
		if e.patched.Duration > longSuite && len(e.grown) == 0 {
			paths = testrun.Near(dir, o.Command, o.Patch.Paths())
		}
		if e.older.run, err = o.run(ctx, dir, paths, "Running the tests as they were with the fix"); err != nil {
			return err
		}
		e.older.asked = true
		return o.repeat(ctx, dir, e.failInOlderForm(), "as they were with the fix", &e.older.again)
	})
}

// failInOlderForm are the tests that pass on the base and with the patch, and fail with the fix alone.
func (e evidence) failInOlderForm() []string {
	base, patched := statuses(e.base), statuses(e.patched)
	var all []string
	for _, t := range e.older.run.Tests {
		if red(t.Status) && base[t.ID] == testrun.Passed && patched[t.ID] == testrun.Passed {
			all = append(all, t.ID)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// olderForm judges what the tests as they were say.
func (j *judgement) olderForm() {
	if !j.evidence.older.asked {
		return
	}
	var bent []string
	for _, id := range j.failInOlderForm() {
		if again := seen(id, j.evidence.older.again); slices.ContainsFunc(again, func(s testrun.Status) bool { return !red(s) }) {
			j.c.Flaky = append(j.c.Flaky, id)
		} else {
			bent = append(bent, id)
		}
	}
	for _, id := range j.grown { // a case was added only where the older form holds with the fix
		if s := statuses(j.evidence.older.run)[id]; s != testrun.Passed && !red(s) {
			j.refuse(fmt.Sprintf("%s passed before, and in that form it could not be run with the fix, so what the patch adds to it proves nothing.", id))
		}
	}
	if n := len(bent); n > 0 {
		j.refuse(fmt.Sprintf("%s only because the patch changes the tests: as %s before, %s with the fix: %s.",
			does(n, "still passes", "still pass"), verb(n, "it was", "they were"), verb(n, "it fails", "they fail"), some(bent)))
	}
	slices.Sort(j.c.Flaky)
	j.c.Flaky = slices.Compact(j.c.Flaky)
}

// unseenOlder says where the tests as they were could not be asked.
func (j *judgement) unseenOlder(say func(format string, args ...any)) {
	if !j.evidence.older.asked {
		return
	}
	if j.patched.Duration > longSuite && len(j.grown) == 0 {
		say("The suite is long, so of the tests as they were only those near the change were run with the fix.")
	}
	if r := j.evidence.older.run; blocked(r) {
		say("Whether the tests as they were pass with the fix is not known (%s).", r.Reason)
		return
	}
	n := 0
	after := statuses(j.patched)
	for _, t := range j.base.Tests {
		if t.Status == testrun.Passed && after[t.ID] == testrun.Passed && statusIn(j.evidence.older.run, t.ID) == testrun.Errored && !ran(j.evidence.older.run, t.ID) {
			n++
		}
	}
	if n > 0 {
		say("%s built with the fix without the patch's changes to tests, so whether %s in the older form is not known.", does(n, "is not", "are not"), verb(n, "it passes", "they pass"))
	}
}
