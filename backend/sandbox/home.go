package sandbox

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// home is the state of one process that uses the sandbox: everything that it starts or mounts lies below its own folder,
// DIR/run/<owner>, which it keeps locked while it lives. Another process that can take the lock knows that the owner is
// dead and sweeps the folder.
type home struct {
	host   host
	log    *slog.Logger
	dir    string // DIR/run/<owner>
	short  string // a folder with a short path for sockets, whose length the system limits
	owner  string
	images string // the folder of images; "" none
	lock   *os.File
	runs   atomic.Int64

	allowNone bool // Options.AllowNone
}

// maxSocketDir is how long the path of a folder with a socket may be: a unix socket's path has at most 107 bytes, and
// Podman puts its own below it.
const maxSocketDir = 60

// openHome sweeps what dead owners left below dir and makes a folder for this process.
func openHome(dir string, log *slog.Logger) (*home, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("opening the sandbox: %q is not an absolute path", dir)
	}
	if err := os.MkdirAll(filepath.Join(dir, "run"), 0o711); err != nil {
		return nil, fmt.Errorf("opening the sandbox: %w", err)
	}
	gate, err := lockFile(filepath.Join(dir, "lock"), unix.LOCK_EX)
	if err != nil {
		return nil, fmt.Errorf("opening the sandbox: %w", err)
	}
	defer gate.Close()
	sweep(filepath.Join(dir, "run"), log)
	own, err := os.MkdirTemp(filepath.Join(dir, "run"), strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, fmt.Errorf("opening the sandbox: %w", err)
	}
	h := &home{host: lookAtHost(), log: log, dir: own, short: own, owner: filepath.Base(own)}
	if err := h.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the sandbox: %w", err), os.RemoveAll(own))
	}
	return h, nil
}

func (h *home) prepare() (err error) {
	if err := os.Chmod(h.dir, 0o711); err != nil { // the sandbox's user must come through, but cannot list
		return err
	}
	if h.lock, err = lockFile(filepath.Join(h.dir, "lock"), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	if len(h.dir) > maxSocketDir {
		if h.short, err = os.MkdirTemp(shortBase(), "redgreen-"); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(h.dir, "short"), []byte(h.short), 0o600); err != nil {
			return err
		}
	}
	profile, err := seccompProfile()
	if err != nil {
		return err
	}
	return os.WriteFile(h.seccompPath(), profile, 0o600)
}

// shortBase is a folder of the user's own for sockets.
func shortBase() string {
	if d := os.Getenv("XDG_RUNTIME_DIR"); d != "" && len(d) < maxSocketDir/2 {
		if st, err := os.Stat(d); err == nil && st.IsDir() {
			return d
		}
	}
	return "/tmp"
}

func (h *home) seccompPath() string { return filepath.Join(h.dir, "seccomp.json") }

// newRun makes an empty folder for one run.
func (h *home) newRun() (string, error) {
	d := filepath.Join(h.dir, "runs", strconv.FormatInt(h.runs.Add(1), 10))
	if err := os.MkdirAll(d, 0o711); err != nil {
		return "", fmt.Errorf("making a folder for the run: %w", err)
	}
	return d, nil
}

// close removes the folder. What was started in it has been ended by then.
func (h *home) close() error {
	err := removeAll(h.dir)
	if h.short != h.dir {
		err = errors.Join(err, removeAll(h.short))
	}
	removeCgroups(h.owner)
	if e := h.lock.Close(); !errors.Is(e, os.ErrClosed) { // closing twice is no error
		err = errors.Join(err, e)
	}
	return err
}

// lockFile opens path and takes an flock, which ends with the process.
func lockFile(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return f, nil
}
