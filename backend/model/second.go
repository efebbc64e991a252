package model

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// secondFor is how long a model is asked at its second place after the first could not be reached.
const secondFor = 5 * time.Minute

// second is another place where the same model answers, for an outage of the first; safe for concurrent use. Another
// model is never taken: that is a person's choice.
type second struct {
	provider Provider
	host     string
	price    *price // the person's own, nil unknown
	local    bool
	now      func() time.Time

	mu    sync.Mutex
	until time.Time // the first place is not asked before
}

// inUse says whether the second place is asked now.
func (s *second) inUse() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Before(s.until)
}

func (s *second) use(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = until
}

// call asks the provider; where it cannot be reached, the same model at the second place, first there for a while.
func (m Model) call(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error) {
	if m.second.inUse() {
		reply, err := m.second.provider.Chat(ctx, m.Name, req, onDelta)
		if err == nil || asError(m.Info.Provider, err).Code != Unavailable {
			return reply, err
		}
		m.second.use(time.Time{})
		return m.Provider.Chat(ctx, m.Name, req, onDelta)
	}
	reply, err := m.Provider.Chat(ctx, m.Name, req, onDelta)
	if err == nil || m.second == nil {
		return reply, err
	}
	e := *asError(m.Info.Provider, err)
	if e.Code != Unavailable {
		return reply, err
	}
	e.Message += fmt.Sprintf("; the same model is asked at %s", m.second.host)
	onDelta(Delta{Retry: &Retry{Attempt: attempts, Err: &e}})
	reply, err2 := m.second.provider.Chat(ctx, m.Name, req, onDelta)
	if err2 != nil {
		last := *asError(m.Info.Provider, err)
		last.Message += fmt.Sprintf("; nor could the same model be asked at %s (%s); choose another model, or try again later", m.second.host, asError(m.Info.Provider, err2).Message)
		return reply, &last
	}
	m.second.use(m.second.now().Add(secondFor))
	return reply, nil
}
