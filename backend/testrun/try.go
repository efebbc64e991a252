package testrun

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Candidate is one changed version of a tree: the whole text of the files that differ, by path.
type Candidate map[string]string

// TryOptions say how candidates are tried.
type TryOptions struct {
	Red    []string      // tests that fail on the tree; a candidate must pass all of them
	Green  []string      // tests that pass on the tree; a candidate must not break one
	Test   time.Duration // the processor time of one test; one that takes more hangs
	Wall   time.Duration // after this no further candidate is begun
	Enough int           // nor after so many passed everything
	Run    time.Duration // what a run of all tests took on the tree: where each candidate is a run of its own, one that takes several times as long hangs; 0 not known
}

// Trial is what became of a candidate.
type Trial struct {
	Tried   bool     // false: the time was over, or enough were found
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

// order is what a driver in the sandbox is told, and the same for each language.
type order struct {
	Runner  string      `json:"runner"`
	Args    []string    `json:"args"`
	Whole   []string    `json:"whole"`
	First   []string    `json:"first"`
	Red     []string    `json:"red"`
	Green   []string    `json:"green"`
	Trials  []Candidate `json:"trials"`
	Seconds float64     `json:"seconds"`
	Wall    float64     `json:"wall"`
	Enough  int         `json:"enough"`
	Trace   []string    `json:"trace"`
}

// driver is how a runner tries many candidates in one run of the sandbox: begin turns a job that start has prepared into
// one that carries out the order.
type driver struct {
	begin   func(j *job, o order) error
	trace   bool // it can record lines by test, too
	selects bool // start is given the failing tests
	slowly  bool // what it does not fit is tried as a run of its own
}

// drives is the driver for the files of a command, nil none.
func drives(runner string, files []string) *driver {
	switch runner {
	case "pytest", "unittest":
		return &driver{begin: tryPython, trace: true}
	case "node":
		return &driver{begin: tryNode}
	case "maven", "gradle", "custom":
		if len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return path.Ext(f) != ".java" }) {
			return &driver{begin: tryJava, trace: true, selects: runner != "custom", slowly: true}
		}
	}
	return nil
}

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
	ord := order{Trials: candidates, Seconds: o.Test.Seconds(), Wall: o.Wall.Seconds(), Enough: o.Enough}
	problem, err = r.drive(ctx, dir, c, d, ord, o.Red, o.Green, func(e driven) {
		if e.N < 0 || e.N >= len(trials) {
			return
		}
		t := &trials[e.N]
		switch e.Event {
		case "trial":
			t.Tried, t.Built, t.Crashed, t.Shared, t.Hung, t.Fixed = true, e.Built, e.Crashed, e.Shared, e.Hung, e.Fixed
		case "compare":
			t.Near, t.Raises, t.Endless, t.Touches = e.Near, e.Raises, e.Endless, e.Touches
		case "alike":
			for _, n := range e.Alike {
				if n >= 0 && n < len(trials) {
					trials[n].Group = e.Alike[0] + 1
				}
			}
		case "differ":
			if len(e.Alike) == 2 && e.Alike[0] >= 0 && e.Alike[0] < len(trials) {
				trials[e.Alike[0]].Differs = append(trials[e.Alike[0]].Differs, Differ{Other: e.Alike[1], Input: e.Input, Gives: e.Gives})
			}
		case "whole":
			t.Whole, t.Broken, t.Fixed, t.All = true, e.Broken, e.Fixed, len(e.Fixed) == len(o.Red)
		}
	})
	if err == nil && problem != "" && d.slowly && !slices.ContainsFunc(trials, func(t Trial) bool { return t.Tried }) {
		return r.trySlowly(ctx, dir, c, candidates, o)
	}
	return trials, problem, err
}

// driven is one line of a driver's report.
type driven struct {
	Event   string    `json:"event"` // trial, whole, lines, end
	N       int       `json:"n"`
	Built   bool      `json:"built"`
	Crashed bool      `json:"crashed"`
	Shared  bool      `json:"shared"`
	Fixed   []string  `json:"fixed"`
	Hung    []string  `json:"hung"`
	Broken  []string  `json:"broken"`
	Near    [2]int    `json:"near"`
	Raises  [2]int    `json:"raises"`
	Endless int       `json:"endless"`
	Touches int       `json:"touches"`
	Alike   []int     `json:"alike"`
	Input   string    `json:"input"`
	Gives   [2]string `json:"gives"`
	ID      string    `json:"id"`
	Status  Status    `json:"status"`
	Hits    [][2]any  `json:"hits"`
	Unfit   string    `json:"unfit"` // of end: why the driver cannot run these tests
}

