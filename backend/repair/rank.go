package repair

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// suspect is a line and how much points to it, 0 to 1.
type suspect struct {
	path  string
	line  int
	score float64
	why   string
}

// ochiai is the suspiciousness of a line by the tests that execute it: failing ones, passing ones, of all failing ones.
func ochiai(failing, passing, allFailing int) float64 {
	if failing == 0 || allFailing == 0 {
		return 0
	}
	return float64(failing) / math.Sqrt(float64(allFailing)*float64(failing+passing))
}

// hints are what the failures say of the kind of mistake.
type hints struct {
	null   bool     // something was null
	lacked []string // what was asked of it, where each failure that speaks of it says so
	index  bool     // something was out of range
	key    bool     // a key was not there
	name   bool     // a name was not defined
	hang   bool
	texts  []string        // words that the failing tests expect
	signs  []string        // marks in those, the most frequent first
	raised []string        // exceptions that the failures speak of
	minus  bool            // they speak of negative numbers
	given  map[string]bool // numbers and texts that they speak of
	single []string        // letters that the task names alone: H and W
}

// candidates makes and ranks the edits of some files.
func candidates(files []*source, suspects map[string]map[int]float64, h hints, prior map[string]float64, lang *tokens) []*candidate {
	var all []*candidate
	donor := conditions(files)
	for _, s := range files {
		s.mates = files
	}
	for _, s := range files {
		lines := suspects[s.path]
		if len(lines) == 0 {
			continue
		}
		m := &maker{s: s, unit: s.indentUnit(), hints: h, donor: donor}
		scopes := map[*node]*scope{}
		s.root.walk(func(n *node) bool {
			if !n.named || n.class == comment || strings.Contains(n.kind, "import") {
				return false
			}
			top := n.outermost()
			if scopes[top] == nil {
				scopes[top] = s.scopeOf(n)
			}
			m.sc = scopes[top]
			hit := 0.0
			for l := n.line; l <= n.last; l++ {
				hit = max(hit, lines[l])
				if n.class == cond || n.class == loop || n.class == each || n.class == function {
					break
				}
			}
			if n.kind == "except_clause" || n.kind == "catch_clause" {
				for l := n.line; l <= n.last; l++ { // it runs because something went wrong before
					if _, ok := lines[l]; ok {
						lines[l] *= 0.3
					}
				}
			}
			if near := m.passedBy(n, lines); hit == 0 && near > 0 {
				from := len(m.out)
				m.move(n)
				m.branches(n)
				for _, c := range m.out[from:] {
					c.score = math.Log(near)*1.5 + c.weight + prior[c.kind]
				}
			}
			if hit == 0 {
				return n.last > n.line || n.parent == nil
			}
			from := len(m.out)
			m.expression(n)
			m.statement(n)
			for _, c := range m.out[from:] {
				c.score = math.Log(hit)*1.5 + c.weight + prior[c.kind] + m.wanted(c)
			}
			return true
		})
		from := len(m.out)
		m.imports(files)
		for _, c := range m.out[from:] {
			c.score = c.weight
			if h.name {
				c.score++
			}
		}
		all = append(all, m.out...)
	}
	return rank(all, lang)
}

// passedBy is how much points to what stands right before a statement that no failing test reaches, or holds it: 0 where it is
// none, or that is not reached either.
func (m *maker) passedBy(n *node, lines map[int]float64) float64 {
	if m.sc.fn == nil || !n.isStatement() || n.parent.class != block || n.class == function {
		return 0
	}
	near := 0.0
	if i := slices.Index(n.parent.statements(), n); i > 0 {
		near = lines[n.parent.statements()[i-1].line]
	}
	if holder := n.parent.parent; holder != nil && holder.class != function {
		near = max(near, lines[holder.line])
	}
	return near / 2
}

// wanted raises a candidate that uses a variable which has a value and no use: it was meant for something.
func (m *maker) wanted(c *candidate) float64 {
	if !m.sc.wants {
		return 0
	}
	for _, e := range c.edits {
		for _, w := range word.FindAllString(e.text, -1) {
			if m.sc.unread[w] && !strings.Contains(m.s.text[e.start:e.end], w) {
				return 0.8
			}
		}
	}
	return 0
}

// outermost is the outermost function around a node, nil none.
func (n *node) outermost() *node {
	var found *node
	for p := n; p != nil; p = p.parent {
		if p.class == function {
			found = p
		}
	}
	return found
}

// indentUnit is what one more step of indent adds in a file.
func (s *source) indentUnit() string {
	best := ""
	for i := 1; i <= len(s.lines); i++ {
		in := s.indent(i)
		if in != "" && strings.TrimSpace(s.lineText(i)) != "" && (best == "" || len(in) < len(best)) && !strings.HasPrefix(strings.TrimSpace(s.lineText(i)), "*") {
			best = in
		}
	}
	return cmp.Or(best, "    ")
}

// rank orders candidates and leaves out those that say the same.
func rank(all []*candidate, lang *tokens) []*candidate {
	all = slices.DeleteFunc(all, func(c *candidate) bool { return !c.plain() })
	for _, c := range all {
		c.score += 0.35 * lang.natural(c)
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	crowd := map[string]int{} // of one kind at one line the later ones wait: other places have their turn first
	for _, c := range all {
		at := fmt.Sprintf("%s:%d %s", c.src.path, c.line, c.kind)
		c.score -= 0.07*float64(crowd[at]) + 0.2*math.Log1p(float64(crowd[c.kind])/10)
		crowd[at]++
		crowd[c.kind]++
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	seen := map[string]bool{}
	out := all[:0]
	for _, c := range all {
		if k := c.key(); k != "" && !seen[k] {
			seen[k] = true
			out = append(out, c)
		}
	}
	return out
}

// conditions are the short conditions of some files: what one place asks another may have forgotten.
func conditions(files []*source) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range files {
		s.root.walk(func(n *node) bool {
			if (n.class == cond || n.class == ternary || n.class == loop) && n.condition() != nil {
				for _, c := range n.condition().atoms(s) {
					if t := s.of(c); len(t) < 60 && !strings.Contains(t, "\n") && !seen[t] && len(out) < 200 {
						seen[t] = true
						out = append(out, t)
					}
				}
			}
			return true
		})
	}
	return out
}

// atoms are the parts of a condition that and, or and not join.
func (n *node) atoms(s *source) []*node {
	n = n.inner()
	if n == nil {
		return nil
	}
	if n.class == binary && isLogicOp(s.operator(n, 0)) {
		var out []*node
		for _, o := range n.operands() {
			out = append(out, o.atoms(s)...)
		}
		return out
	}
	if t := s.of(n); n.class == unary && len(n.operands()) == 1 && (strings.HasPrefix(t, "not ") || strings.HasPrefix(t, "!")) {
		return n.operands()[0].atoms(s)
	}
	return []*node{n}
}
