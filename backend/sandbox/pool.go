package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// poolSize is how many containers stand ready, poolLife for how long. A standing container costs a few megabytes and about
// a sixth of a second of work that the next run then need not wait for; a session's runs come seconds to minutes apart.
const (
	poolSize    = 2
	poolLife    = 3 * time.Minute
	expectAfter = 100 * time.Millisecond // into a run, its successor's container is made
)

// pool holds containers that stand: made, set up and attached, but not started. What they will run is not known yet; a run
// is placed in one just before its start, see place. Each is used for one run, so a run gets a fresh container as without.
type pool struct {
	mu     sync.Mutex
	stands []*standing // oldest first
}

// standing is a container that is ready when done is closed.
type standing struct {
	container
	limits Limits
	done   chan struct{}
	err    error
}

// places tells whether runs can be placed in a container that stands: as root, who may enter its mount namespace, and with a
// runtime that shares the host's kernel.
func (r *podmanRuntime) places() bool {
	return r.overlay && r.home.host.root && !r.fixed.Load()
}

// poolKey is what of the limits is part of a container.
func poolKey(l Limits) Limits {
	l.Output = 0
	return l
}

// take fills in a container with these limits: one that stands, or is about to, or else a new one.
func (r *podmanRuntime) take(ctx context.Context, c *container, l Limits) error {
	if s := r.pool.pick(poolKey(l), c.svc); s != nil {
		select {
		case <-s.done:
		case <-ctx.Done():
			<-s.done // it is ours to discard
		}
		*c = s.container
		if s.err == nil && (s.waits() || ctx.Err() != nil) {
			return ctx.Err()
		}
		r.discard(&s.container)
		*c = container{svc: s.svc}
	}
	return r.stand(ctx, c, l)
}

// waits tells whether the first process is still there.
func (c *container) waits() bool {
	now, err := os.Stat(c.nsPath())
	was, err2 := c.ns.Stat()
	return err == nil && err2 == nil && os.SameFile(now, was)
}

func (c *container) nsPath() string { return fmt.Sprintf("/proc/%d/ns/mnt", c.state.State.Pid) }

// pick takes the oldest that fits out of the pool, nil if there is none.
func (p *pool) pick(key Limits, svc *service) *standing {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range p.stands {
		if s.limits == key && s.svc == svc {
			p.stands = append(p.stands[:i:i], p.stands[i+1:]...)
			return s
		}
	}
	return nil
}

// keepReady has the pool filled from now on: the runtime is in use, not only probed.
func (r *podmanRuntime) keepReady() { r.ready.Store(true) }

// expect makes a container for a next run with the same limits beside this one, unless one stands.
func (r *podmanRuntime) expect(l Limits) {
	r.mu.Lock()
	svc := r.svc
	r.mu.Unlock()
	if svc == nil || !r.places() || !r.ready.Load() {
		return
	}
	s := &standing{container: container{svc: svc}, limits: poolKey(l), done: make(chan struct{})}
	for _, old := range r.pool.add(s) {
		r.drop(old)
	}
	if !r.pool.has(s) {
		return
	}
	r.cleaning.Add(1)
	go func() {
		defer r.cleaning.Done()
		defer close(s.done)
		ctx, cancel := context.WithTimeout(context.Background(), cleanup)
		defer cancel()
		if s.err = r.stand(ctx, &s.container, l); s.err != nil {
			r.home.log.Debug("making a container for a next run", "error", s.err)
		}
	}()
	time.AfterFunc(poolLife, func() {
		if r.pool.remove(s) {
			r.drop(s)
		}
	})
}

// expectSoon calls expect a little into a run, so that its successor's container is made beside it but not in the way of its
// start. The returned function is for the run's end: it makes good for a run that was shorter, and returns when nothing is
// put into the pool any more.
func (r *podmanRuntime) expectSoon(l Limits) (end func()) {
	done := make(chan struct{})
	next := time.AfterFunc(expectAfter, func() {
		defer close(done)
		r.expect(l)
	})
	return func() {
		if next.Stop() {
			r.expect(l)
		} else {
			<-done
		}
	}
}

// add puts s in unless one with its limits is there, and gives those that are to be dropped for it.
func (p *pool) add(s *standing) (drop []*standing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.stands {
		if o.limits == s.limits && o.svc == s.svc {
			return nil
		}
	}
	p.stands = append(p.stands, s)
	if n := len(p.stands) - poolSize; n > 0 {
		drop, p.stands = p.stands[:n:n], p.stands[n:]
	}
	return drop
}

func (p *pool) has(s *standing) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.stands {
		if o == s {
			return true
		}
	}
	return false
}

// remove takes s out; it tells whether s was still in.
func (p *pool) remove(s *standing) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, o := range p.stands {
		if o == s {
			p.stands = append(p.stands[:i:i], p.stands[i+1:]...)
			return true
		}
	}
	return false
}

// drop discards one that was taken out of the pool, beside.
func (r *podmanRuntime) drop(s *standing) {
	r.cleaning.Add(1)
	go func() {
		defer r.cleaning.Done()
		<-s.done
		r.discard(&s.container)
	}()
}

// drain empties the pool.
func (r *podmanRuntime) drain() {
	r.pool.mu.Lock()
	all := r.pool.stands
	r.pool.stands = nil
	r.pool.mu.Unlock()
	for _, s := range all {
		r.drop(s)
	}
}

// await waits until a container with these limits stands, making one if need be.
func (r *podmanRuntime) await(ctx context.Context, l Limits) {
	l = r.limits(l)
	r.expect(l)
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	for _, s := range r.pool.stands {
		if s.limits == poolKey(l) {
			r.pool.mu.Unlock()
			select {
			case <-s.done:
			case <-ctx.Done():
			}
			r.pool.mu.Lock()
			return
		}
	}
}

// stand makes a container that waits for its start with nothing in it but the host's toolchain.
func (r *podmanRuntime) stand(ctx context.Context, c *container, l Limits) (err error) {
	if c.dir, err = r.home.newRun(); err != nil {
		return err
	}
	spec, err := r.spec(Spec{Limits: l}, filepath.Join(c.dir, "root"), "", false)
	if err != nil {
		return err
	}
	spec.Command = []string{"/bin/sh", "-c", launcher, "sandbox"}
	spec.WorkDir = "/"
	spec.Timeout += uint(poolLife / time.Second) // it counts from now
	if err := r.create(ctx, c, spec, l); err != nil {
		return err
	}
	if c.ns, err = os.Open(c.nsPath()); err != nil {
		return fmt.Errorf("finding the container's mounts: %w", err)
	}
	return nil
}
