package sandbox

import (
	"context"
	"errors"
	"log/slog"
)

// Options configure a Sandbox.
type Options struct {
	Dir     string // absolute state folder for configuration, sockets and the empty root; created
	Runtime string // force one runtime by name; "" the strongest that works
	Log     *slog.Logger
}

// Sandbox is the chosen runtime. Safe for concurrent use.
type Sandbox struct{}

// Open prepares the state folder and sweeps what an earlier run left; it starts nothing else.
func Open(o Options) (*Sandbox, error) { return nil, errors.New("not built") }

// Rung is the strongest runtime that works here; probed once, then remembered. The error names every rung that failed,
// why, and what to install.
func (s *Sandbox) Rung(ctx context.Context) (Rung, error) { return Rung{}, errors.New("not built") }

// Owner is the host uid and gid that must own what the sandbox may write (workspace, Out, Cache); ok is false when the
// process's own are right.
func (s *Sandbox) Owner() (uid, gid int, ok bool) { return 0, 0, false }

// Run runs spec on the chosen rung.
func (s *Sandbox) Run(ctx context.Context, spec Spec) (Result, error) {
	return Result{}, errors.New("not built")
}

// Doctor probes every rung.
func (s *Sandbox) Doctor(ctx context.Context) Report { return Report{} }

// Close ends what was started (services, containers).
func (s *Sandbox) Close() error { return nil }
