package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tellStatus is how the wrapper ends: it writes the program's exit status to a file and exits with it. A runtime that loses
// the status of what it ran (it has happened with virtual machines) is found out by the two.
const tellStatus = `s=$?; echo $s 2>/dev/null >` + dirStatus + `/exit; exit $s`

// statusDir is the host's folder behind dirStatus, beside a run's root.
func statusDir(root string) string { return filepath.Join(filepath.Dir(root), "status") }

// newStatus makes the folder for the sandbox's user.
func (h *home) newStatus(dir string) error {
	p := filepath.Join(dir, "status")
	if err := os.Mkdir(p, 0o755); err != nil {
		return fmt.Errorf("making a folder for the run: %w", err)
	}
	if h.host.root {
		return os.Chown(p, h.host.uid, h.host.gid)
	}
	return nil
}

// checkStatus holds what the runtime says of the exit status against what the wrapper wrote below dir. No file is only right
// for a failure, such as a wrapper that was killed: a success that nobody in the sandbox has seen is none. The file is the
// program's to write too, so what it says is never taken for the status.
func checkStatus(dir string, code int) error {
	r, err := os.OpenRoot(filepath.Join(dir, "status"))
	if err != nil {
		return fmt.Errorf("reading the exit status: %w", err)
	}
	defer r.Close()
	info, err := r.Lstat("exit")
	if errors.Is(err, fs.ErrNotExist) && code != 0 {
		return nil
	}
	if (err != nil || info.Size() == 0) && code == 0 && Free(dir) < fullBytes {
		return unrecorded(dir)
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8 {
		return fmt.Errorf("the exit status %d is not to be trusted: the sandbox's own record of it is missing or was tampered with", code)
	}
	b, err := r.ReadFile("exit")
	if err != nil {
		return fmt.Errorf("reading the exit status: %w", err)
	}
	if said := strings.TrimSpace(string(b)); said != strconv.Itoa(code) && (said != "" || code == 0) {
		return fmt.Errorf("the exit status is not to be trusted: the runtime says %d, the sandbox's own record %q", code, said)
	}
	return nil
}

// unrecorded is the error of a run that ended on a disk with no room for how it did.
func unrecorded(dir string) error {
	return fmt.Errorf("the run has ended, but how could not be recorded: %w", &fs.PathError{Op: "write", Path: dir, Err: unix.ENOSPC})
}
