package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"redgreen/backend/index"
	"redgreen/backend/lang"
)

// The lists that a result can come from.
const (
	listWords      = "words" // keywords and vectors as one, by a sum of their scores
	listKeywords   = "keywords"
	listVectors    = "vectors"
	listSymbols    = "symbols"
	listPaths      = "paths"
	listFrames     = "frames"
	listText       = "text"
	listReferences = "references"
)

// list is one way's ranking, best first. lines says which line of a chunk it was found by, where that is known.
type list struct {
	name  string
	ids   []int64
	lines map[int64]int
	names map[int64]string      // of blocks of constants: the name that fits
	own   map[int64]index.Chunk // chunks that the index does not have, by ids below 0
	shown bool                  // its ranks are shown, but it gives nothing to the score: another list has it in it
}

const (
	// depth is how far down each list is read: what is below has 1/160 or less.
	depth = 100
	// priorDepth is how much deeper the keywords are read before the priors rank them again.
	priorDepth = 3
	// textDepth is how many lines an exact search collects, from the files that others refer to most: then it stops.
	textDepth = 200
	// referenceDepth is how many places that say a name are collected, in the same order.
	referenceDepth = 400
	// scanDepth is how many matching lines of a file are told apart when a hit is shown.
	scanDepth = 1000
)

// ask gives the lists that fit the kind of a query.
func ask(ctx context.Context, ix *index.Index, q Query, o Options) ([]list, error) {
	var lists []list
	add := func(l list, err error) error {
		if err == nil && len(l.ids) > 0 {
			lists = append(lists, l)
		}
		return err
	}
	switch q.Kind {
	case Exact, Expression:
		err := add(askText(ctx, ix, q, o))
		return lists, err
	case References, Callers:
		err := add(askReferences(ctx, ix, q, o))
		return lists, err
	}
	deep := max(depth, 2*o.N)
	var words keywords
	if !q.strict && o.Using != VectorsOnly {
		words.look(ctx, ix, q, priorDepth*deep)
		defer words.Wait()
	}
	exact := false
	if o.Using == Full && q.Kind != Words {
		if err := add(askFrames(ctx, ix, q.Frames)); err != nil {
			return nil, err
		}
		l, whole, err := askSymbols(ctx, ix, q, o, deep)
		if err := add(l, err); err != nil {
			return nil, err
		}
		exact = whole
		for _, p := range q.Paths {
			if err := add(ranked(listPaths)(ix.Paths(ctx, p, deep))); err != nil {
				return nil, err
			}
		}
	}
	if q.strict {
		return lists, nil
	}
	more, err := askWords(ctx, ix, q, o, deep, &words, q.Kind != PathQuery && !(q.Kind == Identifier && exact))
	return append(lists, more...), err
}

// keywords is the ranking by words, which is made while the index is asked for other things.
type keywords struct {
	sync.WaitGroup
	found []index.Scored
	err   error
}

func (k *keywords) look(ctx context.Context, ix *index.Index, q Query, n int) {
	k.Go(func() { k.found, k.err = ix.Weighted(ctx, weighted(q.Text), n) })
}

