package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// many is a folder for which a spare is made.
func many() fixture {
	fx := fixture{".gitignore": "*.log\n", "a/b/c.txt": "deep\n", "empty/": "", "link": "->a/b/c.txt", "run.sh": "#!/bin/sh\n"}
	for i := range 30 {
		fx[fmt.Sprintf("d%d/f%d.txt", i%10, i)] = fmt.Sprintf("text %d\n", i)
	}
	return fx
}

// prepared gives a folder with a spare whose files count as old enough to be told by their times.
func prepared(t *testing.T) (*Repo, CopyOptions) {
	t.Helper()
	r := open(t, folder(t, many()))
	r.minSpare = 1
	o := CopyOptions{Spare: filepath.Join(t.TempDir(), "spare")}
	must(t, r.Prepare(t.Context(), o))
	spare := r.spareOf(o.Spare)
	m, err := readManifest(spare)
	must(t, err)
	m.Time += int64(10 * racy)
	must(t, os.Remove(filepath.Join(spare, "manifest")))
	must(t, writeManifest(spare, *m))
	return r, o
}

// TestSpare changes the folder in every way after its spare was made: what a task gets is what a plain copy gives.
func TestSpare(t *testing.T) {
	t.Parallel()
	write := func(text string, names ...string) func(string) error {
		return func(dir string) error {
			for _, n := range names {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, n)), 0o755); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, n), []byte(text), 0o644); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		change func(dir string) error
		anew   int // files and symlinks read again; the symlink always is
	}{
		"nothing": {func(string) error { return nil }, 1},
		"edited":  {write("other\n", "d1/f1.txt"), 2},
		"added":   {write("new\n", "d1/new.txt", "x/y/z.txt"), 3},
		"deleted": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "d2")) }, 1},
		"emptied folder": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "a/b")), os.Mkdir(filepath.Join(dir, "a/b"), 0o700))
		}, 1},
		"now executable": {func(dir string) error { return os.Chmod(filepath.Join(dir, "run.sh"), 0o755) }, 2},
		"same size and time, other text": {func(dir string) error {
			p := filepath.Join(dir, "d3/f3.txt")
			fi, err := os.Stat(p)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(p, []byte("TEXT 3\n"), 0o644), os.Chtimes(p, fi.ModTime(), fi.ModTime()))
		}, 2},
		"replaced by a folder": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "run.sh")), write("in\n", "run.sh/in.txt")(dir))
		}, 2},
		"folder replaced by a file": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "a")), write("file\n", "a")(dir))
		}, 2},
		"replaced by a symlink": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "run.sh")), os.Symlink("d1/f1.txt", filepath.Join(dir, "run.sh")))
		}, 2},
		"symlink leads outside now": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "a")), os.Symlink("/etc", filepath.Join(dir, "a")))
		}, 2},
		"now a secret": {write("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n", "d4/f4.txt"), 2},
		"ignored now":  {write("*.log\nd5/\n", ".gitignore"), 2},
		"renamed over": {func(dir string) error {
			return os.Rename(filepath.Join(dir, "d6/f6.txt"), filepath.Join(dir, "d6/f16.txt"))
		}, 2},
		"other mode of folder": {func(dir string) error { return os.Chmod(filepath.Join(dir, "d7"), 0o700) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, o := prepared(t)
			must(t, c.change(r.Root()))
			got := copyAt(t, r, o)
			want := copyAt(t, r, CopyOptions{})
			if way, anew := got.Way(); way != KeptCopy || anew != c.anew {
				t.Errorf("way %s, %d files anew, want %d", way, anew, c.anew)
			}
			diff(t, want.BaseHash(), got.BaseHash())
			diff(t, snapshot(t, want.Dir()), snapshot(t, got.Dir()))
			diff(t, snapshot(t, want.Dir()+".base"), snapshot(t, got.Dir()+".base"))
			diff(t, want.Skipped(), got.Skipped())
			if p, err := got.Pristine(t.Context(), filepath.Join(t.TempDir(), "p")); err != nil {
				t.Error(err)
			} else {
				must(t, p.Close())
			}
			if again := copyAt(t, r, o); func() Way { w, _ := again.Way(); return w }() != PlainCopy {
				t.Error("one spare served two tasks")
			}
		})
	}
}

