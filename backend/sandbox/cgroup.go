package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupRoot is the parent of all control groups that we make; below it one per owner.
const cgroupRoot = "redgreen"

// cgroupParent is the control group that Podman puts an owner's containers into.
func (h *home) cgroupParent() string { return "/" + cgroupRoot + "/" + h.owner }

// cgroupTrees gives the mount points of the kernel's control group trees, controller -> folder; "" is the v2 tree.
func cgroupTrees() map[string]string {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	defer f.Close()
	out := map[string]string{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		before, after, ok := strings.Cut(s.Text(), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		switch right[0] {
		case "cgroup2":
			if _, ok := out[""]; !ok {
				out[""] = left[4]
			}
		case "cgroup":
			for _, c := range strings.Split(right[2], ",") {
				out[c] = left[4]
			}
		}
	}
	return out
}

// killCgroups kills every process in the owner's control groups and waits a moment for their end.
func killCgroups(owner string) {
	for range 250 { // five seconds, on a busy machine
		left := 0
		for _, tree := range cgroupTrees() {
			walkCgroup(filepath.Join(tree, cgroupRoot, owner), func(dir string) {
				for _, pid := range readPids(filepath.Join(dir, "cgroup.procs")) {
					left++
					if pid != os.Getpid() {
						_ = unix.Kill(pid, unix.SIGKILL) // gone is as good
					}
				}
			})
		}
		if left == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// removeCgroups removes the owner's control groups, and the common parent when it was the last. One that still holds a
// dying process stays; the next sweep takes it.
func removeCgroups(owner string) {
	for _, tree := range cgroupTrees() {
		walkCgroup(filepath.Join(tree, cgroupRoot, owner), func(dir string) { _ = unix.Rmdir(dir) })
		_ = unix.Rmdir(filepath.Join(tree, cgroupRoot))
	}
}

// sweepCgroups removes the empty groups of owners that are dead and whose folder nobody will open again, such as a test's.
// Nothing is killed here: a process may be alive where we cannot see it, and then its groups are not empty or are made anew.
func sweepCgroups() {
	for _, tree := range cgroupTrees() {
		entries, err := os.ReadDir(filepath.Join(tree, cgroupRoot))
		if err != nil {
			continue
		}
		for _, e := range entries {
			pid, _, ok := strings.Cut(e.Name(), "-")
			if _, err := os.Stat("/proc/" + pid); ok && e.IsDir() && os.IsNotExist(err) {
				walkCgroup(filepath.Join(tree, cgroupRoot, e.Name()), func(dir string) { _ = unix.Rmdir(dir) })
			}
		}
	}
}

// walkCgroup calls f for dir and everything below, children first.
func walkCgroup(dir string, f func(dir string)) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			walkCgroup(filepath.Join(dir, e.Name()), f)
		}
	}
	f(dir)
}

func readPids(file string) []int {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var out []int
	for _, line := range bytes.Fields(b) {
		if pid, err := strconv.Atoi(string(line)); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// counters are the open files of one run's control groups. They stay readable a moment longer than their paths, and a file
// that is missing reads as "unknown".
type counters struct {
	oom      *os.File // memory.events (v2) or memory.oom_control (v1)
	pidsMax  *os.File // pids.events
	pidsNow  *os.File // pids.current
	pidsDir  string   // where cgroup.procs is
	lastOOM  int64
	lastPids int64
}

// openCounters opens the counters of the control groups that pid is in, if their path contains mark: a process that has
// no group of its own would show the numbers of a whole session.
func openCounters(pid int, mark string) *counters {
	c := &counters{}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return c
	}
	trees := cgroupTrees()
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 || !strings.Contains(parts[2], mark) {
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			if tree, ok := trees[controller]; ok {
				c.open(controller, cgroupDir(tree, parts[2], mark))
			}
		}
	}
	return c
}

// cgroupDir joins a tree's mount point and a path below it; the process itself may be in a group below the one with the
// limits (gVisor, krun), so it stops at the element that contains mark.
func cgroupDir(tree, p, mark string) string {
	dir := tree
	for _, e := range strings.Split(strings.Trim(p, "/"), "/") {
		dir = filepath.Join(dir, e)
		if strings.Contains(e, mark) {
			break
		}
	}
	return dir
}

func (c *counters) open(controller, dir string) {
	try := func(f **os.File, name string) {
		if *f == nil {
			*f, _ = os.Open(filepath.Join(dir, name)) // nil reads as unknown
		}
	}
	switch controller {
	case "memory":
		try(&c.oom, "memory.oom_control")
	case "pids":
		try(&c.pidsMax, "pids.events")
		try(&c.pidsNow, "pids.current")
		c.pidsDir = dir
	case "":
		try(&c.oom, "memory.events")
		try(&c.pidsMax, "pids.events")
		try(&c.pidsNow, "pids.current")
		if c.pidsDir == "" {
			c.pidsDir = dir
		}
	}
}

func (c *counters) close() {
	for _, f := range []*os.File{c.oom, c.pidsMax, c.pidsNow} {
		if f != nil {
			f.Close()
		}
	}
}

// oomKills is how many processes the kernel has killed for the memory limit; it never goes down.
func (c *counters) oomKills() int64 {
	c.lastOOM = max(c.lastOOM, readCounter(c.oom, "oom_kill"))
	return c.lastOOM
}

// pidsHits is how often a fork was refused for the process limit; it never goes down.
func (c *counters) pidsHits() int64 {
	c.lastPids = max(c.lastPids, readCounter(c.pidsMax, "max"))
	return c.lastPids
}

// processes is how many processes and threads there are now; 0 unknown.
func (c *counters) processes() int64 { return readCounter(c.pidsNow, "") }

// readCounter reads the number behind key in a file of "key number" lines, or the only number for key "".
func readCounter(f *os.File, key string) int64 {
	if f == nil {
		return 0
	}
	buf := make([]byte, 4096)
	n, _ := f.ReadAt(buf, 0) // io.EOF is usual; an error leaves n 0
	for _, line := range strings.Split(string(buf[:n]), "\n") {
		fields := strings.Fields(line)
		if key == "" && len(fields) == 1 || len(fields) == 2 && fields[0] == key {
			v, _ := strconv.ParseInt(fields[len(fields)-1], 10, 64) // "max" is no count: 0
			return v
		}
	}
	return 0
}
