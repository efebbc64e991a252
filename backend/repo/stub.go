// Package repo is the opened folder, its safe paths, its secrets, and its disposable working copies.
package repo

import (
	"context"
	"errors"
	"time"

	"redgreen/backend/patch"
)

// Sentinels that callers branch on; every error that wraps one says what happened and what to do.
var (
	ErrOutside  = errors.New("path outside the folder")
	ErrSecret   = errors.New("secret file")
	ErrBinary   = errors.New("binary file")
	ErrTooLarge = errors.New("file too large")
	ErrIgnored  = errors.New("ignored file")
	ErrConflict = errors.New("changed since")
	ErrGone     = errors.New("folder vanished")
)

var errStub = errors.New("not built")

// Options configure Open; the zero value means the defaults.
type Options struct {
	MaxFile  int64  // bytes, default 1 MiB: larger files are not read, searched or indexed
	StateDir string // where undo records and journals are kept, outside the folder; required for Apply
}

// Repo is an opened folder. Safe for concurrent use. Opening it runs nothing that belongs to it.
type Repo struct{}

// Open opens a local folder, with or without git.
func Open(dir string, o Options) (*Repo, error) { return nil, errStub }

func (r *Repo) Close() error { return nil }

// Root is the absolute path with symlinks resolved; Name its last element.
func (r *Repo) Root() string { return "" }
func (r *Repo) Name() string { return "" }

// Git is what was read from the folder's git metadata without running git; the zero value where there is none.
type Git struct {
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`
}

func (r *Repo) Git() Git { return Git{} }

// File is one file of the walk. Path is slash-separated and relative.
type File struct {
	Path    string    `json:"path"`
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
	Mode    uint32    `json:"mode"` // permission bits
}

// Files walks the folder honouring .gitignore files (nested too), .git/info/exclude, leaving out .git, secrets, and
// symlinks that leave the root. It does not read contents, so binary files are in it; sorted by path.
func (r *Repo) Files(ctx context.Context) ([]File, error) { return nil, errStub }

// Read gives a text file's bytes. It refuses with ErrOutside, ErrSecret, ErrBinary, ErrTooLarge; fs.ErrNotExist where absent.
func (r *Repo) Read(path string) ([]byte, error) { return nil, errStub }

// CopyOptions configure NewWorkspace.
type CopyOptions struct {
	UID, GID int // owner of the copy, used when Chown is true
	Chown    bool
}

// Workspace is a disposable copy of the folder; edits land here. Safe for concurrent use.
type Workspace struct{}

// NewWorkspace copies what the walk finds (binary and large files too) into dir, which must not exist. Never hard links.
func (r *Repo) NewWorkspace(ctx context.Context, dir string, o CopyOptions) (*Workspace, error) {
	return nil, errStub
}

func (w *Workspace) Dir() string { return "" }

// BaseHash identifies the tree as it was copied: a hash over sorted paths, modes and content hashes.
func (w *Workspace) BaseHash() string { return "" }

// Hash identifies the tree as it is now.
func (w *Workspace) Hash() (string, error) { return "", errStub }

// Read is Repo.Read on the copy. Content is the same with the mode, for patch.Resolve.
func (w *Workspace) Read(path string) ([]byte, error)            { return nil, errStub }
func (w *Workspace) Content(path string) (*patch.Content, error) { return nil, errStub }

// Base gives a file as it was copied; fs.ErrNotExist where it did not exist.
func (w *Workspace) Base(path string) (*patch.Content, error) { return nil, errStub }

// Files lists the copy, as Repo.Files.
func (w *Workspace) Files(ctx context.Context) ([]File, error) { return nil, errStub }

// Apply changes the copy by a patch made against its present state; all files or none. Path rules as Read.
func (w *Workspace) Apply(p patch.Patch) error { return errStub }

// Patch is the whole change from the base to now, made only of paths that Apply touched.
func (w *Workspace) Patch() (patch.Patch, error) { return patch.Patch{}, errStub }

// Pristine makes a second copy, as the base was, in dir (for the baseline of a proof).
func (w *Workspace) Pristine(ctx context.Context, dir string) (*Workspace, error) {
	return nil, errStub
}

// Close removes the copy.
func (w *Workspace) Close() error { return nil }

// Receipt is what Apply wrote; it is stored with the session and undoes the write.
type Receipt struct {
	ID    string      `json:"id"`
	Time  time.Time   `json:"time"`
	Patch patch.Patch `json:"patch"` // what was written
	Undo  patch.Patch `json:"undo"`  // what takes it back
}

// Apply writes a patch into the person's folder: the base hashes are checked again, all files or none, and the inverse
// kept. It is the only code that writes there. ErrConflict names the files that changed since.
func (r *Repo) Apply(ctx context.Context, p patch.Patch) (Receipt, error) { return Receipt{}, errStub }

// Check reports, without writing, the paths whose present content is not what p was made for.
func (r *Repo) Check(p patch.Patch) ([]string, error) { return nil, errStub }

// Undo takes back what a receipt wrote, and gives the receipt that undoes the undo.
func (r *Repo) Undo(ctx context.Context, rc Receipt) (Receipt, error) { return Receipt{}, errStub }

// Recover finishes or takes back an Apply that a crash interrupted; called by Open, says what it did.
func (r *Repo) Recovered() string { return "" }
