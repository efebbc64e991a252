package index

import "strings"

// VectorText is what an embedder is given of a chunk: the header of path and qualified name that the keyword index has
// too, then its comment and its text.
func VectorText(ch Chunk) string {
	return strings.Join([]string{ch.Path, ch.Qualified, ch.Name, ch.Doc, ch.Text}, "\n")
}

// Subtokenizer cuts texts into the parts of all words but English stop words, as the built-in embedder knows them:
// lower-case, in order. Numbers, single letters and what no person wrote are left out. It remembers the words that it has
// seen and is for one goroutine.
type Subtokenizer struct {
	stop  map[string]bool
	known map[string][]string
}

// NewSubtokenizer makes one.
func NewSubtokenizer() *Subtokenizer {
	return &Subtokenizer{stop: StopWords(), known: map[string][]string{}}
}

// maxSubtoken is longer than any word that is in a table of subtokens.
const maxSubtoken = 24

// Cut gives the first n subtokens of a text.
func (s *Subtokenizer) Cut(text string, n int) []string {
	out := make([]string, 0, min(n, len(text)/5))
	for raw := range rawWords(text) {
		if len(out) >= n {
			break
		}
		parts, ok := s.known[raw]
		if !ok {
			if len(s.known) >= maxVocabulary {
				clear(s.known)
			}
			parts = s.word(raw)
			s.known[strings.Clone(raw)] = parts
		}
		out = append(out, parts...)
	}
	return out[:min(n, len(out))]
}

func (s *Subtokenizer) word(raw string) []string {
	w, ok := newWord(raw)
	if !ok {
		return nil
	}
	parts := w.Parts
	if len(parts) == 0 {
		parts = []string{w.Whole}
	}
	var kept []string
	for _, p := range parts {
		if isSubtoken(p, s.stop) {
			kept = append(kept, p)
		}
	}
	return kept
}

// isSubtoken reports a part of a word that says something.
func isSubtoken(p string, stop map[string]bool) bool {
	return len(p) > 1 && len(p) <= maxSubtoken && !stop[p] && (p[0] < '0' || p[0] > '9')
}
