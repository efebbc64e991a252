package repo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"redgreen/backend/patch"
)

// Workspace is a disposable copy of the folder; edits land here. Safe for concurrent use.
//
// Beside the copy stands a second one, dir + ".base", that nobody but this package sees: tests may leave anything in the
// working copy, and the person may change the folder, and still Base, Patch and Pristine know what was copied. Where the
// filesystem clones, the second copy costs next to nothing.
type Workspace struct {
	*tree
	base  *base
	owner CopyOptions

	mu      sync.Mutex
	touched map[string]bool   // paths that Apply changed
	renamed map[string]string // new path → path in the base
}

// base is the untouched copy, shared by a workspace and its pristine copies; the last one removes it.
type base struct {
	*tree
	store   store
	records []record // sorted by path
	hash    string
	skipped []Skip
	way     Way
	anew    int // files read anew by a kept copy

	mu    sync.Mutex
	users int
}

// NewWorkspace copies what the walk finds (binary and large files too, modes and times kept, empty folders too) into dir,
// which must not exist. Symlinks that stay inside are made again; others, and files whose content is a secret, are left
// out. Never hard links. On failure or cancellation nothing is left behind.
func (r *Repo) NewWorkspace(ctx context.Context, dir string, o CopyOptions) (w *Workspace, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("copying %s into a workspace: %w", r.dir, err)
		}
	}()
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if within(r.dir, dir) || within(dir, r.dir) {
		return nil, fmt.Errorf("%s: %w: a workspace must be outside the folder", dir, fs.ErrInvalid)
	}
	side := dir + ".base"
	c, way, err := r.fill(ctx, dir, side, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeAll(dir), removeAll(side))
		}
	}()
	opts := Options{MaxFile: r.maxFile, MaxFiles: r.maxFiles}
	t, err := openTree(side, opts)
	if err != nil {
		return nil, err
	}
	known := &metadata{rules: r.vcs.exclude(), set: r.vcs.tracked()}
	t.vcs = known
	b := &base{tree: t, store: r.store, records: c.records, hash: treeHash(c.records, nil), skipped: c.skipped, way: way, anew: c.anew}
	if w, err = b.open(dir, o); err != nil {
		t.close()
	}
	return w, err
}

// fill makes both trees of a workspace, from the spare where there is one. A failure leaves nothing.
func (r *Repo) fill(ctx context.Context, dir, side string, o CopyOptions) (c *copier, way Way, err error) {
	if c, err = r.takeSpare(ctx, dir, side, o); err != nil || c != nil {
		return c, KeptCopy, err
	}
	var made []string
	defer func() {
		for _, d := range made {
			if err != nil {
				err = errors.Join(err, removeAll(d))
			}
		}
	}()
	if err := fresh(dir, 0o755); err != nil {
		return nil, "", err
	}
	made = append(made, dir)
	if err := fresh(side, 0o700); err != nil { // nobody but us looks into it
		return nil, "", err
	}
	made = append(made, side)
	c = &copier{src: r.tree, targets: []target{{dir: side}, {dir: dir, owner: o}}}
	if err := c.run(ctx); err != nil {
		return nil, "", err
	}
	if c.cloned.Load() {
		return c, Clone, nil
	}
	return c, PlainCopy, nil
}

// open makes the workspace over a working copy that is complete.
func (b *base) open(dir string, o CopyOptions) (*Workspace, error) {
	t, err := openTree(dir, Options{MaxFile: b.maxFile, MaxFiles: b.maxFiles})
	if err != nil {
		return nil, err
	}
	t.vcs = b.vcs
	b.mu.Lock()
	b.users++
	b.mu.Unlock()
	return &Workspace{tree: t, base: b, owner: o, touched: map[string]bool{}, renamed: map[string]string{}}, nil
}

// within reports whether p is dir or below it.
func within(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// fresh makes a directory that must not exist, with its parents.
func fresh(dir string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return writing(filepath.Dir(dir), err)
	}
	if err := os.Mkdir(dir, mode); err != nil {
		return writing(dir, err)
	}
	if err := os.Chmod(dir, mode); err != nil { // whatever the umask
		return writing(dir, err)
	}
	return nil
}

// Dir is the absolute path of the copy.
func (w *Workspace) Dir() string { return w.dir }

// BaseHash identifies the tree as it was copied: hex SHA-256 over the sorted paths, modes and content hashes.
func (w *Workspace) BaseHash() string { return w.base.hash }

