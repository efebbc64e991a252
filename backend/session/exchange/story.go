package exchange

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

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
	Shown []picture
	Folds []fold
}

// picture is one that a person gave, drawn where its bytes are at hand.
type picture struct {
	Name string
	URL  template.URL // data:
}

// fold is a longer text of an act, folded away at first.
type fold struct{ Name, Text string }

// tell makes the story of a session; events are clean of secrets and of what nobody sees.
func tell(events []session.Event, source string, body bodies) (story, error) {
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
	teller := teller{body: body, start: events[0].Time, task: strings.TrimSpace(s.Task), calls: map[string]session.ToolCalled{}}
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
