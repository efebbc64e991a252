package app

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/session"
	"redgreen/backend/session/exchange"
)

// trace draws events as lines for a terminal: what was thought, done and seen. Safe for concurrent use.
type trace struct {
	mu     sync.Mutex
	w      io.Writer
	colour bool
	flow   flow
	open   bool // a streamed line has no end yet
	spoken int  // the last step whose text was streamed; a stream may come before its events
	local  bool // the model runs on this machine
	status statusLine
	said   string // the last words of the model or of what ended the run; the end may repeat them
}

// newTrace is a trace whose lines keep to a width in characters; 0 none.
func newTrace(w io.Writer, colour bool, width int) *trace {
	return &trace{w: w, colour: colour, flow: flow{width: width}}
}

// The colours of the trace; red and green are for test results only.
const (
	dim   = "2"
	bold  = "1"
	red   = "31"
	green = "32"
	amber = "33"
)

func (t *trace) paint(code, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t *trace) line(format string, args ...any) {
	t.clearStatus()
	t.endOpen()
	text := t.flow.add(fmt.Sprintf(format, args...))
	fmt.Fprintln(t.w, text+t.flow.end())
}

// endOpen ends a line that is still streamed.
func (t *trace) endOpen() {
	if t.open {
		fmt.Fprintln(t.w, t.paint(dim, t.flow.end()))
		t.open = false
	}
}

// close ends a line that is still streamed.
func (t *trace) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endOpen()
}

// delta streams what the model says.
func (t *trace) delta(_ string, step int, d model.Delta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.Text == "" { // of an attempt that failed tells its event
		return
	}
	t.clearStatus()
	if step != t.spoken {
		t.endOpen()
	}
	text := strings.ReplaceAll(visible(d.Text), "\n", "\n"+margin)
	if !t.open {
		text = margin + text
	}
	t.open, t.spoken = true, step
	fmt.Fprint(t.w, t.paint(dim, t.flow.add(text)))
}