// drive runs a driver once and visits what it reports, with ids as they are known outside.
func (r *Runner) drive(ctx context.Context, dir string, c Command, d *driver, ord order, red, green []string, visit func(driven)) (problem string, err error) {
	first := red[:min(len(red), maxFirst)]
	if c.Runner != "custom" { // which is run whole
		if err := Validate(dir, c, first); err != nil {
			return "", err
		}
	}
	var selected []string
	if d.selects && len(ord.Trace) == 0 {
		selected = first
	}
	j, err := r.newJob(dir, c, selected)
	if err != nil {
		return "", err
	}
	defer j.close()
	outer := map[string]string{} // id as the runner has it → as it is known outside
	inner := func(ids []string) []string {
		out := make([]string, 0, len(ids))
		for _, id := range ids {
			if own, ok := c.own(id); ok || c.Runner == "unittest" {
				outer[own] = id
				out = append(out, own)
			}
		}
		return out
	}
	ord.Runner, ord.First, ord.Red, ord.Green = c.Runner, inner(first), inner(red), inner(green)
	if err := kindOf(c.Runner).start(j); err != nil {
		return err.Error(), nil
	}
	j.spec.Limits.Wall = max(j.spec.Limits.Wall, time.Duration(ord.Wall*float64(time.Second))+2*time.Minute)
	if err := d.begin(j, ord); err != nil {
		return "", err
	}
	res, err := r.start(ctx, j)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("trying candidates: %w", ctx.Err())
	case err != nil:
		return firstLine(err.Error()), nil
	}
	out := j.output(res)
	if out.tampered {
		return "the report was changed while the tests ran", nil
	}
	lines, ended, unfit := 0, false, ""
	back := func(ids []string) {
		for i, id := range ids {
			if o, ok := outer[id]; ok {
				ids[i] = o
			}
		}
	}
	eachLine(out.report, func(line []byte) {
		var e driven
		if json.Unmarshal(line, &e) != nil {
			return
		}
		lines++
		ended = ended || e.Event == "end"
		unfit = cmp.Or(unfit, e.Unfit)
		if id, ok := outer[e.ID]; ok {
			e.ID = id
		}
		back(e.Fixed)
		back(e.Hung)
		back(e.Broken)
		visit(e)
	})
	switch {
	case unfit != "":
		return unfit, nil
	case lines == 0 && res.Reason != "":
		return "the run was stopped: " + string(res.Reason), nil
	case lines == 0 || !ended && lines == 0:
		return "the driver of the tests did not start" + lastWords(out), nil
	}
	return "", nil
}

// give writes the order where the sandbox reads it.
func (j *job) give(o order) error {
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("writing the candidates: %w", err)
	}
	dir := filepath.Join(j.temp, "order")
	if err = os.Mkdir(dir, 0o755); err == nil {
		err = os.WriteFile(filepath.Join(dir, "order.json"), data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing the candidates: %w", err)
	}
	j.mount(dir, orderPath)
	j.spec.Env["REDGREEN_TRY"] = path.Join(orderPath, "order.json")
	return nil
}

const orderPath = "/redgreen-order"

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

// The bounds of trySlowly: how many runs go side by side, each on its own copy of the tree, and how many candidates at least are
// tried behind the first that passes, for a better one.
const (
	slowWorkers = 2
	slowMore    = 20
	slowTimes   = 4 // of a whole run's time, for one candidate's runs
	slowGrace   = 10 * time.Second
)

// trySlowly tries candidates each as a run of its own.
func (r *Runner) trySlowly(ctx context.Context, dir string, c Command, candidates []Candidate, o TryOptions) ([]Trial, string, error) {
	q := &queue{trials: make([]Trial, len(candidates)), until: time.Now().Add(o.Wall), enough: o.Enough, last: len(candidates)}
	if !Selectable(c) {
		q.whole = true
	}
	var done sync.WaitGroup
	for range min(slowWorkers, len(candidates)) {
		done.Go(func() { q.end(r.tryOn(ctx, q, dir, c, candidates, o)) })
	}
	done.Wait()
	return q.trials, q.problem, q.err
}

// queue is what the workers of trySlowly share.
type queue struct {
	mu           sync.Mutex
	trials       []Trial
	until        time.Time
	enough, last int // last: no candidate from this number on is begun
	begun        int
	passed       int
	whole        bool // the runner cannot run some tests alone
	problem      string
	err          error
}

// take is the next candidate, false none.
func (q *queue) take() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil || q.problem != "" || q.begun >= q.last || q.passed >= q.enough || time.Now().After(q.until) {
		return 0, false
	}
	q.begun++
	return q.begun - 1, true
}

