package index

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"golang.org/x/sys/unix"
)

// tryLock takes an advisory lock that ends with the file's last descriptor, so also with the process. nil, nil: another
// has it.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, fmt.Errorf("locking %s: %w", path, err)
}

func isNoSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// snapshot is one reader's view of the keyword index: hard links to its segments, which are written once and never
// changed, and a copy of the small file that lists them. bleve itself lets no second process in.
type snapshot struct {
	dir  string
	lock *os.File
}

func (s *snapshot) close() error {
	return errors.Join(os.RemoveAll(s.dir), s.lock.Close())
}

func takeSnapshot(dir string) (*snapshot, bleve.Index, error) {
	readers := filepath.Join(dir, readersDir)
	if err := os.MkdirAll(readers, 0o700); err != nil {
		return nil, nil, err
	}
	tmp, err := os.MkdirTemp(readers, "r")
	if err != nil {
		return nil, nil, err
	}
	lock, err := tryLock(filepath.Join(tmp, lockFile))
	if err != nil || lock == nil {
		return nil, nil, errors.Join(err, os.RemoveAll(tmp))
	}
	s := &snapshot{dir: tmp, lock: lock}
	if err := linkKeywords(filepath.Join(dir, keywordsDir), filepath.Join(tmp, keywordsDir)); err != nil {
		return nil, nil, errors.Join(err, s.close())
	}
	kw, err := openKeywords(tmp, true)
	if err != nil {
		return nil, nil, errors.Join(err, s.close())
	}
	return s, kw, nil
}

// linkKeywords makes the copy. The writer may remove segments meanwhile; then opening fails and the caller tries again.
func linkKeywords(from, to string) error {
	store := filepath.Join(to, "store")
	if err := os.MkdirAll(store, 0o700); err != nil {
		return err
	}
	if err := copyStable(filepath.Join(from, "index_meta.json"), filepath.Join(to, "index_meta.json")); err != nil {
		return err
	}
	segments, err := filepath.Glob(filepath.Join(from, "store", "*.zap"))
	if err != nil {
		return err
	}
	link := func() error {
		for _, s := range segments {
			if err := os.Link(s, filepath.Join(store, filepath.Base(s))); err != nil && !errors.Is(err, os.ErrExist) {
				return err
			}
		}
		return nil
	}
	if err := link(); err != nil {
		return err
	}
	if err := copyStable(filepath.Join(from, "store", "root.bolt"), filepath.Join(store, "root.bolt")); err != nil {
		return err
	}
	if segments, err = filepath.Glob(filepath.Join(from, "store", "*.zap")); err != nil {
		return err
	}
	return link() // those that came between the two
}

// copyStable copies a small file that its owner may be changing: two readings must agree. bolt never writes over pages
// that its last commit uses, so a reading within one transaction is whole.
func copyStable(from, to string) error {
	before, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	for range 10 {
		again, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if bytes.Equal(before, again) {
			return os.WriteFile(to, again, 0o600)
		}
		before = again
	}
	return fmt.Errorf("%w: %s changes all the time", ErrBusy, filepath.Base(from))
}

// sweepReaders removes what readers left that were killed: their locks are free.
func sweepReaders(dir string) {
	entries, err := os.ReadDir(filepath.Join(dir, readersDir))
	if err != nil {
		return // there were none
	}
	for _, e := range entries {
		path := filepath.Join(dir, readersDir, e.Name())
		if lock, err := tryLock(filepath.Join(path, lockFile)); err == nil && lock != nil {
			os.RemoveAll(path)
			lock.Close()
		}
	}
}
