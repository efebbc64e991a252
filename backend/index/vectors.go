package index

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
)

const (
	// vectorBatch is how many texts an embedder is given at once.
	vectorBatch = 64
	// scaleBytes are a vector's scale before its numbers, one byte each.
	scaleBytes = 4
	// tiny is a number that says nothing.
	tiny = 1e-30
)

// vectorise is called with a batch once it is stored and known to the keyword index.
func (ix *Index) vectorise(ctx context.Context, batch []change) error {
	if ix.options.local() != nil {
		for _, c := range batch {
			if len(c.chunks) > 0 {
				ix.vectors.addFile(c.chunks[0].ID, c.vectors)
			}
		}
		return nil
	}
	var chunks []Chunk // of all files: a question and a transaction for each file would take as long as the vectors
	for _, c := range batch {
		chunks = append(chunks, c.chunks...)
	}
	return ix.embedAll(ctx, chunks)
}

// embedAll makes the vectors of chunks by an embedder that is asked for them. They have their ID, Hash and Text; a Hash that is known
// needs no new vector. An embedder that fails costs the vectors only: the next update tries again, and the failure is told in Stats.
func (ix *Index) embedAll(ctx context.Context, chunks []Chunk) error {
	e := ix.options.Embedder
	if e == nil || ix.vectors.failed != nil {
		return nil
	}
	for batch := range slices.Chunk(chunks, vectorBatch) {
		if err := ix.embed(ctx, e, batch); err != nil {
			return err
		}
	}
	return nil
}

func (ix *Index) embed(ctx context.Context, e Embedder, chunks []Chunk) error {
	known, err := ix.store.knownVectors(ctx, chunks)
	if err != nil {
		return err
	}
	var fresh []Chunk
	var texts []string
	for _, ch := range chunks {
		if _, ok := known[ch.Hash]; !ok {
			fresh, texts = append(fresh, ch), append(texts, VectorText(ch))
		}
	}
	if len(fresh) > 0 {
		vectors, err := e.Embed(ctx, texts)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			ix.vectors.failed = err
			return nil
		}
		if len(vectors) != len(fresh) {
			ix.vectors.failed = fmt.Errorf("%s gave %d vectors for %d texts", e.Name(), len(vectors), len(fresh))
			return nil
		}
		for i, v := range vectors {
			if len(v) != e.Dim() {
				ix.vectors.failed = fmt.Errorf("%s gave a vector of %d numbers, not %d", e.Name(), len(v), e.Dim())
				return nil
			}
			known[fresh[i].Hash] = pack(v)
		}
		if err := ix.store.keepVectors(ctx, fresh, known); err != nil {
			return err
		}
	}
	ix.vectors.add(chunks, known)
	return nil
}

// pack makes a vector's length 1 and rounds it to bytes: its scale, then a byte a number.
func pack(v []float32) []byte {
	scale, per := lengthOne(v, 127)
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, scaleBytes+len(v)), math.Float32bits(scale))
	if scale == 0 {
		return append(b, make([]byte, len(v))...)
	}
	for _, x := range v {
		b = append(b, byte(int8(math.Round(float64(x)*per))))
	}
	return b
}

// nibbles is how many bytes packNibbles makes of a vector.
func nibbles(dim int) int { return scaleBytes + (dim+1)/2 }

// packNibbles is pack with four bits a number: -7 to 7, and 8, two in a byte. It appends.
func packNibbles(to []byte, v []float32) []byte {
	scale, per := lengthOne(v, 7)
	to = binary.LittleEndian.AppendUint32(to, math.Float32bits(scale))
	if scale == 0 {
		return append(to, bytes.Repeat([]byte{0x88}, (len(v)+1)/2)...)
	}
	f := float32(per)
	for ; len(v) > 1; v = v[2:] {
		to = append(to, byte(v[0]*f+8.5)|byte(v[1]*f+8.5)<<4)
	}
	if len(v) > 0 {
		to = append(to, byte(v[0]*f+8.5)|0x80)
	}
	return to
}

// lengthOne says how a vector is rounded to numbers from -most to most: each times per. They times scale are the vector with
// length 1; both are 0 where it has no length.
func lengthOne(v []float32, most float64) (scale float32, per float64) {
	sum, top := 0.0, float32(0)
	for _, x := range v {
		sum += float64(x) * float64(x)
		top = max(top, x, -x)
	}
	if top < tiny || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, 0
	}
	return float32(float64(top) / most / math.Sqrt(sum)), most / float64(top)
}

