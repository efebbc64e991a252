package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// story is a session as it is told to a reader: what was asked, what came of it, how it is proven, and each act. The two
// forms for people, Markdown and HTML, draw it and nothing else. All its texts are visible and without secrets.
type story struct {
	Title   string // the task's first sentence
	Task    string // what else it says
	Summary string // the model's own words on what it did
	Source  string // where an imported session is from, in a sentence; "" it was made here
	Outcome string
	Mood    string // good, bad, care, plain: how the outcome is coloured
	Eyebrow []string
	Facts   []fact
	Proof   *certificate
	Checks  []criterion
	Marks   []session.Mark
	Label   string
	Files   []diffFile
	Cut     int // lines of the diff that are not drawn
	Stat    string
	Acts    []act
	Foot    string
}

type fact struct{ Name, Value string }

// act is one thing in the trace.
type act struct {
	Step  int    // 0 outside of the steps
	First bool   // of its step
	At    string // since the start, 0:24
	Who   string // person, model, tool, system
	Title string
	Note  string // one line behind the title
	Mood  string
	Took  string
	Says  string // prose
	List  []string
	Folds []fold
}

// fold is a longer text of an act, folded away at first.
type fold struct{ Name, Text string }

// certificate is the part of proof.Certificate that a reader is shown; session may not import proof.
type certificate struct {
	State        string
	Reasons      []string
	RedToGreen   []string `json:"red_to_green"`
	Broken       []string
	PreExisting  []string `json:"pre_existing"`
	Flaky        []string
	NoVerdict    []string `json:"infrastructure"`
	Integrity    []finding
	StillGreen   int `json:"still_green"`
	Skipped      int
	NotCovered   []string `json:"not_covered"`
	Runtime      string
	RuntimeLabel string `json:"runtime_label"`
	Warnings     []string
	Command      []string
	Dir          string
	BaseHash     string `json:"base_hash"`
	PatchHash    string `json:"patch_hash"`
	Hash         string
	BaseMillis   int64 `json:"baseline_ms"`
	PatchMillis  int64 `json:"patched_ms"`
	Issued       time.Time
	Reruns       int
	Toolchain    []struct{ Name, Version string }
	Base         string
	Linters      []string
	Static       []finding
	Uncovered    []struct {
		File        string
		First, Last int
	}

	Checked string
	Breaks  []struct {
		File     string
		Line     int
		Was, Now string
		Tests    []string
	}
	Criteria []criterion

	Title, Mood string
	Facts       []fact
}

// criterion is an acceptance criterion with the tests that cover it, or the places that name it.
type criterion struct {
	ID, Text      string
	Tests, Places []string
}

// Covered says which tests cover a criterion, in words.
func (c criterion) Covered() string {
	switch {
	case len(c.Tests) > 0:
		return strings.Join(c.Tests, ", ")
	case len(c.Places) > 0:
		return "not covered: named at " + strings.Join(c.Places, ", ") + ", but no test there is known to have passed"
	}
	return "not covered by any test"
}

// Broke says how new tests were made to fail.
func (c certificate) Broke() (out []string) {
	for _, b := range c.Breaks {
		out = append(out, fmt.Sprintf("%s:%d changed from %s to %s makes red: %s", b.File, b.Line, b.Was, b.Now, strings.Join(b.Tests, ", ")))
	}
	return out
}

// held are the criteria that hold now, each with what the certificate shows of it.
func held(now []session.Criterion, c *certificate) (out []criterion) {
	for _, k := range now {
		row := criterion{ID: k.ID, Text: k.Text, Places: k.Tests}
		if c != nil {
			for _, shown := range c.Criteria {
				if shown.ID == k.ID && shown.Text == k.Text {
					row = shown
				}
			}
		}
		out = append(out, row)
	}
	return out
}

// finding is a place with what is to be said of it.
type finding struct {
	Tool, File string
	Line       int
	Rule, Text string
}

