package app

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"redgreen/backend/agent"
	"redgreen/backend/proof"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// printProposal shows the diff and its certificate before the question.
func (c *command) printProposal(s session.State) {
	fmt.Fprintln(c.err)
	printProof(c.err, s)
	c.shown = c.screen
}

// diffText is a session's diff as people read it and git applies it: the hashes of its files are cut short.
func diffText(s session.State) string {
	return fileHashes.ReplaceAllString(visible(s.Patch.String()), "index $1..$2")
}

// printProof shows a diff and its certificate.
func printProof(w io.Writer, s session.State) {
	fmt.Fprint(w, diffText(s))
	if s.Summary != "" && !s.Patch.Empty() {
		fmt.Fprintf(w, "\n%s:\n%s", printable(s.Model.Label, 200), wrapped(s.Summary, 100, "  "))
	}
	cert, known := proof.Read(s.Certificate)
	cert.Criteria = agent.Held(s, cert)
	if known {
		printCertificate(w, cert)
		fmt.Fprintln(w)
	} else {
		certificateText{w, cert}.criteria()
	}
	printReview(w, s, cert)
}

// wrapped breaks a text into lines of at most width characters, as far as its words allow.
func wrapped(text string, width int, indent string) string {
	var b strings.Builder
	for _, paragraph := range strings.Split(strings.TrimSpace(visible(text)), "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if line != "" && utf8.RuneCountInString(indent+line+" "+word) > width {
				b.WriteString(indent + line + "\n")
				line = ""
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return b.String()
}

// printReview says what stands beside the certificate: what else was checked, where an older certificate does not say it,
// the parts that were proven one after another, and what deserves a second look.
func printReview(w io.Writer, s session.State, cert proof.Certificate) {
	if s.Label != "" && s.Label != cert.Checked {
		fmt.Fprintf(w, "%s\n", printable(s.Label, 1000))
	}
	if s.Doubt != "" {
		fmt.Fprintf(w, "choose:\n%s\n", wrapped(s.Doubt, 100, "  "))
	}
	for _, p := range s.Parts {
		fmt.Fprintf(w, "part %d, proven by itself (patch %s): %s\n", p.Number, shortHash(p.PatchHash), printable(p.Summary, 300))
		for i, id := range p.Gained {
			if i == 5 {
				fmt.Fprintf(w, "    … and %d more\n", len(p.Gained)-i)
				break
			}
			fmt.Fprintf(w, "    green since then: %s\n", printable(id, 200))
		}
	}
	for _, m := range agent.Scrutiny(s.Patch) {
		fmt.Fprintf(w, "look twice at %s:%d (%s): %s\n", printable(m.File, 4096), m.Line, m.Kind, printable(m.Why, 200))
	}
}

// shortHash is the beginning of a hash; an imported record can have any text in its place.
func shortHash(hash string) string { return printable(hash[:min(len(hash), 12)], 12) }

// fileHashes matches a diff's line with the hashes of a file.
var fileHashes = regexp.MustCompile(`(?m)^index ([0-9a-f]{12})[0-9a-f]*\.\.([0-9a-f]{12})[0-9a-f]*`)

// printEnd is the last word on stdout: the diff, its certificate, and what became of it.
func (c *command) printEnd(s session.State) {
	if !c.shown {
		printProof(c.out, s)
	}
	word, cut := outcomeWord(s.Outcome), c.core != nil && c.core.interrupted(s)
	if cut {
		word = "interrupted"
	}
	end := fmt.Sprintf("%s · %s · %s", word, countOf(s.Steps, "step"), money(s.MicroUSD, s.Priced, s.Model.Local))
	if s.Usage.Known || s.Source == "" {
		end += " · " + thousands(s.Usage.Total()) + " tokens"
	}
	switch {
	case s.Source != "":
		end += fmt.Sprintf(" · imported from %s; nothing of it was checked here", printable(s.Source, 300))
	case s.Applied:
		end += fmt.Sprintf(" · %s written; undo: redgreen sessions undo %s", countOf(len(s.Patch.Files), "file"), s.ID)
	case s.Receipt != nil:
		end += " · what it wrote was taken back; to write it again: redgreen sessions redo " + s.ID
	case !s.Patch.Empty():
		end += " · nothing in the folder has changed"
		if agent.CanApprove(s) && s.Source == "" {
			end += "; to write it: redgreen sessions approve " + s.ID
		}
	}
	if cut {
		end += "; to go on with it: redgreen sessions resume " + s.ID
	}
	fmt.Fprintln(c.out, end)
}

// told says on stderr what a test run waits for before its tests; on a terminal the meter does.
func (c *command) told(text string) {
	c.waits.Store(text)
	if text != "" && !c.colour {
		fmt.Fprintln(c.err, waitWords(text))
	}
}

// waitWords are a text of what is waited for as a line of the trace.
func waitWords(text string) string { return "   " + strings.ToLower(text[:1]) + text[1:] + "…" }

// printRun shows a test run: what failed, with its message, then the counts.
func (c *command) printRun(r testrun.Run) {
	if r.Infrastructure && r.Runtime == "" { // nothing has run: there is nothing to count
		fmt.Fprintf(c.out, "no test was run: %s\n", onTerminal(r.Reason, wholeReason))
		return
	}
	for _, t := range r.Tests {
		if t.Status != testrun.Failed && t.Status != testrun.Errored {
			continue
		}
		fmt.Fprintf(c.out, "%s  %s\n", t.Status, printable(t.ID, 300))
		if t.Message != "" {
			fmt.Fprintf(c.out, "    %s\n", strings.ReplaceAll(visible(strings.TrimSpace(t.Message)), "\n", "\n    "))
		}
	}
	passed, failed, skipped := r.Counts()
	words := fmt.Sprintf("%d passed, %d failed, %d skipped in ", passed, failed, skipped)
	switch {
	case r.Infrastructure && len(r.Tests) == 0:
		words = "no verdict after "
	case r.Infrastructure:
		words = "no verdict; until then " + words
	}
	fmt.Fprintf(c.out, "%s%s; isolation: %s\n", words, millis(r.Duration.Milliseconds()), isolation(r.Runtime, r.Rung.Label))
	if r.Reason != "" {
		fmt.Fprintln(c.out, onTerminal(stopWords(r.Reason), wholeReason))
	}
	if !r.PerTest && !r.Infrastructure {
		fmt.Fprintf(c.out, "only the exit status %d is known: this runner's output is not read test by test\n", r.ExitCode)
	}
}

// wholeReason is how long a reason may be where it stands alone: longer than those of runners, so that the next step at its end is shown.
const wholeReason = 4000

// stopWords are a run's reason, in words where it is that the sandbox stopped the run; the page has the same.
func stopWords(reason string) string {
	words, stopped := map[sandbox.Reason]string{sandbox.Timeout: "it took too long", sandbox.Memory: "it ran out of memory", sandbox.Processes: "it started too many processes",
		sandbox.Disk: "it wrote too much", sandbox.Output: "it printed too much", sandbox.Cancelled: "it was cancelled"}[sandbox.Reason(reason)]
	if !stopped {
		return reason
	}
	return "stopped: " + words
}

// onTerminal is a text for people as a terminal shows it, without what only a window has to click.
func onTerminal(text string, n int) string {
	return printable(strings.ReplaceAll(text, testrun.InWindow, ""), n)
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// isolation names what tests ran in, so that nobody takes none for a sandbox: container (runc).
func isolation(name, label string) string {
	switch {
	case name == "none" || label == "no isolation":
		return "NONE (" + noneWords + ")"
	case label == "" || label == name:
		return printable(name, 100)
	}
	return fmt.Sprintf("%s (%s)", printable(label, 100), printable(name, 100))
}

func isolationOf(r sandbox.Rung) string { return isolation(r.Name, r.Label) }
