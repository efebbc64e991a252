// Package search parses a query, asks the index, fuses and ranks.
//
// Each way to look (keywords, symbols, paths, frames of a stack trace, exact text) gives one ranked list; the lists meet
// by reciprocal rank fusion, which needs no scores that compare across lists and can be explained line by line. What is
// found is held against the present text before it is shown, since the agent and the person change files between updates
// of the index.
package search

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	Snippet   string  `json:"-"`   // the lines StartLine to EndLine themselves, without a line end at the end
	BestLine  int     `json:"-"`   // the line that fits the query best
	Lines     []int   `json:"-"`   // of an exact text or an expression: every line where it begins, BestLine the first; as many as are told apart
	Why       []Part  `json:"why"` // the parts of the score; they add up to it
}

// Part is one list's share of a score. A signal of the score table has rank 0; a list that is shown only, since another has it in
// it, has score 0.
type Part struct {
	List  string  `json:"list"`
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// Options of a search.
type Options struct {
	N    int                               // hits, default 10
	Read func(path string) ([]byte, error) // present text, so that no hit is stale; nil trusts the index

	// Changed are files whose text Read gives otherwise than the folder has it, or that only Read has: what the agent changed
	// and made. They are looked at whatever the index says of them.
	Changed []string

	// Within ends a search for an exact text or an expression, with what is found so far; 0 never. Told hears in words that
	// not all was looked at, or what the ranking had to go without; nil nobody does.
	Within time.Duration
	Told   func(string)

	Using Using
}

// Using says which lists rank a query in words.
type Using int

// The rankings; all but Full are there to be measured against it.
const (
	Full   Using = iota
	Fusion       // keywords and vectors, by reciprocal rank
	KeywordsOnly
	VectorsOnly
)

const defaultN = 10

// ErrEmpty is a query that says nothing.
var ErrEmpty = errors.New("empty query")

// ErrQuery is a query that cannot be read; the error says what would be.
var ErrQuery = errors.New("unreadable query")

// Search ranks chunks for a query: words, an identifier, a path, a pasted error or stack trace, an "exact text", or an
// /expression/. The same index, texts and query give the same hits in the same order.
func Search(ctx context.Context, ix *index.Index, query string, o Options) ([]Hit, error) {
	q, ranked, err := rank(ctx, ix, query, &o)
	if err != nil {
		return nil, err
	}
	hits, more, err := present(ctx, ix, q, ranked, o)
	if err != nil {
		return nil, fmt.Errorf("searching: %w", err)
	}
	if more {
		o.tell("more places fit than the %d shown", len(hits))
	}
	return hits, nil
}

// Rank is Search without the texts: places only, not held against the present text, with doubles.
func Rank(ctx context.Context, ix *index.Index, query string, o Options) ([]Hit, error) {
	_, ranked, err := rank(ctx, ix, query, &o)
	if err != nil {
		return nil, err
	}
	var out []Hit
	for _, c := range ranked[:min(o.N, len(ranked))] {
		out = append(out, Hit{Path: c.chunk.Path, StartLine: c.chunk.StartLine, EndLine: c.chunk.EndLine, Symbol: c.chunk.Qualified,
			Kind: c.chunk.Kind, Score: c.score, BestLine: c.chunk.StartLine, Why: c.why})
	}
	return out, nil
}

// tell says in words what whoever reads the hits should know of how they were found.
func (o Options) tell(format string, args ...any) {
	if o.Told != nil {
		o.Told(fmt.Sprintf(format, args...))
	}
}

func rank(ctx context.Context, ix *index.Index, query string, o *Options) (Query, []candidate, error) {
	q, err := Parse(query)
	if err != nil {
		return q, nil, err
	}
	if q.hint != "" {
		o.tell("%s", q.hint)
	}
	if o.N <= 0 {
		o.N = defaultN
	}
	lists, err := ask(ctx, ix, q, *o)
	if err != nil {
		return q, nil, fmt.Errorf("searching: %w", err)
	}
	ranked, err := fuse(ctx, ix, q, lists)
	if err != nil {
		return q, nil, fmt.Errorf("searching: %w", err)
	}
	if len(ranked) == 0 && q.strict {
		o.tell("no %s of the folder is called %q; \"words: %s\" looks for what speaks of it", map[Kind]string{Identifier: "definition", PathQuery: "file"}[q.Kind], q.Text, q.Text)
	}
	return q, ranked, nil
}
