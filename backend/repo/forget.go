package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"redgreen/backend/patch"
)

// Forget removes the records of some writes into a folder, and what is kept of contents for them alone: for a session that is
// deleted for good. root is the folder's real path, which may be gone by now; dir is the StateDir of Options; ids are of receipts,
// patches what was proposed there whether it was written or not. ErrBusy where the folder is being written just then.
func Forget(dir, root string, ids []string, patches []patch.Patch) error {
	state, err := stateDir(dir, root)
	if err != nil {
		return fmt.Errorf("removing the records of writes: %w", err)
	}
	if _, err := os.Stat(state); errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever kept
	}
	unlock, err := tryLock(state)
	if err != nil {
		return fmt.Errorf("removing the records of writes to %s: %w", root, err)
	}
	defer unlock()
	r := &Repo{tree: &tree{dir: root}, state: state, store: store{filepath.Join(state, "content")}}
	contents := map[string]bool{}
	for _, id := range ids {
		name := filepath.Join(appliedDir, filepath.Base(id)+".json")
		if j, err := r.readJournal(name); err == nil && j != nil {
			patches = append(patches, j.Patch)
		}
		if err := os.Remove(filepath.Join(state, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the record of a write: %w", err)
		}
	}
	mark(contents, true, patches...)
	left, err := r.Receipts()
	if err != nil {
		return err
	}
	for _, rc := range left {
		mark(contents, false, rc.Patch)
	}
	for hash, gone := range contents {
		if gone && isHash(hash) {
			if err := os.Remove(filepath.Join(r.store.dir, hash)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("removing a content that was kept: %w", err)
			}
		}
	}
	return nil
}

// mark marks the contents that patches name.
func mark(contents map[string]bool, as bool, patches ...patch.Patch) {
	for _, p := range patches {
		for _, f := range p.Files {
			contents[f.Before], contents[f.After] = as, as
		}
	}
}
