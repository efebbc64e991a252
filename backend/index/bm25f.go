package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
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
	field     field
	weight, b float64
}

// weights are BM25F's parameters, tuned on bug-fix commits of four public repositories (message → changed function).
// Source of the formula: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.
func weights() []fieldWeight {
	return []fieldWeight{
		{fieldName, 5, 0.5},
		{fieldScope, 6, 0.3},
		{fieldPath, 5, 0.5},
		{fieldIdent, 1, 0.7},
		{fieldCode, 1, 0.5},
		{fieldProse, 1, 0.6},
	}
}

const (
	saturation = 2 // BM25's k1
	// maxUnits is how many words of a query are looked up, rarest first: a pasted page must not cost seconds.
	maxUnits = 48
	// manyChunks is from where on what most chunks have is left out; in a folder of a few files that would be all there is.
	manyChunks = 10
)

// meanLengths are the mean lengths of the fields, at least 1.
func (s *store) meanLengths(ctx context.Context) (out [numFields]float64, err error) {
	var chunks float64
	into := []any{&chunks}
	for i := range out {
		into = append(into, &out[i])
	}
	err = s.db.QueryRowContext(ctx, `SELECT chunks, name, scope, path, ident, code, prose FROM lengths`).Scan(into...)
	for i := range out {
		out[i] = max(out[i]/max(chunks, 1), 1)
	}
	return out, err
}

// Keywords ranks chunks for a query in words, best first, by BM25F over name, scope, path, identifiers, code and prose.
// Equal scores are ordered by path and line.
func (ix *Index) Keywords(ctx context.Context, query string, n int) ([]Scored, error) {
	return ix.Weighted(ctx, []Said{{query, 1}}, n)
}

// Weighted is Keywords for a query whose parts count differently.
func (ix *Index) Weighted(ctx context.Context, query []Said, n int) ([]Scored, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	units := ix.analyser.units(query)
	if len(units) == 0 || n <= 0 {
		return nil, nil
	}
	out, err := ix.rank(ctx, units, weights(), n)
	if err != nil {
		return nil, ix.failed("searching keywords", err)
	}
	return out, nil
}

