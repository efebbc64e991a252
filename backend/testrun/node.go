package testrun

import (
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func nodeKind() Kind {
	return Kind{
		Name: "node", Language: "javascript",
		find: findNode, matches: isNodeTest, start: startNode, read: readNode, check: checkNode, keep: keepNode,
	}
}

// scriptExt tells the files that Node runs.
var scriptExt = regexp.MustCompile(`\.(c|m)?(j|t)sx?$`)

// nodeTest tells the files that node --test runs by itself (https://nodejs.org/api/test.html#running-tests-from-the-command-line).
func nodeTest(p string) bool {
	if !scriptExt.MatchString(p) {
		return false
	}
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return slices.Contains(strings.Split(path.Dir(p), "/"), "test") || stem == "test" || strings.HasPrefix(stem, "test-") ||
		strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, "-test") || strings.HasSuffix(stem, "_test")
}

// ecmaTest also tells the files of the other runners.
func ecmaTest(p string) bool {
	if !scriptExt.MatchString(p) {
		return false
	}
	base := path.Base(p)
	return nodeTest(p) || strings.Contains(base, ".spec.") || strings.Contains(base, ".test.") ||
		slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(d string) bool {
			return d == "__tests__" || d == "tests" || d == "spec"
		})
}

// packageJSON is what is used of a package.json.
type packageJSON struct {
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
}

// npm reads a folder's package.json; false where there is none that can be read.
func npm(f folder) (packageJSON, bool) {
	var p packageJSON
	return p, f.has("package.json") && json.Unmarshal([]byte(f.read("package.json")), &p) == nil
}

// findNode takes a test script that starts node --test, with its arguments; or tests that import node:test.
func findNode(f folder) (Command, bool) {
	p, ok := npm(f)
	if !ok {
		return Command{}, false
	}
	if args := words(p.Scripts["test"]); args != nil && isNodeTest(args) {
		return Command{Runner: "node", Dir: f.dir, Args: args, Source: "package.json"}, true
	}
	if strings.Contains(p.Scripts["test"], "node --test") || f.contains(nodeTest, regexp.MustCompile(`['"]node:test['"]`)) {
		return Command{Runner: "node", Dir: f.dir, Args: []string{"node", "--test"}, Source: "package.json"}, true
	}
	return Command{}, false
}

// words splits a script of a package.json where it is a plain argument list; nil where a shell would be needed.
func words(script string) []string {
	if script == "" || strings.ContainsAny(script, "&|;<>$`\\\"'()*?{}[]!~#\n=") {
		return nil
	}
	return strings.Fields(script)
}

// isNodeTest knows "node --test …".
func isNodeTest(args []string) bool {
	return path.Base(args[0]) == "node" && slices.Contains(args[1:], "--test")
}

// startNode adds our reporter beside the one for people.
func startNode(j *job) error {
	tool, err := j.node()
	if err != nil {
		return err
	}
	rest := j.spec.Args[1:]
	if len(j.selected) > 0 {
		rest = append(withoutPaths(j.tree.sub(j.command.Dir), rest), j.nodeFiles()...)
	}
	j.spec.Args = slices.Concat([]string{tool,
		"--test-reporter=spec", "--test-reporter-destination=stdout",
		"--test-reporter=" + path.Join(reportersPath, "node.mjs"), "--test-reporter-destination=" + j.report()}, rest)
	j.spec.Env["NO_COLOR"] = "1"
	return j.seal()
}

// node finds Node.
func (j *job) node() (string, error) {
	return j.tool("node")
}

// nodeFiles are the files of the selection: Node runs whole files, keepNode takes the rest out.
func (j *job) nodeFiles() []string { return j.filesOf(ecmaTest) }

// nodeSeparator stands between a file, its suites and a test.
const nodeSeparator = " > "

// keepNode keeps a file's, a folder's or a suite's tests, and the error of the file.
func keepNode(selected, id string) bool {
	file, _, isTest := strings.Cut(selected, nodeSeparator)
	return id == selected || strings.HasPrefix(id, selected+nodeSeparator) || strings.HasPrefix(id, strings.TrimSuffix(selected, "/")+"/") ||
		isTest && id == file
}

