package sandbox

import (
	"errors"
	"fmt"
)

// Kind is one row of the ladder.
type Kind struct {
	Name     string // krun, runsc, crun, runc, bwrap, none
	Label    string // for people
	Protects string // what stands between the repository's code and the machine
	open     func(h *home, k Kind) Runtime
}

// Runtimes is the ladder, from the strongest to the weakest. A new runtime is one file and one row here; the conformance
// suite runs for each.
func Runtimes() []Kind {
	return []Kind{
		{"krun", "microVM", "a virtual machine with a kernel of its own", newKrun},
		{"runsc", "gVisor", "a kernel in user space that answers the program's system calls", newRunsc},
		{"crun", "container", "namespaces, control groups and a system call filter of the host's kernel", newCrun},
		{"runc", "container", "namespaces, control groups and a system call filter of the host's kernel", newRunc},
		{"bwrap", "namespaces", "namespaces and a system call filter of the host's kernel, without a container engine", newBwrap},
		{"none", "no isolation", "nothing: the repository's code runs as you and can read, change and send whatever you can; only the folder is a throw-away copy", newNone},
	}
}

var errNoPodman = errors.New("podman is not installed (Debian, Ubuntu: sudo apt-get install --no-install-recommends podman crun conmon netavark; Fedora: sudo dnf install podman)")

// locate finds a runtime's program, or says how to get it.
func locate(name, install string) (string, error) {
	p := find(nil, name)
	if p == "" {
		return "", fmt.Errorf("%s is not installed (%s)", name, install)
	}
	return p, nil
}
