package repo

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Hash identifies the folder as it is now, in the way of Workspace.BaseHash: equal hashes are equal trees. Every file that
// a copy would take is read.
func (r *Repo) Hash(ctx context.Context) (string, error) {
	records, err := r.records(ctx)
	if err != nil {
		return "", fmt.Errorf("hashing %s: %w", r.dir, err)
	}
	return treeHash(records, nil), nil
}

// Changed lists, sorted, the files of the folder that are not as w copied them: edited, new or gone since.
func (r *Repo) Changed(ctx context.Context, w *Workspace) ([]string, error) {
	records, err := r.records(ctx)
	if err != nil {
		return nil, fmt.Errorf("comparing %s with its copy: %w", r.dir, err)
	}
	type content struct {
		mode uint32
		sum  [len(record{}.sum)]byte
	}
	of := func(rec record) content { return content{uint32(rec.mode.Perm()) | linkBit(rec.mode), rec.sum} }
	differ := map[string]content{}
	for _, rec := range w.base.records {
		differ[rec.path] = of(rec)
	}
	for _, rec := range records {
		if was, ok := differ[rec.path]; ok && was == of(rec) {
			delete(differ, rec.path)
		} else {
			differ[rec.path] = of(rec)
		}
	}
	return slices.Sorted(maps.Keys(differ)), nil
}

// records reads the folder as a copy does, into no target.
func (r *Repo) records(ctx context.Context) ([]record, error) {
	c := &copier{src: r.tree}
	c.plain.Store(true) // there is nothing to clone into
	err := c.run(ctx)
	return c.records, err
}
