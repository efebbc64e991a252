package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSearchBesideAnother finds what changed once the other process, which has the index, has read it, and says what is missing
// where that one does not.
func TestSearchBesideAnother(t *testing.T) {
	t.Parallel()
	home, root := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.py", "def first():\n    return 1\n")
	other, err := coreAt(t, home).open(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.index.Update(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	search := func(query string) (string, string) {
		var out, errs strings.Builder
		c := &command{assets: testAssets(), env: testEnv(home), in: strings.NewReader(""), out: &out, err: &errs}
		c.run(t.Context(), []string{"search", root, query})
		return out.String(), errs.String()
	}
	if out, errs := search("first"); !strings.Contains(out, "a.py:1") || errs != "" {
		t.Errorf("nothing changed: %s %s", out, errs)
	}
	write("b.py", "def second_of_all():\n    return 2\n")
	if out, errs := search("second_of_all"); strings.Contains(out, "b.py") || !strings.Contains(errs, "has still to read 1 file;") {
		t.Errorf("the other does nothing: %s %s", out, errs)
	}
	read := make(chan error, 1)
	go func() {
		time.Sleep(50 * time.Millisecond) // the search has begun
		_, err := other.index.Update(t.Context(), nil)
		read <- err
	}()
	out, errs := search("second_of_all")
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "b.py:1") && !strings.Contains(errs, "has still to read 1 file;") { // a slow one says so
		t.Errorf("the other has read it: %s %s", out, errs)
	}
	if out, errs := search("second_of_all"); !strings.Contains(out, "b.py:1") || errs != "" {
		t.Errorf("afterwards: %s %s", out, errs)
	}
}

// TestWindowBesideAnother: a window that opens a folder which another process indexes is ready when that has read what there is.
func TestWindowBesideAnother(t *testing.T) {
	t.Parallel()
	home, root := t.TempDir(), t.TempDir()
	writeAt(t, filepath.Join(root, "a.py"), "def first():\n    return 1\n")
	other, err := coreAt(t, home).open(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.index.Update(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	writeAt(t, filepath.Join(root, "b.py"), "def second():\n    return 2\n")
	waits := 0
	h, err := newHost(coreAt(t, home), "window", func(name string, payload any) {
		if state, ok := payload.(IndexState); !ok || state.Ready {
			return
		}
		if waits++; waits == 1 { // it says how far the other is, which goes on now
			if _, err := other.index.Update(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
	}, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	f, err := h.core.open(root)
	if err != nil {
		t.Fatal(err)
	}
	if state := h.update(t.Context(), f); waits == 0 || !state.Ready || state.Files != 2 || state.Error != "" {
		t.Errorf("told %d times that it waits, then %+v", waits, state)
	}
}
