package repo

import (
	"golang.org/x/sys/unix"

	"redgreen/backend/patch"
)

// direct reads a file whose path has no symlink in it: the kernel walks it in one call, and refuses one that has. It gives nil
// for all that has to be located step by step, also to say why it cannot be read. Looking first and comparing afterwards is
// for pipes and devices, which may not even be opened. p is clean; the text goes into room where that is enough.
func (t *tree) direct(p string, room []byte) *patch.Content {
	if t.handle == nil {
		return nil
	}
	conn, err := t.handle.SyscallConn()
	if err != nil {
		return nil
	}
	var c *patch.Content
	_ = conn.Control(func(dir uintptr) { c = readBeneath(int(dir), p, t.maxFile, room) }) // fails where the folder was closed
	return c
}

func readBeneath(dir int, p string, limit int64, room []byte) *patch.Content {
	var seen, now unix.Stat_t
	if unix.Fstatat(dir, p, &seen, unix.AT_SYMLINK_NOFOLLOW) != nil || seen.Mode&unix.S_IFMT != unix.S_IFREG || seen.Size > limit {
		return nil
	}
	fd, err := unix.Openat2(dir, p, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	if unix.Fstat(fd, &now) != nil || now.Mode&unix.S_IFMT != unix.S_IFREG || now.Ino != seen.Ino || now.Dev != seen.Dev {
		return nil
	}
	data := room[:0]
	if int64(cap(data)) <= now.Size { // a byte more, so that the end is seen where the buffer is not full
		data = make([]byte, 0, now.Size+1)
	}
	for int64(len(data)) <= limit {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := unix.Read(fd, data[len(data):cap(data)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil
		case n == 0:
			return &patch.Content{Data: data, Mode: now.Mode & 0o777}
		default:
			data = data[:len(data)+n]
		}
	}
	return nil // it grew beyond the limit
}
