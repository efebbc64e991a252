package testrun

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func goKind() Kind {
	return Kind{
		Name: "go", Language: "go",
		find: findGo, matches: isGoTest, start: startGo, read: readGo, check: checkGo, keep: keepGo,
	}
}

// findGo takes a folder with a go.mod and a test.
func findGo(f folder) (Command, bool) {
	if !f.has("go.mod") || len(f.files(1, goTest)) == 0 {
		return Command{}, false
	}
	return Command{Runner: "go", Dir: f.dir, Args: []string{"go", "test", "./..."}, Source: "go.mod"}, true
}

func goTest(p string) bool { return strings.HasSuffix(p, "_test.go") }

// isGoTest knows "go test …".
func isGoTest(args []string) bool {
	return path.Base(args[0]) == "go" && len(args) > 1 && args[1] == "test"
}

// startGo asks for JSON and for fresh results, and sets an environment in which the go command reaches for nothing: no
// network, no other toolchain, no settings of the home.
func startGo(j *job) error {
	goTool, err := j.tool("go")
	if err != nil {
		return err
	}
	j.goEnv()
	rest := j.spec.Args[2:]
	if len(j.selected) > 0 {
		rest = append(goOptions(rest), goSelection(j.inner())...)
	}
	j.spec.Args = slices.Concat([]string{goTool, "test", "-json", "-count=1"}, rest)
	j.toReport()
	return nil
}

// goEnv settles the go command's environment and shows the module cache.
func (j *job) goEnv() {
	for k, v := range map[string]string{
		"GOCACHE": j.cache("go-build"), "GOPATH": "/tmp/go", "GOENV": "off", "GOPROXY": "off", "GOSUMDB": "off",
		"GOTOOLCHAIN": "local", "GOTELEMETRY": "off", "GOFLAGS": "-buildvcs=false", "GOWORK": j.goWork(),
	} {
		j.spec.Env[k] = v
	}
	j.showCaches("go")
}

// goWork keeps a go.work of the tree in force and nothing else.
func (j *job) goWork() string {
	for _, dir := range upwards(j.command.Dir) {
		if j.tree.has(join(dir, "go.work")) {
			return path.Join(workspacePath, dir, "go.work")
		}
	}
	return "off"
}

func exists(parts ...string) bool {
	_, err := os.Stat(filepath.Join(parts...))
	return err == nil
}

// goOptions keeps the options of a command and drops its packages, which a selection replaces.
func goOptions(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		return a == "." || strings.HasPrefix(a, "./") || strings.HasSuffix(a, "...") || (!strings.HasPrefix(a, "-") && strings.Contains(a, "/"))
	})
}

