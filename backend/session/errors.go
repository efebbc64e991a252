package session

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// Sentinels that callers branch on.
var (
	ErrNotFound = errors.New("not found")                         // unknown session or body
	ErrFull     = errors.New("the session store is full")         // no space for the next event
	ErrCorrupt  = errors.New("the session store is damaged")      // not a database, or a broken page, hash or chain
	ErrReadOnly = errors.New("the session store is read-only")    // file or folder cannot be written
	ErrNewer    = errors.New("the session store is from a newer") // schema of a later Redgreen
	ErrImported = errors.New("the session is read-only")
	ErrConflict = errors.New("the session was written by another process")
)

// explain turns an SQLite error into a sentence that says what happened, what it means and what to do.
func explain(path string, err error) error {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return err
	}
	switch {
	case se.Code == sqlite3.ErrFull || se.SystemErrno == syscall.ENOSPC || se.SystemErrno == syscall.EDQUOT:
		return fmt.Errorf("%w: %s cannot grow (%w); nothing was lost: every event before this one is saved; "+
			"free some space and resume the session", ErrFull, path, err)
	case se.Code == sqlite3.ErrCorrupt || se.Code == sqlite3.ErrNotADB:
		return fmt.Errorf("%w: %s cannot be read (%w); it was left as it is; restore it from a backup, "+
			"or move it away to start with an empty one", ErrCorrupt, path, err)
	case se.Code == sqlite3.ErrReadonly || se.Code == sqlite3.ErrPerm || se.Code == sqlite3.ErrCantOpen:
		return fmt.Errorf("%w: %s cannot be written (%w); check the permissions of the file and its folder, "+
			"and that the disk is not mounted read-only", ErrReadOnly, path, err)
	case se.Code == sqlite3.ErrBusy || se.Code == sqlite3.ErrLocked:
		return fmt.Errorf("the session store %s is in use by another program for longer than we wait (%w); try again", path, err)
	}
	return fmt.Errorf("using the session store %s: %w", path, err)
}
