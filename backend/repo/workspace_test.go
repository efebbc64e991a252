package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"redgreen/backend/patch"
)

func TestWorkspace(t *testing.T) {
	t.Parallel()
	outside := folder(t, fixture{"x": "x"})
	dir := folder(t, fixture{
		"a.txt": "a\n", "sub/b.txt": "b\r\n", "bin": "\x00\x01\x02", "big": strings.Repeat("0123456789abcdef", 200_000), "empty": "", "empty dir/": "",
		"link": "->sub/b.txt", "sub/up": "->../a.txt", "dirlink": "->sub", "dangling": "->later", "out": "->" + outside, "climb": "->../x", "chain": "->out", ".env": "K=1",
		".gitignore": "*.log\nnode_modules/\n", "x.log": "", "node_modules/m/index.js": "",
	})
	must(t, os.Chmod(filepath.Join(dir, "a.txt"), 0o750))
	must(t, os.Chmod(filepath.Join(dir, "sub/b.txt"), 0o444))
	must(t, os.Chmod(filepath.Join(dir, "empty"), 0o4755))
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	must(t, os.Chtimes(filepath.Join(dir, "a.txt"), old, old))
	r := open(t, dir)
	w := copyOf(t, r)
	want := snapshot(t, dir)
	for _, gone := range []string{"out", "climb", "chain", ".env", "x.log", "node_modules", "node_modules/m", "node_modules/m/index.js"} {
		delete(want, gone)
	}
	want["empty"] = strings.Replace(want["empty"], "urwx", "-rwx", 1) // no set-user-ID
	diff(t, want, snapshot(t, w.Dir()))
	diff(t, []Skip{{"chain", ""}, {"climb", ""}, {"out", ""}}, bare(w.Skipped()))
	if fi, err := os.Stat(filepath.Join(w.Dir(), "a.txt")); err != nil || !fi.ModTime().Equal(old) {
		t.Error("time:", fi.ModTime(), err)
	}
	must(t, filepath.WalkDir(w.Dir(), func(p string, d fs.DirEntry, err error) error {
		if d.Type().IsRegular() {
			if fi, _ := d.Info(); fi.Sys().(*syscall.Stat_t).Nlink != 1 {
				t.Errorf("%s is a hard link", p)
			}
		}
		return err
	}))
	var same []string
	for _, f := range paths(t, r.tree) {
		if f != "chain" {
			same = append(same, f)
		}
	}
	diff(t, same, paths(t, w.tree))
}

func bare(list []Skip) []Skip {
	for i := range list {
		list[i].Reason = ""
	}
	return list
}