// tell makes the story of a session; events are clean of secrets and of what nobody sees.
func tell(events []session.Event, source string) (story, error) {
	var s session.State
	for _, e := range events {
		var err error
		if s, err = session.Fold(s, e); err != nil {
			return story{}, err
		}
	}
	t := story{Summary: s.Summary, Label: s.Label}
	t.Title, t.Task = headline(s.Task)
	t.Outcome, t.Mood = outcomeWords(s)
	t.Eyebrow = []string{s.Folder, kindWords(s.TaskKind), ""}
	if s.Created.Year() > 1970 { // else it was imported from a tool that keeps no times
		t.Eyebrow[2] = s.Created.UTC().Format("2 January 2006, 15:04 UTC")
	}
	t.Eyebrow = slices.DeleteFunc(t.Eyebrow, func(v string) bool { return v == "" })
	t.Facts = facts(s)
	t.Proof = readCertificate(s.Certificate)
	t.Checks = held(s.Criteria, t.Proof)
	if t.Proof != nil && t.Label == t.Proof.Checked {
		t.Label = "" // said by the certificate
	}
	if source != "" {
		clean, _ := session.Redact(Visible(source))
		t.imported(clean)
	}
	t.Files, t.Cut = diffFiles(s.Patch)
	stat := s.Patch.Stat()
	t.Stat = fmt.Sprintf("%s, +%d −%d", plural(len(s.Patch.Files), "file"), stat.Added, stat.Removed)
	teller := teller{start: events[0].Time, task: strings.TrimSpace(s.Task), calls: map[string]session.ToolCalled{}}
	for _, e := range events {
		if a, ok := teller.act(e); ok {
			t.Acts = append(t.Acts, a)
		}
	}
	t.Marks = teller.marks
	id, _ := session.Redact(Visible(s.ID))
	t.Foot = fmt.Sprintf("Session %s, %s. Redgreen %s wrote this record; secrets are replaced in it.", id, plural(len(events), "event"), teller.version)
	return t, nil
}

// imported says of a record from elsewhere, which anybody can have written, that its proof is only what it claims.
func (t *story) imported(source string) {
	t.Source = "Imported from " + source + ". Nothing in this record was checked here."
	t.Outcome, t.Mood = t.Outcome+" (as the imported record says)", "care"
	if t.Proof != nil {
		t.Proof.Title, t.Proof.Mood = t.Proof.Title+", as the imported record says", "care"
	}
}

func outcomeWords(s session.State) (words, mood string) {
	switch s.Outcome {
	case session.Proven:
		return "Proven", "good"
	case session.NotProven:
		return "Not proven", "care"
	case session.Limit:
		return "Stopped at a limit", "care"
	case session.Cancelled:
		return "Cancelled", "plain"
	case session.Error:
		return "Ended by an error", "bad"
	case session.Review:
		return "Waits for review", "care"
	case session.Waiting:
		return "Waits for an answer", "care"
	case session.Answered:
		return "Answered", "plain"
	case session.Running:
		return "Not finished", "care"
	}
	return string(s.Outcome), "plain"
}

func kindWords(kind string) string {
	return map[string]string{"fix": "fix a bug", "feature": "add a feature", "new": "build something new", "tests": "write tests",
		"refactor": "refactor", "explain": "explain"}[kind]
}

func facts(s session.State) []fact {
	out := []fact{{"Model", s.Model.Label}, {"Steps", fmt.Sprint(s.Steps)}, {"Tokens", group(s.Usage.Total())}, {"Cost", costWords(s)},
		{"Time", clock(s.Updated.Sub(s.Created))}}
	if s.Model.Label == "" {
		out[0].Value = s.Model.Ref()
	}
	if s.Sandbox.Label != "" {
		out = append(out, fact{"Isolation", isolation(s.Sandbox.Name, s.Sandbox.Label)})
	}
	switch {
	case s.Applied:
		out = append(out, fact{"In the folder", "written"})
	case !s.Patch.Empty():
		out = append(out, fact{"In the folder", "nothing changed"})
	}
	return out
}

func costWords(s session.State) string {
	switch {
	case s.Model.Local:
		return "local"
	case !s.Priced:
		return "price unknown"
	}
	return dollars(s.MicroUSD)
}

func dollars(m model.MicroUSD) string { return fmt.Sprintf("%.4f USD", float64(m)/1e6) }

