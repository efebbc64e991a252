package proof

import (
	"fmt"
	"slices"
	"strings"

	"redgreen/backend/testrun"
)

// missing stands for a test that has no result in a run.
const missing testrun.Status = ""

// comparison sorts tests by what happened to them between two runs. All lists are sorted.
type comparison struct {
	turned      []string // did not pass on the base (or were not there), pass with the patch
	broke       []string // passed on the base; failed or in error with the patch
	vanished    []string // passed on the base; no result with the patch
	unskipped   int
	skippedNow  []string // passed on the base; skipped with the patch
	preExisting []string // failed before, do not pass now
	muted       []string // failed on the base; skipped or gone with the patch
	stillGreen  int
	skipped     int
	newFailing  []string       // not there on the base; fail with the patch
	uncompiled  []testrun.Test // packages and builds that a compiler or go vet refuses only with the patch
}

// failing are the tests whose new failure reruns must confirm.
func (c comparison) failing() []string { return append(slices.Clone(c.broke), c.newFailing...) }

// statuses indexes a run.
func statuses(r testrun.Run) map[string]testrun.Status {
	m := make(map[string]testrun.Status, len(r.Tests))
	for _, t := range r.Tests {
		m[t.ID] = t.Status
	}
	return m
}

// red reports whether a status is a failure.
func red(s testrun.Status) bool { return s == testrun.Failed || s == testrun.Errored }

// compare holds two runs of the whole suite against each other.
func compare(base, patched testrun.Run) comparison {
	var c comparison
	before, after := statuses(base), statuses(patched)
	for _, id := range sortedIDs(before, after) {
		b, a := before[id], after[id]
		switch {
		case a == testrun.Passed && b == testrun.Passed:
			c.stillGreen++
		case a == testrun.Passed && b == testrun.Skipped:
			c.unskipped++
		case a == testrun.Passed:
			c.turned = append(c.turned, id)
		case b == testrun.Passed && red(a):
			c.broke = append(c.broke, id)
		case b == testrun.Passed && a == testrun.Skipped:
			c.skippedNow = append(c.skippedNow, id)
		case b == testrun.Passed:
			c.vanished = append(c.vanished, id)
		case red(b) && red(a):
			c.preExisting = append(c.preExisting, id)
		case red(b) && !ran(base, id):
			// A file or package that did not build and now does has no result of its own any more.
		case red(b):
			c.muted = append(c.muted, id)
		case red(a):
			if t := of(patched, id); t.Uncompiled() {
				c.uncompiled = append(c.uncompiled, t)
				break
			}
			c.newFailing = append(c.newFailing, id)
		}
		if a == testrun.Skipped {
			c.skipped++
		}
	}
	return c
}

// ran reports whether an id is a test, not a file or package that did not build.
func ran(r testrun.Run, id string) bool {
	s := of(r, id).Status
	return s != missing && s != testrun.Errored
}

// of is the result with an id, the zero one where there is none.
func of(r testrun.Run, id string) testrun.Test {
	if i := slices.IndexFunc(r.Tests, func(t testrun.Test) bool { return t.ID == id }); i >= 0 {
		return r.Tests[i]
	}
	return testrun.Test{}
}

