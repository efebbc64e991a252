//go:build unix

package repo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// A spare is a workspace that lies ready for the next task, made while nothing waits for it: where the filesystem cannot
// clone, copying a large folder takes seconds, and looking which of its files changed since takes a fraction of one. It
// belongs to one task from the moment it is taken, so nothing is ever shared.
const (
	spareFiles = 1000                // a folder with fewer files is copied as fast
	spareBytes = 2 << 30             // a larger folder would take too much of the disk twice
	spareAge   = 30 * 24 * time.Hour // after which a spare that nobody took is removed
)

// clonesName stands in place of a spare where the filesystem clones.
const clonesName = "clones"

// racy is how much older than the copy a file must be for its times to tell a later change. Filesystems stamp by a clock
// that stands still for up to 10 ms, FAT for 2 s (the rule is git's, for its index).
const racy = 3 * time.Second

// stamp is what tells that a file was not written since: nobody can set the time of change.
type stamp struct {
	size, mtime, ctime int64
	ino                uint64
}

func stampOf(fi fs.FileInfo) stamp {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{fi.Size(), fi.ModTime().UnixNano(), ctime(st), st.Ino}
}

// settled reports a stamp that tells every change after the moment, in Unix nanoseconds.
func (s stamp) settled(moment int64) bool {
	return s != (stamp{}) && max(s.mtime, s.ctime) < moment-int64(racy)
}

// manifest is what a spare holds, beside its two trees.
type manifest struct {
	Root  string
	Time  int64 // Unix nanoseconds when the copy began
	Owner CopyOptions
	Dirs  []keptDir
	Files []keptFile
}

type keptDir struct {
	Path string
	Mode uint32
}

type keptFile struct {
	Path               string
	Mode               uint32
	Sum                []byte
	Size, MTime, CTime int64
	Ino                uint64
}

// spareOf is the folder of a repository's spare in dir.
func (r *Repo) spareOf(dir string) string {
	sum := sha256.Sum256([]byte(r.dir))
	return filepath.Join(dir, hex.EncodeToString(sum[:8]))
}

// lockSpare takes the lock of a spare; ErrBusy where another has it.
func lockSpare(spare string) (unlock func(), err error) {
	if err := os.MkdirAll(spare+".lock", 0o700); err != nil {
		return nil, writing(spare, err)
	}
	return tryLock(spare + ".lock")
}

// Prepare makes a spare in o.Spare, if the folder is one for which that saves time and none is there. It takes as long as
// two copies; cancelled or failing it leaves nothing.
func (r *Repo) Prepare(ctx context.Context, o CopyOptions) error {
	if err := r.prepareSpare(ctx, o); err != nil && !errors.Is(err, ErrBusy) {
		return fmt.Errorf("preparing the next copy of %s: %w", r.dir, err)
	}
	return nil
}

func (r *Repo) prepareSpare(ctx context.Context, o CopyOptions) error {
	if o.Spare == "" {
		return nil
	}
	spare := r.spareOf(o.Spare)
	unlock, err := lockSpare(spare)
	if err != nil {
		return err
	}
	defer unlock()
	pruneSpares(o.Spare)
	if m, err := readManifest(spare); err == nil && m.fits(r, o) {
		return nil
	}
	if exists(filepath.Join(spare, clonesName)) {
		return nil
	}
	if err := removeAll(spare); err != nil {
		return err
	}
	if worth, err := r.worthSpare(ctx); err != nil || !worth {
		return err
	}
	fresh := spare + ".new"
	if err := removeAll(fresh); err != nil {
		return err
	}
	err = r.fillSpare(ctx, fresh, o)
	if err == nil {
		err = os.Rename(fresh, spare)
	}
	if err != nil {
		return errors.Join(err, removeAll(fresh))
	}
	return nil
}

// worthSpare judges the folder by its size.
func (r *Repo) worthSpare(ctx context.Context) (bool, error) {
	files, err := r.Files(ctx)
	if err != nil {
		return false, err
	}
	bytes := int64(0)
	for _, f := range files {
		bytes += f.Size
	}
	return len(files) >= r.minSpare && bytes <= spareBytes, nil
}

