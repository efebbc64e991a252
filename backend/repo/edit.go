package repo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"

	"redgreen/backend/patch"
)

// change is one file of a patch held against what is there: nil is an absent file.
type change struct {
	path          string
	before, after *patch.Content
}

// plan holds a patch against the present state of a tree and gives what must be written, sorted by path. It refuses paths
// that may not be touched, and with ErrConflict files that are not what the patch was made for, all of them named.
func (t *tree) plan(p patch.Patch, apply func(f patch.File, before *patch.Content) (*patch.Content, error)) ([]change, error) {
	var (
		plan      []change
		conflicts []string
		seen      = map[string]bool{}
	)
	for _, f := range p.Files {
		changes, err := t.planFile(f, apply)
		var c *conflict
		switch {
		case errors.As(err, &c):
			conflicts = append(conflicts, c.why)
			continue
		case err != nil:
			return nil, err
		}
		for _, c := range changes {
			if seen[c.path] {
				return nil, fmt.Errorf("%s is named twice in one patch: %w", c.path, fs.ErrInvalid)
			}
			seen[c.path] = true
		}
		plan = append(plan, changes...)
	}
	if len(conflicts) > 0 {
		return nil, fmt.Errorf("%w the patch was made: %s; nothing was written: read these files again and make the change anew", ErrConflict, strings.Join(conflicts, "; "))
	}
	sort.Slice(plan, func(i, j int) bool { return plan[i].path < plan[j].path })
	return plan, t.planFolders(plan)
}

// conflict is a file that is not what a patch was made for.
type conflict struct{ path, why string }

func (c *conflict) Error() string { return c.why }

// planFile gives the one change of a file, or the two of a rename.
func (t *tree) planFile(f patch.File, apply func(patch.File, *patch.Content) (*patch.Content, error)) ([]change, error) {
	target, err := clean(f.Path)
	if err != nil {
		return nil, err
	}
	source := target
	if f.Status == patch.Renamed && f.OldPath != "" {
		if source, err = clean(f.OldPath); err != nil {
			return nil, err
		}
	}
	before, err := absent(t.Content(source))
	if err != nil {
		return nil, err
	}
	switch {
	case f.Status == patch.Added && before != nil:
		return nil, &conflict{target, target + " exists already"}
	case f.Status != patch.Added && before == nil:
		return nil, &conflict{source, source + " no longer exists"}
	}
	after, err := apply(f, before)
	if err != nil {
		var c *conflict
		if errors.As(err, &c) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if after != nil {
		if err := t.writable(target, after); err != nil {
			return nil, err
		}
	}
	if source == target {
		return []change{{target, before, after}}, nil
	}
	if there, err := absent(t.Content(target)); err != nil || there != nil {
		if err != nil {
			return nil, err
		}
		return nil, &conflict{target, target + " exists already"}
	}
	return []change{{source, before, nil}, {target, nil, after}}, nil
}

// writable judges what a patch would write by the rules of reading, so that it can be read again.
func (t *tree) writable(p string, c *patch.Content) error {
	if int64(len(c.Data)) > t.maxFile {
		return tooLarge(p, int64(len(c.Data)), t.maxFile)
	}
	return text(p, path.Base(p), c.Data)
}

// planFolders refuses a plan that needs a folder where a file stands or is made.
func (t *tree) planFolders(plan []change) error {
	for _, c := range plan {
		for dir := path.Dir(c.path); c.after != nil && dir != "."; dir = path.Dir(dir) {
			i, found := slices.BinarySearchFunc(plan, dir, func(c change, p string) int { return strings.Compare(c.path, p) })
			if found && (plan[i].before != nil || plan[i].after != nil) {
				return fmt.Errorf("%s is a file, so %s cannot be made below it: %w; choose another path", dir, c.path, fs.ErrInvalid)
			}
		}
		if c.before == nil {
			if err := t.free(c.path); err != nil {
				return err
			}
		}
	}
	return nil
}

// free checks that a new file can be made: nothing has its name, and all there is of its folders are folders.
func (t *tree) free(p string) error {
	for dir := p; dir != "."; dir = path.Dir(dir) {
		s, err := t.locate(dir, keep)
		if errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "is a file") {
			continue
		}
		if err != nil {
			return err
		}
		info := s.info
		s.close()
		switch {
		case info == nil:
			continue
		case dir == p:
			return &conflict{p, p + " exists already"}
		case !info.IsDir():
			return fmt.Errorf("%s is no folder, so %s cannot be made below it: %w; choose another path", dir, p, fs.ErrInvalid)
		}
		break
	}
	return nil
}

// exact applies a file's change to the very content that it was made for.
func exact(f patch.File, before *patch.Content) (*patch.Content, error) {
	if before != nil && f.Before != "" && patch.Hash(before.Data) != f.Before {
		return nil, &conflict{f.Path, f.Path + " has other content"}
	}
	after, err := patch.Apply(f, before)
	if err != nil || after == nil {
		return after, err
	}
	return withMode(f, before, after), nil
}

// withMode settles the permission bits of a changed file: the patch's where it changes them, else those there are.
func withMode(f patch.File, before, after *patch.Content) *patch.Content {
	mode := f.NewMode
	if before != nil && (f.OldMode == f.NewMode || f.NewMode == 0) {
		mode = before.Mode
	}
	if mode == 0 {
		mode = 0o644
	}
	return &patch.Content{Data: after.Data, Mode: mode & 0o777}
}

// Apply changes the copy by a patch made against its present state; all files or none. Path rules as Read; nothing is
// written through a symlink (ErrSymlink).
func (w *Workspace) Apply(p patch.Patch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	plan, err := w.plan(p, exact)
	if err != nil {
		return fmt.Errorf("changing the workspace: %w", err)
	}
	if err := w.write(plan); err != nil {
		return fmt.Errorf("changing the workspace: %w", w.orGone(err))
	}
	w.note(p)
	return nil
}

// note remembers what a patch touched.
func (w *Workspace) note(p patch.Patch) {
	for _, f := range p.Files {
		to := path.Clean(f.Path)
		w.touched[to] = true
		if f.Status != patch.Renamed || f.OldPath == "" {
			continue
		}
		from := path.Clean(f.OldPath)
		w.touched[from] = true
		origin := from
		if o, ok := w.renamed[from]; ok {
			origin = o
			delete(w.renamed, from)
		}
		w.renamed[to] = origin
	}
}

// write makes every change of a plan, and takes back what it made when one fails.
func (w *Workspace) write(plan []change) error {
	for i, c := range plan {
		if err := w.put(c.path, c.after); err != nil {
			for _, done := range slices.Backward(plan[:i]) {
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

// above are the folders above a path, the topmost first.
func above(p string) []string {
	var dirs []string
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
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
	var plan []change
	for path := range w.touched {
		before, err := absent(w.Content(path))
		if err != nil {
			return fmt.Errorf("restoring the workspace: %w", err)
		}
		after, err := absent(w.base.Content(path))
		if err != nil {
			return fmt.Errorf("restoring the workspace: %w", err)
		}
		plan = append(plan, change{path, before, after})
	}
	if err := w.write(plan); err != nil {
		return fmt.Errorf("restoring the workspace: %w", err)
	}
	w.touched, w.renamed = map[string]bool{}, map[string]string{}
	plan, err := w.plan(p, exact)
	if err != nil {
		return fmt.Errorf("restoring the workspace: %w", err)
	}
	if err := w.write(plan); err != nil {
		return fmt.Errorf("restoring the workspace: %w", err)
	}
	w.note(p)
	return nil
}
