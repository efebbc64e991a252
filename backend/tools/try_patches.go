package tools

import (
	"context"
	_ "embed" // the description
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/policy"
	"redgreen/backend/testrun"
)

//go:embed try_patches.md
var tryPatchesDoc string

// Searching lists the tools that a search procedure has beside those of All: many edits in one call, and what tests
// execute. A language model is not told of them, so that its prompt does not grow.
func Searching() []Tool { return []Tool{traceCoverage(), tryPatches()} }

// The bounds of one call of try_patches.
const (
	trySeconds    = 60 // if the call does not say
	maxTrySeconds = 600
	enoughPass    = 8
	maxNotable    = 60 // candidates that a result tells of
	maxFixed      = 12 // tests that it lists of each
)

func tryPatches() Tool {
	return Tool{
		Name: "try_patches", Kind: policy.Try, Doc: tryPatchesDoc,
		Fields: []Field{
			{Name: "candidates", Type: Texts, Required: true, Doc: "each one or more edits: a line `@@ PATH FIRST-LAST`, then the new lines, each behind `|`; LAST one less than FIRST inserts before FIRST"},
			{Name: "seconds", Type: Integer, Min: 1, Max: maxTrySeconds, Doc: "begin no candidate after these; 60 if left out"},
			{Name: "kept", Type: Texts, Doc: "failing tests that the workspace as it is turns green already: they count as passing ones"},
			{Name: "test_millis", Type: Integer, Min: 50, Max: 600_000, Doc: "the processor time of one test; learned from the untouched copy if left out"},
			{Name: "quick_millis", Type: Integer, Min: 50, Max: 600_000, Doc: "what a failing test has of it at first; learned as well; as much as test_millis: nothing comes late"},
		},
		Object: func(a Args) string { return fmt.Sprintf("%d candidates", len(a.texts("candidates"))) },
		run:    runTry,
	}
}

func runTry(ctx context.Context, s *Set, a Args) (result, error) {
	texts := a.texts("candidates")
	red, green := s.keeping(a.texts("kept"))
	if len(red) == 0 {
		return result{failed: true, summary: "no failing test", head: "Nothing was tried: no test fails on the untouched copy, so nothing would tell a fix."}, nil
	}
	var candidates []testrun.Candidate
	var numbers []int
	refused := ""
	encodings := map[string]patch.Encoding{}
	for i, text := range texts {
		c, err := s.candidate(text, encodings)
		if err != nil {
			refused += fmt.Sprintf("#%d refused: %s\n", i+1, oneLine(err.Error(), 200))
			continue
		}
		candidates, numbers = append(candidates, c), append(numbers, i+1)
	}
	most := a.number("test_millis", s.testMillis())
	trials, problem, err := s.o.Runner.Try(ctx, s.o.Workspace.Dir(), s.o.Command, candidates, testrun.TryOptions{
		Red: red, Green: green, Test: time.Duration(most) * time.Millisecond,
		Quick: time.Duration(min(a.number("quick_millis", s.quickMillis()), most)) * time.Millisecond, Each: s.each(most), Hangs: s.hangs(),
		Wall: time.Duration(a.number("seconds", trySeconds)) * time.Second, Enough: enoughPass, Run: s.o.Baseline.Duration,
		Bytes: func(path, text string) ([]byte, error) { return encodings[path].Encode(text) },
	})
	if err != nil {
		return result{}, err
	}
	r := tried(trials, numbers, red)
	r.body = strings.TrimSpace(listed("not tried", trials, numbers, func(t testrun.Trial) bool { return !t.Tried }) +
		listed("late", trials, numbers, func(t testrun.Trial) bool { return t.Late }) + refused + r.body)
	if problem != "" {
		r.note = "Not all could be tried: " + oneLine(Visible(s.scrub(problem)), 300) + "."
	}
	return r, nil
}