func readCertificate(raw json.RawMessage) *certificate {
	var c certificate
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &c) != nil || c.State == "" {
		return nil
	}
	c.Title, c.Mood = strings.ToUpper(c.State[:1])+strings.ReplaceAll(c.State[1:], "_", " "), "care"
	if c.State == "proven" {
		c.Mood = "good"
	}
	if len(c.Broken) > 0 {
		c.Mood = "bad"
	}
	add := func(name, value string) {
		if value != "" {
			c.Facts = append(c.Facts, fact{name, value})
		}
	}
	add("Command", strings.Join(c.Command, " "))
	add("In", c.Dir)
	add("Isolation", isolation(c.Runtime, c.RuntimeLabel))
	var tools []string
	for _, t := range c.Toolchain {
		tools = append(tools, strings.TrimSpace(t.Name+" "+t.Version))
	}
	add("Toolchain", strings.Join(tools, ", "))
	add("Linters", strings.Join(c.Linters, ", "))
	if len(c.Command) > 0 {
		add("Times", fmt.Sprintf("%s before, %s with the patch", took(c.BaseMillis), took(c.PatchMillis)))
	}
	if c.Reruns > 0 {
		add("Reruns", fmt.Sprintf("%d of each test that turned green", c.Reruns))
	}
	add("Hash of the files before", c.BaseHash)
	add("Hash of the diff", c.PatchHash)
	add("Hash of the certificate", c.Hash)
	if !c.Issued.IsZero() {
		add("Issued", c.Issued.UTC().Format("2 January 2006, 15:04:05 UTC"))
	}
	return &c
}

// isolation names what tests ran in, as in "container (runc)".
func isolation(name, label string) string {
	if label == "" || name == "" || name == "none" || name == label {
		return cmp.Or(label, name)
	}
	return label + " (" + name + ")"
}

// teller makes acts of events, one after the other.
type teller struct {
	start   time.Time
	task    string
	version string
	step    int // of the last act
	calls   map[string]session.ToolCalled
	marks   []session.Mark
	said    bool // the task was repeated as the first message
}

// act tells one event; ok is false for one that another tells.
func (t *teller) act(e session.Event) (a act, ok bool) {
	data, err := session.Decode(e)
	if err != nil {
		a = act{Who: "system", Title: Visible(string(e.Kind)), Folds: []fold{{"Data", indented(string(e.Data))}}}
		if errors.Is(err, session.ErrUnknownKind) {
			a.Note = "an event of a newer version"
		}
	} else if a, ok = t.payload(e.Kind, data); !ok {
		return act{}, false
	}
	a.At = clock(e.Time.Sub(t.start))
	if a.First = a.Step > t.step; a.First {
		t.step = a.Step
	}
	return a, true
}

