package index

import "context"

// Embedder turns texts into vectors. One index holds the vectors of one embedder: another Name or Dim makes them anew.
type Embedder interface {
	Name() string // the provider, the model and its version: what changes the vectors changes the name
	Dim() int     // numbers a vector
	// Embed gives a vector of Dim numbers for each text, in order. It is called by one goroutine at a time.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Options of an index. The zero value is the default.
type Options struct {
	Generated bool     // generated and vendored files are indexed too
	Embedder  Embedder // nil: no vectors
}

// Embedder is the one that the index was opened with, nil none.
func (ix *Index) Embedder() Embedder { return ix.options.Embedder }
