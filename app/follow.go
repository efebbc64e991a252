package app

import (
	"context"
	"sync"

	"redgreen/backend/session"
)

// follower reads the events of one session as they are stored and hands them on in order, on the appending goroutine's
// notice but its own goroutine. stop waits until all were handed on.
type follower struct {
	store *session.Store
	do    func(session.Event)
	unsub func()
	wake  chan struct{}
	quit  chan struct{}
	done  chan struct{}

	mu sync.Mutex
	id string

	draw sync.Mutex // one reader of events at a time
	seq  int64
}

// newFollower follows a session, "" the first that is created after it.
func newFollower(store *session.Store, id string, do func(session.Event)) *follower {
	f := &follower{store: store, id: id, do: do, wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	f.unsub = store.Subscribe(func(n session.Notice) {
		f.mu.Lock()
		if f.id == "" {
			f.id = n.Session
		}
		mine := f.id == n.Session
		f.mu.Unlock()
		if mine {
			select {
			case f.wake <- struct{}{}:
			default:
			}
		}
	})
	go f.loop()
	return f
}

func (f *follower) loop() {
	defer close(f.done)
	for {
		select {
		case <-f.quit:
			return
		case <-f.wake:
			f.flush(context.Background())
		}
	}
}

// flush hands on everything that is stored by now.
func (f *follower) flush(ctx context.Context) {
	f.mu.Lock()
	id := f.id
	f.mu.Unlock()
	if id == "" {
		return
	}
	f.draw.Lock()
	defer f.draw.Unlock()
	events, err := f.store.Events(ctx, id, f.seq, 0)
	if err != nil {
		return // the run itself meets the same error and says it
	}
	for _, e := range events {
		f.do(e)
		f.seq = e.Seq
	}
}

func (f *follower) stop(ctx context.Context) {
	f.unsub()
	close(f.quit)
	<-f.done
	f.flush(ctx)
}
