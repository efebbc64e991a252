package testrun

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

func pytestKind() Kind {
	return Kind{
		Name: "pytest", Language: "python",
		find: findPytest, matches: isPytest, start: startPytest, read: readPytest, check: checkPytest,
	}
}

// isPytest knows "pytest …" and "python -m pytest …".
func isPytest(args []string) bool {
	switch base := path.Base(args[0]); {
	case base == "pytest" || base == "py.test":
		return true
	default:
		return strings.HasPrefix(base, "python") && len(args) > 2 && args[1] == "-m" && args[2] == "pytest"
	}
}

// startPytest starts pytest by our launcher. The cache goes to /tmp rather than away, since tests may ask for the cache fixture; files
// that cannot be collected do not keep the others from running.
func startPytest(j *job) error {
	if base := path.Base(j.spec.Args[0]); base == "pytest" || base == "py.test" {
		j.spec.Args = slices.Concat([]string{"python3", "-m", "pytest"}, j.spec.Args[1:])
	}
	at := slices.Index(j.spec.Args, "pytest") + 1
	if at == 0 {
		return fmt.Errorf("%q does not start pytest", strings.Join(j.command.Args, " "))
	}
	rest := j.spec.Args[at:]
	if len(j.selected) > 0 {
		rest = withoutPaths(j.tree.sub(j.command.Dir), rest)
		for _, id := range j.inner() {
			if unsteady(id) {
				id, _, _ = strings.Cut(id, "[") // with all its parameters
			}
			if !slices.Contains(rest, id) {
				rest = append(rest, id)
			}
		}
	}
	if err := j.startPython("pytest", "run_pytest.py"); err != nil {
		return err
	}
	j.spec.Args = slices.Concat(j.spec.Args, []string{"-o", "cache_dir=/tmp/pytest_cache", "--continue-on-collection-errors", "--color=no"}, rest)
	return nil
}

// withoutPaths drops the arguments that name something of the tree: a selection replaces them.
func withoutPaths(f folder, args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		if strings.HasPrefix(a, "-") {
			return false
		}
		file, _, _ := strings.Cut(a, "::")
		_, err := f.stat(file)
		return err == nil
	})
}

// pytest's exit statuses (https://docs.pytest.org/en/stable/reference/exit-codes.html).
const (
	pytestInternal = 3
	pytestUsage    = 4
	pytestNoTests  = 5
)

// readPytest reads our reporter's lines.
func readPytest(o output) reading {
	r := reading{perTest: true}
	running := ""
	altered := ""
	r.finished = events(o.report, func(e event) {
		switch e.Event {
		case "altered":
			altered = e.Text
		case "start":
			running = e.ID
		case "test":
			if e.ID == running {
				running = ""
			}
			r.tests = append(r.tests, pythonResult(o, e))
		case "end":
			running = ""
		}
	})
	if running != "" {
		t := crashed(o.under(running), o)
		r.tests = append(r.tests, t)
	}
	if t, ok := conftestError(o); ok && len(r.tests) == 0 {
		r.tests = append(r.tests, t)
		return r
	}
	if altered != "" {
		r.trouble = replaced(altered)
		return r
	}
	r.trouble = pytestTrouble(o, r)
	r.empty = len(r.tests) == 0 && (o.exit == pytestNoTests || o.exit == pytestUsage && noSuchPath.Match(joinLogs(o.stdout, o.stderr)))
	return r
}

// badConftest is how pytest says that a conftest.py cannot be imported, which ends the run before its start.
var badConftest = regexp.MustCompile(`ImportError while loading conftest '([^']+)'\.?\n?`)

// conftestError is the errored result of a conftest.py that cannot be imported.
func conftestError(o output) (Test, bool) {
	text := clean(o.stderr)
	m := badConftest.FindStringSubmatchIndex(text)
	if m == nil {
		return Test{}, false
	}
	t := Test{ID: o.under(text[m[2]:m[3]]), Status: Errored, Message: lastLines([]byte(text[m[1]:]), 8)}
	t.File, t.Line = location(text[m[1]:])
	if t.File == "" {
		t.File = t.ID
	} else {
		t.File = o.under(t.File)
	}
	return t, true
}

// noSuchPath is how pytest says that a folder of its command line, such as tests, is not there.
var noSuchPath = regexp.MustCompile(`ERROR: file or directory not found: `)

// pytestTrouble says why pytest gave no verdict.
func pytestTrouble(o output, r reading) string {
	text := clean(joinLogs(o.stdout, o.stderr))
	switch {
	case o.stopped:
		return ""
	case strings.Contains(text, "No module named pytest") && len(r.tests) == 0:
		return "pytest is not installed for the Python that was used"
	case o.exit == pytestUsage:
		return "pytest refused its arguments or configuration" + withError(text)
	case o.exit == pytestInternal:
		return "pytest failed internally" + withError(text)
	case o.exit == pytestNoTests && len(r.tests) == 0:
		return "pytest collected no test"
	case !r.finished && len(r.tests) == 0 && o.exit != 0:
		return "pytest did not start" + withError(text)
	}
	return contradicts("pytest", o, r)
}

// replaced says that the runner was not what it was when it started.
func replaced(name string) string {
	return shorten(name, 100) + " of the test runner was replaced while the tests ran, by a plugin, a conftest.py or the code under test, so their results say nothing"
}

