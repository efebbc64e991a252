package agent

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
	"redgreen/backend/proof"
	"redgreen/backend/session"
)

// act is something that a person did in a recorded session, and how many replies (or final failures) of the model came before it.
type act struct {
	data    any
	kind    session.Kind
	failed  bool // an approval that was not carried out
	replies int
}

func personActs(events []entry) []act {
	var out []act
	n, undone := 0, false
	for i, e := range events {
		switch d := e.data.(type) {
		case session.ModelReplied:
			n++
		case session.ModelFailed:
			if d.Final {
				n++
			}
		case session.Message:
			if e.Seq > 2 {
				out = append(out, act{data: d, kind: e.Kind, replies: n})
			}
		case session.Criteria:
			if d.By == "person" {
				out = append(out, act{data: d, kind: e.Kind, replies: n})
			}
		case session.ReviewAnswered:
			failed := i+1 < len(events) && events[i+1].Kind == session.KindApplyFailed
			out = append(out, act{data: d, kind: e.Kind, failed: failed, replies: n})
		case session.ModelChosen:
			out = append(out, act{data: d, kind: e.Kind, replies: n})
		case session.PatchApplied:
			if undone || e.Kind == session.KindPatchUndone { // the undo, and the undo of that
				undone = e.Kind == session.KindPatchUndone
				out = append(out, act{data: d, kind: e.Kind, replies: n})
			}
		}
	}
	return out
}

// player plays a session again: the model's replies from its record, and the person's acts at their places.
type player struct {
	t    *testing.T
	f    *fixture
	r    *Run
	todo []act
	done int // replies played
	model.Provider
}

// Chat hands over a message that reached the recorded run while it worked.
func (p *player) Chat(ctx context.Context, name string, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	for len(p.todo) > 0 && p.todo[0].kind == session.KindMessage && p.todo[0].replies == p.done {
		p.act()
	}
	p.done++
	return p.Provider.Chat(ctx, name, req, onDelta)
}

func (p *player) act() {
	p.t.Helper()
	a := p.todo[0]
	p.todo = p.todo[1:]
	var err error
	switch d := a.data.(type) {
	case session.Message:
		err = p.r.Say(p.t.Context(), d.Text)
	case session.Criteria:
		var items []string
		for _, c := range d.Items {
			items = append(items, c.Text)
		}
		err = p.r.EditCriteria(p.t.Context(), items)
	case session.ModelChosen:
		err = p.r.ChooseModel(p.t.Context(), model.Model{Info: d.Model, Provider: p})
	case session.PatchApplied:
		again := Undo
		if a.kind == session.KindPatchApplied {
			again = Redo
		}
		_, err = again(p.t.Context(), p.f.o, p.r.ID())
	case session.ReviewAnswered:
		switch {
		case a.failed: // over an edit of the person's that is not made here
		case d.Decision == "approve":
			_, err = p.r.Approve(p.t.Context(), p.r.log.State().PatchHash, d.By)
		default:
			err = p.r.Reject(p.t.Context(), d.Comment)
		}
	}
	if err != nil {
		p.t.Fatalf("%s after reply %d: %v", a.kind, a.replies, err)
	}
}

// replayed plays a session of today again from its own record, in the same folder and a store of its own, and wants the
// same state, patch and certificate.
func replayed(t *testing.T, f *fixture, r *Run) {
	t.Helper()
	events, err := f.o.Store.Events(t.Context(), r.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	live, err := decode(events) // the run's own history does not know of an undo
	if err != nil {
		t.Fatal(err)
	}
	want := r.log.State()
	if want.Applied { // the folder as it was
		if _, err := Undo(t.Context(), f.o, r.ID()); err != nil {
			t.Fatal(err)
		}
	}
	replies, err := session.Replies(events)
	if err != nil {
		t.Fatal(err)
	}
	if f.o.Store, err = session.Open(filepath.Join(t.TempDir(), "replay.db"), session.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.o.Store.Close() })
	begun := live[0].data.(session.Started)
	p := &player{t: t, f: f, todo: personActs(live), Provider: model.NewScript(replies)}
	p.r = start(t, f, model.Model{Info: begun.Model, Provider: p}, Task{Text: begun.Task, Kind: Kind(begun.TaskKind), Limits: begun.Limits,
		Approval: begun.Approval, AskEdits: begun.AskEdits, TestCmd: begun.TestCmd, TestDir: begun.TestDir})
	for CanResume(p.r.log.State()) {
		_, err := p.r.Work(t.Context())
		if err != nil && (len(p.todo) == 0 || p.todo[0].replies > p.done) { // nothing that the person did goes on from here
			t.Fatal(err)
		}
		for len(p.todo) > 0 && p.todo[0].replies <= p.done {
			p.act()
		}
		if p.r.log.State().Outcome == session.Cancelled {
			break
		}
	}
	if len(p.todo) > 0 || p.done != len(replies) {
		t.Errorf("left to do: %+v; %d of %d replies played", p.todo, p.done, len(replies))
	}
	if diff := cmp.Diff(gist(t, want), gist(t, p.r.log.State())); diff != "" {
		t.Errorf("played again (-live +again):\n%s", diff)
	}
}

// gist is what a state comes to, whenever and under whatever name it was made.
func gist(t *testing.T, s session.State) map[string]any {
	t.Helper()
	hash := proof.Hash(s.Certificate)
	if cert, ok := proof.Read(s.Certificate); ok && cert.Hash != hash {
		t.Errorf("the certificate holds the hash %s and has %s", cert.Hash, hash)
	}
	return map[string]any{"outcome": s.Outcome, "applied": s.Applied, "patch": s.PatchHash, "proof": s.Proof, "steps": s.Steps, "summary": s.Summary,
		"label": s.Label, "criteria": s.Criteria, "usage": s.Usage, "base": s.BaseHash, "certificate": hash}
}
