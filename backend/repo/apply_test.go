package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"redgreen/backend/patch"
)

// change5 is a folder and a patch with one change of each kind.
func change5(t *testing.T, dir string) patch.Patch {
	t.Helper()
	fixture{"mod.txt": "1\n2\n3\n4\n5\n6\n7\n8\n", "run.sh": "#!/bin/sh\n", "sub/gone.txt": "bye\n", "name.txt": "same\n", "stay.txt": "stay\n"}.write(t, dir)
	return patchOf(t, []patch.Pair{
		{Path: "mod.txt", Before: text644("1\n2\n3\n4\n5\n6\n7\n8\n"), After: text644("1\n2\n3\n4\n5\n6\n7\nEIGHT\n")},
		{Path: "run.sh", Before: text644("#!/bin/sh\n"), After: &patch.Content{Data: []byte("#!/bin/sh\n"), Mode: 0o755}},
		{Path: "sub/gone.txt", Before: text644("bye\n")},
		{Path: "new/deep/added.txt", After: text644("hi")},
		{Path: "other.txt", OldPath: "name.txt", Before: text644("same\n"), After: text644("same\n")},
	})
}

func text644(s string) *patch.Content { return &patch.Content{Data: []byte(s), Mode: 0o644} }

func patchOf(t *testing.T, pairs []patch.Pair) patch.Patch {
	t.Helper()
	p, err := patch.Diff(pairs)
	must(t, err)
	return p
}

// states gives the folder before and after its patch, and the patch.
func states(t *testing.T) (dir string, before, after map[string]string, p patch.Patch) {
	t.Helper()
	model := t.TempDir()
	p = change5(t, model)
	before = snapshot(t, model)
	r := open(t, model)
	_, err := r.Apply(t.Context(), "", p)
	must(t, err)
	after = snapshot(t, model)
	dir = folder(t, nil)
	change5(t, dir)
	return dir, before, after, p
}

func TestApplyEveryKind(t *testing.T) {
	t.Parallel()
	dir, before, after, p := states(t)
	diff(t, true, after["run.sh"][:10] == "-rwxr-xr-x" && after["sub/gone.txt"] == "" && after["other.txt"] == before["name.txt"])
	r := open(t, dir)
	rc, err := r.Apply(t.Context(), "", p)
	must(t, err)
	diff(t, p, rc.Patch)
	list, err := r.Receipts()
	must(t, err)
	diff(t, []Receipt{rc}, list)
	_, err = r.Undo(t.Context(), "", rc)
	must(t, err)
	diff(t, before, snapshot(t, dir))
}

// TestFaults fails every instruction of Apply in turn: every file is as before, and the message names the file and why.
func TestFaults(t *testing.T) {
	t.Parallel()
	dir, before, after, p := states(t)
	for first, cause := range []error{syscall.ENOSPC, fs.ErrPermission, syscall.EROFS} {
		for n := 0; ; n += 1 + 6*first { // all of them once, some of them with the other causes
			r := open(t, dir)
			i, at := 0, ""
			r.step = func(step, path string) error {
				if i++; i == n+1 {
					at = step + " " + path
					return cause
				}
				return nil
			}
			_, err := r.Apply(t.Context(), "", p)
			if at == "" {
				must(t, err)
				diff(t, after, snapshot(t, dir))
				if n < 20 {
					t.Errorf("only %d steps", n)
				}
				break
			}
			now := snapshot(t, dir)
			switch step, path, _ := strings.Cut(at, " "); {
			case step == "clean" || step == "file" || step == "done": // after the commit the rest is done by the next
				must(t, err)
				r.step = nil
				must(t, r.Close())
				r2, err := Open(dir, Options{StateDir: filepath.Dir(r.state)})
				must(t, err)
				if !strings.Contains(r2.Recovered(), "complete") {
					t.Errorf("%s: recovered: %q", at, r2.Recovered())
				}
				diff(t, after, snapshot(t, dir))
				list, err := r2.Receipts()
				must(t, err)
				if err != nil || len(list) != 1 {
					t.Fatalf("%s: receipts %v, %v", at, list, err)
				}
				_, err = r2.Undo(t.Context(), "", list[0])
				must(t, err)
				r2.Close()
			case err == nil:
				t.Errorf("%s: no error", at)
			case !errors.Is(err, cause) || !strings.Contains(err.Error(), path) || step != "journal" && step != "journal.rename" && !strings.Contains(err.Error(), "as before"):
				t.Errorf("%s: message %v", at, err)
			default:
				diff(t, before, now)
				if left, _ := filepath.Glob(filepath.Join(r.state, "*")); len(left) > 3 {
					t.Errorf("%s: left in the state folder: %v", at, left)
				}
			}
			if t.Failed() {
				t.Fatalf("at %s", at)
			}
		}
		_, err := open(t, dir).Apply(t.Context(), "", p.Invert())
		must(t, err)
		must(t, os.RemoveAll(filepath.Join(dir, "new")))
	}
}

