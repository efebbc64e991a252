package testrun

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The other JavaScript runners are started from node_modules, where the folder has them, with their own report.

func vitestKind() Kind {
	return ecmaKind("vitest", "node_modules/vitest/vitest.mjs", func(j *job, args []string) ([]string, error) {
		return slices.Concat([]string{"run", "--reporter=default", "--reporter=junit", "--outputFile.junit=/out/junit.xml"}, args), nil
	}, readVitest)
}

func jestKind() Kind {
	return ecmaKind("jest", "node_modules/jest/bin/jest.js", func(j *job, args []string) ([]string, error) {
		var exactly []string
		if len(j.selected) > 0 {
			exactly = []string{"--runTestsByPath"} // else a name such as [id].test.js is a pattern
		}
		return slices.Concat([]string{"--ci", "--reporters=default", "--reporters=" + path.Join(reportersPath, "jest.cjs"), "--cacheDirectory=" + j.cache("jest")}, exactly, args), j.seal()
	}, func(o output) reading { return readECMA(o, "jest") })
}

func mochaKind() Kind {
	return ecmaKind("mocha", "node_modules/mocha/bin/mocha.js", func(j *job, args []string) ([]string, error) {
		return slices.Concat([]string{"--reporter", path.Join(reportersPath, "mocha.cjs"), "--no-color"}, args), j.seal()
	}, func(o output) reading { return readECMA(o, "mocha") })
}

// ecmaKind is a runner whose program lies in node_modules.
func ecmaKind(name, program string, arguments func(j *job, args []string) ([]string, error), read func(output) reading) Kind {
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
			own, err := arguments(j, args)
			j.spec.Args = slices.Concat([]string{tool, program}, own)
			j.spec.Env["NO_COLOR"] = "1"
			return err
		},
		read: func(o output) reading {
			r := read(o)
			if strings.Contains(string(o.stderr), "Cannot find module") && strings.Contains(string(o.stderr), program) {
				r.trouble = name + " is not installed"
			}
			return r
		},
		check: checkNode,
		keep:  keepNode, // they take patterns, which may match more
	}
}

// uses reports whether a package names a runner in its test script or, without one, among its dependencies.
func uses(p packageJSON, name string) bool {
	if script := p.Scripts["test"]; script != "" {
		return regexp.MustCompile(`(^|[\s/])` + name + `(\s|$)`).MatchString(script)
	}
	return p.DevDependencies[name] != "" || p.Dependencies[name] != ""
}

// The runners below are read by what they offer offline and without plug-ins.

