package index

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// fileInfo is what searches need to know of every file.
type fileInfo struct {
	id      int64 // 0: not in the index yet
	path    string
	sha     string // of the indexed content
	lang    string
	segment bool // in the trigram index
	rank    float64
	size    int64
	mtime   int64 // as in the store: 0 says nothing
}

// fileTable keeps the list of files between changes: reading it takes about a microsecond a file.
type fileTable struct {
	mu    sync.Mutex
	known bool
	list  []fileInfo // by path
}

func (t *fileTable) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.list = false, nil
}

// all gives the files by path; nobody may change the list.
func (t *fileTable) all(ctx context.Context, s *store) ([]fileInfo, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known {
		list, err := s.fileInfos(ctx)
		if err != nil {
			return nil, err
		}
		t.list, t.known = list, true
	}
	return t.list, nil
}

func (s *store) fileInfos(ctx context.Context) ([]fileInfo, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, path, coalesce(sha256, ''), lang, segment<>0, rank, size, mtime FROM files WHERE status IN ('ok','broken') ORDER BY path`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []fileInfo
	for rows.Next() {
		var f fileInfo
		if err := rows.Scan(&f.id, &f.path, &f.sha, &f.lang, &f.segment, &f.rank, &f.size, &f.mtime); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, rows.Err()
}

// candidates lists the files that may match a pattern, by path: what the trigram index says, what is not in it yet, and
// what is known to have changed since.
func (ix *Index) candidates(ctx context.Context, p Pattern, o GrepOptions) ([]fileInfo, error) {
	files, err := ix.files.all(ctx, ix.store)
	if err != nil {
		return nil, err
	}
	with, err := ix.store.filesWith(ctx, p.needs())
	if err != nil {
		return nil, err
	}
	var dirty []string
	if !with.all {
		dirty = ix.stale(files)
	}
	heard, _ := ix.changed.list()
	dirty = append(append(dirty, heard...), o.Changed...)
	slices.Sort(dirty)
	dirty = slices.Compact(dirty)
	var out []fileInfo
	for _, f := range files {
		_, in := slices.BinarySearch(with.ids, uint32(f.id))
		at, changed := slices.BinarySearch(dirty, f.path)
		if changed {
			dirty = slices.Delete(dirty, at, at+1)
		}
		if (in || with.all || changed || !f.segment) && (o.Keep == nil || o.Keep(f.path)) {
			out = append(out, f)
		}
	}
	for _, path := range dirty {
		if o.Keep == nil || o.Keep(path) {
			out = append(out, fileInfo{path: path})
		}
	}
	if len(dirty) > 0 {
		slices.SortFunc(out, func(a, b fileInfo) int { return cmp.Compare(a.path, b.path) })
	}
	return out, nil
}

// stale lists the files in the trigram index whose size or time is no longer what it was, which takes a few µs a file;
// none while a Watch tells of changes. Files that were written within seconds of their indexing are among them until the
// next Update, as their time says nothing.
func (ix *Index) stale(files []fileInfo) (paths []string) {
	src, ok := ix.src.(interface{ Root() string })
	if !ok || ix.watched.Load() {
		return nil
	}
	root := src.Root() + string(filepath.Separator)
	workers := runtime.GOMAXPROCS(0)
	parts := make([][]string, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for _, f := range files[w*len(files)/workers : (w+1)*len(files)/workers] {
				if !f.segment {
					continue
				}
				fi, err := os.Lstat(root + f.path)
				if err != nil || fi.Size() != f.size || fi.ModTime().UnixNano() != f.mtime {
					parts[w] = append(parts[w], f.path)
				}
			}
		})
	}
	wg.Wait()
	return slices.Concat(parts...)
}

// changes are the paths that are known to have changed since they were indexed, each with the number of its last change.
type changes struct {
	mu    sync.Mutex
	last  int
	paths map[string]int
}

func (c *changes) add(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paths == nil {
		c.paths = map[string]int{}
	}
	c.last++
	c.paths[path] = c.last
}

// list gives the paths in order, and the number of the last change.
func (c *changes) list() (paths []string, last int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.paths)), c.last
}

// done forgets the changes up to one.
func (c *changes) done(last int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.paths, func(_ string, n int) bool { return n <= last })
}

// inOrderOf calls look for each item on all cores, a window of items at a time, and take with what it gives in the order
// of the items, until take returns false.
func inOrderOf[T, R any](ctx context.Context, items []T, look func(T) (R, error), take func(T, R) bool) error {
	workers := runtime.GOMAXPROCS(0)
	window := 8 * workers
	for len(items) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		now := items[:min(window, len(items))]
		items = items[len(now):]
		window = min(2*window, 64*workers)
		results, errs := make([]R, len(now)), make([]error, len(now))
		var wg sync.WaitGroup
		var next atomic.Int64 // a core takes the next item when it is free: one large file holds nothing else up
		for w := range workers {
			wg.Go(func() {
				defer func() {
					if p := recover(); p != nil {
						errs[w%len(now)] = fmt.Errorf("looking at files: %v", p)
					}
				}()
				for i := int(next.Add(1)) - 1; i < len(now); i = int(next.Add(1)) - 1 {
					results[i], errs[i] = look(now[i])
				}
			})
		}
		wg.Wait()
		for i, r := range results {
			if errs[i] != nil {
				return errs[i]
			}
			if !take(now[i], r) {
				return nil
			}
		}
	}
	return nil
}