func different(want, got map[string]string) string {
	var b strings.Builder
	for name, w := range want {
		if got[name] != w {
			fmt.Fprintf(&b, "%s: %q, want %q\n", name, got[name], w)
		}
	}
	for name, g := range got {
		if _, ok := want[name]; !ok {
			fmt.Fprintf(&b, "%s: %q, want nothing\n", name, g)
		}
	}
	return b.String()
}

func TestApplyCancelled(t *testing.T) {
	t.Parallel()
	dir, before, _, p := states(t)
	for _, step := range []string{"journal", "mkdir", "write"} {
		r := open(t, dir)
		ctx, cancel := context.WithCancel(t.Context())
		r.step = func(s, _ string) error {
			if s == step {
				cancel()
			}
			return nil
		}
		if _, err := r.Apply(ctx, "", p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", step, err)
		}
		diff(t, before, snapshot(t, dir))
		cancel()
	}
}

func TestApplyVanished(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"", "write", "rename"} {
		dir, _, _, p := states(t)
		r := open(t, dir)
		r.step = func(s, _ string) error {
			if s == step {
				return os.RemoveAll(dir)
			}
			return nil
		}
		if step == "" {
			must(t, os.Rename(dir, dir+"-moved"))
		}
		if _, err := r.Apply(t.Context(), "", p); !errors.Is(err, ErrGone) {
			t.Errorf("%q: %v", step, err)
		}
	}
}

// TestApplyRaces: the person saves a file in the middle of Apply, or something takes the place of a folder.
func TestApplyRaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step, path string
		do         func(dir string) error
		want       error
		differs    []string
	}{
		"saved before its turn":     {"rename", "mod.txt", func(dir string) error { return os.WriteFile(filepath.Join(dir, "mod.txt"), []byte("mine\n"), 0o644) }, ErrConflict, []string{"mod.txt"}},
		"deleted before its turn":   {"rename", "sub/gone.txt", func(dir string) error { return os.Remove(filepath.Join(dir, "sub/gone.txt")) }, ErrConflict, []string{"sub/gone.txt"}},
		"made before its turn":      {"rename", "other.txt", func(dir string) error { return os.WriteFile(filepath.Join(dir, "other.txt"), []byte("mine\n"), 0o644) }, ErrConflict, []string{"other.txt"}},
		"symlink in its place":      {"rename", "mod.txt", func(dir string) error { return swapForLink(dir, "mod.txt", "stay.txt") }, ErrSymlink, []string{"mod.txt"}},
		"symlink for its folder":    {"rename", "sub/gone.txt", func(dir string) error { return swapForLink(dir, "sub", "new") }, ErrSymlink, []string{"sub", "sub/gone.txt"}},
		"link outside for a folder": {"write", "new/deep/added.txt", func(dir string) error { return swapForLink(dir, "new/deep", os.TempDir()) }, ErrSymlink, []string{"new", "new/deep"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, before, _, p := states(t)
			r := open(t, dir)
			r.step = func(s, path string) error {
				if s == c.step && path == c.path {
					return c.do(dir)
				}
				return nil
			}
			if _, err := r.Apply(t.Context(), "", p); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			now := snapshot(t, dir)
			for _, name := range c.differs {
				delete(now, name)
				delete(before, name)
			}
			diff(t, before, now)
		})
	}
}

