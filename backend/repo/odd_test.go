package repo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"redgreen/backend/patch"
)

// TestOddFiles: what may lie at a path when an approved change is written.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	at := func(dir string) string { return filepath.Join(dir, "f.txt") }
	for name, c := range map[string]struct {
		make func(dir string) error
		want error // nil: it is written
		left func(t *testing.T, dir string)
	}{
		"replaced by a folder": {func(dir string) error {
			return errors.Join(os.Remove(at(dir)), os.MkdirAll(filepath.Join(at(dir), "mine"), 0o755))
		}, fs.ErrInvalid, nil},
		"replaced by a pipe": {func(dir string) error {
			return errors.Join(os.Remove(at(dir)), syscall.Mkfifo(at(dir), 0o644))
		}, fs.ErrInvalid, nil},
		"replaced by a symlink": {func(dir string) error {
			return errors.Join(os.Rename(at(dir), filepath.Join(dir, "real.txt")), os.Symlink("real.txt", at(dir)))
		}, ErrSymlink, nil},
		"deleted":        {func(dir string) error { return os.Remove(at(dir)) }, ErrConflict, nil},
		"made read-only": {func(dir string) error { return os.Chmod(at(dir), 0o444) }, nil, modeIs(0o444)},
		"executable":     {func(dir string) error { return os.Chmod(at(dir), 0o755) }, nil, modeIs(0o755)},
		// A write takes the bit away on every Unix; that it came back with the new content would be a hole.
		"set-user-id": {func(dir string) error { return os.Chmod(at(dir), 0o755|fs.ModeSetuid) }, nil, modeIs(0o755)},
		"a second name": {func(dir string) error { return os.Link(at(dir), filepath.Join(dir, "other.txt")) }, nil, func(t *testing.T, dir string) {
			diff(t, "1\n2\n", fileText(t, dir, "other.txt"))
		}},
		"a name that differs in case": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "F.txt"), []byte("mine\n"), 0o644) }, nil, func(t *testing.T, dir string) {
			if fileText(t, dir, "f.txt") == "1\nTWO\n" && exists(filepath.Join(dir, "F.txt")) {
				diff(t, "mine\n", fileText(t, dir, "F.txt"))
			}
		}},
		"folder without write permission for others": {func(dir string) error { return os.Chmod(dir, 0o700) }, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, fixture{"f.txt": "1\n2\n", "stay.txt": "stay\n"})
			p := patchOf(t, []patch.Pair{{Path: "f.txt", Before: text644("1\n2\n"), After: text644("1\nTWO\n")}, {Path: "new.txt", After: text644("new\n")}})
			must(t, c.make(dir))
			before := kinds(t, dir)
			r := open(t, dir)
			rc, err := r.Apply(t.Context(), "", p)
			if c.want != nil {
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "f.txt") {
					t.Fatalf("%v, want %v", err, c.want)
				}
				diff(t, before, kinds(t, dir))
				return
			}
			must(t, err)
			diff(t, "1\nTWO\n", fileText(t, dir, "f.txt"))
			if c.left != nil {
				c.left(t, dir)
			}
			_, err = r.Undo(t.Context(), "", rc)
			must(t, err)
			diff(t, "1\n2\n", fileText(t, dir, "f.txt"))
			diff(t, before, kinds(t, dir))
		})
	}
}

func modeIs(want fs.FileMode) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		fi, err := os.Stat(filepath.Join(dir, "f.txt"))
		must(t, err)
		diff(t, want, fi.Mode())
	}
}

// kinds lists what is in a folder, by name and kind.
func kinds(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name()+" "+e.Type().String())
	}
	return list
}

// TestLongNames: the longest name that the filesystem takes is written, and a longer one leaves everything as it was.
func TestLongNames(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a.txt": "a\n"})
	r := open(t, dir)
	for n, ok := range map[int]bool{255: true, 256: false} {
		before := snapshot(t, dir)
		p := patchOf(t, []patch.Pair{{Path: "a.txt", Before: text644("a\n"), After: text644("b\n")}, {Path: "new/" + strings.Repeat("n", n), After: text644("x\n")}})
		rc, err := r.Apply(t.Context(), "", p)
		if ok {
			must(t, err)
			_, err = r.Undo(t.Context(), "", rc)
			must(t, err)
		} else if err == nil || !strings.Contains(err.Error(), "name too long") {
			t.Errorf("%d bytes: %v", n, err)
		}
		diff(t, before, snapshot(t, dir))
	}
}
