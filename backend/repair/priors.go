package repair

import (
	_ "embed" // the counts
	"encoding/json"
	"math"
)

// priorCounts is what `redgreen eval priors` printed over the histories that it names: in how many small fixes an edit of each
// kind was the fix, and how many edits of the kind were made at the places of all.
//
//go:embed priors.json
var priorCounts []byte

// The counts are of some four hundred explained fixes: kinds that were never right still may be, so that each begins with a few fixes at
// the mean of all; what a kind's own weights say of single edits counts as well, so that the logarithm is damped; and a guard that does
// the same as a person's is mostly written otherwise, and not counted as right, so that it is bounded below.
const (
	priorBegin = 2.0
	priorDamp  = 0.4
	priorLeast = -0.5
	priorMost  = 0.6
)

// priors is how likely each kind of edit is the fix, for one edit of the kind: the logarithm of its share against the mean's,
// damped. A kind that was not counted has 0.
func priors() map[string]float64 {
	var counts struct {
		Kinds map[string]struct{ Right, Made float64 }
	}
	if err := json.Unmarshal(priorCounts, &counts); err != nil { // held by TestPriors
		return nil
	}
	right, made := 0.0, 0.0
	for _, c := range counts.Kinds {
		right, made = right+c.Right, made+c.Made
	}
	out := map[string]float64{"under a condition": -1} // made from edits that were tried: ranked behind them
	for kind, c := range counts.Kinds {
		share := (c.Right + priorBegin) / (c.Made + priorBegin*made/right)
		out[kind] = min(max(priorDamp*math.Log(share*made/right), priorLeast), priorMost)
	}
	return out
}
