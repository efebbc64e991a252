package testrun

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The console launcher of the JUnit Platform prints a tree of all that ran, and behind it what is said of each failure. A test is named
// as our reports name one, class and method, as far as the tree tells them: the package stands in the class's source.

var (
	consoleNode    = regexp.MustCompile(`(?m)^((?:[│|] {1,2}| {2,3})*)(├─|└─|\+--|'--) (.+?) (✔|✘|↷|■|\[OK\]|\[X\]|\[S\]|\[A\])(?: (.*))?$`)
	consoleStarted = regexp.MustCompile(`(?m)^\[ +(\d+) tests started +\]$`)
	consoleBlocks  = regexp.MustCompile(`(?m)^Failures \(\d+\):\n`)
	consoleFrame   = regexp.MustCompile(`(?m)^\s+((?:[\w.$]+/)?[\w.$]+\.[\w$<>]+\([\w$]+\.\w+:\d+\))$`)
	consoleSource  = regexp.MustCompile(`^\s+(?:Method|Class)Source \[.*\]\n`)
	javaPackage    = regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)\s*;`)
)

var consoleStatus = map[string]Status{"✔": Passed, "[OK]": Passed, "✘": Failed, "[X]": Failed, "↷": Skipped, "[S]": Skipped, "■": Skipped, "[A]": Skipped}

// readJUnitConsole is false where the output has no such tree, or not as many tests in it as it says that were started.
func readJUnitConsole(o output) (reading, bool) {
	text := clean(o.stdout)
	started := consoleStarted.FindAllStringSubmatch(text, -1)
	nodes := consoleNode.FindAllStringSubmatch(text, -1)
	if o.stopped || len(started) != 1 || len(nodes) == 0 {
		return reading{}, false
	}
	said := consoleFailures(text)
	sources := javaSources{o, map[string]string{}}
	var tests []Test
	var path []string
	ran := 0
	depth := func(n []string) int {
		if n[2][0] == '+' || n[2][0] == '\'' {
			return len(n[1]) / 2
		}
		return utf8.RuneCountInString(n[1]) / 3
	}
	for i, n := range nodes {
		at := depth(n)
		if at > len(path) {
			return reading{}, false
		}
		path = append(path[:at], n[3])
		leaf := i+1 == len(nodes) || depth(nodes[i+1]) <= at
		if !leaf || at < 2 && (at == 0 || consoleStatus[n[4]] == Passed) { // an engine, or a class without tests
			continue
		}
		t := Test{ID: consoleID(o.tree, path), Status: consoleStatus[n[4]]}
		if n[4] != "↷" && n[4] != "[S]" {
			ran++
		}
		if t.Status == Failed {
			t.Message, t.File, t.Line = sources.message(said[strings.Join(path, ":")])
			if t.Message == "" {
				t.Message = n[5]
			}
		}
		tests = append(tests, t)
	}
	return reading{tests: tests, perTest: true, finished: true}, ran == atoi(started[0][1]) && ran > 0
}

// consoleFailures gives what is said of each failure, by its place in the tree.
func consoleFailures(text string) map[string]string {
	all := map[string]string{}
	at := consoleBlocks.FindStringIndex(text)
	if at == nil {
		return all
	}
	text, _, _ = strings.Cut(text[at[1]:], "\n\nTest run finished")
	for block := range strings.SplitSeq("\n"+text, "\n  JUnit ") {
		name, rest, _ := strings.Cut(block, "\n")
		rest = strings.TrimPrefix(strings.TrimSpace(consoleSource.ReplaceAllString(rest, "")), "=> ")
		all["JUnit "+name] = consoleFrame.ReplaceAllString(rest, "\tat $1")
	}
	return all
}

// consoleID names a test by its place in the tree: engine, class, nested classes or the method that has cases, test.
func consoleID(f folder, path []string) string {
	if len(path) == 2 {
		return consoleClass(f, path[1])
	}
	class, name := consoleClass(f, path[1]), path[len(path)-1]
	for _, inner := range path[2 : len(path)-1] {
		method, _, isMethod := strings.Cut(inner, "(")
		switch {
		case isMethod && javaName.MatchString(method):
			name = method + " " + name
		case javaName.MatchString(inner):
			class += "$" + inner
		case path[0] == "JUnit Vintage": // a row of parameters, which the test's name has, too
		default:
			name = inner + " " + name
		}
	}
	return class + nodeSeparator + name
}

// consoleClass is a class with its package, as it stands in its source.
func consoleClass(f folder, name string) string {
	if javaName.MatchString(name) {
		if p := javaFile(f, name+".java"); p != "" {
			if m := javaPackage.FindStringSubmatch(f.read(p)); m != nil {
				return m[1] + "." + name
			}
		}
	}
	return name
}
