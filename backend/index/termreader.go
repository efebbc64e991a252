package index

import (
	"errors"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// termReader reads the segments of the keyword index one after the other, past bleve's reader of all of them: that writes each
// document's number into bytes and out of them again, and merges dictionaries by a heap, which took longer than the reading. It is for
// one goroutine, while the reader of the index is open.
type termReader struct {
	segments []*scorch.SegmentSnapshot
	dicts    [numFields][]segment.TermDictionary // by segment, once a field is asked for

	// room that is used again and again
	lists   []segment.PostingsList
	counts  []uint64 // how many are on each list
	iter    segment.PostingsIterator
	lengths [1024]float64 // of fields, by how bleve keeps them; 0: not yet known
}

// segmentsOf are the parts of an index that is open for reading.
func segmentsOf(reader bleveindex.IndexReader) ([]*scorch.SegmentSnapshot, error) {
	snap, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil, errors.New("the keyword index is of another kind than it was made")
	}
	return snap.Segments(), nil
}

// open begins to read; forget ends it, and lets go of all that belongs to the index. The room stays.
func (t *termReader) open(segments []*scorch.SegmentSnapshot) {
	t.segments = segments
	t.lists = slices.Grow(t.lists[:0], len(segments))[:len(segments)]
	t.counts = slices.Grow(t.counts[:0], len(segments))[:len(segments)]
}

func (t *termReader) forget() {
	clear(t.lists)
	clear(t.dicts[:])
	t.segments, t.iter = nil, nil
}

func (t *termReader) dictionaries(f field) ([]segment.TermDictionary, error) {
	if t.dicts[f] != nil {
		return t.dicts[f], nil
	}
	dicts := make([]segment.TermDictionary, len(t.segments))
	for i, s := range t.segments {
		var err error
		if dicts[i], err = s.Segment().Dictionary(f.String()); err != nil {
			return nil, err
		}
	}
	t.dicts[f] = dicts
	return dicts, nil
}

// find looks a term up, and gives how many documents have it in a field.
func (t *termReader) find(term string, f field) (docs uint64, err error) {
	dicts, err := t.dictionaries(f)
	if err != nil {
		return 0, err
	}
	for i, d := range dicts {
		if t.lists[i], err = d.PostingsList([]byte(term), t.segments[i].Deleted(), t.lists[i]); err != nil {
			return 0, err
		}
		t.counts[i] = t.lists[i].Count()
		docs += t.counts[i]
	}
	return docs, nil
}

// each calls f with the documents of the term that was found last: bleve's number of each, and what it says of it.
func (t *termReader) each(f func(doc uint64, of segment.Posting)) error {
	first := uint64(0)
	for i, list := range t.lists {
		if t.counts[i] > 0 { // an empty list that had room of another may not be read
			t.iter = list.Iterator(true, true, false, t.iter)
		}
		for range t.counts[i] {
			next, err := t.iter.Next()
			if err != nil {
				return err
			}
			if next == nil {
				break
			}
			f(first+next.Number(), next)
		}
		first += t.segments[i].Segment().Count()
	}
	return nil
}

// length is the length of a document's field, or unknown. bleve keeps that number, and tells 1/√length.
func (t *termReader) length(of segment.Posting, unknown float64) float64 {
	kept := uint64(len(t.lengths))
	if k, ok := of.(interface{ NormUint64() uint64 }); ok {
		kept = k.NormUint64()
	}
	if kept < uint64(len(t.lengths)) && t.lengths[kept] > 0 {
		return t.lengths[kept]
	}
	norm := of.Norm()
	if norm <= 0 {
		return unknown
	}
	length := 1 / (norm * norm)
	if kept < uint64(len(t.lengths)) {
		t.lengths[kept] = length
	}
	return length
}

// beginning gives the terms of a field that begin with a prefix, in order.
func (t *termReader) beginning(prefix string, f field) (out []string, err error) {
	dicts, err := t.dictionaries(f)
	if err != nil {
		return nil, err
	}
	from := []byte(prefix)
	beyond := []byte(prefix)
	beyond[len(beyond)-1]++ // the last byte of a word is below 0xff
	for _, d := range dicts {
		var terms segment.DictionaryIterator
		if only, ok := d.(interface {
			AutomatonIteratorOmitCount(a segment.Automaton, from, beyond []byte) segment.DictionaryIterator
		}); ok {
			terms = only.AutomatonIteratorOmitCount(nil, from, beyond)
		} else {
			terms = d.AutomatonIterator(nil, from, beyond)
		}
		for {
			e, err := terms.Next()
			if err != nil {
				return nil, err
			}
			if e == nil {
				break
			}
			out = append(out, e.Term)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
