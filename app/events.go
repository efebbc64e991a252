package app

import (
	"sync"
	"time"

	"redgreen/backend/session"
)

// Sender hands one named event to whoever draws the window.
type Sender func(name string, payload any)

// Delta is streamed text of a step; lossy, the events are the truth.
type Delta struct {
	Session  string `json:"session"`
	Step     int    `json:"step"`
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
	Reset    bool   `json:"reset,omitempty"` // what was streamed of this step is void
}

// batchEvery is how often collected notices go out. 25 to 50 ms keeps a web view responsive under thousands of events a
// second: one by one, 10,000 events of 1 KB took 0.8 to 1.6 s to show and stalled frames for up to 0.8 s.
const batchEvery = 30 * time.Millisecond

// batcher collects notices and deltas and sends them together. Its methods never block on the receiver. Close waits for
// its goroutine.
type batcher struct {
	send Sender
	wake chan struct{}
	stop chan struct{}
	done chan struct{}

	mu      sync.Mutex
	notices []session.Notice
	deltas  []Delta
}

func newBatcher(send Sender) *batcher {
	b := &batcher{send: send, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go b.loop()
	return b
}

func (b *batcher) notice(n session.Notice) {
	b.mu.Lock()
	b.notices = append(b.notices, n)
	b.mu.Unlock()
	b.nudge()
}

// delta joins text of the same step, so that a flood of tokens is one event a batch.
func (b *batcher) delta(d Delta) {
	b.mu.Lock()
	if n := len(b.deltas); n > 0 && !d.Reset && b.deltas[n-1].Session == d.Session && b.deltas[n-1].Step == d.Step {
		b.deltas[n-1].Text += d.Text
		b.deltas[n-1].Thinking += d.Thinking
	} else {
		b.deltas = append(b.deltas, d)
	}
	b.mu.Unlock()
	b.nudge()
}

func (b *batcher) nudge() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *batcher) loop() {
	defer close(b.done)
	for {
		select {
		case <-b.stop:
			b.flush()
			return
		case <-b.wake:
		}
		select {
		case <-b.stop:
		case <-time.After(batchEvery):
		}
		b.flush()
	}
}

func (b *batcher) flush() {
	b.mu.Lock()
	notices, deltas := b.notices, b.deltas
	b.notices, b.deltas = nil, nil
	b.mu.Unlock()
	if len(deltas) > 0 {
		b.send("deltas", deltas)
	}
	if len(notices) > 0 {
		b.send("notices", notices)
	}
}

// Close sends what is left and ends the goroutine.
func (b *batcher) Close() {
	close(b.stop)
	<-b.done
}
