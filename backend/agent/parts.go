package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/proof"
	"redgreen/backend/session"
	"redgreen/backend/tools"
)

// A larger change is cut into parts: a call of finish with a rest proves the change so far and goes on. Each part is
// proven whole, from the untouched copy to its own state, and not as a difference on top of the part before: one proof
// then says all that holds of a state, none rests on an earlier one, and a run that ends early still has something
// proven to give. What a part adds are the tests that turned green since the last one; a part must have some.

// partDone proves one part of the change and gives its record, or says why it is none.
func (r *Run) partDone(ctx context.Context, b *bench, out tools.Outcome) (*session.Part, []string, error) {
	reasons, label, err := r.judge(ctx, b)
	if err != nil || len(reasons) > 0 {
		return nil, reasons, err
	}
	if label != "" {
		return nil, []string{"a part is proven by a test that turns from red to green, and this kind of task has none; go on, and finish the parts together"}, nil
	}
	st := r.log.State()
	var cert proof.Certificate
	if err := json.Unmarshal(st.Certificate, &cert); err != nil {
		return nil, nil, fmt.Errorf("reading the certificate: %w", err)
	}
	gained := gainedSince(st.Parts, cert.RedToGreen)
	if len(gained) == 0 {
		return nil, []string{"no further test turned from red to green since the last part: a part needs a test of its own; write one, or go on and finish the parts together"}, nil
	}
	return &session.Part{Number: len(st.Parts) + 1, Summary: *out.Finish, PatchHash: st.PatchHash, Gained: gained}, nil, nil
}

// gainedSince are the tests that no earlier part turned green; pure.
func gainedSince(parts []session.Part, green []string) []string {
	var out []string
	for _, id := range green {
		if !slices.ContainsFunc(parts, func(p session.Part) bool { return slices.Contains(p.Gained, id) }) {
			out = append(out, id)
		}
	}
	return out
}

// finishedPart records what came of a call of finish that has a rest. The run goes on in either case, as long as the
// proofs may still fail.
func (r *Run) finishedPart(ctx context.Context, b *bench, rec *recorder, call model.Call, out tools.Outcome) error {
	part, reasons, err := r.partDone(ctx, b, out)
	if err != nil {
		return err
	}
	if out.OK = part != nil; out.OK {
		rec.part = part
		out.Summary = fmt.Sprintf("part %d is proven: %s", part.Number, *out.Finish)
		out.Text = fmt.Sprintf("Part %d is proven: %d tests turned from red to green with it, and nothing broke. Go on with the rest: %s", part.Number, len(part.Gained), out.Rest)
		return rec.record(ctx, call, out)
	}
	out.Text = "This part is not proven. Go on, then call finish again.\n" + r.data("Reasons:", strings.Join(reasons, "\n"))
	return rec.record(ctx, call, out)
}

// lastPart is the state that the last proven part left, with its proof; pure.
func lastPart(events []entry) (p patch.Patch, number int, proven session.ProofFinished, ok bool) {
	var now patch.Patch
	var cert session.ProofFinished
	for _, e := range events {
		switch d := e.data.(type) {
		case session.PatchChanged:
			now = d.Patch
		case session.ProofFinished:
			cert = d
		case session.ToolFinished:
			if d.Part != nil && d.Part.PatchHash == now.Hash() {
				p, number, proven, ok = now, d.Part.Number, cert, true
			}
		case session.ReviewAnswered:
			if d.Changed != "" { // the person chose otherwise
				p, number, proven, ok = patch.Patch{}, 0, session.ProofFinished{}, false
			}
		}
	}
	return p, number, proven, ok
}

// backToPart gives up what was not proven behind the last proven part, where a run ends early, and says so. The record
// keeps what is given up.
func (r *Run) backToPart(ctx context.Context) (string, error) {
	st := r.log.State()
	p, number, proven, ok := lastPart(r.history())
	if !ok || r.bench == nil || st.Proof == string(proof.Proven) || p.Hash() == st.PatchHash {
		return "", nil
	}
	if err := r.turnTo(st.Patch, p); err != nil {
		return "", fmt.Errorf("going back to part %d: %w", number, err)
	}
	if err := r.patchChanged(ctx, st.Steps, nil); err != nil {
		return "", err
	}
	return fmt.Sprintf("; what is left is the change up to part %d, which is proven", number), r.append(ctx, session.KindProofFinished, proven)
}
