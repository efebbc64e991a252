package index

import (
	"hash/maphash"
	"strings"
)

// vocabulary turns texts into counted terms. It remembers every word it has seen, since code says the same words again
// and again and cutting one costs a hundred times what finding it costs. Words and terms are numbers, so that the garbage
// collector has next to nothing to look at in what is remembered. It is for one goroutine.
type vocabulary struct {
	stop  map[string]bool
	words table   // as they stand
	cuts  []entry // by word
	parts []term  // of all words
	terms table
	stems []term  // by term; none: not asked for yet
	said  []int32 // by term, in the field at hand

	bag     *bag   // nil: no vectors are made
	touched []term // of the field at hand
	length  int
	wholes  []term
	room    []count // for counts to come
}

const (
	// maxVocabulary bounds what is remembered, to about 20 MB.
	maxVocabulary = 1 << 17
	// countsRoom is how many counts are made room for at a time.
	countsRoom = 1 << 13
)

// term is the number of a term in a vocabulary.
type term uint32

const none = ^term(0)

// entry is a word, cut: its parts (the word itself where it is one part), then the stems of those that are no stop words.
type entry struct {
	whole            term // none where the word is one part
	at, parts, prose uint32
}

func newVocabulary(stop map[string]bool) *vocabulary {
	v := &vocabulary{stop: stop}
	v.forget()
	return v
}

func (v *vocabulary) forget() {
	*v = vocabulary{stop: v.stop, words: newTable(), terms: newTable(), bag: v.bag}
	if v.bag != nil {
		v.bag.known = v.bag.known[:0]
	}
}

// begin makes sure that there is room for the words of another file. Terms of a file are numbers of texts until then.
func (v *vocabulary) begin() {
	if len(v.words.texts) >= maxVocabulary {
		v.forget()
	}
}

// texts are the terms by their numbers.
func (v *vocabulary) texts() []string { return v.terms.texts }

// word cuts a word, or remembers how it was cut. Of what holds nothing ("___") there are no parts.
func (v *vocabulary) word(s string) entry {
	n, hash := v.words.find(s)
	if n < 0 {
		v.words.add(s, hash)
		v.cuts = append(v.cuts, v.cut(s))
		return v.cuts[len(v.cuts)-1]
	}
	return v.cuts[n]
}

func (v *vocabulary) cut(s string) entry {
	e := entry{whole: none, at: uint32(len(v.parts))}
	w, ok := newWord(s)
	if !ok {
		return e
	}
	parts := w.Parts
	if len(parts) == 0 {
		parts = []string{w.Whole}
	} else {
		e.whole = v.term(w.Whole)
	}
	for _, p := range parts {
		v.parts = append(v.parts, v.term(p))
	}
	for i, p := range parts {
		if !v.stop[p] {
			v.parts = append(v.parts, v.stemOf(v.parts[int(e.at)+i]))
		}
	}
	e.parts = uint32(len(parts))
	e.prose = uint32(len(v.parts)) - e.at - e.parts
	return e
}

func (v *vocabulary) stemOf(t term) term {
	if v.stems[t] == none {
		stem := v.term(Stem(v.terms.texts[t])) // before the place is known: it may make the list longer
		v.stems[t] = stem
	}
	return v.stems[t]
}

func (v *vocabulary) term(s string) term {
	n, hash := v.terms.find(s)
	if n < 0 {
		n = v.terms.add(s, hash)
		v.stems, v.said = append(v.stems, none), append(v.said, 0)
	}
	return term(n)
}

func (v *vocabulary) count(terms []term) {
	for _, t := range terms {
		if v.said[t] == 0 {
			v.touched = append(v.touched, t)
		}
		v.said[t]++
	}
	v.length += len(terms)
}

// field ends the field at hand and gives what was counted.
func (v *vocabulary) field() terms {
	n := len(v.touched)
	if cap(v.room)-len(v.room) < n {
		v.room = make([]count, 0, max(countsRoom, n))
	}
	counts := v.room[len(v.room) : len(v.room)+n : len(v.room)+n]
	v.room = v.room[:len(v.room)+n]
	for i, t := range v.touched {
		counts[i] = count{t, v.said[t]}
		v.said[t] = 0
	}
	out := terms{length: v.length, counts: counts}
	v.touched, v.length = v.touched[:0], 0
	return out
}