// goSelection turns ids, packages, files and folders into packages and a -run pattern that holds at least what was asked
// for; keepGo takes the rest out again.
func goSelection(selected []string) []string {
	var packages, tests []string
	whole := false
	for _, s := range selected {
		pkg, test, isID := splitGoID(s)
		switch {
		case isID:
			top, _, _ := strings.Cut(test, "/")
			tests = append(tests, regexp.QuoteMeta(top))
		case goTest(s):
			pkg, whole = path.Dir(s), true
		default:
			pkg, whole = strings.TrimPrefix(s, "./"), true
		}
		packages = append(packages, "./"+strings.TrimPrefix(pkg, "."))
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	if whole {
		return packages
	}
	return append([]string{"-run=^(" + strings.Join(unique(tests), "|") + ")$"}, packages...)
}

func unique(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

var goID = regexp.MustCompile(`^(?:(.*?)\.)??((?:Test|Example|Fuzz|Benchmark)(?:[^\p{Ll}/.][^/]*)?(?:/.*)?)$`)

// splitGoID takes pkg/path.TestName/sub apart; the package is "." for the root.
func splitGoID(id string) (pkg, test string, ok bool) {
	m := goID.FindStringSubmatch(id)
	if m == nil || goTest(id) {
		return "", "", false
	}
	if m[1] == "" {
		return ".", m[2], true
	}
	return m[1], m[2], true
}

// keepGo keeps the selected test, its subtests and its parents' errors; of a file or folder everything in its packages.
func keepGo(selected, id string) bool {
	if pkg, _, ok := splitGoID(selected); ok {
		return id == selected || strings.HasPrefix(id, selected+"/") || id == pkg
	}
	pkg := strings.TrimSuffix(strings.TrimPrefix(selected, "./"), "/...")
	if goTest(selected) {
		pkg = path.Dir(selected)
	}
	of, _, ok := splitGoID(id)
	if !ok {
		of = id
	}
	return pkg == "." || pkg == "" || pkg == "..." || of == pkg || strings.HasPrefix(of, pkg+"/")
}

// goEvent is one line of go test -json (see go doc test2json) or of a failed build (go help buildjson).
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// goReader collects events.
type goReader struct {
	module  string
	o       output
	tests   []Test
	text    map[[2]string][]string // package and test → output lines
	build   map[string][]string    // import path → compiler output
	running map[[2]string]bool
	ended   map[string]bool // package → it came to its end
	begun   map[string]bool
	log     strings.Builder
	bad     map[string]bool // packages with a failed test
}

// readGo reads go test -json.
func readGo(o output) reading {
	g := &goReader{o: o, text: map[[2]string][]string{}, build: map[string][]string{}, running: map[[2]string]bool{},
		ended: map[string]bool{}, begun: map[string]bool{}, bad: map[string]bool{}}
	eachLine(o.report, g.line)
	g.unfinished()
	r := reading{tests: g.tests, perTest: true, finished: !o.stopped && len(g.begun) == len(g.ended)}
	log := g.log.String()
	r.log = joinLogs([]byte(log), o.stderr)
	r.trouble = goTrouble(o, g)
	r.empty = r.trouble == goNoTests
	return r
}

// line takes one event, or a line of plain output among them.
func (g *goReader) line(data []byte) {
	var e goEvent
	if json.Unmarshal(data, &e) != nil || e.Action == "" {
		g.print(string(data) + "\n")
		return
	}
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "start":
		g.begun[e.Package] = true
	case "run":
		g.running[key] = true
	case "output":
		g.print(e.Output)
		if len(g.text[key]) < 2000 {
			g.text[key] = append(g.text[key], e.Output)
		}
	case "build-output":
		g.print(e.Output)
		g.build[e.ImportPath] = append(g.build[e.ImportPath], e.Output)
	case "pass", "fail", "skip":
		delete(g.running, key)
		g.done(e)
	}
}

// print adds to the log, bounded: the log is for people and the full report was read already.
func (g *goReader) print(s string) {
	if g.log.Len() < 4<<20 {
		g.log.WriteString(s)
	}
}

// done makes a result of a finished test, or of a package that failed without one.
func (g *goReader) done(e goEvent) {
	if e.Test == "" {
		g.ended[e.Package], g.begun[e.Package] = true, true
		if e.Action == "fail" && !g.bad[e.Package] {
			g.packageFailed(e)
		}
		return
	}
	t := Test{ID: g.id(e.Package, e.Test), Millis: int64(e.Elapsed * 1000)}
	lines := g.text[[2]string{e.Package, e.Test}]
	switch e.Action {
	case "pass":
		t.Status = Passed
	case "skip":
		t.Status = Skipped
		t.Message, _, _ = goMessage(lines)
	default:
		t.Status = Failed
		g.bad[e.Package] = true
		var file string
		t.Message, file, t.Line = goMessage(lines)
		if file != "" {
			t.File = join(g.pkg(e.Package), file)
			t.Message = strings.ReplaceAll(t.Message, file+":", t.File+":")
		} else if m := goPanicPlace.FindStringSubmatch(t.Message); m != nil {
			t.File, t.Line = m[1], atoi(m[2])
		}
	}
	delete(g.text, [2]string{e.Package, e.Test})
	g.tests = append(g.tests, t)
}

// packageFailed is a package that did not compile, or whose process ended outside a test.
func (g *goReader) packageFailed(e goEvent) {
	t := Test{ID: g.pkg(e.Package), Status: Errored}
	built := e.FailedBuild
	if built == "" {
		if _, ok := g.build[e.Package]; ok {
			built = e.Package
		}
	}
	lines := g.build[built]
	if built == "" {
		lines = g.text[[2]string{e.Package, ""}]
	}
	message := clean([]byte(strings.Join(lines, "")))
	if m := goPlace.FindStringSubmatch(message); m != nil {
		t.File, t.Line = g.o.under(strings.TrimPrefix(m[1], "./")), atoi(m[2])
	}
	if g.o.dir != "" {
		message = goPlace.ReplaceAllStringFunc(message, func(s string) string {
			return g.o.under(strings.TrimPrefix(strings.TrimLeft(s, " \t\n"), "./"))
		})
	}
	if slices.ContainsFunc(lines, vetHead.MatchString) {
		message = vetted + message
	} else if built != "" {
		message = uncompiled + message
	}
	t.Message = strings.TrimSpace(message)
	g.tests = append(g.tests, t)
}

// vetHead is the line with which go vet begins what it finds in a package; the compiler's has no brackets around the path.
var vetHead = regexp.MustCompile(`^# \[`)

// unfinished are the tests that ran when their process ended, and the packages that were cut off.
func (g *goReader) unfinished() {
	if len(g.running) == 0 {
		return
	}
	parents := map[[2]string]bool{} // of tests that ran
	for key := range g.running {
		for test := key[1]; strings.Contains(test, "/"); {
			test = test[:strings.LastIndex(test, "/")]
			parents[[2]string{key[0], test}] = true
		}
	}
	dead := crashed("", g.o)
	for key := range g.running {
		if key[1] == "" || parents[key] {
			continue
		}
		t := dead
		t.ID = g.id(key[0], key[1])
		if lines := g.text[key]; len(lines) > 0 {
			message, file, line := goMessage(lines)
			t.Message, t.Line = t.Message+"\n"+message, line
			if file != "" {
				t.File = join(g.pkg(key[0]), file)
			}
		}
		g.tests = append(g.tests, t)
	}
}

// id is the id of a test.
func (g *goReader) id(pkg, test string) string {
	if p := g.pkg(pkg); p != "." {
		return p + "." + test
	}
	return test
}

// pkg is a package relative to the root, "." for the root package. An import path such as "m [m.test]" is the package as
// it is compiled for its test.
func (g *goReader) pkg(importPath string) string {
	importPath, _, _ = strings.Cut(importPath, " ")
	rel := strings.TrimPrefix(strings.TrimPrefix(importPath, g.o.module), "/")
	if rel == "" {
		rel = "."
	}
	if rel = join(g.o.dir, rel); rel == "" {
		return "."
	}
	return rel
}

// goPlace is a compiler's or test's "file.go:12:".
var goPlace = regexp.MustCompile(`(?m)^\s*([^\s:]+\.go):(\d+)(?::\d+)?: `)

// goPanicPlace is the first frame that panicHead keeps.
var goPanicPlace = regexp.MustCompile(`(?m)^\s+at ([^\s:]+\.go):(\d+)$`)

// goMessage is a failed test's own output: without the framework's lines, and of a panic only its head and the frames
// of the tree.
func goMessage(lines []string) (message, file string, line int) {
	var kept []string
	for _, l := range lines {
		trimmed := strings.TrimSpace(l)
		if goFrame.MatchString(trimmed) || trimmed == "" && len(kept) == 0 {
			continue
		}
		kept = append(kept, strings.TrimRight(l, "\n"))
	}
	message = clean([]byte(strings.Join(kept, "\n")))
	if i := strings.Index(message, "panic: "); i >= 0 {
		message = message[:i] + panicHead(message[i:])
	}
	message = dedent(message)
	if m := goPlace.FindStringSubmatch(message + " "); m != nil {
		file, line = m[1], atoi(m[2])
	}
	return message, file, line
}

// goFrame matches what the testing package prints around a test.
var goFrame = regexp.MustCompile(`^(=== (RUN|PAUSE|CONT|NAME)\b|--- (PASS|FAIL|SKIP)\b|PASS$|FAIL$|exit status \d|FAIL\s)`)

// panicHead keeps a panic's message and those lines of its trace that name a file of the tree.
func panicHead(text string) string {
	lines := strings.Split(text, "\n")
	kept := lines[:1]
	for _, l := range lines[1:] {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "/") || !strings.Contains(trimmed, ".go:") || len(kept) > 8 {
			continue
		}
		place, _, _ := strings.Cut(trimmed, " +0x")
		kept = append(kept, "    at "+place)
	}
	return strings.Join(kept, "\n")
}