// payload tells what an event carries. Of what is told elsewhere (the task, a call before its result, a request's size) it
// gives false.
func (t *teller) payload(kind session.Kind, data any) (act, bool) {
	system := func(title, note string) act { return act{Who: "system", Title: title, Note: note} }
	switch d := data.(type) {
	case session.Started:
		t.version = d.Version
		return act{}, false
	case session.TestsStarted, session.StepStarted, session.ProofStarted, session.PatchChanged:
		if p, ok := d.(session.PatchChanged); ok && len(p.Notes) > 0 {
			a := act{Step: p.Step, Who: "system", Title: "Corrected the edit"}
			for _, n := range p.Notes {
				a.List = append(a.List, n.Path+": "+n.Message)
			}
			return a, true
		}
		return act{}, false
	case session.ToolCalled:
		t.calls[d.CallID] = d
		return act{}, false
	case session.SandboxReady:
		return act{Who: "system", Title: "Isolation of the tests: " + isolation(d.Name, d.Label), Note: d.Protects, List: d.Warnings}, true
	case session.Message:
		if !t.said && strings.TrimSpace(d.Text) == t.task {
			t.said = true
			return act{}, false
		}
		return act{Who: "person", Title: "You said", Says: d.Text}, true
	case session.TestsFinished:
		return withRun(system("Ran the tests", "before any change"), d.Run), true
	case session.ModelRequested:
		if len(d.Added) == 0 {
			return act{}, false
		}
		a := act{Step: d.Step, Who: "system", Title: "Told the model", Note: group(d.Tokens) + " tokens in all"}
		for _, text := range d.Added {
			a.Folds = append(a.Folds, fold{"The text", text})
		}
		return a, true
	case session.ModelReplied:
		a := act{Step: d.Step, Who: "model", Title: "Said", Says: strings.TrimSpace(d.Message.Text), Took: took(d.Millis)}
		if d.Message.Thinking != "" {
			a.Folds = []fold{{"Thinking", d.Message.Thinking}}
		}
		return a, a.Says != "" || len(a.Folds) > 0
	case session.ModelFailed:
		return act{Step: d.Step, Who: "system", Title: "The model could not be asked", Note: d.Message, Mood: "care"}, true
	case session.ToolFinished:
		return t.tool(d), true
	case session.ProofFinished:
		a := system("Proved by the system, not the model", strings.ReplaceAll(d.State, "_", " "))
		a.Mood = map[bool]string{true: "good", false: "care"}[d.State == "proven"]
		return withRun(a, d.Run), true
	case session.Compacted:
		a := system("Made room for the model", fmt.Sprintf("%s → %s tokens", group(d.From), group(d.To)))
		a.Folds = []fold{{"What stands in place of the old turns", d.Text}}
		return a, true
	case session.Criteria:
		a := act{Step: d.Step, Who: d.By, Title: "Acceptance criteria"}
		for _, c := range d.Items {
			a.List = append(a.List, c.ID+": "+c.Text)
		}
		return a, true
	case session.ModelChosen:
		return act{Who: "person", Title: "You chose another model", Note: d.Model.Label}, true
	case session.Forked:
		return act{Who: "person", Title: "You went on from another session", Note: fmt.Sprintf("%s, event %d", d.From, d.Seq)}, true
	case session.Question:
		return act{Step: d.Step, Who: "model", Title: "Asked you", Says: d.Text, Mood: "care"}, true
	case session.ReviewAsked:
		t.marks = d.Scrutiny
		a := system("The patch waits for review", d.Label)
		a.Says = d.Doubt
		return a, true
	case session.ReviewAnswered:
		return reviewed(d), true
	case session.PatchApplied:
		title := "Wrote into the folder"
		if kind == session.KindPatchUndone {
			title = "Took the change back"
		}
		return act{Who: "system", Title: title, Note: strings.Join(d.Files, ", ")}, true
	case session.Failed:
		return act{Who: "system", Title: "Could not write", Note: d.Message, Mood: "bad"}, true
	case session.LimitReached:
		return act{Who: "system", Title: "Stopped at a limit", Note: d.Message, Mood: "care"}, true
	case session.Finished:
		words, mood := outcomeWords(session.State{Outcome: d.Outcome})
		a := act{Who: "system", Title: words, Note: d.Message, Mood: mood, List: slices.Clone(d.Tried)}
		for _, red := range d.StillRed {
			a.List = append(a.List, "still red: "+red)
		}
		return a, true
	}
	return system(string(kind), ""), true
}

func reviewed(d session.ReviewAnswered) act {
	title := map[string]string{"approve": "You approved it", "reject": "You rejected it", "again": "You had it proven again on the folder as it is now"}[d.Decision]
	if d.By == "auto" {
		title = "Approved by itself, since it is proven"
	}
	a := act{Who: "person", Title: title, Says: d.Comment}
	if d.Changed != "" {
		if d.Decision == "again" {
			a.Title = "You changed the patch and had it proven again"
		}
		a.Folds = append(a.Folds, fold{"What you changed of it", d.Changed})
	}
	return a
}

// tool tells a call and its result.
func (t *teller) tool(d session.ToolFinished) act {
	call := t.calls[d.CallID]
	a := act{Step: d.Step, Who: "tool", Title: toolWords(d.Tool, d.OK), Note: d.Summary, Took: took(d.Millis)}
	if !d.OK {
		a.Mood = "care"
	}
	if d.Tool == "finish" {
		a.Note, a.Says = "", d.Summary
	}
	if call.Verdict == "deny" {
		a.Note += " (denied by policy)"
	}
	if call.Args != "" && call.Args != "{}" {
		a.Folds = append(a.Folds, fold{"Asked with", indented(call.Args)})
	}
	if d.Run != nil {
		note := a.Note
		if a = withRun(a, *d.Run); d.OK {
			a.Note = note
		}
	}
	if d.Text != "" {
		a.Folds = append(a.Folds, fold{"What the model saw", d.Text})
	}
	return a
}

