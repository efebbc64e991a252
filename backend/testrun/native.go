package testrun

import (
	"encoding/xml"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ctestKind builds a CMake project outside its tree and runs its tests.
func ctestKind() Kind {
	return Kind{
		Name: "ctest", Language: "c",
		find: func(f folder) (Command, bool) {
			ok := regexp.MustCompile(`(?im)^\s*(enable_testing|include\s*\(\s*CTest|add_test)\b`).MatchString(f.read("CMakeLists.txt"))
			return Command{Runner: "ctest", Dir: f.dir, Args: []string{"ctest", "--output-on-failure"}, Source: "CMakeLists.txt"}, ok
		},
		matches: func(args []string) bool { return path.Base(args[0]) == "ctest" },
		start: func(j *job) error {
			// The build lies in /tmp and is not kept: make tells what is fresh by file times, and trees are swapped under it.
			const script = `b=/tmp/redgreen-build; cmake -S . -B "$b" && cmake --build "$b" --parallel 2 || exit 97; ` +
				`shift; cd "$b" && exec ctest --output-junit /out/junit.xml "$@"`
			j.spec.Args = append([]string{"/bin/sh", "-c", script, "sh"}, j.spec.Args...)
			return nil
		},
		read: func(o output) reading {
			if text := clean(joinLogs(o.stdout, o.stderr)); o.exit == 97 {
				return reading{perTest: true, tests: []Test{notBuilt(o, text)}}
			}
			r := readXML(o, "ctest")
			if len(o.xml) == 0 && len(r.tests) == 0 {
				r = cutCTest(o, r)
			}
			for i := range r.tests {
				placeNative(o, &r.tests[i])
			}
			if len(r.tests) == 0 && r.trouble == "" && !o.stopped && strings.Contains(clean(joinLogs(o.stdout, o.stderr)), "No tests were found") {
				r.trouble = "ctest found no test"
			}
			return r
		},
	}
}

// ctestLine is what ctest prints when it starts a test and when it is done with it.
var ctestLine = regexp.MustCompile(`^(?: *Start +\d+: (.+)|\s*\d+/\d+ +Test +#\d+: (.+?) \.+(.*?) +([\d.]+) sec)\s*$`)

// cutCTest reads what a ctest printed that ended, or was stopped, before it wrote its report.
func cutCTest(o output, r reading) reading {
	var tests []Test
	running := map[string]bool{}
	eachLine(o.stdout, func(line []byte) {
		m := ctestLine.FindStringSubmatch(clean(line))
		if m == nil {
			return
		}
		if m[1] != "" {
			running[m[1]] = true
			return
		}
		delete(running, m[2])
		seconds, _ := strconv.ParseFloat(m[4], 64) // of digits and dots; what is no number is no time
		t := Test{ID: m[2], Status: Failed, Message: strings.Trim(m[3], "* :"), Millis: int64(seconds * 1000)}
		if strings.TrimSpace(m[3]) == "Passed" {
			t.Status, t.Message = Passed, ""
		} else if strings.Contains(m[3], "***Skipped") || strings.Contains(m[3], "***Not Run (Disabled)") {
			t.Status = Skipped
		}
		tests = append(tests, t)
	})
	for _, name := range slices.Sorted(maps.Keys(running)) {
		tests = append(tests, crashed(name, o))
	}
	if len(tests) == 0 {
		return r
	}
	return reading{perTest: true, tests: tests}
}

// nativePlace is how assert and test libraries name a line of C or C++.
var nativePlace = regexp.MustCompile(`([\w./-]+\.(?:c|cc|cpp|cxx|h|hpp)):(\d+)`)

// placeNative finds where a test failed, and tells a test whose program was not built from one that chose not to run.
func placeNative(o output, t *Test) {
	if t.Status == Skipped && strings.HasPrefix(t.Message, "Unable to find executable") {
		t.Status = Errored
	}
	if t.Status != Failed {
		return
	}
	for _, m := range nativePlace.FindAllStringSubmatch(clean([]byte(t.Message)), -1) {
		if f := strings.TrimPrefix(inTree(m[1]), o.dir+"/"); f != "" && o.tree.has(f) {
			t.File, t.Line = o.under(f), atoi(m[2])
			return
		}
	}
}

// compilerError is how C compilers, CMake and most others name a place.
var compilerError = regexp.MustCompile(`(?m)^(?:CMake Error at )?([^\s:()]+\.\w+):(\d+)(?::\d+)?(?::| \()(?: fatal)?(?: error:)?.*$`)

// notBuilt is the result of a build that failed, from its first error on.
func notBuilt(o output, text string) Test {
	t := Test{ID: buildID, Status: Errored, Message: uncompiled + lastLines([]byte(text), 10)}
	for _, at := range compilerError.FindAllStringSubmatchIndex(text, -1) {
		line := text[at[0]:at[1]]
		if !strings.Contains(line, "rror") {
			continue
		}
		t.Message = uncompiled + shorten(text[at[0]:], 1500)
		t.File, t.Line = inTree(text[at[2]:at[3]]), atoi(text[at[4]:at[5]])
		if t.File != "" && !strings.Contains(text[at[0]:at[1]], "/workspace/") {
			t.File = o.under(t.File)
		}
		break
	}
	return t
}

// proveKind runs Perl's tests; the raw TAP of each file is kept by TAP::Parser itself (see perldoc Test::Harness).
func proveKind() Kind {
	return Kind{
		Name: "prove",
		find: func(f folder) (Command, bool) {
			all := f.files(1, perlTest)
			if len(all) == 0 {
				return Command{}, false
			}
			return Command{Runner: "prove", Dir: f.dir, Args: []string{"prove", "-lr", "t"}, Source: all[0]}, true
		},
		matches: func(args []string) bool { return path.Base(args[0]) == "prove" },
		start: func(j *job) error {
			j.spec.Env["PERL_TEST_HARNESS_DUMP_TAP"] = path.Join(outPath, "tap")
			if len(j.selected) > 0 {
				j.spec.Args = append(withoutPaths(j.tree.sub(j.command.Dir), j.spec.Args), j.filesOf(perlTest)...)
			}
			return nil
		},
		read: readProve,
		check: func(f folder, p string) error {
			file, _, _ := strings.Cut(p, nodeSeparator)
			return f.checkPath(file, "a *.t file", func(p string) bool { return strings.HasSuffix(p, ".t") })
		},
		keep: keepNode,
	}
}

func perlTest(p string) bool {
	return strings.HasSuffix(p, ".t") && (strings.HasPrefix(p, "t/") || strings.Contains(p, "/t/"))
}

// provePart is a line of prove's summary: a file and what was wrong with it beside failed tests.
var (
	provePart  = regexp.MustCompile(`^(\S+\.t)\s+\(Wstat: (\d+)[^)]*\)`)
	perlPlace  = regexp.MustCompile(`\bat (\S+?) line (\d+)`)
	proveNotes = regexp.MustCompile(`^  (Non-zero exit status|Non-zero wait status|Parse errors): (.*)$`)
)

// readProve reads the TAP of each file, and from the summary which files ended badly.
func readProve(o output) reading {
	r := reading{perTest: true}
	text := clean(joinLogs(o.stdout, o.stderr))
	said := perlFailures(text)
	for _, file := range sortedKeys(o.tap) {
		name := o.under(file)
		tests, finished, trouble := readTAP(clean(o.tap[file]))
		for _, t := range tests {
			t.ID = name + nodeSeparator + t.ID
			if m := perlPlace.FindStringSubmatch(t.Message); m != nil && t.Status == Failed {
				t.File, t.Line = o.under(inTree(m[1])), atoi(m[2])
			} else if t.Status == Failed {
				t.Message, t.File, t.Line = said.of(o, strings.TrimPrefix(t.ID, name+nodeSeparator))
			}
			r.tests = append(r.tests, t)
		}
		if trouble != "" && finished {
			r.tests = append(r.tests, Test{ID: name, Status: Skipped, Message: trouble})
		} else if trouble != "" {
			r.tests = append(r.tests, Test{ID: name, Status: Errored, Message: trouble, File: name})
		}
	}
	file := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := provePart.FindStringSubmatch(line); m != nil {
			file = m[1]
		} else if m := proveNotes.FindStringSubmatch(line); m != nil && file != "" && !onlyCounts(o.tap[file], m) {
			t := Test{ID: o.under(file), Status: Errored, Message: m[1] + ": " + m[2] + "\n" + perlDeath(text, file), File: o.under(file)}
			if p := perlPlace.FindStringSubmatch(t.Message); p != nil && inTree(p[1]) != "" {
				t.File, t.Line = o.under(inTree(p[1])), atoi(p[2])
			}
			r.tests = append(r.tests, t)
		}
		r.finished = r.finished || strings.HasPrefix(line, "Result: ")
	}
	if !r.finished {
		r.tests = append(r.tests, cutProve(o, text)...)
	}
	if len(r.tests) == 0 && !o.stopped && o.exit != 126 && o.exit != 127 {
		if r.trouble = "prove found no test"; o.exit != 0 {
			r.trouble = "prove did not start" + withError(text)
		}
	}
	return r
}

