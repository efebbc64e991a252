// Package index builds and updates the chunk and keyword index of one repository.
//
// Two stores lie in one folder outside the repository: SQLite has files, chunks and their metadata, bleve has the postings
// of the chunks' terms. SQLite is the truth; a chunk is in it before bleve hears of it and carries a mark until bleve has
// it, so a kill at any moment costs one batch of work. What cannot be read is made anew, since the repository can always
// be indexed again. One process writes at a time; others read a snapshot that costs no copying (hard links).
package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2"

	"redgreen/backend/repo"
)

// Names inside the index folder.
const (
	storeFile   = "chunks.db"
	keywordsDir = "keywords"
	lockFile    = "lock"
	readersDir  = "readers"
)

// ErrBusy is an index that another process writes and that could not be read beside it.
var ErrBusy = errors.New("index in use")

var errClosed = errors.New("index is closed")

// source is what the index needs of a repository.
type source interface {
	Files(ctx context.Context) ([]repo.File, error)
	Read(path string) ([]byte, error)
}

// Index of one repository: SQLite and bleve in one folder. Safe for concurrent use.
type Index struct {
	src      source
	dir      string
	options  Options
	analyser analyser

	rules   rules
	files   fileTable
	changed changes
	watched atomic.Bool // a Watch tells of changes
	vectors vectorSet

	updating sync.Mutex  // one update at a time
	checked  bool        // the segments are or were compared with their checksums; guarded by updating
	segments []string    // the files of the keyword index as it was opened: those to come are written in the background
	suspect  atomic.Bool // a search met damage: the next update makes the index anew

	mu       sync.RWMutex // guards what follows; held for writing only while stores are opened or closed
	lock     *os.File     // nil: another process writes, this one reads a snapshot
	store    *store
	keywords bleve.Index
	snapshot *snapshot
}

// Open opens the index in dir (outside the repository); a corrupt or older one is made anew. Where another process has
// the index open, this one reads what that has written so far (ReadOnly), until an Update finds the other gone.
func Open(r *repo.Repo, dir string, o Options) (*Index, error) { return open(r, dir, o) }

func open(src source, dir string, o Options) (*Index, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the index folder: %w", err)
	}
	ix := &Index{src: src, dir: dir, options: o, analyser: newAnalyser(), rules: newRules()}
	if err := ix.openAny(); err != nil {
		return nil, err
	}
	ix.warm()
	return ix, nil
}

// openAny opens for writing, or else for reading. It is called with mu held, or before anybody else knows the index.
func (ix *Index) openAny() error {
	lock, err := tryLock(filepath.Join(ix.dir, lockFile))
	if err != nil {
		return fmt.Errorf("locking the index: %w", err)
	}
	if lock == nil {
		return ix.openReader()
	}
	sweepReaders(ix.dir)
	if err = misplaced(ix.dir); err == nil {
		err = ix.openWriter()
	}
	if damaged(err) {
		if err = wipe(ix.dir); err == nil {
			err = ix.openWriter()
		}
	}
	if err != nil {
		lock.Close()
		if full(err) {
			return fmt.Errorf("opening the index in %s: no space left on the disk; free some and try again: %w", ix.dir, err)
		}
		return fmt.Errorf("opening the index in %s: %w", ix.dir, err)
	}
	ix.lock = lock
	return nil
}

// schema names the form of the index: one with other files in it is made anew.
func (ix *Index) schema() string {
	if ix.options.Generated {
		return schemaVersion + " with generated files"
	}
	return schemaVersion
}

func (ix *Index) openWriter() error {
	s, err := openStore(ix.dir, ix.schema(), false)
	if err != nil {
		return err
	}
	var kw bleve.Index
	if err = breakSeal(ix.dir); err == nil {
		ix.segments, err = segmentFiles(ix.dir)
	}
	if err == nil {
		kw, err = openKeywords(ix.dir, false)
	}
	if err == nil {
		if err = consistent(s, kw); err == nil {
			ix.store, ix.keywords = s, kw
			return nil
		}
		kw.Close()
	}
	s.close()
	return err
}

