package agent

import "context"

// Pause holds a run at work before its next call of the model or of a tool; what is under way is done first. Time spent so
// does not count. Nothing of it is recorded: a run whose process ends while it is paused is one that was interrupted.
func (r *Run) Pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paused == nil {
		r.paused = make(chan struct{})
	}
}

// Unpause lets a paused run go on.
func (r *Run) Unpause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paused != nil {
		close(r.paused)
		r.paused = nil
	}
}

// Paused reports whether the run is, or will be held before its next act.
func (r *Run) Paused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paused != nil
}

// held waits while the run is paused, with its clock stopped.
func (r *Run) held(ctx context.Context) error {
	for {
		r.mu.Lock()
		paused := r.paused
		r.mu.Unlock()
		if paused == nil {
			return ctx.Err()
		}
		if err := r.wait(ctx, paused); err != nil {
			return err
		}
	}
}

func (r *Run) wait(ctx context.Context, paused <-chan struct{}) error {
	defer r.clock.pause()()
	r.phase("Paused")
	defer r.phase("")
	select {
	case <-paused:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
