package agent

import (
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/session"

	"context"
)

// A run that goes on after a crash finds its place in the record. What belongs together is recorded together (see
// session.Log.AppendAll), so there are two places in the middle of a step: a request without a reply, which is sent again
// as the same step, and a reply with calls that have no result. These are run, or run again, before the model is asked
// for anything: the workspace is as it was before the first of them, since a call's change is recorded with its result.

// openReply is the last reply, as long as its calls may still have to be run; pure.
func openReply(events []entry) (reply session.ModelReplied, ok bool) {
	for i := len(events) - 1; i >= 0; i-- {
		switch d := events[i].data.(type) {
		case session.ModelReplied:
			return d, true
		case session.StepStarted, session.ModelRequested, session.ModelFailed, session.Compacted, session.Question,
			session.ReviewAsked, session.ReviewAnswered:
			return reply, false
		}
	}
	return reply, false
}

// unanswered reports a request that nothing came of; pure.
func unanswered(events []entry) bool {
	for i := len(events) - 1; i >= 0; i-- {
		switch d := events[i].data.(type) {
		case session.ModelRequested:
			return true
		case session.ModelFailed:
			if d.Final {
				return false
			}
		case session.ModelReplied, session.Finished, session.Compacted:
			return false
		}
	}
	return false
}

// begun reports a call that is in the record; pure.
func begun(events []entry, id string) bool {
	for i := len(events) - 1; i >= 0; i-- {
		if d, ok := events[i].data.(session.ToolCalled); ok && d.CallID == id {
			return true
		}
	}
	return false
}

// finishedCalls are the results in the record by the ids of their calls; pure.
func finishedCalls(events []entry) map[string]session.ToolFinished {
	out := map[string]session.ToolFinished{}
	for _, e := range events {
		if d, ok := e.data.(session.ToolFinished); ok {
			out[d.CallID] = d
		}
	}
	return out
}

// endsReply reports the result of a finish that was looked at: the calls behind it in its reply are not run.
func endsReply(f session.ToolFinished) bool {
	return f.Tool == "finish" && f.Summary != "invalid arguments" && !strings.HasPrefix(f.Summary, notRunPrefix)
}

// answer does what a recorded reply asks for, as far as that is not done yet; done says that the patch waits for review,
// or the session waits or ended.
func (r *Run) answer(ctx context.Context, b *bench, reply session.ModelReplied) (done bool, err error) {
	switch calls := len(reply.Message.Calls); {
	case calls == 0 && reply.Stop == model.StopRefusal:
		return false, &stopped{"the model refused to go on: " + first(reply.Message.Text, 300)}
	case reply.Stop == model.StopGaveUp:
		return false, &stopped{first(reply.Message.Text, 4000)}
	case calls == 0:
		return false, r.prose()
	}
	return r.calls(ctx, b, reply.Step, reply.Message)
}
