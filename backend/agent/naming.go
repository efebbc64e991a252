package agent

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// How a test names a criterion: by its own name (test_c1_rejects, TestC1Rejects, "C1: rejects"), or as a word of a comment,
// a documentation string or a title in the lines that it is made of. A variable c1, a cell "C1" and a folder or file that
// only contains those letters name none.
var (
	// inName finds ids in the name of a test.
	inName = regexp.MustCompile(`\bC(\d{1,2})(?:\b|_)|_[cC](\d{1,2})(?:_|\b)|[a-z]C(\d{1,2})(?:[A-Z_]|\b)`)
	// inWords finds them in prose.
	inWords = regexp.MustCompile(`\bC(\d{1,2})\b`)
	// title is a text in quotes that begins with an id and says more.
	title = regexp.MustCompile("[\"'`]C(\\d{1,2})[:.,)]?\\s+[^\"'`\\s]")
	// defines is a line that gives a test or a group of them its name.
	defines = regexp.MustCompile(`^\s*(?:(?:export|async|public|private|protected|internal|static|final|pub|override|suspend)\s+)*` +
		`(?:(?:def|func|fun|function|fn|class|sub|module|void|Task)\b|(?:it|test|describe|context|specify|scenario|suite|subtest|TEST\w*)\b\W)|\bt\.Run\(|@\w*(?:Test|DisplayName)\b`)
	// remark is where a comment begins.
	remark = regexp.MustCompile(`(?:^|\s)(?:#|//|--|;)|/\*|^\s*\*`)
	// longText is what a comment or a documentation string of several lines begins or ends with.
	longText = regexp.MustCompile(`"""|\x27\x27\x27|/\*|\*/`)
)

// place is a line of the patched tree.
type place struct {
	path string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.path, p.line) }

// named says which added lines of tests name which criterion, by its id; pure.
func named(p patch.Patch) map[string][]place {
	places := map[string][]place{}
	for _, f := range p.Files {
		if !testrun.TestFile(f.Path) || testrun.TestData(f.Path) {
			continue
		}
		for _, h := range f.Hunks {
			n, inside := h.NewStart, false
			for _, l := range h.Lines {
				if l.Op == patch.Delete {
					continue
				}
				var ids []string
				if ids, inside = namedBy(l.Text, inside); l.Op == patch.Insert {
					for _, id := range ids {
						places[id] = append(places[id], place{f.Path, n})
					}
				}
				n++
			}
		}
	}
	return places
}

// namedBy are the criteria that a line of a test names. inside says that a longer comment or documentation string is open
// where it begins, or stays open where it ends.
func namedBy(line string, inside bool) (ids []string, still bool) {
	still = inside
	for _, mark := range longText.FindAllString(line, -1) {
		still = mark == "/*" || mark != "*/" && !still
	}
	switch text := remark.FindStringIndex(line); {
	case inside || still || longText.MatchString(line):
		ids = found(inWords, line)
	case text != nil:
		ids = found(inWords, line[text[0]:])
	}
	if defines.MatchString(line) {
		ids = append(ids, namesIn(line)...)
	}
	ids = append(ids, found(title, line)...)
	slices.Sort(ids)
	return slices.Compact(ids), still
}

// namesIn are the ids of the criteria that a name holds, each once.
func namesIn(name string) []string { return found(inName, name) }

func found(form *regexp.Regexp, text string) []string {
	var ids []string
	for _, m := range form.FindAllStringSubmatch(text, -1) {
		if id := "C" + strings.Join(m[1:], ""); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// ownName is a test's id without the file, the package or the module that it stands in.
func ownName(id string) string {
	for _, end := range []string{"::", " > ", " - "} {
		if _, own, ok := strings.Cut(id, end); ok {
			return own
		}
	}
	if m := dotted.FindStringSubmatch(id); m != nil {
		return id[len(m[1]+m[2]):]
	}
	return id[strings.LastIndexByte(id, '.')+1:]
}

// dotted is what stands before a class or a test of a dotted id: of tests.test_x.TestA.test_b the module, of pkg/path.TestName
// the package, also where a folder of it begins with a capital.
var dotted = regexp.MustCompile(`^(?:([^A-Z]*\.)?[A-Z]|(.*/[^/.]*\.)(?:Test|Fuzz|Example))`)

// oldTests says of a test's id whether it was there before the patch, under another file's name too.
func oldTests(base, patched testrun.Run) func(id string) bool {
	ids, gone := map[string]bool{}, map[string]bool{}
	for _, t := range base.Tests {
		ids[t.ID], gone[t.ID] = true, true
	}
	for _, t := range patched.Tests {
		delete(gone, t.ID)
	}
	moved := map[string]bool{}
	for id := range gone {
		moved[ownName(id)] = true
	}
	return func(id string) bool { return ids[id] || moved[ownName(id)] }
}

// fileWords are what the name of a file of tests is made of beside what it is about.
var fileWords = regexp.MustCompile(`(?i)tests?|specs?|[._-]`)

// fileOf is the criterion that a file of tests is named after and after nothing else (test_c1.py, c1.test.js, C1Test.java),
// "" none.
func fileOf(name string) string {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	about := strings.ToUpper(fileWords.ReplaceAllString(stem, ""))
	if !testrun.TestFile(name) || !wholeID.MatchString(about) {
		return ""
	}
	return about
}

var wholeID = regexp.MustCompile(`^C[1-9]\d?$`)
