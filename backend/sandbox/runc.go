package sandbox

// newRunc is the container runtime that works with every layout of control groups.
func newRunc(h *home, k Kind) Runtime {
	return &podmanRuntime{kind: k, home: h, overlay: true, set: func(*home) (podmanSetup, error) {
		p, err := locate("runc", "Debian, Ubuntu: sudo apt-get install runc; Fedora: sudo dnf install runc")
		return podmanSetup{name: "runc", program: p}, err
	}}
}
