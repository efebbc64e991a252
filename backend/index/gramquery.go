package index

import (
	"cmp"
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

// filesWith evaluates a query over the trigram index. The set may be too large: of trigrams that must all be there only
// some are looked up, those of the shortest rows, since each further one costs more than the files that it rules out.
func (s *store) filesWith(ctx context.Context, q *csindex.Query) (fileSet, error) {
	grams := queryGrams(q, nil)
	if len(grams) > maxGrams {
		return fileSet{all: true}, nil // a very wide expression: reading the lists costs more than reading the files
	}
	if len(grams) <= enough {
		return s.filesOf(ctx, q)
	}
	sizes, err := s.rowSizes(ctx, grams)
	if err != nil {
		return fileSet{}, err
	}
	out, err := s.filesOf(ctx, rarest(q, sizes, enough))
	if err != nil || !out.all && len(out.ids) <= fewFiles {
		return out, err
	}
	return s.filesOf(ctx, rarest(q, sizes, more))
}

// filesOf evaluates a query with all its trigrams.
func (s *store) filesOf(ctx context.Context, q *csindex.Query) (fileSet, error) {
	lists, err := s.gramFiles(ctx, queryGrams(q, nil))
	if err != nil {
		return fileSet{}, err
	}
	return evaluate(q, lists), nil
}

// maxGrams is how many trigrams are looked up for one expression.
const maxGrams = 2000

const (
	// enough is how many trigrams, or alternatives of them, mostly rule out as much as all of a text do.
	enough = 6
	// more are looked up where they left more than fewFiles: reading that many files costs more.
	more     = 16
	fewFiles = 50
)

// rarest drops of what must all be there the most frequent, and never all of it.
func rarest(q *csindex.Query, sizes map[uint32]int, keep int) *csindex.Query {
	out := &csindex.Query{Op: q.Op, Trigram: slices.Clone(q.Trigram)}
	for _, sub := range q.Sub {
		out.Sub = append(out.Sub, rarest(sub, sizes, keep))
	}
	if q.Op != csindex.QAnd {
		return out
	}
	size := func(grams []uint32) (sum int) {
		for _, g := range grams {
			sum += sizes[g>>8]
		}
		return sum
	}
	slices.SortStableFunc(out.Trigram, func(a, b string) int { return cmp.Compare(sizes[gramOf(a)>>8], sizes[gramOf(b)>>8]) })
	slices.SortStableFunc(out.Sub, func(a, b *csindex.Query) int { return cmp.Compare(size(queryGrams(a, nil)), size(queryGrams(b, nil))) })
	out.Trigram = out.Trigram[:min(keep, len(out.Trigram))]
	out.Sub = out.Sub[:min(keep, len(out.Sub))]
	return out
}

// rowSizes gives the bytes of the rows that share each trigram's first two bytes, by these. SQLite knows a row's length
// without reading it.
func (s *store) rowSizes(ctx context.Context, grams []uint32) (map[uint32]int, error) {
	out := map[uint32]int{}
	rows, err := s.sizes.QueryContext(ctx, firstBytes(grams))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var first uint32
		var size int
		if err := rows.Scan(&first, &size); err != nil {
			return nil, err
		}
		out[first] += size
	}
	return out, rows.Err()
}

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
