package repo

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// swap brings the file temp into the place of name, within one open folder. old says that name exists, and then it lies
// under temp afterwards; new that temp exists. Both change places in one instruction where the filesystem can, so that
// content which an editor saves at this very moment is never lost.
func swap(d *os.Root, temp, name string, old, new bool) error {
	if !new {
		return plain(d.Rename(name, temp))
	}
	flags := uint(unix.RENAME_NOREPLACE)
	if old {
		flags = unix.RENAME_EXCHANGE
	}
	f, err := d.Open(".")
	if err != nil {
		return plain(err)
	}
	defer f.Close()
	fd := int(f.Fd())
	err = unix.Renameat2(fd, temp, fd, name, flags)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return plain(d.Rename(temp, name))
	}
	return err
}

// ownerOf gives the owner of a file.
func ownerOf(fi fs.FileInfo) (uid, gid int) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return os.Geteuid(), os.Getegid()
}
