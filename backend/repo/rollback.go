package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"redgreen/backend/patch"
)

// rollback takes the folder back to the state before a write that did not commit, from whatever point it reached. Files
// that hold neither the old nor the new content were edited meanwhile: they are left and named. One that fails does not
// keep the others from being put back.
func (r *Repo) rollback(j *journal) (edited []string, err error) {
	var failed []error
	for _, f := range slices.Backward(j.Files) {
		if err := r.at("back", f.Path); err != nil {
			return edited, err
		}
		switch ok, err := r.putBack(f); {
		case err != nil:
			failed = append(failed, fmt.Errorf("putting %s back: %w", f.Path, advise(err)))
		case !ok:
			edited = append(edited, f.Path)
		}
	}
	for _, dir := range slices.Backward(j.Dirs) {
		if err := r.at("back.dir", dir); err != nil {
			return edited, err
		}
		r.removeEmpty(dir)
	}
	return edited, errors.Join(failed...)
}

// putBack brings one file to its state before; false where it holds something else than either state.
func (r *Repo) putBack(f written) (bool, error) {
	s, err := r.locate(f.Path, keep)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrSymlink) {
		return f.Before == nil, nil // the folder above is not there, or no folder any more: nothing of ours can be there
	}
	if err != nil {
		return false, err
	}
	defer s.close()
	now, err := s.raw()
	if err != nil {
		return false, err
	}
	beside, err := s.beside(f.Temp)
	if err != nil {
		return false, err
	}
	old := f.Before.same(now)
	ours := old || f.After.same(now)
	switch {
	case ours && !old:
		err = s.revert(f, beside != nil)
	case beside != nil && (old || f.holds(beside)):
		err = s.dir.Remove(f.Temp)
	}
	if err != nil {
		return false, err
	}
	return ours, s.sync()
}

// holds reports whether what lies beside a file is from the journal, perhaps written only in part, and so no loss.
func (f written) holds(c *patch.Content) bool {
	return f.Before.same(c) || f.After != nil && bytes.HasPrefix(f.After.Data, c.Data)
}

// revert takes the new content away and puts back what it displaced: the very file, where it lies beside, else a new one
// made from the journal.
func (s *spot) revert(f written, beside bool) error {
	switch {
	case beside:
		return s.dir.Rename(f.Temp, s.name)
	case f.Before == nil:
		return s.dir.Remove(s.name)
	}
	if err := f.Before.create(s.dir, f.Temp); err != nil {
		return err
	}
	return s.dir.Rename(f.Temp, s.name)
}

// beside reads a file in the same folder, nil where there is none.
func (s *spot) beside(name string) (*patch.Content, error) {
	other := &spot{root: s.root, dir: s.dir, name: name, path: name}
	if err := other.stat(); err != nil {
		return nil, err
	}
	return other.raw()
}

// stat looks again at what has the name.
func (s *spot) stat() error {
	fi, err := s.dir.Lstat(s.name)
	if errors.Is(err, fs.ErrNotExist) {
		s.info = nil
		return nil
	}
	s.info = fi
	return err
}

// raw reads whatever is there, as the journal compares it; what is no regular file has a mode that no state has.
func (s *spot) raw() (*patch.Content, error) {
	switch {
	case s.info == nil:
		return nil, nil
	case !s.info.Mode().IsRegular():
		return &patch.Content{Mode: ^uint32(0)}, nil
	}
	f, err := openFile(s.dir, s.name, s.info)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, plain(err)
	}
	return &patch.Content{Data: data, Mode: uint32(s.info.Mode().Perm())}, nil
}

func (s *spot) removeTemp(temp string) error {
	if err := s.dir.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sync waits until the names in the folder are on disk.
func (s *spot) sync() error {
	f, err := s.dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return syncFile(f)
}

// create writes a new file with a state's content, mode and owner, on disk when it returns.
func (st *state) create(d *os.Root, name string) error {
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(st.Data); err != nil {
		return err
	}
	if st.UID != os.Geteuid() || st.GID != os.Getegid() {
		_ = f.Chown(st.UID, st.GID) // only root may; the file is then the writer's own, as with any editor
	}
	if err := f.Chmod(fs.FileMode(st.Mode).Perm()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// removeEmpty removes a folder that Apply made, if nobody put anything into it.
func (r *Repo) removeEmpty(dir string) {
	if s, err := r.locate(dir, refuse); err == nil {
		if s.info != nil && s.info.IsDir() && s.name != "." {
			_ = s.dir.Remove(s.name)
		}
		s.close()
	}
}
