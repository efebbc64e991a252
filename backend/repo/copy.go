package repo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	copyBuffer = 256 << 10 // bytes a worker reads at once: one read and one write for nearly every source file
	copyBatch  = 64        // files a worker takes at once, so that one big folder is shared out too
)

// CopyOptions configure NewWorkspace.
type CopyOptions struct {
	UID, GID int // owner of the copy, used when Chown is true
	Chown    bool
	Spare    string // absolute folder where Prepare keeps the next copy, in the filesystem of the copies; "" none
}

// record is what a copy keeps of one file, in the order of the tree hash.
type record struct {
	path string
	mode fs.FileMode // permission bits, and ModeSymlink
	sum  [sha256.Size]byte

	stamp stamp // of the source when it was looked at, before it was read
}

// target is one tree that a copy writes.
type target struct {
	dir   string
	owner CopyOptions
}

// path is where a path of the source is in the target.
func (t target) path(p string) string { return filepath.Join(t.dir, filepath.FromSlash(p)) }

// copier copies the files of a tree into one or more fresh directories in one pass: every file is read once. The targets
// are new and nobody else's, so they are written by plain paths; the source is only reached through its handles.
type copier struct {
	src     *tree
	targets []target
	gentle  bool        // one worker: something else is to be done meanwhile
	anew    int         // files that a refresh read
	plain   atomic.Bool // the filesystem cannot clone
	cloned  atomic.Bool // at least one file was cloned

	mu      sync.Mutex
	dirs    []keptDir
	records []record
	skipped []Skip
}

// batch is some files of one folder with that folder's handle, which its worker closes.
type batch struct {
	root    *os.Root
	entries []entry
}

// run copies everything that the walk finds. The workers end before it returns.
func (c *copier) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan batch, 16)
	var workers sync.WaitGroup
	n := min(4, max(2, runtime.NumCPU()))
	if c.gentle {
		n = 1
	}
	for range n {
		workers.Go(func() {
			buf := make([]byte, copyBuffer)
			for b := range work {
				if err := c.batch(ctx, b, buf); err != nil {
					cancel(err)
				}
				b.root.Close()
			}
		})
	}
	skipped, err := c.src.walk(ctx, func(v visit) error { return c.folder(ctx, v, work) })
	close(work)
	workers.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = cause // what a worker met, in place of the walk's "cancelled"
	}
	if err = cmp.Or(err, c.src.gone()); err != nil {
		return err
	}
	c.skipped = append(c.skipped, skipped...)
	c.sort()
	return nil
}