// vectorSet holds the vectors of all chunks in memory: 100,000 of 128 numbers are 15 MB.
type vectorSet struct {
	failed error              // of the update at hand
	cool   context.CancelFunc // ends the loading in the background; set once, by warm

	mu     sync.RWMutex
	loaded bool
	dim    int
	ids    []int64   // in their order: no id is given twice, and each is higher than those before
	scales []float32 // 0: of a chunk that is no more, or of a vector that says nothing
	rows   []int8
	gone   int // how many are of chunks that are no more
}

func (s *vectorSet) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

func (s *vectorSet) drop() {
	s.loaded, s.ids, s.scales, s.rows, s.gone = false, nil, nil, nil, 0
}

// add takes new chunks in; nothing where they are not loaded, since loading reads them.
func (s *vectorSet) add(chunks []Chunk, packed map[Hash][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range chunks {
		if b, ok := packed[ch.Hash]; ok && s.loaded && !s.put(ch.ID, b) {
			s.drop() // older than others: it had to wait for its vector
		}
	}
}

// place is where a chunk's vector is.
func (s *vectorSet) place(id int64) (at int, ok bool) {
	return slices.BinarySearch(s.ids, id)
}

// put takes a chunk in that is newer than all others, or there already; else it is not ok.
func (s *vectorSet) put(id int64, packed []byte) (ok bool) {
	if len(packed) != scaleBytes+s.dim {
		return true // of another embedder; the next update makes it anew
	}
	if n := len(s.ids); n > 0 && id <= s.ids[n-1] {
		_, ok := s.place(id)
		return ok
	}
	row, scale := unpack(packed)
	s.ids, s.scales, s.rows = append(s.ids, id), append(s.scales, scale), append(s.rows, row...)
	return true
}

// addFile is add for the vectors of a file, one after the other; first is the id of its first chunk.
func (s *vectorSet) addFile(first int64, packed []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded && !s.putFile(first, packed) {
		s.drop()
	}
}

// putFile is put for a file.
func (s *vectorSet) putFile(first int64, packed []byte) (ok bool) {
	size := nibbles(s.dim)
	n := len(packed) / size
	if last := len(s.ids) - 1; n > 0 && last >= 0 && first <= s.ids[last] {
		_, ok := s.place(first)
		return ok
	}
	for i := range n {
		s.ids = append(s.ids, first+int64(i))
		s.scales = append(s.scales, math.Float32frombits(binary.LittleEndian.Uint32(packed[i*size:])))
	}
	s.rows = unpackNibbles(s.rows, packed, n, s.dim)
	return true
}

// remove takes chunks out that are no more. Their places are given back where they are many.
func (s *vectorSet) remove(gone []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range gone {
		if at, ok := s.place(id); ok && s.scales[at] != 0 {
			s.scales[at] = 0
			s.gone++
		}
	}
	if s.gone <= len(s.ids)/4 {
		return
	}
	n := 0
	for i, scale := range s.scales {
		if scale == 0 {
			continue
		}
		s.ids[n], s.scales[n] = s.ids[i], scale
		copy(s.rows[n*s.dim:][:s.dim], s.rows[i*s.dim:])
		n++
	}
	s.ids, s.scales, s.rows, s.gone = s.ids[:n], s.scales[:n], s.rows[:n*s.dim], 0
}

// Nearest ranks chunks by how near their vectors are to a vector of the index's embedder (cosine, −1…1), best first, at most
// n. Nothing where the index has no vectors.
func (ix *Index) Nearest(ctx context.Context, v []float32, n int) ([]Scored, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	if ix.options.Embedder == nil || n <= 0 || len(v) != ix.options.Embedder.Dim() {
		return nil, nil
	}
	if err := ix.loadVectors(ctx); err != nil {
		return nil, ix.failed("loading vectors", err)
	}
	return ix.vectors.nearest(v, n), nil
}

// warm loads the vectors in the background, so that the first search need not wait; where that fails the search tries again and
// says why. It is called once, when the index is opened.
func (ix *Index) warm() {
	ctx, cancel := context.WithCancel(context.Background())
	ix.vectors.cool = cancel
	if ix.options.Embedder == nil {
		return
	}
	go func() {
		ix.mu.RLock()
		defer ix.mu.RUnlock()
		if ix.store != nil && ctx.Err() == nil {
			_ = ix.loadVectors(ctx)
		}
	}()
}

// loadVectors reads all vectors, once.
func (ix *Index) loadVectors(ctx context.Context) error {
	s := &ix.vectors
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded {
		return nil
	}
	_, n, err := ix.store.counts(ctx)
	if err != nil {
		return err
	}
	s.dim = ix.options.Embedder.Dim()
	s.ids, s.scales, s.rows, s.gone = make([]int64, 0, n), make([]float32, 0, n), make([]int8, 0, n*s.dim), 0
	query, put := `SELECT c.id, v.vector FROM chunks c JOIN vectors v ON v.hash=c.hash ORDER BY c.id`, s.put
	if ix.options.local() != nil {
		query, put = `SELECT first, packed FROM file_vectors ORDER BY file_id`, s.putFile // files and chunks get their ids together
	}
	rows, err := ix.store.db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var packed sql.RawBytes
		if err := rows.Scan(&id, &packed); err != nil {
			return err
		}
		if !put(id, packed) {
			return fmt.Errorf("%w: vectors out of order", errDamaged)
		}
	}
	s.loaded = rows.Err() == nil
	return rows.Err()
}