func copyAt(t *testing.T, r *Repo, o CopyOptions) *Workspace {
	t.Helper()
	w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "deep/work"), o)
	must(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TestSettled: a file written in the very moment of the copy is not trusted by its times.
func TestSettled(t *testing.T) {
	t.Parallel()
	copied := time.Now().UnixNano()
	old, young := copied-int64(racy)-1, copied-int64(racy)
	for name, c := range map[string]struct {
		s    stamp
		want bool
	}{
		"long before":          {stamp{1, old, old, 7}, true},
		"just before":          {stamp{1, young, young, 7}, false},
		"old time set by hand": {stamp{1, old, young, 7}, false},
		"time in the future":   {stamp{1, copied + int64(time.Hour), old, 7}, false},
		"nothing is known":     {stamp{}, false},
	} {
		if got := c.s.settled(copied); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSpareUnfit: what is no good as a spare is passed over, and a plain copy serves.
func TestSpareUnfit(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(r *Repo, o CopyOptions) error{
		"damaged list": func(r *Repo, o CopyOptions) error {
			return os.WriteFile(filepath.Join(r.spareOf(o.Spare), "manifest"), []byte("x"), 0o600)
		},
		"half taken": func(r *Repo, o CopyOptions) error { return os.RemoveAll(filepath.Join(r.spareOf(o.Spare), "work")) },
		"no longer ours": func(r *Repo, o CopyOptions) error {
			return os.RemoveAll(filepath.Join(r.spareOf(o.Spare), "work.base", "d1"))
		},
		"being made": func(r *Repo, o CopyOptions) error {
			unlock, err := lockSpare(r.spareOf(o.Spare))
			if err == nil {
				go func() { time.Sleep(time.Minute); unlock() }()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, o := prepared(t)
			must(t, spoil(r, o))
			fixture{"d1/f1.txt": "other\n"}.write(t, r.Root())
			w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "work"), o)
			must(t, err)
			defer w.Close()
			diff(t, snapshot(t, copyAt(t, r, CopyOptions{}).Dir()), snapshot(t, w.Dir()))
		})
	}
	t.Run("small folder", func(t *testing.T) {
		t.Parallel()
		r, o := open(t, folder(t, fixture{"a": "a"})), CopyOptions{Spare: filepath.Join(t.TempDir(), "spare")}
		must(t, r.Prepare(t.Context(), o))
		if exists(r.spareOf(o.Spare)) {
			t.Error("a spare of one file")
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		r, o := open(t, folder(t, many())), CopyOptions{Spare: filepath.Join(t.TempDir(), "spare")}
		r.minSpare = 1
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Prepare(ctx, o); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if exists(r.spareOf(o.Spare)) || exists(r.spareOf(o.Spare)+".new") {
			t.Error("something was left")
		}
	})
	t.Run("another owner", func(t *testing.T) {
		t.Parallel()
		r, o := prepared(t)
		o.UID, o.GID, o.Chown = os.Getuid(), os.Getgid(), true
		if way, _ := copyAt(t, r, o).Way(); way != PlainCopy {
			t.Error(way)
		}
	})
	t.Run("place is taken", func(t *testing.T) {
		t.Parallel()
		r, o := prepared(t)
		dir := folder(t, fixture{"mine": "mine"})
		if _, err := r.NewWorkspace(t.Context(), dir, o); !errors.Is(err, fs.ErrExist) || fileText(t, dir, "mine") != "mine" {
			t.Error(err)
		}
	})
}

// TestSpareIsNotShared: neither tree of a task has a file in common with the folder, by hard link or symlink.
func TestSpareIsNotShared(t *testing.T) {
	t.Parallel()
	r, o := prepared(t)
	w := copyAt(t, r, o)
	for _, dir := range []string{w.Dir(), w.Dir() + ".base"} {
		must(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			fi, err := d.Info()
			if err == nil && fi.Sys().(*syscall.Stat_t).Nlink != 1 {
				t.Errorf("%s has other names", strings.TrimPrefix(p, dir))
			}
			return err
		}))
	}
}
