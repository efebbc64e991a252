package testrun

import (
	"regexp"
	"slices"
	"strings"
)

// noTestFiles is how Jest, Vitest and Mocha say that there is nothing to run.
var noTestFiles = regexp.MustCompile(`(?m)^\s*(?:Error: )?No test(?:s| files) found`)

// readECMA reads the lines of our reporters for Jest and Mocha.
func readECMA(o output, name string) reading {
	r := reading{perTest: true}
	seen := map[string]int{}
	running := []string{}
	ended := func(id string) {
		running = slices.DeleteFunc(running, func(s string) bool { return s == id })
	}
	r.finished = events(o.report, func(e event) {
		id := strings.TrimPrefix(e.ID, workspacePath+"/")
		switch e.Event {
		case "start":
			running = append(running, id)
		case "done":
			ended(id)
		case "test":
			ended(id)
			t := Test{ID: id, Status: e.Status, Millis: e.Millis}
			switch {
			case e.Status == Errored:
				t.Message, t.File = loadError(e.Text), inTree(id)
				if m := sourcePlace.FindStringSubmatch(clean([]byte(e.Text))); m != nil && inTree(m[1]) != "" {
					t.File, t.Line = inTree(m[1]), atoi(m[2])
				}
			default:
				t.ID = numbered(seen, id)
				if t.Message, t.File, t.Line = nodeMessage(stripEscapes(e.Text)); e.Status == Passed {
					t.Message, t.File, t.Line = "", "", 0
				}
			}
			r.tests = append(r.tests, t)
		}
	})
	text := clean(joinLogs(o.stdout, o.stderr))
	switch {
	case !r.finished && len(running) > 0:
		for _, id := range running[:min(len(running), 20)] {
			r.tests = append(r.tests, crashed(id, o))
		}
	case len(r.tests) > 0 || o.stopped || o.exit == 126 || o.exit == 127:
	case noTestFiles.MatchString(text) || r.finished && o.exit == 0:
		r.trouble, r.empty = name+" found no test", true
	default:
		if t, ok := unloaded(o, text); ok {
			r.tests = append(r.tests, t)
			return r
		}
		r.trouble = name + " wrote no report" + withError(text)
	}
	if r.trouble == "" {
		r.trouble = contradicts(name, o, r)
	}
	return r
}

// sourcePlace is the place in a file that could not be loaded: "at …", a parser's "file: text (2:8)" or "file:2".
var sourcePlace = regexp.MustCompile(`(?m)SyntaxError: ([^\s:]+): .*\((\d+):\d+\)|^\s*(?:at \S+ \()?((?:[\w@.-]+/)*[\w.-]+\.[cm]?[jt]sx?):(\d+)`)

// loadError keeps of Jest's long advice about a file that it cannot run what is about this file.
func loadError(text string) string {
	text = clean([]byte(text))
	if i := strings.Index(text, "Details:\n"); i >= 0 {
		text = text[i+len("Details:\n"):]
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return strings.Contains(l, "node_modules/") || strings.HasPrefix(strings.TrimSpace(l), "at node:")
	})
	return dedent(strings.Join(lines[:min(len(lines), 15)], "\n"))
}

// requireStack names the file that asked for what is not there.
var requireStack = regexp.MustCompile(`(?m)^Require stack:\n- (\S+)`)

// unloaded is the errored result of a file that Node could not load, which ends Mocha before its first test.
func unloaded(o output, text string) (Test, bool) {
	lines := strings.Split(strings.ReplaceAll(text, " Exception during run: ", ""), "\n") // Mocha's own words
	i := slices.IndexFunc(lines, func(l string) bool { return scriptError.MatchString(strings.TrimSpace(l)) })
	if i < 0 {
		return Test{}, false
	}
	t := Test{Status: Errored, Message: errorBlock(lines, i)}
	for from := i - 1; from >= max(0, i-6) && t.ID == ""; from-- {
		if m := scriptPlace.FindStringSubmatch(lines[from]); m != nil {
			t.ID, t.Line = inTree(m[1]), atoi(m[2])
		}
	}
	if m := requireStack.FindStringSubmatch(text); t.ID == "" && m != nil {
		t.ID = inTree(m[1])
	}
	t.File = t.ID
	return t, t.ID != ""
}

// vitestPlace is a frame of Vitest's trace.
var vitestPlace = regexp.MustCompile(`(?m)^\s*❯ (?:\S+ )?([^\s:]+):(\d+):\d+$`)

// readVitest reads its JUnit report, in which a file that could not be loaded is a case named as itself.
func readVitest(o output) reading {
	r := readXML(o, "vitest")
	for i := range r.tests {
		t := &r.tests[i]
		if t.ID = o.under(t.ID); t.Status != Failed {
			continue
		}
		t.Message = clean([]byte(t.Message))
		for _, m := range vitestPlace.FindAllStringSubmatch(t.Message, -1) {
			if f := inTree(m[1]); f != "" && !strings.Contains(f, "node_modules/") && t.File == "" {
				t.File, t.Line = f, atoi(m[2])
			}
		}
		t.Message = loadError(t.Message)
		if !strings.Contains(t.ID, nodeSeparator) && ecmaTest(t.ID) {
			t.Status = Errored
		}
	}
	if text := clean(joinLogs(o.stdout, o.stderr)); len(r.tests) == 0 && noTestFiles.MatchString(text) {
		r.trouble, r.empty = "vitest found no test", true
	}
	return r
}