// withRun adds a test run's numbers, command and failures.
func withRun(a act, r session.Run) act {
	parts := []string{fmt.Sprintf("%d passed", r.Passed)}
	if r.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", r.Failed))
	}
	if r.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", r.Skipped))
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	if a.Note != "" {
		a.Note += ": "
	}
	a.Note, a.Took = a.Note+strings.Join(parts, ", "), took(r.Millis)
	switch {
	case a.Mood != "":
	case r.Failed > 0:
		a.Mood = "bad"
	case r.Passed > 0 && r.Reason == "":
		a.Mood = "good"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\n", strings.Join(r.Command, " "))
	for _, test := range r.Tests {
		fmt.Fprintf(&b, "%s %s\n", test.Status, test.ID)
		if test.Message != "" {
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(strings.TrimSpace(test.Message), "\n", "\n    "))
		}
	}
	if r.Omitted > 0 {
		fmt.Fprintf(&b, "… and %d more\n", r.Omitted)
	}
	a.Folds = append(a.Folds, fold{"The run", strings.TrimSpace(b.String())})
	return a
}

func toolWords(tool string, ok bool) string {
	did := map[string][2]string{"search_code": {"Searched", "Could not search"}, "read_file": {"Read", "Could not read"},
		"run_tests": {"Ran the tests", "Could not run the tests"}, "apply_patch": {"Changed", "Could not change"},
		"write_criteria": {"Wrote criteria down", "Could not write criteria down"}, "ask_person": {"Asked you", "Could not ask you"},
		"finish":         {"Called it done", "Could not finish"},
		"trace_coverage": {"Measured", "Could not measure"}, "try_patches": {"Tried edits", "Could not try edits"}}
	words, known := did[tool]
	switch {
	case !known && ok:
		return "Called " + tool
	case !known:
		return "Called in vain: " + tool
	case !ok:
		return words[1]
	}
	return words[0]
}

// indented is JSON text over several lines; any other text stays.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// titleMost is the longest title in characters; a longer first sentence is cut at a word.
const titleMost = 140

// headline divides a task into its first sentence and what follows.
func headline(task string) (title, rest string) {
	task = strings.TrimSpace(task)
	title, rest, _ = strings.Cut(task, "\n")
	if end := strings.Index(title, ". "); end >= 0 {
		title, rest = title[:end+1], task[end+2:]
	}
	if r := []rune(title); len(r) > titleMost {
		title = string(r[:titleMost])
		if at := strings.LastIndexByte(title, ' '); at > 0 {
			title = title[:at]
		}
		return title + " …", "… " + strings.TrimSpace(task[len(title):])
	}
	return title, strings.TrimSpace(rest)
}

// prose is a text in pieces; what stands between single backticks is code.
func prose(text string) (out []piece) {
	for {
		before, rest, ok := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !ok || !closed || code == "" || strings.Contains(code, "\n") {
			return append(out, piece{Text: text})
		}
		out, text = append(out, piece{Text: before}, piece{code, true}), after
	}
}

// stripMost is how many tests the strip shows, one cell each.
const stripMost = 240

// Strip is the tests as cells, what changed first.
func (c *certificate) Strip() (cells []string) {
	for _, part := range []struct {
		kind string
		n    int
	}{{"bad", len(c.Broken)}, {"turned", len(c.RedToGreen)}, {"red", len(c.PreExisting)}, {"care", len(c.Flaky)}, {"green", c.StillGreen}, {"off", c.Skipped}} {
		for range min(part.n, stripMost-len(cells)) {
			cells = append(cells, part.kind)
		}
	}
	return cells
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group(int64(n)) + " " + noun + "s"
}

// group writes a number with narrow gaps between thousands, as 45 598.
func group(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// clock writes a span as 0:24 or 1:02:03.
func clock(d time.Duration) string {
	s := int64(max(d, 0).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
