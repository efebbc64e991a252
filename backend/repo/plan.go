package repo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"redgreen/backend/patch"
)

// change is one file of a patch held against what is there. from is "" for a new file, to is "" for a deleted one, and
// where both differ the file is renamed. before and after are equal where the file has the change already.
type change struct {
	from, to      string
	before, after *patch.Content
}

// none reports a change that is there already.
func (c change) none() bool {
	return c.from == c.to && sameContent(c.before, c.after)
}

func sameContent(a, b *patch.Content) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Mode == b.Mode && string(a.Data) == string(b.Data)
}

// file is what is to be written at one path; nil is an absent file.
type file struct {
	path          string
	before, after *patch.Content
}

// files gives what a plan writes, sorted by path: a rename is a file that goes and one that comes.
func files(plan []change) []file {
	var list []file
	for _, c := range plan {
		switch {
		case c.none():
		case c.from == c.to:
			list = append(list, file{c.to, c.before, c.after})
		default:
			if c.from != "" {
				list = append(list, file{c.from, c.before, nil})
			}
			if c.to != "" {
				list = append(list, file{c.to, nil, c.after})
			}
		}
	}
	slices.SortFunc(list, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	return list
}

// conflict is a file that is not what a patch was made for, with what is there instead.
type conflict struct{ path, why string }

func (c *conflict) Error() string { return c.path + " " + c.why }

// fitter gives the content of a file after its change, or *conflict. before is nil where the file is absent.
type fitter func(f patch.File, before *patch.Content) (*patch.Content, error)

// plan holds a patch against the present state of a tree and gives what must be changed. It refuses paths that may not be
// touched, and with ErrConflict files that are not what the patch was made for, all of them named.
func (t *tree) plan(p patch.Patch, fit fitter) ([]change, error) {
	var (
		plan      []change
		conflicts []string
		seen      = map[string]bool{}
	)
	for _, f := range p.Files {
		ch, err := t.planFile(f, fit)
		var c *conflict
		switch {
		case errors.As(err, &c):
			conflicts = append(conflicts, c.Error())
			continue
		case err != nil:
			return nil, err
		}
		for _, name := range slices.Compact([]string{ch.from, ch.to}) {
			if seen[name] {
				return nil, fmt.Errorf("%s is named twice in one patch: %w", name, fs.ErrInvalid)
			}
			seen[name] = name != ""
		}
		plan = append(plan, ch)
	}
	if len(conflicts) > 0 {
		return nil, conflicted(conflicts)
	}
	return plan, t.planFolders(files(plan))
}

func conflicted(list []string) error {
	return fmt.Errorf("%w the change was made: %s; nothing was written: look at these files and make the change anew", ErrConflict, strings.Join(list, "; "))
}

// planFile holds the change of one file against what is there.
func (t *tree) planFile(f patch.File, fit fitter) (change, error) {
	target, err := clean(f.Path)
	if err != nil {
		return change{}, err
	}
	source := target
	if f.Status == patch.Renamed && f.OldPath != "" {
		if source, err = clean(f.OldPath); err != nil {
			return change{}, err
		}
	}
	c := change{from: source, to: target}
	if c.before, err = absent(t.Content(source)); err != nil {
		return change{}, err
	}
	if c.after, err = fit(f, c.before); err != nil {
		return change{}, err
	}
	if c.before == nil {
		c.from = ""
	}
	if c.after == nil {
		c.to = ""
		return c, nil
	}
	if source != target {
		if there, err := absent(t.Content(target)); err != nil {
			return change{}, err
		} else if there != nil {
			return change{}, &conflict{target, "exists already"}
		}
	}
	return c, t.writable(target, c.after)
}

// writable judges what a patch would write by the rules of reading, so that it can be read again.
func (t *tree) writable(p string, c *patch.Content) error {
	if int64(len(c.Data)) > t.maxFile {
		return tooLarge(p, int64(len(c.Data)), t.maxFile)
	}
	return text(p, path.Base(p), c.Data)
}

// planFolders refuses what needs a folder where a file stands or is made.
func (t *tree) planFolders(list []file) error {
	byPath := func(f file, p string) int { return cmp.Compare(f.path, p) }
	for _, f := range list {
		if f.after == nil {
			continue
		}
		for _, dir := range above(f.path) {
			if _, found := slices.BinarySearchFunc(list, dir, byPath); found {
				return underFile(dir, f.path)
			}
		}
		if f.before == nil {
			if err := t.free(f.path); err != nil {
				return err
			}
		}
	}
	return nil
}

func underFile(dir, p string) error {
	return fmt.Errorf("%s is a file, so %s cannot be made below it: %w; choose another path", dir, p, fs.ErrInvalid)
}

// free checks that a new file can be made: the folders above are folders or absent, and nothing has its name.
func (t *tree) free(p string) error {
	for _, dir := range append(above(p), p) {
		s, err := t.locate(dir, keep)
		if err != nil {
			return err
		}
		info := s.info
		s.close()
		switch {
		case info == nil:
			return nil
		case dir == p:
			return conflicted([]string{p + " exists already"})
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%w: %s is a symlink, and nothing is written through one; choose another path", ErrSymlink, dir)
		case !info.IsDir():
			return underFile(dir, p)
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

// exact applies a file's change to the very content that it was made for.
func exact(f patch.File, before *patch.Content) (*patch.Content, error) {
	switch {
	case f.Status == patch.Added && before != nil:
		return nil, &conflict{f.Path, "exists already"}
	case f.Status != patch.Added && before == nil:
		return nil, &conflict{cmp.Or(f.OldPath, f.Path), "no longer exists"}
	case before != nil && patch.Hash(before.Data) != f.Before:
		return nil, &conflict{cmp.Or(f.OldPath, f.Path), "has other content"}
	}
	return applied(f, before, before)
}

// applied gives a file's content after the change, made on base, with the permission bits settled: the patch's where it
// changes them, else those of the file that is there.
func applied(f patch.File, base, there *patch.Content) (*patch.Content, error) {
	after, err := patch.Apply(f, base)
	if err != nil || after == nil {
		return nil, err
	}
	mode := f.NewMode
	if there != nil && (f.OldMode == f.NewMode || mode == 0) {
		mode = there.Mode
	}
	return &patch.Content{Data: after.Data, Mode: cmp.Or(mode, 0o644) & 0o777}, nil
}
