package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long nothing may have changed before an update begins; impatience is when it begins anyway.
	quiet      = 60 * time.Millisecond
	impatience = 2 * time.Second
	// maxSome is how many changed files are looked at one by one, rather than walking the folder.
	maxSome = 200
	// pollEvery and pollShare say how often a folder that cannot be watched is walked: not more than a fiftieth of the time.
	pollEvery = 5 * time.Second
	pollShare = 50
)

// Watched is what Watch tells: an update's end, or that the system's notices are not to be had.
type Watched struct {
	Stats Stats
	Err   error
	Why   string // why the folder is walked from time to time instead of watched, in words; "" it is watched
}

// Watch keeps the index up to date until ctx ends: it hears of changes from the system, waits for a moment of quiet, and
// updates. Where the system gives no notices (its limit of watches is reached, a network folder), it walks the folder from
// time to time and says so. tell is called from Watch's own goroutine. It blocks; it returns when ctx ends.
func (ix *Index) Watch(ctx context.Context, tell func(Watched)) error {
	root, ok := ix.src.(interface{ Root() string })
	if !ok {
		return errors.New("watching a folder: the source has no folder on disk")
	}
	w, err := fsnotify.NewWatcher()
	if err == nil {
		defer w.Close()
		watch := &watcher{ix: ix, root: root.Root(), system: w, tell: tell, folders: map[string]bool{}}
		err = watch.run(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	return ix.poll(ctx, tell, fmt.Sprintf("changes are looked for every few seconds, since the system does not tell of them: %v", err))
}

// poll updates from time to time.
func (ix *Index) poll(ctx context.Context, tell func(Watched), why string) error {
	wait := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		start := time.Now()
		st, err := ix.Update(ctx, nil)
		if ctx.Err() != nil {
			return nil
		}
		tell(Watched{Stats: st, Err: err, Why: why})
		wait = max(pollEvery, pollShare*time.Since(start))
	}
}

// watcher is one Watch that hears of changes.
type watcher struct {
	ix      *Index
	root    string
	system  *fsnotify.Watcher
	tell    func(Watched)
	folders map[string]bool // that are watched, relative to root
	all     bool            // more has changed than is known by name
}

// errNoNotices is a system that cannot watch the folder.
var errNoNotices = errors.New("no notices of changes")

func (w *watcher) run(ctx context.Context) error {
	if err := w.update(ctx); err != nil {
		return err
	}
	w.ix.watched.Store(true)
	defer w.ix.watched.Store(false)
	var first time.Time // change since the last update
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.system.Events:
			if !ok {
				return errNoNotices
			}
			if !w.heard(e) {
				continue
			}
		case _, ok := <-w.system.Errors: // among them that notices were lost
			if !ok {
				return errNoNotices
			}
			w.all = true
		case <-timer.C:
			first = time.Time{}
			if err := w.update(ctx); err != nil {
				return err
			}
			continue
		}
		if first.IsZero() {
			first = time.Now()
		}
		timer.Reset(max(min(quiet, impatience-time.Since(first)), 0))
	}
}

// heard notes what has changed; false where it does not matter.
func (w *watcher) heard(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	rel, err := filepath.Rel(w.root, e.Name)
	if err != nil || strings.HasPrefix(filepath.ToSlash(rel), ".git/") || rel == ".git" {
		return false
	}
	rel = filepath.ToSlash(rel)
	if w.folders[rel] || path.Base(rel) == ".gitignore" {
		w.all = true
		return true
	}
	if fi, err := os.Lstat(e.Name); err == nil && fi.IsDir() {
		w.all = true
		return true
	}
	w.ix.changed.add(rel)
	return true
}

// update brings the index up to date with what was heard, and watches the folders of new files.
func (w *watcher) update(ctx context.Context) error {
	first := len(w.folders) == 0
	for round := 0; ; round++ {
		names, last := w.ix.changed.list()
		all := w.all || first || round > 0 || len(names) > maxSome
		w.all = false
		var st Stats
		var err error
		if !all {
			st, all, err = w.ix.updateSome(ctx, names)
		}
		if all && err == nil {
			st, err = w.ix.Update(ctx, nil)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			w.ix.changed.done(last)
		}
		w.tell(Watched{Stats: st, Err: err})
		if err != nil || !all {
			return nil // an update that failed is told; the next change tries again
		}
		if more, err := w.watchFolders(ctx); err != nil || !more || round > 3 {
			return err
		}
		first = false // files may have come before their folder was watched
	}
}

// watchFolders watches the folders of all indexed files, and those above.
func (w *watcher) watchFolders(ctx context.Context) (more bool, err error) {
	w.ix.mu.RLock()
	defer w.ix.mu.RUnlock()
	if w.ix.store == nil {
		return false, errClosed
	}
	files, err := w.ix.files.all(ctx, w.ix.store)
	if err != nil {
		return false, err
	}
	now := map[string]bool{".": true}
	for _, f := range files {
		for dir := path.Dir(f.path); !now[dir]; dir = path.Dir(dir) {
			now[dir] = true
		}
	}
	for dir := range w.folders {
		if !now[dir] {
			_ = w.system.Remove(filepath.Join(w.root, dir)) // it is gone, most of the time
			delete(w.folders, dir)
		}
	}
	for dir := range now {
		if w.folders[dir] {
			continue
		}
		if err := w.system.Add(filepath.Join(w.root, dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return false, fmt.Errorf("watching %d folders: %w", len(now), err)
		}
		w.folders[dir], more = true, true
	}
	return more, nil
}
