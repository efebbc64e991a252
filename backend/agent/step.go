package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
	"redgreen/backend/tools"
)

// maxProse is how many replies in a row may call no tool; the last one ends the run.
const maxProse = 3

// step makes one model call and runs its tool calls; done says that the patch waits for review, or the session ended.
func (r *Run) step(ctx context.Context, b *bench) (done bool, err error) {
	req, added, tokens, err := r.fits(ctx, b)
	if err != nil {
		return false, err
	}
	if err := r.loadImages(ctx, req.Messages); err != nil {
		return false, err
	}
	st := r.log.State()
	worst, priced := r.o.Model.WorstCost(tokens, req.MaxOutput)
	u := spent(st, r.history())
	u.wall = r.clock.used()
	again := unanswered(r.history())
	if again {
		u.steps--
	}
	if l := check(binding(r.o.Model.Info, r.task.Limits), u, nextCall{tokens, worst, priced}); l != nil {
		return false, l
	}
	n := u.steps + 1
	begin := []session.Entry{
		{Kind: session.KindStepStarted, Data: session.StepStarted{Step: n}},
		{Kind: session.KindModelRequested, Data: session.ModelRequested{Step: n, Tokens: tokens, Window: r.o.Model.Window, Added: added.texts, Images: added.images}},
	}
	if again {
		begin = begin[1:]
	}
	if err := r.appendAll(ctx, begin...); err != nil {
		return false, err
	}
	r.phase("Waiting for " + r.o.Model.Label)
	reply, err := r.chat(ctx, n, tokens, req)
	if err != nil {
		return false, err
	}
	r.phase("")
	return r.answer(ctx, b, reply)
}

// request puts the next request together: the conversation so far, and what the model has not seen yet.
func (r *Run) request(b *bench) (model.Request, fresh) { return r.requestFrom(b, r.history()) }

// fresh is what the model sees for the first time in a request, beside tool results.
type fresh struct {
	texts  []string
	images []model.Image
}

func (r *Run) requestFrom(b *bench, events []entry) (model.Request, fresh) {
	messages, added := rebuild(events), news(events)
	if len(messages) == 0 {
		added = append([]string{b.first}, added...)
	}
	c := conversation{messages: messages}
	for i, text := range added {
		added[i] = r.o.Store.Redact(text) // what comes from the record is without secrets already
		c.say(added[i])
	}
	images := unseen(events)
	c.show(images)
	return model.Request{System: system, Messages: c.messages, Tools: b.tools.Specs(), MaxOutput: reserve(r.window())}, fresh{added, images}
}

// chat calls the model and records what came of it.
func (r *Run) chat(ctx context.Context, step int, tokens int64, req model.Request) (session.ModelReplied, error) {
	begun := r.o.Now()
	var recorded error
	say := func(d model.Delta) {
		if d != (model.Delta{}) {
			r.o.OnDelta(r.ID(), step, d)
		}
	}
	text, thinking := r.o.Store.Stream(), r.o.Store.Stream()
	reply, err := r.o.Model.Chat(ctx, req, func(d model.Delta) {
		if d.Retry == nil {
			say(model.Delta{Text: text.Add(d.Text), Thinking: thinking.Add(d.Thinking)})
			return
		}
		recorded = errors.Join(recorded, r.append(ctx, session.KindModelFailed, failure(step, d.Retry.Attempt, d.Retry.Err, d.Retry.Wait)))
		text, thinking = r.o.Store.Stream(), r.o.Store.Stream()
		say(d)
	})
	say(model.Delta{Text: text.Rest(), Thinking: thinking.Rest()})
	if recorded != nil {
		return session.ModelReplied{}, recorded
	}
	if err != nil {
		f := failure(step, 0, err, 0)
		f.Final = true
		if err := r.append(ctx, session.KindModelFailed, f); err != nil {
			return session.ModelReplied{}, err
		}
		return session.ModelReplied{}, fmt.Errorf("calling the model: %w", err)
	}
	reply.Body = model.WithoutImages(reply.Body, req)
	return r.replied(ctx, step, tokens, begun, reply)
}

