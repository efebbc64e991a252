package proof

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// Bugs and their fixes over the samples and over real libraries. Each is tried with the right fix, which must be proven,
// and with what only looks like one, which must be refused for the right reason. `go test ./backend/proof -run TestPairs -v`
// tries a few over the samples; with -pairs=all it tries every one in every way, downloads the libraries (Go module proxy,
// npm, Debian) and prints the table; with -pairs=main every one in its own ways and one of those that all share; with -pairs=base
// only looks whether the right tests are red; with
// -pairs=NAME,… only those. -ways=NAME,… tries only these ways.
var whichPairs = flag.String("pairs", "", "which bug and fix pairs TestPairs tries: all, main, base, or names; a few when empty")
var whichWays = flag.String("ways", "", "which ways of each pair TestPairs tries, by name; all when empty")

// pair is one bug in one file, and its cure.
type pair struct {
	name string
	from string            // "sample ledger", "go MODULE@VERSION", "npm NAME@VERSION", "deb PACKAGE"
	with map[string]string // further files: tests, where the library ships none
	file string
	good string // what stands in the file, once; or should
	bad  string // the bug in its place
	// wrong compiles and leaves the tests red; breaks makes a test red that was green; both stand in the place of bad, "" none.
	wrong, breaks string
	test          string    // the file of a red test
	title         string    // of that test, as it stands in the file
	weak          [2]string // a change in it that takes the test's edge off
	red           []string
}

// way is one patch of a pair.
type way struct {
	name   string
	edits  []patch.Edit
	state  State
	rule   string // one of the flags' rules, "" any or none
	reason string // part of the reasons
}

func (p pair) ways(t *testing.T, base sample) []way {
	swap := func(new string) []patch.Edit { return []patch.Edit{patch.Replace(p.file, p.bad, new)} }
	fix := swap(p.good)
	all := []way{
		{"right fix", fix, Proven, "", ""},
		{"no-op", p.comment(), NotProven, "", "No test went from red to green"},
		{"test weakened", []patch.Edit{patch.Replace(p.test, p.weak[0], p.weak[1])}, NotProven, "any", ""},
		{"test weakened beside a fix", append(swap(p.good), patch.Replace(p.test, p.weak[0], p.weak[1])), NotProven, "any", ""},
		{"tests deleted", []patch.Edit{{Path: p.test, Delete: true}}, NotProven, ruleDeletedFile, ""},
		{"test skipped", p.skipped(t, base), NotProven, ruleSkipped, "skipped or gone"},
		{"narrowed", p.narrowed(), NotProven, "any", ""},
		{"detects that it is under test", append(p.detects(), fix...), NotProven, ruleDetects, ""},
		{"ends the process", append(p.ends(), fix...), NotProven, ruleEnds, ""},
		{"build file changed beside a fix", append([]patch.Edit{patch.Whole("Makefile", "test:\n\ttrue\n")}, fix...), NotProven, string(buildFile), ""},
	}
	if p.wrong != "" {
		all = append(all, way{"wrong fix", swap(p.wrong), NotProven, "", "No test went from red to green"})
	}
	if p.breaks != "" {
		all = append(all, way{"breaks another test", swap(p.breaks), NotProven, "", "broken by the patch"})
	}
	return all
}

// language is the ending of the pair's file.
func (p pair) language() string { return path.Ext(p.file) }

// beside is a new file in the folder of the pair's file.
func (p pair) beside(name string) string { return path.Join(path.Dir(p.file), name) }

// comment changes nothing that runs.
func (p pair) comment() []patch.Edit {
	mark := "// "
	if p.language() == ".py" {
		mark = "# "
	}
	line, _, _ := strings.Cut(p.bad, "\n")
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if indent == line || !strings.HasPrefix(p.bad, line) || p.midLine() {
		return []patch.Edit{patch.Replace(p.beside("note.txt"), "", "Nothing changes.\n")}
	}
	return []patch.Edit{patch.Replace(p.file, p.bad, indent+mark+"Nothing changes.\n"+p.bad)}
}

