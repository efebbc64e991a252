package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Options configure a Sandbox.
type Options struct {
	Dir     string // absolute state folder for configuration, sockets and the empty root; created
	Images  string // absolute folder of the images that were built here; "" none can be
	Runtime string // force one runtime by name; "" the strongest that works
	// AllowNone lets tests run with no isolation at all where nothing better works, or where Runtime asks for it. It is
	// for folders for which the person has switched it on.
	AllowNone bool
	Log       *slog.Logger
}

// Sandbox is the chosen runtime. Safe for concurrent use.
type Sandbox struct {
	home     *home
	runtimes []Runtime // those that may be chosen, strongest first

	mu     sync.Mutex // held while probing
	chosen Runtime
	rung   Rung
	failed error // every rung failed; remembered
}

// Open prepares the state folder and sweeps what an earlier run left; it starts nothing else.
func Open(o Options) (*Sandbox, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var kinds []Kind
	var names []string
	for _, k := range Runtimes() {
		names = append(names, k.Name)
		if o.Runtime == "" || o.Runtime == k.Name {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return nil, fmt.Errorf("opening the sandbox: there is no runtime %q; choose one of %s", o.Runtime, strings.Join(names, ", "))
	}
	h, err := openHome(o.Dir, o.Log)
	if err != nil {
		return nil, err
	}
	h.allowNone, h.images = o.AllowNone, o.Images
	s := &Sandbox{home: h}
	for _, k := range kinds {
		s.runtimes = append(s.runtimes, k.open(h, k))
	}
	return s, nil
}

// Rung is the strongest runtime that works here; probed once, then remembered. The error names every rung that failed,
// why, and what to install.
func (s *Sandbox) Rung(ctx context.Context) (Rung, error) {
	_, rung, err := s.choose(ctx)
	return rung, err
}

func (s *Sandbox) choose(ctx context.Context) (Runtime, Rung, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen != nil || s.failed != nil {
		return s.chosen, s.rung, s.failed
	}
	rt, rung, why := s.climb(func(i int) probed { return probeOne(ctx, s.runtimes[i]) })
	for _, other := range s.runtimes {
		if c, ok := other.(io.Closer); ok && other != rt {
			_ = c.Close() // its service is of no use; Close tells what remains
		}
	}
	if ctx.Err() != nil {
		return nil, Rung{}, fmt.Errorf("choosing a sandbox runtime: %w", ctx.Err())
	}
	if rt != nil {
		s.take(rt, rung)
		return rt, rung, nil
	}
	if Free(s.home.dir) < fullBytes { // another time there may be room
		return nil, Rung{}, fmt.Errorf("no sandbox can be made: the disk of %s is full (%w); free some space and try again", s.home.dir, unix.ENOSPC)
	}
	s.failed = fmt.Errorf("no sandbox works here, so no test is run. The easiest way out, on Debian or Ubuntu: sudo apt-get install --no-install-recommends podman crun conmon netavark; on Fedora: sudo dnf install podman. For a folder that you trust as you trust your own shell there is also: redgreen doctor --allow-none FOLDER. Tried:\n%w", errors.Join(why...))
	return nil, Rung{}, s.failed
}

// climb goes down the ladder to the first rung that works, probing each with try; nil when none does, and why.
//
// A rung that works but for loopback is passed over, and the one below carries that as a warning. Tests that do not listen
// would be fine on it, but what a repository's tests do is not known before they run, and one that fails for its sandbox
// would tell something wrong about a patch. Where nothing else is left but to run without isolation, it is taken all the same.
func (s *Sandbox) climb(try func(i int) probed) (found Runtime, rung Rung, why []error) {
	var passed []string
	for i, rt := range s.runtimes {
		if found != nil && rt.Name() == "none" {
			break
		}
		p := try(i)
		switch {
		case p.err == nil:
			p.rung.Warnings = append(slices.Clone(p.rung.Warnings), passed...)
			return rt, p.rung, nil
		case isDeaf(p.err):
			passed = append(passed, fmt.Sprintf("%s would be stronger and is passed over: %s", rt.Name(), p.err))
			if found == nil {
				found, rung = rt, p.rung
				rung.Warnings = append(slices.Clone(rung.Warnings), p.err.Error())
			}
		}
		why = append(why, fmt.Errorf("%s: %w", rt.Name(), p.err))
	}
	return found, rung, why
}

// take makes a runtime the one in use; s.mu is held.
func (s *Sandbox) take(rt Runtime, rung Rung) {
	s.chosen, s.rung, s.failed = rt, rung, nil
	if k, ok := rt.(interface{ keepReady() }); ok {
		k.keepReady()
	}
	s.home.log.Info("sandbox runtime chosen", "runtime", rung.Name, "version", rung.Version)
}

// Owner is the host uid and gid that must own what the sandbox may write (workspace, Out, Cache); ok is false when the
// process's own are right.
func (s *Sandbox) Owner() (uid, gid int, ok bool) {
	return s.home.host.uid, s.home.host.gid, s.home.host.root
}

// Run runs spec on the chosen rung. A rung that breaks after it was chosen is an error, never a reason to take a weaker one.
func (s *Sandbox) Run(ctx context.Context, spec Spec) (Result, error) {
	choose := s.choose
	if spec.Proxy != nil {
		choose = s.chooseProxied
	}
	rt, rung, err := choose(ctx)
	if err != nil {
		return Result{}, err
	}
	if _, ok := rt.(*podmanRuntime); spec.Image != "" && !ok {
		return Result{}, noImages(rt.Name(), spec.Image)
	}
	res, err := rt.Run(ctx, spec)
	if err == nil && res.Runtime.Name == "" {
		res.Runtime = rung // stopped before anything ran
	}
	if err == nil { // a run knows of its own limits only
		res.Runtime.Warnings = append(slices.Clone(rung.Warnings), slices.DeleteFunc(res.Runtime.Warnings, func(w string) bool { return slices.Contains(rung.Warnings, w) })...)
	}
	return res, err
}

// Close ends what was started (services, containers).
func (s *Sandbox) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, rt := range s.runtimes {
		if c, ok := rt.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(append(errs, s.home.close())...)
}
