package search

import (
	"redgreen/backend/index"
)

// lineScorer finds the line of a chunk that says most of the query.
type lineScorer struct {
	wholes, parts, stems, stop map[string]bool
	begins                     [256]bool // the first bytes of the stems
}

func newLineScorer(q Query) lineScorer {
	s := lineScorer{wholes: map[string]bool{}, parts: map[string]bool{}, stems: map[string]bool{}, stop: index.StopWords()}
	for _, w := range index.Words(q.Text) {
		s.wholes[w.Whole] = true
		for _, p := range append(w.Parts, w.Whole) {
			if !s.stop[p] {
				s.parts[p] = true
				s.stems[index.Stem(p)] = true
				s.begins[p[0]] = true // a stem begins as its word does
			}
		}
	}
	return s
}

// best is the line with the most different words of the query, the first of equals; the first line where none has any.
func (s lineScorer) best(ch index.Chunk, lines []string) int {
	best, most := ch.StartLine, 0.0
	ch.OwnLines(func(n int) {
		if n > len(lines) {
			return
		}
		if v := s.score(lines[n-1]); v > most {
			best, most = n, v
		}
	})
	return best
}

// score of a line: a whole identifier counts three, a part one, another form of a word half; short words count little.
func (s lineScorer) score(line string) float64 {
	sum := 0.0
	seen := map[string]bool{}
	add := func(term string, v float64) {
		if !seen[term] {
			seen[term] = true
			if len(term) < 4 {
				v /= 4
			}
			sum += v
		}
	}
	for _, w := range index.Words(line) {
		if len(w.Parts) > 0 && s.wholes[w.Whole] {
			add(w.Whole, 3)
		}
		for _, p := range append(w.Parts, w.Whole) {
			if s.parts[p] {
				add(p, 1)
			} else if s.begins[p[0]] {
				if st := index.Stem(p); s.stems[st] {
					add(st, 0.5)
				}
			}
		}
	}
	return sum
}