// contradicts says that a runner ended with a failure though each of its results is good: something kept a result from
// being reported.
func contradicts(name string, o output, r reading) string {
	bad := func(t Test) bool { return t.Status == Failed || t.Status == Errored }
	if o.stopped || !r.finished || o.exit == 0 || len(r.tests) == 0 || slices.ContainsFunc(r.tests, bad) {
		return ""
	}
	return fmt.Sprintf("%s ended with exit status %d, but reported no test that failed: a plugin, or the code under test, interferes with the results", name, o.exit)
}

// withError adds the line of an output that names the error.
func withError(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "usage: ") {
			continue
		}
		line, _, _ = strings.Cut(line, " -> [Help ") // Maven's, as what follows
		line, _, _ = strings.Cut(line, ": Cannot access ")
		for _, mark := range []string{"ERROR: ", "Error: ", "error: ", "INTERNALERROR> ", "[ERROR] "} {
			if i := strings.Index(line, mark); i >= 0 {
				return ": " + shorten(line[i+len(mark):], 300)
			}
		}
	}
	if last := lastLines([]byte(text), 1); last != "" {
		return ": " + shorten(last, 300)
	}
	return ""
}

// pythonResult makes a result of one line of our Python reporters.
func pythonResult(o output, e event) Test {
	t := Test{ID: o.under(e.ID), Status: e.Status, Millis: e.Millis, Message: e.Text}
	if e.Status != Failed && e.Status != Errored {
		return t
	}
	t.File, t.Line = e.File, e.Line
	if f, l := location(e.Text); t.File == "" || strings.Contains(t.File, "site-packages/") || strings.HasPrefix(t.File, "/usr/") {
		t.File, t.Line = f, l
	}
	if t.File = inTree(t.File); t.File != "" {
		t.File = o.under(t.File)
	}
	t.Message = pythonMessage(e)
	return t
}

// asserted are the lines that pytest marks as the failing code (">") and what it found ("E").
var asserted = regexp.MustCompile(`^(>|E)(\s|$)`)

// pythonMessage is the failing assertion: the failing line and pytest's explanation, or the end of the traceback; then
// the last traceback of the captured log, where a handled exception often is the cause.
func pythonMessage(e event) string {
	var lines []string
	for line := range strings.Lines(e.Text) {
		if line = strings.TrimRight(line, "\r\n"); asserted.MatchString(line) {
			lines = append(lines, line)
		}
	}
	message := strings.Join(lines, "\n")
	switch {
	case len(lines) > 0:
	case e.Phase == "collect" || e.Crash == "" || strings.Contains(e.Crash, "Failed to import test module"):
		message = ownLines([]byte(e.Text), 8)
	default:
		message = e.Crash
	}
	if i := strings.LastIndex(e.Output, "Traceback (most recent call last):"); i >= 0 {
		before := strings.TrimRight(e.Output[:i], "\n")
		start := strings.LastIndex(before, "\n") + 1
		message += "\ncaptured: " + shorten(before[start:], 200) + "\n" + tracebackEnd(e.Output[i:])
	}
	return message
}

// tracebackEnd keeps the last two frames of a traceback and its exception.
func tracebackEnd(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	frames := 0
	for i := len(lines) - 1; i > 0; i-- {
		if pythonFrame.MatchString(lines[i]) {
			if frames++; frames == 2 {
				return strings.Join(lines[i:], "\n")
			}
		}
	}
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// identifier is one part of a node id behind "::", with the parameters that pytest puts in brackets.
var identifier = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*(\[.*\])?$`)

// checkPytest takes files, folders and node ids.
func checkPytest(f folder, p string) error {
	file, rest, hasID := strings.Cut(p, "::")
	if err := f.checkPath(file, "a test_*.py or *_test.py file", func(p string) bool { return pythonTest(p) || configuredTest(f, p) }); err != nil {
		return err
	}
	if !hasID {
		return nil
	}
	if !f.has(file) {
		return fmt.Errorf("%s is a folder, so it has no %s", file, rest)
	}
	source := f.read(file)
	for i, part := range splitNode(rest) {
		if !identifier.MatchString(part) {
			return fmt.Errorf("%q is not the name of a test", part)
		}
		name, _, _ := strings.Cut(part, "[")
		defined := regexp.MustCompile(`(?m)^\s*(async\s+def|def|class)\s+` + regexp.QuoteMeta(name) + `\b`).MatchString(source)
		if i == 0 && !defined {
			return fmt.Errorf("%s has no %s; it has %s", file, name, list(definedTests(source)))
		}
	}
	return nil
}

// splitNode splits a node id behind its file; "::" inside brackets belongs to a parameter.
func splitNode(rest string) []string {
	head, params, bracket := strings.Cut(rest, "[")
	parts := strings.Split(head, "::")
	if bracket {
		parts[len(parts)-1] += "[" + params
	}
	return parts
}

var pythonDefinition = regexp.MustCompile(`(?m)^(?:async\s+def|def|class)\s+([Tt]est\w*)`)

// definedTests lists the tests and classes of tests at the top of a file.
func definedTests(source string) []string {
	var all []string
	for _, m := range pythonDefinition.FindAllStringSubmatch(source, -1) {
		all = append(all, m[1])
	}
	return all
}

// pythonFiles is pytest's own setting of what is a test file.
var pythonFiles = regexp.MustCompile(`(?m)^\s*python_files\s*=\s*(.+)$`)

// configuredTest holds a file against the folder's python_files.
func configuredTest(f folder, p string) bool {
	for _, name := range []string{"pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
		m := pythonFiles.FindStringSubmatch(f.read(name))
		if m == nil {
			continue
		}
		for _, pattern := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(` ,"'[]`, r) }) {
			if ok, _ := path.Match(pattern, path.Base(p)); ok && pattern != "*" {
				return true
			}
		}
	}
	return false
}
