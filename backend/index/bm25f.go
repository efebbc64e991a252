package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// Scored is a chunk's id with the score of one list.
type Scored struct {
	ID    int64
	Score float64
}

// fieldWeight is how one field counts in BM25F: how much one occurrence is worth, and how far the field's length takes
// from it (b).
type fieldWeight struct {
	field     string
	weight, b float64
}

// weights are BM25F's parameters.
// Source of the formula: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.
func weights() []fieldWeight {
	return []fieldWeight{
		{fieldName, 3, 0.3},
		{fieldScope, 1, 0.3},
		{fieldPath, 2, 0.3},
		{fieldIdent, 1.5, 0.7},
		{fieldCode, 1, 0.75},
		{fieldProse, 1, 0.75},
	}
}

const (
	saturation = 1.2 // BM25's k1
	// maxUnits is how many words of a query are looked up, rarest first: a pasted page must not cost seconds.
	maxUnits = 48
)

// averages caches the mean lengths of the fields between changes.
type averages struct {
	mu   sync.Mutex
	mean map[string]float64
}

func (a *averages) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mean = nil
}

// of gives the means, computed at the first call after a change.
func (a *averages) of(ctx context.Context, s *store) (map[string]float64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mean == nil {
		mean, err := s.meanLengths(ctx)
		if err != nil {
			return nil, err
		}
		a.mean = mean
	}
	return a.mean, nil
}

func (s *store) meanLengths(ctx context.Context) (map[string]float64, error) {
	means := make([]sql.NullFloat64, len(fields()))
	into := make([]any, len(means))
	for i := range means {
		into[i] = &means[i]
	}
	err := s.db.QueryRowContext(ctx, `SELECT avg(len_name), avg(len_scope), avg(len_path), avg(len_ident), avg(len_code), avg(len_prose) FROM chunks`).Scan(into...)
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for i, f := range fields() {
		out[f] = max(means[i].Float64, 1)
	}
	return out, nil
}

// unit is one word of a query with the terms that stand for it in each field.
type unit struct {
	terms map[string][]string // by field
	count int                 // how often the query says it
	idf   float64
}

// units cuts a query into what is looked up: the whole identifiers, their parts, and single words. A word that occurs
// twice is one unit.
func (a analyser) units(query string) []*unit {
	var out []*unit
	seen := map[string]*unit{}
	add := func(term string, whole bool) {
		if u, ok := seen[term]; ok {
			u.count++
			return
		}
		u := &unit{count: 1}
		if whole {
			u.terms = map[string][]string{fieldName: {term}, fieldPath: {term}, fieldIdent: {term}}
		} else {
			u.terms = map[string][]string{fieldName: {term}, fieldScope: {term}, fieldPath: {term}, fieldCode: {term}, fieldProse: {Stem(term)}}
		}
		seen[term] = u
		out = append(out, u)
	}
	for _, w := range Words(query) {
		if len(w.Parts) == 0 {
			if !a.stop[w.Whole] {
				add(w.Whole, false)
			}
			continue
		}
		add(w.Whole, true)
		for _, p := range w.Parts {
			if !a.stop[p] {
				add(p, false)
			}
		}
	}
	return out
}

