package agent

import (
	"context"
	"errors"
	"fmt"

	"redgreen/backend/session"
)

// ProveAgain makes the patch that waits for review anew on the folder as it is now: the person's own edits stay, the
// patch's come in beside them. Nothing is written; the caller lets Work go on, which proves the new patch on a new copy
// and asks for the review again. A merge is never called proven by the proof of something else. repo.ErrConflict names
// the lines that both changed; it is recorded, and the patch waits on as it was.
func (r *Run) ProveAgain(ctx context.Context) error {
	unlock, err := r.hold("proving the patch again", inReview)
	if err != nil {
		return err
	}
	defer unlock()
	st := r.log.State()
	p, err := r.o.Repo.Rebase(st.Patch)
	if err != nil {
		return errors.Join(err, r.append(ctx, session.KindApplyFailed, session.Failed{Code: code(err), Message: err.Error()}))
	}
	err = r.appendAll(ctx,
		session.Entry{Kind: session.KindPatchChanged, Data: session.PatchChanged{Step: st.Steps, Patch: p, Hash: p.Hash(), Stat: p.Stat()}},
		session.Entry{Kind: session.KindReviewAnswered, Data: session.ReviewAnswered{Decision: "again", By: "person"}})
	if err != nil {
		return err
	}
	return r.dropBench()
}

// dropBench removes the copy that the run worked on; the next Work makes another.
func (r *Run) dropBench() error {
	if r.bench == nil {
		return nil
	}
	b := r.bench
	r.bench = nil
	if err := b.ws.Close(); err != nil {
		return fmt.Errorf("removing the old copy: %w", err)
	}
	return nil
}

// proofOnly reports a record whose last word is the person's to prove the patch again; pure.
func proofOnly(events []entry) bool {
	only := false
	for _, e := range events {
		switch d := e.data.(type) {
		case session.ReviewAnswered:
			only = d.Decision == "again"
		case session.ReviewAsked, session.StepStarted:
			only = false
		}
	}
	return only
}

// reprove proves the patch as it is, without the model, and asks for the review.
func (r *Run) reprove(ctx context.Context, b *bench) error {
	_, label, err := r.judge(ctx, b)
	if err != nil {
		return err
	}
	return r.append(ctx, session.KindReviewAsked, review(r.log.State(), r.log.State().Summary, label, r.log.State().Doubt))
}

// review hands the patch of a state to the person; pure.
func review(st session.State, summary, label, doubt string) session.ReviewAsked {
	return session.ReviewAsked{PatchHash: st.PatchHash, Summary: summary, Label: label, Doubt: doubt, Criteria: covered(st.Criteria, st.Patch), Scrutiny: Scrutiny(st.Patch)}
}
