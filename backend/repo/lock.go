//go:build unix

package repo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const errInval = unix.EINVAL

// lockWait is how long Apply waits for another Redgreen that writes to the same folder: a write takes milliseconds.
const lockWait = 10 * time.Second

// recoverWait is how long Open waits for the lock when it finds a journal: long enough for a write that is under way.
const recoverWait = time.Second

// stateDir is the folder's own directory in StateDir, named by its path. It is made by the first Apply.
func stateDir(dir, root string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if within(root, abs) {
		return "", worded{fmt.Sprintf("Redgreen's own files lie inside, in %s; open a folder beside them, or set REDGREEN_HOME to one outside", abs), fs.ErrInvalid}
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(abs, hex.EncodeToString(sum[:8])), nil
}

// tryLock takes the lock of a state folder, or fails with ErrBusy. The system frees it when the process ends, however.
func tryLock(state string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(state, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking: %w", advise(err))
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrBusy
		}
		return nil, fmt.Errorf("locking %s: %w", state, err)
	}
	return func() {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // a child being started right now may still share the handle
		f.Close()
	}, nil
}

// lock waits for the lock of a state folder.
func lock(ctx context.Context, state string) (unlock func(), err error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, writing(state, err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		unlock, err := tryLock(state)
		if !errors.Is(err, ErrBusy) {
			return unlock, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w; wait until it is done and try again (%w)", ErrBusy, ctx.Err())
		}
	}
}
