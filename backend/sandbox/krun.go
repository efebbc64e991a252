package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// newKrun is a microVM: crun with libkrun, which Podman knows as krun. A crun without libkrun takes the name and runs a plain
// container without an error, so what counts is the kernel that the probe sees inside.
func newKrun(h *home, k Kind) Runtime {
	return &podmanRuntime{kind: k, home: h, check: otherKernel, set: func(*home) (podmanSetup, error) {
		p, err := locate("krun", "Fedora: sudo dnf install crun-krun; Debian and Ubuntu have no package")
		if err != nil {
			return podmanSetup{}, err
		}
		if err := kvmUsable("/dev/kvm"); err != nil {
			return podmanSetup{}, err
		}
		return podmanSetup{name: "krun", program: p}, nil
	}}
}

// kvmUsable tells whether the machine can run virtual machines for this user.
func kvmUsable(dev string) error {
	f, err := os.OpenFile(dev, os.O_RDWR, 0)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s is missing: no hardware virtualisation (switch it on in the firmware, then sudo modprobe kvm_intel or kvm_amd)", dev)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s may not be opened (sudo usermod -aG kvm $USER, then log in again)", dev)
	case err != nil:
		return fmt.Errorf("%s cannot be opened: %w", dev, err)
	}
	return f.Close()
}

// otherKernel refuses a probe that saw the host's kernel: then there was no virtual machine.
func otherKernel(h host, inside probeReport) error {
	if inside.release == "" || inside.version == "" {
		return errors.New("the probe could not read the kernel's version inside")
	}
	if strings.TrimSpace(inside.version) == h.version { // the whole build string: a release alone can be faked by a personality
		return fmt.Errorf("the probe saw the host's kernel %s inside: this crun has no libkrun and ran a plain container (Fedora: sudo dnf install crun-krun libkrun)", h.kernel)
	}
	return nil
}
