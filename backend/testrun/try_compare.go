package testrun

import (
	"slices"
)

// Candidates that pass all tests may do something else with other inputs. A driver calls what they change with inputs a little
// off those of the tests, first in the tree as it is and then in each candidate, and says what came of each call; what
// that tells of the candidates is judged here, the same for each language. Where a passing test's inputs are only a
// little off, a right candidate mostly does what the code does now.

// fate is what came of one call.
type fate struct {
	Input   int    `json:"input"`   // the number of the call
	Fate    string `json:"fate"`    // the same for the same; raised begins with "!", unknown is what cannot be compared
	Shown   string `json:"shown"`   // what it gives, for people
	Touches bool   `json:"touches"` // it changes what it was given
	Reaches bool   `json:"reaches"` // in the tree the call comes to something that the candidate changes
}

const (
	unknown    = "?"
	hangs      = "!hangs"
	recurses   = "!RecursionError"
	ofTree     = -1 // in place of a candidate's number
	mostApart  = 60 // pairs that are told apart
	raisedMark = '!'
)

// raised reports whether a call did not come to its end.
func (f fate) raised() bool { return f.Fate == "" || f.Fate[0] == raisedMark }

// comparison gathers what a driver reports of the calls.
type comparison struct {
	calls []string
	green []bool               // the call is near one of a test that passes
	tree  map[int]fate         // as the tree is
	own   map[int]map[int]fate // candidate → call → fate
	order []int
	odd   map[int]bool // the tree itself does not do the same twice
}

// take takes in one line of a driver; n counts as there are trials.
func (c *comparison) take(e driven, trials int) {
	switch {
	case e.Event == "inputs" && len(e.Calls) == len(e.Green):
		c.calls, c.green = e.Calls, e.Green
		c.own, c.odd = map[int]map[int]fate{}, map[int]bool{}
	case e.Event == "fates" && c.own != nil && e.N >= ofTree && e.N < trials:
		got := map[int]fate{}
		for _, f := range e.Fates {
			if f.Input >= 0 && f.Input < len(c.calls) {
				got[f.Input] = f
			}
		}
		switch {
		case e.N != ofTree:
			c.own[e.N] = got
			c.order = append(c.order, e.N)
		case c.tree == nil:
			c.tree = got
		default:
			for i := range c.calls {
				c.odd[i] = c.tree[i].Fate != got[i].Fate
			}
		}
	}
}

// judge says of each candidate how it behaves beside the tests, and of each two that do not do the same by which call that shows.
func (c *comparison) judge(trials []Trial) {
	if c.tree == nil {
		return
	}
	slices.Sort(c.order)
	var groups [][]int
	for _, n := range c.order {
		c.count(n, &trials[n])
		if !c.reached(n) {
			continue
		}
		at := slices.IndexFunc(groups, func(g []int) bool { return c.same(g[0], n) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], n)
		trials[n].Group = groups[at][0] + 1
	}
	pairs := 0
	for i, one := range groups {
		for _, other := range groups[i+1:] {
			if pairs++; pairs > mostApart {
				return
			}
			if d, ok := c.apart(one[0], other[0]); ok {
				trials[one[0]].Differs = append(trials[one[0]].Differs, d)
			}
		}
	}
}

// count counts what is said of one candidate.
func (c *comparison) count(n int, t *Trial) {
	t.Near, t.Raises, t.Endless, t.Touches = [2]int{}, [2]int{}, 0, 0
	for i := range c.calls {
		if c.odd[i] {
			continue
		}
		was, now := c.tree[i], c.own[n][i]
		if c.green[i] && !was.raised() {
			t.Near[1]++
			if now.Fate != was.Fate {
				t.Near[0]++
			}
		}
		t.Raises[1]++
		if now.raised() {
			t.Raises[0]++
		}
		if now.Fate == hangs || now.Fate == recurses {
			t.Endless++
		}
		if now.Touches && was.Fate != "" && !was.Touches {
			t.Touches++
		}
	}
}

// reached reports whether a call says something of what a candidate changes.
func (c *comparison) reached(n int) bool {
	for i := range c.calls {
		was, now := c.tree[i], c.own[n][i]
		if !c.odd[i] && now.Fate != unknown && now.Fate != "" && (now.Reaches || was.Fate != unknown && was.Fate != "" && was.Fate != now.Fate) {
			return true
		}
	}
	return false
}

// same reports whether two candidates do the same on all calls.
func (c *comparison) same(a, b int) bool {
	for i := range c.calls {
		if !c.odd[i] && c.own[a][i].Fate != c.own[b][i].Fate {
			return false
		}
	}
	return true
}

// apart is the shortest call on which two candidates differ, one whose results look unlike before others.
func (c *comparison) apart(one, other int) (Differ, bool) {
	best, found := 0, false
	better := func(i int) bool {
		alike := func(i int) bool { return c.own[one][i].Shown == c.own[other][i].Shown }
		if alike(i) != alike(best) {
			return alike(best)
		}
		return len(c.calls[i]) < len(c.calls[best])
	}
	for i := range c.calls {
		a, b := c.own[one][i].Fate, c.own[other][i].Fate
		if c.odd[i] || a == b || a == "" || b == "" || a == unknown || b == unknown {
			continue
		}
		if !found || better(i) {
			best, found = i, true
		}
	}
	if !found {
		return Differ{}, false
	}
	return Differ{Other: other, Input: c.calls[best], Gives: [2]string{c.own[one][best].Shown, c.own[other][best].Shown}}, true
}
