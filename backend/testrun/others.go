package testrun

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The other JavaScript runners are started from node_modules, where the folder has them, with their own report.

func vitestKind() Kind {
	return ecmaKind("vitest", "node_modules/vitest/vitest.mjs", func(j *job, args []string) []string {
		return slices.Concat([]string{"run", "--reporter=default", "--reporter=junit", "--outputFile.junit=/out/junit.xml"}, args)
	}, func(o output) reading { return readXML(o, "vitest") })
}

func jestKind() Kind {
	return ecmaKind("jest", "node_modules/jest/bin/jest.js", func(j *job, args []string) []string {
		return slices.Concat([]string{"--ci", "--json", "--outputFile=" + j.report(), "--cacheDirectory=" + j.cache("jest")}, args)
	}, readJest)
}

func mochaKind() Kind {
	return ecmaKind("mocha", "node_modules/mocha/bin/mocha.js", func(j *job, args []string) []string {
		return slices.Concat([]string{"--reporter", "xunit", "--reporter-option", "output=/out/junit.xml"}, args)
	}, func(o output) reading { return readXML(o, "mocha") })
}

// ecmaKind is a runner whose program lies in node_modules.
func ecmaKind(name, program string, arguments func(j *job, args []string) []string, read func(output) reading) Kind {
	return Kind{
		Name: name, Language: "javascript",
		find: func(f folder) (Command, bool) {
			p, ok := npm(f)
			if !ok || !uses(p, name) {
				return Command{}, false
			}
			return Command{Runner: name, Dir: f.dir, Args: []string{"npx", name}, Source: "package.json"}, true
		},
		matches: func(args []string) bool {
			return path.Base(args[0]) == name || path.Base(args[0]) == "npx" && len(args) > 1 && args[1] == name
		},
		start: func(j *job) error {
			tool, err := j.node()
			if err != nil {
				return err
			}
			args := j.spec.Args[1:]
			if len(args) > 0 && args[0] == name {
				args = args[1:]
			}
			if len(args) > 0 && args[0] == "run" {
				args = args[1:]
			}
			if len(j.selected) > 0 {
				args = append(withoutPaths(j.tree.sub(j.command.Dir), args), j.nodeFiles()...)
			}
			j.spec.Args = slices.Concat([]string{tool, program}, arguments(j, args))
			j.spec.Env["NO_COLOR"] = "1"
			return nil
		},
		read: func(o output) reading {
			r := read(o)
			if strings.Contains(string(o.stderr), "Cannot find module") && strings.Contains(string(o.stderr), program) {
				r.trouble = name + " is not installed: run npm install in the folder"
			}
			return r
		},
		check: checkNode,
		keep:  func(string, string) bool { return true },
	}
}

// uses reports whether a package names a runner in its test script or, without one, among its dependencies.
func uses(p packageJSON, name string) bool {
	if script := p.Scripts["test"]; script != "" {
		return regexp.MustCompile(`(^|[\s/])` + name + `(\s|$)`).MatchString(script)
	}
	return p.DevDependencies[name] != "" || p.Dependencies[name] != ""
}

// jestReport is what is used of jest --json.
type jestReport struct {
	TestResults []struct {
		Name             string `json:"name"`
		Message          string `json:"message"`
		Status           string `json:"status"`
		AssertionResults []struct {
			AncestorTitles  []string `json:"ancestorTitles"`
			Title           string   `json:"title"`
			Status          string   `json:"status"`
			Duration        float64  `json:"duration"`
			FailureMessages []string `json:"failureMessages"`
		} `json:"assertionResults"`
	} `json:"testResults"`
}

// readJest reads jest --json.
func readJest(o output) reading {
	var report jestReport
	if json.Unmarshal(o.report, &report) != nil {
		r := reading{perTest: true}
		if !o.stopped && o.exit != 127 && o.exit != 126 {
			r.trouble = "jest wrote no report" + withError(clean(joinLogs(o.stdout, o.stderr)))
		}
		return r
	}
	r := reading{perTest: true, finished: true}
	statuses := map[string]Status{"passed": Passed, "failed": Failed, "pending": Skipped, "skipped": Skipped, "todo": Skipped, "disabled": Skipped}
	for _, file := range report.TestResults {
		name := inTree(file.Name)
		for _, a := range file.AssertionResults {
			t := Test{ID: strings.Join(append(append([]string{name}, a.AncestorTitles...), a.Title), nodeSeparator),
				Status: statuses[a.Status], Millis: int64(a.Duration)}
			if t.Status == Failed {
				t.Message, t.File, t.Line = nodeMessage(clean([]byte(strings.Join(a.FailureMessages, "\n"))))
			}
			if t.Status != "" {
				r.tests = append(r.tests, t)
			}
		}
		if len(file.AssertionResults) == 0 && file.Status == "failed" {
			r.tests = append(r.tests, Test{ID: name, Status: Errored, Message: file.Message, File: name})
		}
	}
	return r
}

