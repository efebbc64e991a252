package repo

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// Git is what was read from the folder's git metadata without running git; the zero value where there is none. Branch is
// empty when HEAD is detached, Commit is empty before the first commit.
type Git struct {
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`
}

// Git reads the branch and commit that are checked out now. It opens HEAD, the reference and packed-refs as plain files and
// nothing else: no configuration, hook, filter or program of the folder has a part in it. What it cannot read is empty.
func (r *Repo) Git() Git {
	m := findGit(r.dir)
	if m.own == "" {
		return Git{}
	}
	var g Git
	ref := "HEAD"
	for range 5 { // git follows a reference to a reference at most so often
		text := m.ref(ref)
		target, symbolic := strings.CutPrefix(text, "ref:")
		if !symbolic {
			if isHash(text) {
				g.Commit = text
			}
			break
		}
		if ref = strings.TrimSpace(target); !isRef(ref) {
			return Git{}
		}
		g.Branch = strings.TrimPrefix(ref, "refs/heads/")
	}
	return g
}

// gitDirs are where a folder's git metadata lives: own is of this worktree, common is shared by all of them.
type gitDirs struct{ own, common string }

// findGit finds the metadata of a folder: a .git folder, or a .git file that names it (worktrees, submodules).
func findGit(root string) gitDirs {
	dir := filepath.Join(root, ".git")
	fi, err := os.Stat(dir)
	if err != nil {
		return gitDirs{}
	}
	if !fi.IsDir() {
		target, ok := strings.CutPrefix(string(small(dir)), "gitdir:")
		if target = strings.TrimSpace(target); !ok || target == "" || strings.ContainsRune(target, 0) {
			return gitDirs{}
		}
		dir = absolute(root, target)
	}
	g := gitDirs{own: dir, common: dir}
	if common := strings.TrimSpace(string(small(filepath.Join(dir, "commondir")))); common != "" && !strings.ContainsRune(common, 0) {
		g.common = absolute(dir, common)
	}
	if head := g.ref("HEAD"); !strings.HasPrefix(head, "ref:") && !isHash(head) {
		return gitDirs{}
	}
	return g
}

func absolute(base, p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(base, p)
}

// ref gives the text of a reference: loose in this worktree, loose in the common folder, packed; "" where there is none.
func (g gitDirs) ref(name string) string {
	for _, dir := range []string{g.own, g.common} {
		if text := strings.TrimSpace(string(small(filepath.Join(dir, filepath.FromSlash(name))))); text != "" {
			return text
		}
	}
	f, err := openPlain(filepath.Join(g.common, "packed-refs"))
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 256<<20))
	for lines.Scan() {
		if hash, ref, ok := bytes.Cut(lines.Bytes(), []byte(" ")); ok && string(ref) == name {
			return string(hash)
		}
	}
	return ""
}

// isRef reports a well-formed reference under refs/, by the rules of git-check-ref-format; others could name any file.
func isRef(ref string) bool {
	if !strings.HasPrefix(ref, "refs/") || path.Clean(ref) != ref || strings.Contains(ref, "..") || strings.Contains(ref, "@{") {
		return false
	}
	if strings.ContainsFunc(ref, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) }) {
		return false
	}
	for part := range strings.SplitSeq(ref, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// isHash reports a SHA-1 or SHA-256 object name.
func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}

// openPlain opens a regular file for reading without ever waiting for a pipe that has its name.
func openPlain(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("opening %s: not a regular file", name)
	}
	return f, nil
}

// small reads a file that git keeps to one line; nil where it is anything else.
func small(name string) []byte {
	f, err := openPlain(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPath+64))
	if err != nil || len(data) > maxPath+32 {
		return nil
	}
	return data
}

// metadata is what the walk needs to know of git: the exclude file and which files are tracked. The zero value knows
// nothing, for a folder without git.
type metadata struct {
	dirs  gitDirs
	rules []rules // for a copy, which has no git: those of the folder it was made from
	mu    sync.Mutex
	size  int64 // of the index file that was read last
	time  time.Time
	set   map[string]bool // tracked path → false for a file, true for a folder above one
}

func newMetadata(root string) *metadata { return &metadata{dirs: findGit(root)} }

// exclude is .git/info/exclude as the weakest ignore file.
func (m *metadata) exclude() []rules {
	if m.dirs.own == "" {
		return m.rules
	}
	f, err := openPlain(filepath.Join(m.dirs.common, "info", "exclude"))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnore))
	if err != nil {
		return nil
	}
	return []rules{parseIgnore(data, 0)}
}

// tracked gives the paths in git's index: false for a file, true for a folder above one. It is asked for when a walk first
// meets something ignored, and reads the index again when that changed. The map is not to be changed.
func (m *metadata) tracked() map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dirs.own != "" {
		m.load()
	}
	return m.set
}

func (m *metadata) load() {
	f, err := openPlain(filepath.Join(m.dirs.own, "index"))
	if err != nil {
		m.set = nil
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || m.set != nil && fi.Size() == m.size && fi.ModTime().Equal(m.time) {
		return
	}
	m.size, m.time, m.set = fi.Size(), fi.ModTime(), map[string]bool{}
	for _, e := range entries(f) {
		m.set[e.Name] = false
		for d := path.Dir(e.Name); d != "."; d = path.Dir(d) {
			if m.set[d] {
				break
			}
			m.set[d] = true
		}
	}
}

// entries decodes an index. One that cannot be read to its end (a new extension, SHA-256, damage) still gives what came
// before that point; the file belongs to a stranger's folder, so a decoder that panics over it is no reason to stop.
func entries(r io.Reader) (list []*index.Entry) {
	var idx index.Index
	defer func() {
		_ = recover()
		list = idx.Entries
	}()
	_ = index.NewDecoder(io.LimitReader(r, 1<<30)).Decode(&idx)
	return idx.Entries
}
