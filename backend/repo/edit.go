package repo

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"

	"redgreen/backend/patch"
)

// Apply changes the copy by a patch made against its present state; all files or none. Path rules as Read; nothing is
// written through a symlink (ErrSymlink).
func (w *Workspace) Apply(p patch.Patch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.change(p); err != nil {
		return fmt.Errorf("changing the workspace: %w", err)
	}
	return nil
}

func (w *Workspace) change(p patch.Patch) error {
	plan, err := w.plan(p, exact)
	if err != nil {
		return err
	}
	if err := w.notIgnored(plan); err != nil {
		return err
	}
	if err := w.write(files(plan)); err != nil {
		return w.orGone(err)
	}
	w.note(plan)
	return nil
}

// notIgnored refuses new files that git ignores, by the ignore files as they will be: such a file is no part of the
// repository, and the person's folder, where ignored files were not copied from, may hold one of that name.
func (w *Workspace) notIgnored(plan []change) error {
	list := files(plan)
	for _, f := range list {
		if f.before == nil && w.ignores(f.path, list) {
			return fmt.Errorf("%w: %s is left out by a .gitignore, so it would not be part of the repository; choose another path, or take it in there first", ErrIgnored, f.path)
		}
	}
	return nil
}

// ignores judges one path by the ignore files above it, those of the list as the list has them.
func (w *Workspace) ignores(p string, list []file) bool {
	if _, tracked := w.vcs.tracked()[p]; tracked {
		return false
	}
	stack := w.vcs.exclude()
	names := strings.Split(p, "/")
	for i := range names {
		own := path.Join(path.Join(names[:i]...), ".gitignore")
		var text *patch.Content
		if at := slices.IndexFunc(list, func(f file) bool { return f.path == own }); at >= 0 {
			text = list[at].after
		} else if c, err := w.Content(own); err == nil {
			text = c
		}
		if text != nil {
			stack = append(slices.Clip(stack), parseIgnore(text.Data, i))
		}
		if ignored(stack, names[:i+1], i+1 < len(names)) {
			return true
		}
	}
	return false
}

// note remembers what a plan touched, and keeps the content that a file had in the base, for a merge with the person's
// own edits. Where that cannot be kept, a file that was edited meanwhile is refused instead of merged.
func (w *Workspace) note(plan []change) {
	for _, c := range plan {
		for _, p := range []string{c.from, c.to} {
			if p == "" {
				continue
			}
			if base, err := w.base.Content(p); err == nil && !w.touched[p] {
				w.base.store.put(base.Data)
			}
			w.touched[p] = true
		}
		if c.from == "" || c.to == "" || c.from == c.to {
			continue
		}
		origin := c.from
		if o, ok := w.renamed[c.from]; ok {
			origin = o
			delete(w.renamed, c.from)
		}
		w.renamed[c.to] = origin
	}
}

// write makes every change, and takes back what it made when one fails.
func (w *Workspace) write(list []file) error {
	for i, c := range list {
		if err := w.put(c.path, c.after); err != nil {
			for _, done := range slices.Backward(list[:i]) {
				if back := w.put(done.path, done.before); back != nil {
					return fmt.Errorf("%w; and %s could not be put back: %w; discard this workspace", err, done.path, back)
				}
			}
			return err
		}
	}
	return nil
}

// put makes a file have a content (nil removes it), by way of a new file beside it.
func (w *Workspace) put(p string, c *patch.Content) error {
	if c != nil {
		if err := w.parents(p); err != nil {
			return err
		}
	}
	s, err := w.locate(p, refuse)
	if err != nil {
		return err
	}
	defer s.close()
	if c == nil {
		if s.info == nil {
			return nil
		}
		return inFile(p, s.dir.Remove(s.name))
	}
	temp := ".redgreen-" + rand.Text()[:8] + ".tmp"
	if err := w.fill(s.dir, temp, c); err != nil {
		_ = s.dir.Remove(temp)
		return inFile(p, err)
	}
	if err := s.dir.Rename(temp, s.name); err != nil {
		_ = s.dir.Remove(temp)
		return inFile(p, err)
	}
	return nil
}