func swapForLink(dir, name, to string) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir, name)), os.Symlink(to, filepath.Join(dir, name)))
}

// TestSwapKeepsSaved: a save between the last look and the swap itself.
func TestSwapKeepsSaved(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]*state{"modified": {Data: []byte("new"), Mode: 0o644}, "deleted": nil} {
		dir := folder(t, fixture{"a": "saved meanwhile"})
		r := open(t, dir)
		f := written{Path: "a", Temp: ".t", Before: &state{Data: []byte("old"), Mode: 0o644}, After: after}
		s, err := r.locate("a", refuse)
		must(t, err)
		if after != nil {
			must(t, after.create(s.dir, f.Temp))
		}
		err = r.exchange(s, f)
		s.close()
		if !errors.Is(err, ErrConflict) || fileText(t, dir, "a") != "saved meanwhile" {
			t.Errorf("%s: %v, %q", name, err, fileText(t, dir, "a"))
		}
	}
}

// TestTwoProcesses: while another holds the lock, Open recovers nothing and Apply says so.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir, _, after, p := states(t)
	r := open(t, dir)
	entered, leave := make(chan bool), make(chan bool)
	r.step = func(s, _ string) error {
		if s == "commit" {
			close(entered)
			<-leave
		}
		return nil
	}
	done := make(chan error)
	go func() {
		_, err := r.Apply(t.Context(), "", p)
		done <- err
	}()
	<-entered
	other, err := Open(dir, Options{StateDir: filepath.Dir(r.state)})
	must(t, err)
	defer other.Close()
	if other.Recovered() != "" {
		t.Error("recovered a write under way:", other.Recovered())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := other.Apply(ctx, "", p); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	close(leave)
	must(t, <-done)
	diff(t, after, snapshot(t, dir))
}

