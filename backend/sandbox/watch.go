package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// watchEvery is how often counters are read.
	watchEvery = 50 * time.Millisecond
	// diskEvery is how often written bytes are added up; more rarely when that takes long, see diskShare.
	diskEvery = 250 * time.Millisecond
	diskShare = 10
	// fastShare is the same for when a disk is seen to fill up: then they are added up every watchEvery, unless that takes long.
	fastShare = 3
	// bombTime is how long a run may keep hitting its process limit before it counts as a fork bomb.
	bombTime = time.Second
	// freeReserve is what a run must leave free on a disk that it writes to, whatever hides from the sum.
	freeReserve = 256 << 20
)

// watch follows one run from outside, stops it at a limit and remembers why. It has one goroutine, see watch.watch.
type watch struct {
	pid      int // the run's first process on the host
	pidfd    int // -1 unknown
	mark     string
	limits   Limits
	counters *counters
	disk     []*usage
	memory   []int        // file descriptors of /tmp and the home
	list     func() []int // the run's processes where it has no namespace of its own; nil otherwise
	stopping func()       // called once, when the run is being stopped
	kill     func()       // the slow, thorough way, if the quick one does not do it

	once    sync.Once
	killed  chan struct{} // closed when the run is being stopped
	mu      sync.Mutex
	why     Reason
	tmpFull bool
	looks   sync.Mutex

	bombSince time.Time
	bombHits  int64
	diskNext  time.Time // when written bytes are added up again
	diskSoon  time.Time // the same, where a disk fills up
	written   int64     // the last sum
}

// newWatch looks at the process pid; mark is what its own control groups have in their path.
func newWatch(pid int, mark string, spec Spec, stopping, kill func()) *watch {
	w := &watch{pid: pid, pidfd: -1, mark: mark, limits: spec.Limits, stopping: stopping, kill: kill, killed: make(chan struct{}), counters: &counters{}}
	if pid > 0 {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			w.pidfd = fd
		}
		w.counters = openCounters(pid, mark)
		w.memory = openMemory(pid)
	}
	return w
}

func (w *watch) close() {
	w.counters.close()
	if w.pidfd >= 0 {
		unix.Close(w.pidfd)
	}
	for _, fd := range w.memory {
		unix.Close(fd)
	}
}

// stop ends the run for reason; the first reason stays. The kill itself runs beside, since it asks a service.
func (w *watch) stop(reason Reason) {
	w.once.Do(func() {
		w.mu.Lock()
		w.why = reason
		w.mu.Unlock()
		if w.pidfd >= 0 {
			_ = unix.PidfdSendSignal(w.pidfd, unix.SIGKILL, nil, 0) // at once; the thorough way follows
		}
		w.stopping()
		close(w.killed)
	})
}

// ended says whether the run's first process is known to be gone.
func (w *watch) ended() bool {
	if w.pidfd < 0 {
		return false
	}
	poll := []unix.PollFd{{Fd: int32(w.pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(poll, 0)
	return err == nil && n == 1
}

func (w *watch) reason() Reason {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
}

// watch starts following the run until the returned function is called, which waits for the end of it.
func (w *watch) watch(ctx context.Context) (finished func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		w.follow(ctx, done)
	}()
	go func() { // the thorough kill, unless the quick one does it
		defer wg.Done()
		select {
		case <-w.killed:
		case <-done:
			return
		}
		select {
		case <-time.After(w.killAfter()):
			w.kill()
		case <-done:
		}
	}()
	return func() {
		close(done)
		wg.Wait()
	}
}

// killAfter is how long the quick kill may take; without one the thorough kill comes at once.
func (w *watch) killAfter() time.Duration {
	if w.pidfd < 0 {
		return 0
	}
	return 300 * time.Millisecond
}

func (w *watch) follow(ctx context.Context, done <-chan struct{}) {
	wall := time.NewTimer(w.limits.Wall)
	defer wall.Stop()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			w.stop(Cancelled)
			return
		case <-wall.C:
			w.stop(w.atTimeout())
			return
		case <-tick.C:
			w.look()
		}
	}
}

