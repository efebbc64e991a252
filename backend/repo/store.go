package repo

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"redgreen/backend/patch"
)

// storeLimit is how much content is kept, in bytes: some hundred changed files at the limit of what is read, and some
// ten thousand usual ones.
const storeLimit = 256 << 20

// store keeps contents of text files by their hash, in the folder's state directory: what a patch was made for, and what
// it wrote. A later merge with the person's own edits needs them; nothing else does, so a lost one is no error. The zero
// value keeps nothing.
type store struct{ dir string }

// put keeps a content.
func (s store) put(data []byte) {
	if s.dir == "" {
		return
	}
	name := filepath.Join(s.dir, patch.Hash(data))
	if _, err := os.Stat(name); err == nil || os.MkdirAll(s.dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(s.dir, "new-")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

// get gives a content, nil where it is not kept or damaged.
func (s store) get(hash string) []byte {
	if s.dir == "" || !isHash(hash) {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(s.dir, hash))
	if err != nil || patch.Hash(data) != hash {
		return nil
	}
	if data == nil {
		data = []byte{}
	}
	return data
}

// prune removes the oldest contents beyond the limit.
func (s store) prune(limit int64) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var kept []os.FileInfo
	for _, e := range entries {
		if fi, err := e.Info(); err == nil {
			kept = append(kept, fi)
		}
	}
	slices.SortFunc(kept, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, fi := range kept {
		if limit -= fi.Size(); limit < 0 {
			_ = os.Remove(filepath.Join(s.dir, fi.Name()))
		}
	}
}
