// Package sandbox runs one argument list with no network and bounded time, memory, processes and output.
//
// A Runtime is one way to isolate: a microVM, gVisor, a container, namespaces. Sandbox climbs down the ladder from the
// strongest that is present and really works here (it is probed, not assumed; loopback inside too), and labels every run with
// what it had.
//
// The program is taken to be hostile. What it sees is the host's toolchain read-only over an empty root, its workspace as a
// throw-away layer or copy, and nothing else: no image has to be pulled, and the tests run with the versions that the
// person has. Podman is spoken to over its REST API with a configuration that is all our own, so neither systemd nor a
// set-up Podman is needed; bubblewrap gives the same view where there is no Podman. Limits are read from outside, from the
// kernel's counters where they are and by watching where they are not, since a program cannot be asked. Everything of one
// process lies in one locked folder, by which the next process finds and ends what a killed one left.
//
// As a plain user (the conformance suite was run so with runc, Podman 4.3, newuidmap and subordinate ids, and with bubblewrap
// 0.8, on control groups v1): everything holds, with these differences. Podman sets no limit there ("Resource limits are not
// supported and ignored on cgroups V1 rootless systems"), so memory and processes are watched and the run is stopped, and
// nothing limits the CPU; each run's label says so. crun does not start under hybrid control groups ("cgroups in hybrid mode
// not supported, drop all controllers from cgroupv2"), which only root can hide from it. There is no pool, since only root can
// mount into a container that stands. What an image holds belongs to the subordinate ids: its storage is removed with
// podman unshare rm.
//
// Not verified so far, for want of such machines: krun (its probe is tested against a stub), control groups v2, SELinux.
package sandbox

import (
	"context"
	"time"
)

// Spec is one run. The zero value of each limit means its default.
type Spec struct {
	Args      []string          // the argument list; Args[0] is looked up on Path inside the sandbox; never a shell string
	Workspace string            // absolute host folder, seen as /workspace; the run can write there but the host folder never changes
	Dir       string            // working folder, slash-separated, relative to the workspace
	Out       string            // absolute host folder, seen as /out, where what the run writes is kept; "" none
	Cache     string            // absolute host folder, seen as /cache and writable, kept between the runs of a session; "" none
	ReadOnly  []Mount           // host folders shown read-only
	Env       map[string]string // the whole environment beside PATH, HOME, TMPDIR, LANG, USER, which the sandbox sets itself
	Path      []string          // folders put before the sandbox's own PATH
	Image     string            // an image's reference to run in; "" the host's toolchain, read-only
	Proxy     *Proxy            // the only way out of the run's network; nil none
	Limits    Limits
}

// Mount shows a host folder or file at a path of the sandbox.
type Mount struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// Limits bound a run.
type Limits struct {
	Wall      time.Duration `json:"wall"`      // default 10 min
	Memory    int64         `json:"memory"`    // bytes, default 2 GiB
	CPUs      float64       `json:"cpus"`      // default 2
	Processes int           `json:"processes"` // default 512 (1,024 on gVisor)
	Output    int64         `json:"output"`    // bytes kept of stdout and stderr each, default 1 MiB; 64 times that stops the run
	Disk      int64         `json:"disk"`      // bytes written below /workspace, /out and /tmp, default 2 GiB
}

// Reason says why a run was stopped; "" when it ended by itself.
type Reason string

// The reasons for stopping a run.
const (
	Timeout   Reason = "timeout"
	Memory    Reason = "memory"
	Processes Reason = "processes"
	Disk      Reason = "disk"
	Output    Reason = "output"
	Cancelled Reason = "cancelled"
)

// Result is how a run ended. A non-zero exit is a result, not an error.
type Result struct {
	ExitCode int           `json:"exit_code"` // -1 when stopped
	Reason   Reason        `json:"reason,omitempty"`
	Stdout   []byte        `json:"-"` // the head and the tail where it was cut, see Cut
	Stderr   []byte        `json:"-"`
	Cut      bool          `json:"cut,omitempty"` // output went over the limit; a line in it says how much is left out
	Duration time.Duration `json:"duration"`
	Runtime  Rung          `json:"runtime"` // what the run really had, read back from what ran

	// Paths gives what the run wrote to Out with the sandbox's paths in it; nil where the run saw no others. Files are left
	// as they were written, since they may be sealed or be binary.
	Paths  func(written []byte) []byte `json:"-"`
	Image  string                      `json:"image,omitempty"`  // the image's reference and id, "" the host's toolchain
	Copied string                      `json:"copied,omitempty"` // how the workspace was kept apart from the host's: overlay, reflink or copy
}

// Rung is one runtime as found on this machine.
type Rung struct {
	Name     string   `json:"name"`    // krun, runsc, crun, runc, bwrap, none
	Label    string   `json:"label"`   // for people: "microVM", "gVisor", "container", "namespaces", "no isolation"
	Version  string   `json:"version"` // as the runtime tells it
	Protects string   `json:"protects"`
	Warnings []string `json:"warnings,omitempty"` // limits that this host cannot enforce, and what follows
}

// Runtime is one way to isolate. Implementations are safe for concurrent use.
type Runtime interface {
	Name() string
	// Probe finds out by really running something whether the runtime works here. A runtime that does not is an error
	// that says why and gives the command that would fix it.
	Probe(ctx context.Context) (Rung, error)
	// Run runs spec. Cancelling ctx kills everything that was started and gives Reason Cancelled.
	// The error is for what kept the run from happening; whatever the program did is in the Result.
	Run(ctx context.Context, spec Spec) (Result, error)
}

// Check is one line of the doctor's report.
type Check struct {
	Name   string        `json:"name"`
	OK     bool          `json:"ok"`
	Detail string        `json:"detail"`
	Fix    string        `json:"fix,omitempty"` // the exact command that would help
	Took   time.Duration `json:"took,omitempty"`
}

// Report is what the doctor found, from the strongest rung to the weakest. Chosen is the name of the one in use, "" none.
type Report struct {
	Chosen string  `json:"chosen"`
	Checks []Check `json:"checks"`
}
