package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// How a workspace is kept apart; see Result.Copied.
const (
	byOverlay = "overlay"
	byReflink = "reflink"
	byCopy    = "copy"
)

// copyTree makes a private copy of the folder from, for the sandbox's user: modes, times and links stay, devices and sockets
// are left out. Contents are shared by reflink where the file system can, never by hard link; how says which way it was.
func copyTree(ctx context.Context, from, to string, h host) (how string, err error) {
	type stamp struct {
		path string
		mode fs.FileMode
		time time.Time
	}
	var dirs []stamp
	how = byReflink
	err = filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			dirs = append(dirs, stamp{target, info.Mode().Perm(), info.ModTime()})
			err = os.Mkdir(target, 0o700)
		case info.Mode()&fs.ModeSymlink != 0:
			err = copyLink(p, target)
		case info.Mode().IsRegular():
			var shared bool
			if shared, err = copyFile(p, target, info); !shared {
				how = byCopy
			}
		default:
			return nil
		}
		if err == nil && h.root {
			err = os.Lchown(target, h.uid, h.gid)
		}
		return err
	})
	for i := len(dirs) - 1; i >= 0 && err == nil; i-- { // last, since filling a folder changes its time
		d := dirs[i]
		err = errors.Join(os.Chmod(d.path, d.mode|0o700), os.Chtimes(d.path, d.time, d.time))
	}
	if err != nil {
		return "", fmt.Errorf("copying the workspace: %w", err)
	}
	return how, nil
}

func copyLink(from, to string) error {
	link, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return os.Symlink(link, to)
}

// copyFile tells whether the copy shares its blocks with the original.
func copyFile(from, to string, info fs.FileInfo) (shared bool, err error) {
	src, err := os.Open(from)
	if err != nil {
		return false, err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false, err
	}
	if shared = unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) == nil; !shared {
		_, err = io.Copy(dst, src)
	}
	err = errors.Join(err, dst.Chmod(info.Mode().Perm()|0o600), dst.Close())
	if err != nil {
		return false, err
	}
	return shared, os.Chtimes(to, info.ModTime(), info.ModTime())
}
