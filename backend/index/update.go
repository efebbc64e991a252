package index

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"redgreen/backend/repo"
)

// Progress of an update.
type Progress struct {
	Done, Total int // files
	Chunks      int
	Rate        float64       // files a second of those that had to be looked at; 0 not known yet
	Left        time.Duration // to the end, as the bytes read so far say; 0 not known yet
}

// rateAfter is how long an update runs before its rate means something.
const rateAfter = time.Second

// Stats of a finished update.
type Stats struct {
	Files, Chunks, Updated, Removed, Skipped int
	Broken                                   int   // files with a syntax error, or none could be parsed
	Generated, Vendored                      int   // left out, among the skipped
	ReadOnly                                 bool  // another process writes the index
	Behind                                   int   // files that it has still to read, after CatchUp
	Vectors                                  error // why some chunks have no vector yet, nil: all have, or there is no embedder
	Took                                     time.Duration
}

const (
	// firstChunks, batchChunks and batchBytes bound what is in memory at a time. Large batches make few segments, which
	// have to be merged less often; the first ones are smaller, so that there is something to find soon.
	firstChunks = 1000
	batchChunks = 4000
	batchBytes  = 8 << 20
	// batchAge is how long work may be lost by a kill.
	batchAge = 5 * time.Second
	// maxAhead is how much may be read while a batch is written, in units of aheadUnit bytes; a file is one at least.
	maxAhead  = 1024
	aheadUnit = 8 << 10
	// racy is how close to the reading a file's time may be before a change within the same tick of the clock could go
	// unseen: such a file is looked at again next time.
	racy = 2 * time.Second
)

// Update brings the index up to date with the folder; only files whose content hash changed are parsed again. A file
// whose size and time are the same is not read. It can be cancelled and goes on where it was; one runs at a time. In a
// process that does not own the index it takes over if the owner is gone, and else sees what the owner has written.
func (ix *Index) Update(ctx context.Context, progress func(Progress)) (Stats, error) {
	return ix.bring(ctx, progress, ix.everything)
}

// listing says what files there are now and what is known of them.
type listing func(ctx context.Context) ([]repo.File, map[string]known, error)

// everything lists the whole folder, and what is known, at the same time.
func (ix *Index) everything(ctx context.Context) (files []repo.File, before map[string]known, err error) {
	var unread error
	var wg sync.WaitGroup
	wg.Go(func() { before, unread = ix.store.known(ctx) })
	files, err = ix.src.Files(ctx)
	wg.Wait()
	return files, before, cmp.Or(err, unread)
}

// bring is Update for what a listing says.
func (ix *Index) bring(ctx context.Context, progress func(Progress), list listing) (Stats, error) {
	start := time.Now()
	ix.updating.Lock()
	defer ix.updating.Unlock()
	owner, err := ix.takeOver()
	if err != nil {
		return Stats{}, err
	}
	if !owner {
		return ix.readOnlyStats(ctx, start)
	}
	if ix.suspect.Load() {
		if err := ix.rebuild(); err != nil {
			return Stats{}, fmt.Errorf("making a damaged index anew: %w", err)
		}
	}
	st, err := ix.update(ctx, progress, start, list)
	if err != nil && damaged(err) && ctx.Err() == nil {
		if err = ix.rebuild(); err == nil {
			st, err = ix.update(ctx, progress, start, ix.everything)
		}
	}
	if err != nil && full(err) {
		err = fmt.Errorf("no space left on the disk; free some, the update goes on where it stopped: %w", err)
	}
	if err != nil {
		return st, fmt.Errorf("updating the index: %w", err)
	}
	st.Took = time.Since(start)
	return st, nil
}

// updateSome is Update for files whose names are known. It leaves it to Update (all) where one is not in the index yet:
// whether it belongs there, only the walk knows.
func (ix *Index) updateSome(ctx context.Context, paths []string) (st Stats, all bool, err error) {
	root, ok := ix.src.(interface{ Root() string })
	if !ok || len(paths) == 0 {
		return Stats{}, len(paths) > 0, nil
	}
	var files []repo.File
	var before map[string]known
	ix.mu.RLock()
	if ix.store == nil {
		err = errClosed
	} else {
		before, err = ix.store.knownOf(ctx, paths)
	}
	ix.mu.RUnlock()
	if err != nil {
		return Stats{}, false, fmt.Errorf("updating the index: %w", err)
	}
	for _, p := range paths {
		fi, err := os.Lstat(filepath.Join(root.Root(), filepath.FromSlash(p)))
		_, known := before[p]
		switch {
		case err == nil && (!known || !fi.Mode().IsRegular()):
			return Stats{}, true, nil
		case err == nil:
			files = append(files, repo.File{Path: p, Size: fi.Size(), ModTime: fi.ModTime(), Mode: uint32(fi.Mode().Perm())})
		}
	}
	st, err = ix.bring(ctx, nil, func(ctx context.Context) ([]repo.File, map[string]known, error) {
		before, err := ix.store.knownOf(ctx, paths)
		return files, before, err
	})
	return st, false, err
}

