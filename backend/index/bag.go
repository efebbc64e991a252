package index

// bag collects the first subtokens of a chunk and makes its vector of them. It is for one goroutine, with the vocabulary that cuts
// the words.
type bag struct {
	of     Local
	stop   map[string]bool
	known  []int32 // by term of the vocabulary: the subtoken's number, or unknown, or dropped
	ids    []int32 // of the chunk at hand, the known ones
	left   int     // how many more count
	open   bool    // the words that are counted are of the chunk's text
	vector []float32
}

const (
	unknown = -1 // a subtoken that counts, and has no vector
	dropped = -2 // no subtoken
)

func newBag(of Local, stop map[string]bool) *bag {
	return &bag{of: of, stop: stop, vector: make([]float32, of.Dim())}
}

// learn takes the next term of the vocabulary in.
func (b *bag) learn(s string) {
	id, ok := b.of.Subtoken(s)
	switch {
	case !isSubtoken(s, b.stop):
		id = dropped
	case !ok:
		id = unknown
	}
	b.known = append(b.known, id)
}

func (b *bag) begin() { b.ids, b.left = b.ids[:0], b.of.Most() }

func (b *bag) add(terms []term) {
	for _, t := range terms {
		id := b.known[t]
		if id == dropped {
			continue
		}
		if b.left == 0 {
			return
		}
		b.left--
		if id != unknown {
			b.ids = append(b.ids, id)
		}
	}
}

// pack appends the vector of what was collected.
func (b *bag) pack(to []byte) []byte {
	b.of.Sum(b.vector, b.ids)
	return packNibbles(to, b.vector)
}
