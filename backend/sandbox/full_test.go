package sandbox

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// On a disk that becomes wholly full while a run goes on, the run ends with an error that says so, since nobody can record
// how it ended; and no sandbox is made on one that is full, which is not the lack of a program. With room again both work.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"crun", "runc"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
				t.Skipf("mounting a small tmpfs needs root: %v", err)
			}
			defer unix.Unmount(dir, unix.MNT_DETACH) //nolint:errcheck // the folder is removed by the test's end
			open := func() *Sandbox {
				sb, err := Open(Options{Dir: dir, Runtime: name, Log: slog.New(slog.DiscardHandler)}) // what cannot be written is said in errors
				if err != nil {
					t.Fatal(err)
				}
				return sb
			}
			sb := open()
			if _, err := sb.Rung(t.Context()); err != nil {
				_ = sb.Close()
				t.Skip(err)
			}
			late := open()
			fill := filepath.Join(dir, "fill")
			work, out := bench{sb: sb}.folder(t, map[string]string{"file": "x\n"}), bench{sb: sb}.folder(t, nil)
			go func() {
				for t.Context().Err() == nil {
					if _, err := os.Stat(filepath.Join(out, "begun")); err == nil {
						fillUp(fill)
						if err := os.WriteFile(filepath.Join(out, "full"), nil, 0o600); err != nil {
							t.Error(err)
						}
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
			}()
			until := "touch /out/begun; while [ ! -e /out/full ]; do sleep 0.1; done"
			_, err := sb.Run(t.Context(), Spec{Args: sh(until), Workspace: work, Out: out, Limits: Limits{Wall: 5 * time.Minute, Memory: 512 << 20}})
			if !errors.Is(err, unix.ENOSPC) {
				t.Errorf("the run: %v", err)
			}
			if _, err := late.Rung(t.Context()); !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "free some space") || strings.Contains(err.Error(), "install") {
				t.Errorf("a sandbox on a full disk: %v", err)
			}
			if err := os.Remove(fill); err != nil {
				t.Fatal(err)
			}
			if _, err := late.Rung(t.Context()); err != nil {
				t.Errorf("with room again: %v", err)
			}
			for _, sb := range []*Sandbox{sb, late} {
				if err := sb.Close(); err != nil {
					t.Logf("closing: %v", err)
				}
			}
		})
	}
}

// fillUp writes until a file system has not a byte left.
func fillUp(path string) {
	f, err := os.Create(path)
	if err != nil {
		return
	}
	defer f.Close()
	for part := make([]byte, 1<<20); len(part) > 0; {
		if _, err := f.Write(part); err != nil {
			part = part[:len(part)/2]
		}
	}
}
