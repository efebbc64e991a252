package repo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"redgreen/backend/patch"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a.txt": "a\n"})
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	r := open(t, link)
	if r.Root() != dir || r.Name() != "folder" {
		t.Errorf("root %s, name %s", r.Root(), r.Name())
	}
	diff(t, Git{}, r.Git())
	for name, want := range map[string]error{
		filepath.Join(dir, "none"): fs.ErrNotExist, filepath.Join(dir, "a.txt"): fs.ErrInvalid, "": fs.ErrInvalid, "a\x00b": fs.ErrInvalid,
	} {
		if _, err := Open(name, Options{}); !errors.Is(err, want) {
			t.Errorf("Open(%q): %v, want %v", name, err, want)
		}
	}
	if _, err := Open(dir, Options{StateDir: filepath.Join(dir, ".state")}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a state folder inside: %v", err)
	}
}

func TestApplyAndUndo(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a.txt": "one\ntwo\n", "crlf.txt": "\uFEFFa\r\nb\r\nno end", "old/gone.txt": "bye\n", "run.sh": "#!/bin/sh\n"})
	must(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o755))
	r := open(t, dir)
	before := snapshot(t, dir)
	w := copyOf(t, r)
	p := edit(t, w.Content, fixture{
		"a.txt": "one\n2\n", "crlf.txt": "\uFEFFa\r\nB\r\nno end", "old/gone.txt": "", "new/deep/x.txt": "x", "run.sh": "#!/bin/sh\nls\n",
	})
	must(t, w.Apply(p))
	made, err := w.Patch()
	must(t, err)
	diff(t, p, made)
	diff(t, before, snapshot(t, dir))

	rc, err := r.Apply(t.Context(), "", made)
	must(t, err)
	diff(t, p, rc.Patch)
	after := snapshot(t, dir)
	for name, want := range (fixture{"a.txt": "one\n2\n", "crlf.txt": "\uFEFFa\r\nB\r\nno end", "old/gone.txt": "", "new/deep/x.txt": "x", "run.sh": "#!/bin/sh\nls\n"}) {
		if got := fileText(t, dir, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if fi, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || fi.Mode().Perm() != 0o755 {
		t.Errorf("mode of run.sh: %v %v", fi.Mode(), err)
	}
	back, err := r.Undo(t.Context(), "", rc)
	must(t, err)
	diff(t, before, snapshot(t, dir))
	_, err = r.Undo(t.Context(), "", back)
	must(t, err)
	diff(t, after, snapshot(t, dir))
	if _, err := r.Apply(t.Context(), "", made); !errors.Is(err, ErrConflict) {
		t.Errorf("a second time: %v", err)
	}
	var none patch.Patch
	if rc, err := r.Apply(t.Context(), "", none); err != nil || !rc.Patch.Empty() {
		t.Errorf("an empty patch: %v %v", rc, err)
	}
}
