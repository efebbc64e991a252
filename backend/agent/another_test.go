package agent

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// An outage ends the run with what failed; the same session goes on with another model once the person chose it, and with
// none before. The model that goes on is sent all that happened, in the very bytes.
func TestAnotherModelAfterAnOutage(t *testing.T) {
	t.Parallel()
	f := folder(t, calc())
	r := start(t, f, script(t, readIt, `{"error":{"code":"unavailable","message":"the server is overloaded (529)"}}`), Task{Text: "adding two numbers gives the wrong sum"})
	work(t, r, session.Error)
	st := r.log.State()
	if !CanResume(st) || st.Model.Name != r.o.Model.Name {
		t.Fatalf("after the outage: %+v", st.Model)
	}
	before := rebuild(r.history())

	other := script(t, readIt, fix, done) // a script answers by the number of replies so far
	other.Name = "another"
	if err := r.ChooseModel(t.Context(), model.Model{}); err == nil {
		t.Error("chose a model that cannot be called")
	}
	r.working.Lock()
	err := r.ChooseModel(t.Context(), other)
	r.working.Unlock()
	if !errors.Is(err, ErrState) || r.log.State().Model.Name == "another" {
		t.Errorf("beside a run at work: %v", err)
	}
	if err := r.ChooseModel(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	work(t, r, session.Review)
	if st := r.log.State(); st.Model.Name != "another" || st.Proof != "proven" {
		t.Errorf("at the end: %s, %s", st.Model.Name, st.Proof)
	}
	after := rebuild(r.history())
	for i, m := range before {
		if was, is := mustJSON(t, m), mustJSON(t, after[i]); was != is {
			t.Errorf("message %d changed:\n%s\n%s", i, was, is)
		}
	}
	if err := r.ChooseModel(t.Context(), other); !errors.Is(err, ErrState) {
		t.Errorf("in review: %v", err)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// What one model signed is not sent to another.
func TestAnotherModelGetsNoSignedTurns(t *testing.T) {
	t.Parallel()
	first, second := reply(1, "I think"), reply(2, "I go on")
	first.Message.Opaque, second.Message.Opaque = json.RawMessage(`{"signed":1}`), json.RawMessage(`{"signed":2}`)
	events := record(t, session.Started{}, first, session.ModelChosen{Model: model.Info{Name: "another"}, By: "person"}, second)
	text := mustJSON(t, rebuild(events))
	if strings.Contains(text, `"signed":1`) || !strings.Contains(text, `"signed":2`) || !strings.Contains(text, "I think") {
		t.Error(text)
	}
}
