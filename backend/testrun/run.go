package testrun

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"redgreen/backend/sandbox"
)

// Options configure a Runner.
type Options struct {
	Sandbox *sandbox.Sandbox
	Cache   string // host folder for build caches, kept between runs of a session
	Seed    string // host folder of compiled standard libraries that all sessions' caches start from, filled when needed; "" none
	Source  string // the person's folder: where dependency folders (node_modules, .venv) are shown from, read-only; "" none
	Limits  sandbox.Limits
	TempDir string
	Hang    time.Duration     // processor time after which a Python test is stopped and fails, twice that for a file of node --test; 0 none
	Told    func(text string) // told what a run waits for before its tests, "" when that is over; must not block; nil nobody
	Meter   *Meter            // told how far each run of Run is; nil nobody

	Prepared string            // host folder of what Prepare installed; "" none
	Image    string            // the image to run in, see sandbox.Spec; "" as Images says
	Images   map[string]string // images by language; what has none runs with the host's toolchains
}

// image is the image for a language, "" the host's toolchains.
func (r *Runner) image(language string) string {
	if r.options.Image != "" {
		return r.options.Image
	}
	return r.options.Images[language]
}

// Runner runs test commands. Safe for concurrent use.
type Runner struct {
	options Options
	host    host
	run     func(context.Context, sandbox.Spec) (sandbox.Result, error)
	owner   func() (uid, gid int, ok bool)
	seeding sync.Mutex // one seed is made and copied at a time

	apart     bool       // each run has a cache of its own, see Apart
	compiling sync.Mutex // with apart: one run fills the kept cache, or copies it, at a time
	compiled  map[string]bool

	asked *asked // shared with the Runners that this one makes
}

// New makes a Runner. The toolchains of this machine are looked up once for each run, from PATH and the home folder.
func New(o Options) *Runner {
	if o.Told == nil {
		o.Told = func(string) {}
	}
	return &Runner{options: o, host: thisHost(), run: o.Sandbox.Run, owner: o.Sandbox.Owner, asked: &asked{}}
}

// With gives a Runner like r that keeps its build caches in another folder.
func (r *Runner) With(cache string) *Runner {
	o := r.options
	o.Cache = cache
	return &Runner{options: o, host: r.host, run: r.run, owner: r.owner, asked: r.asked}
}

// Run runs a command over the tree in dir. paths are test files, folders or ids, validated with Validate; none runs all.
// The error is for paths that are refused, a temporary folder that cannot be made, or an ended context; a command that
// cannot run is a Run with Infrastructure set.
func (r *Runner) Run(ctx context.Context, dir string, c Command, paths []string) (Run, error) {
	if err := Validate(dir, c, paths); err != nil {
		return Run{}, err
	}
	if len(c.Parts) > 0 {
		return r.runParts(ctx, dir, c, paths)
	}
	return r.runOne(ctx, dir, c, paths, [2]int{})
}

// runOne runs one command; part is which of how many it is, for those who are told how far the run is.
func (r *Runner) runOne(ctx context.Context, dir string, c Command, paths []string, part [2]int) (Run, error) {
	kind := kindOf(c.Runner)
	j, err := r.newJob(dir, c, paths)
	if err != nil {
		return Run{}, err
	}
	defer j.close()
	run := Run{Command: append(slices.Clone(c.Args), paths...), Limits: r.options.Limits.Effective(), Tests: []Test{}, Toolchain: []Tool{}, Base: "host"}
	if err := kind.begin(j); err != nil {
		run.Infrastructure, run.Reason, run.ExitCode = true, err.Error(), -1
		return run, nil
	}
	end := r.options.Meter.follow(j, part)
	res, err := r.start(ctx, j)
	end(err == nil && res.Reason == "")
	if ctx.Err() != nil {
		return run, fmt.Errorf("running tests: %w", ctx.Err())
	}
	if err != nil {
		run.Infrastructure, run.Reason, run.ExitCode = true, "the sandbox could not run the tests: "+err.Error(), -1
		return run, nil
	}
	run = finish(run, kind, c, j.output(res), res)
	if res.Image != "" {
		run.Base = res.Image
	}
	run.Toolchain = r.toolchain(ctx, j)
	return run, nil
}

