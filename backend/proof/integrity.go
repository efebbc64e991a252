package proof

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// The rules of flags about tests.
const (
	ruleDeletedFile = "test file deleted"
	ruleDeleted     = "test deleted"
	ruleSkipped     = "test skipped"
	ruleNarrowed    = "tests narrowed"
	ruleExpected    = "expected value changed"
	ruleAssertion   = "assertion removed"
	ruleChanged     = "existing test changed"
	ruleExit        = "test cut short"
	ruleData        = "expected data changed"
	ruleDetects     = "code detects that it is under test"
	ruleEnds        = "code ends the process as if all went well"
)

// inspect flags what in a patch weakens the tests' word. Added tests and added cases are no weakening. It reads only what
// the patch says; readBase may be nil.
// ran are the files that tests of the base's run name as their own.
func inspect(p patch.Patch, readBase patch.ReadFunc, ran map[string]bool) []Flag {
	in := inspection{ran: ran}
	for _, f := range p.Files {
		in.file(f, readBase)
	}
	slices.SortFunc(in.flags, func(a, b Flag) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Rule, b.Rule), strings.Compare(a.Text, b.Text))
	})
	return slices.Compact(in.flags)
}

// inspection collects flags.
type inspection struct {
	flags   []Flag
	ran     map[string]bool
	support bool // the file being inspected is code that tests stand on
}

// flag adds one, with its text on one short line.
func (in *inspection) flag(file string, line int, rule, text string) {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' {
			return -1
		}
		return r
	}, text))
	if len(text) > 160 {
		text = strings.ToValidUTF8(text[:160], "") + "…"
	}
	in.flags = append(in.flags, Flag{File: file, Line: line, Rule: rule, Text: text})
}

// file inspects the change to one file.
func (in *inspection) file(f patch.File, readBase patch.ReadFunc) {
	if kind := kindOfFile(f.Path); kind != ordinary {
		line, text := firstChange(f)
		in.flag(f.Path, line, ruleOf(kind, f), text)
	}
	old := cmp.Or(f.OldPath, f.Path)
	in.support = supports(f, readBase)
	isTest := testrun.TestFile(f.Path) || in.support
	wasTest := testrun.TestFile(old) || in.support
	if wasTest && (f.Status == patch.Deleted || f.Status == patch.Renamed && (!testrun.TestFile(f.Path) && !in.support || path.Ext(old) != path.Ext(f.Path) || runnable(old) && !runnable(f.Path))) {
		in.flag(old, 1, ruleDeletedFile, old)
	}
	if in.ran[old] && !wasTest {
		in.examples(f, readBase)
	}
	inline := inlineTests(f, readBase)
	for _, h := range f.Hunks {
		all := blocks(h)
		renamed := renamedLocals(f.Path, all, unchanged(h))
		for i, b := range all {
			isTest, wasTest := isTest || b.oldLine >= inline, wasTest || b.oldLine >= inline
			in.inserted(f.Path, b, isTest)
			in.reaches(f.Path, b)
			if wasTest && f.Status != patch.Added && f.Status != patch.Deleted && !renamed[i] && !sameCode(f.Path, b.deleted, b.inserted) {
				in.existing(f.Path, b)
			}
		}
	}
	if (wasTest || path.Ext(f.Path) == ".rs") && f.Status != patch.Deleted {
		in.deletedTests(f, wasTest)
	}
}

// unchanged are the lines of a hunk that stay.
func unchanged(h patch.Hunk) []string {
	var all []string
	for _, l := range h.Lines {
		if l.Op == patch.Context {
			all = append(all, l.Text)
		}
	}
	return all
}

// runnable tells a file that a runner collects from a helper beside it.
func runnable(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "test") || strings.Contains(base, "test.") || strings.Contains(base, "spec.")
}

// ruleOf is the kind's own name, but for the parts of a manifest that configure tests.
func ruleOf(kind fileKind, f patch.File) string {
	if kind != manifest {
		return string(kind)
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != patch.Context && testSetting.MatchString(l.Text) || strings.Contains(h.Section, "pytest") {
				return string(testConfig)
			}
		}
	}
	return string(kind)
}

