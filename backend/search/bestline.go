package search

import (
	"slices"
	"unicode/utf8"

	"redgreen/backend/index"
)

// lineScorer finds the line of a chunk that says most of the query.
type lineScorer struct {
	wholes, parts, stems, stop map[string]bool
	heads                      [256][]string // by first byte, in lower case: one of them begins each word, or part of one, that says anything
}

func newLineScorer(q Query) lineScorer {
	s := lineScorer{wholes: map[string]bool{}, parts: map[string]bool{}, stems: map[string]bool{}, stop: index.StopWords()}
	for _, w := range index.Words(q.Text) {
		s.wholes[w.Whole] = true
		s.head(w.Whole)
		for _, p := range append(w.Parts, w.Whole) {
			if !s.stop[p] {
				s.parts[p] = true
				s.stems[index.Stem(p)] = true
				s.head(p)
			}
		}
	}
	return s
}

// head notes how all words begin that have the stem of a term: a stem is its word but for the end, of which its last letter is
// ("possibility" has "possibl"), or of three letters two ("dying" has "die").
func (s *lineScorer) head(term string) {
	stem := index.Stem(term)
	same := len(stem) - 1
	if same < 3 {
		same = 1
	}
	if h := stem[:same]; !slices.Contains(s.heads[h[0]], h) {
		s.heads[h[0]] = append(s.heads[h[0]], h)
	}
}

// begins reports that a text begins as a word or a part of one does that says something.
func (s *lineScorer) begins(text string) bool {
	for _, h := range s.heads[lower(text[0])] {
		if hasPrefix(text, h) {
			return true
		}
	}
	return false
}

// may reports that a line, or a word of it as it stands, may say something of the query. It looks at the bytes where a part of a word
// can begin, which costs a tenth of cutting it into words; what has other than ASCII in it always may.
func (s *lineScorer) may(line string) bool {
	before := false // there is a letter before
	for i := range len(line) {
		c := line[i]
		if c >= utf8.RuneSelf {
			return true
		}
		small := 'a' <= c && c <= 'z'
		if within := small && before; !within && s.begins(line[i:]) {
			return true
		}
		before = small || 'A' <= c && c <= 'Z'
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// hasPrefix reports that a text begins with a prefix in lower case, whatever its own case is.
func hasPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// best is the line with the most different words of the query, the first of equals; the first line where none has any. lines are
// those of the text from the chunk's first on.
func (s *lineScorer) best(ch index.Chunk, lines []string) int {
	best, most := ch.StartLine, 0.0
	ch.OwnLines(func(n int) {
		at := n - ch.StartLine
		if at >= len(lines) || !s.may(lines[at]) {
			return
		}
		if v := s.score(lines[at]); v > most {
			best, most = n, v
		}
	})
	return best
}

// score of a line, of which only the words that may say something count.
func (s *lineScorer) score(line string) float64 { return s.sum(index.WordsThat(line, s.may)) }

// sum of the words of a line: a whole identifier counts three, a part one, another form of a word half; short words count little.
func (s *lineScorer) sum(words []index.Word) float64 {
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
	for _, w := range words {
		if len(w.Parts) > 0 && s.wholes[w.Whole] {
			add(w.Whole, 3)
		}
		for _, p := range append(w.Parts, w.Whole) {
			if s.parts[p] {
				add(p, 1)
			} else if s.begins(p) {
				if st := index.Stem(p); s.stems[st] {
					add(st, 0.5)
				}
			}
		}
	}
	return sum
}
