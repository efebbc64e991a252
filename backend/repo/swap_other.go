//go:build unix && !linux

package repo

import (
	"io/fs"
	"os"
	"syscall"
)

// swap brings the file temp into the place of name, within one open folder; see the Linux form. Here the content that is
// replaced is gone, and only the journal has it.
func swap(d *os.Root, temp, name string, _, new bool) error {
	if !new {
		return plain(d.Rename(name, temp))
	}
	return plain(d.Rename(temp, name))
}

// ownerOf gives the owner of a file.
func ownerOf(fi fs.FileInfo) (uid, gid int) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return os.Geteuid(), os.Getegid()
}
