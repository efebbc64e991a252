package app

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFolderReplaced: where another folder comes to stand at the path of an opened one (a fresh clone, say), the window
// works on what is there now, also a session that waits, and touches the old one no more.
func TestFolderReplaced(t *testing.T) {
	t.Parallel()
	a := windowAt(t, t.TempDir())
	file, id, hash := inReview(t, a.h.core)
	folder := filepath.Dir(file)
	if _, err := a.OpenFolder(folder); err != nil {
		t.Fatal(err)
	}
	if err := a.h.runs.with(t.Context(), id, func(l *live) error { l.worked = true; return nil }); err != nil { // as after its work
		t.Fatal(err)
	}
	moved := folder + "-moved"
	if err := os.Rename(folder, moved); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Approve(id, hash); err == nil || explain(err).Code != NotFound {
		t.Fatalf("written into a folder that is gone: %v", err)
	}
	for name, text := range map[string]string{"a.txt": "wrong\n", "b.py": "def brand_new():\n    pass\n"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := a.Session(id); err != nil || len(v.Stale) > 0 {
		t.Fatalf("%+v, %v", v.Stale, err)
	}
	if _, err := a.Approve(id, hash); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "right\n", filepath.Join(moved, "a.txt"): "wrong\n"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	if _, err := a.OpenFolder(folder); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new folder to be searched", func() bool {
		found, err := a.Search(folder, "brand_new", 5)
		return err == nil && len(found.Hits) > 0 && found.Hits[0].Path == "b.py"
	})
}
