package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"redgreen/backend/repo"
)

// watched opens a folder with one Go file a folder and watches it until the test ends.
func watched(t *testing.T) (*Index, string) {
	t.Helper()
	root := t.TempDir()
	for i := range 5 {
		put(t, root, fmt.Sprintf("p%d/a.go", i), fmt.Sprintf("package p%d\n\nfunc Before%d() {}\n", i, i))
	}
	r, err := repo.Open(root, repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	ix := mustOpen(t, r, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan bool, 1), make(chan error, 1)
	go func() {
		ended <- ix.Watch(ctx, func(w Watched) {
			if w.Err != nil || w.Why != "" {
				t.Errorf("%+v", w)
			}
			select {
			case ready <- true:
			default:
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ix.Close()
	})
	<-ready
	return ix, root
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// patience is how long a test waits for the next change of the index, which is much longer than it ever takes.
const patience = 2 * time.Minute

// soon waits until a name has so many definitions in the index; as long as their number changes, it goes on waiting.
func soon(t *testing.T, ix *Index, name string, want int) {
	t.Helper()
	var got []Symbol
	last, end := -1, time.Now().Add(patience)
	for ; time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var err error
		if got, err = ix.Named(t.Context(), name, 1000); err != nil {
			t.Fatal(err)
		}
		if len(got) == want {
			return
		}
		if len(got) != last {
			last, end = len(got), time.Now().Add(patience)
		}
	}
	t.Errorf("%s: %d definitions, want %d", name, len(got), want)
}

func TestWatch(t *testing.T) {
	t.Parallel()
	ix, root := watched(t)
	soon(t, ix, "Before3", 1)

	put(t, root, "p3/a.go", "package p3\n\nfunc Changed() {}\n")
	soon(t, ix, "Changed", 1)
	soon(t, ix, "Before3", 0)

	put(t, root, "new/deep/b.go", "package deep\n\nfunc InNewFolder() {}\n")
	soon(t, ix, "InNewFolder", 1)
	put(t, root, "new/deep/c.go", "package deep\n\nfunc Second() {}\n")
	soon(t, ix, "Second", 1)

	if err := os.Rename(filepath.Join(root, "p1"), filepath.Join(root, "moved")); err != nil {
		t.Fatal(err)
	}
	soon(t, ix, "Before1", 1)
	where := func() string {
		got, err := ix.Grep(t.Context(), Pattern{Literal: "Before1"}, GrepOptions{})
		if err != nil || len(got.Hits) != 1 {
			return fmt.Sprint(got, err)
		}
		return got.Hits[0].Path
	}
	for end := time.Now().Add(patience); where() != "moved/a.go" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
	}
	if got := where(); got != "moved/a.go" {
		t.Error(got)
	}

	if err := os.RemoveAll(filepath.Join(root, "p2")); err != nil {
		t.Fatal(err)
	}
	soon(t, ix, "Before2", 0)

	put(t, root, ".gitignore", "p4/\n")
	soon(t, ix, "Before4", 0)
}

func TestWatchABranchSwitch(t *testing.T) {
	t.Parallel()
	ix, root := watched(t)
	for i := range 1000 {
		put(t, root, fmt.Sprintf("many/f%04d.go", i), "package many\n\nfunc Everywhere() {}\n")
	}
	soon(t, ix, "Everywhere", 1000)
}

func TestWhatCannotBeWatchedIsPolled(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, newMemory(map[string]string{"a.go": "package a\n\nfunc Polled() {}\n"}), t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := make(chan Watched, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- ix.poll(ctx, func(w Watched) { told <- w }, "no more watches")
	}()
	if w := <-told; w.Err != nil || w.Why != "no more watches" || w.Stats.Files != 1 {
		t.Errorf("%+v", w)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