// replied records a whole reply, priced. Where the provider told no usage our own estimate stands in.
func (r *Run) replied(ctx context.Context, step int, tokens int64, begun time.Time, reply model.Reply) (session.ModelReplied, error) {
	m := callIDs(step, reply.Message, r.history())
	m.Role = model.Assistant
	usage := reply.Usage
	if !usage.Known && usage.Total() == 0 {
		usage.Input = tokens
		usage.Output = model.CountTokens(model.Request{Messages: []model.Message{m}})
	}
	cost, priced := r.o.Model.Cost(usage)
	body := ""
	if len(reply.Body) > 0 {
		hash, err := r.o.Store.PutBody(context.WithoutCancel(ctx), reply.Body)
		if err != nil {
			return session.ModelReplied{}, &recordError{err}
		}
		body = hash
	}
	d := session.ModelReplied{
		Step: step, Message: m, Stop: reply.Stop, Usage: usage, MicroUSD: cost, Priced: priced,
		Millis: r.o.Now().Sub(begun).Milliseconds(), Body: body, Reflects: reflects(trail(r.history()), m.Text),
		Prefix: prefix(reply), Miss: reply.Miss,
	}
	return d, r.append(ctx, session.KindModelReplied, d)
}

// reflects names the failed call that the model was just asked to think about, where its reply says anything; pure.
func reflects(as []attempt, said string) string {
	if n := len(as); n > 0 && strings.TrimSpace(said) != "" && as[n-1].failed() {
		return as[n-1].CallID
	}
	return ""
}

// prefix is what the record keeps of the request's parts; nil from a model that does not hash them.
func prefix(reply model.Reply) *model.Prefix {
	if reply.Prefix.Hash == "" {
		return nil
	}
	return &reply.Prefix
}

func first(text string, max int) string {
	head, _ := tools.Cap(tools.Visible(text), max)
	return head
}

func failure(step, attempt int, err error, wait time.Duration) session.ModelFailed {
	f := session.ModelFailed{Step: step, Code: string(model.Internal), Message: err.Error(), Attempt: attempt, WaitMillis: wait.Milliseconds()}
	var m *model.Error
	if errors.As(err, &m) {
		f.Code = string(m.Code)
	}
	return f
}

// prose ends the run when too many replies in a row called no tool; before, the next request nudges (see news).
func (r *Run) prose() error {
	n := 0
	for _, e := range slices.Backward(r.history()) {
		if e.Kind == session.KindToolCalled {
			break
		}
		if e.Kind == session.KindModelReplied {
			n++
		}
	}
	if n < maxProse {
		return nil
	}
	return &stopped{fmt.Sprintf("the model answered %d times in a row without calling a tool; another model may manage", n)}
}

// calls runs the tool calls of a reply in their order. What follows a finish that was accepted, or a question, is not run.
func (r *Run) calls(ctx context.Context, b *bench, step int, reply model.Message) (done bool, err error) {
	results := finishedCalls(r.history())
	for _, call := range reply.Calls {
		rec := &recorder{r: r, step: step}
		if f, ok := results[call.ID]; ok {
			if endsReply(f) {
				return false, nil
			}
		} else if summary, text := refused(r.history(), call, reply.Text); summary != "" {
			if err := rec.refuse(ctx, call, summary, text); err != nil {
				return false, err
			}
		} else if done, over, err := r.call(ctx, b, rec, call); over || err != nil {
			return done, err
		}
		if why := stuck(trail(r.history())); why != "" {
			return false, &stopped{why}
		}
	}
	return false, nil
}

// call runs one tool call; over says that no other of its reply follows.
func (r *Run) call(ctx context.Context, b *bench, rec *recorder, call model.Call) (done, over bool, err error) {
	if err := r.held(ctx); err != nil {
		return false, true, err
	}
	if l := checkTools(binding(r.o.Model.Info, r.task.Limits), spent(r.log.State(), r.history())); l != nil {
		return false, true, l
	}
	r.phase(doing(call.Name))
	out, err := b.tools.Call(ctx, call, rec)
	if err != nil {
		return false, true, err
	}
	r.phase("")
	if out.Finish != nil {
		done, err = r.finished(ctx, b, rec, call, out)
		return done, true, err
	}
	if out.Question != nil {
		return true, true, nil // recorded with its call
	}
	return false, false, nil
}

func doing(tool string) string {
	return map[string]string{
		"search_code": "Searching", "read_file": "Reading", "run_tests": "Running the tests", "apply_patch": "Editing the copy",
		"write_criteria": "Writing the acceptance criteria", "trace_coverage": "Measuring what the tests execute", "try_patches": "Trying candidate edits",
	}[tool]
}

// callIDs gives every call of a reply an id that is its own in the session: local models send none, or the same again.
func callIDs(step int, m model.Message, events []entry) model.Message {
	seen := map[string]bool{}
	for _, e := range events {
		if d, ok := e.data.(session.ToolCalled); ok {
			seen[d.CallID] = true
		}
	}
	for i := range m.Calls {
		if id := strings.TrimSpace(m.Calls[i].ID); id == "" || seen[id] {
			m.Calls[i].ID = fmt.Sprintf("call_%d_%d", step, i+1)
		}
		seen[m.Calls[i].ID] = true
	}
	return m
}
