package proof

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// Rules about code that puts itself in the place of what runs the tests.
const (
	ruleShadows = "file stands in for a module of the test runner"
	ruleReaches = "code reaches for the test runner"
	ruleEqual   = "object is equal to anything"
)

// runnerModules are Python modules that only a test runner has. The launchers of testrun import the runner before the
// folder can be imported from, so a file of that name does not run in its place; that a patch adds one is no accident.
var runnerModules = regexp.MustCompile(`(^|/)(_?pytest|pluggy|iniconfig|unittest|redgreen_report|run_pytest|run_unittest)(\.py|/__(init|main)__\.py)$`)

// loadedModules are modules that the Python runners import when they start, as seen in sys.modules of pytest 8 and
// unittest on Python 3.11. A new file of such a name beside the tests' command is imported in their place.
var loadedModules = regexp.MustCompile(`^(abc|argparse|ast|asyncio|atexit|attrs?|base64|bdb|bisect|builtins|bz2|calendar|codecs|collections|configparser|contextlib|contextvars|` +
	`copy|copyreg|dataclasses|datetime|difflib|dis|doctest|email|encodings|enum|errno|exceptiongroup|faulthandler|fnmatch|functools|gc|getpass|gettext|glob|` +
	`hashlib|html|importlib|inspect|io|itertools|json|keyword|linecache|locale|logging|lzma|math|numbers|opcode|operator|os|packaging|pathlib|pdb|pkgutil|` +
	`platform|posixpath|pprint|py|pygments|queue|random|re|reprlib|runpy|selectors|shlex|shutil|signal|site|socket|stat|string|struct|subprocess|sys|sysconfig|` +
	`tempfile|textwrap|threading|time|timeit|token|tokenize|tomli|tomllib|traceback|types|typing|unicodedata|urllib|uuid|warnings|weakref|xml|zipfile|zipimport|zlib)` +
	`(\.py|/__init__\.py)$`)