// cutProve are the files that a prove which ended before its summary had started and not come to the end of.
func cutProve(o output, text string) (tests []Test) {
	for _, file := range sortedKeys(o.tap) {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(file) + ` \.+ `).MatchString(text) {
			t := crashed(o.under(file), o)
			t.Message, t.File = strings.Replace(t.Message, "this test", "this file", 1), o.under(file)
			tests = append(tests, t)
		}
	}
	return tests
}

// onlyCounts reports whether a file's bad exit status only counts its failed tests, as Test::More's does.
func onlyCounts(tap []byte, note []string) bool {
	failed := len(regexp.MustCompile(`(?m)^not ok\b`).FindAll(tap, -1))
	todo := len(regexp.MustCompile(`(?mi)^not ok\b.*# *todo`).FindAll(tap, -1))
	return note[1] == "Non-zero exit status" && atoi(note[2]) == min(failed-todo, 254) && failed > todo
}

// perlDeath is what a file that died said: the lines that name a place.
func perlDeath(text, file string) string {
	var all []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, " at "+file+" line ") && !strings.HasPrefix(line, "#") && len(all) < 5 {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return strings.Join(all, "\n")
}

// perlTexts are Test::More's own words about failed tests, which go to stderr, by the test's name and in their order.
type perlTexts map[string][]string

