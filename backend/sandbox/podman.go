package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// podmanRuntime is an OCI runtime under Podman: krun, runsc, crun or runc.
type podmanRuntime struct {
	kind Kind
	home *home
	set  func(h *home) (podmanSetup, error) // finds the program; the error says why it cannot be used here
	// overlay says that the runtime can show a workspace through an overlay whose upper part is thrown away.
	overlay bool
	copies  atomic.Bool // found out by the probe: the overlay does not work on this file system
	fixed   atomic.Bool // found out by the probe: nothing can be placed in a container that stands already
	// processes is the smallest process limit that the runtime itself can live with.
	processes int
	// check looks at what the probe printed: kernel release and /proc/version as seen inside.
	check func(h host, inside probeReport) error

	cleaning sync.WaitGroup // containers that are being deleted or made beside
	pool     pool
	ready    atomic.Bool // the pool is filled

	mu       sync.Mutex
	svc      *service
	imageSvc *service // of runs in an image; nil until the first
	version  string
	notes    []string // warnings that hold for every run
}

func (r *podmanRuntime) Name() string { return r.kind.Name }

// service gives the running service, starting it if there is none.
func (r *podmanRuntime) service(ctx context.Context) (*service, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.svc != nil {
		if r.svc.alive() && r.svc.api.ping(ctx) == nil {
			return r.svc, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.home.log.Warn("the podman service has ended and is started again", "runtime", r.kind.Name)
		if err := r.svc.stop(); err != nil {
			return nil, err
		}
		r.svc = nil
	}
	podman := find(nil, "podman")
	if podman == "" {
		return nil, errNoPodman
	}
	set, err := r.set(r.home)
	if err != nil {
		return nil, err
	}
	svc, err := startService(ctx, r.home, podman, set)
	if err != nil {
		return nil, rootlessHint(r.home.host, err)
	}
	if err := r.learn(ctx, svc); err != nil {
		return nil, errors.Join(err, svc.stop())
	}
	r.svc = svc
	return svc, nil
}

// rootlessHint adds what a plain user most often lacks.
func rootlessHint(h host, err error) error {
	if h.root {
		return err
	}
	if find(nil, "newuidmap") == "" {
		return fmt.Errorf("%w (Debian, Ubuntu: sudo apt-get install uidmap; Fedora: sudo dnf install shadow-utils)", err)
	}
	u, e := user.LookupId(strconv.Itoa(h.uid))
	if e != nil {
		return err
	}
	for _, file := range []string{"/etc/subuid", "/etc/subgid"} {
		b, e := os.ReadFile(file)
		if e != nil || !bytes.Contains(append([]byte("\n"), b...), []byte("\n"+u.Username+":")) {
			return fmt.Errorf("%w (sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 %s)", err, u.Username)
		}
	}
	return err
}

// learn asks the service what it is and refuses one that is too old or has another runtime than we asked for.
func (r *podmanRuntime) learn(ctx context.Context, svc *service) error {
	info, err := svc.api.info(ctx)
	if err != nil {
		return err
	}
	if major, _, _ := strings.Cut(info.Version.Version, "."); len(major) == 1 && major < "4" {
		return fmt.Errorf("podman %s is too old; version 4.0 or later is needed", info.Version.Version)
	}
	if got := filepath.Base(info.Host.OCIRuntime.Name); got != r.kind.Name {
		return fmt.Errorf("podman uses %q though %q was asked for", got, r.kind.Name)
	}
	first, _, _ := strings.Cut(info.Host.OCIRuntime.Version, "\n")
	r.version = fmt.Sprintf("%s, podman %s", strings.TrimSpace(first), info.Version.Version)
	r.notes = nil
	if info.Host.Security.SELinuxEnabled {
		r.notes = append(r.notes, "SELinux confinement is off for the container, since the host's own folders are shown in it")
	}
	if !info.Host.Security.SeccompEnabled {
		r.notes = append(r.notes, "no system call filter: this podman or kernel has no seccomp")
	}
	return nil
}

// Close stops the service, after what waits in the pool and what is still being deleted.
func (r *podmanRuntime) Close() error {
	r.drain()
	r.cleaning.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, svc := range []**service{&r.svc, &r.imageSvc} {
		if *svc != nil {
			errs = append(errs, (*svc).stop())
			*svc = nil
		}
	}
	return errors.Join(errs...)
}

// Run runs spec in a fresh container.
func (r *podmanRuntime) Run(ctx context.Context, spec Spec) (Result, error) {
	if err := spec.check(); err != nil {
		return Result{}, err
	}
	spec.Limits = r.limits(spec.Limits)
	svc, err := r.service(ctx)
	if err != nil {
		return cancelled(ctx, time.Now(), fmt.Errorf("running in %s: %w", r.kind.Name, err))
	}
	run := &podmanRun{runtime: r, spec: spec, started: time.Now(), container: container{svc: svc}}
	if spec.Image != "" {
		if run.svc, run.image, err = r.useImage(ctx, spec.Image); err != nil {
			return cancelled(ctx, run.started, fmt.Errorf("running in an image: %w", err))
		}
	}
	res, err := run.do(ctx)
	r.discard(&run.container)
	if err != nil {
		return Result{}, fmt.Errorf("running in %s: %w", r.kind.Name, err)
	}
	return res, nil
}

// limits are the limits that a run gets.
func (r *podmanRuntime) limits(l Limits) Limits {
	l = l.withDefaults()
	l.Processes = max(l.Processes, r.processes)
	return l
}