// code counts the parts of all words, and remembers their whole identifiers.
func (v *vocabulary) code(text string) terms {
	v.wholes = v.wholes[:0]
	for w := range rawWords(text) {
		e := v.word(w)
		v.count(v.parts[e.at : e.at+e.parts])
		if e.whole != none {
			v.wholes = append(v.wholes, e.whole)
		}
		if v.bag != nil && v.bag.open {
			v.bag.add(v.parts[e.at:e.at+e.parts], v.terms.texts)
		}
	}
	return v.field()
}

// names counts the parts of all words, and with them their whole identifiers.
func (v *vocabulary) names(text string) terms {
	for w := range rawWords(text) {
		e := v.word(w)
		v.count(v.parts[e.at : e.at+e.parts])
		if e.whole != none {
			v.count([]term{e.whole})
		}
	}
	return v.field()
}

// prose counts the stems of words that are no stop words; an identifier in prose counts as its parts.
func (v *vocabulary) prose(texts ...string) terms {
	for _, text := range texts {
		for w := range rawWords(text) {
			e := v.word(w)
			from := e.at + e.parts
			v.count(v.parts[from : from+e.prose])
		}
	}
	return v.field()
}

// document cuts a chunk. A path's terms are the same for all chunks of a file, so they come from outside.
func (v *vocabulary) document(ch Chunk, path terms, comments []string) document {
	var d document
	d[fieldName] = v.names(ch.Name)
	d[fieldScope] = v.code(strings.TrimSuffix(ch.Qualified, ch.Name))
	d[fieldPath] = path
	d[fieldCode] = v.text(ch)
	v.count(v.wholes)
	d[fieldIdent] = v.field()
	d[fieldProse] = v.prose(append(comments, ch.Doc)...)
	return d
}

// text counts a chunk's text, and puts into the bag what VectorText would give an embedder.
func (v *vocabulary) text(ch Chunk) terms {
	if v.bag == nil {
		return v.code(ch.Text)
	}
	v.bag.begin()
	for _, s := range []string{ch.Path, ch.Qualified, ch.Name, ch.Doc} {
		for w := range rawWords(s) {
			e := v.word(w)
			v.bag.add(v.parts[e.at:e.at+e.parts], v.terms.texts)
		}
	}
	v.bag.open = true
	defer func() { v.bag.open = false }()
	return v.code(ch.Text)
}

// table numbers texts in the order in which they come: an open table of hashes and numbers, at most half full.
type table struct {
	texts []string
	seed  maphash.Seed
	slots []slot
	room  *strings.Builder // many texts lie in one piece of memory
}

// slot is one place of a table; next is the number of the text and one, 0 none.
type slot struct{ hash, next uint32 }

const (
	firstSlots = 1 << 12
	textsRoom  = 64 << 10
)

func newTable() table {
	return table{seed: maphash.MakeSeed(), slots: make([]slot, firstSlots)}
}

// find gives the number of a text, -1 where it has none, and its hash.
func (t *table) find(s string) (int, uint32) {
	hash := uint32(maphash.String(t.seed, s))
	for i := int(hash); ; i++ {
		at := t.slots[i&(len(t.slots)-1)]
		if at.next == 0 {
			return -1, hash
		}
		if at.hash == hash && t.texts[at.next-1] == s {
			return int(at.next - 1), hash
		}
	}
}

// add numbers a text that has no number.
func (t *table) add(s string, hash uint32) int {
	if 2*len(t.texts) >= len(t.slots) {
		t.grow()
	}
	t.texts = append(t.texts, t.keep(s))
	t.put(slot{hash, uint32(len(t.texts))})
	return len(t.texts) - 1
}

func (t *table) put(s slot) {
	i := int(s.hash)
	for t.slots[i&(len(t.slots)-1)].next != 0 {
		i++
	}
	t.slots[i&(len(t.slots)-1)] = s
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.next != 0 {
			t.put(s)
		}
	}
}

// keep copies a text. What a Builder has given stays as it is while more is written into the room that it has.
func (t *table) keep(s string) string {
	if t.room == nil || t.room.Cap()-t.room.Len() < len(s) {
		t.room = &strings.Builder{}
		t.room.Grow(max(textsRoom, len(s)))
	}
	t.room.WriteString(s)
	return t.room.String()[t.room.Len()-len(s):]
}
