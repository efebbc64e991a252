package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"redgreen/backend/session"
)

// A run and its workspace belong to one process. It holds a lock on NAME.lock beside the workspace NAME, which the kernel
// gives up when the process ends, however it ends: so a session that says "running" and has no owner was interrupted, and
// a workspace without one is a leftover. A session's workspace has its id as name.

// errOwned is returned for a lock that another process, or this one, holds.
var errOwned = errors.New("in use")

// own takes the lock of a session or workspace; release gives it up.
func (c *core) own(name string) (release func(), err error) {
	if err := os.MkdirAll(c.paths.workspace(), 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of workspaces: %w", err)
	}
	path := filepath.Join(c.paths.workspace(), name+".lock")
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("taking the lock of %s: %w", name, err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, errOwned
			}
			return nil, fmt.Errorf("taking the lock of %s: %w", name, err)
		}
		if sameFile(f, path) { // else a sweep removed it between the two calls
			return func() { os.Remove(path); f.Close() }, nil
		}
		f.Close()
	}
}

func sameFile(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// ownSession is own for a session that is to be worked on.
func (c *core) ownSession(id string) (release func(), err error) {
	release, err = c.own(id)
	if errors.Is(err, errOwned) {
		return nil, fail(Conflict, "another Redgreen works on this session; wait until it ends, or work there")
	}
	return release, err
}

// interrupted reports whether a session says it runs and no process works on it any more.
func (c *core) interrupted(s session.State) bool {
	if s.Outcome != session.Running {
		return false
	}
	release, err := c.own(s.ID)
	if err != nil {
		return false
	}
	release()
	return true
}

// outcome is the state of a session in words; one that was cut off is no longer running.
func (c *core) outcome(s session.State) string {
	if c.interrupted(s) {
		return "interrupted"
	}
	return outcomeWord(s.Outcome)
}

// sweep removes workspaces whose process has ended. It is quick where there is nothing to do.
func (c *core) sweep() error {
	entries, err := os.ReadDir(c.paths.workspace())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweeping old workspaces: %w", err)
	}
	var errs []error
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), ".lock")
		release, err := c.own(name)
		if err != nil {
			continue // in use
		}
		if !isLock {
			errs = append(errs, os.RemoveAll(filepath.Join(c.paths.workspace(), name)))
		}
		release()
	}
	return errors.Join(errs...)
}
