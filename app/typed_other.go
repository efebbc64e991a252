//go:build !linux

package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped throws away what was typed into a terminal and not read yet.
func dropTyped(f *os.File) { _ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, unix.TCIFLUSH) }