func (r *Repo) fillSpare(ctx context.Context, dir string, o CopyOptions) error {
	work, side := filepath.Join(dir, "work"), filepath.Join(dir, "work.base")
	if err := fresh(work, 0o755); err != nil {
		return err
	}
	if err := fresh(side, 0o700); err != nil {
		return err
	}
	begun := time.Now().UnixNano()
	c := &copier{src: r.tree, targets: []target{{dir: side}, {dir: work, owner: o}}, gentle: true}
	if err := c.run(ctx); err != nil {
		return err
	}
	if c.cloned.Load() { // clones need no spare
		return errors.Join(removeAll(work), removeAll(side), os.WriteFile(filepath.Join(dir, clonesName), nil, 0o600))
	}
	return writeManifest(dir, r.manifest(c, begun, o))
}

func (r *Repo) manifest(c *copier, begun int64, o CopyOptions) manifest {
	m := manifest{Root: r.dir, Time: begun, Owner: o.owner(), Dirs: c.dirs}
	for _, rec := range c.records {
		m.Files = append(m.Files, keptFile{rec.path, uint32(rec.mode), rec.sum[:], rec.stamp.size, rec.stamp.mtime, rec.stamp.ctime, rec.stamp.ino})
	}
	return m
}

func (m *manifest) fits(r *Repo, o CopyOptions) bool { return m.Root == r.dir && m.Owner == o.owner() }

// owner is the options but for the spare's place.
func (o CopyOptions) owner() CopyOptions { o.Spare = ""; return o }

func writeManifest(dir string, m manifest) error {
	name := filepath.Join(dir, "manifest")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return writing(name, err)
	}
	defer f.Close()
	if err := gob.NewEncoder(f).Encode(m); err != nil {
		return writing(name, err)
	}
	return f.Close()
}