// The runners below are read by what they offer offline and without plug-ins.

func cargoKind() Kind {
	return Kind{
		Name: "cargo", Language: "rust",
		find:    marked("cargo", []string{"cargo", "test"}, "Cargo.toml"),
		matches: func(args []string) bool { return path.Base(args[0]) == "cargo" && len(args) > 1 && args[1] == "test" },
		start: func(j *job) error {
			j.showCaches("rust")
			if _, err := j.tool("rust"); err != nil {
				return err
			}
			// No target folder is kept between runs: cargo tells what is fresh by file times, and the trees of a proof, with
			// and without the patch, would be taken for each other.
			j.spec.Env["CARGO_NET_OFFLINE"], j.spec.Env["CARGO_TERM_COLOR"] = "true", "never"
			j.spec.Args = slices.Concat([]string{j.spec.Args[0], "test", "--no-fail-fast"}, j.spec.Args[2:])
			return nil
		},
		read: readCargo,
	}
}

var (
	cargoTest   = regexp.MustCompile(`^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)`)
	cargoTarget = regexp.MustCompile(`^\s*(?:Running (?:unittests )?(\S+)|Doc-tests (\S+))`)
	cargoOutput = regexp.MustCompile(`^---- (.+) stdout ----$`)
	cargoPlace  = regexp.MustCompile(`panicked at ([^\s:]+\.rs):(\d+)`)
	cargoBuild  = regexp.MustCompile(`(?m)^error(\[E\d+\])?: .*(\n\s*--> ([^\s:]+):(\d+))?`)
)

// readCargo reads libtest's own lines. Targets are named on stderr and tests on stdout, so ids are the tests' paths; the
// second of the same path gets "#2".
func readCargo(o output) reading {
	r := reading{perTest: true}
	seen := map[string]int{}
	messages := map[string]string{}
	current := ""
	for line := range strings.Lines(clean(o.stdout)) {
		line = strings.TrimRight(line, "\n")
		if m := cargoTest.FindStringSubmatch(line); m != nil {
			id := numbered(seen, m[1])
			r.tests = append(r.tests, Test{ID: id, Status: map[string]Status{"ok": Passed, "FAILED": Failed, "ignored": Skipped}[m[2]]})
			continue
		}
		if m := cargoOutput.FindStringSubmatch(line); m != nil {
			current = m[1]
			continue
		}
		if strings.HasPrefix(line, "failures:") || strings.HasPrefix(line, "test result:") {
			current = ""
			r.finished = r.finished || strings.HasPrefix(line, "test result:")
		}
		if current != "" && !strings.HasPrefix(line, "note: run with") {
			messages[current] += line + "\n"
		}
	}
	for i := range r.tests {
		if t := &r.tests[i]; t.Status == Failed {
			t.Message = messages[t.ID]
			if m := cargoPlace.FindStringSubmatch(t.Message); m != nil {
				t.File, t.Line = o.under(m[1]), atoi(m[2])
			}
		}
	}
	text := clean(o.stderr)
	if m := cargoBuild.FindStringSubmatch(text); m != nil && strings.Contains(text, "could not compile") {
		r.tests = append(r.tests, Test{ID: buildID, Status: Errored, Message: "build failed\n" + m[0], File: o.under(m[3]), Line: atoi(m[4])})
	} else if len(r.tests) == 0 && o.exit != 0 && !o.stopped && o.exit != 127 {
		r.trouble = "cargo test did not start" + withError(text)
	}
	return r
}

// numbered makes a repeated id distinct.
func numbered(seen map[string]int, id string) string {
	if seen[id]++; seen[id] > 1 {
		return id + " #" + string(rune('0'+min(seen[id], 9)))
	}
	return id
}

// marked finds a runner by a file of the folder.
func marked(name string, args []string, markers ...string) func(f folder) (Command, bool) {
	return func(f folder) (Command, bool) {
		m := f.first(markers...)
		return Command{Runner: name, Dir: f.dir, Args: slices.Clone(args), Source: m}, m != ""
	}
}

// collected runs a command and then copies the JUnit reports that it left in the workspace to /out, keeping its exit
// status. The script is constant; the command stays an argument list.
func (j *job) collected(pattern string) {
	script := `"$@"; code=$?; mkdir -p /out/xml; find . -path '` + pattern + `' -name '*.xml' -type f | ` +
		`while read -r f; do cp "$f" "/out/xml/$(echo "$f" | tr -c 'A-Za-z0-9.\n' '_')"; done; exit $code`
	j.spec.Args = append([]string{"/bin/sh", "-c", script, "sh"}, j.spec.Args...)
}

