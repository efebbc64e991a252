package testrun

import (
	"regexp"
	"strconv"
	"strings"
)

// tapLine is a test line of TAP (https://testanything.org/tap-version-14-specification.html).
var tapLine = regexp.MustCompile(`^( *)(not )?ok\b *(\d+)?(?: *-)? *(.*)$`)

var (
	tapPlan      = regexp.MustCompile(`^1\.\.(\d+)(?: *# *(?i:skip)\S* *(.*))?$`)
	tapDirective = regexp.MustCompile(`(?i) # *(skip|todo)\S*(?: +(.*))?$`)
)

// isTAP reports whether an output is TAP.
func isTAP(text string) bool {
	return strings.HasPrefix(text, "TAP version ") || regexp.MustCompile(`(?m)^1\.\.\d+`).MatchString(text) &&
		regexp.MustCompile(`(?m)^(not )?ok\b`).MatchString(text)
}

// readTAP reads the top-level tests of TAP output; subtests are part of their parent's message. The plan says whether all
// ran: what is missing is an error.
func readTAP(text string) (tests []Test, finished bool, trouble string) {
	plan, seen := -1, map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := tapPlan.FindStringSubmatch(line); m != nil {
			plan = atoi(m[1])
			if plan == 0 {
				return nil, true, strings.TrimSpace("all tests were skipped " + m[2])
			}
			continue
		}
		if strings.HasPrefix(line, "Bail out!") {
			return tests, false, "the tests bailed out: " + strings.TrimSpace(strings.TrimPrefix(line, "Bail out!"))
		}
		if m := tapLine.FindStringSubmatch(line); m != nil && m[1] == "" {
			tests = append(tests, tapResult(m, len(tests)+1, seen))
			continue
		}
		if n := len(tests); n > 0 && tests[n-1].Status == Failed && strings.TrimSpace(line) != "" && len(tests[n-1].Message) < maxMessage {
			tests[n-1].Message += strings.TrimPrefix(strings.TrimPrefix(line, "  "), "#") + "\n"
		}
	}
	for n := len(tests) + 1; n <= plan && len(tests) < 100_000; n++ {
		tests = append(tests, Test{ID: "test " + strconv.Itoa(n), Status: Errored, Message: "planned, but did not run"})
	}
	return tests, plan >= 0, ""
}

// tapResult makes a Test of a matched line.
func tapResult(m []string, number int, seen map[string]int) Test {
	t := Test{Status: Passed, ID: strings.TrimSpace(m[4])}
	if m[2] != "" {
		t.Status = Failed
	}
	if d := tapDirective.FindStringSubmatchIndex(" " + m[4]); d != nil {
		full := " " + m[4]
		t.ID, t.Status = strings.TrimSpace(full[:d[0]]), Skipped
		if d[4] >= 0 {
			t.Message = full[d[4]:d[5]]
		}
	}
	if t.ID == "" {
		t.ID = "test " + strconv.Itoa(number)
	}
	seen[t.ID]++
	if k := seen[t.ID]; k > 1 {
		t.ID += " #" + strconv.Itoa(k)
	}
	return t
}