// finish turns what a run left into its results and verdict.
func finish(run Run, kind Kind, c Command, o output, res sandbox.Result) Run {
	read := kind.read(o)
	tests := tidy(read.tests)
	if kind.keep != nil && len(o.selected) > 0 {
		tests = slices.DeleteFunc(tests, func(t Test) bool {
			return !slices.ContainsFunc(o.selected, func(s string) bool { return kind.keep(s, t.ID) })
		})
	}
	run.Tests = tests
	run.Runtime, run.Rung = res.Runtime.Name, res.Runtime
	run.ExitCode, run.Duration, run.PerTest = res.ExitCode, res.Duration, read.perTest
	run.Log = read.log
	if run.Log == nil {
		run.Log = joinLogs(o.stdout, o.stderr)
	}
	run.Finished = read.finished && res.Reason == ""
	run.Reason, run.Unbuilt = noVerdict(c, read, tests, o, res)
	run.Infrastructure = run.Reason != ""
	if run.Infrastructure && res.Reason == "" && !o.tampered && !o.cut {
		var lacking bool
		run.Reason, lacking = nextStep(run.Reason, o.tree, c, o, tests)
		run.Unbuilt = run.Unbuilt && !lacking
		if strings.HasPrefix(run.Reason, missingDependency) {
			run.Missing = missingPackage(o.tree, tests)
		}
	}
	run.NoTests = run.Infrastructure && len(tests) == 0 && len(o.selected) == 0 && res.Reason == "" &&
		(read.empty || read.trouble == "" && res.ExitCode == 0)
	return run
}

const missingDependency = "missing dependency: "

// noVerdict says why a run says nothing about the tree, "" when it does. unbuilt is the one such state that the tree
// itself is the cause of.
func noVerdict(c Command, read reading, tests []Test, o output, res sandbox.Result) (reason string, unbuilt bool) {
	count := map[Status]int{}
	for _, t := range tests {
		count[t.Status]++
	}
	ran := count[Errored] < len(tests)
	switch {
	case res.Reason != "":
		return string(res.Reason), false
	case o.tampered:
		return "the report of the tests was changed while they ran, so none of its results counts: code under test writes into it", false
	case o.cut:
		return "the report of the tests could not be written whole, so its results are not all there; free some space on the disk of the temporary files and run again. Where there is enough, a test writes into the report", false
	case read.trouble != "":
		return read.trouble, false
	case !ran && (res.ExitCode == 127 || res.ExitCode == 126):
		return fmt.Sprintf("command not found in the sandbox: %s; install it, or give another command with --test-cmd", c.Args[0]), false
	case len(tests) == 0 && len(o.selected) > 0:
		return "none of the selected tests was found: " + strings.Join(o.selected, ", "), false
	case len(tests) == 0:
		return "no test was collected" + lastWords(o), false
	case !ran && missingPackage(o.tree, tests) != "":
		return missingDependency + missingPackage(o.tree, tests), false
	case !ran:
		return notRun(tests), true
	case read.perTest && !read.finished && count[Errored] == 0:
		return fmt.Sprintf("the run ended before its end (exit status %d)", res.ExitCode), false
	case res.ExitCode == 0 && read.perTest && read.finished && count[Failed] > 0 && len(o.selected) == 0:
		return fmt.Sprintf("the command ended with exit status 0 although %s failed", some(tests, Failed)), false
	}
	return "", false
}

// notRun says why no test could run.
func notRun(tests []Test) string {
	for _, t := range tests {
		if t.Uncompiled() {
			return t.Refused() + ": " + t.Says() + t.without()
		}
	}
	return "no test could run: " + tests[0].ID + says(tests[0])
}

// What begins the message of a package or build that a compiler refused, and of one that compiles and go vet refused.
const (
	uncompiled = "build failed\n"
	vetted     = "go vet failed\n"
)

// Uncompiled reports a package, or a build, that a compiler or go vet refused: it is the same however often it is run.
func (t Test) Uncompiled() bool {
	return t.Status == Errored && (strings.HasPrefix(t.Message, uncompiled) || t.Vetted())
}

// Vetted reports a package that go vet refused, which go test runs before its tests.
func (t Test) Vetted() bool { return t.Status == Errored && strings.HasPrefix(t.Message, vetted) }

// Refused says who refused a package or build that is Uncompiled, a clause.
func (t Test) Refused() string {
	if t.Vetted() {
		return "go vet, which go test runs first, refuses the code"
	}
	return "the code does not compile"
}

// without is how the tests run although go vet refuses them, behind what it says.
func (t Test) without() string {
	if t.Vetted() {
		return "; correct that, or run the tests without it: --test-cmd \"go test -vet=off ./...\""
	}
	return ""
}

// Says is the line of the message that names the error, with its place where a compiler gives one; "" where there is none.
func (t Test) Says() string {
	for _, head := range []string{uncompiled, vetted} {
		if text, ok := strings.CutPrefix(t.Message, head); ok {
			return shorten(compilerLines(text), 300)
		}
	}
	return telling(t)
}

