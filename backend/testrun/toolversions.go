package testrun

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"redgreen/backend/sandbox"
)

// What a run used is asked of the programs themselves, inside the sandbox, once for each way of starting them in a session. What
// lies in the tree, where the code under test could answer for it, is asked anew by each Runner of a proof.

// asked is what programs answered about their versions, by what could make them answer otherwise.
type asked struct {
	sync.Mutex
	tools map[string][]Tool
}

// question asks one program for its version: its name for people, the program, and up to three fixed arguments.
type question struct {
	name    string
	program string
	args    []string
	library bool // it has no path of its own
}

// askVersions asks each in turn and prints "name, tab, path, tab, answer" a line. The answer is the program's own text, so
// it is cut to eight lines (Gradle's version stands in its third, behind warnings of the JVM) and read as hostile.
const askVersions = `while [ $# -gt 0 ]; do
p=$(command -v "$2" 2>/dev/null) || p=
a=$(timeout 20 "$2" ${3:+"$3"} ${4:+"$4"} ${5:+"$5"} 2>&1 </dev/null | head -c 800 | head -n 8 | tr '\n\t' '  ')
printf '%s\t%s\t%s\n' "$1" "$p" "$a"
shift 5
done`

// questions are what a runner of a kind is made of. args are the job's as they are run.
func (j *job) questions() []question {
	python := func(package_ string) []question {
		at := slices.IndexFunc(j.spec.Args, func(a string) bool { return strings.HasPrefix(path.Base(a), "python") })
		if at < 0 {
			return nil
		}
		q := []question{{name: "python", program: j.spec.Args[at], args: []string{"-V"}}}
		if package_ != "" { // -I: nothing of the tree is imported
			q = append(q, question{name: package_, program: j.spec.Args[at], library: true,
				args: []string{"-I", "-c", "from importlib.metadata import version; print(version('" + package_ + "'))"}})
		}
		return q
	}
	node := func(package_ string) []question {
		at := slices.IndexFunc(j.spec.Args, func(a string) bool { return path.Base(a) == "node" })
		if at < 0 {
			return nil
		}
		q := []question{{name: "node", program: j.spec.Args[at], args: []string{"--version"}}}
		if package_ != "" {
			q = append(q, question{name: package_, program: j.spec.Args[at], library: true, args: []string{"-p",
				"JSON.parse(require('fs').readFileSync('" + path.Join(workspacePath, j.command.Dir, "node_modules", package_, "package.json") + "','utf8')).version"}})
		}
		return q
	}
	plain := func(names ...string) []question {
		var q []question
		for _, n := range names {
			flag := "--version"
			if n == "java" {
				flag = "-version"
			}
			q = append(q, question{name: n, program: n, args: []string{flag}})
		}
		return q
	}
	switch name := kindOf(j.command.Runner).Name; name {
	case "pytest":
		return python("pytest")
	case "unittest":
		return python("")
	case "go":
		return []question{{name: "go", program: j.goProgram(), args: []string{"version"}}}
	case "node":
		return node("")
	case "vitest", "jest", "mocha":
		return node(name)
	case "cargo":
		return plain("cargo", "rustc")
	case "maven":
		return plain("java", "mvn")
	case "gradle":
		return plain("java", "gradle")
	case "rspec":
		return plain("ruby", "rspec")
	case "phpunit":
		return append(plain("php"), question{name: "phpunit", program: path.Join(workspacePath, j.command.Dir, "vendor/bin/phpunit"), args: []string{"--version"}, library: true})
	}
	q := append(python(""), node("")...)
	if len(q) == 0 && !strings.HasPrefix(j.spec.Args[0], "/") {
		q = plain(j.command.Args[0])
	}
	return q
}

// goProgram is the go command that runs, by its path or, in an image, its name.
func (j *job) goProgram() string {
	if p := goTool(j); p != "" {
		return p
	}
	return "go"
}

// toolchain gives what a run used; asked once, then remembered. A program that does not answer has no version.
func (r *Runner) toolchain(ctx context.Context, j *job) []Tool {
	questions := j.questions()
	if len(questions) == 0 {
		return []Tool{}
	}
	var args []string
	for _, q := range questions {
		args = append(append(args, q.name, q.program), append(slices.Clone(q.args), "", "", "")[:3]...)
	}
	key := strings.Join(append(append(slices.Clone(args), j.spec.Image), j.spec.Path...), "\x00")
	for _, m := range j.spec.ReadOnly {
		if !strings.HasPrefix(m.Target, "/redgreen") { // our own, of this one run
			key += "\x00" + m.Source + "\x00" + m.Target
		}
	}
	if treeAnswers(questions, j.spec.Path) {
		key += "\x00" + r.options.Cache
	}
	a := cmp.Or(r.asked, &asked{})
	a.Lock()
	defer a.Unlock()
	if known, ok := a.tools[key]; ok {
		return slices.Clone(known)
	}
	spec := j.spec
	spec.Args = append([]string{"/bin/sh", "-c", askVersions, "sh"}, args...)
	spec.Dir, spec.Out, spec.Cache = "", "", ""
	spec.Limits = sandbox.Limits{Wall: time.Minute}
	res, err := r.run(ctx, spec)
	if err != nil || res.Reason != "" {
		return []Tool{}
	}
	tools := readVersions(questions, string(res.Stdout))
	if a.tools == nil {
		a.tools = map[string][]Tool{}
	}
	a.tools[key] = tools
	return slices.Clone(tools)
}

// treeAnswers tells whether the tree could answer one of the questions: by a program or a file of its own, or by one that is found
// on a path through it.
func treeAnswers(questions []question, path []string) bool {
	within := func(s string) bool { return strings.Contains(s, workspacePath) }
	return slices.ContainsFunc(path, within) || slices.ContainsFunc(questions, func(q question) bool {
		return within(q.program) || slices.ContainsFunc(q.args, within)
	})
}

// anyVersion is the first number of an answer that looks like a version, with what follows it up to a blank.
var anyVersion = regexp.MustCompile(`\d+\.\d+[\w.+-]*|\d+`)

// versionIn is the version that an answer gives: what stands right behind the program's own name, else the first that there
// is. A program in Java may speak of its JVM first.
func versionIn(program, answer string) string {
	named := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(program) + `(?: version)? v?(\d+\.\d+[\w.+-]*)`)
	if m := named.FindStringSubmatch(answer); m != nil {
		return m[1]
	}
	return anyVersion.FindString(answer)
}

// readVersions reads what askVersions printed; lines that answer no question are left out.
func readVersions(questions []question, text string) []Tool {
	tools := []Tool{}
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		i := slices.IndexFunc(questions, func(q question) bool { return q.name == parts[0] })
		if len(parts) < 3 || i < 0 || slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == parts[0] }) {
			continue
		}
		t := Tool{Name: parts[0], Version: shorten(versionIn(parts[0], cleanLine(parts[2])), 60), Path: cleanLine(parts[1])}
		if questions[i].library {
			t.Path = ""
		}
		if !filepath.IsAbs(t.Path) {
			t.Path = ""
		}
		if t.Version != "" || t.Path != "" {
			tools = append(tools, t)
		}
	}
	return tools
}
