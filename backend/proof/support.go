package proof

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// Files that are no tests by their names and still decide what the tests say: helpers that tests check with, files of
// code with tests or examples in them, and the scripts that the test command starts.

// supportName is what helpers of tests are called; supportImport is what only they import.
var (
	supportName   = regexp.MustCompile(`(?i)(^|/)(internal/asserts?|test[-_]?(utils?|helpers?|support|kit|lib|ing[-_]?utils?)|spec[-_]?helpers?|asserts|assertions|custom[-_]?matchers|mocks|__mocks__)(/|\.\w+$)`)
	supportImport = map[string]*regexp.Regexp{
		".go": regexp.MustCompile(`(?m)^\s*(import\s+)?(\w+\s+)?"testing"\s*$`),
		".py": regexp.MustCompile(`(?m)^(import|from)\s+(pytest|unittest)\b`),
	}
	scriptImport = regexp.MustCompile(`(?m)(from|require\()\s*["'](node:test|vitest|@jest/globals|chai)["']`)
)

// supports reports whether a file is code that tests stand on: by its name, or by what its base imports. A library whose
// product is a test helper looks the same; its fix is then left to a person.
func supports(f patch.File, readBase patch.ReadFunc) bool {
	if !testrun.Code(f.Path) || testrun.TestFile(f.Path) {
		return false
	}
	if supportName.MatchString(f.Path) {
		return true
	}
	text := baseText(f, readBase)
	if imports := supportImport[path.Ext(f.Path)]; imports != nil {
		return imports.MatchString(text)
	}
	return commonScript.MatchString(f.Path) && scriptImport.MatchString(text)
}

var commonScript = regexp.MustCompile(`\.[cm]?[jt]sx?$`)

// baseText is a file's text before the patch, "" where there is none.
func baseText(f patch.File, readBase patch.ReadFunc) string {
	if readBase == nil || f.Status == patch.Added {
		return ""
	}
	name := f.Path
	if f.OldPath != "" {
		name = f.OldPath
	}
	base, err := readBase(name)
	if err != nil || base == nil {
		return ""
	}
	return string(base.Data)
}

// ownFiles are the files that the ids of a run name, as shop.py::shop.total for an example in a docstring.
func ownFiles(r testrun.Run) map[string]bool {
	all := map[string]bool{}
	for _, t := range r.Tests {
		for _, end := range []string{"::", " - ", " > "} {
			if file, _, ok := strings.Cut(t.ID, end); ok && path.Ext(file) != "" {
				all[file] = true
			}
		}
	}
	return all
}

// examples inspects a file of code that holds tests or examples of its own: what they expect is the tests' word too.
func (in *inspection) examples(f patch.File, readBase patch.ReadFunc) {
	doc := docLines(baseText(f, readBase))
	for _, h := range f.Hunks {
		for _, b := range blocks(h) {
			for i, text := range b.deleted {
				if (doc[b.oldLine+i] || asserts.MatchString(text)) && strings.TrimSpace(text) != "" && !kept(text, b.inserted) {
					in.flag(f.Path, b.oldLine+i, ruleExpected, text)
				}
			}
			for i, text := range b.inserted {
				switch {
				case skipsExample.MatchString(text):
					in.flag(f.Path, b.newLine+i, ruleSkipped, text)
				case doc[b.oldLine+len(b.deleted)] && setsUp.MatchString(text) && !kept(text, b.deleted):
					in.flag(f.Path, b.newLine+i, ruleChanged, text)
				}
			}
		}
	}
}

// skipsExample keeps an example from being checked, or from being checked closely; setsUp is one that others rest on.
var (
	skipsExample = regexp.MustCompile(`doctest:\s*\+\w+|__doctest_skip__|^\s*//[/!]\s*` + "```" + `.*\b(ignore|no_run|should_panic|compile_fail)\b`)
	setsUp       = regexp.MustCompile(`^\s*(>>>|\.\.\.)\s+(\w[\w.\[\], ]*=[^=]|import\b|from\b|def\b|class\b|del\b)`)
)

// docLines are the lines of a text's doctests: from each prompt to the blank line or quotes behind it. Numbered from 1.
func docLines(text string) map[int]bool {
	all := map[int]bool{}
	inside := false
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ">>>"):
			inside = true
		case line == "" || strings.HasPrefix(line, `"""`) || strings.HasPrefix(line, "'''"):
			inside = false
		}
		if inside {
			all[number] = true
		}
	}
	return all
}

// failedThere flags the assertion itself at which a test failed on the base, where the patch takes it away and it stands in
// what is no test by name: a helper that only its own lines give away.
func failedThere(p patch.Patch, base testrun.Run) []Flag {
	var flags []Flag
	at := map[string][]int{}
	for _, t := range base.Tests {
		if red(t.Status) && t.File != "" {
			at[t.File] = append(at[t.File], t.Line)
		}
	}
	for _, f := range p.Files {
		name := f.Path
		if f.OldPath != "" {
			name = f.OldPath
		}
		for _, h := range f.Hunks {
			for _, b := range blocks(h) {
				for i, text := range b.deleted {
					if slices.Contains(at[name], b.oldLine+i) && asserts.MatchString(text) && !testrun.TestFile(name) && !kept(text, b.inserted) {
						flags = append(flags, Flag{File: f.Path, Line: b.oldLine + i, Rule: ruleAssertion, Text: strings.TrimSpace(text)})
					}
				}
			}
		}
	}
	return flags
}

// byRecipe are the programs whose recipe stands in a file of the folder.
var byRecipe = map[string][]string{
	"make": {"Makefile", "makefile", "GNUmakefile"}, "just": {"justfile", "Justfile", ".justfile"},
	"npm": {"package.json"}, "pnpm": {"package.json"}, "yarn": {"package.json"}, "bun": {"package.json"}, "composer": {"composer.json"},
}

// scripts flags files of the patch that the test command starts: those among its arguments, and the scripts that its recipe names.
func scripts(p patch.Patch, c testrun.Command, readBase patch.ReadFunc) []Flag {
	var flags []Flag
	parts := c.Parts
	if len(parts) == 0 {
		parts = []testrun.Command{c}
	}
	for _, f := range p.Files {
		name := f.Path
		if f.OldPath != "" {
			name = f.OldPath
		}
		started := func(part testrun.Command) bool { return starts(part, name, readBase) }
		if kindOfFile(name) == ordinary && !testrun.TestFile(name) && slices.ContainsFunc(parts, started) {
			line, text := firstChange(f)
			flags = append(flags, Flag{File: f.Path, Line: line, Rule: string(testConfig), Text: text})
		}
	}
	return flags
}

// starts reports whether a command names a file, itself or by its recipe.
func starts(c testrun.Command, name string, readBase patch.ReadFunc) bool {
	if len(c.Args) == 0 {
		return false
	}
	if slices.ContainsFunc(c.Args, func(a string) bool { return path.Join(c.Dir, a) == name }) {
		return true
	}
	rel := strings.TrimPrefix(name, strings.TrimSuffix(c.Dir, "/")+"/")
	if !shellScript.MatchString(rel) {
		return false
	}
	for _, recipe := range byRecipe[path.Base(c.Args[0])] {
		text := baseText(patch.File{Path: path.Join(c.Dir, recipe)}, readBase)
		if strings.Contains(text, rel) {
			return true
		}
	}
	return false
}

// shellScript is a file that a recipe starts rather than one that it tests.
var shellScript = regexp.MustCompile(`\.(sh|bash|zsh|pl)$|(^|/)(scripts?|ci|tools?|hack|bin)/`)
