// Package search parses a query, asks the index, fuses and ranks.
package search

import (
	"context"
	"errors"

	"redgreen/backend/index"
)

// Hit is one ranked snippet. The JSON form is the contract of `redgreen search --json`.
type Hit struct {
	Path      string  `json:"path"`
	StartLine int     `json:"start_line"`
	EndLine   int     `json:"end_line"`
	Symbol    string  `json:"symbol"`
	Kind      string  `json:"kind"`
	Score     float64 `json:"score"`
	Snippet   string  `json:"-"` // the lines themselves
	BestLine  int     `json:"-"` // the line that fits the query best
	Why       []Part  `json:"-"` // the parts of the score
}

// Part is one list's share of a score.
type Part struct {
	List  string
	Rank  int
	Score float64
}

// Options of a search.
type Options struct {
	N    int                               // hits, default 10
	Read func(path string) ([]byte, error) // present text, so that no hit is stale; nil trusts the index
}

// Search ranks chunks for a query: words, an identifier, a path, a pasted error or stack trace.
func Search(ctx context.Context, ix *index.Index, query string, o Options) ([]Hit, error) {
	return nil, errors.New("not built")
}
