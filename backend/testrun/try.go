package testrun

import (
	"context"
	"slices"
	"time"
)

// Candidate is one changed version of a tree: the whole text of the files that differ, by path.
type Candidate map[string]string

// TryOptions say how candidates are tried.
type TryOptions struct {
	Red    []string                 // tests that fail on the tree; a candidate must pass all of them
	Green  []string                 // tests that pass on the tree; a candidate must not break one
	Test   time.Duration            // the processor time of one test; one that takes more hangs
	Quick  time.Duration            // what a failing test has of it at first; what takes longer is late, where the driver tells the two apart
	Hangs  bool                     // some of Red never end on the tree
	Each   map[string]time.Duration // what some of Green have, less than Test
	Wall   time.Duration            // after this no further candidate is begun
	Enough int                      // nor after so many passed everything
	Run    time.Duration            // what a run of all tests took on the tree: where each candidate is a run of its own, one that takes several times as long hangs; 0 not known

	// Bytes writes a candidate's text of a file as the file is encoded; nil is UTF-8. It is called from several goroutines.
	Bytes func(path, text string) ([]byte, error)
}

// Trial is what became of a candidate.
type Trial struct {
	Tried   bool     // false: the time was over, or enough were found
	Late    bool     // not tried to the end: a failing test took longer than Quick
	Built   bool     // false: the tests could not even be loaded
	Fixed   []string // of Red, those that pass
	Hung    []string // tests over their time
	Crashed bool     // its process died
	Shared  bool     // its failing tests ran in a process that ran others' too
	Whole   bool     // all tests were run, since it passed some that fail on the tree
	Broken  []string // with Whole: of Green, some that do not pass
	All     bool     // with Whole: every test of Red passes
	Near    [2]int   // of inputs a little off those of passing tests: on how many it does something else than the tree, of those on which the tree does not raise
	Raises  [2]int   // of inputs a little off those of all tests: on how many it raises or hangs, and how many were tried
	Endless int      // of those, on how many it does not end, or recurses too deeply
	Touches int      // of those, on how many it changes what it was given, which the tree does not
	Group   int      // where that was looked at, the number of the first candidate that does the same with all of them, from 1; 0 it was not
	Differs []Differ // of the first of a group, how it differs from those of other groups with a larger number
}

// Differ is an input with which two candidates that pass all tests do something else.
type Differ struct {
	Other int       // the other one's number, from 0
	Input string    // a call
	Gives [2]string // what it gives here and there, shortly
}

// Passes reports whether every test passes that should.
func (t Trial) Passes() bool { return t.Whole && t.All && len(t.Broken) == 0 }

// maxFirst is how many failing tests a candidate meets before all tests: enough to reject nearly all that are wrong.
const maxFirst = 12

// Try runs the failing tests on each candidate and all tests on those that pass them, several in one run of the sandbox
// where the runner has a driver for that, else one run after the other. dir is not changed. trials has an entry for each
// candidate. problem is why nothing could be tried, a clause; the error means that ctx ended, or is Run's.
func (r *Runner) Try(ctx context.Context, dir string, c Command, candidates []Candidate, o TryOptions) (trials []Trial, problem string, err error) {
	if len(c.Parts) > 0 {
		return r.tryParts(ctx, dir, c, candidates, o)
	}
	if c.Runner == "go" {
		return r.tryGo(ctx, dir, c, candidates, o)
	}
	var files []string
	for _, cand := range candidates {
		files = append(files, paths(cand)...)
	}
	d := drives(c.Runner, files)
	if d == nil {
		return r.trySlowly(ctx, dir, c, candidates, o)
	}
	trials = make([]Trial, len(candidates))
	ord := order{Trials: candidates, Seconds: o.Test.Seconds(), Quick: o.Quick.Seconds(), Endless: o.Hangs, Each: map[string]float64{}, Wall: o.Wall.Seconds(), Enough: o.Enough}
	for id, d := range o.Each {
		ord.Each[id] = d.Seconds()
	}
	var beside comparison
	problem, err = r.drive(ctx, dir, c, d, ord, o.Red, o.Green, func(e driven) {
		beside.take(e, len(trials))
		if e.N < 0 || e.N >= len(trials) {
			return
		}
		t := &trials[e.N]
		switch e.Event {
		case "trial":
			t.Tried, t.Built, t.Crashed, t.Shared, t.Hung, t.Fixed = true, e.Built, e.Crashed, e.Shared, e.Hung, e.Fixed
		case "late":
			t.Tried, t.Built, t.Late = true, true, true
		case "whole":
			t.Whole, t.Broken, t.Fixed, t.All = true, e.Broken, e.Fixed, len(e.Fixed) == len(o.Red)
		}
	})
	beside.judge(trials)
	if err == nil && problem != "" && d.slowly && !slices.ContainsFunc(trials, func(t Trial) bool { return t.Tried }) {
		return r.trySlowly(ctx, dir, c, candidates, o)
	}
	if err == nil && c.Runner == "node" {
		err = r.compareNode(ctx, dir, c, candidates, trials, o)
	}
	return trials, problem, err
}

// tryParts tries each candidate with the part of a command that it belongs to.
func (r *Runner) tryParts(ctx context.Context, dir string, c Command, candidates []Candidate, o TryOptions) ([]Trial, string, error) {
	trials := make([]Trial, len(candidates))
	problem := ""
	for _, part := range c.Parts {
		var mine []int
		var own []Candidate
		for i, cand := range candidates {
			if t := Touched(c.Parts, paths(cand)); len(t) > 0 && t[0].Dir == part.Dir && t[0].Runner == part.Runner {
				mine, own = append(mine, i), append(own, cand)
			}
		}
		po := o
		po.Red, po.Green = ownPaths(dir, part, o.Red), ownPaths(dir, part, o.Green)
		if len(own) == 0 || len(po.Red) == 0 {
			continue
		}
		got, p, err := r.Try(ctx, dir, part, own, po)
		if err != nil {
			return trials, p, err
		}
		if p != "" {
			problem = p
		}
		for i, t := range got {
			trials[mine[i]] = t
		}
	}
	return trials, problem, nil
}

func paths(c Candidate) []string {
	all := make([]string, 0, len(c))
	for p := range c {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}
