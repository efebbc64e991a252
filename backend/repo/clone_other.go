//go:build !linux

package repo

import (
	"errors"
	"os"
)

// cloneFile is for systems whose copy-on-write call is not used yet; the copy is a plain one there.
func cloneFile(_, _ *os.File) error { return errors.ErrUnsupported }
