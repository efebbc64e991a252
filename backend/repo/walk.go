package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	files, err := t.files(ctx)
	if err != nil {
		return nil, err
	}
	return files, nil
}

// FilesWithin lists as Files does, but only what it comes to in a time; more says that this is not all.
func (t *tree) FilesWithin(ctx context.Context, most time.Duration) (files []File, more bool, err error) {
	part, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	files, err = t.files(part)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return files, true, nil
	}
	return files, false, err
}

// files gives what was listed until an error too.
func (t *tree) files(ctx context.Context) ([]File, error) {
	var mu sync.Mutex
	var files []File
	_, err := t.walkOn(ctx, runtime.GOMAXPROCS(0), func(d visit) error {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range d.entries {
			if e.info.Mode().IsRegular() {
				files = append(files, File{e.path, e.info.Size(), e.info.ModTime(), uint32(e.info.Mode().Perm())})
			}
		}
		return nil
	})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if err != nil {
		return files, fmt.Errorf("listing %s: %w", t.dir, err)
	}
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
	left    atomic.Int64  // files that may still come
	others  chan struct{} // one in it for each core beyond the first that walks a folder
	tracked func() map[string]bool

	mu      sync.Mutex
	skipped []Skip
}

// walk gives every folder that is kept, with its files, in one pass; it does not enter what is left out.
func (t *tree) walk(ctx context.Context, do func(visit) error) ([]Skip, error) {
	return t.walkOn(ctx, 1, do)
}

// walkOn is walk on several cores: do is called by several at a time, and the folders come in no order but that one comes
// before those below it.
func (t *tree) walkOn(ctx context.Context, cores int, do func(visit) error) ([]Skip, error) {
	w := &walker{ctx: ctx, t: t, visit: do, others: make(chan struct{}, cores-1), tracked: sync.OnceValue(t.vcs.tracked)}
	w.left.Store(int64(t.maxFiles))
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
	for i, name := range list {
		if i%256 == 255 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if !w.named(names, name) {
			continue
		}
		path := append(slices.Clip(names), name)
		joined := name
		if len(names) > 0 {
			joined = v.path + "/" + name
		}
		fi, err := d.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted since the folder was read
		}
		if err != nil {
			if err := w.skip(path, plain(err)); err != nil {
				return err
			}
			continue
		}
		only := trackedOnly
		if only || ignored(stack, path, fi.IsDir()) {
			if above, ok := w.tracked()[joined]; !ok || above != fi.IsDir() {
				continue
			}
			only = true
		}
		switch {
		case fi.IsDir():
			below = append(below, deeper{path, fi, only})
		case fi.Mode()&fs.ModeSymlink != 0 || fi.Mode().IsRegular() && !secretFile(d, name):
			if w.left.Add(-1) < 0 {
				return fmt.Errorf("%w: the folder holds more than %d files; open a smaller folder or name what is generated in .gitignore", ErrTooLarge, w.t.maxFiles)
			}
			v.entries = append(v.entries, entry{joined, name, fi})
		}
	}
	if err := w.visit(v); err != nil {
		return err
	}
	return w.all(d, below, stack)
}

// all enters folders, some of them on other cores while those are free. It returns when all have been walked, as d may be
// closed then.
func (w *walker) all(d *os.Root, below []deeper, stack []rules) (err error) {
	var wg sync.WaitGroup
	errs := make([]error, len(below))
	for i, b := range below {
		select {
		case w.others <- struct{}{}:
			wg.Go(func() {
				errs[i] = w.deeper(d, b, stack)
				<-w.others
			})
		default:
			err = w.deeper(d, b, stack)
		}
		if err != nil {
			break
		}
	}
	wg.Wait()
	return cmp.Or(err, cmp.Or(errs...))
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

// named judges an entry by its name alone: it is no version control's own and no secret.
func (w *walker) named(names []string, name string) bool {
	if isVCS(name) {
		return false
	}
	above := ""
	if len(names) > 0 {
		above = fold(names[len(names)-1])
	}
	return secretName(above, fold(name)) == ""
}

// secretFile judges a regular file by what it begins with, where its name calls for that.
func secretFile(d *os.Root, name string) bool {
	return tokenFile(name) && secretContent(name, head(d, name)) != ""
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
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skipped = append(w.skipped, Skip{join(names, ""), err.Error()})
	return nil
}

// readDir lists the names in a directory by its handle. It asks for names only: os looks at each file for more.
func readDir(d *os.Root) ([]string, error) {
	f, err := d.Open(".")
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	list, err := f.Readdirnames(-1)
	if err != nil {
		return nil, plain(err)
	}
	slices.Sort(list)
	return list, nil
}

// ignoreFile reads a folder's .gitignore. As git does, it follows no symlink to it.
func ignoreFile(d *os.Root, at int, list []string) (rules, bool) {
	if _, found := slices.BinarySearch(list, ".gitignore"); !found {
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
