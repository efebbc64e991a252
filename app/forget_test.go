package app

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// TestDeletedSessionsLeaveNothing: neither the store nor the records of writes hold a word of a session that was deleted, and
// what another session wrote can still be undone.
func TestDeletedSessionsLeaveNothing(t *testing.T) {
	t.Parallel()
	c, dir := testCore(t), t.TempDir()
	f, err := c.open(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, err := c.sessions()
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, before, after string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := patch.Diff([]patch.Pair{{Path: name, Before: &patch.Content{Data: []byte(before), Mode: 0o644}, After: &patch.Content{Data: []byte(after), Mode: 0o644}}})
		if err != nil {
			t.Fatal(err)
		}
		rc, err := f.repo.Apply(t.Context(), "", p)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(rc)
		if err != nil {
			t.Fatal(err)
		}
		l, err := store.Create(t.Context(), session.Started{Folder: f.repo.Root(), Task: "t", Schema: session.Schema})
		if err != nil {
			t.Fatal(err)
		}
		for kind, data := range map[session.Kind]any{session.KindPatchChanged: session.PatchChanged{Patch: p, Hash: p.Hash()}, session.KindPatchApplied: session.PatchApplied{Receipt: raw}} {
			if _, err := l.Append(t.Context(), kind, data); err != nil {
				t.Fatal(err)
			}
		}
		return l.ID()
	}
	gone := write("a.txt", "zebrasoldtext\n", "zebrasnewtext\n")
	write("b.txt", "kept old\n", "kept new\n")
	if n := holding(t, c.paths.undo(), "zebras"); n == 0 {
		t.Fatal("nothing is kept of a write: the test sees nothing")
	}
	if err := c.deleteSession(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if n := holding(t, c.paths.undo(), "zebras"); n != 0 {
		t.Errorf("%d files still hold what the deleted session wrote", n)
	}
	left, err := f.repo.Receipts()
	if err != nil || len(left) != 1 {
		t.Fatalf("%d writes on record, %v", len(left), err)
	}
	if deleted, err := c.pruneStore(t.Context(), store, session.Retention{Bytes: 1}); err != nil || len(deleted) != 1 {
		t.Fatalf("pruned %v, %v", deleted, err)
	}
	if n := holding(t, c.paths.undo(), "kept"); n != 0 {
		t.Errorf("%d files still hold what the pruned session wrote", n)
	}
	if _, err := f.repo.Undo(t.Context(), "", left[0]); err != nil {
		t.Error(err)
	}
}

// holding counts the files below a folder whose content has a word.
func holding(t *testing.T, dir, word string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if strings.Contains(string(data), word) {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