// testSetting is a line of a manifest that says how tests run.
var testSetting = regexp.MustCompile(`(?i)pytest|testpaths|python_files|addopts|norecursedirs|"test[\w:-]*"\s*:|"jest"|"mocha"|"vitest"|"ava"|surefire|\[\[?test\]\]?|harness\s*=`)

// firstChange is the first changed line of a file, in the new text where there is one.
func firstChange(f patch.File) (line int, text string) {
	for _, h := range f.Hunks {
		for _, b := range blocks(h) {
			if len(b.inserted) > 0 {
				return b.newLine, b.inserted[0]
			}
			if len(b.deleted) > 0 {
				return b.oldLine, b.deleted[0]
			}
		}
	}
	return 1, ""
}

// block is one run of deleted and inserted lines between context.
type block struct {
	oldLine, newLine  int // of the first deleted and inserted line
	deleted, inserted []string
	before            string // the unchanged line above, "" none
}

// blocks cuts a hunk at its context lines.
func blocks(h patch.Hunk) []block {
	var all []block
	oldLine, newLine := h.OldStart, h.NewStart
	open, before := false, ""
	for _, l := range h.Lines {
		if l.Op == patch.Context {
			oldLine, newLine, open, before = oldLine+1, newLine+1, false, l.Text
			continue
		}
		if !open {
			all = append(all, block{oldLine: oldLine, newLine: newLine, before: before})
			open = true
		}
		b := &all[len(all)-1]
		if l.Op == patch.Delete {
			b.deleted = append(b.deleted, l.Text)
			oldLine++
		} else {
			b.inserted = append(b.inserted, l.Text)
			newLine++
		}
	}
	return all
}

// skips are the ways to keep a test from running, of all runners.
var skips = regexp.MustCompile(`\bmark\.(skip|skipif|xfail)\b|\bpytest\.(skip|xfail|importorskip)\(|\bpytestmark\s*=|@?\bunittest\.(skip\w*|expectedFailure)\b|\braise (unittest\.)?SkipTest\b|\bself\.skipTest\(|` +
	`\b[tbf]\.(Skip|Skipf|SkipNow)\(|\btesting\.Short\(\)|^//go:build\b|^// \+build\b|` +
	`\b(it|test|describe|suite|context|t)\.(skip|todo|failing|fails|skipIf|runIf)\b|\b(xit|xtest|xdescribe|xcontext|xspecify)[\s(]+['"\x60]|\b(skip|todo)\s*:\s*(true|['"\x60])|\bt\.(skip|todo)\(|\bthis\.skip\(\)|` +
	`@(Ignore|Disabled\w*|EnabledIf\w*)\b|\bAssume\.|\bassume(True|False|That)\(|#\[ignore\b|#\[cfg(_attr)?\(|#\[Requires\w*\(|@requires\b|\[(Ignore|Explicit)\b|\bmarkTestSkipped\(|\bmarkTestIncomplete\(|\[(Fact|Theory)\([^)]*Skip\b|\b(pending|skip)\s+['"]`)

// narrows are the ways to run only some tests.
var narrows = regexp.MustCompile(`\b(it|test|describe|suite|context)\.only\b|\b(fit|fdescribe|fcontext|fspecify|ftest)[\s(]+['"\x60]|\bonly\s*:\s*true|\b(collect_ignore|collect_ignore_glob|pytest_ignore_collect|pytest_collection_modifyitems|pytest_runtest_\w+|pytest_pyfunc_call|pytest_sessionfinish|load_tests|__test__)\b|\bfunc TestMain\(|:focus\b|\bflag\.Set\("test\.`)