// consistent compares what the two stores hold; between the bounds lies what a kill may have left open.
func consistent(s *store, kw bleve.Index) error {
	n, err := kw.DocCount()
	if err != nil {
		return fmt.Errorf("%w: %v", errDamaged, err)
	}
	var least, most uint64
	err = s.db.QueryRow(`SELECT chunks - (SELECT count(*) FROM chunks WHERE indexed=0), chunks + (SELECT count(*) FROM gone) FROM lengths`).Scan(&least, &most)
	if err != nil {
		return err
	}
	if n < least || n > most {
		return fmt.Errorf("%w: %d chunks in the keyword index, %d to %d in the database", errDamaged, n, least, most)
	}
	return nil
}

// readerPatience is how long a second process waits for the first to have something to read.
const readerPatience = 3 * time.Second

func (ix *Index) openReader() error {
	var err error
	for end := time.Now().Add(readerPatience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = ix.openSnapshot(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: another Redgreen is building the index of this folder in %s and has nothing to read yet; wait for it or close it: %v", ErrBusy, ix.dir, err)
}

func (ix *Index) openSnapshot() error {
	s, err := openStore(ix.dir, ix.schema(), true)
	if err != nil {
		return err
	}
	snap, kw, err := takeSnapshot(ix.dir)
	if err != nil {
		s.close()
		return err
	}
	ix.store, ix.keywords, ix.snapshot = s, kw, snap
	return nil
}

// ReadOnly reports that another process writes this index.
func (ix *Index) ReadOnly() bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.lock == nil
}

// Close ends the use of the index; it waits for an update to end, so cancel that first.
func (ix *Index) Close() error {
	ix.vectors.cool()
	ix.updating.Lock()
	defer ix.updating.Unlock()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	err := ix.closeStores()
	if ix.lock != nil {
		err = errors.Join(err, ix.lock.Close())
		ix.lock = nil
	}
	return err
}

func (ix *Index) closeStores() error {
	var err error
	if ix.keywords != nil {
		closing := closeKeywords(ix.keywords)
		if closing == nil && ix.lock != nil {
			closing = seal(ix.dir)
		}
		err = errors.Join(err, closing)
	}
	if ix.store != nil {
		err = errors.Join(err, ix.store.close())
	}
	if ix.snapshot != nil {
		err = errors.Join(err, ix.snapshot.close())
	}
	ix.keywords, ix.store, ix.snapshot = nil, nil, nil
	ix.files.forget()
	ix.vectors.forget()
	return err
}

// failed words the error of a search, and remembers damage.
func (ix *Index) failed(doing string, err error) error {
	if damaged(err) {
		ix.suspect.Store(true)
		return fmt.Errorf("%s: %w; the next update of the index makes it anew", doing, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// rebuild throws both stores away and opens new ones.
func (ix *Index) rebuild() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.suspect.Store(false)
	_ = ix.closeStores() // what is thrown away may fail to close
	if err := wipe(ix.dir); err != nil {
		return fmt.Errorf("removing a damaged index: %w", err)
	}
	return ix.openWriter()
}

// misplaced reports a folder where a file of the index belongs, or the other way round; opening one says what it would of a disk
// that fails.
func misplaced(dir string) error {
	inKeywords := filepath.Join(keywordsDir, "store")
	for _, name := range append(stored(), inKeywords, filepath.Join(inKeywords, "root.bolt")) {
		if fi, err := os.Stat(filepath.Join(dir, name)); err == nil && fi.IsDir() != (name == keywordsDir || name == inKeywords) {
			return fmt.Errorf("%w: %s is of another kind", errDamaged, name)
		}
	}
	return nil
}

// stored are the parts of both stores.
func stored() []string {
	return []string{storeFile, storeFile + "-wal", storeFile + "-shm", keywordsDir, sealFile}
}

// wipe removes both stores and nothing else.
func wipe(dir string) error {
	var err error
	for _, name := range stored() {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
	}
	return err
}
