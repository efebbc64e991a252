//go:build unix && !linux

package repo

import "syscall"

// ctime is when the file or what is known of it was last changed, in Unix nanoseconds.
func ctime(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
