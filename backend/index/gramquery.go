package index

import (
	"context"
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	csindex "github.com/google/codesearch/index"
)

// needs says which trigrams a file must have for the pattern to be in it.
func (p Pattern) needs() *csindex.Query {
	if !utf8.ValidString(p.Literal) {
		return &csindex.Query{Op: csindex.QAll}
	}
	re := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune(p.Literal)}
	if p.Regexp != nil {
		var err error
		if re, err = syntax.Parse(p.Regexp.String(), syntax.Perl); err != nil {
			return &csindex.Query{Op: csindex.QAll} // another dialect
		}
	}
	return csindex.RegexpQuery(re)
}

// fileSet is a set of file ids; all means every file.
type fileSet struct {
	all bool
	ids []uint32 // in order
}

func (f fileSet) and(g fileSet) fileSet {
	switch {
	case f.all:
		return g
	case g.all:
		return f
	}
	out := fileSet{}
	a, b := f.ids, g.ids
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			out.ids = append(out.ids, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return out
}

func (f fileSet) or(g fileSet) fileSet {
	if f.all || g.all {
		return fileSet{all: true}
	}
	ids := append(slices.Clone(f.ids), g.ids...)
	slices.Sort(ids)
	return fileSet{ids: slices.Compact(ids)}
}

// filesWith evaluates a query over the trigram index.
func (s *store) filesWith(ctx context.Context, q *csindex.Query) (fileSet, error) {
	grams := queryGrams(q, nil)
	if len(grams) > maxGrams {
		return fileSet{all: true}, nil // a very wide expression: reading the lists costs more than reading the files
	}
	lists, err := s.gramFiles(ctx, grams)
	if err != nil {
		return fileSet{}, err
	}
	return evaluate(q, lists), nil
}

// maxGrams is how many trigrams are looked up for one expression.
const maxGrams = 2000

func queryGrams(q *csindex.Query, grams []uint32) []uint32 {
	for _, t := range q.Trigram {
		grams = append(grams, gramOf(t))
	}
	for _, sub := range q.Sub {
		grams = queryGrams(sub, grams)
	}
	return grams
}

func gramOf(t string) uint32 { return uint32(t[0])<<16 | uint32(t[1])<<8 | uint32(t[2]) }

func evaluate(q *csindex.Query, lists map[uint32][]uint32) fileSet {
	switch q.Op {
	case csindex.QAll:
		return fileSet{all: true}
	case csindex.QNone:
		return fileSet{}
	}
	out := fileSet{all: q.Op == csindex.QAnd}
	take := func(f fileSet) {
		if q.Op == csindex.QAnd {
			out = out.and(f)
		} else {
			out = out.or(f)
		}
	}
	for _, t := range q.Trigram {
		take(fileSet{ids: lists[gramOf(t)]})
	}
	for _, sub := range q.Sub {
		take(evaluate(sub, lists))
	}
	return out
}