// TestBaseHash: equal trees have equal hashes, wherever and whenever copied; any difference in path, content, mode or
// link target shows.
func TestBaseHash(t *testing.T) {
	t.Parallel()
	fx := fixture{"a": "a\n", "b/c": "c\n", "l": "->a"}
	hash := func(change func(dir string)) string {
		dir := folder(t, fx)
		change(dir)
		return copyOf(t, open(t, dir)).BaseHash()
	}
	base := hash(func(string) {})
	seen := map[string]string{base: "the same"}
	if h := hash(func(dir string) { must(t, os.Chtimes(filepath.Join(dir, "a"), time.Time{}, time.Unix(1, 0))) }); h != base {
		t.Error("time is in the hash")
	}
	for name, change := range map[string]func(dir string){
		"content": func(dir string) { fixture{"a": "b\n"}.write(t, dir) },
		"mode":    func(dir string) { must(t, os.Chmod(filepath.Join(dir, "a"), 0o755)) },
		"name":    func(dir string) { must(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "A"))) },
		"place":   func(dir string) { must(t, os.Rename(filepath.Join(dir, "b/c"), filepath.Join(dir, "c"))) },
		"more":    func(dir string) { fixture{"d": ""}.write(t, dir) },
		"less":    func(dir string) { must(t, os.Remove(filepath.Join(dir, "a"))) },
		"link":    func(dir string) { must(t, swapForLink(dir, "l", "b/c")) },
		"no link": func(dir string) {
			must(t, errors.Join(os.Remove(filepath.Join(dir, "l")), os.WriteFile(filepath.Join(dir, "l"), []byte("a"), 0o644)))
		},
	} {
		h := hash(change)
		if other, ok := seen[h]; ok {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
}

func TestHashFollowsApply(t *testing.T) {
	t.Parallel()
	dir := folder(t, nil)
	p := change5(t, dir)
	w := copyOf(t, open(t, dir))
	must(t, w.Apply(p))
	changed, err := w.Hash()
	must(t, err)
	fixture{"litter": "of a test run"}.write(t, w.Dir())
	again, err := w.Hash()
	must(t, err)
	other := folder(t, nil)
	must(t, os.Remove(other))
	must(t, os.CopyFS(other, os.DirFS(w.Dir())))
	must(t, os.Remove(filepath.Join(other, "litter")))
	must(t, os.Chmod(filepath.Join(other, "run.sh"), 0o755))
	if want := copyOf(t, open(t, other)).BaseHash(); changed != want || again != want || changed == w.BaseHash() {
		t.Errorf("%s, with litter %s, a copy of the result %s", changed, again, want)
	}
	must(t, w.Apply(p.Invert()))
	if h, err := w.Hash(); err != nil || h != w.BaseHash() {
		t.Error("back to the base:", h, err)
	}
	if p, err := w.Patch(); err != nil || !p.Empty() {
		t.Error("back to the base:", p, err)
	}
}

// TestBaseStays: neither the person nor a test run changes what Base, Patch and Pristine are made of.
func TestBaseStays(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a": "a\n", "b": "b\n", "c/d": "d\n", "l": "->a"})
	r := open(t, dir)
	w := copyOf(t, r)
	clean := snapshot(t, w.Dir())
	p := edit(t, w.Content, fixture{"a": "A\n"})
	must(t, w.Apply(p))
	fixture{"a": "person\n", "b": "person\n"}.write(t, dir)
	must(t, os.RemoveAll(filepath.Join(w.Dir(), "c")))
	fixture{"b": "test\n", "junk": "", "c": "->/etc"}.write(t, w.Dir())
	must(t, os.RemoveAll(dir))

	base, err := w.Base("a")
	must(t, err)
	diff(t, "a\n", string(base.Data))
	if _, err := w.Base("junk"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	made, err := w.Patch()
	must(t, err)
	diff(t, p, made)
	second, err := w.Pristine(t.Context(), filepath.Join(t.TempDir(), "p"))
	must(t, err)
	diff(t, clean, snapshot(t, second.Dir()))
	diff(t, w.BaseHash(), second.BaseHash())
	must(t, second.Apply(made))
	diff(t, "A\n", fileText(t, second.Dir(), "a"))
	must(t, w.Close())
	if _, err := second.Base("b"); err != nil {
		t.Error("the base went with the first copy:", err)
	}
	must(t, second.Close())
	for _, gone := range []string{w.Dir(), second.Dir(), w.base.dir} {
		if _, err := os.Lstat(gone); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", gone, err)
		}
	}
}

func TestPristineOfDamagedBase(t *testing.T) {
	t.Parallel()
	w := copyOf(t, open(t, folder(t, fixture{"a": "a\n"})))
	fixture{"a": "b\n"}.write(t, w.base.dir)
	dir := filepath.Join(t.TempDir(), "p")
	if _, err := w.Pristine(t.Context(), dir); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("left behind")
	}
}

