package eval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"redgreen/backend/index"
)

// The usual constants of BM25, untuned. Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond", 2009.
const (
	plainK1 = 1.2
	plainB  = 0.75
)

// bag is a text as the plain baselines see it: how often it says each term.
type bag struct {
	terms  []termCount // by number
	length float64
}

type termCount struct{ term, n uint32 }

// of is how often a text says a term.
func (b bag) of(term uint32) int {
	at, ok := slices.BinarySearchFunc(b.terms, term, func(t termCount, want uint32) int { return cmp.Compare(t.term, want) })
	if !ok {
		return 0
	}
	return int(b.terms[at].n)
}

// numbered gives terms numbers. Bags of many texts say the same words, and a word that was cut out of a text keeps all of it in
// memory.
type numbered map[string]uint32

func (v numbered) bag(terms []string) bag {
	counts := make(map[uint32]uint32, len(terms))
	for _, t := range terms {
		n, ok := v[t]
		if !ok {
			n = uint32(len(v))
			v[strings.Clone(t)] = n
		}
		counts[n]++
	}
	b := bag{terms: make([]termCount, 0, len(counts)), length: float64(len(terms))}
	for t, n := range counts {
		b.terms = append(b.terms, termCount{t, n})
	}
	slices.SortFunc(b.terms, func(x, y termCount) int { return cmp.Compare(x.term, y.term) })
	return b
}

// wholeWords are the identifiers and words of a text as they stand, lower-cased.
func wholeWords(text string) []string {
	var out []string
	for _, w := range index.Words(text) {
		out = append(out, w.Whole)
	}
	return out
}

// stemmedParts are the stems of the parts of all words, and the identifiers of several parts as they stand; English stop
// words are left out before they are stemmed.
func stemmedParts(stop map[string]bool) func(text string) []string {
	return func(text string) []string {
		var out []string
		for _, w := range index.Words(text) {
			parts := w.Parts
			if len(parts) == 0 {
				parts = []string{w.Whole}
			} else {
				out = append(out, w.Whole)
			}
			for _, p := range parts {
				if !stop[p] {
					out = append(out, index.Stem(p))
				}
			}
		}
		return out
	}
}

// bm25 ranks bags for a query by the plain formula; the order of equals is that of docs. It gives their places, best first.
func bm25(docs []bag, asked bag) []int {
	df := make([]float64, len(asked.terms))
	total := 0.0
	for _, d := range docs {
		total += d.length
		for i, t := range asked.terms {
			if d.of(t.term) > 0 {
				df[i]++
			}
		}
	}
	mean := max(total/max(float64(len(docs)), 1), 1)
	n := float64(len(docs))
	scores := make([]float64, len(docs))
	var out []int
	for i, d := range docs {
		for j, t := range asked.terms {
			if tf := float64(d.of(t.term)); tf > 0 {
				scores[i] += math.Log(1+(n-df[j]+0.5)/(df[j]+0.5)) * tf * (plainK1 + 1) / (tf + plainK1*(1-plainB+plainB*d.length/mean))
			}
		}
		if scores[i] > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return out
}
