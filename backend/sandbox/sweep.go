package sandbox

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sweep ends and removes what dead owners left below run: processes, mounts, control groups, folders. It needs no Podman:
// a monitor that belongs to an owner names the owner's folder in its arguments, and a container's first process, the
// monitor's child, takes the whole container with it.
func sweep(run string, log *slog.Logger) {
	entries, err := os.ReadDir(run)
	if err != nil {
		log.Warn("sweeping the sandbox", "error", err)
		return
	}
	for _, e := range entries {
		dir := filepath.Join(run, e.Name())
		lock, err := lockFile(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB)
		if err != nil {
			continue // the owner lives
		}
		sweepOwner(dir, log)
		lock.Close()
	}
	sweepCgroups()
}

func sweepOwner(dir string, log *slog.Logger) {
	dirs := []string{dir}
	if b, err := os.ReadFile(filepath.Join(dir, "short")); err == nil && strings.HasPrefix(filepath.Base(string(b)), "redgreen-") {
		dirs = append(dirs, string(b))
	}
	killOwned(dirs)
	killCgroups(filepath.Base(dir))
	for _, d := range dirs {
		if err := removeAll(d); err != nil {
			log.Warn("sweeping a dead owner's folder", "dir", d, "error", err)
		}
	}
	removeCgroups(filepath.Base(dir))
	log.Info("swept what a dead owner left", "owner", filepath.Base(dir))
}

// killOwned kills the monitors, services and namespaces that belong to one of dirs, and their children, until none is left.
func killOwned(dirs []string) {
	for range 250 { // five seconds, on a busy machine
		pids := owned(dirs)
		if len(pids) == 0 {
			return
		}
		for _, p := range pids {
			_ = unix.Kill(p, unix.SIGKILL) // it may be gone by now; the next round tells
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func owned(dirs []string) []int {
	parent := map[int]int{}
	mine := map[int]bool{}
	for _, pid := range allPids() {
		if pid == os.Getpid() || pid == 1 {
			continue
		}
		parent[pid] = parentOf(pid)
		for _, d := range dirs {
			mine[pid] = mine[pid] || belongs(pid, d)
		}
	}
	var out []int
	for pid := range parent {
		for up := pid; up != 0; up = parent[up] {
			if mine[up] {
				out = append(out, pid)
				break
			}
		}
	}
	return out
}

// belongs tells whether pid is a Podman, a monitor or a bubblewrap that was started for the owner's folder dir. The folder's
// name is unique, but a person's shell or editor may name it too: those are not ours.
func belongs(pid int, dir string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	args, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return false
	}
	program, _, _ := bytes.Cut(args, []byte{0})
	switch filepath.Base(string(program)) {
	case "conmon", "bwrap", "podman", "runsc", "runsc-gofer", "runsc-sandbox":
		if bytes.Contains(args, []byte(dir+"/")) {
			return true
		}
	}
	env, err := os.ReadFile(filepath.Join(proc, "environ"))
	return err == nil && (bytes.Contains(env, []byte("CONTAINERS_CONF="+dir+"/")) || bytes.Contains(env, []byte(runMark+"="+dir+"/")))
}

func allPids() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// parentOf gives the parent's pid, 0 when the process is gone.
func parentOf(pid int) int {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	up, _ := strconv.Atoi(fields[1]) // the kernel writes a number
	return up
}

// removeAll removes dir after unmounting everything below it, deepest first.
func removeAll(dir string) error {
	var below []string
	for _, p := range mountTable() {
		if strings.HasPrefix(p, dir+"/") {
			below = append(below, p)
		}
	}
	sort.Sort(sort.Reverse(sort.StringSlice(below)))
	for _, p := range below {
		_ = unix.Unmount(p, unix.MNT_DETACH) // RemoveAll tells if it is still there
	}
	var err error
	for range 50 { // a monitor that is just ending may still write
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}