// TestRefusedPatches: no path rule is different for writing, in the folder and in a copy.
func TestRefusedPatches(t *testing.T) {
	t.Parallel()
	outside := folder(t, fixture{"x": "x\n"})
	dir := folder(t, fixture{
		"a": "a\n", "link": "->a", "dir/b": "b\n", "dirlink": "->dir", "out": "->" + outside, "dangling": "->nowhere", ".env": "K=1\n", ".git/config": "[core]\n",
		"file": "f\n", "bin": "a\x00b", "ignored.log": "", ".gitignore": "*.log\n",
	})
	r := open(t, dir)
	w := copyOf(t, r)
	before, outsideBefore := snapshot(t, dir), snapshot(t, outside)
	raw := func(path string, status patch.Status, lines ...patch.Line) patch.Patch {
		f := patch.File{Path: path, Status: status, NewMode: 0o644, After: patch.Hash([]byte("new\n")), Hunks: []patch.Hunk{{NewStart: 1, NewLines: 1, Lines: lines}}}
		return patch.Patch{Files: []patch.File{f}}
	}
	plus := patch.Line{Op: patch.Insert, Text: "new\n"}
	for _, c := range []struct {
		path string
		want error
	}{
		{"../x", ErrOutside}, {"/tmp/x", ErrOutside}, {"a/../../x", ErrOutside}, {"", ErrOutside}, {"x\x00", ErrOutside}, {`..\x`, ErrOutside}, {`C:\x`, ErrOutside},
		{".git/hooks/pre-commit", ErrOutside}, {".GIT/x", ErrOutside}, {"sub/.git", ErrOutside}, {"git~1/x", ErrOutside}, {".git./x", ErrOutside}, {".g\u200cit/x", ErrOutside}, {".hg/hgrc", ErrOutside},
		{".env", ErrSecret}, {".ENV.", ErrSecret}, {"id_rsa", ErrSecret}, {".aws/credentials", ErrSecret},
		{"link", ErrSymlink}, {"dirlink/new", ErrSymlink}, {"out/x", ErrSymlink}, {"out/new", ErrSymlink}, {"dangling", ErrSymlink}, {"dangling/x", ErrSymlink},
		{"file/x", fs.ErrInvalid}, {"a", ErrConflict}, {"dir", fs.ErrInvalid},
	} {
		for name, apply := range map[string]func(patch.Patch) error{"folder": func(p patch.Patch) error { _, err := r.Apply(t.Context(), "", p); return err }, "copy": w.Apply} {
			if strings.HasPrefix(c.path, "out") && name == "copy" {
				continue // the copy has no such symlink
			}
			if err := apply(raw(c.path, patch.Added, plus)); !errors.Is(err, c.want) {
				t.Errorf("%s: %q: %v, want %v", name, c.path, err, c.want)
			}
		}
	}
	if err := w.Apply(raw("new.log", patch.Added, plus)); !errors.Is(err, ErrIgnored) {
		t.Error("an ignored file:", err)
	}
	key := patchOf(t, []patch.Pair{{Path: "k.txt", After: text644("-----BEGIN PRIVATE KEY-----\nabc\n")}})
	if err := w.Apply(key); !errors.Is(err, ErrSecret) {
		t.Error("a key:", err)
	}
	twice := raw("n", patch.Added, plus)
	twice.Files = append(twice.Files, raw("./n", patch.Added, plus).Files...)
	if err := w.Apply(twice); !errors.Is(err, fs.ErrInvalid) {
		t.Error("twice:", err)
	}
	both := raw("n", patch.Added, plus)
	both.Files = append(both.Files, raw("n/m", patch.Added, plus).Files...)
	if err := w.Apply(both); !errors.Is(err, fs.ErrInvalid) {
		t.Error("a file and a folder of one name:", err)
	}
	diff(t, before, snapshot(t, dir))
	diff(t, outsideBefore, snapshot(t, outside))
	if h, err := w.Hash(); err != nil || h != w.BaseHash() {
		t.Error("the copy changed:", err)
	}
}

// TestGitUntouched: nothing below .git changes by any act.
func TestGitUntouched(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := folder(t, nil)
	git(t, dir, "init", "-q")
	p := change5(t, dir)
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	before := snapshot(t, filepath.Join(dir, ".git"))
	r := open(t, dir)
	w := copyOf(t, r)
	must(t, w.Apply(p))
	r.Git()
	rc, err := r.Apply(t.Context(), "", p)
	must(t, err)
	_, err = r.Undo(t.Context(), "", rc)
	must(t, err)
	diff(t, before, snapshot(t, filepath.Join(dir, ".git")))
	diff(t, "", git(t, dir, "status", "--porcelain"))
}

// TestDiskFull applies to a folder on a disk of 256 KiB, and with the journal on one.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, 256<<10)
	dir := filepath.Join(disk, "folder")
	must(t, os.Mkdir(dir, 0o755))
	fixture{"a.txt": strings.Repeat("a\n", 30000), "b.txt": "b\n"}.write(t, dir)
	before := snapshot(t, dir)
	grown := patchOf(t, []patch.Pair{
		{Path: "b.txt", Before: text644("b\n"), After: text644("B\n")},
		{Path: "z.txt", After: text644(strings.Repeat("z\n", 200000))},
	})
	r := open(t, dir)
	_, err := r.Apply(t.Context(), "", grown)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "z.txt") || !strings.Contains(err.Error(), "disk full") || !strings.Contains(err.Error(), "as before") {
		t.Error("folder:", err)
	}
	diff(t, before, snapshot(t, dir))

	elsewhere := folder(t, fixture{"b.txt": "b\n"})
	r2, err := Open(elsewhere, Options{StateDir: filepath.Join(disk, "state")})
	must(t, err)
	defer r2.Close()
	if _, err := r2.Apply(t.Context(), "", grown); !errors.Is(err, syscall.ENOSPC) {
		t.Error("journal:", err)
	}
	diff(t, "b\n", fileText(t, elsewhere, "b.txt"))
	fixture{"big": strings.Repeat("x", 400<<10)}.write(t, elsewhere)
	if _, err := r2.NewWorkspace(t.Context(), filepath.Join(disk, "w2"), CopyOptions{}); !errors.Is(err, syscall.ENOSPC) {
		t.Error("workspace:", err)
	}
	if left, _ := filepath.Glob(filepath.Join(disk, "w2*")); len(left) > 0 {
		t.Error("left behind:", left)
	}
}

