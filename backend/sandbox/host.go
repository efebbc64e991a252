package sandbox

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// sandboxID is the uid and gid of what runs in the sandbox when we are root: above every range that Debian and Fedora give
// to people, services, dynamic users and subordinate ids, and below 65,536, so that it exists inside a container too.
const sandboxID = 65521

// cgroupMode says how the kernel's control groups are laid out.
type cgroupMode string

const (
	cgroupV1     cgroupMode = "v1"
	cgroupHybrid cgroupMode = "hybrid" // v1 controllers with an empty v2 tree beside them
	cgroupV2     cgroupMode = "v2"
	cgroupNone   cgroupMode = "none"
)

// host is what we found out about the machine, without running anything.
type host struct {
	root    bool // we are root (maybe of a container)
	uid     int  // what runs in the sandbox has this uid on the host
	gid     int
	cgroup  cgroupMode
	nofile  uint64 // hard limit
	nproc   uint64 // hard limit; math.MaxUint64 is none
	kernel  string // release
	version string // /proc/version
	path    string // PATH, to find programs on
}

func lookAtHost() host {
	h := host{root: os.Geteuid() == 0, uid: os.Getuid(), gid: os.Getgid(), nofile: 1024, nproc: math.MaxUint64, path: os.Getenv("PATH")}
	if h.root {
		h.uid, h.gid = sandboxID, sandboxID
	}
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) == nil {
		h.nofile = l.Max
	}
	if unix.Getrlimit(unix.RLIMIT_NPROC, &l) == nil {
		h.nproc = l.Max
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		h.kernel = unix.ByteSliceToString(u.Release[:])
	}
	if b, err := os.ReadFile("/proc/version"); err == nil {
		h.version = strings.TrimSpace(string(b))
	}
	h.cgroup = cgroupModeOf("/sys/fs/cgroup")
	return h
}

func cgroupModeOf(root string) cgroupMode {
	fsType := func(p string) int64 {
		var s unix.Statfs_t
		if unix.Statfs(p, &s) != nil {
			return 0
		}
		return int64(s.Type)
	}
	switch {
	case fsType(root) == unix.CGROUP2_SUPER_MAGIC:
		return cgroupV2
	case fsType(filepath.Join(root, "unified")) == unix.CGROUP2_SUPER_MAGIC:
		return cgroupHybrid
	case fsType(filepath.Join(root, "memory")) == unix.CGROUP_SUPER_MAGIC:
		return cgroupV1
	}
	return cgroupNone
}

// sbin are folders that hold our tools on many systems and are missing in a plain user's PATH.
func sbin() []string {
	return []string{"/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin"}
}

// find gives the absolute path of the first of names that is an executable on the PATH, in a system folder or in extra.
func find(extra []string, names ...string) string {
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil {
			if abs, err := filepath.Abs(p); err == nil {
				return abs
			}
		}
		for _, d := range append(sbin(), extra...) {
			p := filepath.Join(d, n)
			if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
				return p
			}
		}
	}
	return ""
}

// toolPath is the PATH of the programs that we start outside the sandbox.
func toolPath() string { return strings.Join(sbin(), ":") }