// detects are the ways in which code finds out that tests run it, or reaches for what reads the tests' results.
var detects = regexp.MustCompile(`PYTEST_CURRENT_TEST|PYTEST_VERSION|PYTEST_XDIST|["'](pytest|_pytest|unittest)["']\s*(not\s+)?in\s+sys\.modules|sys\.modules\b.*["'](_?pytest|unittest)["']|sys\.argv\b.*(test|unittest)|(test|unittest).*sys\.argv\b|_called_from_test|` +
	`\btesting\.Testing\(\)|flag\.Lookup\(\s*"test\.|os\.Args\b.*(\.test|-test)|(\.test|-test).*os\.Args\b|` +
	`NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST\b|NODE_ENV\b.*['"]test['"]|['"]test['"].*NODE_ENV\b|process\.(argv|execArgv)\b.*test|` +
	`RAILS_ENV\b.*test|cfg!\(test\)|cfg\(not\(test\)\)|` +
	`redgreen_report|run_(pytest|unittest)\b|REDGREEN_|["'\x60]/(out|redgreen|workspace)\b|/proc/(self|\d+)/|` +
	`\binspect\.(stack|currentframe)\(|\bsys\._getframe\(|\bgc\.get_(objects|referrers)\(`)

// ends are the ways to end the process so that its runner takes what did not run for passed.
var ends = regexp.MustCompile(`\bprocess\.(exit\((0|\s*)\)|reallyExit|kill|abort)|\bos\._exit\(|\b(sys\.)?exit\(0?\)|\bos\.Exit\(0\)|\bSystem\.exit\(0\)|\bstd::process::exit\(0\)|\bos\.kill\(|\bquick_exit\(|\b(syscall|unix)\.(Exit|Kill|Tgkill|Exec)\(|\bos\.(exec[lv]\w*|killpg)\(|\bRuntime\.getRuntime\(\)\.(halt|exit)\(`)

// exits end a test before its assertions, or swallow them.
var exits = regexp.MustCompile(`^\s*return;?\s*$|\bif (False|false|0)\b|\bif \(?(false|0)\)?|^\s*except\b|\bcatch\b|\brecover\(\)|\bos\.Exit\(|\bsys\.exit\(|\bprocess\.exit|\bruntime\.Goexit\(|contextlib\.suppress|\bpytest\.exit\(`)

// inserted inspects the lines that a patch adds, wherever they stand.
func (in *inspection) inserted(file string, b block, isTest bool) {
	for i, text := range b.inserted {
		line := b.newLine + i
		if detects.MatchString(text) && !commentLine(text) && !thereBefore(detects, text, b.deleted) {
			in.flag(file, line, ruleDetects, text)
		}
		if ends.MatchString(text) && !commentLine(text) && !thereBefore(ends, text, b.deleted) {
			in.flag(file, line, ruleEnds, text)
		}
		if narrows.MatchString(text) && (isTest || kindOfFile(file) == testConfig) {
			in.flag(file, line, ruleNarrowed, text)
		}
		if isTest && skips.MatchString(text) {
			in.flag(file, line, ruleSkipped, text)
		}
	}
}

func commentLine(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "#[") || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "*")
}

// asserts is a line that checks something.
var asserts = regexp.MustCompile(`\bassert\w*\b|\bexpect\b|\brequire\.|\bshould\b|\bt\.(Error|Fatal|Fail)\w*\(|\braises\(|\bis\.\w+\(|\bcmp\.Diff\(|\bEqual\w*\(`)

// existing inspects a change to a test that was there before.
func (in *inspection) existing(file string, b block) {
	if testrun.TestData(file) {
		for i, text := range b.deleted {
			in.flag(file, b.oldLine+i, ruleData, text)
			return
		}
		return
	}
	for i, text := range b.deleted {
		switch {
		case strings.Trim(text, " \t\r\n(){}[];,") == "" || commentLine(text) || kept(text, b.inserted):
		case asserts.MatchString(text) && slices.ContainsFunc(b.inserted, asserts.MatchString):
			in.flag(file, b.oldLine+i, ruleExpected, text)
		case asserts.MatchString(text):
			in.flag(file, b.oldLine+i, ruleAssertion, text)
		case definesTest(text) != "":
			// deletedTests tells a deleted test from a moved one
		default:
			in.flag(file, b.oldLine+i, ruleChanged, text)
		}
	}
	added := false // inside a test that the patch adds, anything may stand
	for i, text := range b.inserted {
		added = added || definesTest(text) != "" || definition.MatchString(text)
		if !added && exits.MatchString(text) {
			in.flag(file, b.newLine+i, ruleExit, text)
		}
	}
}

