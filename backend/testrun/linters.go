package testrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Linters lists the linters, formatters and type checkers that are known; a new one is a row here.
func Linters() []Linter {
	py, ecma := extensions(".py", ".pyi"), extensions(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
	golang, rust := extensions(".go"), extensions(".rs")
	return []Linter{
		{"gofmt", "go", golang, byFile("go.mod"), goProgram("gofmt", "-l"), listed("formatting", "not as gofmt writes it")},
		{"go vet", "go", golang, byFile("go.mod"), goVet, eachFinding(placed)},
		{"staticcheck", "go", golang, byFile("staticcheck.conf"), goPackages("staticcheck"), eachFinding(placedRuleBehind)},
		{"golangci-lint", "go", golang, byFile(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"),
			goPackages("golangci-lint", "run"), eachFinding(placedRuleBehind)},

		{"ruff", "pytest", py, namedOr(`(?m)^\s*\[tool\.ruff`, "ruff.toml", ".ruff.toml"), pyTool("ruff", "check", "--no-cache", "--output-format=json"), readRuff},
		{"ruff format", "pytest", py, textIn(`(?m)^\s*\[tool\.ruff\.format\]`, "pyproject.toml"), pyTool("ruff", "format", "--check", "--no-cache"), listedAs(`(?m)^Would reformat: (.+)$`, "formatting", "not as ruff writes it")},
		{"black", "pytest", py, textIn(`(?m)^\s*\[tool\.black\]`, "pyproject.toml"), pyTool("black", "--check"), listedAs(`(?m)^would reformat (.+)$`, "formatting", "not as black writes it")},
		{"isort", "pytest", py, namedOr(`(?m)^\s*\[(tool\.)?isort\]`, ".isort.cfg"), pyTool("isort", "--check-only"), listedAs(`(?m)^ERROR: (.+?) Imports are incorrectly`, "imports", "imports are not as isort sorts them")},
		{"flake8", "pytest", py, namedOr(`(?m)^\s*\[flake8\]`, ".flake8"), pyTool("flake8", "--format=default"), eachFinding(placedRuleBefore)},
		{"pylint", "pytest", py, namedOr(`(?m)^\s*\[(tool\.)?pylint`, ".pylintrc", "pylintrc"), pyTool("pylint", "--score=n", "--msg-template={path}:{line}:{column}: {msg_id} {msg} ({symbol})"), eachFinding(placedRuleBefore)},
		{"mypy", "pytest", py, namedOr(`(?m)^\s*\[(tool\.)?mypy`, "mypy.ini", ".mypy.ini"), pyTool("mypy", "--show-error-codes", "--no-error-summary", "--no-color-output", "--hide-error-context", "--no-pretty", "--cache-dir=/tmp/mypy"), eachFinding(mypyLine)},
		{"pyright", "pytest", py, namedOr(`(?m)^\s*\[tool\.pyright\]`, "pyrightconfig.json"), nodeTool("pyright", "pyright", "--outputjson"), readPyright},

		{"eslint", "node", ecma, byFile("eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts", ".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml"),
			nodeTool("eslint", "eslint", "--format", "json"), readESLint},
		{"prettier", "node", extensions(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".css", ".scss", ".json", ".md", ".yml", ".yaml", ".html", ".vue"),
			byFile(".prettierrc", ".prettierrc.json", ".prettierrc.yml", ".prettierrc.yaml", ".prettierrc.js", ".prettierrc.cjs", ".prettierrc.mjs", ".prettierrc.toml", "prettier.config.js", "prettier.config.mjs", "prettier.config.cjs"),
			nodeTool("prettier", "prettier", "--list-different"), listed("formatting", "not as prettier writes it")},
		{"biome", "node", ecma, byFile("biome.json", "biome.jsonc"), nodeTool("@biomejs/biome", "biome", "check", "--reporter=github", "--max-diagnostics=200"), readGitHub},
		{"tsc", "node", extensions(".ts", ".mts", ".cts", ".tsx"), byFile("tsconfig.json"), wholeProject(nodeTool("typescript", "tsc", "--noEmit", "--pretty", "false", "-p", "tsconfig.json")), eachFinding(tscLine)},

		{"rustfmt", "cargo", rust, byFile("rustfmt.toml", ".rustfmt.toml"), cargoTool(true, "rustfmt", "--check", "-l"), listed("formatting", "not as rustfmt writes it")},
		{"clippy", "cargo", rust, namedOr(`(?m)^\s*\[(workspace\.)?lints\.clippy\]`, "clippy.toml", ".clippy.toml"), cargoTool(false, "cargo", "clippy", "--offline", "--quiet", "--all-targets", "--message-format=json"), readClippy},

		{"rubocop", "rspec", extensions(".rb", ".rake"), byFile(".rubocop.yml"), program("rubocop", "--format", "json", "--cache", "false", "--force-exclusion"), readRuboCop},
		{"phpstan", "phpunit", extensions(".php"), byFile("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"), phpTool("vendor/bin/phpstan", "analyse", "--error-format=json", "--no-progress"), readPHPStan},
		{"shellcheck", "custom", extensions(".sh", ".bash", ".ksh"), byFile(".shellcheckrc"), program("shellcheck", "--format=json"), readShellCheck},
	}
}

// What asks for a tool.

// byFile takes the first of the names that the folder has.
func byFile(names ...string) func(f folder) string {
	return func(f folder) string { return f.first(names...) }
}

// textIn takes files in which a pattern stands.
func textIn(pattern string, names ...string) func(f folder) string {
	p := regexp.MustCompile(pattern)
	return func(f folder) string {
		i := slices.IndexFunc(names, func(n string) bool { return p.MatchString(f.read(n)) })
		if i < 0 {
			return ""
		}
		return names[i]
	}
}

// namedOr takes a file of the tool's own, or a section in a shared one.
func namedOr(pattern string, names ...string) func(f folder) string {
	shared := textIn(pattern, "pyproject.toml", "setup.cfg", "tox.ini", "Cargo.toml")
	return func(f folder) string {
		if name := f.first(names...); name != "" {
			return name
		}
		return shared(f)
	}
}

func extensions(all ...string) func(p string) bool {
	return func(p string) bool { return slices.Contains(all, strings.ToLower(path.Ext(p))) }
}

// How a tool starts.

// goProgram is a program that lies beside the go command.
func goProgram(name string, args ...string) func(j *job, files []string) error {
	return func(j *job, files []string) error {
		tool, err := j.tool("go")
		if err != nil {
			return err
		}
		j.goEnv()
		j.spec.Args = slices.Concat([]string{path.Join(path.Dir(tool), name)}, args, files)
		return nil
	}
}

// goVet checks the packages of the files, with go test's own choice of checks left aside.
func goVet(j *job, files []string) error {
	return goProgram("go", "vet")(j, packagesOf(files))
}

// goPackages is a Go linter from the PATH, which takes packages.
func goPackages(name string, args ...string) func(j *job, files []string) error {
	return func(j *job, files []string) error {
		if err := goProgram("go")(j, nil); err != nil {
			return err
		}
		j.spec.Env["GOLANGCI_LINT_CACHE"], j.spec.Env["STATICCHECK_CACHE"] = j.cache("golangci-lint"), j.cache("staticcheck")
		return program(name, args...)(j, packagesOf(files))
	}
}

// packagesOf are the folders of files, as Go names packages.
func packagesOf(files []string) []string {
	var all []string
	for _, f := range files {
		all = append(all, "./"+strings.TrimPrefix(path.Dir(f), "."))
	}
	return unique(all)
}

// program is a tool of the system, or one in a folder of its own.
func program(name string, args ...string) func(j *job, files []string) error {
	return func(j *job, files []string) error {
		for _, p := range j.host.programs(name) {
			real, err := filepath.EvalSymlinks(p)
			if err != nil {
				continue
			}
			if !visible(real) {
				j.mount(real, real) // the program alone: a folder of programs may hold the person's own files too
			}
			j.spec.Args = slices.Concat([]string{real}, args, files)
			return nil
		}
		return errNotInstalled
	}
}

// pyTool is a Python tool of the folder's virtual environment or of the system's Python.
func pyTool(module string, args ...string) func(j *job, files []string) error {
	return func(j *job, files []string) error {
		j.spec.Args = []string{"python3"}
		if err := j.interpreter(module); err != nil {
			return program(module, args...)(j, files)
		}
		j.spec.Env["PYTHONDONTWRITEBYTECODE"] = "1"
		j.spec.Args = slices.Concat(j.spec.Args, []string{"-m", module}, args, files)
		return nil
	}
}

// nodeTool is a tool of the node_modules of the folder or of one above it; its program is what its package.json says.
func nodeTool(pkg, bin string, args ...string) func(j *job, files []string) error {
	return func(j *job, files []string) error {
		for _, root := range []string{j.tree.root, j.source} {
			dirs := upwards(j.command.Dir)
			slices.Reverse(dirs)
			for _, d := range dirs {
				rel := join(d, "node_modules/"+pkg)
				script := binOf(folder{root: root}.sub(rel), bin)
				if root == "" || script == "" {
					continue
				}
				node, err := j.node()
				if err != nil {
					return err
				}
				j.showNodeModules(d)
				j.spec.Args = slices.Concat([]string{node, path.Join(workspacePath, rel, script)}, args, files)
				return nil
			}
		}
		return errNotInstalled
	}
}

// showNodeModules shows a folder's dependencies also for a tool of another language than the tests.
func (j *job) showNodeModules(dir string) {
	rel := join(dir, "node_modules")
	if source, ok := j.dependency(rel); j.source != "" && ok {
		j.mount(source, path.Join(workspacePath, rel))
	}
}

// binOf is the script of a package's program, relative to the package; "" none.
func binOf(f folder, name string) string {
	var p struct {
		Bin json.RawMessage `json:"bin"`
	}
	if json.Unmarshal([]byte(f.read("package.json")), &p) != nil {
		return ""
	}
	var one string
	var many map[string]string
	if json.Unmarshal(p.Bin, &one) != nil && json.Unmarshal(p.Bin, &many) == nil {
		one = many[name]
	}
	if one = path.Clean(strings.TrimPrefix(one, "./")); one == "." || !filepath.IsLocal(one) {
		return ""
	}
	return one
}

// wholeProject drops the files: the tool's own configuration says what it looks at.
func wholeProject(start func(*job, []string) error) func(*job, []string) error {
	return func(j *job, _ []string) error { return start(j, nil) }
}

// cargoTool is a program of the Rust toolchain.
func cargoTool(takesFiles bool, args ...string) func(j *job, files []string) error {
	return func(j *job, files []string) error {
		if _, err := j.tool("rust"); err != nil {
			return errNotInstalled
		}
		j.spec.Env["CARGO_HOME"], j.spec.Env["CARGO_TARGET_DIR"] = "/tmp/cargo", j.cache("clippy-target")
		j.spec.Args = slices.Clone(args)
		if takesFiles {
			j.spec.Args = append(j.spec.Args, files...)
		}
		return nil
	}
}

// phpTool is a tool that composer installed.
func phpTool(script string, args ...string) func(j *job, files []string) error {
	return func(j *job, files []string) error {
		_, shown := j.dependency(join(j.command.Dir, "vendor"))
		if !j.tree.sub(j.command.Dir).has(script) && (j.source == "" || !shown || !exists(j.source, j.command.Dir, script)) {
			return errNotInstalled
		}
		j.spec.Args = slices.Concat([]string{"php", script}, args, files)
		return nil
	}
}

// How its output reads.

// eachFinding reads a finding from each line that a pattern fits; its groups are named file, line, rule and text.
func eachFinding(pattern *regexp.Regexp) func(o output) ([]Finding, error) {
	return func(o output) ([]Finding, error) {
		var all []Finding
		group := func(m []string, name string) string {
			if i := pattern.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		for line := range strings.Lines(clean(joinLogs(o.stdout, o.stderr))) {
			if m := pattern.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
				all = append(all, Finding{File: strings.TrimPrefix(group(m, "file"), "./"), Line: atoi(group(m, "line")), Rule: group(m, "rule"), Text: group(m, "text")})
			}
		}
		return all, nil
	}
}

// The forms of a finding on one line.
var (
	placed           = regexp.MustCompile(`^(?:vet: )?(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: (?P<text>.+)$`)
	placedRuleBehind = regexp.MustCompile(`^(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: (?P<text>.+?) \((?P<rule>[\w-]+)\)$`)
	placedRuleBefore = regexp.MustCompile(`^(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?P<rule>[A-Z]+\d+) (?P<text>.+)$`)
	mypyLine         = regexp.MustCompile(`^(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?: error: (?P<text>.+?)(?:  \[(?P<rule>[\w-]+)\])?$`)
	tscLine          = regexp.MustCompile(`^(?P<file>[^(\n]+)\((?P<line>\d+),\d+\): error (?P<rule>TS\d+): (?P<text>.+)$`)
)

// listed reads a list of files, one a line.
func listed(rule, text string) func(o output) ([]Finding, error) {
	return listedFrom(regexp.MustCompile(`(?m)^(\S.*)$`), func(o output) []byte { return o.stdout }, rule, text)
}

// listedAs reads the files that a pattern's group names.
func listedAs(pattern, rule, text string) func(o output) ([]Finding, error) {
	return listedFrom(regexp.MustCompile(pattern), func(o output) []byte { return joinLogs(o.stdout, o.stderr) }, rule, text)
}

func listedFrom(pattern *regexp.Regexp, from func(o output) []byte, rule, text string) func(o output) ([]Finding, error) {
	return func(o output) ([]Finding, error) {
		var all []Finding
		for _, m := range pattern.FindAllStringSubmatch(clean(from(o)), -1) {
			if p := o.relative(m[1]); o.tree.root == "" || o.tree.has(p) {
				all = append(all, Finding{File: p, Rule: rule, Text: text})
			}
		}
		return all, nil
	}
}

// relative puts a path that a tool prints, absolute or not, in terms of the command's folder.
func (o output) relative(p string) string {
	p = strings.TrimSpace(p)
	if abs := strings.TrimPrefix(p, workspacePath+"/"); abs != p || o.dir != "" && strings.HasPrefix(p, o.dir+"/") && !o.tree.has(p) {
		if rel, ok := within(o.dir, abs); ok {
			return rel
		}
	}
	return strings.TrimPrefix(p, "./")
}

// errNoReport is why a tool that ran said nothing that can be read.
func errNoReport(o output) error {
	return errors.New("it wrote no report" + withError(clean(joinLogs(o.stderr, o.stdout))))
}

func readRuff(o output) ([]Finding, error) {
	var report []struct {
		Code     *string `json:"code"`
		Filename string  `json:"filename"`
		Message  string  `json:"message"`
		Location struct {
			Row int `json:"row"`
		} `json:"location"`
	}
	if json.Unmarshal(o.stdout, &report) != nil {
		return nil, errNoReport(o)
	}
	var all []Finding
	for _, f := range report {
		rule := "syntax"
		if f.Code != nil {
			rule = *f.Code
		}
		all = append(all, Finding{File: o.relative(f.Filename), Line: f.Location.Row, Rule: rule, Text: f.Message})
	}
	return all, nil
}

func readPyright(o output) ([]Finding, error) {
	var report struct {
		Diagnostics []struct {
			File     string `json:"file"`
			Severity string `json:"severity"`
			Message  string `json:"message"`
			Rule     string `json:"rule"`
			Range    struct {
				Start struct {
					Line int `json:"line"` // from 0
				} `json:"start"`
			} `json:"range"`
		} `json:"generalDiagnostics"`
	}
	if json.Unmarshal(o.stdout, &report) != nil {
		return nil, errNoReport(o)
	}
	var all []Finding
	for _, d := range report.Diagnostics {
		if d.Severity == "error" || d.Severity == "warning" {
			all = append(all, Finding{File: o.relative(d.File), Line: d.Range.Start.Line + 1, Rule: d.Rule, Text: d.Message})
		}
	}
	return all, nil
}

func readESLint(o output) ([]Finding, error) {
	var report []struct {
		FilePath string `json:"filePath"`
		Messages []struct {
			RuleID  *string `json:"ruleId"`
			Message string  `json:"message"`
			Line    int     `json:"line"`
		} `json:"messages"`
	}
	if json.Unmarshal(o.stdout, &report) != nil {
		return nil, errNoReport(o)
	}
	var all []Finding
	for _, f := range report {
		for _, m := range f.Messages {
			rule := ""
			if m.RuleID != nil {
				rule = *m.RuleID
			}
			all = append(all, Finding{File: o.relative(f.FilePath), Line: m.Line, Rule: rule, Text: m.Message})
		}
	}
	return all, nil
}

// gitHubLine is an annotation of a GitHub workflow: ::error title=RULE,file=F,line=N,…::text.
var gitHubLine = regexp.MustCompile(`(?m)^::(?:error|warning) (.*?)::(.*)$`)

func readGitHub(o output) ([]Finding, error) {
	var all []Finding
	for _, m := range gitHubLine.FindAllStringSubmatch(clean(o.stdout), -1) {
		f := Finding{Text: strings.NewReplacer("%25", "%", "%0A", " ", "%0D", "").Replace(m[2])}
		for _, part := range strings.Split(m[1], ",") {
			switch key, value, _ := strings.Cut(part, "="); key {
			case "title":
				f.Rule = value
			case "file":
				f.File = o.relative(value)
			case "line":
				f.Line = atoi(value)
			}
		}
		all = append(all, f)
	}
	return all, nil
}

func readClippy(o output) ([]Finding, error) {
	var all []Finding
	eachLine(o.stdout, func(line []byte) {
		var e struct {
			Reason  string `json:"reason"`
			Message struct {
				Message string `json:"message"`
				Level   string `json:"level"`
				Code    *struct {
					Code string `json:"code"`
				} `json:"code"`
				Spans []struct {
					File    string `json:"file_name"`
					Line    int    `json:"line_start"`
					Primary bool   `json:"is_primary"`
				} `json:"spans"`
			} `json:"message"`
		}
		if json.Unmarshal(line, &e) != nil || e.Reason != "compiler-message" || e.Message.Level != "error" && e.Message.Level != "warning" {
			return
		}
		for _, s := range e.Message.Spans {
			if s.Primary {
				f := Finding{File: o.relative(s.File), Line: s.Line, Text: e.Message.Message}
				if e.Message.Code != nil {
					f.Rule = e.Message.Code.Code
				}
				all = append(all, f)
				break
			}
		}
	})
	return all, nil
}

func readRuboCop(o output) ([]Finding, error) {
	var report struct {
		Files []struct {
			Path     string `json:"path"`
			Offenses []struct {
				Cop      string `json:"cop_name"`
				Message  string `json:"message"`
				Location struct {
					Line int `json:"start_line"`
				} `json:"location"`
			} `json:"offenses"`
		} `json:"files"`
	}
	if json.Unmarshal(o.stdout, &report) != nil {
		return nil, errNoReport(o)
	}
	var all []Finding
	for _, f := range report.Files {
		for _, m := range f.Offenses {
			all = append(all, Finding{File: o.relative(f.Path), Line: m.Location.Line, Rule: m.Cop, Text: strings.TrimPrefix(m.Message, m.Cop+": ")})
		}
	}
	return all, nil
}

func readPHPStan(o output) ([]Finding, error) {
	var report struct {
		Files map[string]struct {
			Messages []struct {
				Message    string `json:"message"`
				Line       int    `json:"line"`
				Identifier string `json:"identifier"`
			} `json:"messages"`
		} `json:"files"`
	}
	if json.Unmarshal(o.stdout, &report) != nil && !strings.Contains(string(o.stdout), `"files":[]`) {
		return nil, errNoReport(o)
	}
	var all []Finding
	for name, f := range report.Files {
		for _, m := range f.Messages {
			all = append(all, Finding{File: o.relative(name), Line: m.Line, Rule: m.Identifier, Text: m.Message})
		}
	}
	return all, nil
}

func readShellCheck(o output) ([]Finding, error) {
	var report []struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(o.stdout, &report) != nil {
		return nil, errNoReport(o)
	}
	var all []Finding
	for _, f := range report {
		all = append(all, Finding{File: o.relative(f.File), Line: f.Line, Rule: fmt.Sprintf("SC%d", f.Code), Text: f.Message})
	}
	return all, nil
}
