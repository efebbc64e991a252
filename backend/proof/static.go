package proof

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// Beside the verdict a certificate has two things that a person wants to know and that decide nothing: what the
// repository's own linters say of the change, and which of its lines no test executed.

// aside is what was looked at beside the tests.
type aside struct {
	base, patched testrun.Lint
	linted        bool
	coverage      testrun.Coverage
	covered       bool   // coverage was asked for
	few           bool   // with the tests that went from red to green only
	measurable    []span // changed lines of files whose coverage the runner tells
	other         string // what of the patch's code it tells none of, a clause; "" nothing
}

// span is changed lines of one file, in the new text.
type span struct {
	file  string
	lines []line
}

type line struct {
	number int
	text   string
}

// looker is what can look at a tree beside running its tests.
type looker interface {
	Lint(ctx context.Context, dir string, files, only []string) (testrun.Lint, error)
	Cover(ctx context.Context, dir string, c testrun.Command, paths, files []string) (testrun.Coverage, error)
}

// longSuite is the duration from which the suite is not run a second time for its coverage: then the tests that went from
// red to green have to do.
const longSuite = 2 * time.Minute

// aside looks at the patched tree, and at the base where that is needed to tell new findings from old ones.
func (o observer) aside(ctx context.Context, e *evidence) error {
	l, ok := o.suite.(looker)
	if !ok {
		return nil
	}
	err := o.in(ctx, o.Patch, func(dir string) error {
		if err := o.lint(ctx, l, dir, e); err != nil {
			return err
		}
		return o.cover(ctx, l, dir, e)
	})
	if err != nil || len(e.aside.patched.Findings) == 0 {
		return err
	}
	return o.in(ctx, patch.Patch{}, func(dir string) error {
		var old []string
		for _, f := range o.Patch.Files {
			if f.Status != patch.Added {
				old = append(old, oldPath(f))
			}
		}
		e.aside.base, err = l.Lint(ctx, dir, old, e.aside.patched.Ran)
		return err
	})
}

// lint runs the linters over the files of the patch.
func (o observer) lint(ctx context.Context, l looker, dir string, e *evidence) (err error) {
	var files []string
	for _, f := range o.Patch.Files {
		if f.Status != patch.Deleted {
			files = append(files, f.Path)
		}
	}
	o.say("Running the repository's own linters on the changed files")
	e.aside.patched, err = l.Lint(ctx, dir, files, nil)
	e.aside.linted = err == nil
	return err
}

// cover measures which changed lines the tests execute.
func (o observer) cover(ctx context.Context, l looker, dir string, e *evidence) (err error) {
	var files, unread []string
	for _, s := range changedCode(o.Patch) {
		if testrun.Measures(o.Command, s.file) {
			e.aside.measurable = append(e.aside.measurable, s)
			files = append(files, s.file)
		} else {
			unread = append(unread, path.Ext(s.file))
		}
	}
	e.aside.other = notRead(o.Command, unread)
	if len(files) == 0 || e.patched.Unbuilt || e.patched.NoTests {
		return nil
	}
	var paths []string
	if turned := compare(e.base, e.patched).turned; e.patched.Duration > longSuite && len(turned) > 0 {
		paths = o.selection(dir, turned)
		e.aside.few = paths != nil
	}
	o.say("Measuring which changed lines the tests execute")
	e.aside.coverage, err = l.Cover(ctx, dir, o.Command, paths, files)
	e.aside.covered = err == nil
	return err
}

// notRead says which kinds of files a command's runner tells no coverage of, "" for none.
func notRead(c testrun.Command, kinds []string) string {
	if len(kinds) == 0 {
		return ""
	}
	slices.Sort(kinds)
	runner := c.Runner
	switch {
	case len(c.Parts) > 0:
		runner = "these test commands"
	case runner == testrun.Custom(nil).Runner:
		runner = "this test command"
	}
	return "coverage of " + strings.Join(slices.Compact(kinds), ", ") + " files is not read from " + runner
}

// changedCode is the inserted lines of a patch that are code and no test, blank line, comment or lone bracket.
func changedCode(p patch.Patch) []span {
	var all []span
	for _, f := range p.Files {
		if f.Status == patch.Deleted || testrun.TestFile(f.Path) || kindOfFile(f.Path) != ordinary || !testrun.Code(f.Path) {
			continue
		}
		s := span{file: f.Path}
		for _, h := range f.Hunks {
			for _, b := range blocks(h) {
				for i, text := range b.inserted {
					if strings.Trim(text, " \t\r\n(){}[];,") != "" && !commentLine(text) {
						s.lines = append(s.lines, line{b.newLine + i, text})
					}
				}
			}
		}
		if len(s.lines) > 0 {
			all = append(all, s)
		}
	}
	return all
}

func oldPath(f patch.File) string {
	if f.OldPath != "" {
		return f.OldPath
	}
	return f.Path
}

