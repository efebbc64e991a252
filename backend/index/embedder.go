package index

import "context"

// Embedder turns texts into vectors. One index holds the vectors of one embedder: another Name or Dim makes them anew.
type Embedder interface {
	Name() string // the provider, the model and its version: what changes the vectors changes the name
	Dim() int     // numbers a vector
	// Embed gives a vector of Dim numbers for each text, in order. It is called by one goroutine at a time.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Local is an embedder that needs no more of a text than its first subtokens, and microseconds. Its vectors are made while files
// are cut, by many goroutines at once, and kept with their files.
type Local interface {
	Embedder
	Most() int                             // how many subtokens of a text count, known or not
	Subtoken(s string) (id int32, ok bool) // the number of a subtoken; ok is false for one that is not known
	Sum(v []float32, subtokens []int32)    // writes the vector of known subtokens, of any length; their order may change
}

// local is the embedder where it is a Local, else nil.
func (o Options) local() Local {
	l, _ := o.Embedder.(Local)
	return l
}

// Options of an index. The zero value is the default.
type Options struct {
	Generated bool     // generated and vendored files are indexed too
	Embedder  Embedder // nil: no vectors
}

// Embedder is the one that the index was opened with, nil none.
func (ix *Index) Embedder() Embedder { return ix.options.Embedder }
