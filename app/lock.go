package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"redgreen/backend/session"
)

// A run and its workspace belong to one process. It holds a lock on NAME.lock beside the workspace NAME, which the kernel
// gives up when the process ends, however it ends: so a session that says "running" and has no owner was interrupted, and
// a workspace without one is a leftover. A session's workspace has its id as name. The file says who holds the lock.
//
// The locks are open file description locks, since those can be asked about without being taken: who only looks never
// stands in the way of who works. A lease that a heartbeat renews would let two processes write where one was suspended. The
// owner touches the file all the same, which decides nothing: it tells those who follow that a process is there and does nothing.

// errOwned is returned for a lock that another process, or this one, holds.
var errOwned = errors.New("in use")

// Owner is a Redgreen that works on a session.
type Owner struct {
	Kind  string    `json:"kind"` // window, browser, terminal; "" not known
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
	// Silent is when it last gave a sign of life, where that is long ago: it is suspended, or its machine is out of breath.
	Silent *time.Time `json:"silent,omitempty"`
}

// An owner touches its lock every beatEvery. It counts as silent after silentAfter, which a busy machine does not reach.
const (
	beatEvery   = 2 * time.Second
	silentAfter = 15 * time.Second
)

// String says who it is, as the beginning of a sentence.
func (o Owner) String() string {
	who, ok := map[string]string{"window": "another window", "browser": "a window in a browser", "terminal": "a terminal"}[o.Kind]
	if !ok {
		return "another Redgreen"
	}
	silent := ""
	if o.Silent != nil {
		silent = ", silent since " + o.Silent.Local().Format("15:04:05")
	}
	return fmt.Sprintf("%s (process %d, since %s%s)", who, o.PID, o.Since.Local().Format("15:04"), silent)
}

// todo says what a person who waits for it can do.
func (o Owner) todo() string {
	if o.Silent == nil {
		return "wait until it ends, or work there"
	}
	return fmt.Sprintf("it does not answer, perhaps because it is suspended: `kill -CONT %d` lets it go on, and once it has ended the session is free", o.PID)
}

func (c *core) lockFile(name string) string { return filepath.Join(c.paths.workspace(), name+".lock") }

func wholeFile(how int16) *unix.Flock_t { return &unix.Flock_t{Type: how, Whence: io.SeekStart} }

// own takes the lock of a session or workspace; release gives it up.
func (c *core) own(name string) (release func(), err error) {
	if err := os.MkdirAll(c.paths.workspace(), 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of workspaces: %w", err)
	}
	c.locks.Lock()
	defer c.locks.Unlock()
	path := c.lockFile(name)
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("taking the lock of %s: %w", name, err)
		}
		if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, wholeFile(unix.F_WRLCK)); err != nil {
			f.Close()
			if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
				return nil, errOwned
			}
			return nil, fmt.Errorf("taking the lock of %s: %w", name, err)
		}
		if !sameFile(f, path) { // a sweep removed it between the two calls
			f.Close()
			continue
		}
		c.sign(f)
		c.held[name] = true
		quiet := beat(path)
		return func() {
			quiet()
			c.locks.Lock()
			defer c.locks.Unlock()
			os.Remove(path)
			delete(c.held, name)
			f.Close()
		}, nil
	}
}

// beat touches a lock's file until quiet is called, which waits for it.
func beat(path string) (quiet func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case now := <-tick.C:
				_ = os.Chtimes(path, now, now) // it is for display alone
			}
		}
	}()
	return func() { close(quit); <-done }
}

// sign writes into a lock who holds it. Without that it is held all the same, by an owner that is not known.
func (c *core) sign(f *os.File) {
	raw, err := json.Marshal(Owner{Kind: c.kind, PID: os.Getpid(), Since: time.Now().UTC()})
	if err == nil && f.Truncate(0) == nil {
		_, _ = f.WriteAt(raw, 0)
	}
}

// owner gives who holds the lock of a session, this core or another; nil nobody.
func (c *core) owner(name string) *Owner {
	f, err := os.OpenFile(c.lockFile(name), os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	asked := wholeFile(unix.F_WRLCK)
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, asked); err != nil || asked.Type == unix.F_UNLCK {
		return nil
	}
	var o Owner
	raw, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil || json.Unmarshal(raw, &o) != nil {
		return &Owner{}
	}
	if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > silentAfter {
		at := info.ModTime().UTC()
		o.Silent = &at
	}
	return &o
}

// elsewhere is owner without this core itself.
func (c *core) elsewhere(name string) *Owner {
	c.locks.Lock()
	defer c.locks.Unlock()
	if c.held[name] {
		return nil
	}
	return c.owner(name)
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
	if !errors.Is(err, errOwned) {
		return release, err
	}
	who := c.owner(id)
	if who == nil { // it ended just now
		who = &Owner{}
	}
	return nil, fail(Conflict, fmt.Sprintf("%s works on this session; %s. To follow it here: redgreen sessions show %s --follow", who, who.todo(), id))
}

// interrupted reports whether a session says it runs and no process works on it any more.
func (c *core) interrupted(s session.State) bool {
	return s.Outcome == session.Running && s.Source == "" && c.owner(s.ID) == nil
}

// unfinished reports whether a session says that it has not ended.
func unfinished(s session.State) bool {
	return s.Source == "" && (s.Outcome == session.Running || s.Outcome == session.Review || s.Outcome == session.Waiting)
}

// outcome is the state of a session in words: one that was cut off is no longer running, and of one that another process
// has it is said which.
func (c *core) outcome(s session.State) string {
	word := outcomeWord(s.Outcome)
	if !unfinished(s) {
		return word
	}
	switch who := c.elsewhere(s.ID); {
	case who != nil && who.Kind != "":
		return word + " in a " + who.Kind
	case who == nil && s.Outcome == session.Running:
		return "interrupted"
	}
	return word
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
