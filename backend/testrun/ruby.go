package testrun

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// rubyTest tells the files of RSpec and of Minitest.
func rubyTest(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, "_spec.rb") || minitestFile(p)
}

func minitestFile(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, "_test.rb") || strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".rb") && base != "test_helper.rb"
}

func rspecKind() Kind {
	return Kind{
		Name: "rspec", Language: "ruby",
		find: func(f folder) (Command, bool) {
			source := f.first(".rspec", "spec/spec_helper.rb")
			if all := f.files(1, func(p string) bool { return strings.HasSuffix(p, "_spec.rb") && strings.HasPrefix(p, "spec/") }); source == "" && len(all) > 0 {
				source = all[0]
			}
			return Command{Runner: "rspec", Dir: f.dir, Args: bundled(f, "rspec"), Source: source}, source != ""
		},
		matches: func(args []string) bool { return path.Base(unbundled(args)[0]) == "rspec" },
		start:   startRSpec, read: readRSpec,
		check: func(f folder, p string) error {
			file, _, _ := strings.Cut(p, nodeSeparator)
			return f.checkPath(file, "a *_spec.rb file", func(p string) bool { return strings.HasSuffix(p, "_spec.rb") })
		},
		keep: keepNode,
	}
}

// bundled puts "bundle exec" before a command where the folder has its gems beside it.
func bundled(f folder, args ...string) []string {
	if f.has("Gemfile.lock") && f.hasDir("vendor/bundle") {
		return append([]string{"bundle", "exec"}, args...)
	}
	return args
}

// unbundled takes "bundle exec" off; what is left is never empty.
func unbundled(args []string) []string {
	if len(args) > 2 && path.Base(args[0]) == "bundle" && args[1] == "exec" {
		return args[2:]
	}
	return args
}

// startRSpec adds our formatter beside the one for people.
func startRSpec(j *job) error {
	_, _ = j.tool("ruby") // without one the sandbox says that rspec is not there
	j.showCaches("ruby")
	args := j.spec.Args
	if len(j.selected) > 0 {
		args = append(withoutPaths(j.tree.sub(j.command.Dir), args), j.filesOf(func(p string) bool { return strings.HasSuffix(p, "_spec.rb") })...)
	}
	j.spec.Args = slices.Concat(args, []string{"--no-color", "--format", "progress",
		"--require", path.Join(reportersPath, "redgreen_rspec.rb"), "--format", "RedgreenFormatter", "--out", "/dev/null"})
	return j.seal()
}

// filesOf are the files of a selection; of a folder those below it that fit.
func (j *job) filesOf(fits func(string) bool) []string {
	var all []string
	here := j.tree.sub(j.command.Dir)
	for _, p := range j.inner() {
		file, _, _ := strings.Cut(p, nodeSeparator)
		if !here.hasDir(file) {
			all = append(all, file)
			continue
		}
		for _, name := range here.sub(file).files(maxWalk, func(p string) bool { return fits(join(file, p)) }) {
			if name = join(file, name); strings.HasPrefix(name, "-") || strings.HasPrefix(name, "@") {
				name = "./" + name // a file's name, not an option
			}
			all = append(all, name)
		}
	}
	return unique(all)
}

// rubyPlace is where RSpec says that a file could not be loaded.
var rubyPlace = regexp.MustCompile(`(?m)^\s*(?:# )?(?:\./|/workspace/)?([^\s:]+\.rb):(\d+)`)

// libraryFrame is a line of RSpec's trace outside the tree, and its advice about such traces.
var libraryFrame = regexp.MustCompile(`(?m)^\s*# /(?:usr|opt|home|deps)/.*\n?|^\s*#(?:   (?:Showing|See|RSpec::).*)?\n?$\n?`)

// readRSpec reads our formatter's lines.
func readRSpec(o output) reading {
	r := readRuby(o, "rspec")
	if len(r.tests) == 0 && r.trouble == "" && !o.stopped && r.finished {
		r.trouble = "rspec found no example"
	}
	return r
}