// listed names the candidates of which something holds, as ranges in a line of their own; "" of none.
func listed(what string, trials []testrun.Trial, numbers []int, holds func(testrun.Trial) bool) string {
	var out []string
	for i := 0; i < len(trials); i++ {
		if !holds(trials[i]) {
			continue
		}
		j := i
		for j+1 < len(trials) && holds(trials[j+1]) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		out = append(out, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		i = j
	}
	if len(out) == 0 {
		return ""
	}
	return what + ": " + strings.Join(out, " ") + "\n"
}

// The least and the most processor time that a test has, in milliseconds, and how many times the slowest one's that is.
const (
	leastTest = 400
	mostTest  = 10_000
	slowTimes = 5

	// A failing test has less at first: of edits that make a loop endless there may be hundreds.
	leastQuick = 100
	quickTimes = 3
)

// testMillis is the time that a test may take, by what passing tests took on the untouched copy.
func (s *Set) testMillis() int {
	slowest := int64(0)
	for _, t := range s.o.Baseline.Tests {
		if t.Status == testrun.Passed {
			slowest = max(slowest, t.Millis)
		}
	}
	return int(min(max(slowest*slowTimes, leastTest), mostTest))
}

// quickMillis is what a failing test has at first: a few times what those took on the untouched copy that ended by
// themselves, and what passing tests take in the middle, which a few slow ones do not raise.
func (s *Set) quickMillis() int {
	var passing []int64
	most := int64(0)
	for _, t := range s.o.Baseline.Tests {
		switch {
		case t.Status == testrun.Passed:
			passing = append(passing, t.Millis)
		case t.Status == testrun.Failed && !tooLong(t):
			most = max(most, t.Millis)
		}
	}
	if len(passing) > 0 {
		slices.Sort(passing)
		most = max(most, passing[len(passing)/2])
	}
	return int(max(most*quickTimes, leastQuick))
}

func tooLong(t testrun.Test) bool { return strings.Contains(t.Message, testrun.TooLong) }

// hangs reports that a test never ends on the untouched copy.
func (s *Set) hangs() bool { return slices.ContainsFunc(s.o.Baseline.Tests, tooLong) }

// each is what each passing test may take, by what it took on the untouched copy, where that is less than what any may.
func (s *Set) each(most int) map[string]time.Duration {
	out := map[string]time.Duration{}
	for _, t := range s.o.Baseline.Tests {
		if n := max(t.Millis*slowTimes, leastTest); t.Status == testrun.Passed && n < int64(most) {
			out[t.ID] = time.Duration(n) * time.Millisecond
		}
	}
	return out
}

// redGreen are the tests that fail and those that pass on the untouched copy.
func (s *Set) redGreen() (red, green []string) {
	for _, t := range s.o.Baseline.Tests {
		switch t.Status {
		case testrun.Failed, testrun.Errored:
			red = append(red, t.ID)
		case testrun.Passed:
			green = append(green, t.ID)
		case testrun.Skipped:
		}
	}
	return red, green
}

// keeping is redGreen where some of the failing tests pass already.
func (s *Set) keeping(kept []string) (red, green []string) {
	all, green := s.redGreen()
	for _, id := range all {
		if slices.Contains(kept, id) {
			green = append(green, id)
		} else {
			red = append(red, id)
		}
	}
	return red, green
}

// tried puts the fates of candidates into words: totals, then the notable ones, those that pass everything first.
func tried(trials []testrun.Trial, numbers []int, red []string) result {
	var passing, partial []string
	n, unbuilt, hung, crashed, late := 0, 0, 0, 0, 0
	last := 0
	for i, t := range trials {
		if !t.Tried {
			continue
		}
		n, last = n+1, numbers[i]
		switch {
		case t.Late:
			late++
		case t.Passes():
			passing = append(passing, fmt.Sprintf("#%d passes all tests", numbers[i])+besides(t))
		case t.All:
			partial = append(partial, fmt.Sprintf("#%d passes the failing tests, breaks: %s", numbers[i], strings.Join(t.Broken, " | ")))
		case len(t.Fixed) > 0:
			line := fmt.Sprintf("#%d passes %d of %d failing tests", numbers[i], len(t.Fixed), len(red))
			switch {
			case !t.Whole:
				line += ", the others were not run"
			case len(t.Broken) > 0:
				line += ", breaks some"
			}
			partial = append(partial, line+": "+strings.Join(t.Fixed[:min(len(t.Fixed), maxFixed)], " | "))
		case !t.Built:
			unbuilt++
		case t.Crashed:
			crashed++
		case len(t.Hung) > 0:
			hung++
		}
	}
	r := result{summary: plural(n-late, "edit") + " tried, " + passed(len(passing))}
	r.head = fmt.Sprintf("Tried %d of %d candidates, up to #%d: %d pass all tests, %d do in part, %d cannot be loaded or built, %d hang, %d crash, %d take long and had little time; the others change no failing test.",
		n, len(trials), last, len(passing), len(partial), unbuilt, hung, crashed, late)
	if left := len(passing) + len(partial) - maxNotable; left > 0 {
		r.note = fmt.Sprintf("%d more are left out.", left)
		partial = partial[:max(0, len(partial)-left)]
	}
	r.body = strings.Join(slices.Concat(passing, apart(trials, numbers), partial), "\n")
	return r
}

// besides says what a candidate does with inputs that no test has, where that was looked at.
func besides(t testrun.Trial) string {
	if t.Raises[1] == 0 {
		return ""
	}
	said := fmt.Sprintf("; near the inputs of passing tests it changes %d of %d results, near those of all it raises on %d of %d", t.Near[0], t.Near[1], t.Raises[0], t.Raises[1])
	if t.Endless > 0 {
		said += fmt.Sprintf(", does not end on %d", t.Endless)
	}
	if t.Touches > 0 {
		said += fmt.Sprintf(", and changes what it is given on %d", t.Touches)
	}
	return said
}

// apart says which of those that pass all tests do the same with inputs that no test has, and by which of them the others
// are told apart.
func apart(trials []testrun.Trial, numbers []int) []string {
	var out []string
	for i, t := range trials {
		if t.Group != i+1 {
			continue
		}
		var same []string
		for j, u := range trials {
			if u.Group == t.Group {
				same = append(same, fmt.Sprintf("#%d", numbers[j]))
			}
		}
		out = append(out, strings.Join(same, " ")+" alike")
		for _, d := range t.Differs {
			if d.Other < len(numbers) {
				out = append(out, fmt.Sprintf("#%d and #%d differ on %s\t%s\t%s", numbers[i], numbers[d.Other], oneField(d.Input), oneField(d.Gives[0]), oneField(d.Gives[1])))
			}
		}
	}
	return out
}

// oneField is a text with no tab or line end.
func oneField(text string) string {
	return strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(text)
}

// change is the new text of some lines of a file; last one less than first inserts before first.
type change struct {
	first, last int
	lines       []string
}

// candidate turns the text of one into the files as they would be; encodings takes in how each is written.
func (s *Set) candidate(text string, encodings map[string]patch.Encoding) (testrun.Candidate, error) {
	edits, err := changes(text)
	if err != nil {
		return nil, err
	}
	c := testrun.Candidate{}
	for p, list := range edits {
		if testrun.TestFile(p) {
			return nil, fmt.Errorf("%s is a test; a fix changes the code", p)
		}
		data, err := s.o.Workspace.Read(p)
		if err != nil {
			return nil, fmt.Errorf("%s", s.scrub(err.Error()))
		}
		text, enc, err := patch.Decode(data)
		if err != nil {
			return nil, err
		}
		if c[p], err = edited(p, text, list); err != nil {
			return nil, err
		}
		if _, err := enc.Encode(c[p]); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		encodings[p] = enc
	}
	return c, nil
}

// changes reads the edits of a candidate, by file.
func changes(text string) (map[string][]change, error) {
	edits := map[string][]change{}
	var path string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch head, isHead := strings.CutPrefix(line, "@@ "); {
		case isHead:
			i := strings.LastIndexByte(head, ' ')
			if i < 0 {
				return nil, fmt.Errorf("%q names no lines", head)
			}
			from, to, _ := strings.Cut(head[i+1:], "-")
			first, err1 := strconv.Atoi(from)
			last, err2 := strconv.Atoi(to)
			if err1 != nil || err2 != nil || first < 1 || last < first-1 {
				return nil, fmt.Errorf("%q are no lines", head[i+1:])
			}
			path = clean(head[:i])
			edits[path] = append(edits[path], change{first: first, last: last})
		case path == "" || !strings.HasPrefix(line, "|"):
			return nil, fmt.Errorf("a line of new text begins with |")
		default:
			e := &edits[path][len(edits[path])-1]
			e.lines = append(e.lines, line[1:])
		}
	}
	if len(edits) == 0 {
		return nil, fmt.Errorf("it has no edit")
	}
	return edits, nil
}

// edited is the text of a file after edits in the order of its lines. A last line without an end has none after them.
func edited(path, text string, list []change) (string, error) {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	open := text != "" && !strings.HasSuffix(text, "\n")
	if open {
		text += end
	}
	lines := strings.SplitAfter(text, "\n")
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		if e.last > len(lines) || i > 0 && list[i-1].last >= e.first {
			return "", fmt.Errorf("lines %d-%d of %s do not fit", e.first, e.last, path)
		}
		var put []string
		for _, l := range e.lines {
			put = append(put, l+end)
		}
		lines = append(lines[:e.first-1:e.first-1], append(put, lines[e.last:]...)...)
	}
	text = strings.Join(lines, "")
	if open {
		text = strings.TrimSuffix(text, end)
	}
	return text, nil
}

// passed says how many edits pass every test.
func passed(n int) string {
	switch n {
	case 0:
		return "none passes all tests"
	case 1:
		return "1 passes all tests"
	}
	return fmt.Sprintf("%d pass all tests", n)
}