func TestRenamesInPatch(t *testing.T) {
	t.Parallel()
	const text = "1\n2\n3\n4\n5\n"
	w := copyOf(t, open(t, folder(t, fixture{"a": text, "b": "b\n"})))
	rename := func(from, to string) {
		t.Helper()
		before, err := w.Content(from)
		must(t, err)
		must(t, w.Apply(patchOf(t, []patch.Pair{{Path: to, OldPath: from, Before: before, After: before}})))
	}
	rename("a", "x/y")
	rename("x/y", "z")
	must(t, w.Apply(edit(t, w.Content, fixture{"z": strings.Replace(text, "3", "three", 1)})))
	got, err := w.Patch()
	must(t, err)
	diff(t, patchOf(t, []patch.Pair{{Path: "z", OldPath: "a", Before: text644(text), After: text644(strings.Replace(text, "3", "three", 1))}}), got)
	second, err := w.Pristine(t.Context(), filepath.Join(t.TempDir(), "p"))
	must(t, err)
	defer second.Close()
	must(t, second.Apply(got))
	h1, err1 := w.Hash()
	h2, err2 := second.Hash()
	must(t, errors.Join(err1, err2))
	diff(t, h1, h2)
	rename("z", "a")
	must(t, w.Apply(edit(t, w.Content, fixture{"a": text})))
	if p, err := w.Patch(); err != nil || !p.Empty() {
		t.Error("there and back:", p, err)
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	dir := folder(t, nil)
	p := change5(t, dir)
	r := open(t, dir)
	w := copyOf(t, r)
	must(t, w.Apply(p))
	want, err := w.Hash()
	must(t, err)
	must(t, w.Apply(edit(t, w.Content, fixture{"mod.txt": "", "stay.txt": "moved\n", "more/x": "x"})))
	must(t, w.Restore(p))
	got, err := w.Hash()
	must(t, err)
	diff(t, want, got)
	made, err := w.Patch()
	must(t, err)
	diff(t, p, made)
	fresh := copyOf(t, r)
	must(t, fresh.Restore(p))
	must(t, fresh.Restore(patch.Patch{}))
	if h, err := fresh.Hash(); err != nil || h != w.BaseHash() {
		t.Error(h, err)
	}
}

// TestIgnoreFileInPatch: a new file is judged by the ignore files as the patch leaves them.
func TestIgnoreFileInPatch(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{".gitignore": "data/\n", "a": "a\n"})
	w := copyOf(t, open(t, dir))
	if err := w.Apply(edit(t, w.Content, fixture{"data/x": "x\n"})); !errors.Is(err, ErrIgnored) {
		t.Error(err)
	}
	must(t, w.Apply(edit(t, w.Content, fixture{".gitignore": "other/\n", "data/x": "x\n"})))
	if err := w.Apply(edit(t, w.Content, fixture{"b/.gitignore": "*.tmp\n", "b/x.tmp": "x\n"})); !errors.Is(err, ErrIgnored) {
		t.Error(err)
	}
	must(t, w.Apply(edit(t, w.Content, fixture{".gitignore": "data/\n"})))
	p, err := w.Patch()
	must(t, err)
	diff(t, 1, len(p.Files))
}

func TestWorkspaceRefused(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a": "a"})
	r := open(t, dir)
	for name, want := range map[string]error{filepath.Join(dir, "w"): fs.ErrInvalid, filepath.Dir(dir): fs.ErrInvalid, dir: fs.ErrInvalid, t.TempDir(): fs.ErrExist} {
		if _, err := r.NewWorkspace(t.Context(), name, CopyOptions{}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	diff(t, "a", fileText(t, dir, "a"))
	taken := filepath.Join(t.TempDir(), "w")
	must(t, os.Mkdir(taken+".base", 0o755))
	if _, err := r.NewWorkspace(t.Context(), taken, CopyOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if _, err := os.Stat(taken + ".base"); err != nil {
		t.Error("what was there before was removed:", err)
	}
}

// TestCopyStopped cancels a copy, and takes the folder away in the middle of one: nothing is left behind.
func TestCopyStopped(t *testing.T) {
	t.Parallel()
	fx := fixture{}
	for i := range 3000 {
		fx[fmt.Sprintf("d%d/f%d", i%50, i)] = strings.Repeat("x", 2000)
	}
	for name, want := range map[string]error{"cancel": context.Canceled, "vanish": ErrGone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once := func() (to string, err error) {
				dir := folder(t, fx)
				r := open(t, dir)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				to = filepath.Join(t.TempDir(), "w")
				var stop sync.WaitGroup
				stop.Go(func() {
					for !fileThere(filepath.Join(to, "d10/f10")) && ctx.Err() == nil {
						time.Sleep(time.Millisecond)
					}
					if name == "cancel" {
						cancel()
					} else if err := os.Rename(dir, dir+"2"); err == nil {
						_ = os.RemoveAll(dir + "2")
					}
				})
				w, err := r.NewWorkspace(ctx, to, CopyOptions{})
				cancel()
				stop.Wait()
				if err == nil {
					must(t, w.Close())
				}
				return to, err
			}
			to, err := once()
			for n := 0; err == nil && n < 20; n++ { // it was whole before a busy machine let us stop it
				to, err = once()
			}
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			if left, _ := filepath.Glob(to + "*"); len(left) > 0 {
				t.Error("left behind:", left)
			}
		})
	}
}

// TestCopyOwner gives the copy to another user; only root can.
func TestCopyOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("giving files away needs root")
	}
	r := open(t, folder(t, fixture{"a": "a\n", "b/c": "c", "l": "->a"}))
	w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), CopyOptions{UID: 4242, GID: 4343, Chown: true})
	must(t, err)
	defer w.Close()
	must(t, w.Apply(edit(t, w.Content, fixture{"a": "A\n", "new/x": "x"})))
	p, err := w.Pristine(t.Context(), filepath.Join(t.TempDir(), "p"))
	must(t, err)
	defer p.Close()
	for _, dir := range []string{w.Dir(), p.Dir()} {
		must(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if fi, _ := os.Lstat(p); err == nil {
				if st := fi.Sys().(*syscall.Stat_t); st.Uid != 4242 || st.Gid != 4343 {
					t.Errorf("%s belongs to %d:%d", p, st.Uid, st.Gid)
				}
			}
			return err
		}))
	}
	if fi, err := os.Stat(w.base.dir); err != nil || fi.Mode().Perm() != 0o700 || fi.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Error("the base is open to others:", fi.Mode(), err)
	}
}

