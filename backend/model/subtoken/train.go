package subtoken

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// Example is a text of a person and the code that it speaks of, as subtokens.
type Example struct{ Words, Code []string }

// TrainOptions say how a table is learned. The zero value is what the shipped one was made with.
type TrainOptions struct {
	Dim      int                                  // default 128
	Least    int                                  // how often a subtoken must occur, default 12
	Most     int                                  // the most subtokens, the most frequent ones, default 24,000
	Epochs   int                                  // default 8
	Batch    int                                  // default 256
	Rate     float64                              // default 0.1
	Seed     uint64                               // the same examples, options and seed give the same table
	Progress func(epoch int, loss, right float64) // mean loss, and the share of texts whose code was the nearest; may be nil
}

// temperature sharpens the similarities of unit vectors before the softmax.
const temperature = 0.06

// Train learns a table from groups of examples, one group a repository. A batch holds examples of one group, so that a
// text learns to tell its code from other code of the same repository, which is what a search has to do. The loss is
// the cross entropy of each text against all code of the batch, and of each code against all texts (in-batch
// contrastive loss; van den Oord, Li, Vinyals 2018), by Adagrad with one accumulator a row.
func Train(groups [][]Example, o TrainOptions) *Table {
	o.Dim, o.Least, o.Most = cmp.Or(o.Dim, 128), cmp.Or(o.Least, 12), cmp.Or(o.Most, 24_000)
	o.Epochs, o.Batch, o.Rate = cmp.Or(o.Epochs, 8), cmp.Or(o.Batch, 256), cmp.Or(o.Rate, 0.1)
	l := newLearner(groups, o)
	for epoch := range o.Epochs {
		loss, right := l.epoch()
		if o.Progress != nil {
			o.Progress(epoch+1, loss, right)
		}
	}
	return l.table()
}

// bag is a text as ids with their √counts, which are divided by how many there are.
type bag struct {
	ids  []int32
	n    []float32
	hash uint64 // of the text, to tell doubles
}

type learner struct {
	o       TrainOptions
	names   []string
	rows    []float32
	weights [2][]float32 // logarithms
	rowSum  []float32    // Adagrad's accumulators
	wSum    [2][]float32
	groups  [][][2]bag
	random  *rand.Rand
}

