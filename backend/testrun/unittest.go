package testrun

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

func unittestKind() Kind {
	return Kind{
		Name: "unittest", Language: "python",
		find: findUnittest, matches: isUnittest, start: startUnittest, read: readUnittest, check: checkUnittest,
	}
}

// isUnittest knows "python -m unittest …".
func isUnittest(args []string) bool {
	return strings.HasPrefix(path.Base(args[0]), "python") && len(args) > 2 && args[1] == "-m" && args[2] == "unittest"
}

// startUnittest starts unittest's own command line by our launcher.
func startUnittest(j *job) error {
	at := slices.Index(j.spec.Args, "unittest")
	if at < 2 {
		return fmt.Errorf("%q does not start unittest", strings.Join(j.command.Args, " "))
	}
	rest := j.spec.Args[at+1:]
	if len(j.selected) > 0 {
		start := startFolder(rest)
		j.addPythonPath(path.Join(workspacePath, j.command.Dir, start))
		rest = []string{}
		for _, s := range j.selected {
			rest = append(rest, unittestNames(j.tree.sub(j.command.Dir), start, j.command.Dir, s)...)
		}
	}
	if err := j.startPython("", "run_unittest.py"); err != nil {
		return err
	}
	j.spec.Args = append(j.spec.Args, rest...)
	return nil
}

// startFolder is the folder that "discover -s" starts in: modules are named from there.
func startFolder(args []string) string {
	for i, a := range args {
		if (a == "-s" || a == "--start-directory") && i+1 < len(args) {
			return path.Clean(args[i+1])
		}
	}
	return ""
}

// unittestNames turns a file or folder into names that unittest takes; an id is one already. f is the command's folder.
func unittestNames(f folder, start, dir, selected string) []string {
	module := func(p string) string {
		if rel, ok := within(start, p); ok {
			p = rel
		}
		return strings.ReplaceAll(strings.TrimSuffix(p, ".py"), "/", ".")
	}
	p, ok := within(dir, selected)
	switch {
	case ok && f.has(p) && strings.HasSuffix(p, ".py"):
		return []string{module(p)}
	case ok && f.hasDir(p):
		var all []string
		for _, file := range f.sub(p).files(maxWalk, pythonTest) {
			if name := module(join(p, file)); dotted.MatchString(name) { // Python imports no other, and "-x" is an option
				all = append(all, name)
			}
		}
		return all
	}
	return []string{selected}
}

// failedModule is how unittest names a module that could not be imported.
var failedModule = regexp.MustCompile(`^unittest\.loader\._FailedTest\.`)

// readUnittest reads our reporter's lines.
func readUnittest(o output) reading {
	r := reading{perTest: true}
	running, altered := "", ""
	r.finished = events(o.report, func(e event) {
		e.ID = failedModule.ReplaceAllString(e.ID, "")
		switch e.Event {
		case "altered":
			altered = e.Text
		case "start":
			running = e.ID
		case "test":
			running = ""
			inner := o
			inner.dir = "" // ids are modules, files come relative to the command's folder
			t := pythonResult(inner, e)
			if t.File != "" {
				t.File = o.under(t.File)
			}
			r.tests = append(r.tests, t)
		case "end":
			running = ""
		}
	})
	if running != "" {
		r.tests = append(r.tests, crashed(running, o))
	}
	text := clean(joinLogs(o.stdout, o.stderr))
	switch {
	case altered != "":
		r.trouble = replaced(altered)
	case o.stopped:
	case len(r.tests) == 0 && r.finished:
		r.trouble, r.empty = "unittest found no test", true
	case len(r.tests) == 0 && strings.Contains(text, "Start directory is not importable"):
		r.trouble, r.empty = "unittest found no folder of tests", true
	case len(r.tests) == 0 && o.exit != 0:
		r.trouble = "unittest did not start" + withError(text)
	default:
		r.trouble = contradicts("unittest", o, r)
	}
	return r
}

// dotted is a unittest id: module.Class.test.
var dotted = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$`)

// checkUnittest takes files, folders and dotted ids whose module is a test file.
func checkUnittest(f folder, p string) error {
	if strings.Contains(p, "/") || strings.HasSuffix(p, ".py") || f.hasDir(p) {
		if file := strings.TrimSuffix(path.Clean(p), ".py"); strings.HasSuffix(p, ".py") && !dotted.MatchString(strings.ReplaceAll(file, "/", ".")) {
			return fmt.Errorf("%q cannot be imported: unittest takes files and folders with names of Python's", p)
		}
		return f.checkPath(p, "a test_*.py file", pythonTest)
	}
	if !dotted.MatchString(p) {
		return fmt.Errorf("%q is neither a file nor a dotted name such as tests.test_x.TestA.test_b", p)
	}
	parts := strings.Split(p, ".")
	for i := len(parts); i > 0; i-- {
		file := strings.Join(parts[:i], "/") + ".py"
		for _, name := range []string{file, "tests/" + file, "test/" + file} {
			if f.has(name) {
				return f.checkPath(name, "a test_*.py file", pythonTest)
			}
		}
	}
	return fmt.Errorf("no module of %s is in the tree; test files are %s", p, list(f.tests(pythonTest)))
}