// dedent takes off the indentation that all lines share.
func dedent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	common := -1
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if n := len(l) - len(strings.TrimLeft(l, " \t")); common < 0 || n < common {
			common = n
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(common, 0), len(l)):]
	}
	return strings.Join(lines, "\n")
}

// missingModule is how the go command says that a dependency is not there.
var missingModule = regexp.MustCompile(`no required module provides package|module lookup disabled by GOPROXY=off|missing go\.sum entry|cannot find module providing package|go: updates to go\.mod needed|inconsistent vendoring`)

// goNoTests is the trouble of a module without tests.
const goNoTests = "no test was collected: there are no test files"

// goTrouble says why the go command gave no verdict.
func goTrouble(o output, g *goReader) string {
	if o.stopped || slices.ContainsFunc(g.tests, func(t Test) bool { return t.Status != Errored }) {
		return ""
	}
	text := clean(o.stderr) + g.log.String()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case missingModule.MatchString(line):
			return "missing dependency: " + shorten(strings.TrimSuffix(line, "; to add it:"), 300)
		case strings.Contains(line, "GOTOOLCHAIN=local") || strings.Contains(line, "go.mod requires go >="):
			return "the Go on this machine is too old: " + shorten(line, 300)
		}
	}
	switch {
	case len(g.tests) > 0:
		return ""
	case strings.Contains(text, "[no test files]") || strings.Contains(text, "no packages to test"):
		return goNoTests
	case o.exit != 0 && o.exit != 126 && o.exit != 127:
		return "go test did not start" + withError(text)
	}
	return ""
}

// checkGo takes packages, test files and ids.
func checkGo(f folder, p string) error {
	pkg, test, isID := splitGoID(p)
	if !isID {
		if p == "..." || p == "./..." || p == "." {
			return nil
		}
		p = strings.TrimSuffix(p, "/...")
		return f.checkPath(p, "a *_test.go file or a package with tests", goTest)
	}
	if err := f.checkPath(pkg, "a package with tests", goTest); err != nil {
		return err
	}
	name, _, _ := strings.Cut(test, "/")
	var have []string
	for _, file := range f.sub(pkg).files(maxWalk, func(p string) bool { return goTest(p) && !strings.Contains(p, "/") }) {
		for _, m := range goFunction.FindAllStringSubmatch(f.sub(pkg).read(file), -1) {
			have = append(have, m[1])
		}
	}
	if !slices.Contains(have, name) {
		return fmt.Errorf("package %s has no %s; it has %s", pkg, name, list(have))
	}
	return nil
}

var goFunction = regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)
