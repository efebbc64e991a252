package sandbox

import "path/filepath"

// newRunsc is gVisor. Its sandbox runs with no network but loopback; its own threads count as processes, and it cannot
// write through an overlay volume, so the workspace is a copy.
func newRunsc(h *home, k Kind) Runtime {
	return &podmanRuntime{kind: k, home: h, processes: gvisorProcesses, set: func(h *home) (podmanSetup, error) {
		p, err := locate("runsc", "Debian, Ubuntu: sudo apt-get install runsc, or see https://gvisor.dev/docs/user_guide/install")
		return podmanSetup{name: "runsc", program: p, wrapper: []string{"--network=none", "--root=" + shellQuote(filepath.Join(h.short, "gvisor"))}}, err
	}}
}
