package testrun

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// maxSource bounds what is read of a file to recognise it: configuration and test files are far smaller.
const maxSource = 1 << 20

// folder is one folder of the tree, read without leaving the root.
type folder struct {
	root string
	dir  string // slash-separated, relative to root, "" the root
}

// read gives the beginning of a file, "" when there is none or it lies outside.
func (f folder) read(name string) string {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return ""
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.FromSlash(cleanRel(join(f.dir, name))), readOnly, 0)
	return string(regular(file, err, maxSource))
}

// readOnly opens what may be anything: a pipe that nobody writes into is opened too, and not waited for.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// regular reads up to most bytes of what was opened with readOnly, and closes it; nil where that failed or it is no regular
// file, but a pipe, a device or a folder.
func regular(file *os.File, err error, most int64) []byte {
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return nil
	}
	return data
}

// stat is what a path inside the tree is; a symlink that leaves the tree is an error.
func (f folder) stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(filepath.FromSlash(cleanRel(join(f.dir, name))))
}

// has reports whether a regular file is there.
func (f folder) has(name string) bool {
	info, err := f.stat(name)
	return err == nil && info.Mode().IsRegular()
}

// hasDir reports whether a folder is there.
func (f folder) hasDir(name string) bool {
	info, err := f.stat(name)
	return err == nil && info.IsDir()
}

// first is the first of the names that is a file, "" none.
func (f folder) first(names ...string) string {
	i := slices.IndexFunc(names, f.has)
	if i < 0 {
		return ""
	}
	return names[i]
}

// sub is the folder below.
func (f folder) sub(name string) folder {
	return folder{root: f.root, dir: cleanRel(join(f.dir, name))}
}

// cleanRel is path.Clean with "" for the root's own name.
func cleanRel(p string) string {
	if p = path.Clean(p); p == "/" {
		return "."
	}
	return p
}

// Bounds of a walk for tests: a command must be found at once also in a huge tree.
const (
	maxWalk  = 50_000 // entries
	maxDepth = 12
)

// skipped tells folders where no test of the repository itself lies.
func skippedDir(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{
		"node_modules", "vendor", "venv", "env", "__pycache__", "target", "dist", "third_party", "bower_components", "testdata",
	}, name)
}

var errFound = errors.New("found")

// walk visits the regular files below the folder, with paths relative to it, until visit returns false or the bounds are
// met.
func (f folder) walk(visit func(p string) bool) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return
	}
	defer root.Close()
	base := cleanRel(f.dir)
	seen := 0
	_ = fs.WalkDir(root.FS(), base, func(p string, d fs.DirEntry, err error) error {
		if seen++; seen > maxWalk {
			return errFound
		}
		if err != nil {
			return nil
		}
		rel := p
		if base != "." {
			rel = strings.TrimPrefix(strings.TrimPrefix(p, base), "/")
		}
		if d.IsDir() {
			if rel != "" && rel != "." && (skippedDir(d.Name()) || strings.Count(rel, "/") >= maxDepth) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && !visit(rel) {
			return errFound
		}
		return nil
	})
}

// files lists up to n files below the folder whose name fits.
func (f folder) files(n int, fits func(p string) bool) []string {
	var all []string
	f.walk(func(p string) bool {
		if fits(p) {
			all = append(all, p)
		}
		return len(all) < n
	})
	return all
}

// contains reports whether some file below whose name fits has text that matches.
func (f folder) contains(fits func(p string) bool, text *regexp.Regexp) bool {
	found := false
	f.walk(func(p string) bool {
		found = fits(p) && text.MatchString(f.read(p))
		return !found
	})
	return found
}
