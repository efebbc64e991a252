package proof

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// suite runs tests; *testrun.Runner is the real one.
type suite interface {
	Run(ctx context.Context, dir string, c testrun.Command, paths []string) (testrun.Run, error)
}

// evidence is everything that a certificate is judged by.
type evidence struct {
	base    testrun.Run
	patched testrun.Run
	// again are further runs of the patched tree, without are runs of the base with only the patch's changes to tests
	// (the base itself where it changes none), and baseAgain are further runs of the base. Each may have only the tests
	// that were asked for.
	again, without, baseAgain []testrun.Run
	flags                     []Flag
	empty                     bool // the patch changes nothing
	onlyTests                 bool // the patch changes nothing but tests
	touchesTests              bool
	reruns                    int
	greens                    int // as reruns, of tests that turn green with the patch; no fewer
	// only says, where base and patched have but a part of the tests, which and why that is enough.
	only string
	// grown are tests that pass on the base and with the patch, and fail on the base with the patch's changes to tests: the
	// patch adds a case to a test that was there, as is usual where tests are tables.
	grown []string
	older older
	aside aside
}

// observer makes the runs of one proof.
type observer struct {
	Options
	suite  suite
	chance bool // how often is ours to choose: what leaves room for chance is run more often
}

// prove is Prove with any suite.
func prove(ctx context.Context, o Options, s suite) (Certificate, testrun.Run, error) {
	chance := o.Reruns <= 0
	if chance {
		o.Reruns = defaultReruns
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	ob := observer{Options: o, suite: s, chance: chance}
	e, err := ob.observe(ctx)
	if err != nil {
		return Certificate{}, testrun.Run{}, err
	}
	c := judge(e)
	if c.State == Proven && e.touchesTests {
		if err := ob.older(ctx, &e); err != nil {
			return Certificate{}, testrun.Run{}, err
		}
		c = judge(e)
	}
	if len(c.RedToGreen) > 0 && len(c.Broken) == 0 { // a patch that fixes nothing is not worth the wait
		if err := ob.aside(ctx, &e); err != nil {
			return Certificate{}, testrun.Run{}, err
		}
		c.sayAside(e.aside, o.Patch)
	}
	if o.Aim == NewTests && (c.State == Proven || unturned(c, e)) {
		if err := ob.breaks(ctx, e, &c); err != nil {
			return Certificate{}, testrun.Run{}, err
		}
	}
	c.check(o.Aim, e)
	if o.Criteria != nil {
		c.Criteria = o.Criteria(e.base, e.patched)
	}
	ob.label(&c, e)
	return c, e.patched, nil
}

// observe makes the runs that the verdict needs, and no more.
func (o observer) observe(ctx context.Context) (evidence, error) {
	tests := testPart(o.Patch, o.ReadBase)
	e := evidence{base: brought(o.Baseline, o.Patch), flags: o.flags(), empty: o.Patch.Empty(), reruns: o.Reruns, greens: o.Reruns,
		touchesTests: len(tests.Files) > 0, onlyTests: len(tests.Files) > 0 && tests.Hash() == o.Patch.Hash()}
	if e.empty || blocked(e.base) {
		return e, nil
	}
	err := o.in(ctx, o.Patch, func(dir string) error { return o.withPatch(ctx, dir, &e) })
	if err != nil || blocked(e.patched) {
		return e, err
	}
	first := compare(e.base, e.patched)
	if len(first.turned) > 0 && !e.onlyTests && e.only == "" {
		err = o.in(ctx, tests, func(dir string) error {
			return o.hasty(first.turned, e.base).repeat(ctx, dir, first.turned, "without the fix", &e.without)
		})
	}
	if err == nil && o.mayHaveGrown(e, first) {
		err = o.findGrown(ctx, tests, &e)
	}
	if failing := first.failing(); err == nil && len(failing) > 0 {
		err = o.in(ctx, patch.Patch{}, func(dir string) error {
			return o.repeat(ctx, dir, failing, "without the patch", &e.baseAgain)
		})
	}
	return e, err
}

// hastyTest is the least processor time of a Python test that is run again where one does not end without the fix.
const hastyTest = 3 * time.Second

// hasty stops a test sooner where some of ids were stopped on the base, since they do not end: to see them red again no more is
// needed than what the others took, and something beside.
func (o observer) hasty(ids []string, base testrun.Run) observer {
	r, ok := o.suite.(*testrun.Runner)
	if !ok {
		return o
	}
	endless, slowest := false, time.Duration(0)
	for _, t := range base.Tests {
		switch {
		case !slices.Contains(ids, t.ID):
		case strings.Contains(t.Message, testrun.TooLong):
			endless = true
		default:
			slowest = max(slowest, time.Duration(t.Millis)*time.Millisecond)
		}
	}
	if endless {
		o.suite = r.Hasty(max(hastyTest, 2*slowest))
	}
	return o
}

// mayHaveGrown reports whether it is worth looking for tests that the patch adds cases to: where it changes tests and a fix,
// and nothing else speaks for it or against it.
func (o observer) mayHaveGrown(e evidence, c comparison) bool {
	return e.touchesTests && !e.onlyTests && e.only == "" && len(e.flags) == 0 && len(c.turned)+len(c.failing())+len(c.vanished)+len(c.skippedNow) == 0
}

// findGrown runs the whole suite without the fix, and again, in both trees, what fails there. Only a test that ran and failed
// counts: where a package does not build without the fix, nothing is said about its tests.
func (o observer) findGrown(ctx context.Context, tests patch.Patch, e *evidence) error {
	err := o.in(ctx, tests, func(dir string) error {
		run, err := o.run(ctx, dir, nil, "Running all tests without the fix")
		if err != nil {
			return err
		}
		base, patched := statuses(e.base), statuses(e.patched)
		for _, t := range run.Tests {
			if t.Status == testrun.Failed && base[t.ID] == testrun.Passed && patched[t.ID] == testrun.Passed {
				e.grown = append(e.grown, t.ID)
			}
		}
		slices.Sort(e.grown)
		return o.repeat(ctx, dir, e.grown, "without the fix", &e.without)
	})
	if err != nil || len(e.grown) == 0 {
		return err
	}
	return o.in(ctx, o.Patch, func(dir string) error {
		if o.chance && chancy(dir, o.Patch, e.grown) {
			e.greens = max(e.greens, chanceReruns)
		}
		return o.times(e.greens).repeat(ctx, dir, e.grown, "with the patch", &e.again)
	})
}

// flags are what the patch itself gives away.
func (o observer) flags() []Flag {
	all := inspect(o.Patch, o.ReadBase, ownFiles(o.Baseline))
	all = append(all, shadows(o.Patch, o.Command.Dirs())...)
	all = append(all, failedThere(o.Patch, o.Baseline)...)
	return append(all, scripts(o.Patch, o.Command, o.ReadBase)...)
}

// withPatch runs the whole suite with the patch, and again what it changed.
func (o observer) withPatch(ctx context.Context, dir string, e *evidence) error {
	if stop, err := o.someFirst(ctx, dir, e); err != nil || stop {
		return err
	}
	run, err := o.run(ctx, dir, nil, "Running all tests with the patch")
	if err != nil {
		return err
	}
	e.patched = run
	if blocked(run) {
		return nil
	}
	c := compare(e.base, run)
	again := append(slices.Clone(c.turned), c.failing()...)
	if o.chance && len(c.turned) > 0 && len(c.failing()) == 0 && chancy(dir, o.Patch, c.turned) {
		e.greens = max(e.greens, chanceReruns)
	}
	return o.times(e.greens).repeat(ctx, dir, again, "with the patch", &e.again)
}

// times is an observer that runs tests again n times.
func (o observer) times(n int) observer {
	o.Reruns = n
	return o
}

// repeat runs the tests with the given ids Reruns times. Each run starts from the same tree, since the sandbox never
// writes into it.
func (o observer) repeat(ctx context.Context, dir string, ids []string, where string, into *[]testrun.Run) error {
	if len(ids) == 0 {
		return nil
	}
	selected := o.selection(dir, ids)
	for n := range o.Reruns {
		what := fmt.Sprintf("Running %s again %s (%d of %d)", plural(len(ids), "test"), where, n+1, o.Reruns)
		run, err := o.run(ctx, dir, selected, what)
		if err == nil && selected != nil && blocked(run) && run.ExitCode >= 0 { // a test that is not there can end the run
			selected = nil
			run, err = o.run(ctx, dir, nil, what)
		}
		if err != nil {
			return err
		}
		*into = append(*into, run)
	}
	return nil
}

// selection is the ids where the runner takes them, else nil for the whole suite.
func (o observer) selection(dir string, ids []string) []string {
	if !testrun.Selectable(o.Command) || testrun.Validate(dir, o.Command, ids) != nil {
		return nil
	}
	return ids
}

// in calls use with a folder that holds the base with p applied.
func (o observer) in(ctx context.Context, p patch.Patch, use func(dir string) error) error {
	dir, done, err := o.Tree(ctx, p)
	if err != nil {
		return fmt.Errorf("preparing a tree for the proof: %w", err)
	}
	defer done()
	return use(dir)
}

// run is one run of the proof's command, told of as it starts and ends.
func (o observer) run(ctx context.Context, dir string, paths []string, what string) (testrun.Run, error) {
	o.say(what)
	run, err := o.suite.Run(ctx, dir, o.Command, paths)
	run = brought(run, o.Patch)
	if err == nil && o.Ran != nil {
		o.Ran(run)
	}
	return run, err
}

func (o observer) say(what string) {
	if o.Progress != nil {
		o.Progress(what)
	}
}

// brought is a run whose tests all lack a package that the patch itself brings: they could not be loaded, which is how the
// first test of a new program fails without it. One that the patch takes away is named as that, not as one to install.
func brought(run testrun.Run, p patch.Patch) testrun.Run {
	if run.Missing == "" {
		return run
	}
	for _, f := range p.Files {
		gone := f.OldPath
		if f.Status == patch.Deleted {
			gone = f.Path
		}
		switch {
		case holds(gone, run.Missing):
			run.Unbuilt, run.Reason = true, fmt.Sprintf("no test finds %s, since the patch takes %s away", run.Missing, gone)
		case f.Status == patch.Added && !testrun.TestFile(f.Path) && holds(f.Path, run.Missing):
			run.Unbuilt = true
		}
	}
	return run
}

// holds reports whether a package or module of that name is, or has, the file.
func holds(file, name string) bool {
	return slices.Contains(strings.Split(strings.TrimSuffix(file, path.Ext(file)), "/"), name)
}

// label adds what was proven, where and when, and the hash of it all.
func (o observer) label(c *Certificate, e evidence) {
	from := e.patched
	if from.Rung.Name == "" {
		from = e.base
	}
	rung := from.Rung
	c.Toolchain, c.Base, c.Limits = append([]testrun.Tool{}, from.Toolchain...), from.Base, from.Limits
	c.Runtime, c.RuntimeLabel, c.Warnings = rung.Name, rung.Label, append([]string{}, rung.Warnings...)
	c.Command, c.Dir = append([]string{}, o.Command.Args...), o.Command.Dir
	c.BaseHash, c.PatchHash = o.BaseHash, o.Patch.Hash()
	c.BaselineMillis, c.PatchedMillis = e.base.Duration.Milliseconds(), e.patched.Duration.Milliseconds()
	c.Issued = o.Now()
	c.seal()
}
