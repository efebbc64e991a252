package repair

import "slices"

// What a file sets up outside of its functions, and the defaults of their parameters, run before any test does: no test's lines
// tell of them. Lines that are suspected bring those along that they use.

// How much of the suspicion of the lines that use it goes to what was set up before.
const (
	ofUse     = 0.5
	ofDefault = 0.3
)

// setUp suspects what the suspected lines of a file use, in Python.
func setUp(s *source, lines map[int]float64) {
	if s.row.name != "python" {
		return
	}
	most := func(n *node) float64 {
		hit := 0.0
		for l := n.line; l <= n.last; l++ {
			hit = max(hit, lines[l])
		}
		return hit
	}
	used, more := map[string]float64{}, map[int]float64{}
	note := func(n *node, hit float64) {
		for l := n.line; l <= n.last; l++ {
			if lines[l] == 0 {
				more[l] = max(more[l], hit)
			}
		}
	}
	s.root.walk(func(n *node) bool {
		if n.class == ident && n.above(function) != nil {
			used[s.of(n)] = max(used[s.of(n)], lines[n.line])
		}
		if list := n.get("parameters"); n.class == function && list != nil && slices.ContainsFunc(list.operands(), func(p *node) bool { return p.get("value") != nil }) {
			if body := n.get("body"); body != nil {
				note(list, ofDefault*most(body))
			}
		}
		return true
	})
	s.root.walk(func(n *node) bool {
		if n.class == function {
			return false
		}
		if left := n.get("left"); n.class == assign && left != nil && left.class == ident && used[s.of(left)] > 0 {
			note(n, ofUse*used[s.of(left)])
		}
		return true
	})
	for l, hit := range more {
		lines[l] = hit
	}
}