// checkNode takes files, folders and ids.
func checkNode(f folder, p string) error {
	file, _, _ := strings.Cut(p, nodeSeparator)
	return f.checkPath(file, "a test file", ecmaTest)
}

// nodeReader builds ids from nested events.
type nodeReader struct {
	o      output
	stack  []event
	seen   map[string]int
	tested map[string]bool // files of which there is a test
	errors []nodeError     // what the output says of files that did not load, read when it is first asked for
	read   bool            // errors was read
	r      reading
}

// nodeError is an uncaught error in the output.
type nodeError struct {
	block  string
	around []string // the lines about it
}

// maxNodeErrors bounds how many uncaught errors are told apart: each is held against each file that did not load.
const maxNodeErrors = 500

// readNode reads our reporter's lines. Suites are only parts of ids; a suite or file that failed by itself is an error.
func readNode(o output) reading {
	n := &nodeReader{o: o, seen: map[string]int{}, tested: map[string]bool{}, r: reading{perTest: true}}
	n.r.finished = events(o.report, n.event)
	if n.r.finished && o.exit != 0 && !o.stopped && len(n.r.tests) == 0 {
		n.r.trouble = "node --test failed" + withError(clean(joinLogs(o.stdout, o.stderr)))
	}
	if !n.r.finished && !o.stopped {
		if len(n.stack) > 0 {
			n.r.tests = append(n.r.tests, crashed(n.id(n.stack[len(n.stack)-1]), o))
		} else if len(n.r.tests) == 0 && o.exit != 127 {
			n.r.trouble = "node --test did not start" + withError(clean(joinLogs(o.stdout, o.stderr)))
		}
	}
	if n.r.finished && len(n.r.tests) == 0 && o.exit == 0 || len(n.r.tests) == 0 && !o.stopped && noSuchTest.Match(o.stderr) {
		n.r.trouble, n.r.empty = "node --test found no test", true
	}
	return n.r
}

// noSuchTest is how Node says that the files of its command line are not there.
var noSuchTest = regexp.MustCompile(`(?m)^Could not find '`)

func (n *nodeReader) event(e event) {
	switch e.Event {
	case "start":
		n.cut(e.Nesting)
		n.stack = append(n.stack, e)
	case "test":
		n.cut(e.Nesting)
		n.result(e)
	}
}

// cut drops what is not above a nesting level.
func (n *nodeReader) cut(nesting int) {
	n.stack = n.stack[:min(len(n.stack), nesting)]
}

// id is "file > suite > test". The file of a test that a helper defines is the one that Node ran it in.
func (n *nodeReader) id(e event) string {
	file := e.File
	if len(n.stack) > 0 && n.stack[0].File != "" {
		file = n.stack[0].File
	}
	parts := []string{}
	if file = n.file(file); file != "" {
		parts = append(parts, file)
	}
	for _, s := range n.stack {
		if s.Nesting < e.Nesting {
			parts = append(parts, s.Name)
		}
	}
	return strings.Join(append(parts, e.Name), nodeSeparator)
}

// file makes Node's absolute path relative to the root.
func (n *nodeReader) file(p string) string {
	if p = inTree(p); filepath.IsLocal(filepath.FromSlash(p)) {
		return p
	}
	return ""
}

// result records a test; of tests with the same name in one place the second gets "#2".
func (n *nodeReader) result(e event) {
	id := n.id(e)
	whole := e.File != "" && (e.Name == e.File || e.Name == n.file(e.File) || e.Name == strings.TrimPrefix(n.file(e.File), n.o.dir+"/"))
	switch {
	case whole && e.Status == Passed:
		n.filePassed(e)
		return
	case whole && e.Kind == "subtestsFailed":
		return
	case whole:
		t := Test{ID: n.file(e.File), Status: Errored, Message: n.fileError(e), File: n.file(e.File)}
		if m := scriptPlace.FindStringSubmatch(t.Message); m != nil && inTree(m[1]) != "" {
			t.File, t.Line = inTree(m[1]), atoi(m[2])
		}
		n.r.tests = append(n.r.tests, t)
		return
	case e.Type == "suite" && (e.Status != Failed || e.Kind == "subtestsFailed" || e.Kind == ""):
		return
	}
	n.seen[id]++
	if k := n.seen[id]; k > 1 {
		id += " #" + strconv.Itoa(k)
	}
	t := Test{ID: id, Status: e.Status, Millis: e.Millis, Message: e.Text}
	if e.Type == "suite" {
		t.Status = Errored
	}
	if e.Kind == "subtestsFailed" {
		t.Message = ""
	} else if t.Status == Failed || t.Status == Errored {
		t.Message, t.File, t.Line = nodeMessage(e.Text)
		if t.File == "" {
			t.File, t.Line = n.file(e.File), e.Line
		}
	}
	n.add(t)
}

