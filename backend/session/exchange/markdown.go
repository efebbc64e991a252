package exchange

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"redgreen/backend/session"
)

// renderMarkdown draws the story as Markdown of GitHub's kind. What was said or read is quoted or fenced, and the fence is
// longer than any within, so that no text becomes a heading, a link or HTML.
func renderMarkdown(w io.Writer, events []session.Event, source string, _ bodies) error {
	t, err := tell(events, source, nil)
	if err != nil {
		return err
	}
	m := markdown{bufio.NewWriter(w)}
	m.line("# %s", inline(t.Title))
	m.line("")
	m.line("**%s** · %s", inline(t.Outcome), inline(strings.Join(t.Eyebrow, " · ")))
	m.line("")
	if t.Source != "" {
		m.line("%s", inline(t.Source))
		m.line("")
	}
	if t.Task != "" {
		m.quote(t.Task)
	}
	if t.Summary != "" {
		m.line("%s", inline(strings.ReplaceAll(t.Summary, "\n", " ")))
		m.line("")
	}
	m.facts(t.Facts)
	m.certificate(t)
	m.diff(t)
	m.line("## Trace")
	m.line("")
	for _, a := range t.Acts {
		m.act(a)
	}
	m.line("---")
	m.line("")
	m.line("%s", inline(t.Foot))
	return m.w.Flush()
}

type markdown struct{ w *bufio.Writer }

func (m markdown) line(format string, args ...any) { fmt.Fprintf(m.w, format+"\n", args...) }

func (m markdown) facts(facts []fact) {
	m.line("| | |")
	m.line("|---|---|")
	for _, f := range facts {
		m.line("| %s | %s |", inline(f.Name), inline(f.Value))
	}
	m.line("")
}

func (m markdown) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	m.line("%s:", title)
	m.line("")
	for _, item := range items {
		m.line("- %s", inline(item))
	}
	m.line("")
}

func (m markdown) certificate(t story) {
	c := t.Proof
	if c == nil {
		return
	}
	m.line("## Certificate: %s", inline(strings.ToLower(c.Title)))
	m.line("")
	m.line("%d red → green, %d still green, %d broken", len(c.RedToGreen), c.StillGreen, len(c.Broken))
	m.line("")
	m.list("Why", c.Reasons)
	if c.Checked != "" {
		m.list("Checked", append([]string{c.Checked}, c.Broke()...))
	}
	m.list("Red before, green now", c.RedToGreen)
	m.list("Broken", c.Broken)
	m.list("Red before and still", c.PreExisting)
	m.list("Flaky", c.Flaky)
	m.list("No verdict", c.NoVerdict)
	m.list("Look at", places(c.Integrity))
	m.list("New findings of linters", places(c.Static))
	m.list("Not covered", append(c.NotCovered, c.Warnings...))
	var checks, marks []string
	for _, k := range t.Checks {
		checks = append(checks, k.ID+": "+k.Text+" ("+k.Covered()+")")
	}
	for _, k := range t.Marks {
		marks = append(marks, fmt.Sprintf("%s:%d (%s): %s", k.File, k.Line, k.Kind, k.Why))
	}
	m.list("Acceptance criteria", checks)
	m.list("Deserves a second look", marks)
	m.facts(c.Facts)
}

