package sandbox

import "errors"

// newCrun is the container runtime that starts quickest. It refuses hybrid control groups; in the service's own mount
// namespace the empty v2 tree is taken away, and the host's stays as it is.
func newCrun(h *home, k Kind) Runtime {
	return &podmanRuntime{kind: k, home: h, overlay: true, set: func(h *home) (podmanSetup, error) {
		p, err := locate("crun", "Debian, Ubuntu: sudo apt-get install crun; Fedora: sudo dnf install crun")
		set := podmanSetup{name: "crun", program: p}
		if err == nil && h.host.cgroup == cgroupHybrid {
			set.hide = "/sys/fs/cgroup/unified"
			if !h.host.root {
				err = errors.New("crun refuses hybrid control groups, and only root can hide the v2 tree from it (boot with systemd.unified_cgroup_hierarchy=1, or install runc)")
			}
		}
		return set, err
	}}
}
