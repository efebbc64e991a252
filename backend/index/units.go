package index

// unit is one word of a query with the terms that stand for it in each field.
type unit struct {
	word  string // a word that may stand in other forms in code; empty for a whole identifier
	terms map[field]string
	count int // how often the query says it
}

// units cuts a query into what is looked up: the whole identifiers, their parts, and single words. A word that occurs
// twice is one unit.
func (a analyser) units(query string) []*unit {
	var out []*unit
	seen := map[string]*unit{}
	add := func(term string, whole bool) {
		if u, ok := seen[term]; ok {
			u.count++
			return
		}
		u := &unit{count: 1}
		if whole {
			u.terms = map[field]string{fieldName: term, fieldPath: term, fieldIdent: term}
		} else {
			u.word = term
			u.terms = map[field]string{fieldName: term, fieldScope: term, fieldPath: term, fieldCode: term, fieldProse: Stem(term)}
		}
		seen[term] = u
		out = append(out, u)
	}
	for _, w := range Words(query) {
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
	return out
}