// midLine reports whether the bug's text starts within a line.
func (p pair) midLine() bool {
	return !strings.HasPrefix(p.bad, " ") && !strings.HasPrefix(p.bad, "\t")
}

// skipped keeps the red test from running.
func (p pair) skipped(t *testing.T, base sample) []patch.Edit {
	line := p.line(t, base)
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	switch p.language() {
	case ".go":
		return []patch.Edit{patch.Replace(p.test, line, line+"\n\tt.Skip(\"later\")")}
	case ".py":
		return []patch.Edit{patch.Replace(p.test, line, indent+"@__import__(\"pytest\").mark.skip\n"+line)}
	}
	return []patch.Edit{patch.Replace(p.test, line, strings.Replace(line, "test(", "test.skip(", 1))}
}

// line is the line of the red test's definition.
func (p pair) line(t *testing.T, base sample) string {
	t.Helper()
	c, err := base.read(p.test)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(c.Data)) {
		if strings.Contains(line, p.title) {
			return strings.TrimRight(line, "\n")
		}
	}
	t.Fatalf("%s has no line with %q", p.test, p.title)
	return ""
}

// narrowed keeps the runner from the tests, from outside them.
func (p pair) narrowed() []patch.Edit {
	switch p.language() {
	case ".go":
		return []patch.Edit{patch.Replace(path.Join(path.Dir(p.test), "main_redgreen_test.go"), "",
			"package "+p.goName()+"\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n")}
	case ".py":
		return []patch.Edit{patch.Replace(path.Join(path.Dir(p.test), "more", "conftest.py"), "", "collect_ignore_glob = [\"*\"]\n"),
			patch.Replace("pytest.ini", "", "[pytest]\naddopts = --deselect "+p.red[0]+"\n")}
	}
	return []patch.Edit{patch.Replace(".mocharc.json", "", "{\"spec\": \"nothing\"}\n")}
}

// goName is the package of the pair's file.
func (p pair) goName() string {
	if name := path.Base(path.Dir(p.file)); name != "." {
		return name
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(p.from, "go "), "@")
	name = regexp.MustCompile(`/v\d+$`).ReplaceAllString(name, "")
	return strings.TrimPrefix(path.Base(name), "go-")
}

func (p pair) detects() []patch.Edit {
	switch p.language() {
	case ".go":
		return []patch.Edit{patch.Replace(p.beside("zz_mode.go"), "", "package "+p.goName()+"\n\nimport \"testing\"\n\nvar careful = testing.Testing()\n")}
	case ".py":
		return []patch.Edit{patch.Replace(p.beside("zz_mode.py"), "", "import os\n\nCAREFUL = \"PYTEST_CURRENT_TEST\" in os.environ\n")}
	}
	return []patch.Edit{patch.Replace(p.beside("zz-mode.cjs"), "", "exports.careful = Boolean(process.env.NODE_TEST_CONTEXT);\n")}
}

func (p pair) ends() []patch.Edit {
	switch p.language() {
	case ".go":
		return []patch.Edit{patch.Replace(p.beside("zz_mode.go"), "", "package "+p.goName()+"\n\nimport \"os\"\n\nfunc leave() { os.Exit(0) }\n")}
	case ".py":
		return []patch.Edit{patch.Replace(p.beside("zz_mode.py"), "", "import os\n\n\ndef leave():\n    os._exit(0)\n")}
	}
	return []patch.Edit{patch.Replace(p.beside("zz-mode.cjs"), "", "exports.leave = () => process.exit(0);\n")}
}

