package app

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"redgreen/backend/proof"
)

// certificateText writes a certificate line by line, each with what it is.
type certificateText struct {
	w    io.Writer
	cert proof.Certificate
}

// printCertificate says the proof in sentences.
func printCertificate(w io.Writer, cert proof.Certificate) {
	t := certificateText{w, cert}
	word := stateWord(string(cert.State))
	if cert.State == proof.NotProven && cert.Checked != "" {
		word = "checked, " + word
	}
	fmt.Fprintf(w, "\ncertificate: %s\n", word)
	for _, r := range cert.Reasons {
		fmt.Fprintf(w, "  %s\n", printable(t.unlisted(r), 400))
	}
	t.list("red before, green now", cert.RedToGreen)
	t.list("broken", cert.Broken)
	t.list("red before and still", cert.PreExisting)
	t.list("flaky", cert.Flaky)
	t.list("no verdict", cert.Infrastructure)
	t.checked()
	t.criteria()
	t.findings()
	if cert.RuntimeLabel != "" {
		t.runs()
	}
}

// checked says what holds of a patch that turns no test green, and how its new tests were made to fail.
func (t certificateText) checked() {
	if t.cert.Checked != "" {
		fmt.Fprintf(t.w, "  checked: %s\n", printable(t.cert.Checked, 1000))
	}
	for i, b := range t.cert.Breaks {
		if i == 10 {
			fmt.Fprintf(t.w, "    … and %d more\n", len(t.cert.Breaks)-i)
			break
		}
		fmt.Fprintf(t.w, "    %s:%d changed to `%s`: %s\n", printable(b.File, 4096), b.Line, printable(b.Now, 120), printable(redThen(b.Tests), 300))
	}
}

// redThen names at most three tests that a change made fail.
func redThen(ids []string) string {
	more := ""
	if n := len(ids) - 3; n > 0 {
		ids, more = ids[:3], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(ids, ", ") + more + " red"
}

// criteria says which test covers which acceptance criterion.
func (t certificateText) criteria() {
	if len(t.cert.Criteria) == 0 {
		return
	}
	fmt.Fprintln(t.w, "  acceptance criteria:")
	for _, c := range t.cert.Criteria {
		fmt.Fprintf(t.w, "    %s: %s\n", printable(c.ID+" "+c.Text, 300), printable(coveredBy(c), 300))
	}
}

// coveredBy names the tests that cover a criterion.
func coveredBy(c proof.Criterion) string {
	switch places := strings.Join(c.Places, ", "); {
	case len(c.Tests) > 3:
		return fmt.Sprintf("%s and %d more tests", strings.Join(c.Tests[:3], ", "), len(c.Tests)-3)
	case len(c.Tests) > 0:
		return strings.Join(c.Tests, ", ")
	case places != "":
		return "NOT COVERED: named at " + places + ", but no test there is known to have passed"
	}
	return "NOT COVERED by any test"
}

func (t certificateText) list(title string, ids []string) {
	if len(ids) == 0 {
		return
	}
	fmt.Fprintf(t.w, "  %s:\n", title)
	for i, id := range ids {
		if i == 20 {
			fmt.Fprintf(t.w, "    … and %d more\n", len(ids)-i)
			break
		}
		fmt.Fprintf(t.w, "    %s\n", printable(id, 200))
	}
}

// unlisted is a sentence without the names of tests that a list below has.
func (t certificateText) unlisted(sentence string) string {
	for _, ids := range [][]string{t.cert.RedToGreen, t.cert.Broken, t.cert.PreExisting, t.cert.Flaky} {
		if len(ids) == 0 {
			continue
		}
		names := strings.Join(ids[:min(len(ids), 3)], ", ")
		if n := len(ids) - 3; n > 0 {
			names += fmt.Sprintf(" and %d more", n)
		}
		sentence = strings.Replace(sentence, ": "+names, "", 1)
	}
	return sentence
}

func (t certificateText) findings() {
	for _, f := range t.cert.Integrity {
		fmt.Fprintf(t.w, "  look at %s:%d: %s\n", printable(f.File, 4096), f.Line, printable(f.Rule+": "+f.Text, 200))
	}
	for i, f := range t.cert.Static {
		if i == 10 {
			fmt.Fprintf(t.w, "    … and %d more\n", len(t.cert.Static)-i)
			break
		}
		fmt.Fprintf(t.w, "  new from %s at %s:%d: %s\n", printable(f.Tool, 40), printable(f.File, 4096), f.Line, printable(strings.TrimSpace(f.Rule+" "+f.Text), 200))
	}
}

// runs says what was run, where, on what, and what that does not tell.
func (t certificateText) runs() {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(t.w, "  %-13s%s\n", name+":", text)
		}
	}
	c := t.cert
	if c.StillGreen > 0 {
		line("still green", countOf(c.StillGreen, "test"))
	}
	if len(c.Linters) > 0 && len(c.Static) == 0 {
		line("linters", printable(strings.Join(c.Linters, ", "), 200)+": nothing new")
	}
	line("command", printable(strings.Join(c.Command, " "), 1000))
	line("ran with", toolchainWords(c))
	line("isolation", isolation(c.Runtime, c.RuntimeLabel))
	for _, s := range c.Warnings {
		line("warning", printable(s, 400))
	}
	for _, s := range t.unchecked() {
		line("not checked", printable(s, 400))
	}
	line("base", cmp.Or(shortHash(c.BaseHash), "unknown")+" (hash of the folder's files without the patch)")
	line("patch", cmp.Or(shortHash(c.PatchHash), "unknown")+" (hash of the diff)")
	line("proof", cmp.Or(shortHash(c.Hash), "unknown")+" (hash of this certificate but its times: the same proof has the same)")
}

// unchecked is what the proof does not say, without what stands in a list above.
func (t certificateText) unchecked() []string {
	var out []string
	for _, s := range t.cert.NotCovered {
		if len(t.cert.PreExisting) == 0 || !strings.Contains(s, "before the patch and still ") {
			out = append(out, t.unlisted(s))
		}
	}
	if t.cert.State == proof.Proven && t.cert.Linters != nil && len(t.cert.Linters) == 0 && !slices.ContainsFunc(out, func(s string) bool { return strings.Contains(s, "linter") }) {
		out = append(out, "No linter looked at the change: the folder sets up none for these files.")
	}
	return out
}

// toolchainWords names what the tests ran with, as in "python 3.11.2, pytest 7.2.1 of the host".
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
	return strings.Join(tools, ", ") + " of " + base
}
