package testrun

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxNear bounds the tests that count as near: with more, the whole suite is the better choice.
const maxNear = 50

// Near names the test files that most likely have something to say about changed files: those that changed themselves,
// those of the same package or named after a changed file, and those that import one. It reads the tree and runs nothing;
// imports are recognised by their line, not resolved. Each path passes Validate. nil where the runner takes no paths, none
// is near, or too many are.
func Near(dir string, c Command, changed []string) []string {
	var all []string
	for _, part := range append(slices.Clone(c.Parts), c) {
		if len(part.Parts) == 0 && kindOf(part.Runner).check != nil {
			all = append(all, near(folder{root: dir}.sub(part.Dir), part, changed)...)
		}
	}
	all = slices.DeleteFunc(unique(all), func(p string) bool { return Validate(dir, c, []string{p}) != nil })
	if len(all) > maxNear {
		return nil
	}
	return all
}

// near are the near test files of one command, relative to the root.
func near(f folder, c Command, changed []string) []string {
	var inner, stems []string
	for _, p := range changed {
		if own, ok := within(c.Dir, p); ok && own != "" {
			inner = append(inner, own)
			if s := stemOf(own); s != "" && !isTestOf(c.Runner, own) {
				stems = append(stems, regexp.QuoteMeta(s))
			}
		}
	}
	if len(inner) == 0 {
		return nil
	}
	imports := importsOf(stems)
	var all []string
	f.walk(func(p string) bool {
		if isTestOf(c.Runner, p) && (slices.ContainsFunc(inner, func(i string) bool { return beside(c.Runner, i, p) }) ||
			imports != nil && imports.MatchString(f.read(p))) {
			all = append(all, join(c.Dir, p))
		}
		return len(all) <= maxNear
	})
	return all
}

// isTestOf tells the test files of a runner.
func isTestOf(runner, p string) bool {
	switch runner {
	case "go":
		return goTest(p)
	case "pytest", "unittest":
		return pythonTest(p)
	case "rspec":
		return strings.HasSuffix(p, "_spec.rb")
	case "minitest":
		return minitestFile(p)
	case "phpunit":
		return phpTest(p)
	case "prove":
		return perlTest(p)
	case "maven", "gradle":
		return javaTest(p)
	}
	return ecmaTest(p)
}

// beside reports whether a test is the changed file, lies in its Go package, or is named after it.
func beside(runner, changed, test string) bool {
	if changed == test || runner == "go" && path.Dir(changed) == path.Dir(test) {
		return true
	}
	s := stemOf(changed)
	return s != "" && runner != "go" && stemOf(test) == s
}

// testMark is what a test's name adds to that of the file it tests.
var testMark = regexp.MustCompile(`(?i)^tests?[_-]|[_.-](tests?|spec)$|Test$`)

// stemOf is what a file is imported by: its name without extension and test mark, or its folder's where the name says
// nothing.
func stemOf(p string) string {
	s := strings.TrimSuffix(path.Base(p), path.Ext(p))
	s = testMark.ReplaceAllString(s, "")
	if s == "__init__" || s == "index" || s == "mod" || s == "main" {
		s = path.Base(path.Dir(p))
	}
	if s == "." || s == "/" {
		return ""
	}
	return s
}

// importsOf matches a line that imports one of the names, in any of the languages.
func importsOf(stems []string) *regexp.Regexp {
	if len(stems) == 0 {
		return nil
	}
	return regexp.MustCompile(`(?m)^\s*(?:import|from|use|require|require_relative|include|export|\}\s*from)\b.*\b(?:` + strings.Join(stems, "|") + `)\b|\b(?:require|import)\(.*\b(?:` + strings.Join(stems, "|") + `)\b`)
}
