package patch

import (
	"fmt"
)

// Select keeps the hunks for which keep is true; read gives the base content, needed for the new hashes. A file of which
// no hunk is kept is left out; one whose hunks are all kept stays as it is. A file without hunks (a pure rename, a mode
// change, an empty file) is asked for once, as hunk 0. New and deleted files have one hunk and go as a whole.
// It returns an error that wraps ErrChanged when the base of a partly kept file is not the one of the patch.
func (p Patch) Select(keep func(file, hunk int) bool, read ReadFunc) (Patch, error) {
	var out Patch
	for i, f := range p.Files {
		var kept []Hunk
		for j, h := range f.Hunks {
			if keep(i, j) {
				kept = append(kept, h)
			}
		}
		switch {
		case len(f.Hunks) == 0 && keep(i, 0), len(f.Hunks) > 0 && len(kept) == len(f.Hunks):
			out.Files = append(out.Files, f)
		case len(kept) > 0:
			part, err := f.part(kept, read)
			if err != nil {
				return Patch{}, fmt.Errorf("selecting hunks: %w", err)
			}
			out.Files = append(out.Files, part)
		}
	}
	return out, nil
}

func (f File) part(kept []Hunk, read ReadFunc) (File, error) {
	var base *Content
	if f.Status != Added {
		var err error
		if base, err = read(f.oldPath()); err != nil {
			return File{}, fmt.Errorf("reading %s: %w", f.oldPath(), err)
		}
	}
	if err := checkBefore(f, base); err != nil {
		return File{}, err
	}
	if f.Status == Added || f.Status == Deleted {
		return File{}, fmt.Errorf("choosing parts of %s: a new or deleted file goes as a whole", f.Path)
	}
	out := f
	out.Hunks = renumber(kept)
	after, err := applyHunks(f.Encoding, out.Hunks, base.Data)
	if err != nil {
		return File{}, fmt.Errorf("choosing parts of %s: %w", f.Path, err)
	}
	out.After = Hash(after)
	return out, nil
}

// renumber gives the new starts that follow from the hunks before.
func renumber(hunks []Hunk) []Hunk {
	out := make([]Hunk, 0, len(hunks))
	grown := 0
	for _, h := range hunks {
		start := h.OldStart
		if h.OldLines == 0 {
			start++
		}
		h.NewStart = start + grown
		if h.NewLines == 0 {
			h.NewStart--
		}
		grown += h.NewLines - h.OldLines
		out = append(out, h)
	}
	return out
}