// askWords ranks by words and, where they may say more, by vectors. Full adds the scores up, since that ranks better than fusing the
// two lists; both are shown beside the sum.
func askWords(ctx context.Context, ix *index.Index, q Query, o Options, n int, by *keywords, byVectors bool) ([]list, error) {
	var near []index.Scored
	var vector []float32
	var err error
	if o.Using != KeywordsOnly && byVectors {
		of := n
		if o.Using != Full {
			of = priorDepth * n
		}
		vector, near, err = nearest(ctx, ix, q, o, of)
	}
	by.Wait()
	if err := cmp.Or(by.err, err); err != nil {
		return nil, err
	}
	words := by.found
	keywords, vectors := scoredList(listKeywords, words, n), scoredList(listVectors, near, n)
	if o.Using == VectorsOnly || o.Using == Fusion {
		if vectors, err = weighed(ctx, ix, q, listVectors, near, nil, n); err != nil {
			return nil, err
		}
	}
	switch o.Using {
	case KeywordsOnly:
		l, err := weighed(ctx, ix, q, listKeywords, words, nil, n)
		return []list{l}, err
	case VectorsOnly:
		return []list{vectors}, nil
	case Fusion:
		l, err := weighed(ctx, ix, q, listKeywords, words, nil, n)
		return []list{l, vectors}, err
	}
	all, shares, err := addUp(ctx, ix, words, near, vector)
	if err != nil {
		return nil, err
	}
	l, err := weighed(ctx, ix, q, listWords, all, shares, n)
	keywords.shown, vectors.shown = true, true
	return []list{l, keywords, vectors}, err
}

// nearest gives the vector of a query and the chunks that are nearest to it; none where the index has no vectors, or the
// embedder fails, which is told.
func nearest(ctx context.Context, ix *index.Index, q Query, o Options, n int) ([]float32, []index.Scored, error) {
	e, ok := ix.Embedder().(Embedder)
	if !ok {
		return nil, nil, nil
	}
	vector, err := e.Ask(ctx, Prose(q.Text))
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		o.tell("ranked by words alone, since %s gave no vector for the query: %v", e.Name(), err)
		return nil, nil, nil // words alone find most
	}
	near, err := ix.Nearest(ctx, vector, n)
	return vector, near, err
}

// vectorShare is what the nearest possible vector is worth beside the best score of the keywords. More helps small trees and
// costs large ones (build/docs/search.md).
const vectorShare = 0.1

// addUp gives what either list has with its keyword score, and for each the share of its vector.
func addUp(ctx context.Context, ix *index.Index, words, near []index.Scored, vector []float32) (all []index.Scored, shares map[int64]float64, err error) {
	if len(near) == 0 {
		return words, nil, nil
	}
	top := 1.0
	scores := map[int64]float64{}
	ids := make([]int64, 0, len(words)+len(near))
	for i, s := range words {
		if i == 0 {
			top = s.Score
		}
		scores[s.ID] = s.Score
		ids = append(ids, s.ID)
	}
	for _, s := range near {
		if _, ok := scores[s.ID]; !ok {
			ids = append(ids, s.ID)
		}
	}
	cosines, err := ix.Cosines(ctx, vector, ids)
	if err != nil {
		return nil, nil, err
	}
	all, shares = make([]index.Scored, len(ids)), make(map[int64]float64, len(ids))
	for i, id := range ids {
		all[i] = index.Scored{ID: id, Score: scores[id]}
		shares[id] = vectorShare * top * max(cosines[id], 0)
	}
	return all, shares, nil
}

// weighed ranks by scores, with the priors of the score table. Each chunk has the best share of its file added: vectors tell files
// apart better than keywords alone do, but not the definitions in one.
func weighed(ctx context.Context, ix *index.Index, q Query, name string, found []index.Scored, shares map[int64]float64, n int) (list, error) {
	ids, scores := make([]int64, len(found)), make(map[int64]float64, len(found))
	for i, s := range found {
		ids[i], scores[s.ID] = s.ID, s.Score
	}
	chunks, err := ix.Traits(ctx, ids)
	if err != nil {
		return list{}, err
	}
	best := map[string]float64{}
	for _, ch := range chunks {
		best[ch.Path] = max(best[ch.Path], shares[ch.ID])
	}
	for _, ch := range chunks {
		scores[ch.ID] += best[ch.Path]
	}
	reweigh(q, chunks, scores)
	slices.SortStableFunc(found, func(a, b index.Scored) int { return cmp.Compare(scores[b.ID], scores[a.ID]) })
	return scoredList(name, found, n), nil
}

