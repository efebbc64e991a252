package index

import (
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkNearest ranks 100,000 vectors of 128 numbers, as the built-in embedder's are.
func BenchmarkNearest(b *testing.B) {
	s, v := manyRandom(100_000, 128)
	var took []float64
	for b.Loop() {
		for range 50 {
			start := time.Now()
			if found := s.nearest(v, 300); len(found) != 300 {
				b.Fatalf("%d found", len(found))
			}
			took = append(took, time.Since(start).Seconds())
		}
	}
	b.ReportMetric(1000*quantile(took, 0.5), "p50-ms")
	b.ReportMetric(1000*quantile(took, 0.99), "p99-ms")
}

// manyRandom gives n vectors of the same seed, and one to compare them with.
func manyRandom(n, dim int) (*vectorSet, []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	s := &vectorSet{dim: dim, loaded: true}
	for i := range n {
		s.put(int64(i+1), pack(vector()))
	}
	return s, vector()
}

// TestNearestInParts holds the two halves against one pass over all.
func TestNearestInParts(t *testing.T) {
	t.Parallel()
	s, v := manyRandom(manyVectors+1, 16)
	query, scale := wide(v)
	want, got := s.nearestOf(query, scale, 50, 0, len(s.ids)), s.nearest(v, 50)
	if len(got) != 50 {
		t.Fatalf("%d found", len(got))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("place %d: %v in parts, %v at once", i, got[i], want[i])
		}
	}
}
