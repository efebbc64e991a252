package agent

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// The limits of a task where the person set none (decision 7). A model that had 12 edits refused does not manage the
// forms; 2 MiB of tool output are some 600,000 tokens.
const (
	defaultSteps        = 30
	defaultUSD          = model.MicroUSD(1_000_000)
	defaultWall         = 20 * time.Minute
	defaultEditFailures = 12
	defaultOutput       = 2 << 20
)

// maxOutput is how many tokens one reply may have; the worst cost of a call counts with it.
const maxOutput = 8192

func withDefaults(l session.Limits) session.Limits {
	if l.Steps <= 0 {
		l.Steps = defaultSteps
	}
	if l.MicroUSD <= 0 {
		l.MicroUSD = defaultUSD
	}
	if l.Wall <= 0 {
		l.Wall = defaultWall
	}
	if l.EditFailures <= 0 {
		l.EditFailures = defaultEditFailures
	}
	if l.Output <= 0 {
		l.Output = defaultOutput
	}
	return l
}

// binding are the limits that a model is held to: a search is held to time alone, since its steps cost nothing and it bounds itself
// how many edits it tries.
func binding(m model.Info, l session.Limits) session.Limits {
	if m.Search {
		l.Steps, l.EditFailures, l.Output = math.MaxInt, math.MaxInt, math.MaxInt64
	}
	return l
}

// limitError is a limit that stops a run. It is also the cause of the context that bounds the wall clock.
type limitError struct{ session.LimitReached }

func (e *limitError) Error() string { return e.Message }

func reached(limit, format string, args ...any) *limitError {
	return &limitError{session.LimitReached{Limit: limit, Message: fmt.Sprintf(format, args...)}}
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

func wallError(limit time.Duration) *limitError {
	return reached("wall", "the time limit of %s is used up; raise it with --timeout", limit)
}

// used is what a session has used of its limits.
type used struct {
	steps        int
	tokens       int64
	cost         model.MicroUSD
	wall         time.Duration
	editFailures int
	output       int64
}

// spent adds up the record, but for the wall clock; pure.
func spent(st session.State, events []entry) used {
	u := used{steps: st.Steps, tokens: st.Usage.Total(), cost: st.MicroUSD}
	for _, e := range events {
		d, ok := e.data.(session.ToolFinished)
		if !ok {
			continue
		}
		u.output += int64(len(d.Text))
		a := attempt{ToolCalled: session.ToolCalled{Tool: d.Tool}, done: true, ok: d.OK, summary: d.Summary}
		if a.failedEdit() {
			u.editFailures++
		}
	}
	return u
}

// call is a model call before it is made: our estimate of its input, and the most it can cost where its price is known.
type nextCall struct {
	tokens int64
	worst  model.MicroUSD
	priced bool
}

// check says whether another model call may start: the one place where limits are held. Steps, tokens, dollars, edits
// and output count over the whole session; the wall clock counts the work since the person last set it to work, without
// the time in which it waited for them, and is also held during calls, by its clock.
func check(l session.Limits, u used, next nextCall) *limitError {
	switch {
	case u.steps >= l.Steps:
		return reached("steps", "the limit of %s is used up; raise it with --max-steps", steps(l.Steps))
	case u.wall >= l.Wall:
		return wallError(l.Wall)
	case l.Tokens > 0 && u.tokens+next.tokens > l.Tokens:
		return reached("tokens", "the next call needs about %d tokens, %d of the limit of %d are used", next.tokens, u.tokens, l.Tokens)
	case next.priced && u.cost+next.worst > l.MicroUSD:
		return reached("usd", "the next call can cost up to $%.4f, $%.4f of the limit of $%.2f are used; raise it with --max-usd",
			usd(next.worst), usd(u.cost), usd(l.MicroUSD))
	}
	return checkTools(l, u)
}

// checkTools says whether another tool may run: the limits that a single reply with many calls can use up.
func checkTools(l session.Limits, u used) *limitError {
	switch {
	case u.editFailures >= l.EditFailures:
		return reached("edit_failures", "%d edits of the model were refused, which is the limit; another model may manage the forms of edits", u.editFailures)
	case u.output >= l.Output:
		return reached("output", "the tools gave the model %d KiB, which is the limit; ask for something smaller", u.output>>10)
	}
	return nil
}

// clock is the wall clock of a run. It stands while the run waits for the person, and while what each first run on a machine
// needs is compiled. Its context ends with the limit as the
// cause.
type clock struct {
	now    func() time.Time
	limit  time.Duration
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	spent time.Duration // before since
	since time.Time
	stops int // how many wait for the person now
	timer *time.Timer
}

// startClock gives a running clock and the context that it bounds; stop ends both.
func startClock(ctx context.Context, now func() time.Time, limit time.Duration) (_ context.Context, c *clock, stop func()) {
	wall, cancel := context.WithCancelCause(ctx)
	c = &clock{now: now, limit: limit, cancel: cancel, since: now()}
	c.timer = time.AfterFunc(limit, func() { cancel(wallError(limit)) })
	return testrun.Pausing(wall, c.pause), c, func() {
		c.timer.Stop()
		cancel(nil)
	}
}

// used is the time of work so far.
func (c *clock) used() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops > 0 {
		return c.spent
	}
	return c.spent + c.now().Sub(c.since)
}

// pause stops the clock until resume is called.
func (c *clock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops++; c.stops == 1 {
		c.spent += c.now().Sub(c.since)
		c.timer.Stop()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.stops--; c.stops == 0 {
			c.since = c.now()
			c.timer.Reset(max(c.limit-c.spent, 0))
		}
	}
}

func usd(m model.MicroUSD) float64 { return float64(m) / 1e6 }