func scoredList(name string, found []index.Scored, n int) list {
	l := list{name: name}
	for _, s := range found[:min(n, len(found))] {
		l.ids = append(l.ids, s.ID)
	}
	return l
}

// ranked names what the index gives.
func ranked(name string) func([]index.Scored, error) (list, error) {
	return func(found []index.Scored, err error) (list, error) {
		return scoredList(name, found, len(found)), err
	}
}

// askSymbols looks the names of a query up, as one list: the best of each name first. Beside frames only whole names count. whole
// reports that the first name is that of a definition as it stands.
func askSymbols(ctx context.Context, ix *index.Index, q Query, o Options, n int) (l list, whole bool, err error) {
	var found [][]index.Symbol
	for _, name := range q.Names {
		look := ix.Named
		if q.Kind == Identifier {
			look = ix.Symbols
		}
		f, err := look(ctx, name, n)
		if err != nil {
			return list{}, false, err
		}
		found = append(found, f)
	}
	whole = len(found) > 0 && len(found[0]) > 0 && found[0][0].Whole()
	l = list{name: listSymbols, lines: map[int64]int{}, names: map[int64]string{}}
	if q.Kind == Identifier {
		l.define(q.Names, o)
	}
	for i := 0; len(l.ids) < n; i++ {
		more := false
		for _, f := range found {
			if i < len(f) {
				more = true
				if s := f[i]; !slices.Contains(l.ids, s.ID) {
					l.ids = append(l.ids, s.ID)
					l.constant(s.ID, lang.Name{Name: s.Name, Line: s.Line})
				}
			}
		}
		if !more {
			break
		}
	}
	return l, whole, nil
}

// askFrames looks frames up in the files of this repository; those of libraries are not found and fall out.
func askFrames(ctx context.Context, ix *index.Index, fs []Frame) (list, error) {
	l := list{name: listFrames, lines: map[int64]int{}}
	for _, f := range fs {
		p, ok, err := ix.At(ctx, f.longPath(), f.Line)
		if err != nil {
			return list{}, err
		}
		if ok && f.ofLibrary() && !(Frame{Path: p.Path}).ofLibrary() {
			continue // a file here has the name of one there
		}
		if _, seen := l.lines[p.ID]; ok && !seen {
			l.ids, l.lines[p.ID] = append(l.ids, p.ID), p.Line
		}
	}
	return l, nil
}

// askText finds an exact text or an expression; a chunk counts once.
func askText(ctx context.Context, ix *index.Index, q Query, o Options) (list, error) {
	found, err := ix.Grep(ctx, index.Pattern{Literal: q.Literal, Regexp: q.Regexp}, index.GrepOptions{
		N: max(textDepth, 10*o.N), Read: o.Read, Changed: o.Changed, Best: true, Within: o.Within})
	if err != nil {
		return list{}, err
	}
	if said := found.Said(); said != "" {
		o.tell("%s", said)
	}
	l := list{name: listText, lines: map[int64]int{}}
	c := cuts{o: o}
	for _, m := range found.Hits {
		l.found(c.id(m.ID, m.Path, m.Line), m.Line)
	}
	l.own = c.own
	return l, nil
}

// askReferences finds the places that say a name, or call it; a chunk counts once, by its first line of them.
func askReferences(ctx context.Context, ix *index.Index, q Query, o Options) (list, error) {
	look := ix.References
	if q.Kind == Callers {
		look = ix.Callers
	}
	found, more, err := look(ctx, q.Names[0], index.GrepOptions{N: max(referenceDepth, 10*o.N), Read: o.Read, Changed: o.Changed, Best: true})
	if err != nil {
		return list{}, err
	}
	if more {
		o.tell("of the places that say %s only those of the most central files were looked at; there are more", q.Names[0])
	}
	l := list{name: listReferences, lines: map[int64]int{}}
	c := cuts{o: o}
	for _, r := range found {
		l.found(c.id(r.ID, r.Path, r.Line), r.Line)
	}
	l.own = c.own
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