// perlFailed is the head of such a text.
var perlFailed = regexp.MustCompile(`^#   Failed test '(.*?)'?$`)

func perlFailures(text string) perlTexts {
	all := perlTexts{}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		m := perlFailed.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.HasPrefix(lines[end], "#") && !strings.HasPrefix(lines[end], "#   Failed test") && !strings.HasPrefix(lines[end], "# Looks like") {
			end++
		}
		all[m[1]] = append(all[m[1]], strings.Join(lines[i:end], "\n"))
	}
	return all
}

// repeatedName is a name that readTAP made distinct.
var repeatedName = regexp.MustCompile(`^(.*) #(\d+)$`)

// of is what was said about a test.
func (p perlTexts) of(o output, name string) (message, file string, line int) {
	texts, n := p[name], 1
	if m := repeatedName.FindStringSubmatch(name); m != nil && len(texts) == 0 {
		texts, n = p[m[1]], atoi(m[2])
	}
	if len(texts) == 0 {
		return "", "", 0
	}
	message = texts[min(max(n, 1), len(texts))-1]
	if m := perlPlace.FindStringSubmatch(message); m != nil && inTree(m[1]) != "" {
		file, line = o.under(inTree(m[1])), atoi(m[2])
	}
	return message, file, line
}

func sortedKeys(m map[string][]byte) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// dotnetKind reads Visual Studio's test results. It is written from the format's schema (vstst.xsd of the .NET SDK); no
// recorded output was at hand.
func dotnetKind() Kind {
	return Kind{
		Name: "dotnet", Language: "csharp",
		find: func(f folder) (Command, bool) {
			tests := f.files(1, func(p string) bool {
				return strings.HasSuffix(p, ".csproj") && strings.Contains(f.read(p), "Microsoft.NET.Test.Sdk")
			})
			top := f.files(1, func(p string) bool {
				return !strings.Contains(p, "/") && (strings.HasSuffix(p, ".sln") || strings.HasSuffix(p, ".csproj"))
			})
			if len(tests) == 0 || len(top) == 0 {
				return Command{}, false
			}
			return Command{Runner: "dotnet", Dir: f.dir, Args: []string{"dotnet", "test"}, Source: top[0]}, true
		},
		matches: func(args []string) bool { return path.Base(args[0]) == "dotnet" && len(args) > 1 && args[1] == "test" },
		start: func(j *job) error {
			j.showCaches("csharp")
			j.spec.Env["DOTNET_CLI_TELEMETRY_OPTOUT"], j.spec.Env["DOTNET_NOLOGO"] = "1", "1"
			j.spec.Args = slices.Concat(j.spec.Args, []string{"--logger", "trx;LogFilePrefix=results", "--results-directory", path.Join(outPath, "trx")})
			return nil
		},
		read: readDotnet,
	}
}

