package testrun

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// Coverage is which lines of some files a run of tests executed.
type Coverage struct {
	// Files has, for each file that was measured, its lines that can run: true when the run executed the line. A file in
	// which nothing can run has an empty map.
	Files map[string]map[int]bool
	// Problem is why nothing was measured, a clause that ends no sentence; "" when it was.
	Problem string
}

// cover is how a runner measures: begin changes a job that start has prepared, and read makes of what it left which lines
// of the files (relative to the root) were executed.
type cover struct {
	begin func(j *job, files []string)
	read  func(c measured) (map[string]map[int]bool, error)
	takes func(p string) bool
	lacks func(j *job) string // what keeps it from measuring here, "" nothing; nil never
}

// measured is what a measured run left.
type measured struct {
	out   fs.FS               // the folder seen as /out
	paths func([]byte) []byte // as in sandbox.Result
	name  string
	tree  folder
	o     output
	files []string
}

// covers gives a runner's way to measure, nil none.
func covers(runner string) *cover {
	py := extensions(".py")
	switch runner {
	case "go":
		return &cover{begin: coverGo, read: readGoCover, takes: func(p string) bool { return path.Ext(p) == ".go" }}
	case "pytest", "unittest":
		return &cover{begin: coverPython, read: func(c measured) (map[string]map[int]bool, error) { return readTraced(c, "Python") }, takes: py}
	case "rspec", "minitest":
		return &cover{begin: coverRuby, read: func(c measured) (map[string]map[int]bool, error) { return readTraced(c, "Ruby") }, takes: extensions(".rb")}
	case "node", "mocha":
		return &cover{begin: coverNode, read: readNodeCover, takes: extensions(".js", ".mjs", ".cjs")}
	case "vitest":
		return &cover{begin: coverVitest, read: readIstanbul, takes: extensions(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx", ".vue", ".svelte"),
			lacks: func(j *job) string {
				if vitestProvider(j) == "" {
					return "vitest measures it only with @vitest/coverage-v8 or @vitest/coverage-istanbul in package.json"
				}
				return ""
			}}
	case "jest":
		return &cover{begin: coverJest, read: readIstanbul, takes: extensions(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx")}
	}
	return nil
}

// Measures reports whether coverage of a file can be measured with a command.
func Measures(c Command, file string) bool {
	if len(c.Parts) > 0 {
		return slices.ContainsFunc(c.Parts, func(part Command) bool {
			_, ok := within(part.Dir, file)
			return ok && Measures(part, file)
		})
	}
	k := covers(c.Runner)
	return k != nil && k.takes(file)
}

// Traces reports whether Trace measures a file with a command.
func Traces(c Command, file string) bool {
	if len(c.Parts) > 0 {
		return slices.ContainsFunc(c.Parts, func(part Command) bool {
			_, ok := within(part.Dir, file)
			return ok && Traces(part, file)
		})
	}
	d := drives(c.Runner, []string{file})
	return d != nil && d.trace || Measures(c, file)
}

// Cover runs tests as Run does and measures which lines of files they execute. It is a run of its own, so that measuring
// never decides a test's result; results of tests are not looked at. The error means that ctx ended, or is Run's.
func (r *Runner) Cover(ctx context.Context, dir string, c Command, paths, files []string) (Coverage, error) {
	if len(c.Parts) > 0 {
		return r.coverParts(ctx, dir, c, paths, files)
	}
	kind, k := kindOf(c.Runner), covers(c.Runner)
	if k == nil {
		return Coverage{Problem: "coverage of " + kind.Name + " is not read"}, nil
	}
	if err := Validate(dir, c, paths); err != nil {
		return Coverage{}, err
	}
	files = slices.DeleteFunc(slices.Clone(files), func(p string) bool { return !k.takes(p) })
	j, err := r.newJob(dir, c, paths)
	if err != nil {
		return Coverage{}, err
	}
	defer j.close()
	if k.lacks != nil {
		if problem := k.lacks(j); problem != "" {
			return Coverage{Problem: problem}, nil
		}
	}
	if err := kind.begin(j); err != nil {
		return Coverage{Problem: err.Error()}, nil
	}
	k.begin(j, files)
	res, err := r.start(ctx, j)
	switch {
	case ctx.Err() != nil:
		return Coverage{}, fmt.Errorf("measuring coverage: %w", ctx.Err())
	case err != nil:
		return Coverage{Problem: firstLine(err.Error())}, nil
	case res.Reason != "":
		return Coverage{Problem: "the run was stopped: " + string(res.Reason)}, nil
	}
	root, err := os.OpenRoot(j.out)
	if err != nil {
		return Coverage{Problem: "its folder could not be read"}, nil
	}
	defer root.Close()
	lines, err := k.read(measured{out: root.FS(), paths: res.Paths, name: j.name, tree: j.tree, o: j.output(res), files: files})
	if err != nil {
		return Coverage{Problem: err.Error()}, nil
	}
	return Coverage{Files: lines}, nil
}

// read gives a file that the run left, nil when it is none or a link.
func (c measured) read(name string) []byte {
	info, err := fs.Lstat(c.out, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxReport {
		return nil
	}
	data, _ := fs.ReadFile(c.out, name)
	if c.paths != nil {
		data = c.paths(data)
	}
	return data
}

// coverGo asks go test for a profile of the files' packages. vet has nothing to say to that, and would look at every package
// that measuring brings along.
func coverGo(j *job, files []string) {
	var packages []string
	for _, f := range files {
		if p, ok := within(j.command.Dir, f); ok {
			packages = append(packages, packagesOf([]string{p})...)
		}
	}
	at := slices.Index(j.spec.Args, "-count=1") + 1
	j.spec.Args = slices.Insert(j.spec.Args, at, "-vet=off", "-coverprofile="+path.Join(outPath, j.name+".cover"), "-coverpkg="+strings.Join(unique(packages), ","))
}

// goBlock is a line of a profile: file, first line and column, last line and column, statements, count (see go doc cmd/cover).
var goBlock = regexp.MustCompile(`(?m)^(\S+?):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$`)

// readGoCover takes every line of a block as one that can run. A line of two blocks counts as executed when one is.
func readGoCover(c measured) (map[string]map[int]bool, error) {
	data := c.read(c.name + ".cover")
	if data == nil {
		return nil, fmt.Errorf("go test wrote no coverage profile%s", withError(clean(c.o.stderr)))
	}
	g := goReader{o: c.o}
	all := c.empty()
	for _, f := range c.files {
		if !strings.Contains(string(data), "/"+path.Base(f)+":") {
			bodies(c.tree.read(f), all[f]) // no test is linked with its package
		}
	}
	g.profile(data, all)
	return all, nil
}

// profile marks the lines of a profile's blocks in the files that all has.
func (g *goReader) profile(data []byte, all map[string]map[int]bool) {
	for _, m := range goBlock.FindAllStringSubmatch(string(data), -1) {
		name := join(g.pkg(path.Dir(m[1])), path.Base(m[1]))
		if name = path.Clean(name); all[name] == nil {
			continue
		}
		for line := atoi(m[2]); line <= atoi(m[3]); line++ {
			all[name][line] = all[name][line] || m[4] != "0"
		}
	}
}

// bodies marks the lines inside the functions of a Go file as not executed.
func bodies(source string, lines map[int]bool) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", source, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			for line := set.Position(f.Body.Lbrace).Line; line <= set.Position(f.Body.Rbrace).Line; line++ {
				lines[line] = false
			}
		}
	}
}