// add records a test and that its file has one.
func (n *nodeReader) add(t Test) {
	if file, _, inFile := strings.Cut(t.ID, nodeSeparator); inFile {
		n.tested[file] = true
	}
	n.r.tests = append(n.r.tests, t)
}

// filePassed records a file without tests of its own, such as a script of plain assertions, as the one test that it is.
func (n *nodeReader) filePassed(e event) {
	id := n.file(e.File)
	if !n.tested[id] {
		n.r.tests = append(n.r.tests, Test{ID: id, Status: Passed, Millis: e.Millis})
	}
}

// scriptPlace is the line in which Node names the place of an error that kept a file from loading.
var scriptPlace = regexp.MustCompile(`(?m)^(?:file://)?([^\s:]+):(\d+)$`)

// fileError finds what made a file fail: Node reports only that its process ended, and prints the reason. A block that
// names the file is better than the first one.
func (n *nodeReader) fileError(e event) string {
	if strings.Contains(e.Text, TooLong) {
		return e.Text
	}
	if !n.read {
		n.errors, n.read = n.uncaught(), true
	}
	for _, found := range n.errors {
		if names(found.around, n.file(e.File)) {
			return found.block
		}
	}
	if len(n.errors) == 0 {
		return e.Text
	}
	return n.errors[0].block
}

// uncaught are the uncaught errors of the output.
func (n *nodeReader) uncaught() (all []nodeError) {
	text := clean(joinLogs(n.o.stdout, n.o.stderr))
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return reported.MatchString(l) })
	for i, l := range lines {
		if scriptError.MatchString(strings.TrimSpace(l)) && len(all) < maxNodeErrors {
			all = append(all, nodeError{errorBlock(lines, i), lines[max(0, i-8):min(len(lines), i+8)]})
		}
	}
	return all
}

func names(lines []string, file string) bool {
	return slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, file) })
}

// errorBlock is the uncaught error of line i with the place and the source line that Node prints before it, where that
// lies in the tree.
func errorBlock(lines []string, i int) string {
	for from := i - 1; from >= max(0, i-6); from-- {
		if m := scriptPlace.FindStringSubmatch(lines[from]); m != nil && inTree(m[1]) != "" && !strings.HasPrefix(m[1], "node:") {
			return strings.Join(lines[from:i+1], "\n")
		}
	}
	return strings.TrimSpace(lines[i])
}

// reported are lines of the reporter for people.
var reported = regexp.MustCompile(`^\s*[✔✖▶ℹ﹣]`)

// scriptError is the line of an uncaught error.
var scriptError = regexp.MustCompile(`^([A-Z]\w*)?Error( \[\w+\])?: `)

// scriptFrame is a line of a JavaScript stack.
var scriptFrame = regexp.MustCompile(`^\s*at (?:.*\()?((?:file://)?[^()\s]+):(\d+):\d+\)?$`)

// nodeMessage keeps an error's text and only those frames that lie in the tree.
func nodeMessage(text string) (message, file string, line int) {
	var kept []string
	frames := 0
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if !strings.HasPrefix(strings.TrimSpace(l), "at ") {
			if frames == 0 {
				kept = append(kept, l)
			}
			continue
		}
		m := scriptFrame.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		p := inTree(m[1])
		if p == "" || strings.Contains(p, "node_modules/") || strings.HasPrefix(p, "node:") {
			continue
		}
		if frames++; frames == 1 {
			file, line = p, atoi(m[2])
		}
		if at := "    at " + p + ":" + m[2]; frames <= 4 && (len(kept) == 0 || kept[len(kept)-1] != at) {
			kept = append(kept, at)
		}
	}
	return strings.Join(kept, "\n"), file, line
}