func sortedIDs(maps ...map[string]testrun.Status) []string {
	var ids []string
	for _, m := range maps {
		for id := range m {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// blocked reports whether a run says nothing at all: what did not build is a failing run, and a base without a test is one
// that a patch can bring the first test to.
func blocked(r testrun.Run) bool { return r.Infrastructure && !r.Unbuilt && !r.NoTests }

// blank is a certificate that says nothing, without a null list.
func blank(reruns int) Certificate {
	return Certificate{
		Reasons: []string{}, RedToGreen: []string{}, Broken: []string{}, PreExisting: []string{}, Flaky: []string{},
		Infrastructure: []string{}, Integrity: []Flag{}, NotCovered: []string{}, Warnings: []string{}, Command: []string{}, Reruns: reruns,
		Toolchain: []testrun.Tool{}, Static: []testrun.Finding{}, Linters: []string{}, Uncovered: []Span{},
		Criteria: []Criterion{}, Breaks: []Break{}, Unbroken: []string{},
	}
}

// judge issues the certificate: a pure function of the evidence.
func judge(e evidence) Certificate {
	c := blank(e.greens)
	c.State, c.Integrity = Proven, append(c.Integrity, e.flags...)
	switch {
	case e.empty:
		c.State, c.Reasons = NotProven, []string{"The patch changes nothing."}
		return c
	case e.base.NoTests && e.patched.NoTests:
		c.Infrastructure = []string{"On the base: " + e.base.Reason, "With the patch: " + e.patched.Reason}
		c.State, c.Reasons = Unverifiable, []string{"There is no test, neither before the patch nor with it (" + e.patched.Reason + "). Write one that shows the bug."}
		return c
	case blocked(e.base):
		c.Infrastructure = []string{"On the base: " + e.base.Reason}
		c.State, c.Reasons = Unverifiable, []string{"The tests gave no verdict before the patch (" + e.base.Reason + "), so there is nothing to compare with."}
		return c
	}
	j := judgement{evidence: e, comparison: compare(e.base, e.patched), c: &c}
	j.infrastructure()
	j.sortResults()
	j.reasons()
	j.limits()
	return c
}

// judgement is one verdict in the making.
type judgement struct {
	evidence
	comparison
	c        *Certificate
	byTests  []string // turned green by the change to the tests alone
	unproved []string // red→green that could not be run again
	unshown  []string // pass with the patch, and without the fix there is no such test
}

// infrastructure lists the runs that gave no verdict.
func (j *judgement) infrastructure() {
	add := func(where string, r testrun.Run) {
		if blocked(r) {
			j.c.Infrastructure = append(j.c.Infrastructure, where+": "+r.Reason)
		}
	}
	add("With the patch", j.patched)
	for _, runs := range []struct {
		where string
		runs  []testrun.Run
	}{{"Again with the patch", j.again}, {"Without the fix", j.without}, {"Again on the base", j.baseAgain}} {
		for _, r := range runs.runs {
			add(runs.where, r)
		}
	}
	slices.Sort(j.c.Infrastructure)
	j.c.Infrastructure = slices.Compact(j.c.Infrastructure)
}

// seen are the statuses of a test in several runs; runs without a verdict are left out.
func seen(id string, runs []testrun.Run) []testrun.Status {
	var all []testrun.Status
	for _, r := range runs {
		if blocked(r) {
			continue
		}
		all = append(all, statusIn(r, id))
	}
	return all
}

// statusIn is the status of a test in a run: its own, or error where its file or package or the build is in error.
func statusIn(r testrun.Run, id string) testrun.Status {
	s := statuses(r)[id]
	if s == missing && slices.ContainsFunc(r.Tests, func(t testrun.Test) bool { return t.Status == testrun.Errored && testrun.Covers(t.ID, id) }) {
		return testrun.Errored
	}
	return s
}

// sortResults fills the certificate's lists.
func (j *judgement) sortResults() {
	for _, id := range j.turned {
		j.turnedGreen(id)
	}
	for _, id := range j.grown {
		j.grownGreen(id)
	}
	for _, id := range j.failing() {
		j.turnedRed(id)
	}
	j.c.Broken = append(j.c.Broken, j.skippedNow...)
	if !blocked(j.patched) {
		j.c.Broken = append(j.c.Broken, j.vanished...)
	}
	slices.Sort(j.c.Broken)
	j.c.Broken = slices.Compact(j.c.Broken)
	j.c.PreExisting = append(j.c.PreExisting, j.preExisting...)
	j.c.PreExisting = append(j.c.PreExisting, j.muted...)
	slices.Sort(j.c.PreExisting)
	slices.Sort(j.c.Flaky)
	j.c.Flaky = slices.Compact(j.c.Flaky)
	j.c.StillGreen, j.c.Skipped = j.stillGreen, j.skipped
}

// turnedGreen decides about a test that did not pass on the base and passes with the patch.
func (j *judgement) turnedGreen(id string) {
	again, without := seen(id, j.again), seen(id, j.without)
	passesAlone := slices.Contains(without, testrun.Passed)
	known := statuses(j.base)[id] != missing
	switch {
	case slices.ContainsFunc(again, func(s testrun.Status) bool { return s != testrun.Passed }):
		j.c.Flaky = append(j.c.Flaky, id)
	case j.onlyTests || passesAlone && !slices.ContainsFunc(without, notPassed):
		if known {
			j.byTests = j.appendTurned(id)
		} // a new test that passes without the fix as well proves nothing, and is no fault
	case passesAlone:
		j.c.Flaky = append(j.c.Flaky, id)
	case len(again) < j.greens || len(without) < j.reruns:
		j.unproved = append(j.unproved, id)
	case slices.ContainsFunc(without, func(s testrun.Status) bool { return !red(s) }):
		j.unshown = append(j.unshown, id)
	default:
		j.c.RedToGreen = append(j.c.RedToGreen, id)
	}
}

// grownGreen decides about a test that passed before in its older form and, with the cases that the patch adds to it, fails
// without the fix and passes with it.
func (j *judgement) grownGreen(id string) {
	again, without := seen(id, j.again), seen(id, j.without)
	switch {
	case slices.ContainsFunc(again, notPassed), slices.ContainsFunc(without, func(s testrun.Status) bool { return !red(s) }):
		j.c.Flaky = append(j.c.Flaky, id)
	case len(again) < j.greens || len(without) < j.reruns:
		j.unproved = append(j.unproved, id)
	default:
		j.c.RedToGreen = append(j.c.RedToGreen, id)
		j.stillGreen--
	}
}

// appendTurned records a test that the change to the tests alone turns green; where the patch leaves the tests as they
// are, it passed on the base by chance.
func (j *judgement) appendTurned(id string) []string {
	if !j.touchesTests {
		j.c.Flaky = append(j.c.Flaky, id)
		return j.byTests
	}
	return append(j.byTests, id)
}

func notPassed(s testrun.Status) bool { return s != testrun.Passed }

// turnedRed decides about a test that fails with the patch and did not on the base.
func (j *judgement) turnedRed(id string) {
	again, base := seen(id, j.again), seen(id, j.baseAgain)
	isNew := statuses(j.base)[id] == missing
	switch {
	case slices.Contains(again, testrun.Passed):
		j.c.Flaky = append(j.c.Flaky, id)
	case !isNew && slices.ContainsFunc(base, notPassed):
		j.c.Flaky = append(j.c.Flaky, id)
	default:
		j.c.Broken = append(j.c.Broken, id)
	}
}

// reasons decides the state and says why.
func (j *judgement) reasons() {
	c := j.c
	if blocked(j.patched) && len(c.Broken) == 0 && len(c.Integrity) == 0 {
		c.State = Unverifiable
		c.Reasons = []string{"The tests gave no verdict with the patch: " + j.patched.Reason + "."}
		return
	}
	if blocked(j.patched) {
		j.refuse("The tests gave no verdict with the patch: " + j.patched.Reason + ".")
	}
	if j.patched.Unbuilt || j.patched.NoTests {
		j.refuse("With the patch, " + j.patched.Reason + ".")
	}
	if n := len(j.uncompiled); n > 0 && !j.patched.Unbuilt {
		j.refuse(j.sayUncompiled(n))
	}
	if n := len(c.Broken); n > 0 {
		j.refuse(j.sayBroken(n))
	}
	if n := len(c.Integrity); n > 0 {
		j.refuse(j.sayIntegrity())
	}
	if n := len(j.byTests); n > 0 {
		j.refuse(fmt.Sprintf("%s only because the patch changes the tests, not because of a fix: %s.", does(n, "turns", "turn")+" green", some(j.byTests)))
	}
	if n := len(j.muted); n > 0 && !j.patched.Unbuilt {
		j.refuse(fmt.Sprintf("%s on the base and %s skipped or gone with the patch: %s.", does(n, "failed", "failed"), is(n), some(j.muted)))
	}
	if flaky := both(j.turned, c.Flaky); len(flaky) > 0 {
		j.refuse(fmt.Sprintf("%s different results when run again, so it is no proof that they pass: %s.", does(len(flaky), "gives", "give"), some(flaky)))
	}
	if !blocked(j.patched) && !j.patched.Unbuilt && j.patched.PerTest && !j.patched.Finished && len(c.Broken) == 0 {
		j.refuse("The test run with the patch did not come to its end.")
	}
	if len(j.unproved) > 0 && len(c.Reasons) == 0 {
		c.State = Unverifiable
		c.Reasons = []string{fmt.Sprintf("%s could not be run again: %s.", plural(len(j.unproved), "test"), strings.Join(c.Infrastructure, "; "))}
		return
	}
	if len(c.RedToGreen) == 0 && len(j.unshown) > 0 {
		j.refuse(fmt.Sprintf("%s there without the fix, so %s not shown to fail before it: %s.", does(len(j.unshown), "is not", "are not"), verb(len(j.unshown), "it is", "they are"), some(j.unshown)))
	}
	if len(c.RedToGreen) == 0 {
		j.refuse(j.sayNoGreen())
	}
	j.olderForm()
}

// refuse adds a reason.
func (j *judgement) refuse(reason string) {
	j.c.State = NotProven
	j.c.Reasons = append(j.c.Reasons, reason)
}

// sayBroken tells failed, skipped and not run apart.
func (j *judgement) sayBroken(n int) string {
	text := fmt.Sprintf("%s broken by the patch: %s", does(n, "is", "are"), some(j.c.Broken))
	var more []string
	if len(j.skippedNow) > 0 {
		more = append(more, plural(len(j.skippedNow), "test")+" passed before and "+is(len(j.skippedNow))+" now skipped")
	}
	if len(j.vanished) > 0 && !blocked(j.patched) {
		more = append(more, j.sayVanished())
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, "; ") + ")"
	}
	return text + "."
}

// sayUncompiled names what does not compile, or what go vet refuses, and the first error.
func (j *judgement) sayUncompiled(n int) string {
	first := j.uncompiled[0]
	names, verb := first.ID, "does"
	if n > 1 {
		names, verb = fmt.Sprintf("%s and %d more", first.ID, n-1), "do"
	}
	if first.Vetted() {
		return fmt.Sprintf("With the patch, go vet, which go test runs first, refuses %s: %s.", names, first.Says())
	}
	return fmt.Sprintf("With the patch, %s %s not compile: %s.", names, verb, first.Says())
}

// sayVanished says why tests have no result any more.
func (j *judgement) sayVanished() string {
	for _, t := range j.patched.Tests {
		if t.Status == testrun.Errored && slices.ContainsFunc(j.vanished, func(id string) bool { return testrun.Covers(t.ID, id) }) {
			if t.Uncompiled() {
				return fmt.Sprintf("%s did not run, since %s", plural(len(j.vanished), "test"), t.Refused())
			}
			return strings.TrimSuffix(fmt.Sprintf("%s did not run: %s: %s", plural(len(j.vanished), "test"), t.ID, t.Says()), ": ")
		}
	}
	return fmt.Sprintf("%s passed before and %s no longer there", plural(len(j.vanished), "test"), is(len(j.vanished)))
}

// sayIntegrity names the rules and the first lines.
func (j *judgement) sayIntegrity() string {
	var places []string
	for _, f := range j.c.Integrity {
		places = append(places, fmt.Sprintf("%s (%s:%d)", f.Rule, f.File, f.Line))
	}
	return "The patch changes what the tests' word rests on: " + some(places) + "."
}

// sayNoGreen says why no test went red→green.
func (j *judgement) sayNoGreen() string {
	switch {
	case len(j.turned) > 0 && len(j.c.Flaky) > 0:
		return "No test went reliably from red to green."
	case len(j.turned) > 0:
		return "No test went from red to green by the fix."
	case len(j.preExisting) == 0 && len(j.muted) > 0:
		return "No test went from red to green."
	case len(j.preExisting) > 0:
		return fmt.Sprintf("No test went from red to green: %s before and still %s: %s.", does(len(j.preExisting), "failed", "failed"), verb(len(j.preExisting), "does", "do"), some(j.preExisting))
	}
	return "No test went from red to green: none fails on the base. Write a test that shows the bug first."
}

// limits says in plain sentences what the proof does not cover.
func (j *judgement) limits() {
	c := j.c
	say := func(format string, args ...any) { c.NotCovered = append(c.NotCovered, fmt.Sprintf(format, args...)) }
	if j.only != "" {
		c.NotCovered = append(c.NotCovered, j.only)
	}
	if !j.patched.PerTest && !blocked(j.patched) {
		say("Only the exit status of the command is known, not the results of single tests.")
	}
	j.unseenOlder(say)
	if c.Skipped > 0 {
		say("%s skipped.", does(c.Skipped, "was", "were"))
	}
	if n := len(c.PreExisting); n > 0 {
		say("%s before the patch and still %s: %s.", does(n, "failed", "failed"), verb(n, "does", "do"), some(c.PreExisting))
	}
	if n := len(c.Flaky); n > 0 {
		say("%s different results on the same code and %s nothing about the patch: %s.", does(n, "gives", "give"), verb(n, "says", "say"), some(c.Flaky))
	}
	before := statuses(j.base)
	if n := len(both(j.grown, c.RedToGreen)); n > 0 {
		say("%s before in its older form; red is what the patch adds to it: %s.", does(n, "passed", "passed"), some(both(j.grown, c.RedToGreen)))
	}
	if len(c.RedToGreen) > 0 && !slices.ContainsFunc(c.RedToGreen, func(id string) bool { return before[id] != missing && !slices.Contains(j.grown, id) }) {
		say("The only tests that went from red to green are those that the patch itself adds.")
	}
}
