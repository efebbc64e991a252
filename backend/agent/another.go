package agent

import (
	"context"
	"fmt"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// ChooseModel lets another model go on with a session that stopped, and records that the person chose it. It is the only
// way in which a session changes its model: an outage ends the run with what failed, and nothing is tried elsewhere but
// the same model at its second address. The caller lets Work go on. A run at work is refused; stop it first.
func (r *Run) ChooseModel(ctx context.Context, m model.Model) error {
	if m.Provider == nil {
		return fmt.Errorf("choosing %s: it cannot be called", m.Ref())
	}
	if err := able(m.Info, r.task.Kind); err != nil {
		return err
	}
	if err := fitsImages(m.Info, r.history(), nil); err != nil {
		return err
	}
	if !r.working.TryLock() {
		return fmt.Errorf("choosing %s: %w: the session is at work; stop it first", m.Ref(), ErrState)
	}
	defer r.working.Unlock()
	st := r.log.State()
	if !CanResume(st) {
		return fmt.Errorf("choosing %s: %w: the session is %s and does not go on; start a new task", m.Ref(), ErrState, st.Outcome)
	}
	if m.Ref() != st.Model.Ref() {
		if err := r.append(ctx, session.KindModelChosen, session.ModelChosen{Model: m.Info, By: "person"}); err != nil {
			return err
		}
	}
	r.o.Model = m
	if r.bench != nil {
		r.bench.tools = r.toolsOf(r.bench)
	}
	return nil
}
