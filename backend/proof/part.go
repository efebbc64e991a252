package proof

import (
	"path"
	"regexp"
	"strings"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// testPart is the part of a patch that changes tests, or configuration and data that only tests read: what is left when
// only the fix is reverted. A file that holds tests beside the code, as in Rust, is taken apart hunk by hunk; where its
// base cannot be read it counts as code.
func testPart(p patch.Patch, readBase patch.ReadFunc) patch.Patch {
	return partOf(p, readBase, true)
}

// fixPart is the rest: the fix without the patch's changes to tests.
func fixPart(p patch.Patch, readBase patch.ReadFunc) patch.Patch {
	return partOf(p, readBase, false)
}

func partOf(p patch.Patch, readBase patch.ReadFunc, tests bool) patch.Patch {
	keep := func(file, hunk int) bool {
		f := p.Files[file]
		inTests := ofTests(f, readBase) || f.Status == patch.Modified && hunk < len(f.Hunks) && inlineTest(f, f.Hunks[hunk], readBase)
		return inTests == tests
	}
	if part, err := p.Select(keep, readBase); err == nil {
		return part
	}
	var part patch.Patch
	for _, f := range p.Files {
		if ofTests(f, readBase) == tests {
			part.Files = append(part.Files, f)
		}
	}
	return part
}

// ofTests reports whether a whole file belongs to the tests.
func ofTests(f patch.File, readBase patch.ReadFunc) bool {
	return testrun.TestFile(f.Path) || kindOfFile(f.Path) == testConfig || supports(f, readBase)
}

// testModule opens the tests at the end of a Rust file.
var testModule = regexp.MustCompile(`^\s*#\[cfg\(test\)\]`)

// inlineTest reports whether a hunk changes the tests that stand at the end of a file of code.
func inlineTest(f patch.File, h patch.Hunk, readBase patch.ReadFunc) bool {
	if path.Ext(f.Path) != ".rs" {
		return false
	}
	from := inlineTests(f, readBase)
	for _, b := range blocks(h) {
		opens := len(b.inserted) > 0 && firstText(b.inserted, testModule)
		if b.oldLine < from && !opens {
			return false
		}
	}
	return true
}

// inlineTests is the first line of the tests in the base of a Rust file; behind every line when it has none.
func inlineTests(f patch.File, readBase patch.ReadFunc) int {
	const never = 1 << 30
	if path.Ext(f.Path) != ".rs" || readBase == nil {
		return never
	}
	base, err := readBase(f.Path)
	if err != nil || base == nil {
		return never
	}
	line := 0
	for text := range strings.Lines(string(base.Data)) {
		if line++; testModule.MatchString(text) {
			return line
		}
	}
	return never
}

// firstText reports whether the first line that is not blank matches.
func firstText(lines []string, pattern *regexp.Regexp) bool {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return pattern.MatchString(l)
		}
	}
	return false
}
