package agent

import (
	"context"
	"fmt"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// The limits of a task where the person set none (decision 7).
const (
	defaultSteps = 30
	defaultUSD   = model.MicroUSD(1_000_000)
	defaultWall  = 20 * time.Minute
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

func wallError(l session.Limits) *limitError {
	return reached("wall", "the time limit of %s is used up; raise it with --timeout", l.Wall)
}

// check says whether another model call may start: the one place where limits are held. tokens is our estimate of its
// input, worst the most it can cost. Steps, tokens and dollars count over the whole session; the wall clock counts each
// time that Work runs, and is also held during calls, by the context of bounded.
func check(l session.Limits, st session.State, spent time.Duration, tokens int64, worst model.MicroUSD, priced bool) *limitError {
	switch {
	case st.Steps >= l.Steps:
		return reached("steps", "the limit of %s is used up; raise it with --max-steps", steps(l.Steps))
	case spent >= l.Wall:
		return wallError(l)
	case l.Tokens > 0 && st.Usage.Total()+tokens > l.Tokens:
		return reached("tokens", "the next call needs about %d tokens, %d of the limit of %d are used", tokens, st.Usage.Total(), l.Tokens)
	case priced && st.MicroUSD+worst > l.MicroUSD:
		return reached("usd", "the next call can cost up to $%.4f, $%.4f of the limit of $%.2f are used; raise it with --max-usd",
			usd(worst), usd(st.MicroUSD), usd(l.MicroUSD))
	}
	return nil
}

// bounded is a context that ends with the wall clock limit as its cause.
func bounded(ctx context.Context, l session.Limits) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, l.Wall, wallError(l))
}

func usd(m model.MicroUSD) float64 { return float64(m) / 1e6 }
