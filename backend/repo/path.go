package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

const (
	maxPath  = 4096 // bytes, as Linux has it
	maxDepth = 200  // directories below the root; deeper trees are made to exhaust a walker, not to be read
	maxLinks = 40   // symlinks followed for one path, as Linux has it
)

// tree is a directory that is only ever reached through its handle: the person's folder, or a copy of it.
type tree struct {
	dir      string
	root     *os.Root
	handle   *os.File    // the same directory, for calls that os.Root does not have; nil: paths are located step by step
	id       fs.FileInfo // of the directory when it was opened
	maxFile  int64
	maxFiles int
	vcs      *metadata
}

func openTree(dir string, o Options) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, notOpened(dir, err)
	}
	id, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, notOpened(dir, err)
	}
	handle, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, notOpened(dir, err)
	}
	t := &tree{dir: dir, root: root, handle: handle, id: id, maxFile: o.MaxFile, maxFiles: o.MaxFiles, vcs: &metadata{}}
	if t.maxFile <= 0 {
		t.maxFile = defaultMaxFile
	}
	if t.maxFiles <= 0 {
		t.maxFiles = defaultMaxFiles
	}
	return t, nil
}

func (t *tree) close() error {
	_ = t.handle.Close() // nothing is written through it
	return t.root.Close()
}

// gone tells whether the folder was deleted, moved or unmounted since it was opened; the handle alone would not show it.
func (t *tree) gone() error {
	fi, err := os.Stat(t.dir)
	if err == nil && os.SameFile(fi, t.id) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %s cannot be reached (%w); mount it or open it again", ErrGone, t.dir, plain(err))
	}
	return fmt.Errorf("%w: %s was deleted, moved or unmounted; open it again where it is now", ErrGone, t.dir)
}

// orGone gives ErrGone in place of err where the reason is that the whole folder is no longer there.
func (t *tree) orGone(err error) error {
	if g := t.gone(); g != nil {
		return g
	}
	return err
}

// clean checks a relative path as a model or a patch writes it, and gives it in its shortest form.
func clean(p string) (string, error) {
	deny := func(why string) (string, error) {
		return "", fmt.Errorf("%w: %q %s; give a path relative to the folder, such as src/main.py", ErrOutside, p, why)
	}
	switch {
	case p == "":
		return deny("is empty")
	case len(p) > maxPath:
		p = p[:40] + "…"
		return deny("is too long")
	case strings.ContainsRune(p, 0):
		return deny("holds a NUL byte")
	case p[0] == '/' || p[0] == '\\' || drive(p):
		return deny("is absolute")
	}
	for part := range strings.FieldsFuncSeq(p, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == ".." {
			return deny("goes up with ..")
		}
	}
	return path.Clean(p), nil
}

// drive reports a Windows drive letter, C: or c:\.
func drive(p string) bool {
	c := p[0] | 0x20
	return len(p) >= 2 && p[1] == ':' && 'a' <= c && c <= 'z' && (len(p) == 2 || p[2] == '/' || p[2] == '\\')
}

// allowed refuses the paths that no tool may touch: version control's own files and secrets. p is clean.
func allowed(p string) error {
	for name := range strings.SplitSeq(p, "/") {
		if isVCS(name) {
			return fmt.Errorf("%w: %s belongs to version control itself, which may be neither read nor changed", ErrOutside, p)
		}
	}
	return secretPath(p)
}

// isVCS reports the names under which version control keeps its data, in every spelling that some filesystem takes for
// it: other case, trailing dots and spaces, invisible characters, and the short name that Windows gives.
func isVCS(name string) bool {
	if name == "" || name[0] != '.' && name[0]|0x20 != 'g' && name[0] < 0x80 {
		return false
	}
	switch fold(name) {
	case ".git", "git~1", ".hg", ".svn", ".jj", ".bzr":
		return true
	}
	return false
}

// spot is one name in an open directory: where a path really leads.
type spot struct {
	root *os.Root    // of the tree
	dir  *os.Root    // the directory that holds it
	name string      // its name there
	path string      // its path with symlinks resolved
	info fs.FileInfo // nil where nothing has that name; never a symlink unless it was asked for
	open []*os.Root  // the handles from the root down, to go up again and to close
}

func (s *spot) close() {
	for _, h := range s.open {
		h.Close()
	}
}

// links says what locate does with symlinks.
type links int

const (
	follow links = iota // as long as they stay inside
	refuse              // ErrSymlink for any, on the way or at the end
	keep                // the last component may be one and is given itself; on the way they are refused
)

