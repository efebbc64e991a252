package agent

import (
	"context"
	"errors"
	"fmt"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// Work runs baseline, loop and proof until the patch waits for review (session.Review), the model waits for an answer
// (session.Waiting; Say gives it, then Work goes on), or the session has ended:
// a limit, a cancel (ctx), an error, or finish without a patch, with session.finished recorded. The error says why the
// outcome is session.Error; it is nil for every other outcome.
func (r *Run) Work(ctx context.Context) (session.Outcome, error) {
	r.working.Lock()
	defer r.working.Unlock()
	defer r.phase("")
	defer r.Unpause()
	switch st := r.log.State(); st.Outcome {
	case session.Running, session.Cancelled, session.Error:
	case session.Review, session.Waiting:
		return st.Outcome, nil
	default:
		return st.Outcome, fmt.Errorf("working on session %s: %w: it has ended as %s; start a new task", r.ID(), ErrState, st.Outcome)
	}
	defer r.background.Wait()
	wall, c, stop := startClock(ctx, r.o.Now, r.task.Limits.Wall)
	defer stop()
	r.clock = c
	return r.end(ctx, wall, r.work(wall))
}

// work prepares and steps until the patch waits for review (nil) or something ends the run.
func (r *Run) work(ctx context.Context) error {
	if r.bench == nil {
		b, err := r.prepare(ctx)
		if err != nil {
			return err
		}
		r.bench = b
	}
	if err := r.searchable(r.bench); err != nil {
		return err
	}
	if proofOnly(r.history()) {
		return r.reprove(ctx, r.bench)
	}
	if reply, ok := openReply(r.history()); ok {
		if done, err := r.answer(ctx, r.bench, reply); err != nil || done {
			return err
		}
	}
	for {
		if err := r.held(ctx); err != nil {
			return err
		}
		done, err := r.step(ctx, r.bench)
		if err != nil || done {
			return err
		}
	}
}

// searchable refuses work without a language model where no test could run: a search goes by tests alone.
func (r *Run) searchable(b *bench) error {
	switch {
	case !r.o.Model.Search:
		return nil
	case len(b.command.Args) == 0:
		return errors.New("no test command was found in the folder, and the built-in engine needs a test that fails: name the command that runs your tests, or choose a language model, which can bring the first test")
	case b.baseline.Infrastructure && len(b.baseline.Tests) == 0:
		return fmt.Errorf("no test could run: %s", b.baseline.Reason)
	}
	return nil
}

// stopped ends a run without an error: the model is stuck, refuses, or only talks.
type stopped struct{ message string }

func (s *stopped) Error() string { return s.message }

// end turns the way in which a run stopped into its outcome and records it. outer is the caller's context, wall the one
// that is also bounded by the time limit.
func (r *Run) end(outer, wall context.Context, err error) (session.Outcome, error) {
	var record *recordError
	if errors.As(err, &record) {
		return session.Error, err // what cannot be recorded cannot be ended either; the session can be resumed
	}
	var limit *limitError
	var stop *stopped
	switch {
	case err == nil:
		return r.log.State().Outcome, nil
	case outer.Err() != nil:
		return session.Cancelled, r.close(outer, session.Cancelled, whyCancelled(outer))
	case errors.As(err, &limit) || errors.As(context.Cause(wall), &limit):
		if err := r.append(outer, session.KindLimitReached, limit.LimitReached); err != nil {
			return session.Error, err
		}
		return r.endWithProof(outer, wall, session.Limit, r.resign(limit.Message))
	case errors.As(err, &stop):
		return r.endWithProof(outer, wall, session.NotProven, stop.message)
	}
	if cerr := r.close(outer, session.Error, message(err)); cerr != nil {
		return session.Error, cerr
	}
	return session.Error, err
}

// resign is why a limit ended the run, with what a search says of its work so far.
func (r *Run) resign(why string) string {
	s, ok := r.o.Model.Provider.(model.Resigner)
	if !ok || r.bench == nil {
		return why
	}
	req, _ := r.request(r.bench)
	return first(s.Resign(req.Messages, why), 4000)
}

// whyCancelled says what cancelled a run's context: what its cause says, else the person did.
func whyCancelled(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil && cause != ctx.Err() {
		return "stopped: " + cause.Error()
	}
	return "cancelled by the person"
}

// endWithProof goes back to the best state, proves it if it was not proven yet and time is left, so that a person may still
// approve it, and closes the session. The outcome stays what stopped the run.
func (r *Run) endWithProof(outer, wall context.Context, o session.Outcome, why string) (session.Outcome, error) {
	said, err := r.backToBest(context.WithoutCancel(outer))
	var record *recordError
	if errors.As(err, &record) {
		return session.Error, err
	}
	if why += said; err != nil {
		why += "; " + err.Error()
	}
	if st := r.log.State(); !st.Patch.Empty() && st.Proof == "" && wall.Err() == nil && r.bench != nil {
		_, err := r.prove(wall, r.bench)
		if outer.Err() != nil {
			return session.Cancelled, r.close(outer, session.Cancelled, whyCancelled(outer))
		}
		if errors.As(err, &record) {
			return session.Error, err
		}
		if err != nil { // the time limit, or a copy that could not be made: the patch stays unproven
			why += "; the patch could not be proven: " + message(err)
		}
	}
	said, err = r.backToPart(context.WithoutCancel(outer))
	if errors.As(err, &record) {
		return session.Error, err
	}
	if why += said; err != nil {
		why += "; " + err.Error()
	}
	if err := r.close(outer, o, why); err != nil {
		return session.Error, err
	}
	return o, nil
}

// close records session.finished.
func (r *Run) close(ctx context.Context, o session.Outcome, why string) error {
	return r.appendAll(ctx, r.ending(r.log.State(), o, why))
}

// ending is the event that closes a session in a state.
func (r *Run) ending(st session.State, o session.Outcome, why string) session.Entry {
	f := session.Finished{
		Outcome: o, Message: why, Patch: st.Patch.String(), Certificate: st.Certificate, Steps: st.Steps,
		Tokens: st.Usage.Total(), Applied: st.Applied,
	}
	if f.Certificate == nil {
		f.Certificate = []byte("null")
	}
	if st.Priced {
		v := usd(st.MicroUSD)
		f.USD = &v
	}
	if o != session.Proven && o != session.Answered {
		f.Tried, f.StillRed = tried(r.history()), stillRed(r.history())
	}
	return session.Entry{Kind: session.KindSessionFinished, Data: f}
}

// message is an error for the record: a model's error without its wrapping.
func message(err error) string {
	var m *model.Error
	if errors.As(err, &m) {
		return m.Error()
	}
	return err.Error()
}
