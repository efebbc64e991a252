package app

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestOnlyTheOpenFolderIsIndexed: of a large folder that was opened by mistake the indexing ends when another is opened, and
// goes on when it is opened again.
func TestOnlyTheOpenFolderIsIndexed(t *testing.T) {
	t.Parallel()
	large, small := t.TempDir(), t.TempDir()
	for i := range 600 {
		writeAt(t, filepath.Join(large, fmt.Sprintf("f%d.py", i)), fmt.Sprintf("def f%d():\n    return %d\n", i, i))
	}
	writeAt(t, filepath.Join(small, "a.py"), "def a():\n    return 1\n")
	begun, other := make(chan struct{}, 1), make(chan struct{})
	ready := make(chan string, 10)
	h, err := newHost(testCore(t), "window", func(name string, payload any) {
		state, ok := payload.(IndexState)
		switch {
		case name != "index" || !ok:
		case state.Ready || state.Error != "":
			ready <- state.Folder + state.Error
		case state.Folder == large:
			select {
			case begun <- struct{}{}:
				<-other // the update stands still in its first progress
			default:
			}
		}
	}, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	a := &App{h: h}
	if _, err := a.OpenFolder(large); err != nil {
		t.Fatal(err)
	}
	wait(t, begun)
	h.indexer.mu.Lock()
	var first *indexing
	for f, w := range h.indexer.busy {
		if f.repo.Root() == large {
			first = w
		}
	}
	h.indexer.mu.Unlock()
	if _, err := a.OpenFolder(small); err != nil {
		t.Fatal(err)
	}
	h.indexer.mu.Lock()
	stopped := first.stopped
	h.indexer.mu.Unlock()
	close(other)
	if !stopped {
		t.Fatal("the folder that was left is indexed on")
	}
	if got := wait(t, ready); got != small {
		t.Fatalf("the first that is ready is %s, not %s", got, small)
	}
	wait(t, first.done)
	select {
	case got := <-ready:
		t.Fatalf("the folder that was left is told of: %s", got)
	default:
	}
	if _, err := a.OpenFolder(large); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, ready); got != large {
		t.Fatalf("opened again, %s is ready", got)
	}

	slow, err := h.core.open(small) // asked for before another, and open after it
	if err != nil {
		t.Fatal(err)
	}
	h.index(slow, h.opens.Add(2)-1)
	h.indexer.mu.Lock()
	defer h.indexer.mu.Unlock()
	if len(h.indexer.busy) > 0 {
		t.Fatal("a folder is indexed that another was asked for after")
	}
}

func wait[T any](t *testing.T, c <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-c:
	case <-time.After(4 * time.Minute):
		t.Fatal("nothing came in four minutes")
	}
	return got
}

func writeAt(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