// empty has an entry for each file.
func (c measured) empty() map[string]map[int]bool {
	all := map[string]map[int]bool{}
	for _, f := range c.files {
		all[f] = map[int]bool{}
	}
	return all
}

// coverTraced tells our tracer the report's path and the files.
func coverTraced(j *job, files []string) {
	names := []string{path.Join(outPath, j.name+".cover")}
	for _, f := range files {
		names = append(names, path.Join(workspacePath, f))
	}
	j.spec.Env["REDGREEN_COVER"] = strings.Join(names, "\n")
}

// coverRuby has Ruby load our measurement before the tests.
func coverRuby(j *job, files []string) {
	coverTraced(j, files)
	j.spec.Env["RUBYOPT"] = strings.TrimSpace("-r" + path.Join(reportersPath, "coverage", "redgreen_coverage.rb") + " " + j.spec.Env["RUBYOPT"])
}

// coverPython has Python load our tracer when it starts.
func coverPython(j *job, files []string) {
	coverTraced(j, files)
	j.spec.Env["PYTHONPATH"] = strings.TrimSuffix(path.Join(reportersPath, "coverage")+":"+j.spec.Env["PYTHONPATH"], ":")
}

// readTraced reads the lines of a tracer.
func readTraced(c measured, language string) (map[string]map[int]bool, error) {
	all := c.empty()
	found, replaced := false, false
	eachLine(c.read(c.name+".cover"), func(line []byte) {
		kind, rest, _ := strings.Cut(string(line), " ")
		number, name, _ := strings.Cut(rest, " ")
		if name = inTree(name); kind == "T" {
			replaced = true
		} else if lines := all[name]; lines != nil {
			found = true
			lines[atoi(number)] = lines[atoi(number)] || kind == "X"
		}
	})
	switch {
	case replaced:
		return nil, fmt.Errorf("the tests set a trace function of their own")
	case !found:
		return nil, fmt.Errorf("%s left no record", language)
	}
	return all, nil
}

// coverNode has Node write V8's own counts, of every process.
func coverNode(j *job, _ []string) {
	j.spec.Env["NODE_V8_COVERAGE"] = path.Join(outPath, "v8")
}

// v8Report is what Node writes (https://nodejs.org/api/cli.html#node_v8_coveragedir): of each script its functions and
// blocks as ranges of UTF-16 offsets, an inner one overruling the one around it.
type v8Report struct {
	Result []v8Script `json:"result"`
}