// atTimeout tells a run that hangs since it was refused a process from one that is merely slow.
func (w *watch) atTimeout() Reason {
	if w.counters.pidsHits() > 0 {
		return Processes
	}
	return Timeout
}

// lookAtEnd reads every counter a last time, the disk too.
func (w *watch) lookAtEnd() {
	w.looks.Lock()
	w.diskNext = time.Time{}
	w.looks.Unlock()
	w.look()
}

// look reads every counter once.
func (w *watch) look() {
	w.looks.Lock()
	defer w.looks.Unlock()
	w.counters.oomKills()
	w.lookForBomb(time.Now())
	if now := time.Now(); now.After(w.diskNext) || now.After(w.diskSoon) && w.fills() {
		w.lookAtDisk()
		w.lookAtUnlimited()
		took := time.Since(now)
		w.diskNext = now.Add(max(diskEvery, diskShare*took))
		w.diskSoon = now.Add(fastShare * took)
	}
}

// fills tells, without adding anything up, whether the run could have come near its limit since the last sum: a disk that it
// writes to has lost half of what is left to it. So a fast writer gets no further over its limit than it can write in
// watchEvery. Whoever else fills the disk only makes the sums more frequent.
func (w *watch) fills() bool {
	left := (w.limits.Disk - w.written) / 2
	return slices.ContainsFunc(w.disk, func(u *usage) bool { return u.lost() > left })
}

// lookForBomb stops a run whose forks have been refused again and again.
func (w *watch) lookForBomb(now time.Time) {
	hits := w.counters.pidsHits()
	full := w.counters.processes() >= int64(w.limits.Processes)*9/10
	switch {
	case hits == w.bombHits || !full:
		if !full {
			w.bombSince = time.Time{}
		}
	case w.bombSince.IsZero():
		w.bombSince = now
	case now.Sub(w.bombSince) >= bombTime:
		w.stop(Processes)
	}
	w.bombHits = hits
}

// lookAtDisk adds up what was written.
func (w *watch) lookAtDisk() {
	var written int64
	for _, u := range w.disk {
		n, free := u.look()
		written += n
		if u.dir != "" && free < freeReserve && n > freeReserve/8 {
			w.stop(Disk)
		}
	}
	w.written = written + w.tmp() + w.unlinked()
	if w.written > w.limits.Disk {
		w.stop(Disk)
	}
}

// tmp gives the bytes in the run's memory file systems and notes when one is full.
func (w *watch) tmp() int64 {
	var sum int64
	for _, fd := range w.memory {
		var s unix.Statfs_t
		if unix.Fstatfs(fd, &s) != nil {
			continue
		}
		if s.Bfree < max(s.Blocks/100, 4) {
			w.mu.Lock()
			w.tmpFull = true
			w.mu.Unlock()
		}
		sum += int64(s.Blocks-s.Bfree) * s.Bsize
	}
	return sum
}

// openMemory opens the memory file systems that pid sees. They stay readable after it has ended.
func openMemory(pid int) []int {
	var out []int
	for _, dir := range []string{dirTmp, dirHome} {
		fd, err := unix.Open(fmt.Sprintf("/proc/%d/root%s", pid, dir), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // another kernel's, or not ours to look into
		}
		var s unix.Statfs_t
		if unix.Fstatfs(fd, &s) == nil && s.Type == unix.TMPFS_MAGIC && s.Blocks > 0 {
			out = append(out, fd)
		} else {
			unix.Close(fd)
		}
	}
	return out
}

// noNamespace is for a run in the host's own namespaces: list finds its processes, and what it has in memory file systems
// is everybody's.
func (w *watch) noNamespace(list func() []int) {
	w.list = list
	for _, fd := range w.memory {
		unix.Close(fd)
	}
	w.memory = nil
}

// processesOf lists the run's processes on the host.
func (w *watch) processesOf() []int {
	if w.list != nil {
		return w.list()
	}
	if w.counters.pidsDir != "" {
		return readPids(filepath.Join(w.counters.pidsDir, "cgroup.procs"))
	}
	return sameNamespace(w.pid)
}