func newLearner(groups [][]Example, o TrainOptions) *learner {
	l := &learner{o: o, random: rand.New(rand.NewPCG(o.Seed, 7))}
	count := map[string]int{}
	for _, g := range groups {
		for _, e := range g {
			for _, list := range [][]string{e.Words, e.Code} {
				for _, w := range list {
					count[w]++
				}
			}
		}
	}
	for w, n := range count {
		if n >= o.Least && len(w) < 256 {
			l.names = append(l.names, w)
		}
	}
	slices.SortFunc(l.names, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	l.names = l.names[:min(o.Most, len(l.names))]
	ids := map[string]int32{}
	for i, w := range l.names {
		ids[w] = int32(i)
	}
	for _, g := range groups {
		var bags [][2]bag
		for _, e := range g {
			b := [2]bag{newBag(ids, e.Words), newBag(ids, e.Code)}
			if len(b[0].ids) > 0 && len(b[1].ids) > 0 {
				bags = append(bags, b)
			}
		}
		if len(bags) > 1 {
			l.groups = append(l.groups, bags)
		}
	}
	n := len(l.names)
	l.rows, l.rowSum = make([]float32, n*o.Dim), make([]float32, n)
	for i := range l.rows {
		l.rows[i] = float32(l.random.NormFloat64() / math.Sqrt(float64(o.Dim)))
	}
	for s := range l.weights {
		l.weights[s], l.wSum[s] = make([]float32, n), make([]float32, n)
		for i, w := range l.names { // rare words tell more from the start
			l.weights[s][i] = float32(-0.35 * math.Log(float64(count[w])/float64(o.Least)))
		}
	}
	return l
}

func newBag(ids map[string]int32, words []string) bag {
	var b bag
	n := map[int32]int{}
	h := uint64(14695981039346656037)
	for _, w := range words {
		for i := range len(w) {
			h = (h ^ uint64(w[i])) * 1099511628211 // FNV-1a
		}
		if id, ok := ids[w]; ok {
			n[id]++
		}
	}
	for id := range n {
		b.ids = append(b.ids, id)
	}
	slices.Sort(b.ids)
	for _, id := range b.ids {
		b.n = append(b.n, float32(math.Sqrt(float64(n[id]))))
	}
	b.hash = h
	return b
}

// epoch goes once through all examples in batches of one group, in random order.
func (l *learner) epoch() (loss, right float64) {
	var batches [][][2]bag
	for _, g := range l.groups {
		g = slices.Clone(g)
		l.random.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
		for len(g) > 1 {
			n := min(l.o.Batch, len(g))
			batches = append(batches, g[:n])
			g = g[n:]
		}
	}
	l.random.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	n := 0
	for _, b := range batches {
		bl, br := l.batch(b)
		loss, right, n = loss+bl, right+br, n+len(b)
	}
	return loss / float64(n), right / float64(n)
}

// side is one side of a batch: unit vectors, their lengths before, and the gradients of the loss by them.
type side struct {
	v, g   []float32
	length []float32
}

func (l *learner) embed(b [][2]bag, s Side) side {
	d := l.o.Dim
	out := side{make([]float32, len(b)*d), make([]float32, len(b)*d), make([]float32, len(b))}
	parallel(len(b), func(i int) {
		v := out.v[i*d:][:d]
		for k, id := range b[i][s].ids {
			f := b[i][s].n[k] * exp32(l.weights[s][id])
			axpy(f, l.rows[int(id)*d:][:d], v)
		}
		out.length[i] = normalise(v)
	})
	return out
}

func exp32(x float32) float32 { return float32(math.Exp(float64(x))) }

// batch learns from one batch; it gives the sum of the losses and how many texts were nearest to their own code.
func (l *learner) batch(b [][2]bag) (loss, right float64) {
	d, n := l.o.Dim, len(b)
	words, code := l.embed(b, Words), l.embed(b, Code)
	sim := make([]float32, n*n)
	parallel(n, func(i int) {
		for j := range n {
			if i != j && (b[i][0].hash == b[j][0].hash || b[i][1].hash == b[j][1].hash) {
				sim[i*n+j] = -1e9 // the same text or code: no example against each other
				continue
			}
			sim[i*n+j] = dot(words.v[i*d:][:d], code.v[j*d:][:d]) / temperature
		}
	})
	grad := make([]float32, n*n)
	for i := range n {
		row := softmax(n, func(j int) float32 { return sim[i*n+j] })
		loss -= math.Log(max(float64(row[i]), 1e-12))
		if slices.Max(row) == row[i] {
			right++
		}
		row[i]--
		for j, p := range row {
			grad[i*n+j] += p
		}
		col := softmax(n, func(j int) float32 { return sim[j*n+i] })
		col[i]--
		for j, p := range col {
			grad[j*n+i] += p
		}
	}
	parallel(n, func(i int) {
		for j := range n {
			axpy(grad[i*n+j]/temperature, code.v[j*d:][:d], words.g[i*d:][:d])
			axpy(grad[j*n+i]/temperature, words.v[j*d:][:d], code.g[i*d:][:d])
		}
	})
	l.learn(b, words, Words, n)
	l.learn(b, code, Code, n)
	return loss, right
}

func softmax(n int, at func(int) float32) []float32 {
	out := make([]float32, n)
	top := float32(math.Inf(-1))
	for j := range n {
		out[j] = at(j)
		top = max(top, out[j])
	}
	sum := float32(0)
	for j := range out {
		out[j] = exp32(out[j] - top)
		sum += out[j]
	}
	for j := range out {
		out[j] /= sum
	}
	return out
}

// learn brings the gradients of unit vectors back to rows and weights, and takes one step.
func (l *learner) learn(b [][2]bag, s side, which Side, n int) {
	d := l.o.Dim
	touched := map[int32][]float32{}
	dw := map[int32]float32{}
	for i := range b {
		v, g := s.v[i*d:][:d], s.g[i*d:][:d]
		if s.length[i] == 0 {
			continue
		}
		axpy(-dot(v, g), v, g) // the length of v does not count
		scale := 1 / (s.length[i] * float32(n))
		for k, id := range b[i][which].ids {
			f := b[i][which].n[k] * exp32(l.weights[which][id]) * scale
			acc, ok := touched[id]
			if !ok {
				acc = make([]float32, d)
				touched[id] = acc
			}
			axpy(f, g, acc)
			dw[id] += f * dot(l.rows[int(id)*d:][:d], g)
		}
	}
	rate := float32(l.o.Rate)
	for id, g := range touched {
		l.rowSum[id] += dot(g, g) / float32(d)
		axpy(-rate/(float32(math.Sqrt(float64(l.rowSum[id])))+1e-8), g, l.rows[int(id)*d:][:d])
		w := dw[id]
		l.wSum[which][id] += w * w
		l.weights[which][id] -= rate * w / (float32(math.Sqrt(float64(l.wSum[which][id]))) + 1e-8)
	}
}

// table rounds what was learned to bytes.
func (l *learner) table() *Table {
	d := l.o.Dim
	t := &Table{dim: d, names: l.names, ids: map[string]int32{}, rows: make([]int8, len(l.rows)), scales: make([]float32, len(l.names))}
	for i, w := range l.names {
		t.ids[w] = int32(i)
		row := l.rows[i*d:][:d]
		top := float32(1e-12)
		for _, x := range row {
			top = max(top, float32(math.Abs(float64(x))))
		}
		t.scales[i] = top / 127
		for k, x := range row {
			t.rows[i*d+k] = int8(math.Round(float64(x / t.scales[i])))
		}
	}
	for s := range l.weights {
		t.weights[s] = make([]float32, len(l.names))
		for i, w := range l.weights[s] {
			t.weights[s][i] = exp32(w)
		}
	}
	return t
}

// parallel calls f for 0…n-1 on all cores; f writes only what belongs to its number, so the result does not depend on
// their order.
func parallel(n int, f func(int)) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	wg.Wait()
}

func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// axpy adds f·x to y.
func axpy(f float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += f * v
	}
}
