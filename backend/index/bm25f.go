package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
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
	err = s.lengths.QueryRowContext(ctx).Scan(into...)
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
	if err := r.addAll(ctx, units); err != nil {
		return nil, err
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
	ordered, err := readIDs(s.placed.QueryContext(ctx, "["+idList(tied)+"]"))
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
	scores []float64 // by document
	found  []uint64  // documents with a score
	shares [][]scoredDoc
}

var sumsPool = sync.Pool{New: func() any { return &sums{} }}

// free gives the room back, with nothing in it.
func (s *sums) free() {
	for _, doc := range s.found {
		s.scores[doc] = 0
	}
	s.found = s.found[:0]
	sumsPool.Put(s)
}

// addAll adds the shares of all units. Units are counted on all cores and added in their order, since sums of floating point numbers
// depend on it.
func (r *ranker) addAll(ctx context.Context, units []*unit) error {
	segments, err := segmentsOf(r.reader)
	if err != nil {
		return err
	}
	for len(r.shares) < len(units) {
		r.shares = append(r.shares, nil)
	}
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(units)))
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			c := counters.Get().(*counter)
			defer c.free()
			c.ranker = r
			c.open(segments)
			errs[w] = c.countAll(ctx, units, &next)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i := range units {
		r.add(r.shares[i])
	}
	return nil
}

func (r *ranker) add(shares []scoredDoc) {
	for _, s := range shares {
		if need := int(s.num) + 1; need > len(r.scores) {
			r.scores = append(r.scores, make([]float64, max(need, 2*len(r.scores))-len(r.scores))...)
		}
		if r.scores[s.num] == 0 {
			r.found = append(r.found, s.num)
		}
		r.scores[s.num] += s.score
	}
}

// counter counts one unit after the other.
type counter struct {
	*ranker
	termReader
	tf      []float64 // by document, of the unit at hand
	touched []uint64  // documents of the unit at hand
}

var counters = sync.Pool{New: func() any { return &counter{} }}

// free gives the room back, with nothing in it.
func (c *counter) free() {
	for _, doc := range c.touched { // where counting broke off
		c.tf[doc] = 0
	}
	c.touched, c.ranker = c.touched[:0], nil
	c.forget()
	counters.Put(c)
}

// countAll counts units that no other counter has taken, until there are no more.
func (c *counter) countAll(ctx context.Context, units []*unit, next *atomic.Int64) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // as in openKeywords
	defer func() {
		if p := recover(); p != nil { // a segment that was cut short
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	for i := int(next.Add(1)) - 1; i < len(units) && err == nil; i = int(next.Add(1)) - 1 {
		c.shares[i], err = c.count(ctx, units[i], c.shares[i][:0])
	}
	return err
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

// count appends one unit's share of the score of every document that has it: the frequencies of the fields are summed before they
// saturate.
func (c *counter) count(ctx context.Context, u *unit, to []scoredDoc) ([]scoredDoc, error) {
	for _, w := range c.weights {
		if term, ok := u.terms[w.field]; ok {
			if err := c.term(ctx, term, w); err != nil {
				return nil, err
			}
		}
	}
	if err := c.otherForms(ctx, u); err != nil {
		return nil, err
	}
	df := float64(len(c.touched))
	weight := math.Log(1+(c.docs-df+0.5)/(df+0.5)) * u.weight
	for _, doc := range c.touched {
		tf := c.tf[doc]
		c.tf[doc] = 0
		if share := weight * tf * (saturation + 1) / (tf + saturation); share > 0 {
			to = append(to, scoredDoc{doc, share})
		}
	}
	c.touched = c.touched[:0]
	return to, nil
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
func (c *counter) otherForms(ctx context.Context, u *unit) error {
	stem := Stem(u.word)
	if len(stem) < shortStem {
		return nil
	}
	same := map[string]bool{} // words that have the stem, or have not: the fields' dictionaries say the same ones
	for _, w := range c.weights {
		if w.field == fieldProse || w.field == fieldIdent {
			continue
		}
		forms, err := c.forms(u.word, stem, w.field, same)
		if err != nil {
			return err
		}
		w.weight *= formWeight
		for _, f := range forms {
			if err := c.term(ctx, f, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// forms are the words of a field that have a stem, but for the word itself.
func (c *counter) forms(word, stem string, in field, same map[string]bool) (out []string, err error) {
	words, err := c.beginning(strings.TrimSuffix(stem, "i"), in) // the stem of retry is retri
	if err != nil {
		return nil, err
	}
	for _, w := range words {
		has, known := same[w]
		if !known {
			has = w != word && Stem(w) == stem
			same[w] = has
		}
		if has {
			out = append(out, w)
		}
		if len(out) == maxForms {
			break
		}
	}
	return out, nil
}

// term adds the weighted frequencies of one term in one field to the unit at hand.
func (c *counter) term(ctx context.Context, term string, w fieldWeight) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	docs, err := c.find(term, w.field)
	if err != nil {
		return err
	}
	if c.several && c.docs >= manyChunks && float64(docs) > c.docs/2 {
		return nil // what most chunks have tells nothing, and costs most
	}
	mean := c.mean[w.field]
	return c.each(func(doc uint64, of segment.Posting) {
		length := c.length(of, mean)
		c.say(doc, w.weight*float64(of.Frequency())/(1-w.b+w.b*length/mean))
	})
}

func (c *counter) say(doc uint64, tf float64) {
	if tf == 0 {
		return
	}
	if need := int(doc) + 1; need > len(c.tf) {
		c.tf = append(c.tf, make([]float64, max(need, 2*len(c.tf))-len(c.tf))...)
	}
	if c.tf[doc] == 0 {
		c.touched = append(c.touched, doc)
	}
	c.tf[doc] += tf
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
	slices.SortFunc(all, func(a, b scoredDoc) int {
		switch { // no score is a NaN
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return cmp.Compare(a.num, b.num)
	})
	end := min(n, len(all))
	for end > 0 && end < len(all) && all[end].score == all[end-1].score {
		end++
	}
	return all[:end]
}
