package app

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// TestWhatCanBeWrittenLater: each reason against it names the way on.
func TestWhatCanBeWrittenLater(t *testing.T) {
	t.Parallel()
	p := patch.Patch{Files: []patch.File{{Path: "a.py", Status: patch.Modified}}}
	receipt := json.RawMessage("{}")
	for name, c := range map[string]struct {
		s    session.State
		want string // in the reason; "" it can be written
	}{
		"proven and ended":      {session.State{Outcome: session.Proven, Proof: "proven", Patch: p}, ""},
		"in review, not proven": {session.State{Outcome: session.Review, Proof: "not_proven", Patch: p}, ""},
		"proven before a limit": {session.State{Outcome: session.Limit, Proof: "proven", Patch: p}, ""},
		"not proven and ended":  {session.State{Outcome: session.NotProven, Proof: "not_proven", Patch: p}, "redgreen sessions show ID"},
		"written":               {session.State{Outcome: session.Proven, Proof: "proven", Patch: p, Applied: true, Receipt: receipt}, "redgreen sessions undo ID"},
		"taken back":            {session.State{Outcome: session.Proven, Proof: "proven", Patch: p, Receipt: receipt}, "redgreen sessions redo ID"},
		"cut off":               {session.State{Outcome: session.Running, Patch: p}, "redgreen sessions resume ID"},
		"no change":             {session.State{Outcome: session.Limit}, "holds no change"},
		"of another program":    {session.State{Outcome: session.Proven, Proof: "proven", Patch: p, Source: "a file"}, "imported from a file"},
	} {
		c.s.ID = "ID"
		err := notWritable(c.s)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNotProvenIsWrittenOnlyWhenSaid: --yes is a yes to what is proven.
func TestNotProvenIsWrittenOnlyWhenSaid(t *testing.T) {
	t.Parallel()
	p := patch.Patch{Files: []patch.File{{Path: "a.py", Status: patch.Modified}}}
	state := func(proof string) session.State {
		return session.State{ID: "ID", Folder: "/f", Outcome: session.Review, Proof: proof, Patch: p}
	}
	for name, c := range map[string]struct {
		proof string
		f     approveFlags
		tty   bool
		typed string
		ok    bool
		says  string
	}{
		"proven, yes":                  {proof: "proven", f: approveFlags{yes: true}, ok: true},
		"not proven, yes":              {proof: "not_proven", f: approveFlags{yes: true}, says: "add --unproven"},
		"not proven, yes and unproven": {proof: "not_proven", f: approveFlags{yes: true, unproven: true}, ok: true},
		"nobody to ask":                {proof: "proven", says: "add --yes"},
		"typed yes":                    {proof: "not_proven", tty: true, typed: "y\n", ok: true, says: "Write 1 file although it is not proven into /f? [y/N]"},
		"typed nothing":                {proof: "proven", tty: true, typed: "\n", says: "Write 1 file into /f? [y/N] nothing was written"},
	} {
		var errs strings.Builder
		cmd := &command{in: strings.NewReader(c.typed), err: &errs, out: &errs, tty: c.tty}
		err := cmd.agreed(t.Context(), state(c.proof), c.f)
		said := errs.String()
		var e *exit
		if err != nil && !errors.As(err, &e) {
			said += err.Error()
		}
		if (err == nil) != c.ok || !strings.Contains(said, c.says) {
			t.Errorf("%s: %v, %q", name, err, said)
		}
	}
}