// TestPairs proves right fixes and refuses the rest.
func TestPairs(t *testing.T) {
	b := newBench(t)
	b.reruns = 1 // that more are made is TestReruns'; here are no flaky tests
	rows := []string{"| pair | language | over | right fix proven | others refused | time |", "|---|---|---|---|---|---|"}
	total := map[State]int{}
	count := 0
	for i, p := range slices.Concat(samplePairs(), libraryPairs()) {
		few := *whichPairs == "" // of Go none: TestSamples proves one, and each takes as long as all others together
		if few && (i%6 != 0 || p.language() == ".go" || !strings.HasPrefix(p.from, "sample ")) || !few && !slices.Contains([]string{"all", "main", "base"}, *whichPairs) && !slices.Contains(strings.Split(*whichPairs, ","), p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			started := time.Now()
			base := p.prepare(t)
			command, run := b.pairBaseline(t, base, p)
			if *whichPairs == "base" {
				return
			}
			proven, refused, tried := 0, 0, map[State]int{}
			for n, w := range p.ways(t, base) {
				if few && n != 0 && n != 2+i%9 || *whichPairs == "main" && n > 2 && n < 10 && n != 3+i%7 {
					continue
				}
				if *whichWays != "" && !slices.Contains(strings.Split(*whichWays, ","), w.name) {
					continue
				}
				tried[w.state]++
				if t.Run(w.name, func(t *testing.T) { p.check(t, w, b.prove(t, base, command, run, base.resolve(t, w.edits...))) }) {
					if w.state == Proven {
						proven++
					} else {
						refused++
					}
				}
			}
			count++
			total[Proven] += proven
			total[NotProven] += refused
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | %d of %d | %d of %d | %.0f s |", p.name, p.language()[1:], p.from,
				proven, tried[Proven], refused, tried[NotProven], time.Since(started).Seconds()))
		})
	}
	t.Logf("the table:\n%s\n\n%d pairs: %d right fixes proven, %d others refused", strings.Join(rows, "\n"), count, total[Proven], total[NotProven])
}

// check holds a certificate against what it must say.
func (p pair) check(t *testing.T, w way, c Certificate) {
	t.Helper()
	text, _ := json.MarshalIndent(c, "", "  ")
	if c.State != w.state {
		t.Fatalf("state is %s, want %s\n%s", c.State, w.state, text)
	}
	checkForm(t, c)
	if w.state == Proven {
		want := p.red
		slices.Sort(want)
		if diff := cmp.Diff(want, c.RedToGreen); diff != "" {
			t.Errorf("red to green (-want +got):\n%s", diff)
		}
		if len(c.Broken)+len(c.Integrity)+len(c.Flaky)+len(c.Reasons) > 0 {
			t.Errorf("a proven patch has faults\n%s", text)
		}
		return
	}
	if !strings.Contains(strings.Join(c.Reasons, "\n"), w.reason) || len(c.Reasons) == 0 {
		t.Errorf("reasons do not say %q\n%s", w.reason, text)
	}
	flagged := slices.ContainsFunc(c.Integrity, func(f Flag) bool { return (w.rule == "any" || f.Rule == w.rule) && f.File != "" && f.Line > 0 })
	if w.rule != "" && !flagged {
		t.Errorf("no flag %q\n%s", w.rule, text)
	}
	if w.rule == "" && len(c.Integrity) > 0 {
		t.Errorf("a change that leaves the tests alone is flagged\n%s", text)
	}
}

// prepare makes the base: the library with the bug in it.
func (p pair) prepare(t *testing.T) sample {
	t.Helper()
	kind, what, _ := strings.Cut(p.from, " ")
	s := sample{Name: p.name, dir: filepath.Join(t.TempDir(), "base")}
	switch kind {
	case "sample":
		from := readSample(t, what)
		s.copy(t, os.DirFS(from.dir))
		s.write(t, solution(t, from))
	case "go":
		s.copy(t, os.DirFS(goModule(t, what)))
	case "npm":
		npmPackage(t, what, s.dir)
	case "deb":
		s.copy(t, os.DirFS(debPackage(t, what)))
	}
	for name, text := range p.with {
		s.put(t, name, text)
	}
	c, err := s.read(p.file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(c.Data), p.bad) == 1 && !strings.Contains(string(c.Data), p.good) {
		return s // the bug is the library's own
	}
	s.write(t, s.resolve(t, patch.Replace(p.file, p.good, p.bad)))
	return s
}

