package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/policy"
	"redgreen/backend/session"
)

// runs are the sessions that this process works on. Every run has one goroutine at most, and Close waits for all of them.
type runs struct {
	core    *core
	send    Sender
	batch   *batcher
	context context.Context // ends all runs; owned here, cancelled by Close
	cancel  context.CancelFunc
	wait    sync.WaitGroup

	mu   sync.Mutex
	live map[string]*live
	asks map[string]chan bool // open questions by id
}

// live is a run at work, or one that waits for review or an answer.
type live struct {
	run     *agent.Run
	cancel  context.CancelFunc // nil while it does not work
	release func()             // gives up the session and its workspace; nil before it worked
}

// close removes the run's workspace and gives the session up.
func (l *live) close() error {
	err := l.run.Close()
	if l.release != nil {
		l.release()
		l.release = nil
	}
	return err
}

func newRuns(c *core, send Sender) *runs {
	ctx, cancel := context.WithCancel(context.Background())
	return &runs{core: c, send: send, batch: newBatcher(send), context: ctx, cancel: cancel,
		live: map[string]*live{}, asks: map[string]chan bool{}}
}

// Close cancels every run and waits until each has recorded its end.
func (r *runs) Close() {
	r.cancel()
	r.wait.Wait()
	r.mu.Lock()
	for id, l := range r.live {
		if err := l.close(); err != nil {
			r.core.log.Warn("closing a run", slog.String("session", id), slog.Any("error", err))
		}
	}
	r.live = map[string]*live{}
	r.mu.Unlock()
	r.batch.Close()
}

func (r *runs) hooks() hooks {
	return hooks{
		ask: r.ask,
		delta: func(id string, step int, d model.Delta) {
			r.batch.delta(Delta{Session: id, Step: step, Text: d.Text, Thinking: d.Thinking, Reset: d.Retry != nil})
		},
		phase: func(id, text string) { r.send("phase", map[string]string{"session": id, "text": text}) },
	}
}

// start begins a task and returns its session id at once.
func (r *runs) start(ctx context.Context, f *folder, m model.Model, t agent.Task) (string, error) {
	o, err := r.core.agentOptions(f, m, r.hooks())
	if err != nil {
		return "", err
	}
	run, err := agent.New(ctx, o, t)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	l := &live{run: run}
	r.live[run.ID()] = l
	r.mu.Unlock()
	return run.ID(), r.work(l)
}

// work lets a run go on in its own goroutine until it waits for the person or ends.
func (r *runs) work(l *live) error {
	r.mu.Lock()
	if l.cancel != nil {
		r.mu.Unlock()
		return fail(Conflict, "this session is at work already")
	}
	if l.release == nil {
		release, err := r.core.ownSession(l.run.ID())
		if err != nil {
			r.mu.Unlock()
			return err
		}
		l.release = release
	}
	ctx, cancel := context.WithCancel(r.context)
	l.cancel = cancel
	r.mu.Unlock()
	r.wait.Add(1)
	go func() {
		defer r.wait.Done()
		defer cancel()
		outcome := r.guarded(ctx, l)
		r.mu.Lock()
		l.cancel = nil
		over := outcome != session.Review && outcome != session.Waiting
		if over {
			delete(r.live, l.run.ID())
		}
		r.mu.Unlock()
		if over {
			if err := l.close(); err != nil {
				r.core.log.Warn("closing a run", slog.String("session", l.run.ID()), slog.Any("error", err))
			}
		}
		r.send("phase", map[string]string{"session": l.run.ID(), "text": ""})
	}()
	return nil
}

// guarded keeps a panic of one run from ending the window.
func (r *runs) guarded(ctx context.Context, l *live) (outcome session.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			r.core.log.Error("a run panicked", slog.String("session", l.run.ID()), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			outcome = session.Error
		}
	}()
	outcome, err := l.run.Work(ctx)
	if err != nil {
		r.core.log.Warn("a run ended early", slog.String("session", l.run.ID()), slog.Any("error", err))
	}
	return outcome
}

// find gives the run of a session, picking it up from its record when this process does not have it yet.
func (r *runs) find(ctx context.Context, id string) (*live, error) {
	r.mu.Lock()
	l, ok := r.live[id]
	r.mu.Unlock()
	if ok {
		return l, nil
	}
	store, err := r.core.sessions()
	if err != nil {
		return nil, err
	}
	state, err := store.State(ctx, id)
	if err != nil {
		return nil, err
	}
	f, err := r.core.open(state.Folder)
	if err != nil {
		return nil, err
	}
	m, err := r.core.openModel(state.Model.Ref())
	if err != nil { // needed only if the run goes on: then its first call says what is wrong
		m = model.Model{Info: state.Model, Provider: absent{err}}
	}
	o, err := r.core.agentOptions(f, m, r.hooks())
	if err != nil {
		return nil, err
	}
	run, err := agent.Open(ctx, o, id)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if l, ok := r.live[id]; ok {
		return l, run.Close()
	}
	l = &live{run: run}
	r.live[id] = l
	return l, nil
}

// working reports whether this process works on the session now.
func (r *runs) working(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.live[id]
	return ok && l.cancel != nil
}

// stop cancels a run at work.
func (r *runs) stop(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.live[id]
	if !ok || l.cancel == nil {
		return fail(Conflict, "this session is not at work")
	}
	l.cancel()
	return nil
}

// done forgets a run whose session has ended.
func (r *runs) done(l *live) error {
	r.mu.Lock()
	delete(r.live, l.run.ID())
	r.mu.Unlock()
	return l.close()
}

// Question is asked of the person before an act.
type Question struct {
	Session string      `json:"session"`
	AskID   string      `json:"ask_id"`
	Kind    policy.Kind `json:"kind"`
	Object  string      `json:"object"`
}

// ask puts a question to the person and waits for the answer or the end of the run.
func (r *runs) ask(ctx context.Context, id string, act policy.Act) (bool, error) {
	q := Question{Session: id, AskID: rand.Text(), Kind: act.Kind, Object: act.Object}
	answer := make(chan bool, 1)
	r.mu.Lock()
	r.asks[q.AskID] = answer
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.asks, q.AskID)
		r.mu.Unlock()
	}()
	r.send("ask", q)
	select {
	case ok := <-answer:
		return ok, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (r *runs) answer(askID string, allow bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.asks[askID]
	if !ok {
		return fail(NotFound, "that question was answered already, or its run has ended")
	}
	delete(r.asks, askID)
	c <- allow
	return nil
}

// absent stands for a model that could not be opened; every call gives the reason.
type absent struct{ err error }

func (a absent) Chat(context.Context, string, model.Request, func(model.Delta)) (model.Reply, error) {
	return model.Reply{}, fmt.Errorf("calling the model of this session: %w", a.err)
}
func (a absent) Models(context.Context) ([]model.Info, error) { return nil, a.err }
