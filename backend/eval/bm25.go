package eval

import (
	"cmp"
	"math"
	"slices"

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
	terms  map[string]int
	length float64
}

func newBag(terms []string) bag {
	b := bag{terms: make(map[string]int, len(terms)), length: float64(len(terms))}
	for _, t := range terms {
		b.terms[t]++
	}
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
func bm25(docs []bag, query []string) []int {
	asked := newBag(query)
	df := map[string]float64{}
	total := 0.0
	for _, d := range docs {
		total += d.length
		for t := range asked.terms {
			if d.terms[t] > 0 {
				df[t]++
			}
		}
	}
	mean := max(total/max(float64(len(docs)), 1), 1)
	n := float64(len(docs))
	scores := make([]float64, len(docs))
	var out []int
	for i, d := range docs {
		for t := range asked.terms {
			if tf := float64(d.terms[t]); tf > 0 {
				scores[i] += math.Log(1+(n-df[t]+0.5)/(df[t]+0.5)) * tf * (plainK1 + 1) / (tf + plainK1*(1-plainB+plainB*d.length/mean))
			}
		}
		if scores[i] > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return out
}