// Skipped are the files of the folder that could not be copied, sorted by path, with the reason: unreadable ones, and
// symlinks that leave the folder.
func (w *Workspace) Skipped() []Skip { return slices.Clone(w.base.skipped) }

// Way is how a workspace came to be.
type Way string

// The ways. Never hard links: they would share later edits.
const (
	Clone     Way = "clone"     // the filesystem shares the blocks (copy on write)
	KeptCopy  Way = "kept_copy" // made before the task, and what changed since was copied again
	PlainCopy Way = "copy"      // every byte was copied
)

// Way says how the copy was made, and for a kept one how many files had to be read again.
func (w *Workspace) Way() (way Way, anew int) { return w.base.way, w.base.anew }

// Hash identifies the tree as it is now. Only files that Apply touched are read again: what a test run left in the copy
// is no part of it.
func (w *Workspace) Hash() (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.touched) == 0 {
		return w.base.hash, nil
	}
	now := make(map[string]*record, len(w.touched))
	for path := range w.touched {
		c, err := absent(w.Content(path))
		if err != nil {
			return "", fmt.Errorf("hashing the workspace: %w", err)
		}
		now[path] = nil
		if c != nil {
			now[path] = &record{path: path, mode: fs.FileMode(c.Mode), sum: sha256.Sum256(c.Data)}
		}
	}
	return treeHash(w.base.records, now), nil
}

// treeHash hashes records, sorted by path, with some replaced, added, or (nil) removed.
func treeHash(records []record, now map[string]*record) string {
	added := make([]record, 0, len(now))
	for path, rec := range now {
		if _, found := find(records, path); !found && rec != nil {
			added = append(added, *rec)
		}
	}
	if len(added) > 0 {
		records = append(slices.Clone(records), added...)
		slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.path, b.path) })
	}
	sum := sha256.New()
	for _, rec := range records {
		if n, ok := now[rec.path]; ok {
			if n == nil {
				continue
			}
			rec = *n
		}
		fmt.Fprintf(sum, "%o %x %s\x00", uint32(rec.mode.Perm())|linkBit(rec.mode), rec.sum, rec.path)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// linkBit marks a symlink in the tree hash, as git's mode 120000 does.
func linkBit(m fs.FileMode) uint32 {
	if m&fs.ModeSymlink != 0 {
		return 0o120000
	}
	return 0
}

func find(records []record, path string) (int, bool) {
	return slices.BinarySearchFunc(records, path, func(r record, p string) int { return cmp.Compare(r.path, p) })
}

// absent turns fs.ErrNotExist into a nil content.
func absent(c *patch.Content, err error) (*patch.Content, error) {
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrGone) {
		return nil, nil
	}
	return c, err
}

// Base gives a file as it was copied; fs.ErrNotExist where it did not exist.
func (w *Workspace) Base(path string) (*patch.Content, error) { return w.base.Content(path) }

// Pristine makes a second copy, as the base was, in dir (for the baseline of a proof). It needs neither the working copy
// nor the person's folder, whatever happened to them.
func (w *Workspace) Pristine(ctx context.Context, dir string) (p *Workspace, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("making a pristine workspace: %w", err)
		}
	}()
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := fresh(dir, 0o755); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeAll(dir))
		}
	}()
	c := &copier{src: w.base.tree, targets: []target{{dir: dir, owner: w.owner}}}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	if h := treeHash(c.records, nil); h != w.base.hash {
		return nil, fmt.Errorf("%w: the kept base in %s is no longer what was copied; start the task again", ErrConflict, w.base.dir)
	}
	return w.base.open(dir, w.owner)
}

// Close removes the copy, and the base with the last one made from it.
func (w *Workspace) Close() error {
	w.close()
	err := removeAll(w.dir)
	b := w.base
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users--; b.users == 0 {
		b.close()
		err = cmp.Or(err, removeAll(b.dir))
	}
	if err != nil {
		return fmt.Errorf("removing the workspace: %w", err)
	}
	return nil
}

// Keep copies the working copy to dir, which must not exist: files, folders and symlinks with their modes, not the copy of the
// base beside it. What it made is removed when it fails.
func (w *Workspace) Keep(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("keeping the working copy: %s exists; name a folder that does not", dir)
	}
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		return errors.Join(fmt.Errorf("keeping the working copy in %s: %w", dir, err), removeAll(dir))
	}
	return nil
}

// removeAll removes a tree, also one in which tests took away the permission to do so.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() || d != nil && d.IsDir() && p == dir {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