func cargoKind() Kind {
	return Kind{
		Name: "cargo", Language: "rust",
		find: func(f folder) (Command, bool) {
			args := []string{"cargo", "test"}
			if wholeWorkspace(f) {
				args = append(args, "--workspace")
			}
			return Command{Runner: "cargo", Dir: f.dir, Args: args, Source: "Cargo.toml"}, f.has("Cargo.toml")
		},
		matches: func(args []string) bool {
			return path.Base(args[0]) == "cargo" && len(args) > 1 && (args[1] == "test" || args[1] == "t" || args[1] == "nextest")
		},
		start: func(j *job) error {
			j.showCaches("rust")
			if _, err := j.tool("rust"); err != nil {
				return err
			}
			// No target folder is kept between runs: cargo tells what is fresh by file times, and the trees of a proof, with
			// and without the patch, would be taken for each other.
			j.spec.Env["CARGO_NET_OFFLINE"], j.spec.Env["CARGO_TERM_COLOR"] = "true", "never"
			if j.spec.Args[1] == "nextest" {
				j.spec.Args = append(j.spec.Args, "--no-fail-fast")
				return nil
			}
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

// nextestLine is a result of cargo nextest, which goes to stderr (https://nexte.st/docs/reporting/): written from its
// documentation, no recorded output was at hand.
var nextestLine = regexp.MustCompile(`^\s*(PASS|FAIL|FLAKY \d+/\d+|LEAK|LEAK-FAIL|TIMEOUT|ABORT|SIG[A-Z]+|SKIP)\s+\[\s*>?\s*([0-9.]+)s\]\s+(?:\(\s*\d+/\d+\)\s+)?(\S+)\s+(\S+)$`)

// rustThread is how Rust names the test that panicked.
var rustThread = regexp.MustCompile(`thread '([^'\n]+)'`)

// readNextest takes the first result of each test: the summary repeats those that failed.
func readNextest(o output) (tests []Test, finished bool) {
	text := clean(joinLogs(o.stdout, o.stderr))
	seen := map[string]bool{}
	panics := map[string]int{} // the test's path → where the text of its first panic begins
	for _, at := range rustThread.FindAllStringSubmatchIndex(text, -1) {
		if name := text[at[2]:at[3]]; panics[name] == 0 {
			panics[name] = at[0] + 1 // 0 is none
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		finished = finished || strings.Contains(line, "Summary [")
		m := nextestLine.FindStringSubmatch(line)
		if m == nil || seen[m[3]+" "+m[4]] {
			continue
		}
		t := Test{ID: m[3] + " " + m[4], Status: Failed, Message: m[1]}
		seen[t.ID] = true
		switch {
		case m[1] == "PASS" || m[1] == "LEAK" || strings.HasPrefix(m[1], "FLAKY"):
			t.Status, t.Message = Passed, ""
		case m[1] == "SKIP":
			t.Status, t.Message = Skipped, ""
		case m[1] != "FAIL" && m[1] != "LEAK-FAIL" && m[1] != "TIMEOUT":
			t.Status = Errored
		}
		if i := panics[m[4]] - 1; i >= 0 && t.Status != Passed {
			said := text[i:min(len(text), i+2000)]
			said, _, _ = strings.Cut(said, "\nnote: ")
			t.Message = shorten(strings.ToValidUTF8(said, ""), 1500)
			if p := cargoPlace.FindStringSubmatch(t.Message); p != nil {
				t.File, t.Line = o.under(p[1]), atoi(p[2])
			}
		}
		tests = append(tests, t)
	}
	return tests, finished
}

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
	if len(r.tests) == 0 && strings.Contains(text, "Nextest run") {
		r.tests, r.finished = readNextest(o)
	}
	if m := cargoBuild.FindStringSubmatch(text); m != nil && strings.Contains(text, "could not compile") {
		r.tests = append(r.tests, Test{ID: buildID, Status: Errored, Message: uncompiled + m[0], File: o.under(m[3]), Line: atoi(m[4])})
		return r
	}
	if crashed := crashedTargets(o, text); len(crashed) > 0 {
		r.tests, r.finished = append(r.tests, crashed...), false
	} else if len(r.tests) == 0 && o.exit != 0 && !o.stopped && o.exit != 127 {
		r.trouble = "cargo test did not start" + withError(text)
	}
	return r
}

// cargoCrash is how cargo tells of a test program that ended otherwise than by its tests' results.
var cargoCrash = regexp.MustCompile("^\\s*process didn't exit successfully: .*?(\\(signal: .*\\)|\\(exit status: .*\\))$")

// crashedTargets lists the targets whose test program ended in the middle, by their source.
func crashedTargets(o output, text string) (tests []Test) {
	target := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := cargoTarget.FindStringSubmatch(line); m != nil && m[1] != "" {
			target = m[1]
		}
		if m := cargoCrash.FindStringSubmatch(line); m != nil && target != "" && !o.stopped {
			tests = append(tests, Test{ID: o.under(target), Status: Errored, Message: "the test program ended in the middle " + m[1], File: o.under(target), Line: 1})
			target = ""
		}
	}
	return tests
}

// numbered makes a repeated id distinct.
func numbered(seen map[string]int, id string) string {
	if seen[id]++; seen[id] > 1 {
		return id + " #" + strconv.Itoa(seen[id])
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
// status; reports that lay there before are no results. The script is constant; the command stays an argument list.
func (j *job) collected(pattern string) {
	script := `find . -path '` + pattern + `' -name '*.xml' -type f -delete; "$@"; code=$?; mkdir -p /out/xml; find . -path '` + pattern + `' -name '*.xml' -type f | ` +
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
			if len(j.selected) > 0 {
				j.spec.Args = append(withoutJavaSelection(j.spec.Args), mavenSelection(j.javaChoices())...)
			}
			j.collected("*/surefire-reports/*")
			return nil
		},
		check: checkJava, keep: keepJava,
		read: func(o output) reading { return crashedClasses(o, compiled(o, readJava(o, "mvn"), "COMPILATION ERROR")) },
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
			if len(j.selected) > 0 {
				j.spec.Args = append(withoutJavaSelection(j.spec.Args), gradleSelection(j.javaChoices())...)
			}
			j.collected("*/test-results/*")
			return nil
		},
		check: checkJava, keep: keepJava,
		read: func(o output) reading {
			return compiled(o, readJava(o, "gradle"), "compileJava FAILED", "compileTestJava FAILED")
		},
	}
}

// compiled turns a compile error into an errored result, which counts as a failing run.
func compiled(o output, r reading, marks ...string) reading {
	text := clean(joinLogs(o.stdout, o.stderr))
	for _, mark := range marks {
		if len(r.tests) == 0 && strings.Contains(text, mark) {
			i := strings.Index(text, mark)
			return reading{perTest: true, tests: []Test{{ID: buildID, Status: Errored, Message: uncompiled + shorten(text[i:], 2000)}}}
		}
	}
	return r
}

func phpunitKind() Kind {
	return Kind{
		Name: "phpunit", Language: "php",
		find: func(f folder) (Command, bool) {
			source := f.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
			if source == "" && strings.Contains(f.read("composer.json"), `"phpunit/phpunit"`) {
				source = "composer.json"
			}
			args := []string{"phpunit"}
			if f.has("composer.json") || f.has("vendor/bin/phpunit") {
				args = []string{"vendor/bin/phpunit"}
			}
			return Command{Runner: "phpunit", Dir: f.dir, Args: args, Source: source}, source != ""
		},
		matches: func(args []string) bool { return path.Base(args[0]) == "phpunit" },
		start: func(j *job) error {
			_, _ = j.tool("php")
			j.showCaches("php")
			args := j.spec.Args
			if len(j.selected) > 0 {
				args = append(withoutPaths(j.tree.sub(j.command.Dir), args), j.inner()...)
			}
			if strings.Contains(args[0], "/") {
				args = append([]string{"php"}, args...)
			}
			j.spec.Args = slices.Concat(args, []string{"--log-junit", "/out/junit.xml", "--colors=never"})
			return nil
		},
		read:  readPHPUnit,
		check: func(f folder, p string) error { return f.checkPath(p, "a *Test.php file", phpTest) },
	}
}
