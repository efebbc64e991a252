package repo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redgreen/backend/patch"
)

// The journal makes Apply survive a crash at any instruction. Life of one write, with the file in the state folder that
// stands for each stage:
//
//	journal.tmp       being written; nothing in the folder has changed
//	journal           the intent, with the whole content before and after: from here on the next Open takes it back
//	committed         the new state is complete: from here on the next Open only cleans up
//	applied/ID.json   done; the receipt is kept, the contents go to the store
//
// Each stage begins with one rename that is on disk (fsync of the folder) before the next instruction.
const (
	journalName   = "journal"
	committedName = "committed"
	appliedDir    = "applied"
	keepApplied   = 1000 // receipts; older undos still work from the session's own
)

// journal is one write to the person's folder.
type journal struct {
	ID    string      `json:"id"`
	Time  time.Time   `json:"time"`
	Root  string      `json:"root"`
	Patch patch.Patch `json:"patch"`
	Undo  patch.Patch `json:"undo"`
	Files []written   `json:"files"`
	Dirs  []string    `json:"dirs,omitempty"` // that Apply makes, the topmost first
}

// written is one file before and after; Temp is the name beside it that holds the new content before, and the old
// one after, the two change places.
type written struct {
	Path   string `json:"path"`
	Temp   string `json:"temp"`
	Before *state `json:"before,omitempty"`
	After  *state `json:"after,omitempty"`
}

// receipt is what the caller gets of a journal that was carried out.
func (j *journal) receipt() Receipt { return Receipt{j.ID, j.Time, j.Patch, j.Undo} }

// state is a file's content, permission bits and owner.
type state struct {
	Data []byte `json:"data"`
	Mode uint32 `json:"mode"`
	UID  int    `json:"uid"`
	GID  int    `json:"gid"`
}

// same compares what is there with a state of the journal.
func (s *state) same(c *patch.Content) bool {
	if s == nil || c == nil {
		return s == nil && c == nil
	}
	return s.Mode == c.Mode && string(s.Data) == string(c.Data)
}

// at is called before each instruction of a write; tests stop it there.
func (r *Repo) at(step, path string) error {
	if r.step == nil {
		return nil
	}
	return r.step(step, path)
}

// begin puts the intent on disk.
func (r *Repo) begin(j *journal) error {
	if err := r.at("journal", ""); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.state, appliedDir), 0o700); err != nil {
		return writing(r.state, err)
	}
	data, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("encoding the journal: %w", err)
	}
	temp := filepath.Join(r.state, journalName+".tmp")
	if err := writeSynced(temp, data); err != nil {
		_ = os.Remove(temp)
		return err
	}
	if err := r.at("journal.rename", ""); err != nil {
		_ = os.Remove(temp)
		return err
	}
	return r.stage(journalName+".tmp", journalName)
}

// stage renames a file of the state folder and waits until that is on disk.
func (r *Repo) stage(from, to string) error {
	name := filepath.Join(r.state, to)
	if err := os.Rename(filepath.Join(r.state, from), name); err != nil {
		return writing(name, err)
	}
	if err := syncDir(r.state); err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != r.state {
		return syncDir(dir)
	}
	return nil
}

func writeSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return writing(name, err)
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return writing(name, err)
	}
	if err := f.Sync(); err != nil {
		return writing(name, err)
	}
	return f.Close()
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return writing(dir, err)
	}
	defer f.Close()
	return syncFile(f)
}

// syncFile waits until a file or folder is on disk. A filesystem that cannot sync a folder says EINVAL; it has no more to give.
func syncFile(f *os.File) error {
	if err := f.Sync(); err != nil && !errors.Is(plain(err), errInval) {
		return writing(f.Name(), err)
	}
	return nil
}