// takeOver makes a reader the writer if the lock is free, and else shows it the newest state.
func (ix *Index) takeOver() (owner bool, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.store == nil {
		return false, errClosed
	}
	if ix.lock != nil {
		return true, nil
	}
	if err := ix.closeStores(); err != nil {
		return false, fmt.Errorf("closing the index snapshot: %w", err)
	}
	if err := ix.openAny(); err != nil {
		return false, err
	}
	return ix.lock != nil, nil
}

func (ix *Index) readOnlyStats(ctx context.Context, start time.Time) (Stats, error) {
	files, chunks, err := ix.Counts(ctx)
	return Stats{Files: files, Chunks: chunks, ReadOnly: true, Took: time.Since(start)}, err
}

// update is one attempt. The stores stay open for its length: only rebuild and Close take them away, both after it.
func (ix *Index) update(ctx context.Context, progress func(Progress), start time.Time, list listing) (Stats, error) {
	if err := ix.store.distrust(ctx); err != nil {
		return Stats{}, err
	}
	missing, err := ix.ownVectors(ctx)
	if err != nil {
		return Stats{}, err
	}
	sound := ix.checkOnce()
	files, known, err := list(ctx)
	if err := cmp.Or(sound(), err); err != nil {
		return Stats{}, err
	}
	todo, removed := compare(files, known)
	u := &updater{ix: ix, progress: progress, start: start, total: len(files), done: len(files) - len(todo)}
	u.stats.Removed = len(removed)
	for _, t := range todo {
		u.size += t.file.Size
	}
	if u.size >= longUpdate {
		defer collectLess()()
	}
	noted := missing
	if len(todo) > 0 && !missing && ix.options.local() == nil {
		noted = true
		err = ix.store.noteUnembedded(ctx, true)
	}
	if err == nil {
		err = u.run(ctx, todo, removed)
	}
	if err == nil && ix.options.Embedder != nil {
		err = u.embedded(ctx, missing, noted)
	}
	if err != nil {
		return u.stats, err
	}
	u.stats.Vectors = ix.vectors.failed
	return u.finish(ctx)
}

// embedded ends what an update does about vectors: of the changed chunks they are made.
func (u *updater) embedded(ctx context.Context, missing, noted bool) (err error) {
	local := u.ix.options.local() != nil // they are stored with their files
	if missing && !local {
		err = u.ix.missingVectors(ctx)
	}
	if err == nil && !local && (missing || u.stats.Updated+u.stats.Removed > maxSome) {
		err = u.ix.store.forgetVectors(ctx)
	}
	if err == nil && u.ix.vectors.failed == nil && noted {
		err = u.ix.store.noteUnembedded(ctx, false)
	}
	return err
}

// checkOnce compares the segments with their checksums, once, while something else is done; the result waits for it.
func (ix *Index) checkOnce() (sound func() error) {
	if ix.checked {
		return func() error { return nil }
	}
	ix.checked = true
	result := make(chan error, 1)
	segments := ix.segments
	go func() { result <- checkSegments(segments) }()
	return func() error {
		if err := <-result; err != nil {
			return fmt.Errorf("%w: %v", errDamaged, err)
		}
		return nil
	}
}

// task is one file to look at.
type task struct {
	seq  int
	file repo.File
	old  known
}

// units is what a file takes of maxAhead.
func (t task) units() int { return int(min(1+t.file.Size/aheadUnit, maxAhead)) }

// compare finds what to look at and what is no more; of before that stays.
func compare(files []repo.File, before map[string]known) (todo []task, removed []change) {
	for _, f := range files {
		old, ok := before[f.Path]
		delete(before, f.Path)
		if ok && old.size == f.Size && old.mtime == f.ModTime.UnixNano() && old.mtime != 0 {
			continue
		}
		todo = append(todo, task{file: f, old: old})
	}
	for path, old := range before {
		removed = append(removed, change{path: path, old: old, remove: true})
	}
	return todo, removed
}