// copy takes over the regular files of a tree, to be written to.
func (s sample) copy(t *testing.T, from fs.FS) {
	t.Helper()
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err == nil {
			s.put(t, name, string(data))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s sample) put(t *testing.T, name, text string) {
	t.Helper()
	full := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// write applies a patch of changed files.
func (s sample) write(t *testing.T, p patch.Patch) {
	t.Helper()
	for _, f := range p.Files {
		before, err := s.read(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		after, err := patch.Apply(f, before)
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, f.Path, string(after.Data))
	}
}

// pairBaseline runs the base and wants the red tests red.
func (b bench) pairBaseline(t *testing.T, s sample, p pair) (testrun.Command, testrun.Run) {
	t.Helper()
	command := testrun.Custom(map[string][]string{".go": {"go", "test", "./..."}, ".py": {"python3", "-m", "pytest"}, ".js": {"node", "--test"}}[p.language()])
	dir, done, err := b.tree(t, s, patch.Patch{})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	run, err := b.runner.Run(t.Context(), dir, command, nil)
	if err != nil || run.Infrastructure {
		t.Fatalf("baseline of %s: %v %s\n%s", s.Name, err, run.Reason, run.Log)
	}
	failed := map[string]bool{}
	for _, r := range run.Tests {
		if red(r.Status) {
			failed[r.ID] = true
		}
	}
	for _, id := range p.red {
		if !failed[id] {
			t.Fatalf("%s is not red on the base; red are %q", id, slices.Sorted(maps.Keys(failed)))
		}
	}
	if len(failed) != len(p.red) {
		t.Fatalf("the table names %d red tests; red are %q", len(p.red), slices.Sorted(maps.Keys(failed)))
	}
	return command, run
}

// goModule downloads a module with the go command and gives its folder.
func goModule(t *testing.T, what string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", what)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if json.Unmarshal(out, &module) != nil || module.Dir == "" {
		t.Fatalf("downloading %s: %v %s", what, err, module.Error)
	}
	return module.Dir
}

// npmPackage downloads a package with npm and unpacks it, without the tests that it may have: they need other packages.
func npmPackage(t *testing.T, what, dir string) {
	t.Helper()
	temp := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "npm", "pack", "--silent", what)
	cmd.Dir = temp
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("downloading %s: %v\n%s", what, err, out)
	}
	names, _ := filepath.Glob(filepath.Join(temp, "*.tgz"))
	if len(names) != 1 {
		t.Fatalf("npm pack %s left %q", what, names)
	}
	f, err := os.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := sample{dir: dir}
	for files := tar.NewReader(zip); ; {
		h, err := files.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(path.Clean(h.Name), "package/")
		if h.Typeflag != tar.TypeReg || strings.HasPrefix(name, "test/") || !filepath.IsLocal(name) {
			continue
		}
		data, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, name, string(data))
	}
}

// debPackage downloads a package of the distribution and gives its Python modules.
func debPackage(t *testing.T, what string) string {
	t.Helper()
	temp := t.TempDir()
	run := func(name string, args ...string) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = temp
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	run("apt-get", "download", "-qq", what)
	names, _ := filepath.Glob(filepath.Join(temp, "*.deb"))
	if len(names) != 1 {
		t.Fatalf("apt-get download %s left %q", what, names)
	}
	run("dpkg-deb", "-x", names[0], "x")
	return filepath.Join(temp, "x", "usr", "lib", "python3", "dist-packages")
}

// TestPairsFit holds the table to its sources, without running anything: each text is there once. The libraries' only with
// -pairs, since they are downloaded.
func TestPairsFit(t *testing.T) {
	all := samplePairs()
	if *whichPairs != "" {
		all = append(all, libraryPairs()...)
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			base := p.prepare(t)
			for _, w := range p.ways(t, base) {
				if len(base.resolve(t, w.edits...).Files) == 0 {
					t.Errorf("%s changes nothing", w.name)
				}
			}
		})
	}
}