// finish cleans up after a commit and files the record.
func (r *Repo) finish(j *journal) error {
	for _, f := range j.Files {
		if err := r.at("clean", f.Path); err != nil {
			return err
		}
		if err := r.removeBeside(f.Path, f.Temp); err != nil {
			return err
		}
	}
	for _, f := range j.Files { // what an undo, and the undo of that, are made for
		for _, s := range []*state{f.Before, f.After} {
			if s != nil {
				r.store.put(s.Data)
			}
		}
	}
	if err := r.at("file", ""); err != nil {
		return err
	}
	record, err := json.Marshal(journal{ID: j.ID, Time: j.Time, Root: j.Root, Patch: j.Patch, Undo: j.Undo, Dirs: j.Dirs})
	if err != nil {
		return fmt.Errorf("encoding the receipt: %w", err)
	}
	if err := writeSynced(filepath.Join(r.state, "receipt.tmp"), record); err != nil {
		return err
	}
	if err := r.stage("receipt.tmp", filepath.Join(appliedDir, j.ID+".json")); err != nil {
		return err
	}
	if err := r.at("done", ""); err != nil {
		return err
	}
	r.prune()
	return r.drop(committedName)
}

// prune removes the oldest records. IDs begin with the time, so their names sort by it.
func (r *Repo) prune() {
	names, _ := filepath.Glob(filepath.Join(r.state, appliedDir, "*.json"))
	slices.Sort(names)
	for _, name := range names[:max(0, len(names)-keepApplied)] {
		_ = os.Remove(name)
	}
	r.store.prune(storeLimit)
}

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

// removeBeside removes a leftover that lies beside a path.
func (r *Repo) removeBeside(p, temp string) error {
	s, err := r.locate(p, keep)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.removeTemp(temp); err != nil {
		return inFile(path.Join(path.Dir(p), temp), err)
	}
	return nil
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

// recover looks for a write that a crash interrupted and finishes or takes it back. Where another Redgreen keeps the
// lock, the write is under way and none of our business.
func (r *Repo) recover() (string, error) {
	if !r.pending() {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), recoverWait)
	defer cancel()
	unlock, err := lock(ctx, r.state)
	if errors.Is(err, ErrBusy) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer unlock()
	return r.resume()
}

// pending reports a journal of any stage.
func (r *Repo) pending() bool {
	for _, name := range []string{journalName + ".tmp", journalName, committedName} {
		if _, err := os.Lstat(filepath.Join(r.state, name)); err == nil {
			return true
		}
	}
	return false
}

// resume does the work of recover, under the lock.
func (r *Repo) resume() (string, error) {
	_ = os.Remove(filepath.Join(r.state, journalName+".tmp"))
	if j, err := r.readJournal(committedName); err != nil || j != nil {
		if err != nil {
			return "", err
		}
		if err := r.finish(j); err != nil {
			return "", fmt.Errorf("cleaning up after an interrupted write: %w", err)
		}
		return fmt.Sprintf("An approved change of %s was interrupted after it was written; it is complete.", names(j)), nil
	}
	j, err := r.readJournal(journalName)
	if err != nil || j == nil {
		return "", err
	}
	edited, err := r.rollback(j)
	if err != nil {
		return "", fmt.Errorf("taking back an interrupted write: %w", err)
	}
	if len(edited) == 0 {
		return fmt.Sprintf("An approved change of %s was interrupted; every file is as it was before. Approve it again.", names(j)), r.drop(journalName)
	}
	kept := "kept-" + j.ID + ".json"
	return fmt.Sprintf("An approved change of %s was interrupted and taken back, except in %s, which was edited since and was left as it is; the contents before the change are kept in %s.",
		names(j), strings.Join(edited, ", "), filepath.Join(r.state, kept)), r.stage(journalName, kept)
}

// drop removes the journal of a write that is at its end.
func (r *Repo) drop(name string) error {
	if err := os.Remove(filepath.Join(r.state, name)); err != nil {
		return writing(r.state, err)
	}
	return syncDir(r.state)
}

// readJournal gives nil where there is none.
func (r *Repo) readJournal(name string) (*journal, error) {
	data, err := os.ReadFile(filepath.Join(r.state, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	var j journal
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("reading the journal %s: %w; an interrupted write cannot be taken back: compare your files with version control, then remove the journal", filepath.Join(r.state, name), err)
	}
	return &j, nil
}

func names(j *journal) string {
	list := make([]string, 0, len(j.Files))
	for _, f := range j.Files {
		list = append(list, f.Path)
	}
	if n := len(list); n > 5 {
		return fmt.Sprintf("%s and %d more files", strings.Join(list[:4], ", "), n-4)
	}
	return strings.Join(list, ", ")
}
