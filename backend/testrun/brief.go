package testrun

import (
	"fmt"
	"slices"
	"strings"
)

// Brief is what a model gets: counts, failing tests with their assertions and lines, at most max bytes. cut tells that
// something was left out; the text then says how much.
func (r Run) Brief(max int) (text string, cut bool) {
	head := r.headline()
	if _, failed, _ := r.Counts(); r.Infrastructure && failed == 0 {
		if tail := lastLines(r.Log, 15); tail != "" {
			head += "\nThe end of the output:\n" + tail
		}
	}
	var failing []Test
	for _, t := range r.Tests {
		parent := t.Message == "" && slices.ContainsFunc(r.Tests, func(c Test) bool {
			return c.Status == Failed && (strings.HasPrefix(c.ID, t.ID+"/") || strings.HasPrefix(c.ID, t.ID+nodeSeparator))
		})
		if !parent && (t.Status == Failed || t.Status == Errored) {
			failing = append(failing, t)
		}
	}
	if len(head) > max {
		return shorten(head, max), true
	}
	const note = "\n\n[… %d more failing tests left out: run one of them by its id to see it]\n"
	var b strings.Builder
	b.WriteString(head)
	for i, t := range failing {
		entry := "\n\n" + t.brief()
		room := max - b.Len() - len(fmt.Sprintf(note, len(failing)))
		if len(entry) <= room || i == len(failing)-1 && b.Len()+len(entry) <= max {
			b.WriteString(entry)
			continue
		}
		if i == 0 && room > 200 { // at least the first assertion, shortened
			b.WriteString(shorten(entry, room))
			i++
		}
		if left := len(failing) - i; left > 0 && b.Len()+len(fmt.Sprintf(note, left)) <= max {
			fmt.Fprintf(&b, note, left)
		}
		return b.String(), true
	}
	return b.String(), false
}

// headline is the one sentence about a run.
func (r Run) headline() string {
	passed, failed, skipped := r.Counts()
	switch {
	case r.Infrastructure && len(r.Tests) == 0:
		return "No verdict: " + r.Reason + "."
	case r.Infrastructure:
		return fmt.Sprintf("No verdict: %s. Until then: %d passed, %d failed, %d skipped.", r.Reason, passed, failed, skipped)
	case !r.PerTest && r.ExitCode == 0:
		return "The command ended with exit status 0. Only the exit status is known, not single tests."
	case !r.PerTest:
		return fmt.Sprintf("The command ended with exit status %d. Only the exit status is known, not single tests.", r.ExitCode)
	}
	return fmt.Sprintf("%d passed, %d failed, %d skipped.", passed, failed, skipped)
}

// brief is one failing test.
func (t Test) brief() string {
	mark := "FAILED"
	if t.Status == Errored {
		mark = "ERROR"
	}
	head := mark + " " + t.ID
	if t.File != "" && t.Line > 0 {
		head += fmt.Sprintf("\n  at %s:%d", t.File, t.Line)
	}
	if t.Message == "" {
		return head
	}
	return head + "\n  " + strings.ReplaceAll(shorten(t.Message, 1500), "\n", "\n  ")
}

// Once is a run for a reader who remembers: a place that stands above a message is not repeated in it, and of failures that end
// in the same output, a traceback as a rule, only the first has it.
func (r Run) Once() Run {
	r.Tests = slices.Clone(r.Tests)
	first := map[string]string{} // end of a message → the test that has it
	for i, t := range r.Tests {
		if t.Status != Failed && t.Status != Errored || t.Message == "" {
			continue
		}
		t.Message = t.withoutPlace()
		if head, end, ok := strings.Cut(t.Message, "\ncaptured: "); ok && len(end) > leastRepeated {
			if as, seen := first[end]; seen {
				t.Message = head + "\ncaptured: the same as of " + as
			} else {
				first[end] = t.ID
			}
		}
		r.Tests[i] = t
	}
	return r
}

// leastRepeated is the length from which an output is not given twice, in bytes: less than that costs as much as saying so.
const leastRepeated = 160

// withoutPlace is a message without what stands above it.
func (t Test) withoutPlace() string {
	if t.File == "" || t.Line <= 0 {
		return t.Message
	}
	at := fmt.Sprintf("%s:%d", t.File, t.Line)
	var kept []string
	for i, line := range strings.Split(t.Message, "\n") {
		if i == 0 {
			line = strings.TrimPrefix(line, at+": ")
		}
		if trimmed := strings.TrimSpace(line); trimmed != "at "+at && trimmed != "^" {
			kept = append(kept, line)
		}
	}
	return strings.TrimRight(strings.Join(kept, "\n"), "\n")
}
