package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/policy"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// runs are the sessions that this process works on. Every run has one goroutine at most, and Close waits for all of them.
type runs struct {
	core    *core
	send    Sender
	batch   *batcher
	context context.Context // ends all runs; owned here, cancelled by Close
	cancel  context.CancelCauseFunc
	wait    sync.WaitGroup

	taking sync.Mutex // while a session is taken over

	mu   sync.Mutex
	live map[string]*live     // all of them owned by this process
	asks map[string]chan bool // open questions by id
}

// live is a run at work, one that waits for review or an answer after its work, or one on which the person acts.
type live struct {
	run     *agent.Run
	folder  *folder
	acting  sync.Mutex         // held by an act of the person, and to close it
	cancel  context.CancelFunc // nil while it does not work; guarded by runs.mu
	worked  bool               // so that it has a workspace; guarded by runs.mu
	closed  bool               // guarded by acting
	release func()             // gives up the session and its workspace
}

// close removes the run's workspace and gives the session up. The caller holds acting.
func (l *live) close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	defer l.release()
	return l.run.Close()
}

func newRuns(c *core, send Sender) *runs {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &runs{core: c, send: send, batch: newBatcher(send), context: ctx, cancel: cancel,
		live: map[string]*live{}, asks: map[string]chan bool{}}
}

// Close cancels every run and waits until each has recorded its end.
func (r *runs) Close() {
	r.cancel(stoppedBy("Redgreen was closed"))
	r.wait.Wait()
	r.mu.Lock()
	left := slices.Collect(maps.Values(r.live))
	r.mu.Unlock()
	for _, l := range left {
		r.stopped(l, true)
	}
	r.batch.Close()
}

func (r *runs) hooks() hooks {
	return hooks{
		ask: r.ask,
		delta: func(id string, step int, d model.Delta) {
			r.batch.delta(Delta{Session: id, Step: step, Text: d.Text, Thinking: d.Thinking, Reset: d.Retry != nil})
		},
		phase: func(id, text string) { r.send("phase", map[string]string{"session": id, "text": text}) },
		tests: func(id string, p testrun.Progress) { r.send("tests", testsState(id, p)) },
	}
}

// start begins a task and returns its session id at once.
func (r *runs) start(ctx context.Context, f *folder, m model.Model, t agent.Task) (string, error) {
	o, err := r.core.agentOptions(f, m, r.hooks())
	if err != nil {
		return "", err
	}
	t.ID = o.Store.NewID()
	release, err := r.core.ownSession(t.ID) // before others see it
	if err != nil {
		return "", err
	}
	run, err := agent.New(ctx, o, t)
	if err != nil {
		release()
		return "", err
	}
	l := &live{run: run, folder: f, release: release}
	r.mu.Lock()
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
	ctx, cancel := context.WithCancel(r.context)
	l.cancel, l.worked = cancel, true
	r.mu.Unlock()
	r.wait.Add(1)
	go func() {
		defer r.wait.Done()
		defer cancel()
		outcome := r.guarded(ctx, l)
		r.stopped(l, outcome != session.Review && outcome != session.Waiting)
		r.send("phase", map[string]string{"session": l.run.ID(), "text": ""})
		r.send("over", Over{Session: l.run.ID(), Outcome: outcome})
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

// with does an act of the person on the run of a session, which this process owns meanwhile: acts on one session come one
// after the other. A run that the act neither set to work nor ended is given up again, unless it has a workspace to keep.
func (r *runs) with(ctx context.Context, id string, do func(*live) error) error {
	for {
		l, err := r.take(ctx, id)
		if err != nil {
			return err
		}
		l.acting.Lock()
		if !l.closed && r.misplaced(l) {
			err = r.done(l)
		}
		if l.closed { // by the act before, or just now
			l.acting.Unlock()
			if err != nil {
				return err
			}
			continue
		}
		err = do(l)
		r.mu.Lock()
		idle := l.cancel == nil && !l.worked
		r.mu.Unlock()
		if idle {
			err = errors.Join(err, r.done(l))
		}
		l.acting.Unlock()
		return err
	}
}

// misplaced reports a run that waits over a folder at whose path another one stands by now: it is to be picked up there.
func (r *runs) misplaced(l *live) bool {
	r.mu.Lock()
	working := l.cancel != nil
	r.mu.Unlock()
	if working {
		return false
	}
	f, err := r.core.open(l.run.Folder())
	return err == nil && f != l.folder
}

// take gives the run of a session. One that this process does not have is picked up from its record, once it is owned:
// what another process wrote until then is in it.
func (r *runs) take(ctx context.Context, id string) (*live, error) {
	r.taking.Lock()
	defer r.taking.Unlock()
	r.mu.Lock()
	l, ok := r.live[id]
	r.mu.Unlock()
	if ok {
		return l, nil
	}
	release, err := r.core.ownSession(id)
	if err != nil {
		return nil, err
	}
	run, f, err := r.open(ctx, id)
	if err != nil {
		release()
		return nil, err
	}
	l = &live{run: run, folder: f, release: release}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[id] = l
	return l, nil
}

// open picks a run up from its record.
func (r *runs) open(ctx context.Context, id string) (*agent.Run, *folder, error) {
	store, err := r.core.sessions()
	if err != nil {
		return nil, nil, err
	}
	state, err := store.State(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	f, err := r.core.open(state.Folder)
	if err != nil {
		return nil, nil, err
	}
	m, err := r.core.openModel(state.Model.Ref())
	if err != nil { // needed only if the run goes on: then its first call says what is wrong
		m = model.Model{Info: state.Model, Provider: absent{err}}
	}
	o, err := r.core.agentOptions(f, m, r.hooks())
	if err != nil {
		return nil, nil, err
	}
	run, err := agent.Open(ctx, o, id)
	return run, f, err
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

// at says whether a run works in a folder.
func (r *runs) at(f *folder) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.live {
		if l.folder == f && l.cancel != nil {
			return true
		}
	}
	return false
}

// pause holds a run at work before its next act, or lets it go on.
func (r *runs) pause(id string, on bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.live[id]
	if !ok || l.cancel == nil {
		return fail(Conflict, "this session is not at work")
	}
	if on {
		l.run.Pause()
	} else {
		l.run.Unpause()
	}
	return nil
}

// paused reports whether a run of this process is held.
func (r *runs) paused(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.live[id]
	return ok && l.cancel != nil && l.run.Paused()
}

// done forgets a run whose session has ended. The caller holds its acting.
func (r *runs) done(l *live) error {
	err := l.close() // first: whoever takes the session next must find it given up
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live[l.run.ID()] == l {
		delete(r.live, l.run.ID())
	}
	return err
}

// stopped notes that a run works no longer; one that is over is given up. It waits for an act of the person, and no other
// comes in between.
func (r *runs) stopped(l *live, over bool) {
	if over {
		l.acting.Lock()
		defer l.acting.Unlock()
	}
	r.mu.Lock()
	l.cancel = nil
	r.mu.Unlock()
	if !over {
		return
	}
	if err := r.done(l); err != nil {
		r.core.log.Warn("closing a run", slog.String("session", l.run.ID()), slog.Any("error", err))
	}
}

// forget lets go of a run that does not work, for an act on its session that needs no run.
func (r *runs) forget(id string) error {
	r.mu.Lock()
	l, ok := r.live[id]
	r.mu.Unlock()
	if !ok {
		return nil
	}
	l.acting.Lock()
	defer l.acting.Unlock()
	if r.working(id) {
		return fail(Conflict, "this session is at work; stop it first")
	}
	return r.done(l)
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
