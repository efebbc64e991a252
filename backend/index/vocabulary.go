package index

import "strings"

// vocabulary turns texts into counted terms. It remembers every word it has seen, since code says the same words again
// and again and cutting one costs a hundred times what finding it costs. It is for one goroutine.
type vocabulary struct {
	stop  map[string]bool
	words map[string]entry
	terms map[string]*term

	recent [recentWords]entry // by a rough hash: most words were said a moment ago

	touched []*term // of the field at hand
	length  int
}

// maxVocabulary bounds what is remembered, to about 50 MB.
const maxVocabulary = 1 << 17

// recentWords is a power of two that keeps the table in a core's own cache, where looking a word up in the map is not.
const recentWords = 1 << 12

// rough tells words apart well enough for a table that may forget.
func rough(s string) int {
	n := len(s)
	h := uint32(n) + uint32(s[0])<<5 + uint32(s[n/2])<<10 + uint32(s[n-1])<<15 + uint32(s[(n-1)/3])<<20
	return int(h * 2654435761 >> 20 % recentWords)
}

// term is one term with its count in the field at hand.
type term struct {
	text string
	n    int
	stem *term // once it was asked for
}

// entry is a word as it stands, cut.
type entry struct {
	text  string
	whole *term   // nil where the word is one part
	parts []*term // the word itself where it is one part
	prose []*term // stems of the parts that are no stop words
}

func newVocabulary(stop map[string]bool) *vocabulary {
	v := &vocabulary{stop: stop}
	v.forget()
	return v
}

func (v *vocabulary) forget() {
	v.words, v.terms = map[string]entry{}, map[string]*term{}
	clear(v.recent[:])
}

// word cuts a word, or remembers how it was cut. ok is false for what holds nothing ("___").
func (v *vocabulary) word(s string) (entry, bool) {
	near := &v.recent[rough(s)]
	if near.text == s {
		return *near, len(near.parts) > 0
	}
	if e, ok := v.words[s]; ok {
		*near = e
		return e, len(e.parts) > 0
	}
	if len(v.words) >= maxVocabulary && len(v.touched) == 0 {
		v.forget()
	}
	e := v.cut(s)
	e.text = strings.Clone(s)
	v.words[e.text] = e
	return e, len(e.parts) > 0
}

func (v *vocabulary) cut(s string) entry {
	w, ok := newWord(s)
	if !ok {
		return entry{}
	}
	var e entry
	parts := w.Parts
	if len(parts) == 0 {
		parts = []string{w.Whole}
	} else {
		e.whole = v.term(w.Whole)
	}
	room := make([]*term, 0, 2*len(parts))
	for _, p := range parts {
		room = append(room, v.term(p))
	}
	for i, p := range parts {
		if !v.stop[p] {
			room = append(room, v.stemOf(room[i]))
		}
	}
	e.parts, e.prose = room[:len(parts):len(parts)], room[len(parts):]
	return e
}

func (v *vocabulary) stemOf(t *term) *term {
	if t.stem == nil {
		t.stem = v.term(Stem(t.text))
	}
	return t.stem
}

func (v *vocabulary) term(s string) *term {
	t, ok := v.terms[s]
	if !ok {
		s = strings.Clone(s)
		t = &term{text: s}
		v.terms[s] = t
	}
	return t
}

func (v *vocabulary) count(t *term) {
	if t.n == 0 {
		v.touched = append(v.touched, t)
	}
	t.n++
	v.length++
}

// field ends the field at hand and gives what was counted.
func (v *vocabulary) field() terms {
	out := terms{length: v.length}
	if len(v.touched) > 0 {
		out.counts = make([]count, len(v.touched))
		for i, t := range v.touched {
			out.counts[i] = count{t, int32(t.n)}
			t.n = 0
		}
	}
	v.touched, v.length = v.touched[:0], 0
	return out
}

// code counts the parts of all words, and gives their whole identifiers.
func (v *vocabulary) code(text string, wholes []*term) (parts terms, all []*term) {
	for w := range rawWords(text) {
		e, ok := v.word(w)
		if !ok {
			continue
		}
		for _, p := range e.parts {
			v.count(p)
		}
		if e.whole != nil {
			wholes = append(wholes, e.whole)
		}
	}
	return v.field(), wholes
}

// names counts the parts of all words, and with them their whole identifiers.
func (v *vocabulary) names(text string) terms {
	for w := range rawWords(text) {
		e, ok := v.word(w)
		if !ok {
			continue
		}
		for _, p := range e.parts {
			v.count(p)
		}
		if e.whole != nil {
			v.count(e.whole)
		}
	}
	return v.field()
}

// prose counts the stems of words that are no stop words; an identifier in prose counts as its parts.
func (v *vocabulary) prose(texts ...string) terms {
	for _, text := range texts {
		for w := range rawWords(text) {
			if e, ok := v.word(w); ok {
				for _, p := range e.prose {
					v.count(p)
				}
			}
		}
	}
	return v.field()
}

// document cuts a chunk. A path's terms are the same for all chunks of a file, so they come from outside.
func (v *vocabulary) document(ch Chunk, path terms, comments string) document {
	var d document
	d[fieldName] = v.names(ch.Name)
	d[fieldScope], _ = v.code(strings.TrimSuffix(ch.Qualified, ch.Name), nil)
	d[fieldPath] = path
	var wholes []*term
	d[fieldCode], wholes = v.code(ch.Text, nil)
	for _, w := range wholes {
		v.count(w)
	}
	d[fieldIdent] = v.field()
	d[fieldProse] = v.prose(ch.Doc, comments)
	return d
}
