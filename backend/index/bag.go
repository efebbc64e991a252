package index

// bag collects the first subtokens of a chunk and makes its vector of them. It is for one goroutine, with the vocabulary that cuts
// the words.
type bag struct {
	of     Local
	stop   map[string]bool
	known  []int32 // by term of the vocabulary: the subtoken's number, or one of these below
	ids    []int32 // of the chunk at hand, the known ones
	left   int     // how many more count
	open   bool    // the words that are counted are of the chunk's text
	vector []float32
}

const (
	unknown = -1 // a subtoken that counts, and has no vector
	dropped = -2 // no subtoken
	unasked = -3
)

func newBag(of Local, stop map[string]bool) *bag {
	return &bag{of: of, stop: stop, vector: make([]float32, of.Dim())}
}

// begin empties the bag.
func (b *bag) begin() { b.ids, b.left = b.ids[:0], b.of.Most() }

// add takes terms in, as long as they count; names are the terms by their numbers.
func (b *bag) add(terms []term, names []string) {
	for _, t := range terms {
		if b.left == 0 {
			return
		}
		id := b.number(t, names)
		if id == dropped {
			continue
		}
		b.left--
		if id != unknown {
			b.ids = append(b.ids, id)
		}
	}
}

func (b *bag) number(t term, names []string) int32 {
	for len(b.known) < len(names) {
		b.known = append(b.known, unasked)
	}
	if b.known[t] == unasked {
		id, ok := b.of.Subtoken(names[t])
		switch {
		case !isSubtoken(names[t], b.stop):
			id = dropped
		case !ok:
			id = unknown
		}
		b.known[t] = id
	}
	return b.known[t]
}

// pack appends the vector of what was collected.
func (b *bag) pack(to []byte) []byte {
	b.of.Sum(b.vector, b.ids)
	return packNibbles(to, b.vector)
}
