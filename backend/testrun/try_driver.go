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
	"time"
)

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
	Quick   float64     `json:"quick"` // of a failing test at first; 0: a part of seconds

	Endless bool `json:"endless"` // some of red never end on the tree

	Each map[string]float64 `json:"each"` // of some of green, less than seconds

	Wall   float64  `json:"wall"`
	Enough int      `json:"enough"`
	Trace  []string `json:"trace"`

	Plain   Candidate  `json:"plain,omitempty"`   // to compare: the changed files as they are in the tree, with marks as the trials have
	Changed [][]string `json:"changed,omitempty"` // and of each trial what it changes that has a mark
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

// driven is one line of a driver's report.
type driven struct {
	Event   string   `json:"event"` // trial, late, whole, inputs, fates, lines, end
	N       int      `json:"n"`
	Built   bool     `json:"built"`
	Crashed bool     `json:"crashed"`
	Shared  bool     `json:"shared"`
	Fixed   []string `json:"fixed"`
	Hung    []string `json:"hung"`
	Broken  []string `json:"broken"`
	Calls   []string `json:"calls"` // of inputs: the calls, and for each whether it is near one of a passing test
	Green   []bool   `json:"green"`
	Fates   []fate   `json:"fates"` // of fates: what came of the calls
	ID      string   `json:"id"`
	Status  Status   `json:"status"`
	Hits    [][2]any `json:"hits"`
	Unfit   string   `json:"unfit"` // of end: why the driver cannot run these tests
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
	each := map[string]float64{}
	for i, id := range ord.Green {
		if seconds, ok := ord.Each[outer[id]]; ok {
			each[ord.Green[i]] = seconds
		}
	}
	ord.Each = each
	if err := kindOf(c.Runner).start(j); err != nil {
		return err.Error(), nil
	}
	j.spec.Limits.Wall = max(j.spec.Limits.Wall, time.Duration(ord.Wall*float64(time.Second))+2*time.Minute)
	if err := d.begin(j, ord); errors.Is(err, errUnfit) {
		return err.Error(), nil
	} else if err != nil {
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
func tryNode(j *job, o order) error { return nodeDriver(j, o, "try_node.mjs") }

// nodeDriver has one of our drivers take the place of Node's own tests.
func nodeDriver(j *job, o order, name string) error {
	at := slices.IndexFunc(j.spec.Args, func(a string) bool { return strings.HasPrefix(a, "--test-reporter-destination="+outPath) })
	if at < 0 {
		return errNoArgs
	}
	rest := j.spec.Args[at+1:]
	o.Args = withoutPaths(j.tree.sub(j.command.Dir), rest)
	o.Whole = slices.DeleteFunc(slices.Clone(rest), func(a string) bool { return slices.Contains(o.Args, a) })
	j.spec.Args = []string{j.spec.Args[0], path.Join(reportersPath, name)}
	return j.give(o)
}
