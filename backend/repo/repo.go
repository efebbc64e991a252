// Package repo is the opened folder, its safe paths, its secrets, and its disposable working copies.
//
// A repository comes from a stranger, and the model that works on it is assumed hostile. So opening runs nothing that
// belongs to the folder (git state is read from plain files), every path is walked component by component from an
// os.Root handle (nothing can lead outside, and no symlink is written through), and secrets are refused by name and by
// content in one place. Edits land in a copy; Repo.Apply is the only code that writes into the person's folder, behind a
// journal that leaves either the old or the new state whatever happens.
package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Sentinels that callers branch on; every error that wraps one says what happened and what to do.
var (
	ErrOutside  = error(refusal("path outside the folder"))
	ErrSecret   = error(refusal("secret file"))
	ErrBinary   = errors.New("binary file")
	ErrTooLarge = errors.New("file too large")
	ErrIgnored  = error(refusal("ignored file"))
	ErrSymlink  = error(refusal("symlink"))
	ErrConflict = errors.New("changed since")
	ErrGone     = errors.New("folder vanished")
	ErrBusy     = errors.New("folder is being written by another Redgreen")
	ErrDone     = errors.New("was written already")
)

// refusal is a path that the rules deny; it is fs.ErrPermission to who knows no more of it, such as patch.
type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == fs.ErrPermission }

const (
	defaultMaxFile  = 1 << 20   // larger text files are generated or data: no model should read them
	defaultMaxFiles = 1_000_000 // ten times a large monorepo; beyond it the folder is a disk, not a repository
)

// Options configure Open; the zero value means the defaults.
type Options struct {
	MaxFile  int64  // bytes, default 1 MiB: larger files are not read, searched or indexed
	MaxFiles int    // default 1,000,000: a walk that finds more fails with ErrTooLarge
	StateDir string // where undo records and journals are kept, outside the folder; required for Apply
	// Step is called before every instruction of a write to the folder, with its name and the path that it is about; an
	// error fails the write there. It is for tests of what happens at each; nil none.
	Step func(step, path string) error
}

// Repo is an opened folder. Safe for concurrent use. Opening it runs nothing that belongs to it.
type Repo struct {
	*tree
	store     store
	state     string                        // this folder's own directory in StateDir, "" when none was given
	recovered string                        // what Open did with an interrupted Apply
	writing   sync.Mutex                    // one Apply at a time in this process
	minSpare  int                           // spareFiles; fewer in tests
	step      func(step, path string) error // for tests: called before every instruction that changes a file
}

// Open opens a local folder, with or without git. It finishes or takes back an Apply that a crash interrupted (see
// Recovered). The error wraps fs.ErrNotExist where there is no such folder.
func Open(dir string, o Options) (*Repo, error) { return openRepo(dir, o, o.Step) }

func openRepo(dir string, o Options, step func(step, path string) error) (*Repo, error) {
	root, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	t, err := openTree(root, o)
	if err != nil {
		return nil, err
	}
	t.vcs = newMetadata(root)
	r := &Repo{tree: t, step: step, minSpare: spareFiles}
	if o.StateDir != "" {
		if r.state, err = stateDir(o.StateDir, root); err == nil {
			r.store = store{filepath.Join(r.state, "content")}
			r.recovered, err = r.recover()
		}
		if err != nil {
			t.close()
			return nil, fmt.Errorf("opening %s: %w", root, err)
		}
	}
	return r, nil
}

// Close releases the folder. Workspaces made from it stay usable.
func (r *Repo) Close() error { return r.close() }

// Gone tells whether the folder was deleted, moved or replaced since it was opened, by an error that wraps ErrGone: this Repo
// then stays with what it opened, and is of no use any more.
func (r *Repo) Gone() error { return r.gone() }

// Root is the absolute path with symlinks resolved.
func (r *Repo) Root() string { return r.dir }

// Name is the last element of Root.
func (r *Repo) Name() string { return filepath.Base(r.dir) }

// Recovered says what Open did with an Apply that a crash had interrupted; "" when there was none.
func (r *Repo) Recovered() string { return r.recovered }

// invalid is fs.ErrInvalid in words for a person alone: "invalid argument" says nothing.
type invalid string

func (e invalid) Error() string        { return string(e) }
func (e invalid) Is(target error) bool { return target == fs.ErrInvalid }

// realDir gives the absolute path of a directory with symlinks resolved.
func realDir(dir string) (string, error) {
	if dir == "" || strings.ContainsRune(dir, 0) {
		return "", fmt.Errorf("opening folder %q: %w: give the path of an existing folder", dir, fs.ErrInvalid)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("opening folder %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", notOpened(abs, err)
	}
	fi, err := os.Stat(real)
	if err != nil {
		return "", notOpened(abs, err)
	}
	if !fi.IsDir() {
		return "", invalid(fmt.Sprintf("%s is a file, not a folder; give the folder that holds it, %s", abs, filepath.Dir(abs)))
	}
	return real, nil
}

// worded is an error in words of ours, which is still the system's to who asks.
type worded struct {
	text string
	err  error
}

func (w worded) Error() string { return w.text }
func (w worded) Unwrap() error { return w.err }

// notOpened says why a folder cannot be opened, and what to do.
func notOpened(dir string, err error) error {
	err = plain(err)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return worded{fmt.Sprintf("there is no folder %s; check that the path is right and the disk is mounted", dir), errors.Join(fs.ErrNotExist, err)}
	case errors.Is(err, fs.ErrPermission):
		return worded{fmt.Sprintf("the folder %s cannot be opened: you may not read it (%v); change its permissions, or open one of your own", dir, err), err}
	}
	return fmt.Errorf("opening folder %s: %w; check that the path is right and the disk is mounted", dir, err)
}

// plain takes the operation and path off an error of package os, for messages that name the path themselves.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
