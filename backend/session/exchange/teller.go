package exchange

import (
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// teller makes acts of events, one after the other.
type teller struct {
	body    bodies // nil: pictures are named and not shown
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
			return t.images(act{Who: "person", Title: "You gave with the task"}, d.Images), len(d.Images) > 0
		}
		return t.images(act{Who: "person", Title: "You said", Says: d.Text}, d.Images), true
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
		return t.images(reviewed(d), d.Images), true
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

// images names the pictures of a message, and shows those whose bytes are at hand and are what they claim to be.
func (t *teller) images(a act, images []model.Image) act {
	for n, i := range images {
		name := fmt.Sprintf("picture %d: %s, %d × %d pixels, %s bytes", n+1, i.Type, i.Width, i.Height, group(int64(i.Size)))
		a.List = append(a.List, name)
		if t.body == nil {
			continue
		}
		if read, err := model.KeptImage(t.body(i.Hash)); err == nil && read.Hash == i.Hash {
			a.Shown = append(a.Shown, picture{name, template.URL(read.DataURL())}) // made of a fixed type and base64
		}
	}
	return a
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