type v8Script struct {
	URL       string `json:"url"`
	Functions []struct {
		Ranges []struct {
			Start int `json:"startOffset"`
			End   int `json:"endOffset"`
			Count int `json:"count"`
		} `json:"ranges"`
	} `json:"functions"`
}

// runs reports whether Node ran a file's own text, by its length: the ranges of what a compiler made of it mean other lines.
func (s v8Script) runs(text string) bool {
	end := 0
	for _, f := range s.Functions {
		for _, r := range f.Ranges {
			end = max(end, r.End)
		}
	}
	return end == 0 || end == len(utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF"))))
}

// readNodeCover takes a line as executed when some process executed its first character that is no blank.
func readNodeCover(c measured) (map[string]map[int]bool, error) {
	reports, _ := fs.Glob(c.out, "v8/*.json")
	if len(reports) == 0 {
		return nil, fmt.Errorf("Node wrote no coverage report")
	}
	all := c.empty()
	for _, f := range c.files {
		for _, line := range scriptLines(c.tree.read(f)) {
			all[f][line.number] = false
		}
	}
	for _, name := range reports {
		var report v8Report
		if json.Unmarshal(c.read(name), &report) != nil {
			continue
		}
		for _, script := range report.Result {
			name := inTree(strings.TrimPrefix(script.URL, "file://"))
			if all[name] == nil {
				continue
			}
			text := c.tree.read(name)
			if !script.runs(text) {
				return nil, fmt.Errorf("%s was changed by a compiler before Node ran it", name)
			}
			for _, line := range scriptLines(text) {
				size, count := 1<<31, 0
				for _, f := range script.Functions {
					for _, r := range f.Ranges {
						if r.Start <= line.offset && line.offset < r.End && r.End-r.Start < size {
							size, count = r.End-r.Start, r.Count
						}
					}
				}
				all[name][line.number] = all[name][line.number] || count > 0
			}
		}
	}
	return all, nil
}

// scriptLine is a line of a script on which something can run, with the UTF-16 offset of its first character.
type scriptLine struct{ number, offset int }

// scriptLines leaves out blank lines, comments and closing brackets.
func scriptLines(text string) []scriptLine {
	var all []scriptLine
	offset, number, comment := 0, 0, false
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		opens := strings.HasPrefix(trimmed, "/*")
		if !comment && !opens && trimmed != "" && !strings.HasPrefix(trimmed, "//") && strings.Trim(trimmed, "{}()[];,") != "" {
			indent := strings.Index(line, trimmed)
			all = append(all, scriptLine{number, offset + len(utf16.Encode([]rune(line[:indent])))})
		}
		if comment || opens {
			comment = !strings.Contains(trimmed, "*/")
		}
		offset += len(utf16.Encode([]rune(line)))
	}
	return all
}

// coverJest asks jest for Istanbul's report of the files.
func coverJest(j *job, files []string) {
	j.spec.Args = append(j.spec.Args, "--coverage", "--coverageReporters=json", "--coverageDirectory="+path.Join(outPath, "istanbul"), "--coverageThreshold={}")
	for _, f := range files {
		if p, ok := within(j.command.Dir, f); ok {
			j.spec.Args = append(j.spec.Args, "--collectCoverageFrom="+p)
		}
	}
}

// vitestProvider is what the folder has to measure with: v8, istanbul, or "" nothing.
func vitestProvider(j *job) string {
	p, _ := npm(j.tree.sub(j.command.Dir))
	for _, name := range []string{"v8", "istanbul"} {
		if p.DevDependencies["@vitest/coverage-"+name] != "" || p.Dependencies["@vitest/coverage-"+name] != "" {
			return name
		}
	}
	return ""
}

// coverVitest asks the folder's own provider for Istanbul's report of the files.
func coverVitest(j *job, files []string) {
	j.spec.Args = append(j.spec.Args, "--coverage.enabled", "--coverage.provider="+vitestProvider(j), "--coverage.reporter=json",
		"--coverage.reportsDirectory="+path.Join(outPath, "istanbul"), "--coverage.reportOnFailure")
	for _, f := range files {
		if p, ok := within(j.command.Dir, f); ok {
			j.spec.Args = append(j.spec.Args, "--coverage.include="+p)
		}
	}
}

// readIstanbul reads coverage-final.json: statements by number, and how often each ran.
func readIstanbul(c measured) (map[string]map[int]bool, error) {
	var report map[string]struct {
		Path       string `json:"path"`
		Statements map[string]struct {
			Start struct {
				Line int `json:"line"`
			} `json:"start"`
			End struct {
				Line int `json:"line"`
			} `json:"end"`
		} `json:"statementMap"`
		Counts map[string]int `json:"s"`
	}
	if json.Unmarshal(c.read("istanbul/coverage-final.json"), &report) != nil {
		return nil, fmt.Errorf("the runner wrote no coverage report")
	}
	all := c.empty()
	for _, f := range report {
		lines := all[inTree(f.Path)]
		if lines == nil {
			continue
		}
		for n, s := range f.Statements {
			lines[s.Start.Line] = lines[s.Start.Line] || f.Counts[n] > 0
		}
	}
	return all, nil
}