// says is Says behind a colon.
func says(t Test) string {
	if text := t.Says(); text != "" {
		return ": " + text
	}
	return ""
}

// compilerPlace is a line in which a compiler names a place: main.go:12:3, Price.java:[9,16], --> src/lib.rs:2.
var compilerPlace = regexp.MustCompile(`[\w.-]\.\w+:\[?\d+`)

// compilerLines are the first error of a compiler's output: the line with its place, with the line before it where that is
// the error itself, and the next ones where it only announces them.
func compilerLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "[ERROR]")); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	from := max(0, slices.IndexFunc(lines, compilerPlace.MatchString))
	to := from + 1
	for to < len(lines) && to < from+3 && strings.HasSuffix(lines[to-1], ":") {
		to++
	}
	if from > 0 && strings.HasPrefix(lines[from-1], "error") {
		from--
	}
	return strings.Join(lines[from:to], " ")
}

// named is a line that begins with an error's name.
var named = regexp.MustCompile(`(?m)^(E\s+)?[A-Z]\w*(Error|Exception)\b.*$`)

// telling is the line of a message that names the error.
func telling(t Test) string {
	if m := named.FindString(t.Message); m != "" {
		return shorten(strings.TrimSpace(strings.TrimPrefix(m, "E  ")), 300)
	}
	for line := range strings.Lines(t.Message) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "E  "))
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "import ") &&
			!strings.HasPrefix(line, "from ") && !pythonFrame.MatchString(line) && !strings.HasSuffix(line, "in <module>") {
			return shorten(line, 300)
		}
	}
	return ""
}

// some names the first test with a status, and how many more there are.
func some(tests []Test, s Status) string {
	i := slices.IndexFunc(tests, func(t Test) bool { return t.Status == s })
	n := 0
	for _, t := range tests {
		if t.Status == s {
			n++
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s and %d more", tests[i].ID, n-1)
	}
	return tests[i].ID
}

// missingName is how Python and Node say which package they did not find.
var missingName = regexp.MustCompile(`No module named '([\w]+)|(?:Cannot find (?:module|package) '|Failed to load url )((?:@[\w.-]+/)?[\w-]+)\b`)

// missingPackage is the package that every test lacks and that the tree does not have either, "" none.
func missingPackage(tree folder, tests []Test) string {
	name := ""
	for _, t := range tests {
		m := missingName.FindStringSubmatch(t.Message)
		if m == nil {
			return ""
		}
		name = m[1] + m[2]
		if tree.hasDir(name) || tree.has(name+".py") || tree.hasDir("src/"+name) || tree.has("src/"+name+".py") {
			return ""
		}
	}
	return name
}

// lastWords adds the end of the output to a reason, one line.
func lastWords(o output) string {
	for _, text := range [][]byte{o.stderr, o.stdout} {
		lines := strings.Split(strings.TrimSpace(clean(text)), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return ": " + shorten(last, 200)
		}
	}
	return ""
}

// tidy merges results of the same test (the worst counts), cleans their texts and sorts them.
func tidy(tests []Test) []Test {
	byID := make(map[string]int, len(tests))
	out := make([]Test, 0, len(tests))
	for _, t := range tests {
		t.ID, t.Message, t.File = steady(cleanLine(t.ID)), cleanMessage(t.Message), inTree(t.File)
		i, seen := byID[t.ID]
		if !seen {
			byID[t.ID] = len(out)
			out = append(out, t)
			continue
		}
		if worse(t.Status, out[i].Status) {
			t.Millis += out[i].Millis
			out[i] = t
		}
	}
	slices.SortFunc(out, func(a, b Test) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// memoryPlace is a place in memory as Python and Go print it.
var memoryPlace = regexp.MustCompile(` at 0x[0-9a-fA-F]{6,}|\b0xc[0-9a-f]{9}\b`)

// steady is an id without addresses, which differ from run to run: tests whose parameter is printed with one would be others
// in each, so that those of the base were missed and those of the patch unknown. Tests that differ in nothing else count as one.
func steady(id string) string {
	if !strings.Contains(id, "0x") {
		return id
	}
	return memoryPlace.ReplaceAllStringFunc(id, func(s string) string { return s[:strings.Index(s, "0x")] + "0x…" })
}

// unsteady reports whether an id had an address, so that no runner knows the test by it.
func unsteady(id string) bool { return strings.Contains(id, "0x…") }

// worse orders statuses: error, failed, skipped, passed.
func worse(a, b Status) bool {
	order := []Status{Passed, Skipped, Failed, Errored}
	return slices.Index(order, a) > slices.Index(order, b)
}

// errNoTool is wrapped by what says that a runner's program was not found.
var errNoTool = errors.New("not found")