// Cosines gives how near the vectors of some chunks are to a vector; a chunk without one is left out.
func (ix *Index) Cosines(ctx context.Context, v []float32, ids []int64) (map[int64]float64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	if ix.options.Embedder == nil || len(v) != ix.options.Embedder.Dim() {
		return nil, nil
	}
	if err := ix.loadVectors(ctx); err != nil {
		return nil, ix.failed("loading vectors", err)
	}
	s := &ix.vectors
	query, scale := wide(v)
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make(map[int64]float64, len(ids))
	var product [1]int32
	for _, id := range ids {
		if at, ok := s.place(id); ok && s.scales[at] != 0 {
			dots(product[:], s.rows[at*s.dim:], query)
			out[id] = float64(float32(product[0]) * s.scales[at] * scale)
		}
	}
	return out, nil
}

// unpack gives a packed vector's numbers and what they are multiplied by.
func unpack(packed []byte) ([]int8, float32) {
	out := make([]int8, len(packed)-scaleBytes)
	for i, x := range packed[scaleBytes:] {
		out[i] = int8(x)
	}
	return out, math.Float32frombits(binary.LittleEndian.Uint32(packed))
}

// nearest compares with every vector, on two cores where there are many: for 100,000 that is faster than any of the approximate ways
// that were tried, and exact.
func (s *vectorSet) nearest(v []float32, n int) []Scored {
	query, scale := wide(v)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.ids) < manyVectors {
		return s.nearestOf(query, scale, n, 0, len(s.ids))
	}
	half, first := len(s.ids)/2, make(chan []Scored)
	go func() { first <- s.nearestOf(query, scale, n, 0, half) }()
	out := s.nearestOf(query, scale, n, half, len(s.ids))
	out = append(out, <-first...)
	sortScored(out)
	return out[:min(n, len(out))]
}

// manyVectors is where a second goroutine pays.
const manyVectors = 20_000

// nearestOf compares with the vectors from one place up to another.
func (s *vectorSet) nearestOf(query []int16, scale float32, n, from, to int) []Scored {
	var out []Scored
	least := float32(0)
	products := make([]int32, min(vectorBlock, to-from))
	for ; from < to; from += len(products) {
		products = products[:min(len(products), to-from)]
		dots(products, s.rows[from*s.dim:], query)
		for i, p := range products {
			score := float32(p) * s.scales[from+i] * scale
			if score <= 0 || score < least {
				continue
			}
			if out = append(out, Scored{s.ids[from+i], float64(score)}); len(out) >= 4*n {
				sortScored(out)
				out = out[:n]
				least = float32(out[n-1].Score)
			}
		}
	}
	sortScored(out)
	return out[:min(n, len(out))]
}

// vectorBlock is how many vectors are compared in one call of C.
const vectorBlock = 4096

func sortScored(list []Scored) {
	slices.SortFunc(list, func(a, b Scored) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
}

// wide is the packed form of a vector to compare with, widened, and its scale.
func wide(v []float32) ([]int16, float32) {
	row, scale := unpack(pack(v))
	out := make([]int16, len(row))
	for i, x := range row {
		out[i] = int16(x)
	}
	return out, scale
}
