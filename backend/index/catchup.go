package index

import (
	"context"
	"time"
)

// catchUpEvery and catchUpShare space the looks at what another process has still to read: each walks the folder.
const (
	catchUpEvery = 100 * time.Millisecond
	catchUpShare = 5
)

// CatchUp is Update, and where another process writes the index the wait until that has read what there is, or until it is gone
// and this process goes on. It waits no longer than patience (0: until ctx ends) and then gives how many files are missing
// (Behind) without an error.
func (ix *Index) CatchUp(ctx context.Context, patience time.Duration, progress func(Progress)) (Stats, error) {
	start := time.Now()
	for {
		st, err := ix.Update(ctx, progress)
		if err != nil || !st.ReadOnly {
			return st, err
		}
		look := time.Now()
		files, n, err := ix.behind(ctx)
		if st.Behind = n; err != nil || n == 0 {
			st.Took = time.Since(start)
			return st, err
		}
		if progress != nil {
			progress(Progress{Done: max(files-n, 0), Total: files, Chunks: st.Chunks})
		}
		wait := max(catchUpEvery, catchUpShare*time.Since(look))
		if patience > 0 {
			if wait = min(wait, patience-time.Since(start)); wait <= 0 {
				return st, nil
			}
		}
		select {
		case <-ctx.Done():
			return st, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// behind counts the files of the folder, and those that changed, came or went and that the index does not show yet: what another
// process, which writes it, has still to read. That is 0 behind an Update of this process's own index.
func (ix *Index) behind(ctx context.Context) (all, n int, err error) {
	ix.updating.Lock()
	defer ix.updating.Unlock()
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return 0, 0, errClosed
	}
	files, before, err := ix.everything(ctx)
	if err != nil {
		return 0, 0, err
	}
	todo, removed := compare(files, before)
	n = len(removed)
	for _, t := range todo {
		if t.old.id == 0 || t.old.size != t.file.Size || t.old.mtime != 0 { // without a time it was read a moment ago
			n++
		}
	}
	return len(files), n, nil
}
