package repo

import (
	"os"

	"golang.org/x/sys/unix"
)

// cloneFile makes dst, which is empty, share src's blocks (copy on write), where the filesystem can: Btrfs, XFS, bcachefs,
// OCFS2. The two files are independent from then on.
func cloneFile(dst, src *os.File) error {
	return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd()))
}