// event draws one event; most are one line.
func (t *trace) event(e session.Event) {
	data, err := session.Decode(e)
	if err != nil {
		return // an event of a newer version
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch d := data.(type) {
	case session.Started:
		t.local = d.Model.Local
		t.line("%s  %s", t.paint(bold, printable(d.Folder, 4096)), t.paint(dim, printable(d.Model.Label, 200)+" · session "+e.Session))
		if d.TaskKind != "" {
			how := ""
			if d.KindBy == "text" {
				how = ", told from its words; --kind sets another"
			}
			t.line("   %s", t.paint(dim, "the task: "+printable(agent.Kind(d.TaskKind).Word(), 40)+how))
		}
	case session.SandboxReady:
		t.line("   %s", t.paint(dim, "isolation of the tests: "+isolation(d.Name, d.Label)+", "+printable(d.Protects, 1000)))
		for _, w := range d.Warnings {
			t.line("   %s", t.paint(amber, printable(w, 500)))
		}
	case session.Message:
		t.line("   %s %s", t.paint(bold, "you:"), printable(strings.Join(strings.Fields(d.Text), " "), 2000))
		t.pictures(d.Images)
	case session.Question:
		t.line("   %s %s", t.paint(bold, "it asks you:"), printable(strings.Join(strings.Fields(d.Text), " "), 2000))
	case session.Forked:
		t.line("   %s", t.paint(bold, fmt.Sprintf("goes another way after event %d of session %s", d.Seq, printable(d.From, 100))))
	case session.TestsStarted:
		t.line("   %s", t.paint(dim, "running "+printable(strings.Join(d.Command, " "), 1000)))
	case session.TestsFinished:
		t.line(" 0 %s  %s", t.paint(bold, "Ran the tests"), t.run(d.Run)+", before any change")
	case session.ModelReplied:
		t.said = oneLine(d.Message.Text)
		if t.spoken != d.Step && d.Message.Text != "" {
			t.line("   %s", t.paint(dim, indented(d.Message.Text)))
		}
		if d.Usage.Total() > 0 || !t.local {
			if text := usageWords(d, t.local); text != "" {
				t.line("   %s", t.paint(dim, text))
			}
		}
		if d.Miss != "" {
			t.line("   %s", t.paint(amber, "the prompt cache was not read: "+printable(d.Miss, 200)))
		}
	case session.Compacted:
		t.line("   %s", t.paint(dim, fmt.Sprintf("made room for the model: %s → %s tokens", thousands(d.From), thousands(d.To))))
	case session.ModelChosen:
		t.local = d.Model.Local
		t.line("   %s", t.paint(bold, "goes on with "+printable(d.Model.Label, 200)+", as you chose"))
	case session.Criteria:
		t.line("   %s", t.paint(bold, "Acceptance criteria"+map[bool]string{true: ", as you want them"}[d.By == "person"]))
		for _, c := range d.Items {
			t.line("   %s", printable(c.ID+" "+c.Text, 300))
		}
	case session.ModelFailed:
		t.said = oneLine(d.Message)
		t.line("   %s", t.paint(amber, printable(d.Message, 300)+again(d)))
	case session.ToolFinished:
		parts := []string{t.paint(bold, toolVerb(d.Tool, d.OK))}
		if what := printable(d.Summary, 200); what != "" && (d.Tool != "finish" || !d.OK || d.Part != nil) { // its words stand whole at the end
			parts = append(parts, what)
		}
		if d.Millis > 0 { // it took no time to speak of, or another tool's record does not tell
			parts = append(parts, t.paint(dim, millis(d.Millis)))
		}
		t.line("%2d %s", d.Step, strings.Join(parts, "  "))
	case session.ProofStarted:
		t.line("   %s", t.paint(dim, "proving: running every test with the patch"))
	case session.ProofFinished:
		word := t.paint(green, "proven")
		if d.State != "proven" {
			word = t.paint(amber, stateWord(d.State))
		}
		t.line("   %s  %s, %s", t.paint(bold, "Proved by the system, not the model:"), word, t.run(d.Run))
	case session.LimitReached:
		t.said = oneLine(d.Message)
		t.line("   %s", t.paint(amber, onTerminal(d.Message, 1000)))
	case session.Failed:
		t.said = oneLine(d.Message)
		t.line("   %s", t.paint(red, onTerminal(d.Message, 1000)))
	case session.ReviewAnswered:
		t.line("   %s", answeredBy(d))
		t.pictures(d.Images)
	case session.PatchApplied:
		verb := "wrote "
		if e.Kind == session.KindPatchUndone {
			verb = "took back the change of "
		}
		t.line("   %s", t.paint(bold, verb+printable(strings.Join(d.Files, ", "), 4096)))
	case session.Finished:
		if d.Outcome == session.Answered {
			t.line("   %s", indented(d.Message))
		} else if end := t.unsaid(d.Message); end != "" {
			t.line("   %s", onTerminal(end, 1000))
		}
		for _, red := range d.StillRed {
			t.line("   still red: %s", printable(red, 200))
		}
	}
}

// again says when an attempt that failed is repeated.
func again(d session.ModelFailed) string {
	switch {
	case d.Final:
		return ""
	case d.WaitMillis == 0:
		return "; trying again"
	}
	return "; trying again in " + millis(d.WaitMillis)
}

// unsaid is what the message of a run's end adds to the words that stand right above it, "" nothing.
func (t *trace) unsaid(message string) string {
	message = oneLine(message)
	if t.said == "" {
		return message
	}
	if cut, short := strings.CutSuffix(message, "…"); short && strings.HasPrefix(t.said, cut) {
		return ""
	}
	if rest, known := strings.CutPrefix(message, t.said); known {
		return strings.TrimLeft(rest, ";,. ")
	}
	return message
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// indented is a text of several lines under the trace's margin.
func indented(text string) string {
	return strings.ReplaceAll(visible(strings.TrimSpace(text)), "\n", "\n   ")
}

// begins reports whether a step's text begins to stream: what came before it is to be drawn first.
func (t *trace) begins(step int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spoken != step
}

// usageWords say what a step's reply took and cost, as far as it is known; "" nothing is, as in the record of another tool.
func usageWords(d session.ModelReplied, local bool) string {
	u := d.Usage
	var parts []string
	if u.Known {
		in := u.Total() - u.Output
		text := thousands(in) + " tokens in"
		if u.CacheRead > 0 && in > 0 {
			text += fmt.Sprintf(" (%d %% from the cache)", u.CacheRead*100/in)
		}
		parts = append(parts, text, thousands(u.Output)+" out")
	}
	if d.Millis > 0 {
		parts = append(parts, millis(d.Millis))
	}
	switch {
	case local && d.Millis > 0 && u.Known:
		parts = append(parts, fmt.Sprintf("%.0f tokens/s", float64(u.Output)*1000/float64(d.Millis)))
	case !local && (d.Priced || len(parts) > 0):
		parts = append(parts, money(d.MicroUSD, d.Priced, false))
	}
	if !u.Known && len(parts) > 0 {
		parts = append([]string{"tokens unknown"}, parts...)
	}
	return strings.Join(parts, ", ")
}

func (t *trace) pictures(images []model.Image) {
	for _, i := range images {
		t.line("   %s", t.paint(dim, fmt.Sprintf("with a picture: %s, %d × %d pixels, %s", printable(i.Type, 40), i.Width, i.Height, byteWords(i.Size))))
	}
}

func answeredBy(d session.ReviewAnswered) string {
	s := map[string]string{"approve": "you approved it", "reject": "you rejected it", "again": "you had it proven again on the folder as it is now"}[d.Decision]
	if d.Changed != "" {
		s = map[string]string{"reject": "you changed the patch and sent it back", "again": "you changed the patch and had it proven again"}[d.Decision]
	}
	if d.By == "auto" {
		s = "approved by --approve auto, since it is proven"
	}
	if d.Comment != "" {
		s += ": " + printable(d.Comment, 300)
	}
	return s
}

func (t *trace) run(r session.Run) string {
	parts := []string{t.paint(green, fmt.Sprintf("%d passed", r.Passed))}
	if r.Failed > 0 {
		parts = append(parts, t.paint(red, fmt.Sprintf("%d failed", r.Failed)))
	}
	if r.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", r.Skipped))
	}
	if r.Reason != "" {
		parts = append(parts, onTerminal(stopWords(r.Reason), 200))
	}
	return strings.Join(parts, ", ")
}

// toolVerb says a tool call as a past act.
func toolVerb(tool string, ok bool) string {
	verbs := map[string]string{"search_code": "Searched", "read_file": "Read", "run_tests": "Ran the tests", "apply_patch": "Changed", "write_criteria": "Wrote down", "ask_person": "Asked you", "finish": "Finished",
		"trace_coverage": "Measured", "try_patches": "Tried edits"}
	verb, known := verbs[tool]
	switch {
	case !known:
		return "Asked for " + printable(tool, 40)
	case !ok:
		return map[string]string{"search_code": "Could not search", "read_file": "Could not read", "run_tests": "Could not run the tests", "apply_patch": "Could not change", "write_criteria": "Could not write down", "ask_person": "Could not ask you", "finish": "Could not finish",
			"trace_coverage": "Could not measure", "try_patches": "Could not try edits"}[tool]
	}
	return verb
}

func millis(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return (time.Duration(ms) * time.Millisecond).Round(100 * time.Millisecond).String()
}

// visible replaces what a terminal would obey or hide. CR LF is a line end too: a diff of such a file must stay one that
// can be applied.
func visible(s string) string { return exchange.Visible(s) }

// printable is visible on one line of at most n runes.
func printable(s string, n int) string {
	s = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(visible(s))
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// money says a cost: never 0.00 for what is not known.
func money(m model.MicroUSD, priced, local bool) string {
	switch {
	case local:
		return "local"
	case !priced:
		return "price unknown"
	}
	return fmt.Sprintf("%.4f USD", float64(m)/1e6)
}

// outcomeWord is an outcome in words; one of an imported record can be any text.
func outcomeWord(o session.Outcome) string { return stateWord(string(o)) }

func stateWord(s string) string { return printable(strings.ReplaceAll(s, "_", " "), 40) }
