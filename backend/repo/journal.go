package repo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	Key   string      `json:"key,omitempty"` // of the act, see Apply
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
	record, err := json.Marshal(journal{ID: j.ID, Time: j.Time, Root: j.Root, Key: j.Key, Patch: j.Patch, Undo: j.Undo, Dirs: j.Dirs})
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
