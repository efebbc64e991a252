package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// File is one file of the walk. Path is slash-separated and relative.
type File struct {
	Path    string    `json:"path"`
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
	Mode    uint32    `json:"mode"` // permission bits
}

// Skip is something that a walk or a copy left out although no rule says so, with the reason.
type Skip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Files walks the folder honouring .gitignore files (nested too), .git/info/exclude and, as git does, that a tracked file
// is never ignored. It leaves out .git, secrets, symlinks (their target is listed where it is inside), and what is
// neither file nor folder. It does not read contents, so binary files are in it; sorted by path.
func (t *tree) Files(ctx context.Context) ([]File, error) {
	var files []File
	_, err := t.walk(ctx, func(d visit) error {
		for _, e := range d.entries {
			if e.info.Mode().IsRegular() {
				files = append(files, File{e.path, e.info.Size(), e.info.ModTime(), uint32(e.info.Mode().Perm())})
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", t.dir, err)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// entry is a regular file or a symlink that the walk keeps.
type entry struct {
	path string
	name string
	info fs.FileInfo
}

// visit is one folder of the walk, given before the folders below it. root is open only during the visit.
type visit struct {
	root    *os.Root
	path    string // "." for the root
	info    fs.FileInfo
	entries []entry
}

// walker is one walk under way.
type walker struct {
	ctx     context.Context
	t       *tree
	visit   func(visit) error
	left    int // files that may still come
	tracked func() map[string]bool
	skipped []Skip
}

// walk gives every folder that is kept, with its files, in one pass; it does not enter what is left out.
func (t *tree) walk(ctx context.Context, do func(visit) error) ([]Skip, error) {
	w := &walker{ctx: ctx, t: t, visit: do, left: t.maxFiles, tracked: sync.OnceValue(t.vcs.tracked)}
	err := t.gone()
	if err == nil {
		err = w.folder(t.root, nil, t.id, t.vcs.exclude(), false)
	}
	if err == nil || !errors.Is(err, ErrGone) && ctx.Err() == nil {
		err = cmp.Or(t.gone(), err) // an emptied folder looks like an empty one
	}
	return w.skipped, err
}

// folder walks one directory. trackedOnly is true below an ignored folder that holds tracked files.
func (w *walker) folder(d *os.Root, names []string, info fs.FileInfo, stack []rules, trackedOnly bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	list, err := readDir(d)
	if err != nil {
		return w.skip(names, err)
	}
	if own, ok := ignoreFile(d, len(names), list); ok {
		stack = append(slices.Clip(stack), own)
	}
	v := visit{root: d, path: join(names, ""), info: info}
	var below []deeper
	for i, de := range list {
		if i%256 == 255 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		name := de.Name()
		if !w.wanted(d, names, de) {
			continue
		}
		path := append(slices.Clip(names), name)
		joined := name
		if len(names) > 0 {
			joined = v.path + "/" + name
		}
		only := trackedOnly
		if only || ignored(stack, path, de.IsDir()) {
			if above, ok := w.tracked()[joined]; !ok || above != de.IsDir() {
				continue
			}
			only = true
		}
		fi, err := d.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // deleted since the folder was read
		case err != nil:
			if err := w.skip(path, plain(err)); err != nil {
				return err
			}
		case fi.IsDir():
			below = append(below, deeper{path, fi, only})
		case fi.Mode().IsRegular() || fi.Mode()&fs.ModeSymlink != 0:
			if w.left--; w.left < 0 {
				return fmt.Errorf("%w: the folder holds more than %d files; open a smaller folder or name what is generated in .gitignore", ErrTooLarge, w.t.maxFiles)
			}
			v.entries = append(v.entries, entry{joined, name, fi})
		}
	}
	if err := w.visit(v); err != nil {
		return err
	}
	for _, b := range below {
		if err := w.deeper(d, b, stack); err != nil {
			return err
		}
	}
	return nil
}

// deeper is a folder still to be entered.
type deeper struct {
	names []string
	info  fs.FileInfo
	only  bool
}

func (w *walker) deeper(d *os.Root, b deeper, stack []rules) error {
	if len(b.names) > maxDepth {
		return w.skip(b.names, errors.New("nested too deeply"))
	}
	h, err := openDir(d, b.names[len(b.names)-1], b.info)
	if err != nil {
		return w.skip(b.names, err)
	}
	defer h.Close()
	return w.folder(h, b.names, b.info, stack, b.only)
}

// wanted judges an entry by its kind and its name alone.
func (w *walker) wanted(d *os.Root, names []string, de fs.DirEntry) bool {
	name := de.Name()
	if t := de.Type(); t != 0 && t != fs.ModeDir && t != fs.ModeSymlink || isVCS(name) {
		return false
	}
	above := ""
	if len(names) > 0 {
		above = fold(names[len(names)-1])
	}
	if secretName(above, fold(name)) != "" {
		return false
	}
	return de.Type() != 0 || !tokenFile(name) || secretContent(name, head(d, name)) == ""
}

// skip notes what could not be read and goes on; at the root, or where the disk itself fails, it ends the walk.
func (w *walker) skip(names []string, err error) error {
	if g := w.t.gone(); g != nil {
		return g
	}
	if len(names) == 0 {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // deleted since the folder above was read
	}
	if !errors.Is(err, fs.ErrPermission) && len(names) <= maxDepth {
		return fmt.Errorf("%s: %w", join(names, ""), err)
	}
	w.skipped = append(w.skipped, Skip{join(names, ""), err.Error()})
	return nil
}

// readDir lists a directory by its handle.
func readDir(d *os.Root) ([]fs.DirEntry, error) {
	f, err := d.Open(".")
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return nil, plain(err)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// ignoreFile reads a folder's .gitignore. As git does, it follows no symlink to it.
func ignoreFile(d *os.Root, at int, list []fs.DirEntry) (rules, bool) {
	_, found := slices.BinarySearchFunc(list, ".gitignore", func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
	if !found {
		return rules{}, false
	}
	return parseIgnore(begin(d, ".gitignore", maxIgnore), at), true
}

// head reads the beginning of a regular file, nil where that is not possible.
func head(d *os.Root, name string) []byte { return begin(d, name, headSize) }

func begin(d *os.Root, name string, limit int64) []byte {
	fi, err := d.Lstat(name)
	if err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	f, err := openFile(d, name, fi)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil
	}
	return data
}