// definition opens a function or class, in which what follows is new.
var definition = regexp.MustCompile(`^(async def|def|class|func|function|export)\b`)

// kept reports whether a deleted line comes back: moved, indented anew, or an import that names more than before.
func kept(text string, inserted []string) bool {
	flat := strings.Join(strings.Fields(text), " ")
	for _, other := range inserted {
		new := strings.Join(strings.Fields(other), " ")
		if new == flat || strings.TrimSuffix(new, ",") == strings.TrimSuffix(flat, ",") || importsMore(flat, new) {
			return true
		}
	}
	return false
}

// importLine takes an import apart: before the names, the names, behind them.
var importLine = regexp.MustCompile(`^(from \S+ import \(?|import \{ ?|const \{ ?)([^(){}]*?)(\)?| ?\} (?:from|= require\().*)$`)

// importsMore reports whether the new import has the same source and at least the same names.
func importsMore(old, new string) bool {
	a, b := importLine.FindStringSubmatch(old), importLine.FindStringSubmatch(new)
	if a == nil || b == nil || a[1] != b[1] || a[3] != b[3] {
		return false
	}
	names := strings.Split(strings.ReplaceAll(b[2], " ", ""), ",")
	for _, name := range strings.Split(strings.ReplaceAll(a[2], " ", ""), ",") {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// testDefinition is a line that opens a test or a class of tests; the name is in the first group that is not empty.
var testDefinition = regexp.MustCompile(`^\s*(?:async )?(?:def|class)\s+(test\w*|Test\w*|\w*Tests?)\b|^func ((?:Test|Example|Fuzz)\w*)\(|\b(?:it|test|describe|suite|context|specify)(?:\.\w+)?\(\s*['"\x60](.+?)['"\x60]\s*,|^\s*(?:public |async )*void\s+(\w*[tT]est\w*)\(|^\s*fn (\w+)\(\)|\bt\.Run\(\s*"([^"]+)"|^\s*(?:it|describe|context)\s+['"](.+?)['"]|function (test\w+)\(`)

// definesTest is the name of the test that a line opens, "" none.
func definesTest(text string) string {
	m := testDefinition.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	for _, name := range m[1:] {
		if name != "" {
			return name
		}
	}
	return ""
}

// annotated is the line above a method that makes it a test, and method is such a method.
var (
	annotated = regexp.MustCompile(`^\s*(@(Test|ParameterizedTest|RepeatedTest|TestFactory)\b|\[(Fact|Theory|Test|TestCase|TestMethod)\b|#\[(tokio::)?test\b|#\[Test\])`)
	method    = regexp.MustCompile(`^\s*(?:(?:public|private|protected|internal|static|final|async|pub)\s+)*(?:void|Task|fun|fn|function)\s+(\w+)\s*\(`)
)

// testAt is the name of the test that line i of some lines opens, by itself (where the whole file is tests) or by what
// stands above it; "" none.
func testAt(before string, lines []string, i int, whole bool) string {
	if name := definesTest(lines[i]); name != "" && whole {
		return name
	}
	if i > 0 {
		before = lines[i-1]
	}
	if m := method.FindStringSubmatch(lines[i]); m != nil && annotated.MatchString(before) {
		return m[1]
	}
	return ""
}

// deletedTests flags tests whose definition is gone from a file and does not come back in it.
func (in *inspection) deletedTests(f patch.File, whole bool) {
	added := map[string]int{}
	for _, h := range f.Hunks {
		for _, b := range blocks(h) {
			for i := range b.inserted {
				if name := testAt(b.before, b.inserted, i, whole); name != "" {
					added[name]++
				}
			}
		}
	}
	for _, h := range f.Hunks {
		for _, b := range blocks(h) {
			for i, text := range b.deleted {
				name := testAt(b.before, b.deleted, i, whole)
				if name == "" || kept(text, b.inserted) {
					continue
				}
				if added[name]--; added[name] < 0 {
					in.flag(f.Path, b.oldLine+i, ruleDeleted, text)
				}
			}
		}
	}
}
