package app

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"redgreen/backend/session"
)

// recent are the folders of the start view, the latest first: those that a window opened and those of saved sessions, which
// the terminal may have made. The sample has its own place there.
func (c *core) recent(ctx context.Context) ([]Recent, error) {
	sample, err := c.sample(false)
	if err != nil {
		return nil, err
	}
	store, err := c.sessions()
	if err != nil {
		return nil, err
	}
	const look = 100 // sessions; more would only find folders that are too old for the list
	states, _, err := store.Find(ctx, session.Filter{Limit: look})
	if err != nil {
		return nil, err
	}
	all := slices.Clone(c.current().Recent)
	for _, st := range states {
		if st.Source == "" && st.Folder != sample.Path {
			all = append(all, Recent{Path: st.Folder, Name: filepath.Base(st.Folder), Opened: st.Created})
		}
	}
	slices.SortStableFunc(all, func(a, b Recent) int { return cmp.Or(b.Opened.Compare(a.Opened), cmp.Compare(a.Path, b.Path)) })
	out := []Recent{}
	for _, r := range all {
		if len(out) < recentMost && !slices.ContainsFunc(out, func(o Recent) bool { return o.Path == r.Path }) {
			info, err := os.Stat(r.Path)
			r.Exists = err == nil && info.IsDir()
			out = append(out, r)
		}
	}
	return out, nil
}