func (ix *Index) rank(ctx context.Context, units []*unit, weights []fieldWeight, n int) (out []Scored, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // as in openKeywords
	defer func() {
		if p := recover(); p != nil { // a segment that was cut short
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	mean, err := ix.store.meanLengths(ctx)
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
	r := ranker{reader: reader, weights: weights, mean: mean, docs: float64(docs), sums: sumsPool.Get().(*sums)}
	defer r.sums.free()
	if units, err = r.rarest(ctx, units); err != nil {
		return nil, err
	}
	r.several = len(units) > 1
	for _, u := range units {
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

// ranker sums BM25F over the units of one query. Documents have bleve's internal numbers, which are small, until best.
type ranker struct {
	reader  bleveindex.IndexReader
	weights []fieldWeight
	mean    [numFields]float64
	docs    float64
	several bool // the query has more than one unit
	*sums
}

// sums are what one query adds up. They are used again and again: making room for all documents took longer than counting.
type sums struct {
	scores  []float64 // by document
	tf      []float64 // by document, of the unit at hand
	found   []uint64  // documents with a score
	touched []uint64  // documents of the unit at hand
}

var sumsPool = sync.Pool{New: func() any { return &sums{} }}

// free gives the room back, with nothing in it.
func (s *sums) free() {
	for _, doc := range s.found {
		s.scores[doc] = 0
	}
	for _, doc := range s.touched { // where counting broke off
		s.tf[doc] = 0
	}
	s.found, s.touched = s.found[:0], s.touched[:0]
	sumsPool.Put(s)
}

// rarest keeps the units that tell most, if there are more than can be looked up; how rare a unit is, is estimated by
// the field where it is most common.
func (r *ranker) rarest(ctx context.Context, units []*unit) ([]*unit, error) {
	if len(units) <= maxUnits {
		return units, nil
	}
	common := make(map[*unit]uint64, len(units))
	for _, u := range units {
		for field, term := range u.terms {
			tfr, err := r.reader.TermFieldReader(ctx, []byte(term), field.String(), false, false, false)
			if err != nil {
				return nil, err
			}
			common[u] = max(common[u], tfr.Count())
			tfr.Close()
		}
	}
	sorted := slices.Clone(units)
	slices.SortStableFunc(sorted, func(a, b *unit) int {
		return cmp.Or(compareBool(common[a] == 0, common[b] == 0), cmp.Compare(common[a], common[b]))
	})
	return sorted[:maxUnits], nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// add adds one unit's share to every document that has it: the frequencies of the fields are summed before they saturate.
func (r *ranker) add(ctx context.Context, u *unit) error {
	for _, w := range r.weights {
		if term, ok := u.terms[w.field]; ok {
			if err := r.postings(ctx, term, w); err != nil {
				return err
			}
		}
	}
	if err := r.otherForms(ctx, u); err != nil {
		return err
	}
	df := float64(len(r.touched))
	weight := math.Log(1+(r.docs-df+0.5)/(df+0.5)) * u.weight
	for _, doc := range r.touched {
		tf := r.tf[doc]
		r.tf[doc] = 0
		share := weight * tf * (saturation + 1) / (tf + saturation)
		if share <= 0 {
			continue
		}
		if r.scores[doc] == 0 {
			r.found = append(r.found, doc)
		}
		r.scores[doc] += share
	}
	r.touched = r.touched[:0]
	return nil
}

const (
	// formWeight is what an occurrence of another form of a word is worth ("retrying" for retry): code, names and paths are
	// not stemmed, so their dictionaries are asked for words of the same stem.
	formWeight = 0.7
	// shortStem is too short to stand for its other forms.
	shortStem = 3
	// maxForms bounds the forms of one word.
	maxForms = 16
)

// otherForms adds the occurrences of words with the unit's stem in the fields that are not stemmed.
func (r *ranker) otherForms(ctx context.Context, u *unit) error {
	stem := Stem(u.word)
	if len(stem) < shortStem {
		return nil
	}
	same := map[string]bool{} // words that have the stem, or have not: the fields' dictionaries say the same ones
	for _, w := range r.weights {
		if w.field == fieldProse || w.field == fieldIdent {
			continue
		}
		forms, err := r.forms(u.word, stem, w.field, same)
		if err != nil {
			return err
		}
		w.weight *= formWeight
		for _, f := range forms {
			if err := r.postings(ctx, f, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// forms are the words of a field that have a stem, but for the word itself.
func (r *ranker) forms(word, stem string, in field, same map[string]bool) (out []string, err error) {
	prefix := strings.TrimSuffix(stem, "i") // the stem of retry is retri
	dict, err := r.reader.FieldDictPrefix(in.String(), []byte(prefix))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dict.Close()) }()
	for len(out) < maxForms {
		e, err := dict.Next()
		if err != nil || e == nil {
			return out, err
		}
		has, known := same[e.Term]
		if !known {
			has = e.Term != word && Stem(e.Term) == stem
			same[e.Term] = has
		}
		if has {
			out = append(out, e.Term)
		}
	}
	return out, nil
}

// postings adds the weighted frequencies of one term in one field to the unit at hand.
func (r *ranker) postings(ctx context.Context, term string, w fieldWeight) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tfr, err := r.reader.TermFieldReader(ctx, []byte(term), w.field.String(), true, true, false)
	if err != nil {
		return err
	}
	defer tfr.Close()
	if r.several && r.docs >= manyChunks && float64(tfr.Count()) > r.docs/2 {
		return nil // what most chunks have tells nothing, and costs most
	}
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
		r.count(next.ID.Value(), w.weight*float64(next.Freq)/(1-w.b+w.b*length/mean))
	}
}

func (r *ranker) count(doc uint64, tf float64) {
	if tf == 0 {
		return
	}
	if need := int(doc) + 1; need > len(r.tf) {
		grown := max(need, 2*len(r.tf))
		r.tf = append(r.tf, make([]float64, grown-len(r.tf))...)
		r.scores = append(r.scores, make([]float64, grown-len(r.scores))...)
	}
	if r.tf[doc] == 0 {
		r.touched = append(r.touched, doc)
	}
	r.tf[doc] += tf
}

// best gives the n highest scores, and what ties with the last of them, with the chunks' own ids.
func (r *ranker) best(n int) ([]Scored, error) {
	all := r.highest(n)
	out := make([]Scored, 0, len(all))
	for _, d := range all {
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

// scoredDoc is a document by bleve's number.
type scoredDoc struct {
	num   uint64
	score float64
}

// highest gives the documents of the n highest scores, best first. Ties at the border are kept: which of them stay is not for
// internal numbers to say, which merges change.
func (r *ranker) highest(n int) []scoredDoc {
	var out []scoredDoc
	least, room := 0.0, 4*n
	for _, num := range r.found {
		score := r.scores[num]
		if score <= 0 || score < least {
			continue
		}
		if out = append(out, scoredDoc{num, score}); len(out) >= room {
			out = bestDocs(out, n)
			least, room = out[n-1].score, max(room, 2*len(out))
		}
	}
	return bestDocs(out, n)
}

func bestDocs(all []scoredDoc, n int) []scoredDoc {
	slices.SortFunc(all, func(a, b scoredDoc) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.num, b.num)) })
	end := min(n, len(all))
	for end > 0 && end < len(all) && all[end].score == all[end-1].score {
		end++
	}
	return all[:end]
}
