package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"redgreen/backend/index"
)

// The lists that a result can come from.
const (
	listKeywords = "keywords"
	listSymbols  = "symbols"
	listPaths    = "paths"
	listFrames   = "frames"
	listText     = "text"
)

// list is one way's ranking, best first. lines says which line of a chunk it was found by, where that is known.
type list struct {
	name  string
	ids   []int64
	lines map[int64]int
}

const (
	// depth is how far down each list is read: what is below has 1/160 or less.
	depth = 100
	// priorDepth is how much deeper the keywords are read before the priors rank them again.
	priorDepth = 4
	// scanDepth is how many lines an exact search collects before it ranks them.
	scanDepth = 1000
)

// ask gives the lists that fit the kind of a query.
func ask(ctx context.Context, ix *index.Index, q Query, n int) ([]list, error) {
	deep := max(depth, 3*n)
	var lists []list
	add := func(l list, err error) error {
		if err == nil && len(l.ids) > 0 {
			lists = append(lists, l)
		}
		return err
	}
	if q.Kind == Exact || q.Kind == Expression {
		err := add(askText(ctx, ix, q))
		return lists, err
	}
	if err := add(askFrames(ctx, ix, q.Frames)); err != nil {
		return nil, err
	}
	if err := add(askSymbols(ctx, ix, q, deep)); err != nil {
		return nil, err
	}
	for _, p := range q.Paths {
		if err := add(ranked(listPaths)(ix.Paths(ctx, p, deep))); err != nil {
			return nil, err
		}
	}
	err := add(askKeywords(ctx, ix, q, deep))
	return lists, err
}

// askKeywords ranks by words, with the priors of the score table.
func askKeywords(ctx context.Context, ix *index.Index, q Query, n int) (list, error) {
	found, err := ix.Weighted(ctx, weighted(q.Text), priorDepth*n)
	if err != nil {
		return list{}, err
	}
	ids, scores := make([]int64, len(found)), make(map[int64]float64, len(found))
	for i, s := range found {
		ids[i], scores[s.ID] = s.ID, s.Score
	}
	chunks, err := ix.Meta(ctx, ids)
	if err != nil {
		return list{}, err
	}
	reweigh(q, chunks, scores)
	slices.SortStableFunc(found, func(a, b index.Scored) int { return cmp.Compare(scores[b.ID], scores[a.ID]) })
	return ranked(listKeywords)(found[:min(n, len(found))], nil)
}

// ranked names what the index gives.
func ranked(name string) func([]index.Scored, error) (list, error) {
	return func(found []index.Scored, err error) (list, error) {
		l := list{name: name}
		for _, s := range found {
			l.ids = append(l.ids, s.ID)
		}
		return l, err
	}
}

// askSymbols looks the names of a query up, as one list: the best of each name first. Among words only whole names count.
func askSymbols(ctx context.Context, ix *index.Index, q Query, n int) (list, error) {
	var found [][]index.Scored
	for _, name := range q.Names {
		look := ix.Named
		if q.Kind == Identifier {
			look = ix.Symbols
		}
		f, err := look(ctx, name, n)
		if err != nil {
			return list{}, err
		}
		found = append(found, f)
	}
	l := list{name: listSymbols}
	for i := 0; len(l.ids) < n; i++ {
		more := false
		for _, f := range found {
			if i < len(f) {
				more = true
				if !slices.Contains(l.ids, f[i].ID) {
					l.ids = append(l.ids, f[i].ID)
				}
			}
		}
		if !more {
			break
		}
	}
	return l, nil
}

// askFrames looks frames up in the files of this repository; those of libraries are not found and fall out.
func askFrames(ctx context.Context, ix *index.Index, fs []Frame) (list, error) {
	l := list{name: listFrames, lines: map[int64]int{}}
	for _, f := range fs {
		p, ok, err := ix.At(ctx, f.Path, f.Line)
		if err != nil {
			return list{}, err
		}
		if _, seen := l.lines[p.ID]; ok && !seen {
			l.ids, l.lines[p.ID] = append(l.ids, p.ID), p.Line
		}
	}
	return l, nil
}

// askText finds an exact text or an expression; a chunk counts once.
func askText(ctx context.Context, ix *index.Index, q Query) (list, error) {
	found, err := ix.Scan(ctx, q.find, scanDepth)
	if err != nil {
		return list{}, err
	}
	l := list{name: listText, lines: map[int64]int{}}
	for _, m := range found {
		if _, seen := l.lines[m.ID]; m.ID != 0 && !seen {
			l.ids, l.lines[m.ID] = append(l.ids, m.ID), m.Line
		}
	}
	return l, nil
}

// find gives the borders of the first match of an exact text or an expression.
func (q Query) find(b []byte) []int {
	if q.Kind == Expression {
		return q.Regexp.FindIndex(b)
	}
	if i := bytes.Index(b, []byte(q.Literal)); i >= 0 {
		return []int{i, i + len(q.Literal)}
	}
	return nil
}