func readManifest(dir string) (*manifest, error) {
	f, err := os.Open(filepath.Join(dir, "manifest"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var m manifest
	if err := gob.NewDecoder(f).Decode(&m); err != nil {
		return nil, fmt.Errorf("reading the list of a kept copy: %w", err)
	}
	return &m, nil
}

// pruneSpares removes spares that nobody took for long.
func pruneSpares(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil || !fi.IsDir() || filepath.Ext(e.Name()) != "" || time.Since(fi.ModTime()) < spareAge {
			continue
		}
		if unlock, err := lockSpare(filepath.Join(dir, e.Name())); err == nil {
			_ = removeAll(filepath.Join(dir, e.Name()))
			unlock()
		}
	}
}

// takeSpare moves the spare to dir and side and brings both up to date; nil where there is none that can be used, and
// then nothing is left at these places.
func (r *Repo) takeSpare(ctx context.Context, dir, side string, o CopyOptions) (*copier, error) {
	if o.Spare == "" || exists(dir) || exists(side) {
		return nil, nil
	}
	spare := r.spareOf(o.Spare)
	if !exists(filepath.Join(spare, "manifest")) {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, writing(filepath.Dir(dir), err)
	}
	unlock, err := lockSpare(spare)
	if err != nil {
		return nil, nil // the next one is being made; a plain copy serves
	}
	defer unlock()
	m, err := readManifest(spare)
	if err != nil || !m.fits(r, o) {
		return nil, nil
	}
	c := &copier{src: r.tree, targets: []target{{dir: side}, {dir: dir, owner: o}}}
	err = os.Remove(filepath.Join(spare, "manifest")) // from here on it is no spare, whatever happens
	if err == nil {
		err = os.Rename(filepath.Join(spare, "work.base"), side)
	}
	if err == nil {
		err = os.Rename(filepath.Join(spare, "work"), dir)
	}
	if err == nil {
		err = c.refresh(ctx, m)
	}
	_ = removeAll(spare)
	if err == nil {
		return c, nil
	}
	err = errors.Join(err, removeAll(dir), removeAll(side))
	if ctx.Err() != nil || r.gone() != nil {
		return nil, err
	}
	return nil, errors.Join(removeAll(dir), removeAll(side)) // a plain copy serves
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// refresh brings the targets, which are as the manifest says, to what the walk finds now. Only files that may have been
// written since are read. Symlinks are always made anew: what they lead to may be another thing by now.
func (c *copier) refresh(ctx context.Context, m *manifest) error {
	dirs, entries, err := c.look(ctx)
	if err != nil {
		return err
	}
	kept := make(map[string]*keptFile, len(m.Files))
	for i := range m.Files {
		kept[m.Files[i].Path] = &m.Files[i]
	}
	var anew []entry
	for _, e := range entries {
		k := kept[e.path]
		if k == nil || !e.info.Mode().IsRegular() || !k.same(e.info, m.Time) {
			anew = append(anew, e)
			continue
		}
		delete(kept, e.path)
		c.records = append(c.records, record{path: k.Path, mode: fs.FileMode(k.Mode), sum: [sha256.Size]byte(k.Sum), stamp: stampOf(e.info)})
	}
	for p := range kept { // gone, or to be made anew
		for _, t := range c.targets {
			if err := os.Remove(t.path(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return writing(t.path(p), err)
			}
		}
	}
	if err := c.folders(m.Dirs, dirs); err != nil {
		return err
	}
	buf := make([]byte, copyBuffer)
	for _, e := range anew {
		if err := c.again(ctx, e, buf); err != nil {
			return err
		}
	}
	c.anew = len(anew)
	c.sort()
	return c.src.gone()
}

// same reports a file that was not written since the copy.
func (k *keptFile) same(fi fs.FileInfo, begun int64) bool {
	s := stampOf(fi)
	return len(k.Sum) == sha256.Size && fs.FileMode(k.Mode) == fi.Mode().Perm() && s.settled(begun) &&
		s == stamp{k.Size, k.MTime, k.CTime, k.Ino}
}

// look walks the source.
func (c *copier) look(ctx context.Context) (dirs []keptDir, entries []entry, err error) {
	c.skipped, err = c.src.walk(ctx, func(v visit) error {
		if v.path != "." {
			dirs = append(dirs, keptDir{v.path, uint32(v.info.Mode().Perm())})
		}
		entries = append(entries, v.entries...)
		return nil
	})
	return dirs, entries, err
}

// folders makes the folders of the targets those of now; the files that must go are gone.
func (c *copier) folders(before, now []keptDir) error {
	old, is := map[string]uint32{}, map[string]bool{}
	for _, d := range before {
		old[d.Path] = d.Mode
	}
	for _, d := range now {
		is[d.Path] = true
	}
	slices.SortFunc(before, func(a, b keptDir) int { return cmp.Compare(b.Path, a.Path) }) // what is below first
	for _, d := range before {
		for _, t := range c.targets {
			if is[d.Path] {
				continue
			}
			if err := os.Remove(t.path(d.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return writing(t.path(d.Path), err)
			}
		}
	}
	for _, d := range now { // the walk gives the folder above first
		if mode, ok := old[d.Path]; ok && mode == d.Mode {
			continue
		} else if err := c.makeFolder(d.Path, fs.FileMode(d.Mode), ok); err != nil {
			return err
		}
	}
	c.dirs = now
	return nil
}

// again copies one file or symlink into trees that have nothing of its name.
func (c *copier) again(ctx context.Context, e entry, buf []byte) error {
	s, err := c.src.locate(e.path, keep)
	if err != nil {
		return c.skip(e.path, err)
	}
	defer s.close()
	if s.info == nil {
		return nil // deleted meanwhile
	}
	e.info = s.info
	rec, ok, err := c.one(ctx, s.dir, e, buf)
	if err != nil || !ok {
		return err
	}
	c.records = append(c.records, rec)
	return nil
}