// sameNamespace lists the processes in pid's process namespace, unless it is our own.
func sameNamespace(pid int) []int {
	ns := func(pid string) string {
		to, _ := os.Readlink("/proc/" + pid + "/ns/pid") // "" for one that is gone or not ours
		return to
	}
	want := ns(strconv.Itoa(pid))
	if pid == 0 || want == "" || want == ns("self") {
		return nil
	}
	var out []int
	for _, p := range allPids() {
		if ns(strconv.Itoa(p)) == want {
			out = append(out, p)
		}
	}
	return out
}

// unlinked gives the bytes of files that are open but have no name any more, which no walk can see.
func (w *watch) unlinked() int64 {
	var sum int64
	seen := map[[2]uint64]bool{}
	for _, pid := range w.processesOf() {
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			p := filepath.Join(dir, e.Name())
			var st unix.Stat_t
			if unix.Stat(p, &st) != nil || st.Nlink != 0 || st.Mode&unix.S_IFMT != unix.S_IFREG || seen[[2]uint64{st.Dev, st.Ino}] {
				continue
			}
			seen[[2]uint64{st.Dev, st.Ino}] = true
			var fs unix.Statfs_t
			if unix.Statfs(p, &fs) == nil && (fs.Type != unix.TMPFS_MAGIC || w.onDisk(st.Dev)) { // memory is counted as memory
				sum += st.Blocks * 512
			}
		}
	}
	return sum
}

// onDisk tells whether dev is the file system of one of the host's folders, which may be memory too.
func (w *watch) onDisk(dev uint64) bool {
	for _, u := range w.disk {
		if u.dir != "" && u.dev == dev {
			return true
		}
	}
	return false
}

// lookAtUnlimited watches memory and processes where the kernel does not limit them.
func (w *watch) lookAtUnlimited() {
	if w.counters.oom != nil && w.counters.pidsNow != nil {
		return
	}
	pids := w.processesOf()
	if w.counters.pidsNow == nil && threads(pids) > w.limits.Processes {
		w.stop(Processes)
	}
	if w.counters.oom == nil && resident(pids, w.limits.Memory) > w.limits.Memory {
		w.stop(Memory)
	}
}

// processBackstop is a process limit of the user (RLIMIT_NPROC) for where control groups do not count: so high that the
// watch sees the real limit passed first, so low that a fork bomb does not make the machine crawl before it looks. Older
// kernels count all that the user runs, so that comes on top.
func processBackstop(uid int, l Limits) uint64 {
	n := 0
	for _, pid := range allPids() {
		if st, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
			if s, ok := st.Sys().(*syscall.Stat_t); ok && int(s.Uid) == uid {
				n += threads([]int{pid})
			}
		}
	}
	return uint64(2*l.Processes + n)
}

func threads(pids []int) int {
	n := 0
	for _, pid := range pids {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err == nil {
			n += len(entries)
		}
	}
	return n
}

// resident gives the memory of pids in bytes: the plain sum, or, when that is over limit, the sum that counts shared pages
// in shares.
func resident(pids []int, limit int64) int64 {
	var plain int64
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if fields := strings.Fields(string(b)); err == nil && len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64) // the kernel writes a number
			plain += pages * int64(os.Getpagesize())
		}
	}
	if plain <= limit {
		return plain
	}
	var shared int64
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			return plain
		}
		for _, line := range strings.Split(string(b), "\n") {
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "Pss:" {
				kb, _ := strconv.ParseInt(fields[1], 10, 64) // the kernel writes a number
				shared += kb << 10
			}
		}
	}
	return shared
}

// verdict is the reason of a run that has ended with code. A limit that was touched by a run that ended well is no reason;
// a failure counts as the limit's only if a counter says that it was touched.
func (w *watch) verdict(code int, oomKilled bool) Reason {
	if why := w.reason(); why != "" {
		return why
	}
	w.mu.Lock()
	tmpFull := w.tmpFull
	w.mu.Unlock()
	switch {
	case code == 0:
		return ""
	case oomKilled || w.counters.lastOOM > 0:
		return Memory
	case w.counters.lastPids > 0:
		return Processes
	case tmpFull:
		return Disk
	}
	return ""
}
