package repo

import (
	"cmp"
	"fmt"
	"strings"

	"redgreen/backend/patch"
)

// merge is exact, except that a file which the person edited since is merged: their lines stay, the patch's come in, and
// where both touched the same lines it is a conflict that names them. That needs the content which the patch was made for,
// kept by its hash; without it such a file is a conflict. A file that has the change already stays as it is.
func (r *Repo) merge(f patch.File, before *patch.Content) (*patch.Content, error) {
	name := cmp.Or(f.OldPath, f.Path)
	switch {
	case before == nil && f.Status == patch.Deleted:
		return nil, nil
	case before == nil || patch.Hash(before.Data) == f.Before && f.Before != "":
		return exact(f, before)
	case f.Status != patch.Renamed && f.Status != patch.Deleted && patch.Hash(before.Data) == f.After:
		return modeOnly(f, before), nil
	case f.Status == patch.Added:
		return nil, &conflict{name, "exists already with other content"}
	}
	base := r.store.get(f.Before)
	if base == nil {
		return nil, &conflict{name, "was edited"}
	}
	after, err := applied(f, &patch.Content{Data: base, Mode: f.OldMode}, before)
	if err != nil {
		return nil, err
	}
	var theirs []byte
	if after != nil {
		theirs = after.Data
	}
	merged, conflicts, err := patch.Merge(base, before.Data, theirs)
	switch {
	case err != nil:
		return nil, &conflict{name, "was edited and cannot be merged: " + err.Error()}
	case len(conflicts) > 0:
		return nil, &conflict{name, "was edited in the same place: " + lines(conflicts)}
	case after == nil:
		return nil, &conflict{name, "was edited and would be deleted"}
	}
	return &patch.Content{Data: merged, Mode: after.Mode}, nil
}

// modeOnly is a file that has the content already: what is left is the change of its permission bits.
func modeOnly(f patch.File, before *patch.Content) *patch.Content {
	c := *before
	if f.Status == patch.Modified && f.OldMode != f.NewMode && f.NewMode != 0 {
		c.Mode = f.NewMode & 0o777
	}
	return &c
}

// lines names the person's lines of some conflicts.
func lines(conflicts []patch.Conflict) string {
	const most = 5
	var list []string
	for _, c := range conflicts[:min(len(conflicts), most)] {
		list = append(list, c.String())
	}
	if n := len(conflicts) - most; n > 0 {
		list = append(list, fmt.Sprintf("and %d more places", n))
	}
	return strings.Join(list, ", ")
}

const holdsAll = "the folder holds the whole change already"

// Rebase gives the patch as Apply would write it now, and writes nothing: it is made for the files as they are, with the
// person's own edits kept. ErrConflict names the files and lines that both changed, as it is when the folder holds the
// whole change already.
func (r *Repo) Rebase(p patch.Patch) (patch.Patch, error) {
	out, err := r.rebase(p)
	if err != nil {
		return patch.Patch{}, fmt.Errorf("making the change anew in %s: %w", r.dir, err)
	}
	return out, nil
}

func (r *Repo) rebase(p patch.Patch) (patch.Patch, error) {
	if err := r.gone(); err != nil {
		return patch.Patch{}, err
	}
	plan, err := r.plan(p, r.merge)
	if err != nil {
		return patch.Patch{}, r.orGone(err)
	}
	out, err := patch.Diff(pairsOf(plan))
	if err == nil && out.Empty() && !p.Empty() {
		return patch.Patch{}, conflicted([]string{holdsAll})
	}
	return out, err
}