// locate walks p, which is clean, component by component from the root, each directory opened from the handle of the one
// above and compared with what was seen there, so that a directory swapped for a symlink meanwhile cannot divert it. An
// absent last component is no error (info is nil); an absent directory on the way is fs.ErrNotExist.
func (t *tree) locate(p string, how links) (*spot, error) {
	s := &spot{root: t.root, dir: t.root}
	if err := s.walk(p, how); err != nil {
		s.close()
		return nil, err
	}
	if s.path != p {
		if err := allowed(s.path); err != nil {
			s.close()
			return nil, fmt.Errorf("%s leads to it: %w", p, err)
		}
	}
	return s, nil
}

func (s *spot) walk(p string, how links) error {
	var (
		todo = strings.Split(p, "/")
		at   []string // names of the directories in s.open
		hops int
	)
	for i := 0; i < len(todo); i++ {
		name, last := todo[i], i == len(todo)-1
		switch name {
		case "", ".":
			if !last {
				continue
			}
			return s.end(at)
		case "..":
			if len(at) == 0 {
				return fmt.Errorf("%w: %s is a symlink that leaves the folder; work on files inside it", ErrOutside, p)
			}
			at = at[:len(at)-1]
			s.pop()
			if !last {
				continue
			}
			return s.end(at)
		}
		fi, err := s.dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) && last {
			s.name, s.path = name, join(at, name)
			return nil
		}
		if err != nil {
			return plain(err)
		}
		switch mode := fi.Mode(); {
		case mode&fs.ModeSymlink != 0 && how == keep && last, mode&fs.ModeSymlink == 0 && last:
			s.name, s.path, s.info = name, join(at, name), fi
			return nil
		case mode&fs.ModeSymlink != 0:
			target, err := s.dir.Readlink(name)
			if err != nil {
				return plain(err)
			}
			if how != follow {
				return fmt.Errorf("%w: %s is a symlink to %s, and nothing is written through one; change its target instead", ErrSymlink, join(at, name), target)
			}
			if hops++; hops > maxLinks {
				return fmt.Errorf("%s: %w", p, syscall.ELOOP)
			}
			if strings.HasPrefix(target, "/") || len(target) > maxPath {
				return fmt.Errorf("%w: %s is a symlink that leaves the folder; work on files inside it", ErrOutside, p)
			}
			todo, i = append(strings.Split(target, "/"), todo[i+1:]...), -1
		case !fi.IsDir():
			return fmt.Errorf("%s is a file, not a folder: %w", join(at, name), fs.ErrNotExist)
		default:
			if len(at) >= maxDepth {
				return fmt.Errorf("%w: %s is nested too deeply", ErrOutside, p)
			}
			if err := s.push(name, fi); err != nil {
				return err
			}
			at = append(at, name)
		}
	}
	return s.end(at)
}

// end settles on the directory itself.
func (s *spot) end(at []string) error {
	fi, err := s.dir.Stat(".")
	if err != nil {
		return plain(err)
	}
	s.name, s.path, s.info = ".", join(at, ""), fi
	return nil
}

// push goes down into a directory that was seen here.
func (s *spot) push(name string, seen fs.FileInfo) error {
	h, err := openDir(s.dir, name, seen)
	if err != nil {
		return err
	}
	s.open, s.dir = append(s.open, h), h
	return nil
}

// pop goes back to the directory above.
func (s *spot) pop() {
	n := len(s.open) - 1
	s.open[n].Close()
	s.open = s.open[:n]
	s.dir = s.root
	if n > 0 {
		s.dir = s.open[n-1]
	}
}

func join(at []string, name string) string {
	return path.Clean(path.Join(path.Join(at...), name))
}

// openDir opens a directory that was seen in parent, and fails if its name means something else by now.
func openDir(parent *os.Root, name string, seen fs.FileInfo) (*os.Root, error) {
	h, err := parent.OpenRoot(name)
	if err != nil {
		return nil, plain(err)
	}
	now, err := h.Stat(".")
	if err != nil || !os.SameFile(now, seen) {
		h.Close()
		return nil, fmt.Errorf("%s was replaced while it was opened: %w", name, fs.ErrNotExist)
	}
	return h, nil
}

// openFile opens a regular file that was seen in parent for reading, never blocking on a pipe that took its place.
func openFile(parent *os.Root, name string, seen fs.FileInfo) (*os.File, error) {
	f, err := parent.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, plain(err)
	}
	now, err := f.Stat()
	if err != nil || !now.Mode().IsRegular() || !os.SameFile(now, seen) {
		f.Close()
		return nil, fmt.Errorf("%s was replaced while it was opened: %w", name, fs.ErrNotExist)
	}
	return f, nil
}
