package repo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/patch"
)

// TestMergesOwnEdits: what the person edited since stays, in Apply, in Undo and in the undo of the undo.
func TestMergesOwnEdits(t *testing.T) {
	t.Parallel()
	const base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	dir := folder(t, fixture{"a.txt": base, "b.txt": "b\n", "c.txt": "c\n"})
	r := open(t, dir)
	w := copyOf(t, r)
	must(t, w.Apply(edit(t, w.Content, fixture{"a.txt": strings.Replace(base, "8", "EIGHT", 1), "b.txt": "B\n", "new/x.txt": "x\n"})))
	p, err := w.Patch()
	must(t, err)
	fixture{"a.txt": "0\n" + base, "c.txt": "mine\n"}.write(t, dir)
	stale, err := r.Check(p)
	must(t, err)
	diff(t, []string{"a.txt"}, stale)
	must(t, w.Close())

	rc, err := r.Apply(t.Context(), "", p)
	must(t, err)
	diff(t, "0\n1\n2\n3\n4\n5\n6\n7\nEIGHT\n9\n", fileText(t, dir, "a.txt"))
	diff(t, "0\n1\n2\n", linesOf(fileText(t, dir, "a.txt"), 3))
	if rc.Patch.Files[0].Before != patch.Hash([]byte("0\n"+base)) {
		t.Error("the receipt does not describe what was written")
	}
	fixture{"a.txt": "0\n1\ntwo\n3\n4\n5\n6\n7\nEIGHT\n9\n"}.write(t, dir) // edited again
	must(t, r.Close())
	r = reopen(t, r)
	back, err := r.Undo(t.Context(), "", rc)
	must(t, err)
	diff(t, "0\n1\ntwo\n3\n4\n5\n6\n7\n8\n9\n", fileText(t, dir, "a.txt"))
	diff(t, "b\n", fileText(t, dir, "b.txt"))
	diff(t, "mine\n", fileText(t, dir, "c.txt"))
	if _, err := os.Stat(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder that Apply made is still there:", err)
	}
	fixture{"a.txt": "zero\n1\ntwo\n3\n4\n5\n6\n7\n8\n9\n"}.write(t, dir)
	again, err := r.Undo(t.Context(), "", back)
	must(t, err)
	diff(t, "zero\n1\ntwo\n3\n4\n5\n6\n7\nEIGHT\n9\n", fileText(t, dir, "a.txt"))
	fixture{"a.txt": "zero\n1\ntwo\n3\n4\n5\n6\n7\neight!\n9\n"}.write(t, dir)
	before := snapshot(t, dir)
	if _, err := r.Undo(t.Context(), "", again); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "a.txt was edited in the same place: line 9") {
		t.Error(err)
	}
	diff(t, before, snapshot(t, dir))
}

func reopen(t *testing.T, r *Repo) *Repo {
	t.Helper()
	n, err := Open(r.dir, Options{StateDir: filepath.Dir(r.state)})
	must(t, err)
	t.Cleanup(func() { n.Close() })
	return n
}

func linesOf(s string, n int) string { return strings.Join(strings.SplitAfter(s, "\n")[:n], "") }

func TestConflicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		person fixture // what the person made of it; "" deletes
		says   []string
	}{
		"same line":                     {fixture{"mod.txt": "1\n2\n3\n4\n5\n6\n7\nacht\n"}, []string{"mod.txt was edited in the same place: line 8"}},
		"edited what is to be deleted":  {fixture{"sub/gone.txt": "hello\n"}, []string{"sub/gone.txt was edited"}},
		"deleted what is to be changed": {fixture{"mod.txt": ""}, []string{"mod.txt no longer exists"}},
		"made what is to be added":      {fixture{"new/deep/added.txt": "mine"}, []string{"new/deep/added.txt exists already"}},
		"made the rename's target":      {fixture{"other.txt": "mine"}, []string{"other.txt exists already"}},
		"several at once":               {fixture{"mod.txt": "x\n", "other.txt": "mine"}, []string{"mod.txt was edited", "other.txt exists already"}},
		"turned binary":                 {fixture{"mod.txt": "a\x00b"}, []string{"binary"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, nil)
			p := change5(t, dir)
			r := open(t, dir)
			w := copyOf(t, r)
			must(t, w.Apply(p))
			for p, text := range c.person {
				if text == "" {
					must(t, os.Remove(filepath.Join(dir, p)))
				} else {
					fixture{p: text}.write(t, dir)
				}
			}
			before := snapshot(t, dir)
			_, err := r.Apply(t.Context(), "", p)
			if name != "turned binary" && !errors.Is(err, ErrConflict) {
				t.Error(err)
			}
			for _, s := range c.says {
				if err == nil || !strings.Contains(err.Error(), s) {
					t.Errorf("%v does not say %q", err, s)
				}
			}
			diff(t, before, snapshot(t, dir))
		})
	}
}

// TestAlreadyThere: what the person wrote themselves is not written again, and not undone.
func TestAlreadyThere(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a": "a\n", "b": "b\n"})
	r := open(t, dir)
	p := patchOf(t, []patch.Pair{{Path: "a", Before: text644("a\n"), After: text644("A\n")}, {Path: "b", Before: text644("b\n"), After: text644("B\n")}})
	fixture{"a": "A\n"}.write(t, dir)
	rc, err := r.Apply(t.Context(), "", p)
	must(t, err)
	if len(rc.Patch.Files) != 1 || rc.Patch.Files[0].Path != "b" {
		t.Errorf("receipt %v", rc.Patch)
	}
	_, err = r.Undo(t.Context(), "", rc)
	must(t, err)
	diff(t, "A\nb\n", fileText(t, dir, "a")+fileText(t, dir, "b"))
}

// TestRebase: the patch that comes out is what Apply would write, and nothing is written for it.
func TestRebase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mine string // of mod.txt
		want string // then, "" a conflict
		why  string
	}{
		"unchanged":            {"1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\nEIGHT\n", ""},
		"edited elsewhere":     {"ONE\n2\n3\n4\n5\n6\n7\n8\n", "ONE\n2\n3\n4\n5\n6\n7\nEIGHT\n", ""},
		"edited the same line": {"1\n2\n3\n4\n5\n6\n7\nacht\n", "", "mod.txt was edited in the same place: line 8"},
		"edited beside it":     {"1\n2\n3\n4\n5\n6\nsieben\n8\n", "", "mod.txt was edited in the same place: lines 7-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _, after, p := states(t)
			r := open(t, dir)
			w := copyOf(t, r) // keeps the contents that the patch was made for
			must(t, w.Apply(p))
			fixture{"mod.txt": c.mine}.write(t, dir)
			before := snapshot(t, dir)
			q, err := r.Rebase(p)
			diff(t, before, snapshot(t, dir))
			if c.want == "" {
				if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), c.why) {
					t.Fatal(err)
				}
				return
			}
			must(t, err)
			if stale, err := r.Check(q); err != nil || len(stale) > 0 {
				t.Errorf("made for something else: %v %v", stale, err)
			}
			_, err = r.Apply(t.Context(), "", q)
			must(t, err)
			now := snapshot(t, dir)
			diff(t, c.want, fileText(t, dir, "mod.txt"))
			delete(now, "mod.txt")
			delete(after, "mod.txt")
			diff(t, after, now)
			if _, err := r.Rebase(q); !errors.Is(err, ErrConflict) {
				t.Errorf("what is there already: %v", err)
			}
		})
	}
}
