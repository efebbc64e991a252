package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// guideNames are the files in which repositories speak to those who work on them.
var guideNames = []string{"AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md"}

// mostParents bounds the way up to the root of the repository.
const mostParents = 32

// Guide is such a file, as it is.
type Guide struct {
	Path string // slash-separated, from the opened folder: AGENTS.md, ../../AGENTS.md
	Text string
}

// Guides reads the guides of the folder and, where it lies inside a git repository, of the folders above it up to the
// repository's root; those farthest from the folder come first, so that the nearest has the last word. A text that stands
// in several of them is given once. What is empty, a secret, binary, larger than the folder's limit for a file, no regular
// file, or reached through a symlink that leads outside or nowhere is left out, and no reason not to work. Folders above that belong to somebody else than the opened one are not
// looked at: anyone may put a .git into a shared folder.
func (r *Repo) Guides() ([]Guide, error) {
	var all []Guide
	for i, dir := range append(parents(r.dir), r.dir) {
		t, up := r.tree, ""
		if dir != r.dir {
			up = strings.Repeat("../", len(parents(r.dir))-i)
			var err error
			if t, err = openTree(dir, Options{MaxFile: r.maxFile}); err != nil {
				continue // it cannot be entered: nobody who works here reads it either
			}
		}
		found, err := t.guides(up)
		if t != r.tree {
			err = t.close() // one that vanished meanwhile has no guides
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return nearestOnce(all), nil
}

func (t *tree) guides(up string) ([]Guide, error) {
	var out []Guide
	for _, name := range guideNames {
		data, err := t.Read(name)
		if errors.Is(err, ErrGone) {
			return nil, fmt.Errorf("looking for the folder's guides: %w", err)
		}
		if err != nil {
			continue
		}
		if text := string(data); strings.TrimSpace(text) != "" {
			out = append(out, Guide{Path: path.Join(up, name), Text: text})
		}
	}
	return out, nil
}

// nearestOnce keeps of guides with the same text the last.
func nearestOnce(all []Guide) []Guide {
	seen := map[string]bool{}
	var out []Guide
	for _, g := range slices.Backward(all) {
		if text := strings.TrimSpace(g.Text); !seen[text] {
			seen[text] = true
			out = append(out, g)
		}
	}
	slices.Reverse(out)
	return out
}

// parents are the folders above dir up to the root of the git repository that it lies in, the root first; none where dir is
// that root, or in no repository, or where one of them belongs to another user.
func parents(dir string) []string {
	owner, ok := folderOwner(dir)
	if !ok {
		return nil
	}
	var above []string
	for at := dir; len(above) < mostParents; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			slices.Reverse(above)
			return above
		}
		next := filepath.Dir(at)
		if next == at {
			return nil
		}
		if at = next; !ownedBy(at, owner) {
			return nil
		}
		above = append(above, at)
	}
	return nil
}

func ownedBy(dir string, owner int) bool {
	o, ok := folderOwner(dir)
	return ok && o == owner
}

func folderOwner(dir string) (int, bool) {
	fi, err := os.Stat(dir)
	if err != nil {
		return 0, false
	}
	uid, _ := ownerOf(fi)
	return uid, true
}

// HashGuides tells guides apart: it changes with any path or text of them; "" where there are none.
func HashGuides(all []Guide) string {
	if len(all) == 0 {
		return ""
	}
	h := sha256.New()
	for _, g := range all {
		fmt.Fprintf(h, "%d %s %d %s\n", len(g.Path), g.Path, len(g.Text), g.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