// updater is the state of one update; batches are written by the goroutine that runs it.
type updater struct {
	ix          *Index
	progress    func(Progress)
	start       time.Time
	total, done int
	looked      int // files, of those that have to be looked at
	size, read  int64
	stats       Stats

	batch  []change
	chunks int
	bytes  int
	since  time.Time

	grams       pairs // postings of files first…last that are in no segment yet
	first, last int64
	inGrams     pending
}

// run lets workers read and cut files, and writes what they make. It returns after all workers have ended.
func (u *updater) run(ctx context.Context, todo []task, removed []change) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	tasks, results := make(chan task), make(chan result, maxAhead) // no worker waits for a batch to be written
	ahead := make(chan struct{}, maxAhead)
	wg.Go(func() {
		defer close(tasks)
		for i, t := range todo {
			t.seq = i
			for range t.units() {
				select {
				case ahead <- struct{}{}:
				case <-ctx.Done():
					return
				}
			}
			select {
			case tasks <- t:
			case <-ctx.Done():
				return
			}
		}
	})
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8) {
		workers.Add(1)
		wg.Go(func() {
			defer workers.Done()
			u.ix.work(ctx, tasks, results)
		})
	}
	wg.Go(func() { workers.Wait(); close(results) })
	u.since = time.Now()
	for _, c := range removed {
		if err := u.add(ctx, c); err != nil {
			return err
		}
	}
	early := map[int]result{} // results wait for those of the files before them: the index does not depend on who was faster
	next := 0
	for r := range results {
		if r.err != nil {
			return r.err
		}
		early[r.seq] = r
		for r, ok := early[next]; ok; r, ok = early[next] {
			delete(early, next)
			next++
			for range r.units() {
				<-ahead
			}
			if err := u.take(ctx, r.change); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return u.flush(ctx)
}

type result struct {
	task
	change change
	err    error
}

// work is one worker; it has a parser of its own.
func (ix *Index) work(ctx context.Context, tasks <-chan task, results chan<- result) {
	c := newChunker()
	c.words, c.grams = newVocabulary(ix.analyser.stop), newGramSet()
	if e := ix.options.local(); e != nil {
		c.words.bag = newBag(e, ix.analyser.stop)
	}
	defer c.close()
	for t := range tasks {
		ch, err := ix.look(c, t)
		select {
		case results <- result{t, ch, err}:
		case <-ctx.Done():
			return
		}
	}
}

// look reads one file and says what has to change.
func (ix *Index) look(c *chunker, t task) (change, error) {
	ch := change{path: t.file.Path, old: t.old, size: t.file.Size, mtime: t.file.ModTime.UnixNano()}
	if t.file.ModTime.After(time.Now().Add(-racy)) {
		ch.mtime = 0
	}
	src, err := ix.src.Read(t.file.Path)
	if err != nil {
		return ch.skipped(err)
	}
	sum := sha256.Sum256(src)
	if t.old.id != 0 && bytes.Equal(t.old.sha, sum[:]) {
		ch.touch = true
		return ch, nil
	}
	if !ix.options.Generated {
		if why := ix.rules.skip(t.file.Path, src); why != "" {
			ch.status = why
			return ch, nil
		}
	}
	cut, err := c.file(t.file.Path, src)
	if err != nil {
		return ch.skipped(err)
	}
	ch.sha, ch.lang, ch.chunks, ch.status = sum[:], cut.lang, cut.chunks, "ok"
	ch.content, ch.mentions, ch.grams = ix.store.pack(src), ix.store.pack(packMentions(cut.mentions)), c.grams.of(src)
	if cut.broken {
		ch.status = "broken"
	}
	c.words.begin()
	where := c.words.names(t.file.Path)
	ch.docs = make([]document, 0, len(ch.chunks))
	var notes []string
	for _, chunk := range ch.chunks {
		notes = cut.comments(chunk, notes[:0])
		ch.docs = append(ch.docs, c.words.document(chunk, where, notes))
		if c.words.bag != nil {
			ch.vectors = c.words.bag.pack(ch.vectors)
		}
	}
	ch.texts = c.words.texts()
	return ch, nil
}

// skipped turns a refusal into a row that remembers it, so that the file is not read again until it changes.
func (c change) skipped(err error) (change, error) {
	switch {
	case errors.Is(err, repo.ErrGone):
		return c, err
	case errors.Is(err, fs.ErrNotExist):
		c.remove = true
		return c, nil
	case errors.Is(err, repo.ErrSecret), errors.Is(err, repo.ErrOutside):
		c.status = "secret"
	case errors.Is(err, repo.ErrBinary):
		c.status = "binary"
	case errors.Is(err, repo.ErrTooLarge):
		c.status = "large"
	case errors.Is(err, errMinified):
		c.status = "minified"
	default:
		c.status, c.mtime = "unreadable", 0
	}
	return c, nil
}

// take counts one result and puts it into the batch.
func (u *updater) take(ctx context.Context, c change) error {
	u.done++
	u.looked++
	u.read += c.size
	if c.remove && c.old.id == 0 {
		return nil
	}
	if !c.touch && c.chunks != nil {
		u.stats.Updated++
	}
	if err := u.add(ctx, c); err != nil {
		return err
	}
	if u.progress != nil {
		u.progress(u.now(time.Since(u.start)))
	}
	return nil
}

// now is how far the update is after some time.
func (u *updater) now(since time.Duration) Progress {
	p := Progress{Done: u.done, Total: u.total, Chunks: u.stats.Chunks}
	if since >= rateAfter && u.read > 0 {
		p.Rate = float64(u.looked) / since.Seconds()
		p.Left = time.Duration(float64(since) * float64(max(u.size-u.read, 0)) / float64(u.read))
	}
	return p
}

func (u *updater) add(ctx context.Context, c change) error {
	u.batch = append(u.batch, c)
	u.chunks += len(c.chunks)
	u.stats.Chunks += len(c.chunks)
	if c.content != nil {
		u.bytes += int(c.size)
	}
	if u.chunks >= min(firstChunks+u.stats.Chunks/2, batchChunks) || u.bytes >= batchBytes || time.Since(u.since) > batchAge {
		return u.flush(ctx)
	}
	return nil
}

// flush writes the batch: database, keyword index, then the mark that both agree.
func (u *updater) flush(ctx context.Context) error {
	if len(u.batch) == 0 {
		return nil
	}
	s := u.ix.store
	if err := s.write(ctx, u.batch); err != nil {
		return err
	}
	gone, err := s.gone(ctx)
	if err != nil {
		return err
	}
	if err := addKeywords(u.ix.keywords, u.batch, gone); err != nil {
		return err
	}
	if err := s.settle(ctx, u.batch, gone); err != nil {
		return err
	}
	u.ix.files.forget()
	if err := u.segment(ctx); err != nil {
		return err
	}
	u.ix.vectors.remove(gone)
	if err := u.ix.vectorise(ctx, u.batch); err != nil {
		return err
	}
	clear(u.batch)
	u.batch, u.chunks, u.bytes, u.since = u.batch[:0], 0, 0, time.Now()
	return nil
}

// segment adds the batch to the postings of the trigram index, and writes them when they are many.
func (u *updater) segment(ctx context.Context) error {
	for _, c := range u.batch {
		if len(c.grams) > 0 {
			u.grams = u.grams.add(c.file, c.grams)
			u.first, u.last = cmp.Or(u.first, c.file), c.file
			u.inGrams.files++
			u.inGrams.bytes += c.size
		}
	}
	if len(u.grams) < segmentPairs {
		return nil
	}
	return u.writeSegment(ctx)
}

func (u *updater) writeSegment(ctx context.Context) error {
	err := u.ix.store.writeSegment(ctx, u.grams, u.first, u.last)
	u.grams, u.first, u.inGrams = u.grams[:0], 0, pending{}
	return err
}

// finish completes what is made of all files, and counts what is stored now.
func (u *updater) finish(ctx context.Context) (Stats, error) {
	st := u.stats
	var err error
	if u.inGrams.many() {
		err = u.writeSegment(ctx)
	}
	if err == nil {
		err = u.ix.store.tidySegments(ctx)
	}
	if err == nil {
		err = u.ix.store.rankIfNeeded(ctx, st.Updated+st.Removed)
	}
	u.ix.files.forget()
	if err != nil {
		return st, err
	}
	if st.Files, st.Chunks, err = u.ix.store.counts(ctx); err != nil {
		return st, err
	}
	err = u.ix.store.db.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE status='broken'), count(*) FILTER (WHERE status NOT IN ('ok','broken')),
		count(*) FILTER (WHERE status='generated'), count(*) FILTER (WHERE status='vendored') FROM files`).
		Scan(&st.Broken, &st.Skipped, &st.Generated, &st.Vendored)
	if u.progress != nil {
		u.progress(Progress{Done: u.total, Total: u.total, Chunks: st.Chunks})
	}
	return st, err
}