// readRuby reads the lines of our Ruby reporters.
func readRuby(o output, name string) reading {
	r := reading{perTest: true}
	seen := map[string]int{}
	running := ""
	r.finished = events(o.report, func(e event) {
		switch e.Event {
		case "start":
			running = e.ID
		case "outside":
			t := Test{ID: o.under("spec"), Status: Errored, Message: "error outside of examples\n" + libraryFrame.ReplaceAllString(e.Text, "")}
			if m := rubyPlace.FindStringSubmatch(clean([]byte(e.Text))); m != nil {
				t.File, t.Line = o.under(m[1]), atoi(m[2])
				if t.File = inTree(t.File); rubyTest(t.File) {
					t.ID = t.File
				}
			}
			r.tests = append(r.tests, t)
		case "test":
			running = ""
			t := Test{ID: numbered(seen, o.under(e.ID)), Status: e.Status, Millis: e.Millis, Message: e.Text, Line: e.Line}
			if t.File = inTree(e.File); t.File != "" {
				t.File = o.under(t.File)
			}
			r.tests = append(r.tests, t)
		}
	})
	switch {
	case running != "" && !r.finished:
		r.tests = append(r.tests, crashed(o.under(running), o))
	case !o.stopped && len(r.tests) == 0 && !r.finished && o.exit != 126 && o.exit != 127:
		r.trouble = name + " wrote no report" + withError(clean(joinLogs(o.stdout, o.stderr)))
	}
	if r.trouble == "" {
		r.trouble = contradicts(name, o, r)
	}
	return r
}

func minitestKind() Kind {
	return Kind{
		Name: "minitest", Language: "ruby",
		find: findMinitest, matches: isMinitest,
		start: startMinitest, read: readMinitest,
		check: func(f folder, p string) error {
			file, _, _ := strings.Cut(p, nodeSeparator)
			return f.checkPath(file, "a *_test.rb or test_*.rb file", minitestFile)
		},
		keep: keepNode,
	}
}

// rakeTest is how a Rakefile declares its tests.
var rakeTest = regexp.MustCompile(`\b(Rake::TestTask|Minitest::TestTask)\b`)

// loadTests is the program that loads all test files; given files, it loads those.
const loadTests = `(ARGV.empty? ? Dir["test/**/{test_*,*_test}.rb"] - ["test/test_helper.rb"] : ARGV).sort.each { |f| require File.expand_path(f) }`

// findMinitest takes a Rakefile's test task, else files that use Minitest.
func findMinitest(f folder) (Command, bool) {
	if rakeTest.MatchString(f.read("Rakefile")) {
		return Command{Runner: "minitest", Dir: f.dir, Args: bundled(f, "rake", "test"), Source: "Rakefile"}, true
	}
	all := f.files(1, func(p string) bool {
		return strings.HasPrefix(p, "test/") && minitestFile(p) && strings.Contains(f.read(p), "initest")
	})
	if len(all) == 0 {
		return Command{}, false
	}
	return Command{Runner: "minitest", Dir: f.dir, Args: bundled(f, "ruby", "-Ilib", "-Itest", "-e", loadTests), Source: all[0]}, true
}

// isMinitest knows "rake test" and a Ruby that loads tests.
func isMinitest(args []string) bool {
	args = unbundled(args)
	switch path.Base(args[0]) {
	case "rake":
		return slices.Contains(args[1:], "test")
	case "ruby":
		return slices.ContainsFunc(args[1:], func(a string) bool { return minitestFile(a) || a == loadTests })
	}
	return false
}

// startMinitest puts our plugin on the load path, where Minitest finds it. A selection is loaded directly.
func startMinitest(j *job) error {
	_, _ = j.tool("ruby")
	j.showCaches("ruby")
	j.spec.Env["RUBYLIB"] = reportersPath
	if len(j.selected) > 0 {
		files := j.filesOf(minitestFile)
		program := append([]string{"ruby", "-Ilib", "-Itest", "-e", loadTests, "--"}, files...)
		if unbundled(j.command.Args)[0] != j.command.Args[0] {
			program = append([]string{"bundle", "exec"}, program...)
		}
		j.spec.Args = program
	}
	return j.seal()
}

// readMinitest reads our plugin's lines; tests of another library than Minitest leave none.
func readMinitest(o output) reading {
	text := clean(joinLogs(o.stdout, o.stderr))
	if len(o.report) == 0 && !o.stopped && strings.Contains(text, "tests, ") && strings.Contains(text, " assertions, ") {
		return exitOnly(o)
	}
	if len(o.report) == 0 && !o.stopped && o.exit == 0 {
		return reading{perTest: true, trouble: "minitest was not started: no test file loads it"}
	}
	if len(o.report) == 0 && !o.stopped && o.exit != 126 && o.exit != 127 {
		if m := rubyError.FindStringSubmatch(text); m != nil && inTree(m[1]) != "" {
			return reading{perTest: true, tests: []Test{{ID: buildID, Status: Errored, Message: shorten(text, 1500), File: o.under(inTree(m[1])), Line: atoi(m[2])}}}
		}
	}
	r := readRuby(o, "minitest")
	if len(r.tests) == 0 && r.trouble == "" && r.finished {
		r.trouble = "minitest found no test"
	}
	return r
}

// rubyError is an uncaught error, as Ruby prints it.
var rubyError = regexp.MustCompile(`(?m)(?:^|[\s:])([^\s:]+\.rb):(\d+):(?:in .*)?.*(?:Error\)|syntax error)`)