func mavenKind() Kind {
	return Kind{
		Name: "maven", Language: "java",
		find:    marked("maven", []string{"mvn", "-o", "-q", "test"}, "pom.xml"),
		matches: func(args []string) bool { return path.Base(args[0]) == "mvn" && slices.Contains(args, "test") },
		start: func(j *job) error {
			if err := j.jvm("maven"); err != nil {
				return err
			}
			if slices.Contains(j.showCaches("java"), "/deps/m2") {
				j.spec.Args = slices.Insert(j.spec.Args, 1, "-Dmaven.repo.local=/deps/m2")
			}
			j.collected("*/surefire-reports/*")
			return nil
		},
		read: func(o output) reading { return compiled(o, readXML(o, "mvn"), "COMPILATION ERROR") },
	}
}

func gradleKind() Kind {
	return Kind{
		Name: "gradle", Language: "java",
		find: marked("gradle", []string{"gradle", "--offline", "test"}, "build.gradle", "build.gradle.kts"),
		matches: func(args []string) bool {
			return strings.HasPrefix(path.Base(args[0]), "gradle") && slices.Contains(args, "test")
		},
		start: func(j *job) error {
			if err := j.jvm("gradle"); err != nil {
				return err
			}
			j.showCaches("java")
			j.spec.Env["GRADLE_USER_HOME"] = j.cache("gradle")
			j.spec.Args = slices.Insert(j.spec.Args, 1, "--no-daemon")
			j.collected("*/test-results/*")
			return nil
		},
		read: func(o output) reading {
			return compiled(o, readXML(o, "gradle"), "compileJava FAILED", "compileTestJava FAILED")
		},
	}
}

// compiled turns a compile error into an errored result, which counts as a failing run.
func compiled(o output, r reading, marks ...string) reading {
	text := clean(joinLogs(o.stdout, o.stderr))
	for _, mark := range marks {
		if len(r.tests) == 0 && strings.Contains(text, mark) {
			i := strings.Index(text, mark)
			return reading{perTest: true, tests: []Test{{ID: buildID, Status: Errored, Message: "build failed\n" + shorten(text[i:], 2000)}}}
		}
	}
	return r
}

func rspecKind() Kind {
	return Kind{
		Name: "rspec", Language: "ruby",
		find: func(f folder) (Command, bool) {
			ok := f.has(".rspec") || f.has("spec/spec_helper.rb")
			return Command{Runner: "rspec", Dir: f.dir, Args: []string{"rspec"}, Source: f.first(".rspec", "spec/spec_helper.rb")}, ok
		},
		matches: func(args []string) bool { return path.Base(args[0]) == "rspec" },
		start: func(j *job) error {
			_, _ = j.tool("ruby") // without one the sandbox says that rspec is not there
			j.showCaches("ruby")
			j.spec.Args = slices.Concat(j.spec.Args, []string{"--format", "progress", "--format", "json", "--out", j.report()})
			return nil
		},
		read: readRSpec,
	}
}

// readRSpec reads rspec's JSON formatter.
func readRSpec(o output) reading {
	var report struct {
		Examples []struct {
			ID          string  `json:"id"`
			Description string  `json:"full_description"`
			Status      string  `json:"status"`
			Seconds     float64 `json:"run_time"`
			File        string  `json:"file_path"`
			Line        int     `json:"line_number"`
			Exception   struct {
				Message string `json:"message"`
			} `json:"exception"`
		} `json:"examples"`
		Summary struct {
			Outside int `json:"errors_outside_of_examples_count"`
		} `json:"summary"`
	}
	r := reading{perTest: true}
	if json.Unmarshal(o.report, &report) != nil {
		if !o.stopped && o.exit != 127 && o.exit != 126 {
			r.trouble = "rspec wrote no report" + withError(clean(joinLogs(o.stdout, o.stderr)))
		}
		return r
	}
	r.finished = true
	statuses := map[string]Status{"passed": Passed, "failed": Failed, "pending": Skipped}
	for _, e := range report.Examples {
		file := strings.TrimPrefix(e.File, "./")
		r.tests = append(r.tests, Test{ID: o.under(file) + nodeSeparator + e.Description, Status: statuses[e.Status],
			Millis: int64(e.Seconds * 1000), Message: e.Exception.Message, File: o.under(file), Line: e.Line})
	}
	if report.Summary.Outside > 0 {
		r.tests = append(r.tests, Test{ID: "spec", Status: Errored, Message: "errors outside of examples\n" + lastLines(joinLogs(o.stdout, o.stderr), 20)})
	}
	return r
}

func phpunitKind() Kind {
	return Kind{
		Name: "phpunit", Language: "php",
		find:    marked("phpunit", []string{"vendor/bin/phpunit"}, "phpunit.xml", "phpunit.xml.dist"),
		matches: func(args []string) bool { return path.Base(args[0]) == "phpunit" },
		start: func(j *job) error {
			_, _ = j.tool("php")
			j.showCaches("php")
			j.spec.Args = slices.Concat([]string{"php"}, j.spec.Args, []string{"--log-junit", "/out/junit.xml"})
			return nil
		},
		read: func(o output) reading { return readXML(o, "phpunit") },
	}
}
