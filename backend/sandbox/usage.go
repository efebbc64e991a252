package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// usage is how much a folder has grown since it was first looked at.
type usage struct {
	dir  string // "" nothing
	dev  uint64
	base int64
	free int64 // on its file system when it was last looked at
}

func newUsage(dir string) *usage {
	u := &usage{dir: dir}
	if dir != "" {
		var st unix.Stat_t
		if unix.Stat(dir, &st) == nil {
			u.dev = st.Dev
		}
		u.base = diskUsage(dir)
	}
	return u
}

// look gives the growth and what is free on the folder's file system, both in bytes.
func (u *usage) look() (grown int64, free int64) {
	if u.dir == "" {
		return 0, 0
	}
	u.free = u.freeNow()
	return max(0, diskUsage(u.dir)-u.base), u.free
}

// lost is how many bytes fewer than then are free now.
func (u *usage) lost() int64 {
	if u.dir == "" {
		return 0
	}
	return u.free - u.freeNow()
}

func (u *usage) freeNow() int64 { return Free(u.dir) }

// Free is how many bytes an ordinary user may still write on dir's file system: none where it can take no further file, and
// more than any disk has where it does not tell.
func Free(dir string) int64 {
	var s unix.Statfs_t
	switch err := unix.Statfs(dir, &s); {
	case err != nil || s.Blocks == 0:
		return 1 << 62
	case s.Files > 0 && s.Ffree == 0:
		return 0
	}
	return int64(s.Bavail) * s.Bsize
}

// diskUsage adds up the blocks below dir. What vanishes meanwhile does not count.
func diskUsage(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				sum += st.Blocks * 512
			}
		}
		return nil
	})
	return sum
}

// upperDir finds where the overlay mounted at target in pid's mount namespace keeps what is written; "" if there is none.
func upperDir(pid int, target string) string {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mountinfo", pid))
	if err != nil {
		return ""
	}
	defer f.Close()
	found := ""
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		before, after, _ := strings.Cut(s.Text(), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if len(left) < 5 || len(right) < 3 || right[0] != "overlay" || left[4] != target {
			continue
		}
		for _, o := range strings.Split(right[2], ",") {
			if v, ok := strings.CutPrefix(o, "upperdir="); ok {
				found = unescapeMount(v)
			}
		}
	}
	return found
}
