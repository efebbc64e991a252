package app

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"redgreen/backend/agent"
	"redgreen/backend/proof"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// printProposal shows the diff and its certificate before the question.
func (c *command) printProposal(s session.State) {
	fmt.Fprintln(c.err)
	printProof(c.err, s, c.tty)
	c.shown = c.screen
}

// printProof shows a diff and its certificate. On a screen the hashes of files are cut short; elsewhere the diff can be
// applied as it is.
func printProof(w io.Writer, s session.State, screen bool) {
	if !s.Patch.Empty() {
		diff := visible(s.Patch.String())
		if screen {
			diff = fileHashes.ReplaceAllString(diff, "index $1..$2")
		}
		fmt.Fprint(w, diff)
	}
	if s.Summary != "" && !s.Patch.Empty() {
		fmt.Fprintf(w, "\n%s:\n%s", printable(s.Model.Label, 200), wrapped(s.Summary, 100, "  "))
	}
	var cert proof.Certificate
	if decodeCertificate(s.Certificate, &cert) {
		printCertificate(w, cert)
	}
	printReview(w, s)
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

// printReview says what stands beside the certificate: what else was checked, which test covers which criterion, the
// parts that were proven one after another, and what deserves a second look.
func printReview(w io.Writer, s session.State) {
	if s.Label != "" {
		fmt.Fprintf(w, "%s\n", printable(s.Label, 1000))
	}
	for _, c := range s.Criteria {
		where := strings.Join(c.Tests, ", ")
		if where == "" {
			where = "no test names it"
		}
		fmt.Fprintf(w, "%s: %s\n", printable(c.ID+" "+c.Text, 300), printable(where, 300))
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
		printProof(c.out, s, c.screen)
	}
	end := fmt.Sprintf("%s · %s · %s · %s tokens", outcomeWord(s.Outcome), countOf(s.Steps, "step"),
		money(s.MicroUSD, s.Priced, s.Model.Local), thousands(s.Usage.Total()))
	switch {
	case s.Source != "":
		end += fmt.Sprintf(" · imported from %s; nothing of it was checked here", printable(s.Source, 300))
	case s.Applied:
		end += fmt.Sprintf(" · %s written; undo: redgreen sessions undo %s", countOf(len(s.Patch.Files), "file"), s.ID)
	case !s.Patch.Empty():
		end += " · nothing in the folder has changed"
		if agent.CanApprove(s) && s.Source == "" {
			end += "; to write it: redgreen sessions approve " + s.ID
		}
	}
	fmt.Fprintln(c.out, end)
}

// printCertificate says the proof in sentences.
func printCertificate(w io.Writer, cert proof.Certificate) {
	fmt.Fprintf(w, "\ncertificate: %s\n", stateWord(string(cert.State)))
	for _, r := range cert.Reasons {
		fmt.Fprintf(w, "  %s\n", printable(r, 400))
	}
	list := func(title string, ids []string) {
		if len(ids) == 0 {
			return
		}
		fmt.Fprintf(w, "  %s:\n", title)
		for i, id := range ids {
			if i == 20 {
				fmt.Fprintf(w, "    … and %d more\n", len(ids)-i)
				break
			}
			fmt.Fprintf(w, "    %s\n", printable(id, 200))
		}
	}
	list("red before, green now", cert.RedToGreen)
	list("broken", cert.Broken)
	list("red before and still", cert.PreExisting)
	list("flaky", cert.Flaky)
	list("no verdict", cert.Infrastructure)
	for _, f := range cert.Integrity {
		fmt.Fprintf(w, "  look at %s:%d: %s\n", printable(f.File, 4096), f.Line, printable(f.Rule+": "+f.Text, 200))
	}
	for i, f := range cert.Static {
		if i == 10 {
			fmt.Fprintf(w, "    … and %d more\n", len(cert.Static)-i)
			break
		}
		fmt.Fprintf(w, "  new from %s at %s:%d: %s\n", printable(f.Tool, 40), printable(f.File, 4096), f.Line, printable(strings.TrimSpace(f.Rule+" "+f.Text), 200))
	}
	if cert.RuntimeLabel == "" {
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintf(w, "  %d still green, %d skipped; run %s%s: %s\n", cert.StillGreen, cert.Skipped, certRung(cert.RuntimeLabel), toolchainWords(cert), printable(strings.Join(cert.Command, " "), 1000))
	for _, s := range append(cert.Warnings, cert.NotCovered...) {
		fmt.Fprintf(w, "  %s\n", printable(s, 400))
	}
	fmt.Fprintf(w, "  base %s, patch %s\n\n", shortHash(cert.BaseHash), shortHash(cert.PatchHash))
}

// toolchainWords names what the tests ran with, as in " with python 3.11.2, pytest 7.2.1 of the host".
func toolchainWords(cert proof.Certificate) string {
	var tools []string
	for _, t := range cert.Toolchain {
		tools = append(tools, printable(strings.TrimSpace(t.Name+" "+t.Version), 80))
	}
	if len(tools) == 0 {
		return ""
	}
	base := "the image " + printable(cert.Base, 200)
	if cert.Base == "host" {
		base = "the host"
	}
	return " with " + strings.Join(tools, ", ") + " of " + base
}

// printRun shows a test run: what failed, with its message, then the counts.
// told says on stderr what a test run waits for before its tests.
func (c *command) told(text string) {
	if text != "" {
		fmt.Fprintf(c.err, "   %s…\n", strings.ToLower(text[:1])+text[1:])
	}
}

func (c *command) printRun(r testrun.Run) {
	if r.Infrastructure && r.Runtime == "" { // nothing has run: there is nothing to count
		fmt.Fprintf(c.out, "no test was run: %s\n", printable(r.Reason, 500))
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
	fmt.Fprintf(c.out, "%d passed, %d failed, %d skipped in %s (%s)\n", passed, failed, skipped, millis(r.Duration.Milliseconds()), r.Runtime)
	if r.Reason != "" {
		fmt.Fprintf(c.out, "%s\n", printable(r.Reason, 500))
	}
	if !r.PerTest && !r.Infrastructure {
		fmt.Fprintf(c.out, "only the exit status %d is known: this runner's output is not read test by test\n", r.ExitCode)
	}
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// certRung says where a certificate's tests ran.
func certRung(label string) string {
	if label == "no isolation" {
		return "with NO ISOLATION"
	}
	return "in a sandbox (" + printable(label, 100) + ")"
}
