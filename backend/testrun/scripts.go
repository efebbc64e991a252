package testrun

import (
	"regexp"
	"slices"
	"strings"
)

// Where no runner is recognised, the folder's own script for testing is taken: of package.json, of a Makefile or of a
// Justfile. Beside a runner that is, such a script would only run the same tests again and tell less.

// scripts are the commands of a folder that has no runner of its own.
func (f folder) scripts() []Command {
	if c, ok := npmScript(f); ok {
		return []Command{c}
	}
	if strings.Contains(f.read("composer.json"), `"test":`) {
		return []Command{{Runner: "custom", Dir: f.dir, Args: []string{"composer", "run-script", "test"}, Source: "composer.json"}}
	}
	for _, s := range []struct {
		files []string
		is    *regexp.Regexp
		args  []string
	}{
		{[]string{"Makefile", "makefile", "GNUmakefile"}, regexp.MustCompile(`(?m)^test\s*::?([^=]|$)`), []string{"make", "test"}},
		{[]string{"Makefile", "makefile", "GNUmakefile"}, regexp.MustCompile(`(?m)^check\s*::?([^=]|$)`), []string{"make", "check"}},
		{[]string{"justfile", "Justfile", ".justfile"}, regexp.MustCompile(`(?m)^@?test(\s[^:=\n]*)?:([^=]|$)`), []string{"just", "test"}},
	} {
		if name := f.first(s.files...); name != "" && s.is.MatchString(f.read(name)) {
			return []Command{{Runner: "custom", Dir: f.dir, Args: s.args, Source: name}}
		}
	}
	return nil
}

// noTest is the script that npm init writes.
const noTest = "no test specified"

// npmScript is the test script of a package.json that starts no runner that is known: its own words where they are a
// plain argument list, else by the package manager that the lockfile belongs to.
func npmScript(f folder) (Command, bool) {
	p, ok := npm(f)
	script := p.Scripts["test"]
	if !ok || script == "" || strings.Contains(script, noTest) {
		return Command{}, false
	}
	if args := words(script); args != nil && !strings.Contains(args[0], "=") {
		c := Custom(args)
		c.Dir, c.Source = f.dir, "package.json"
		return c, true
	}
	return Command{Runner: "custom", Dir: f.dir, Args: []string{packageManager(f), "run", "test"}, Source: "package.json"}, true
}

// packageManager is npm, unless a lockfile here or above says otherwise.
func packageManager(f folder) string {
	all := upwards(f.dir)
	slices.Reverse(all)
	for _, dir := range all {
		here := folder{root: f.root, dir: dir}
		for _, m := range []struct{ file, name string }{
			{"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"}, {"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
		} {
			if here.has(m.file) {
				return m.name
			}
		}
	}
	return "npm"
}

// guides are the files in which people and agents are told how to test.
var guides = []string{"AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md", "CONTRIBUTING.rst", "CONTRIBUTING"}

// guided is code in prose: a line of a block, or words between backticks.
var guided = regexp.MustCompile("(?m)^(?: {4}|\\t|[ \\t]*[$>] +)?([a-z./][^`\\n]*?)[ \\t]*$|`([^`\\n]+)`")

// maxSuggestions bounds what a person is asked to choose from.
const maxSuggestions = 5

// Suggest lists the test commands that a repository's guides for people and agents (AGENTS.md, CONTRIBUTING) name. They are
// words of a text that anyone may have written: they are shown to the person, and only one that the person takes up is
// ever run.
func Suggest(dir string) []Command {
	f := folder{root: dir}
	var all []Command
	for _, name := range guides {
		for _, m := range guided.FindAllStringSubmatch(f.read(name), -1) {
			args := words(strings.TrimSpace(m[1] + m[2]))
			if !startsTests(args) || len(args) > 12 || slices.ContainsFunc(all, func(c Command) bool { return slices.Equal(c.Args, args) }) {
				continue
			}
			c := Custom(args)
			c.Source = name
			if all = append(all, c); len(all) >= maxSuggestions {
				return all
			}
		}
	}
	return all
}

// startsTests tells argument lists that surely run tests.
func startsTests(args []string) bool {
	if len(args) == 0 {
		return false
	}
	if c := Custom(args); c.Runner != "custom" {
		return true
	}
	head := strings.Join(args[:min(2, len(args))], " ")
	return slices.Contains([]string{"make test", "make check", "just test", "npm test", "pnpm test", "yarn test", "bun test", "npm run", "tox", "nox", "composer test"}, head) &&
		(head != "npm run" || len(args) > 2 && strings.HasPrefix(args[2], "test")) || slices.Contains([]string{"tox", "nox", "ctest", "prove"}, args[0])
}