func (q *queue) put(n int, t Trial) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.trials[n] = t
	if t.Passes() {
		q.passed++
		q.last = min(q.last, q.begun+max(q.begun, slowMore))
	}
}

func (q *queue) end(problem string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.problem, q.err = cmp.Or(q.problem, problem), errorsOf(q.err, err)
}

// tryOn tries what the queue gives on one copy of the tree.
func (r *Runner) tryOn(ctx context.Context, q *queue, dir string, c Command, candidates []Candidate, o TryOptions) (problem string, err error) {
	tree, err := os.MkdirTemp(r.options.TempDir, "try-")
	if err != nil {
		return "", fmt.Errorf("making a folder for candidates: %w", err)
	}
	defer os.RemoveAll(tree)
	copied := filepath.Join(tree, "tree")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return "the tree could not be copied: " + firstLine(err.Error()), nil
	}
	if err := os.Chmod(tree, 0o755); err != nil {
		return "", err
	}
	first := o.Red[:min(len(o.Red), maxFirst)]
	if q.whole {
		first = nil
	}
	for n, ok := q.take(); ok; n, ok = q.take() {
		if err := lay(copied, candidates[n]); err != nil {
			return firstLine(err.Error()), nil
		}
		t, err := r.tryOne(ctx, copied, c, first, o)
		if err != nil {
			return "", err
		}
		q.put(n, t)
		if err := lay(copied, original(dir, candidates[n])); err != nil {
			return "", err
		}
	}
	return "", nil
}

// tryOne runs the first tests over a tree, and all where those pass.
func (r *Runner) tryOne(ctx context.Context, tree string, c Command, first []string, o TryOptions) (Trial, error) {
	patient := ctx
	if o.Run > 0 {
		until, cancel := context.WithTimeout(ctx, slowTimes*o.Run+slowGrace)
		defer cancel()
		patient = until
	}
	hung := func() bool { return ctx.Err() == nil && patient.Err() != nil }
	run, err := r.Run(patient, tree, c, first)
	if hung() {
		return Trial{Tried: true, Built: true, Hung: o.Red[:min(1, len(o.Red))]}, nil
	}
	if err != nil {
		return Trial{}, err
	}
	t := Trial{Tried: true, Built: !run.Unbuilt}
	status := statuses(run)
	fixed := func() {
		t.Fixed = nil
		for _, id := range o.Red {
			if status[id] == Passed {
				t.Fixed = append(t.Fixed, id)
			}
		}
	}
	fixed()
	if len(first) > 0 && len(t.Fixed) < len(first) || len(t.Fixed) == 0 {
		return t, nil
	}
	if len(first) > 0 {
		run, err = r.Run(patient, tree, c, nil)
		if hung() {
			t.Hung = o.Red[:min(1, len(o.Red))]
			return t, nil
		}
		if err != nil {
			return Trial{}, err
		}
		status = statuses(run)
		fixed()
	}
	t.Whole, t.All = true, len(t.Fixed) == len(o.Red)
	for _, id := range o.Green {
		if status[id] != Passed {
			t.Broken = append(t.Broken, id)
		}
	}
	return t, nil
}

func statuses(run Run) map[string]Status {
	all := map[string]Status{}
	for _, t := range run.Tests {
		all[t.ID] = t.Status
	}
	return all
}

