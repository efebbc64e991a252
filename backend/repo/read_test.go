package repo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	t.Parallel()
	outside := folder(t, fixture{"x": "outside"})
	dir := folder(t, fixture{
		"a.txt": "a\r\nb", "sub/b.txt": "b\n", "bom.txt": "\uFEFFx", "u16.txt": "\xff\xfea\x00\n\x00", "u16be.txt": "\xfe\xff\x00a", "latin.txt": "caf\xe9\n", "empty": "",
		"bin": "abc\x00def", "late": strings.Repeat("a", headSize) + "\x00", "big": strings.Repeat("a", 1<<20+1), "just": strings.Repeat("a", 1<<20),
		"in": "->sub/b.txt", "up": "->sub/../a.txt", "dir": "->sub", "sub/back": "->../a.txt", "loop": "->loop", "l1": "->l2", "l2": "->l1",
		"out": "->" + outside + "/x", "rel": "->../" + filepath.Base(outside), "sub/out": "->../../x", "climb": "->sub/../../folder/a.txt", "passwd": "->/etc/passwd", "gone": "->nothing",
		"name with space": "x", "日本.txt": "x", "-dash": "x",
	})
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, os.Symlink("pipe", filepath.Join(dir, "topipe")))
	t.Run("in one call", func(t *testing.T) { testRead(t, open(t, dir), dir) })
	t.Run("step by step", func(t *testing.T) { testRead(t, stepByStep(open(t, dir)), dir) })
}

// stepByStep takes away what reads a file in one call.
func stepByStep(r *Repo) *Repo {
	r.handle.Close()
	r.handle = nil
	return r
}

func testRead(t *testing.T, r *Repo, dir string) {
	for p, want := range map[string]string{
		"a.txt": "a\r\nb", "./a.txt": "a\r\nb", "sub//b.txt": "b\n", "bom.txt": "\uFEFFx", "u16.txt": "\xff\xfea\x00\n\x00", "u16be.txt": "\xfe\xff\x00a", "latin.txt": "caf\xe9\n", "empty": "",
		"in": "b\n", "up": "a\r\nb", "dir/b.txt": "b\n", "dir/back": "a\r\nb", "name with space": "x", "日本.txt": "x", "-dash": "x", "just": strings.Repeat("a", 1<<20), "late": strings.Repeat("a", headSize) + "\x00",
	} {
		if data, err := r.Read(p); err != nil || string(data) != want {
			t.Errorf("Read(%q) = %.20q, %v", p, data, err)
		}
	}
	for p, want := range map[string]error{
		"": ErrOutside, "..": ErrOutside, "../folder/a.txt": ErrOutside, "sub/../../x": ErrOutside, "sub/../a.txt": ErrOutside, "/etc/passwd": ErrOutside, dir + "/a.txt": ErrOutside,
		"a.txt\x00.png": ErrOutside, `..\a.txt`: ErrOutside, `\a.txt`: ErrOutside, "C:/a": ErrOutside, strings.Repeat("a/", 3000): ErrOutside,
		"out": ErrOutside, "rel": ErrOutside, "rel/x": ErrOutside, "sub/out": ErrOutside, "climb": ErrOutside, "passwd": ErrOutside, ".git/config": ErrOutside, "sub/.git": ErrOutside,
		"bin": ErrBinary, "big": ErrTooLarge, "nothing": fs.ErrNotExist, "no/thing": fs.ErrNotExist, "gone": fs.ErrNotExist, "a.txt/b": fs.ErrNotExist,
		"sub": fs.ErrInvalid, ".": fs.ErrInvalid, "dir": fs.ErrInvalid, "pipe": fs.ErrInvalid, "topipe": fs.ErrInvalid, "loop": syscall.ELOOP, "l1": syscall.ELOOP, "loop/x": syscall.ELOOP,
	} {
		data, err := r.Read(p)
		if !errors.Is(err, want) || data != nil {
			t.Errorf("Read(%.40q) = %.20q, %v, want %v", p, data, err, want)
		}
	}
	if _, err := r.Content("in"); !errors.Is(err, ErrSymlink) {
		t.Error("Content of a symlink:", err)
	}
	if c, err := r.Content("a.txt"); err != nil || c.Mode != 0o644 {
		t.Error("Content:", c, err)
	}
}

// TestReadRace swaps a folder and a file for symlinks to the outside, over and over, while they are read.
func TestReadRace(t *testing.T) {
	t.Parallel()
	outside := folder(t, fixture{"f": "outside", "secret": "outside"})
	dir := folder(t, fixture{"d/f": "inside", "g": "inside", ".env": "outside"})
	t.Run("in one call", func(t *testing.T) { testReadRace(t, open(t, dir), dir, outside) })
	t.Run("step by step", func(t *testing.T) { testReadRace(t, stepByStep(open(t, dir)), dir, outside) })
}

func testReadRace(t *testing.T, r *Repo, dir, outside string) {
	stop := make(chan bool)
	var swaps sync.WaitGroup
	swaps.Go(func() {
		d, g := filepath.Join(dir, "d"), filepath.Join(dir, "g")
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(d, d+"2")
			_ = os.Symlink(outside, d)
			_ = os.Rename(g, g+"2")
			_ = os.Symlink(".env", g)
			_ = os.Remove(d)
			_ = os.Rename(d+"2", d)
			_ = os.Remove(g)
			_ = os.Rename(g+"2", g)
		}
	})
	read := 0
	start := time.Now()
	for passed := time.Duration(0); passed < 300*time.Millisecond || read == 0 && passed < time.Minute; passed = time.Since(start) {
		for _, p := range []string{"d/f", "g"} {
			data, err := r.Read(p)
			switch {
			case err == nil && string(data) == "inside":
				read++
			case err == nil:
				t.Errorf("read %q through %s", data, p)
			}
		}
	}
	close(stop)
	swaps.Wait()
	if read == 0 {
		t.Error("nothing was ever read")
	}
}

func FuzzClean(f *testing.F) {
	for _, p := range []string{"a", "../a", "a/../b", "/a", "", ".", "a//b/", "C:\\x", "a\x00", ".git/x", "a\\..\\b"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		got, err := clean(p)
		if err != nil {
			if !errors.Is(err, ErrOutside) {
				t.Error(err)
			}
			return
		}
		if !filepath.IsLocal(got) || strings.Contains("/"+got+"/", "/../") {
			t.Errorf("%q became %q", p, got)
		}
		if again, err := clean(got); err != nil || again != got {
			t.Errorf("%q became %q and then %q, %v", p, got, again, err)
		}
	})
}
