package eval

import (
	"math/rand/v2"
	"slices"
)

// Measure is one figure of a ranking over many fixes, with the difference to another ranking and its interval.
type Measure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // 0…1
	Low   float64 `json:"low"`   // 95 % of the difference to the last ranking, by paired bootstrap
	High  float64 `json:"high"`
}

// measures are the figures: by file, then by function.
var measureNames = []string{"file R@1", "file R@5", "file R@10", "file MRR", "function R@1", "function R@5", "function R@10", "function MRR"}

// values are one fix's figures; ok is false for those by function where the fix changed no function.
func (p Places) values() (v [8]float64, functions bool) {
	fill := func(ranks []int, into []float64) {
		first := best(ranks)
		if first == 0 {
			return
		}
		for i, k := range []int{1, 5, 10} {
			if first <= k {
				into[i] = 1
			}
		}
		into[3] = 1 / float64(first)
	}
	fill(p.Files, v[:4])
	fill(p.Functions, v[4:])
	return v, len(p.Functions) > 0
}

// best is the first rank that something was found at, 0 none.
func best(ranks []int) int {
	first := 0
	for _, r := range ranks {
		if r > 0 && (first == 0 || r < first) {
			first = r
		}
	}
	return first
}

const resamples = 2000

// Score gives the figures of every ranking over the fixes, and how each differs from the last ranking.
func Score(all []Localized, places func(Localized) []Places) [][]Measure {
	n := len(Rankings())
	out := make([][]Measure, n)
	for r := range n {
		for m, name := range measureNames {
			var own, diff []float64
			for _, l := range all {
				v, functions := places(l)[r].values()
				if m >= 4 && !functions {
					continue
				}
				last, _ := places(l)[n-1].values()
				own, diff = append(own, v[m]), append(diff, v[m]-last[m])
			}
			one := Measure{Name: name, Value: mean(own)}
			one.Low, one.High = interval(diff)
			out[r] = append(out[r], one)
		}
	}
	return out
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// interval is the middle 95 % of the mean over resamples with replacement; the same values give the same interval.
func interval(v []float64) (low, high float64) {
	if len(v) == 0 {
		return 0, 0
	}
	r := rand.New(rand.NewPCG(1, uint64(len(v))))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range v {
			sum += v[r.IntN(len(v))]
		}
		means[i] = sum / float64(len(v))
	}
	slices.Sort(means)
	return means[resamples*25/1000], means[resamples*975/1000]
}
