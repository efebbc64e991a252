package index

// unit is one word of a query with the terms that stand for it in each field.
type unit struct {
	word   string // a word that may stand in other forms in code; empty for a whole identifier
	terms  map[field]string
	weight float64
}

// Said is a part of a query with what a word of it counts; 1 is usual.
type Said struct {
	Text   string
	Weight float64
}

// wholeWeight is what an identifier of several parts counts beside those: little, since its parts say the same; but it
// puts those that have it as it stands before those that have its parts somewhere.
const wholeWeight = 0.3

// units cuts a query into what is looked up: the whole identifiers, their parts, and single words. A word that occurs
// several times is one unit and counts what it counts most: people repeat words for the reader's sake.
func (a analyser) units(query []Said) []*unit {
	var out []*unit
	seen := map[string]*unit{}
	for _, said := range query {
		add := func(term string, whole bool) {
			u, ok := seen[term]
			if !ok {
				u = newUnit(term, whole)
				seen[term] = u
				out = append(out, u)
			}
			weight := said.Weight
			if whole {
				weight *= wholeWeight
			}
			u.weight = max(u.weight, weight)
		}
		a.each(said.Text, add)
	}
	return out
}

func newUnit(term string, whole bool) *unit {
	if whole {
		return &unit{terms: map[field]string{fieldName: term, fieldPath: term, fieldIdent: term}}
	}
	return &unit{word: term, terms: map[field]string{fieldName: term, fieldScope: term, fieldPath: term, fieldCode: term, fieldProse: Stem(term)}}
}

// each calls add for the whole identifiers of a text, their parts, and single words; not for stop words.
func (a analyser) each(text string, add func(term string, whole bool)) {
	for _, w := range Words(text) {
		if len(w.Parts) == 0 {
			if !a.stop[w.Whole] {
				add(w.Whole, false)
			}
			continue
		}
		add(w.Whole, true)
		for _, p := range w.Parts {
			if !a.stop[p] {
				add(p, false)
			}
		}
	}
}