// Keywords ranks chunks for a query in words, best first, by BM25F over name, scope, path, identifiers, code and prose.
// Equal scores are ordered by path and line.
func (ix *Index) Keywords(ctx context.Context, query string, n int) ([]Scored, error) {
	units := ix.analyser.units(query)
	if len(units) == 0 || n <= 0 {
		return nil, nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	out, err := ix.rank(ctx, units, weights(), n)
	if err != nil {
		return nil, fmt.Errorf("searching keywords: %w", err)
	}
	return out, nil
}

func (ix *Index) rank(ctx context.Context, units []*unit, weights []fieldWeight, n int) (out []Scored, err error) {
	defer func() {
		if p := recover(); p != nil { // a segment that was cut short
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	mean, err := ix.averages.of(ctx, ix.store)
	if err != nil {
		return nil, err
	}
	reader, err := openReader(ix.keywords)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	docs, err := reader.DocCount()
	if err != nil {
		return nil, err
	}
	r := ranker{reader: reader, weights: weights, mean: mean, docs: float64(docs), scores: map[uint64]float64{}}
	if err := r.weigh(ctx, units); err != nil {
		return nil, err
	}
	for _, u := range rarest(units) {
		if err := r.add(ctx, u); err != nil {
			return nil, err
		}
	}
	if out, err = r.best(n); err != nil {
		return nil, err
	}
	if out, err = ix.store.settleTies(ctx, out); err != nil {
		return nil, err
	}
	return out[:min(n, len(out))], nil
}

// settleTies puts chunks with equal scores in the order of their places: ids tell only when a file was indexed.
func (s *store) settleTies(ctx context.Context, list []Scored) ([]Scored, error) {
	var tied []int64
	for i := range list {
		if i > 0 && list[i].Score == list[i-1].Score || i+1 < len(list) && list[i].Score == list[i+1].Score {
			tied = append(tied, list[i].ID)
		}
	}
	if len(tied) == 0 {
		return list, nil
	}
	ordered, err := s.ids(ctx, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file_id WHERE c.id IN (`+idList(tied)+`) ORDER BY f.path, c.start_line, c.id`)
	if err != nil {
		return nil, err
	}
	place := make(map[int64]int, len(ordered))
	for i, id := range ordered {
		place[id] = i
	}
	slices.SortStableFunc(list, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(place[a.ID], place[b.ID]))
	})
	return list, nil
}

func openReader(kw bleve.Index) (bleveindex.IndexReader, error) {
	adv, err := kw.Advanced()
	if err != nil {
		return nil, err
	}
	return adv.Reader()
}

// rarest keeps the units that tell most.
func rarest(units []*unit) []*unit {
	if len(units) <= maxUnits {
		return units
	}
	sorted := slices.Clone(units)
	slices.SortStableFunc(sorted, func(a, b *unit) int { return cmp.Compare(b.idf, a.idf) })
	return sorted[:maxUnits]
}

// ranker sums BM25F over the units of one query. Documents have bleve's internal numbers until best.
type ranker struct {
	reader  bleveindex.IndexReader
	weights []fieldWeight
	mean    map[string]float64
	docs    float64
	scores  map[uint64]float64
}

// weigh estimates how rare each unit is, by the field where it is most common.
func (r *ranker) weigh(ctx context.Context, units []*unit) error {
	for _, u := range units {
		most := uint64(0)
		for f, terms := range u.terms {
			n := uint64(0)
			for _, t := range terms {
				tfr, err := r.reader.TermFieldReader(ctx, []byte(t), f, false, false, false)
				if err != nil {
					return err
				}
				n += tfr.Count()
				tfr.Close()
			}
			most = max(most, n)
		}
		u.idf = math.Log(1 + (r.docs-float64(most)+0.5)/(float64(most)+0.5))
	}
	return nil
}

// add adds one unit's share to every document that has it: the fields' frequencies are summed before they saturate.
func (r *ranker) add(ctx context.Context, u *unit) error {
	tf := map[uint64]float64{}
	for _, w := range r.weights {
		for _, term := range u.terms[w.field] {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.postings(ctx, term, w, tf); err != nil {
				return err
			}
		}
	}
	say := 1 + math.Log(float64(u.count))
	for doc, f := range tf {
		r.scores[doc] += say * u.idf * f * (saturation + 1) / (f + saturation)
	}
	return nil
}

func (r *ranker) postings(ctx context.Context, term string, w fieldWeight, tf map[uint64]float64) error {
	tfr, err := r.reader.TermFieldReader(ctx, []byte(term), w.field, true, true, false)
	if err != nil {
		return err
	}
	defer tfr.Close()
	mean := r.mean[w.field]
	var d bleveindex.TermFieldDoc
	for {
		next, err := tfr.Next(d.Reset())
		if err != nil {
			return err
		}
		if next == nil {
			return nil
		}
		length := mean
		if next.Norm > 0 {
			length = 1 / (next.Norm * next.Norm) // bleve keeps a field's length as 1/√length
		}
		tf[next.ID.Value()] += w.weight * float64(next.Freq) / (1 - w.b + w.b*length/mean)
	}
}

// best gives the n highest scores, and what ties with the last of them, with the chunks' own ids.
func (r *ranker) best(n int) ([]Scored, error) {
	type doc struct {
		num   uint64
		score float64
	}
	all := make([]doc, 0, len(r.scores))
	for num, score := range r.scores {
		all = append(all, doc{num, score})
	}
	slices.SortFunc(all, func(a, b doc) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.num, b.num)) })
	// Ties at the border are kept: which of them stay is not for internal numbers to say, which merges change.
	end := min(n, len(all))
	for end > 0 && end < len(all) && all[end].score == all[end-1].score {
		end++
	}
	out := make([]Scored, 0, end)
	for _, d := range all[:end] {
		ext, err := r.reader.ExternalID(bleveindex.NewIndexInternalID(nil, d.num))
		if err != nil {
			return nil, err
		}
		id, err := strconv.ParseInt(ext, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: document %q", errDamaged, strings.ToValidUTF8(ext, "?"))
		}
		out = append(out, Scored{id, d.score})
	}
	return out, nil
}