// smallDisk mounts a filesystem in memory of a size; only root can.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skip("mounting a small disk needs root:", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// TestNotPermitted: a folder that cannot be written, without being root.
func TestNotPermitted(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		dir, before, _, p := states(t)
		must(t, os.Chmod(filepath.Join(dir, "sub"), 0o555))
		defer os.Chmod(filepath.Join(dir, "sub"), 0o755)
		if _, err := open(t, dir).Apply(t.Context(), "", p); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "sub/gone.txt") {
			t.Error(err)
		}
		must(t, os.Chmod(filepath.Join(dir, "sub"), 0o755))
		diff(t, before, snapshot(t, dir))
		return
	}
	dir, _, _, p := states(t)
	must(t, os.Chmod(dir, 0o777))
	must(t, chownAll(dir, 65534))
	must(t, os.Chown(filepath.Join(dir, "sub"), 0, 0)) // the one folder that is not theirs
	before := snapshot(t, dir)
	err := asNobody(t, "apply", dir, p)
	if !strings.Contains(err, "not permitted") || !strings.Contains(err, "sub/gone.txt") || !strings.Contains(err, "as before") {
		t.Error(err)
	}
	diff(t, before, snapshot(t, dir))
}

// An act has a key: it is done once, also after the person edited the files since, by another process, or where it is asked for
// with another patch.
func TestAnActIsDoneOnce(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n"})
	o := Options{StateDir: filepath.Join(t.TempDir(), "odd [state]")}
	r, err := Open(dir, o)
	must(t, err)
	w := copyOf(t, r)
	p := edit(t, w.Content, fixture{"a.txt": "ONE\n2\n3\n4\n5\n6\n7\n8\n"})
	q := edit(t, w.Content, fixture{"b.txt": "b\n"})
	rc, err := r.Apply(t.Context(), "s/step-1/write-1", p)
	must(t, err)
	r.Close()

	r, err = Open(dir, o)
	must(t, err)
	defer r.Close()
	mine := "1\n2\n3\n4\n5\n6\n7\nmine\n" // with the person's edit, the write taken back by hand
	fixture{"a.txt": mine}.write(t, dir)
	for _, again := range []patch.Patch{p, q} {
		if _, err := r.Apply(t.Context(), "s/step-1/write-1", again); !errors.Is(err, ErrDone) {
			t.Errorf("a second time: %v", err)
		}
	}
	diff(t, mine, fileText(t, dir, "a.txt"))
	got, ok := r.Written("s/step-1/write-1")
	diff(t, true, ok)
	diff(t, rc, got)
	for _, key := range []string{"", "s/step-1/write-2", "s/step-1/write-11"} {
		if _, ok := r.Written(key); ok {
			t.Errorf("%q counts as done", key)
		}
	}
	fixture{"a.txt": "ONE\n2\n3\n4\n5\n6\n7\n8\n"}.write(t, dir)
	_, err = r.Undo(t.Context(), "s/step-1/write-2", rc)
	must(t, err)
	if _, err := r.Undo(t.Context(), "s/step-1/write-2", rc); !errors.Is(err, ErrDone) {
		t.Errorf("undone a second time: %v", err)
	}
	diff(t, "1\n2\n3\n4\n5\n6\n7\n8\n", fileText(t, dir, "a.txt"))
}
