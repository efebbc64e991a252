package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// advise adds to the error of a failed write what a person can do about it.
func advise(err error) error {
	bare := plain(err)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("disk full: %w; free some space and try again", bare)
	case errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("disk quota reached: %w; free some space and try again", bare)
	case errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("file size limit reached: %w; raise the limit (ulimit -f) and try again", bare)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the disk is mounted read-only: %w; mount it writable and try again", bare)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("not permitted: %w; change the owner or the permissions and try again", bare)
	}
	return bare
}