// places names flags as FILE:LINE with what is to be said.
func places(flags []finding) (out []string) {
	for _, f := range flags {
		out = append(out, fmt.Sprintf("%s:%d: %s", f.File, f.Line, strings.TrimSpace(strings.Join([]string{f.Tool, f.Rule, f.Text}, " "))))
	}
	return out
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (m markdown) diff(t story) {
	if len(t.Files) == 0 {
		return
	}
	m.line("## Change: %s", t.Stat)
	m.line("")
	for _, f := range t.Files {
		var b strings.Builder
		for _, r := range f.Rows {
			switch r.Kind {
			case "gap":
				fmt.Fprintf(&b, "@@ %s\n", r.Text)
			case "same":
				fmt.Fprintf(&b, " %s\n", flatten(r.Old))
			default:
				if r.Old != nil {
					fmt.Fprintf(&b, "-%s\n", flatten(r.Old))
				}
				if r.New != nil {
					fmt.Fprintf(&b, "+%s\n", flatten(r.New))
				}
			}
		}
		name := f.Path
		if f.Was != "" {
			name = f.Was + " → " + f.Path
		}
		m.line("%s (%s, %s)", inline(name), inline(f.Status), f.Stat)
		m.line("")
		m.fence("diff", b.String())
	}
	if t.Cut > 0 {
		m.line("%s of the diff are left out; the JSONL export has them.", plural(t.Cut, "line"))
		m.line("")
	}
}

func flatten(line []piece) string {
	var b strings.Builder
	for _, p := range line {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (m markdown) act(a act) {
	if a.First {
		m.line("### Step %d", a.Step)
		m.line("")
	}
	head := "**" + inline(a.Title) + "**"
	if a.Note != "" {
		head += " " + inline(a.Note)
	}
	if a.Took != "" {
		head += " · " + a.Took
	}
	m.line("%s · %s", a.At, head)
	m.line("")
	if a.Says != "" {
		m.quote(a.Says)
	}
	for _, item := range a.List {
		m.line("- %s", inline(item))
	}
	if len(a.List) > 0 {
		m.line("")
	}
	for _, f := range a.Folds {
		m.line("<details><summary>%s</summary>", inline(f.Name))
		m.line("")
		m.fence("", f.Text)
		m.line("</details>")
		m.line("")
	}
}

// quote writes prose line by line as a quotation, with nothing in it that Markdown obeys.
func (m markdown) quote(text string) {
	for line := range strings.Lines(text) {
		m.line("> %s", inline(strings.TrimRight(line, "\r\n")))
	}
	m.line("")
}

// fence writes a text as code.
func (m markdown) fence(language, text string) {
	ticks, run := 3, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		ticks = max(ticks, run+1)
	}
	mark := strings.Repeat("`", ticks)
	m.line("%s%s\n%s\n%s", mark, language, strings.TrimRight(text, "\n"), mark)
	m.line("")
}

// inline is a text on one line that Markdown and HTML show as it is, wherever in a line it stands. Only what would be obeyed
// is escaped, so that names and paths stay readable in the source too.
func inline(s string) string {
	text := []rune(strings.Join(strings.Fields(s), " "))
	at := func(i int) rune {
		if i < 0 || i >= len(text) {
			return ' '
		}
		return text[i]
	}
	var b strings.Builder
	for i, r := range text {
		before, after := at(i-1), at(i+1)
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*[]~|", r),
			r == '_' && !inWord(text, i),                                                        // within a word it means nothing
			i == 0 && strings.ContainsRune("#-+>=", r),                                          // a heading, a list, a quotation
			(r == '.' || r == ')') && i > 0 && digits(text[:i]),                                 // a numbered list
			r == '#' && wordRune(after) && !wordRune(before),                                    // an issue
			r == '@' && wordRune(after),                                                         // a person, an address
			r == ':' && (after == '/' || wordRune(after) && !wordRune(before) && before != ':'), // an address, an emoji
			r == '.' && i >= 3 && strings.EqualFold(string(text[i-3:i]), "www"):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// inWord reports whether the underscores around a place join letters or digits, so that they begin and end no emphasis.
func inWord(text []rune, i int) bool {
	from, to := i, i+1
	for from > 0 && text[from-1] == '_' {
		from--
	}
	for to < len(text) && text[to] == '_' {
		to++
	}
	return from > 0 && to < len(text) && wordRune(text[from-1]) && wordRune(text[to])
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func digits(text []rune) bool {
	return !strings.ContainsFunc(string(text), func(r rune) bool { return r < '0' || r > '9' })
}