// numbers in a message move with the code: columns, line numbers, counts.
var numbers = regexp.MustCompile(`\d+`)

// newFindings are those of the patched tree beyond what the base has. Findings are the same when tool, file, rule and text
// are, whatever the line; of several that are, those on changed lines are taken for the new ones.
func newFindings(a aside, p patch.Patch) []testrun.Finding {
	renamed, changed := map[string]string{}, map[string]bool{}
	for _, f := range p.Files {
		if f.OldPath != "" {
			renamed[f.OldPath] = f.Path
		}
		for _, h := range f.Hunks {
			for _, b := range blocks(h) {
				for i := range b.inserted {
					changed[fmt.Sprintf("%s:%d", f.Path, b.newLine+i)] = true
				}
			}
		}
	}
	key := func(f testrun.Finding) string {
		if name := renamed[f.File]; name != "" {
			f.File = name
		}
		return strings.Join([]string{f.Tool, f.File, f.Rule, numbers.ReplaceAllString(f.Text, "0")}, "\x00")
	}
	had := map[string]int{}
	for _, f := range a.base.Findings {
		had[key(f)]++
	}
	isChanged := func(f testrun.Finding) bool { return changed[fmt.Sprintf("%s:%d", f.File, f.Line)] }
	groups := map[string][]testrun.Finding{}
	for _, f := range a.patched.Findings {
		groups[key(f)] = append(groups[key(f)], f)
	}
	fresh := []testrun.Finding{}
	for k, all := range groups {
		slices.SortStableFunc(all, func(x, y testrun.Finding) int { // old ones first
			switch {
			case isChanged(x) == isChanged(y):
				return 0
			case isChanged(y):
				return -1
			}
			return 1
		})
		fresh = append(fresh, all[min(had[k], len(all)):]...)
	}
	slices.SortFunc(fresh, func(x, y testrun.Finding) int {
		return strings.Compare(fmt.Sprintf("%s\x00%09d\x00%s\x00%s\x00%s", x.File, x.Line, x.Tool, x.Rule, x.Text), fmt.Sprintf("%s\x00%09d\x00%s\x00%s\x00%s", y.File, y.Line, y.Tool, y.Rule, y.Text))
	})
	return fresh
}

// uncovered are the changed lines that can run and that no test executed, neighbours joined. A line of a file that the
// measurement does not know as one that can run belongs to the statement before it.
func uncovered(a aside) []Span {
	spans := []Span{}
	for _, s := range a.measurable {
		lines, ok := a.coverage.Files[s.file]
		if !ok {
			continue
		}
		for _, l := range s.lines {
			ran, can := lines[l.number]
			if !can || ran {
				continue
			}
			if n := len(spans); n > 0 && spans[n-1].File == s.file && adjacent(lines, spans[n-1].Last, l.number) {
				spans[n-1].Last = l.number
				continue
			}
			spans = append(spans, Span{File: s.file, First: l.number, Last: l.number})
		}
	}
	return spans
}

// adjacent reports whether no executed line lies between two lines that are close together.
func adjacent(lines map[int]bool, a, b int) bool {
	for n := a + 1; n < b; n++ {
		if lines[n] {
			return false
		}
	}
	return b-a <= 5
}

// sayAside adds what was looked at beside the tests to the certificate.
func (c *Certificate) sayAside(a aside, p patch.Patch) {
	if a.linted {
		c.Static, c.Linters = newFindings(a, p), append(c.Linters, a.patched.Ran...)
	}
	say := func(format string, args ...any) { c.NotCovered = append(c.NotCovered, fmt.Sprintf(format, args...)) }
	c.Uncovered = uncovered(a)
	switch {
	case a.covered && a.coverage.Problem != "":
		say("Coverage was not measured: %s.", strings.TrimRight(a.coverage.Problem, ". "))
	case a.covered && len(c.Uncovered) > 0:
		n := 0
		for _, s := range c.Uncovered {
			n += s.Last - s.First + 1
		}
		say("No test executed %s of the change: %s.", plural(n, "line"), places(c.Uncovered))
	case a.covered && a.few:
		say("The suite is long, so coverage was measured with the tests that went from red to green alone: they executed every changed line.")
	case !a.covered && a.other != "" && len(a.measurable) == 0:
		say("C%s, so whether a test runs each changed line is not known.", a.other[1:])
	case !a.covered:
		say("Coverage was not measured, so whether a test runs each changed line is not known.")
	}
	if a.covered && a.other != "" {
		say("C%s.", a.other[1:])
	}
	for _, f := range a.patched.Failed {
		say("A linter gave no verdict: %s.", strings.TrimRight(f, ". "))
	}
}

// places names at most three spans.
func places(spans []Span) string {
	var all []string
	for _, s := range spans {
		text := fmt.Sprintf("%s:%d", s.File, s.First)
		if s.Last > s.First {
			text += fmt.Sprintf("-%d", s.Last)
		}
		all = append(all, text)
	}
	return some(all)
}
