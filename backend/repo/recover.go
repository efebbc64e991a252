package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

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