func (c *copier) sort() {
	slices.SortFunc(c.skipped, func(a, b Skip) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(c.records, func(a, b record) int { return cmp.Compare(a.path, b.path) })
}

// folder makes a folder in every target and hands its files to the workers.
func (c *copier) folder(ctx context.Context, v visit, work chan<- batch) error {
	if err := c.makeFolder(v.path, v.info.Mode().Perm(), v.path == "."); err != nil {
		return err
	}
	if v.path != "." {
		c.dirs = append(c.dirs, keptDir{v.path, uint32(v.info.Mode().Perm())})
	}
	for part := range slices.Chunk(v.entries, copyBatch) {
		h, err := v.root.OpenRoot(".")
		if err != nil {
			return fmt.Errorf("%s: %w", v.path, plain(err))
		}
		select {
		case work <- batch{h, part}:
		case <-ctx.Done():
			h.Close()
			return ctx.Err()
		}
	}
	return nil
}

// makeFolder makes a folder in every target, or sets the mode of one that is there. The root of a copy keeps its own.
func (c *copier) makeFolder(path string, mode fs.FileMode, there bool) error {
	for _, t := range c.targets {
		dir := t.path(path)
		if !there {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return writing(dir, err)
			}
		}
		if path != "." {
			if err := os.Chmod(dir, mode|0o700); err != nil {
				return writing(dir, err)
			}
		}
		if err := t.own(dir); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) batch(ctx context.Context, b batch, buf []byte) error {
	records := make([]record, 0, len(b.entries))
	for _, e := range b.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		rec, ok, err := c.one(ctx, b.root, e, buf)
		if err != nil {
			return err
		}
		if ok {
			records = append(records, rec)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records = append(c.records, records...)
	return nil
}

// one copies a file or symlink.
func (c *copier) one(ctx context.Context, d *os.Root, e entry, buf []byte) (rec record, ok bool, err error) {
	if e.info.Mode()&fs.ModeSymlink != 0 {
		return c.link(d, e)
	}
	return c.file(ctx, d, e, buf)
}

// link makes a symlink again, unless it leads outside or to a secret.
func (c *copier) link(d *os.Root, e entry) (record, bool, error) {
	to, err := d.Readlink(e.name)
	if err != nil {
		return record{}, false, c.skip(e.path, err)
	}
	s, err := c.src.locate(e.path, follow)
	switch {
	case err == nil:
		s.close()
	case errors.Is(err, fs.ErrNotExist): // it may lead to something ignored or not made yet
	case errors.Is(err, ErrSecret):
		return record{}, false, nil
	default:
		return record{}, false, c.skip(e.path, err)
	}
	for _, t := range c.targets {
		name := t.path(e.path)
		if err := os.Symlink(to, name); err != nil {
			return record{}, false, writing(name, err)
		}
		if err := t.own(name); err != nil {
			return record{}, false, err
		}
	}
	return record{path: e.path, mode: fs.ModeSymlink, sum: sha256.Sum256([]byte(to))}, true, nil
}

// file copies one regular file, unless its content is a secret.
func (c *copier) file(ctx context.Context, d *os.Root, e entry, buf []byte) (record, bool, error) {
	src, err := openFile(d, e.name, e.info)
	if err != nil {
		return record{}, false, c.skip(e.path, err)
	}
	defer src.Close()
	n, err := io.ReadFull(src, buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return record{}, false, c.skip(e.path, err)
	}
	first := buf[:n]
	if secretContent(e.name, first[:min(n, headSize)]) != "" {
		return record{}, false, nil
	}
	info, err := src.Stat()
	if err != nil {
		return record{}, false, c.skip(e.path, err)
	}
	rec := record{path: e.path, mode: info.Mode().Perm(), stamp: stampOf(e.info)}
	out := make([]*os.File, 0, len(c.targets))
	defer func() {
		for _, f := range out {
			f.Close()
		}
	}()
	for _, t := range c.targets {
		f, err := t.create(e.path)
		if err != nil {
			return record{}, false, err
		}
		out = append(out, f)
	}
	sum := sha256.New()
	if c.clone(src, out) {
		err = hashFile(ctx, sum, out[0], buf)
	} else {
		err = pour(ctx, sum, out, src, first, buf)
	}
	if err != nil {
		return record{}, false, err
	}
	sum.Sum(rec.sum[:0])
	for i, t := range c.targets {
		if err := t.finish(out[i], e.path, info); err != nil {
			return record{}, false, err
		}
	}
	return rec, true, nil
}

// clone shares the blocks of src with every target, where the filesystem can; targets are empty where it cannot.
func (c *copier) clone(src *os.File, out []*os.File) bool {
	if c.plain.Load() {
		return false
	}
	for i, f := range out {
		if i > 0 {
			src = out[0] // so that all targets hold the same moment
		}
		if err := cloneFile(f, src); err != nil {
			c.plain.Store(true)
			if i > 0 {
				_ = out[0].Truncate(0) // all targets are in one filesystem, so this is a clone that a full disk refused
			}
			return false
		}
	}
	c.cloned.Store(true)
	return true
}

// hashFile hashes a whole file from its start.
func hashFile(ctx context.Context, sum hash.Hash, f *os.File, buf []byte) error {
	for off := int64(0); ; {
		n, err := f.ReadAt(buf, off)
		sum.Write(buf[:n])
		off += int64(n)
		if err == io.EOF {
			return nil
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
}

// pour writes what was read first and the rest of src to all targets and the hash.
func pour(ctx context.Context, sum hash.Hash, out []*os.File, src *os.File, first, buf []byte) error {
	for part := first; ; {
		sum.Write(part)
		for _, f := range out {
			if _, err := f.Write(part); err != nil {
				return writing(f.Name(), err)
			}
		}
		if len(part) < len(buf) {
			return nil
		}
		n, err := io.ReadFull(src, buf)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return fmt.Errorf("reading %s: %w", src.Name(), plain(err))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		part = buf[:n]
	}
}

// skip leaves out a file that cannot be read, with the reason; one that was deleted meanwhile silently. A folder that
// vanished as a whole is an error, and so is a failing disk.
func (c *copier) skip(path string, err error) error {
	if g := c.src.gone(); g != nil {
		return g
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, ErrOutside) && !errors.Is(err, ErrSymlink) && !errors.Is(err, fs.ErrInvalid) {
		return fmt.Errorf("reading %s: %w", path, plain(err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skipped = append(c.skipped, Skip{path, plain(err).Error()})
	return nil
}

// create makes a file that must not exist.
func (t target) create(path string) (*os.File, error) {
	name := t.path(path)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, writing(name, err)
	}
	return f, nil
}

// finish gives the file its mode, its owner and its time: build tools compare times.
func (t target) finish(f *os.File, path string, info fs.FileInfo) error {
	if t.owner.Chown {
		if err := f.Chown(t.owner.UID, t.owner.GID); err != nil {
			return writing(f.Name(), err)
		}
	}
	if err := f.Chmod(info.Mode().Perm()); err != nil {
		return writing(f.Name(), err)
	}
	if err := os.Chtimes(f.Name(), time.Time{}, info.ModTime()); err != nil {
		return writing(f.Name(), err)
	}
	return nil
}

// own gives a folder or symlink to the owner.
func (t target) own(name string) error {
	if !t.owner.Chown {
		return nil
	}
	if err := os.Lchown(name, t.owner.UID, t.owner.GID); err != nil {
		return writing(name, err)
	}
	return nil
}

// writing names the file and the reason of a failed write, with what to do about it.
func writing(name string, err error) error {
	return fmt.Errorf("writing %s: %w", name, advise(err))
}
