package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"redgreen/backend/policy"
	"redgreen/backend/session"
)

// What a person writes while the patch is proven reaches the model before the patch reaches the person.
func TestAMessageDuringTheProof(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	var r *Run
	said := false
	f.o.OnPhase = func(_, text string) {
		if strings.HasPrefix(text, "Running all tests with the patch") && !said {
			said = true
			if err := r.Say(context.Background(), "say what double does, too"); err != nil {
				t.Error(err)
			}
		}
	}
	r = start(t, f, script(t, fix, done, comment, done), Task{})
	work(t, r, session.Review)
	finishes := results(t, r, "finish")
	if len(finishes) != 2 || finishes[0].Text != meanwhile || !finishes[1].OK {
		t.Fatalf("finishes: %+v", finishes)
	}
	var heard []string
	for _, d := range all[session.ModelRequested](t, r) {
		heard = append(heard, d.Added...)
	}
	if st := r.log.State(); !strings.Contains(strings.Join(heard, "\n"), "The person says:\nsay what double does, too") || !strings.Contains(st.Patch.String(), "# twice") || st.Proof != "proven" {
		t.Errorf("heard %q; %s:\n%s", heard, st.Proof, st.Patch)
	}
}

// Denied stays denied: a model that brings the same edit again, written in another way, does not make the person say no twice.
func TestAPersonSaysNoOnce(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	asked := 0
	f.o.Ask = func(context.Context, string, policy.Act) (bool, error) { asked++; return false, nil }
	again := `{"text":"Please.","calls":[{"name":"apply_patch","args":{"new":"    return a + b",  "old":"    return a - b","path":"calc.py","content":null}}]}`
	r := start(t, f, script(t, fix, again, again, done, done, done), Task{AskEdits: true})
	work(t, r, session.NotProven)
	edits := results(t, r, "apply_patch")
	if asked != 1 || len(edits) != 3 || edits[0].Summary != saidNo || edits[1].Summary != notRunPrefix+"the person said no to it" {
		t.Errorf("asked %d times: %+v", asked, edits)
	}
}

// One reply with very many calls does not get past the limits that a step is held to.
func TestManyCallsInOneReply(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	files := calc()
	files["long.txt"] = long(4000)
	f := folder(t, files)
	var calls []string
	for i := range 60 {
		calls = append(calls, fmt.Sprintf(`{"name":"read_file","args":{"path":"long.txt","start_line":%d,"end_line":%d}}`, 1+i*60, 60+i*60))
	}
	r := start(t, f, script(t, `{"text":"All of it.","calls":[`+strings.Join(calls, ",")+`]}`), Task{Limits: session.Limits{Output: 20_000}})
	work(t, r, session.Limit)
	if n := len(results(t, r, "read_file")); n < 2 || n > 20 || last[session.LimitReached](t, r).Limit != "output" {
		t.Errorf("%d calls ran, then the limit of %q", n, last[session.LimitReached](t, r).Limit)
	}
	if _, err := Conversation(eventsOf(t, r)); err != nil {
		t.Error(err)
	}
}

func eventsOf(t *testing.T, r *Run) []session.Event {
	t.Helper()
	events, err := r.o.Store.Events(t.Context(), r.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// The criteria that a person wrote are not written over by the model that is held to them.
func TestThePersonsCriteriaStay(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	write := func(text string) string { return say("write_criteria", args{"criteria": []string{text}}) }
	r := start(t, f, script(t, write("add adds"), write("add adds numbers"), say("ask_person", args{"question": "Numbers only?"}), write("nothing to hold"), fix, done), Task{Kind: Feature})
	work(t, r, session.Waiting)
	if st := r.log.State(); len(st.Criteria) != 1 || st.Criteria[0].Text != "add adds numbers" {
		t.Fatalf("its own: %+v", st.Criteria)
	}
	if err := r.EditCriteria(t.Context(), []string{"add adds, and says no to text"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Say(t.Context(), "yes"); err != nil {
		t.Fatal(err)
	}
	work(t, r, session.Review)
	if st := r.log.State(); len(st.Criteria) != 1 || st.Criteria[0].Text != "add adds, and says no to text" {
		t.Errorf("%+v", st.Criteria)
	}
	if d := results(t, r, "write_criteria"); len(d) != 3 || d[2].Summary != notRunPrefix+"the criteria are the person's" {
		t.Errorf("%+v", d)
	}
}

// The same call is the same in whatever way its JSON is written.
func TestALoopInOtherSpelling(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"path":"a","start_line":1}`, `{ "start_line" : 1, "path":"a" }`, `{"path":"a","end_line":null,"start_line":1}`} {
		if got := plain(args); got != `{"path":"a","start_line":1}` {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := plain(`{"path": `); got != `{"path": ` {
		t.Errorf("no JSON: %s", got)
	}
	needSandbox(t)
	f := folder(t, calc())
	var lines []string
	for i := range 6 {
		lines = append(lines, `{"text":"I look.","calls":[{"name":"read_file","args":{`+strings.Repeat(" ", i)+`"path":"calc.py"}}]}`)
	}
	r := start(t, f, script(t, lines...), Task{})
	work(t, r, session.NotProven)
	if fin := last[session.Finished](t, r); !strings.Contains(fin.Message, "same call of read_file 4 times") {
		t.Errorf("it ended with %q", fin.Message)
	}
}