// TestUnreadable: what cannot be read is left out and named, and stops nothing.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("becoming another user needs root")
	}
	dir := folder(t, fixture{"a.txt": "a", "closed.txt": "x", "closed/x": "x", "b/c.txt": "c"})
	must(t, os.Chmod(filepath.Join(dir, "closed.txt"), 0))
	must(t, os.Chmod(filepath.Join(dir, "closed"), 0))
	out := asNobody(t, "copy", dir, patch.Patch{})
	for _, want := range []string{"skipped: closed permission denied", "skipped: closed.txt permission denied", "files: a.txt b/c.txt\n", `read: reading "closed.txt": permission denied`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestCloseAgainstTests: a test run that took its own permissions away does not keep the copy from being removed.
func TestCloseAgainstTests(t *testing.T) {
	t.Parallel()
	w := copyOf(t, open(t, folder(t, fixture{"a/b/c": "c"})))
	must(t, os.Chmod(filepath.Join(w.Dir(), "a/b"), 0))
	must(t, os.Chmod(filepath.Join(w.Dir(), "a"), 0))
	must(t, w.Close())
	if _, err := os.Lstat(w.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestHostileTestRun: a test run in the copy can replace files and folders by symlinks; nothing is read or written
// through them.
func TestHostileTestRun(t *testing.T) {
	t.Parallel()
	outside := folder(t, fixture{"f": "outside\n", "g": "outside\n"})
	w := copyOf(t, open(t, folder(t, fixture{"d/f": "f\n", "g": "g\n", "h": "h\n"})))
	p := edit(t, w.Content, fixture{"d/f": "F\n", "g": "G\n"})
	add := edit(t, w.Content, fixture{"d/new": "new\n"})
	must(t, swapForLink(w.Dir(), "d", outside))
	must(t, swapForLink(w.Dir(), "g", filepath.Join(outside, "g")))
	must(t, swapForLink(w.Dir(), "h", "/etc/passwd"))
	before := snapshot(t, outside)
	for _, p := range []patch.Patch{p, add} {
		if err := w.Apply(p); !errors.Is(err, ErrSymlink) {
			t.Error(err)
		}
	}
	for _, name := range []string{"d/f", "g", "h"} {
		if data, err := w.Read(name); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %q %v", name, data, err)
		}
	}
	if got := paths(t, w.tree); len(got) > 0 {
		t.Error("listed:", got)
	}
	diff(t, before, snapshot(t, outside))
}

// TestConcurrentUse calls everything at once, for the race detector.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a": "a\n", "b": "b\n", ".gitignore": "x\n"})
	r := open(t, dir)
	w := copyOf(t, r)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			name := fmt.Sprint("new", i)
			_ = w.Apply(edit(t, w.Content, fixture{name: "x\n"}))
			_, _ = w.Hash()
			_, _ = w.Patch()
			_, _ = w.Files(t.Context())
			_, _ = r.Files(t.Context())
			_, _ = r.Read("a")
			_, err := r.Apply(t.Context(), "", patchOf(t, []patch.Pair{{Path: name, After: text644("y\n")}}))
			if err != nil {
				t.Error(err)
			}
			_ = r.Git()
		})
	}
	all.Wait()
	if p, err := w.Patch(); err != nil || len(p.Files) != 4 {
		t.Error(len(p.Files), err)
	}
	if n := len(snapshot(t, dir)); n != 3+4+1 {
		t.Error(n, "files")
	}
	diff(t, 4, len(maps.Collect(maps.All(w.touched))))
}