// shadows flags files that Python would take for modules of its test runner. dirs is where the command runs.
func shadows(p patch.Patch, dirs []string) []Flag {
	var flags []Flag
	for _, f := range p.Files {
		if f.Status == patch.Deleted {
			continue
		}
		name := path.Clean(strings.ReplaceAll(f.Path, `\`, "/"))
		beside := func(dir string) bool {
			return loadedModules.MatchString(strings.TrimPrefix(name, strings.TrimSuffix(dir, "/")+"/"))
		}
		appears := f.Status == patch.Added || f.Status == patch.Renamed
		if runnerModules.MatchString(name) || appears && (loadedModules.MatchString(name) || slices.ContainsFunc(dirs, beside)) {
			flags = append(flags, Flag{File: f.Path, Line: 1, Rule: ruleShadows, Text: f.Path})
		}
	}
	return flags
}

// reachesFor are the ways in which code that is no test takes hold of the runner in its own process: it imports it, looks
// through the loaded modules or its callers, or prints what the runner's output looks like. A list like this can be
// walked around; it makes the plain ways visible.
var reachesFor = regexp.MustCompile(`^\s*(import|from)\s+(_?pytest|unittest|pluggy)\b|\bimport_module\(\s*["'](_?pytest|unittest|pluggy)|__import__\(\s*["'](_?pytest|unittest|pluggy)|\bsys\.modules\b|` +
	`__subclasses__|\b(f_back|tb_frame|f_globals|f_locals)\b|\b(sys|threading)\.(meta_path|path_hooks|settrace|setprofile|_current_frames)\b|\bbuiltins\.\w+\s*=[^=]|\bsetattr\(\s*builtins\b|` +
	`(^|[^.\w])(exec|eval)\(|\bnew Function\(|\b(import_module|__import__)\(\s*(["'][^"']*["']\s*[^,)\s]|[^"'].*(\.join|\.decode|\.format|\bchr\b|\[::|\+|%))|\b(import_module|__import__)\(\s*f["']|` +
	`\b__builtins__\b|\bAssertionError\s*=[^=]|\bctypes\.pythonapi\b|` +
	`\bimport\s*\(.*"testing"|^\s*(import\s+)?(\w+\s+)?"testing"\s*$|\bruntime\.Callers?\(|//go:linkname\b|\bSYS_(EXIT|EXIT_GROUP|KILL|TGKILL)\b|` +
	`["'\x60](node:test|vitest|@jest/globals)["'\x60]|\bassert(\.strict|\.default)?(\.\w+|\[[^\]]+\])\s*=[^=>]|\brequire\(\s*["'](node:)?assert(/strict)?["']\s*\)(\.\w+|\[[^\]]+\])+\s*=[^=]|` +
	`\b(global|globalThis|window)\.(expect|assert|test|it|describe)\b|\bObject\.(assign|definePropert(y|ies))\(\s*assert\b|\brequire\.cache\b|\bModule\._(load|resolveFilename|extensions)\b|\bmodule\.register(Hooks)?\(|` +
	`\borg\.junit\b|\bsurefire\b|--- (PASS|FAIL)\b|=== RUN\b|\\x16|\\u0016|\\026\b`)

// equalsAll begins a method that makes an object equal to whatever a test expects, when all it does is to say so.
var (
	equalsAll = regexp.MustCompile(`^\s*def\s+__(eq|ne|lt|gt|le|ge|contains)__\s*\(|^\s*(public\s+)?(override\s+)?(bool|boolean)\s+[eE]quals\s*\(`)
	equalsBy  = regexp.MustCompile(`\b__(eq|ne|lt|gt|le|ge|contains)__["']?\s*[=:,]\s*lambda\b[^:]*:\s*([Tt]rue|[Ff]alse|0|1|not\s+(False|True|None|0|1))\b`)
	saysSo    = regexp.MustCompile(`^\s*return\s+([Tt]rue|[Ff]alse|1|not\s+False|isinstance\(\w+,\s*(int|float|str|bytes|object|list|dict|tuple|set|bool|numbers\.\w+)\))\s*;?\s*$`)
	saysHere  = regexp.MustCompile(`[:{]\s*return\s+([Tt]rue|[Ff]alse|1|not\s+False)\s*;?\s*\}?\s*$`)
)

// alwaysEqual reports whether line i of the inserted ones begins such a method.
func alwaysEqual(lines []string, i int) bool {
	if equalsBy.MatchString(lines[i]) {
		return true
	}
	if !equalsAll.MatchString(lines[i]) {
		return false
	}
	if saysHere.MatchString(lines[i]) {
		return true
	}
	for _, next := range lines[i+1:] {
		if strings.TrimSpace(next) != "" && strings.TrimSpace(next) != "{" && !commentLine(next) {
			return saysSo.MatchString(next) || blind(lines, i)
		}
	}
	return false
}

// pythonMethod is the head of a method with one argument beside self, and its name.
var pythonMethod = regexp.MustCompile(`^(\s*)def\s+__\w+__\s*\(\s*\w+\s*,\s*(\w+)[^)]*\)[^:]*:\s*$`)

// blind reports whether a comparison of Python, all of whose body is inserted, never looks at what it compares with.
func blind(lines []string, i int) bool {
	m := pythonMethod.FindStringSubmatch(strings.TrimRight(lines[i], "\r\n"))
	if m == nil {
		return false
	}
	named := regexp.MustCompile(`\b` + m[2] + `\b`)
	gives := false
	for _, next := range lines[i+1:] {
		text := strings.TrimLeft(next, " \t")
		if strings.TrimSpace(text) == "" || commentLine(text) {
			continue
		}
		if len(next)-len(text) <= len(m[1]) {
			break
		}
		if named.MatchString(text) {
			return false
		}
		gives = gives || strings.HasPrefix(text, "return ") && !strings.Contains(text, "NotImplemented")
	}
	return gives
}

// reaches flags the inserted lines of a file that is no test.
func (in *inspection) reaches(file string, b block) {
	if testrun.TestFile(file) || kindOfFile(file) != ordinary || !isCode(file) || in.support {
		return
	}
	for i, text := range b.inserted {
		if alwaysEqual(b.inserted, i) {
			in.flag(file, b.newLine+i, ruleEqual, text)
		}
		if reachesFor.MatchString(text) && !detects.MatchString(text) && !commentLine(text) && !thereBefore(reachesFor, text, b.deleted) {
			in.flag(file, b.newLine+i, ruleReaches, text)
		}
	}
}

// thereBefore reports whether what a pattern finds in a line stood in the lines that it replaces: a fix beside it is no
// attempt at it.
func thereBefore(pattern *regexp.Regexp, text string, deleted []string) bool {
	for _, found := range pattern.FindAllString(text, -1) {
		if !slices.ContainsFunc(deleted, func(old string) bool { return slices.Contains(pattern.FindAllString(old, -1), found) }) {
			return false
		}
	}
	return true
}

// isCode leaves out prose, in which the same words are harmless.
func isCode(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".rst", ".txt", ".adoc", ".html", ".css", ".csv", ".svg":
		return false
	}
	return true
}