// trxRun is what is used of a TRX file.
type trxRun struct {
	Results []struct {
		Name     string `xml:"testName,attr"`
		Outcome  string `xml:"outcome,attr"`
		Duration string `xml:"duration,attr"`
		TestID   string `xml:"testId,attr"`
		Message  string `xml:"Output>ErrorInfo>Message"`
		Stack    string `xml:"Output>ErrorInfo>StackTrace"`
	} `xml:"Results>UnitTestResult"`
	Tests []struct {
		ID     string `xml:"id,attr"`
		Method struct {
			Class string `xml:"className,attr"`
			Name  string `xml:"name,attr"`
		} `xml:"TestMethod"`
	} `xml:"TestDefinitions>UnitTest"`
}

// stackPlace is a frame of a .NET trace.
var stackPlace = regexp.MustCompile(` in (\S+?):line (\d+)`)

// buildPlace is how MSBuild names an error.
var buildPlace = regexp.MustCompile(`(?m)^\s*(\S+?)\((\d+),\d+\): error \w+: .*$`)

func readDotnet(o output) reading {
	r := reading{perTest: true, finished: len(o.trx) > 0}
	statuses := map[string]Status{"Passed": Passed, "Failed": Failed, "NotExecuted": Skipped, "Inconclusive": Skipped, "Error": Failed, "Timeout": Failed, "Aborted": Errored}
	for _, data := range o.trx {
		var run trxRun
		if xml.Unmarshal(data, &run) != nil {
			r.finished = false
			continue
		}
		classes := map[string]string{}
		for _, t := range run.Tests {
			classes[t.ID] = t.Method.Class
		}
		for _, x := range run.Results {
			t := Test{ID: x.Name, Status: statuses[x.Outcome], Millis: clockMillis(x.Duration), Message: strings.TrimSpace(x.Message)}
			if class := classes[x.TestID]; class != "" && !strings.HasPrefix(x.Name, class) {
				t.ID = class + nodeSeparator + x.Name
			}
			for _, m := range stackPlace.FindAllStringSubmatch(x.Stack, -1) {
				if f := inTree(m[1]); f != "" && t.File == "" {
					t.File, t.Line = f, atoi(m[2])
				}
			}
			if t.Status != "" {
				r.tests = append(r.tests, t)
			}
		}
	}
	text := clean(joinLogs(o.stdout, o.stderr))
	if m := buildPlace.FindStringSubmatch(text); m != nil && len(r.tests) == 0 {
		return reading{perTest: true, tests: []Test{{ID: buildID, Status: Errored, Message: uncompiled + strings.TrimSpace(m[0]), File: inTree(m[1]), Line: atoi(m[2])}}}
	}
	if len(r.tests) == 0 && !o.stopped && o.exit != 126 && o.exit != 127 {
		r.trouble = "dotnet test wrote no result" + withError(text)
	}
	return r
}

// clockMillis reads hh:mm:ss.fffffff.
func clockMillis(s string) int64 {
	t, err := time.Parse("15:04:05.9999999", s)
	if err != nil {
		return 0
	}
	return t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Milliseconds()
}
