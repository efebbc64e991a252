// Package index builds and updates the chunk and keyword index of one repository.
package index

import (
	"context"
	"errors"
	"time"

	"redgreen/backend/repo"
)

var errStub = errors.New("not built")

// Chunk is one indexed piece of code: a function, method, class, or a window of lines where nothing could be parsed.
type Chunk struct {
	ID        int64  `json:"id"`
	Path      string `json:"path"`
	Lang      string `json:"lang"`
	Name      string `json:"name"`
	Qualified string `json:"qualified"`  // Class.method
	Kind      string `json:"kind"`       // function, method, class, interface, type, module, lines
	StartLine int    `json:"start_line"` // 1-based, inclusive
	EndLine   int    `json:"end_line"`
	Signature string `json:"signature"`
	Doc       string `json:"doc"`
	Test      bool   `json:"test"`
	Text      string `json:"-"`
}

// Progress of an update.
type Progress struct {
	Done, Total int // files
	Chunks      int
}

// Stats of a finished update.
type Stats struct {
	Files, Chunks, Updated, Removed, Skipped int
	Broken                                   int // files with a syntax error, or none could be parsed
	Took                                     time.Duration
}

// Index of one repository: SQLite and bleve in one folder. Safe for concurrent use.
type Index struct{}

// Open opens the index in dir (outside the repository); a corrupt or older one is made anew.
func Open(r *repo.Repo, dir string) (*Index, error) { return nil, errStub }
func (ix *Index) Close() error                      { return nil }

// Update brings the index up to date with the folder; only files whose content hash changed are parsed again.
func (ix *Index) Update(ctx context.Context, progress func(Progress)) (Stats, error) {
	return Stats{}, errStub
}

// Scored is a chunk's id with the score of one list.
type Scored struct {
	ID    int64
	Score float64
}

// Keywords ranks chunks for a query in words, best first.
func (ix *Index) Keywords(ctx context.Context, query string, n int) ([]Scored, error) {
	return nil, errStub
}

// Symbols ranks chunks whose name or qualified name is, begins with or contains name.
func (ix *Index) Symbols(ctx context.Context, name string, n int) ([]Scored, error) {
	return nil, errStub
}

// Paths ranks chunks by file name.
func (ix *Index) Paths(ctx context.Context, words string, n int) ([]Scored, error) {
	return nil, errStub
}

// Chunks loads chunks by id, with text, in the order of ids.
func (ix *Index) Chunks(ctx context.Context, ids []int64) ([]Chunk, error) { return nil, errStub }

// FileChunks lists the chunks of a file in order.
func (ix *Index) FileChunks(ctx context.Context, path string) ([]Chunk, error) { return nil, errStub }

// Counts of what is stored.
func (ix *Index) Counts(ctx context.Context) (files, chunks int, err error) { return 0, 0, errStub }
