package app

import (
	"os"
	"path/filepath"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// What would have changed is shown as of any event, whole, whether the last patch was written since or not.
func TestDiffAt(t *testing.T) {
	t.Parallel()
	a := windowAt(t, t.TempDir())
	folder := t.TempDir()
	texts := map[string][2]string{"a.txt": {"one\n", "two\n"}, "b.txt": {"b\n", "c\n"}}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text[0]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change := func(name, to string) patch.Pair {
		return patch.Pair{Path: name, Before: &patch.Content{Data: []byte(texts[name][0]), Mode: 0o644}, After: &patch.Content{Data: []byte(to), Mode: 0o644}}
	}
	store, err := a.h.core.sessions()
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.Create(t.Context(), session.Started{Schema: session.Schema, Folder: folder, Task: "x", Model: model.Info{Provider: "script", Name: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	made := patch.Pair{Path: "new.txt", After: &patch.Content{Data: []byte("n\n"), Mode: 0o644}}
	for _, pairs := range [][]patch.Pair{{change("a.txt", "first\n"), made}, {change("a.txt", "two\n"), change("b.txt", "c\n"), made}} {
		p, err := patch.Diff(pairs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(t.Context(), session.KindPatchChanged, session.PatchChanged{Step: 1, Patch: p, Hash: p.Hash()}); err != nil {
			t.Fatal(err)
		}
	}
	look := func(when string) {
		t.Helper()
		none, err := a.DiffAt(l.ID(), 1)
		if err != nil || len(none.Files) != 0 || none.Hash != "" {
			t.Errorf("%s, before the first edit: %+v, %v", when, none, err)
		}
		for seq, want := range map[int64]map[string][2]string{
			2: {"a.txt": {"one\n", "first\n"}, "new.txt": {"", "n\n"}},
			3: {"a.txt": {"one\n", "two\n"}, "b.txt": {"b\n", "c\n"}, "new.txt": {"", "n\n"}},
			9: {"a.txt": {"one\n", "two\n"}, "b.txt": {"b\n", "c\n"}, "new.txt": {"", "n\n"}},
		} {
			d, err := a.DiffAt(l.ID(), seq)
			if err != nil || len(d.Files) != len(want) {
				t.Fatalf("%s, event %d: %+v, %v", when, seq, d, err)
			}
			for _, f := range d.Files {
				text := func(s *string) string {
					if s == nil {
						return ""
					}
					return *s
				}
				if got := [2]string{text(f.Before), text(f.After)}; f.TooLarge || got != want[f.Path] {
					t.Errorf("%s, event %d, %s: %q, want %q", when, seq, f.Path, got, want[f.Path])
				}
			}
		}
	}
	look("not written")
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text[1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "new.txt"), []byte("n\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	look("written")
	if _, err := a.DiffAt("nobody", 1); err == nil {
		t.Error("there is no such session")
	}
}
