package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped throws away what was typed into a terminal and not read yet.
func dropTyped(f *os.File) { _ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