// lay writes the files of a candidate into a copy of the tree.
func lay(tree string, c Candidate) error {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	for p, text := range c {
		if err := root.WriteFile(p, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func original(dir string, c Candidate) Candidate {
	o := Candidate{}
	for p := range c {
		o[p] = folder{root: dir}.read(p)
	}
	return o
}

// Spectrum is which lines each test executes: by file, by line, the ids of the tests.
type Spectrum struct {
	Red, Green map[string]map[int]int // file → line → how many of the failing and of the passing tests execute it
	Reds       int                    // how many of each were measured
	Greens     int
	Problem    string // why nothing was measured, a clause; "" when it was
}

// Trace measures which lines of files the failing and the passing tests execute, test by test where the runner's driver
// can, else in two runs.
func (r *Runner) Trace(ctx context.Context, dir string, c Command, red, green, files []string, limit, wall time.Duration) (Spectrum, error) {
	s := Spectrum{Red: map[string]map[int]int{}, Green: map[string]map[int]int{}}
	if len(c.Parts) > 0 {
		for _, part := range c.Parts {
			own := ownPaths(dir, part, red)
			if len(own) == 0 {
				continue
			}
			got, err := r.Trace(ctx, dir, part, own, ownPaths(dir, part, green), files, limit, wall)
			if err != nil {
				return s, err
			}
			s.add(got)
		}
		return s, nil
	}
	if java := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return path.Ext(f) != ".java" }); len(java) > 0 && drives(c.Runner, java) != nil {
		files = java
	}
	if d := drives(c.Runner, files); d != nil && d.trace {
		return r.traceByTest(ctx, dir, c, d, red, green, files, limit, wall)
	}
	if c.Runner == "go" {
		if got, ok, err := r.traceGo(ctx, dir, c, red, green, files, wall); ok || err != nil {
			return got, err
		}
	}
	for _, side := range []struct {
		tests []string
		lines map[string]map[int]int
		n     *int
	}{{red[:min(len(red), maxFirst)], s.Red, &s.Reds}, {green[:min(len(green), maxSelected)], s.Green, &s.Greens}} {
		if len(side.tests) == 0 {
			continue
		}
		got, err := r.Cover(ctx, dir, c, side.tests, files)
		if err != nil {
			return s, err
		}
		if got.Problem != "" {
			s.Problem = got.Problem
			return s, nil
		}
		*side.n = 1
		for f, lines := range got.Files {
			for line, ran := range lines {
				if ran {
					count(side.lines, f, line)
				}
			}
		}
	}
	return s, nil
}

func (r *Runner) traceByTest(ctx context.Context, dir string, c Command, d *driver, red, green, files []string, limit, wall time.Duration) (Spectrum, error) {
	s := Spectrum{Red: map[string]map[int]int{}, Green: map[string]map[int]int{}}
	ord := order{Trace: inSandbox(files), Seconds: 20 * limit.Seconds(), Wall: wall.Seconds()} // tracing makes tests slow
	problem, err := r.drive(ctx, dir, c, d, ord, red, green, func(e driven) {
		if e.Event != "lines" {
			return
		}
		side := s.Green
		switch {
		case slices.Contains(red, e.ID):
			side = s.Red
			s.Reds++
		case e.Status == Passed:
			s.Greens++
		default:
			return
		}
		for _, h := range e.Hits {
			name, _ := h[0].(string)
			line, _ := h[1].(float64)
			count(side, inTree(name), int(line))
		}
	})
	s.Problem = problem
	return s, err
}

func inSandbox(files []string) []string {
	all := make([]string, len(files))
	for i, f := range files {
		all[i] = path.Join(workspacePath, f)
	}
	return all
}

func count(m map[string]map[int]int, file string, line int) {
	if m[file] == nil {
		m[file] = map[int]int{}
	}
	m[file][line]++
}

func (s *Spectrum) add(o Spectrum) {
	s.Reds, s.Greens = s.Reds+o.Reds, s.Greens+o.Greens
	if s.Problem == "" {
		s.Problem = o.Problem
	}
	for _, side := range []struct{ to, from map[string]map[int]int }{{s.Red, o.Red}, {s.Green, o.Green}} {
		for f, lines := range side.from {
			for line, n := range lines {
				for range n {
					count(side.to, f, line)
				}
			}
		}
	}
}

var errNoArgs = errors.New("the runner's command line was not understood")

// tryPython has our driver take the place of the launcher.
func tryPython(j *job, o order) error {
	at := slices.IndexFunc(j.spec.Args, func(a string) bool { return path.Dir(a) == reportersPath })
	if at < 0 {
		return errNoArgs
	}
	rest := j.spec.Args[at+1:]
	j.spec.Args[at] = path.Join(reportersPath, "try_python.py")
	o.Whole = rest
	if o.Runner == "pytest" {
		o.Args = withoutPaths(j.tree.sub(j.command.Dir), rest)
		o.Whole = slices.DeleteFunc(slices.Clone(rest), func(a string) bool { return slices.Contains(o.Args, a) })
	} else {
		j.addPythonPath(path.Join(workspacePath, j.command.Dir, startFolder(rest)))
	}
	trials := make([]Candidate, len(o.Trials))
	for i, c := range o.Trials {
		trials[i] = Candidate{}
		for p, text := range c {
			trials[i][path.Join(workspacePath, p)] = text
		}
	}
	o.Trials = trials
	j.spec.Args = j.spec.Args[:at+1]
	return j.give(o)
}

// tryNode has our driver run Node once and again with its own reporter.
func tryNode(j *job, o order) error {
	at := slices.IndexFunc(j.spec.Args, func(a string) bool { return strings.HasPrefix(a, "--test-reporter-destination="+outPath) })
	if at < 0 {
		return errNoArgs
	}
	rest := j.spec.Args[at+1:]
	o.Args = withoutPaths(j.tree.sub(j.command.Dir), rest)
	o.Whole = slices.DeleteFunc(slices.Clone(rest), func(a string) bool { return slices.Contains(o.Args, a) })
	j.spec.Args = []string{j.spec.Args[0], path.Join(reportersPath, "try_node.mjs")}
	return j.give(o)
}