// inFile names the file of a failed write.
func inFile(p string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing %s: %w", p, advise(err))
}

func (w *Workspace) fill(d *os.Root, name string, c *patch.Content) error {
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(c.Data); err != nil {
		return err
	}
	if w.owner.Chown {
		if err := f.Chown(w.owner.UID, w.owner.GID); err != nil {
			return err
		}
	}
	if err := f.Chmod(fs.FileMode(c.Mode).Perm()); err != nil {
		return err
	}
	return f.Close()
}

// parents makes the folders above a path.
func (w *Workspace) parents(p string) error {
	for _, dir := range above(p) {
		s, err := w.locate(dir, refuse)
		if err != nil {
			return err
		}
		if s.info == nil {
			if err = s.dir.Mkdir(s.name, 0o755); err == nil && w.owner.Chown {
				err = s.dir.Lchown(s.name, w.owner.UID, w.owner.GID)
			}
		}
		s.close()
		if err != nil {
			return inFile(dir, err)
		}
	}
	return nil
}

// Patch is the whole change from the base to now, made only of paths that Apply touched. A rename that still holds is
// given as one.
func (w *Workspace) Patch() (patch.Patch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var (
		pairs []patch.Pair
		done  = map[string]bool{}
	)
	for to, from := range w.renamed {
		pair, ok, err := w.pair(to, from)
		if err != nil {
			return patch.Patch{}, fmt.Errorf("comparing the workspace: %w", err)
		}
		if ok && !done[from] {
			done[to], done[from] = true, true
			pairs = append(pairs, pair)
		}
	}
	for p := range w.touched {
		if done[p] {
			continue
		}
		before, err := absent(w.base.Content(p))
		if err != nil {
			return patch.Patch{}, fmt.Errorf("comparing the workspace: %w", err)
		}
		after, err := absent(w.Content(p))
		if err != nil {
			return patch.Patch{}, fmt.Errorf("comparing the workspace: %w", err)
		}
		pairs = append(pairs, patch.Pair{Path: p, Before: before, After: after})
	}
	sort.Slice(pairs, func(i, j int) bool { return pairs[i].Path < pairs[j].Path })
	return patch.Diff(pairs)
}

// pair gives a rename, if it still is one: the old path was in the base and is away, the new one is there and was not.
func (w *Workspace) pair(to, from string) (patch.Pair, bool, error) {
	var c [4]*patch.Content
	for i, load := range []func() (*patch.Content, error){
		func() (*patch.Content, error) { return w.base.Content(from) },
		func() (*patch.Content, error) { return w.Content(to) },
		func() (*patch.Content, error) { return w.base.Content(to) },
		func() (*patch.Content, error) { return w.Content(from) },
	} {
		var err error
		if c[i], err = absent(load()); err != nil {
			return patch.Pair{}, false, err
		}
	}
	ok := from != to && c[0] != nil && c[1] != nil && c[2] == nil && c[3] == nil
	return patch.Pair{Path: to, OldPath: from, Before: c[0], After: c[1]}, ok, nil
}

// Restore brings the copy to the base changed by p, whatever Apply did before: to take up a stored session again. What
// test runs left in the copy stays.
func (w *Workspace) Restore(p patch.Patch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var back []file
	for path := range w.touched {
		before, err := absent(w.Content(path))
		if err != nil {
			return fmt.Errorf("restoring the workspace: %w", err)
		}
		after, err := absent(w.base.Content(path))
		if err != nil {
			return fmt.Errorf("restoring the workspace: %w", err)
		}
		back = append(back, file{path, before, after})
	}
	if err := w.write(back); err != nil {
		return fmt.Errorf("restoring the workspace: %w", err)
	}
	w.touched, w.renamed = map[string]bool{}, map[string]string{}
	if err := w.change(p); err != nil {
		return fmt.Errorf("restoring the workspace: %w", err)
	}
	return nil
}
