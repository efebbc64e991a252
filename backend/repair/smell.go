package repair

import (
	"regexp"
	"slices"
	"strings"
)

// An edit can turn failing tests green by taking away what stood in their way: a value is computed and used no more, a loop
// never runs, something is compared with itself. People do not write such code, and it is seldom what was meant. smell
// counts it in the changed functions, before and after; what a candidate adds counts against it.

// How much each counts.
const (
	smellUnread = 1.0 // a variable has a value that nothing reads
	smellSame   = 1.0 // both sides of an operator, or two arguments or elements, are the same name
	smellIdle   = 2.0 // a statement does nothing
	smellDead   = 0.5 // a statement that cannot be reached
	smellZero   = 1.0 // adding 0, multiplying by 1 or 0
	smellGrow   = 2.0 // a loop changes the collection that it goes over
	smellMixed  = 2.0 // what is a number elsewhere becomes a collection
	smellCut    = 1.0 // a loop over all of something is left right after something was added up
	smellHidden = 2.6 // a statement is moved to where nothing reaches it: as bad as to delete it
	smellUnlike = 1.0 // elements at two places are held together where all others are at the same
)

// smell is how much a candidate makes its functions worse, negative where it makes them better.
func (c *candidate) smell() float64 {
	sum := 0.0
	moves := slices.ContainsFunc(append([]*candidate{c}, c.more...), func(p *candidate) bool { return p.kind == "move" })
	for _, one := range c.all() {
		if len(one.edits) == 0 {
			continue
		}
		after := parse(one.src.path, one.after())
		if after == nil {
			continue
		}
		at := one.edits[0].start
		sum += after.smells(at) - one.src.smells(at)
		if moves && after.dead(at) > one.src.dead(at) {
			sum += smellHidden
		}
	}
	return sum
}

// smells counts what is odd in the function at a byte.
func (s *source) smells(at int) float64 {
	n := s.root.smallest(at, at)
	if n == nil {
		return 0
	}
	sc := s.scopeOf(n)
	if sc.fn == nil {
		return 0
	}
	sum := 0.0
	for v, unread := range sc.unread {
		if unread && v != "_" && v != "self" && v != "this" {
			sum += smellUnread
		}
	}
	if same, unlike := s.heldTogether(sc.fn); unlike == 1 && same > 1 {
		sum += smellUnlike
	}
	sc.fn.walk(func(k *node) bool {
		o := k.operands()
		switch {
		case k.class == binary && len(o) == 2 && s.of(o[0].inner()) == s.of(o[1].inner()) && !slices.Contains([]string{"+", "*", "**"}, s.operator(k, 0)),
			(k.class == args || k.class == tuple || k.class == list) && s.doubled(o):
			sum += smellSame
		case s.mixed(sc.fn, k):
			sum += smellMixed
		case s.neutral(k):
			sum += smellZero
		case k.class == assign && k.get("left") != nil && k.get("right") != nil && s.of(k.get("left")) == s.of(k.get("right")):
			sum += smellIdle
		case k.kind == "expression_statement" && len(o) == 1 && s.idle(o[0]):
			sum += smellIdle
		case k.class == each && s.grows(k):
			sum += smellGrow
		case k.class == block:
			all := k.statements()
			if s.cutShort(k, all) {
				sum += smellCut
			}
			sum += smellDead * float64(unreached(all))
		}
		return true
	})
	return sum
}

// unreached is how many statements of a block stand behind one that leaves it.
func unreached(all []*node) int {
	i := slices.IndexFunc(all, func(st *node) bool { return st.class == ret || st.class == jump || st.class == raise })
	if i < 0 {
		return 0
	}
	return len(all) - 1 - i
}

// dead is how many statements of the function at a byte cannot be reached.
func (s *source) dead(at int) int {
	n := s.root.smallest(at, at)
	if n == nil {
		return 0
	}
	sum := 0
	if fn := s.scopeOf(n).fn; fn != nil {
		fn.walk(func(k *node) bool {
			if k.class == block {
				sum += unreached(k.statements())
			}
			return true
		})
	}
	return sum
}

var addsUp = regexp.MustCompile(`^[\w.\[\]]+ [-+|]= |\+\+;?$|^(?:\w+\.)*\w+\.(?:append|extend|push|add)\(|= append\(`)

// cutShort reports whether a block adds something up and then leaves the loop over a collection that it stands in, with what there is so far.
func (s *source) cutShort(block *node, all []*node) bool {
	if len(all) < 2 || !addsUp.MatchString(s.of(all[len(all)-2])) {
		return false
	}
	last := all[len(all)-1]
	switch o := last.operands(); {
	case last.class == jump && strings.HasPrefix(s.of(last), "break"):
	case last.class == ret && len(o) == 1 && word.FindString(s.of(o[0])) == s.of(o[0]):
	default:
		return false
	}
	for p := block.parent; p != nil && p.class != function; p = p.parent {
		if p.class == each || p.class == loop {
			return p.class == each || slices.ContainsFunc(p.kids, func(k *node) bool { return k.kind == "range_clause" }) // Go
		}
	}
	return false
}

var grown = regexp.MustCompile(`\.(?:append|extend|add|insert|push|unshift|update|appendleft|addAll|put)\(`)

// grows reports whether a loop over a variable puts something into it.
func (s *source) grows(loop *node) bool {
	over := loop.get("right")
	if over == nil {
		over = loop.get("value") // Java
	}
	if over == nil || over.class != ident {
		return false
	}
	found := false
	loop.walk(func(k *node) bool {
		found = found || k.class == call && strings.HasPrefix(s.of(k), s.of(over)+".") && grown.MatchString(s.of(k)[len(s.of(over)):])
		return !found
	})
	return found
}

// neutral reports whether an operation changes nothing, or leaves nothing: x + 0, 1 * x, 0 * x, x -= 0, x + 1 - 1.
func (s *source) neutral(n *node) bool {
	o := n.operands()
	if n.class != binary && n.class != augmented && n.class != assign || len(o) != 2 {
		return false
	}
	op, a, b := s.operator(n, 0), s.of(o[0]), s.of(o[1])
	switch strings.TrimSuffix(op, "=") {
	case "+", "-":
		if b == "0" || a == "0" && op == "+" {
			return true
		}
		if in := o[0].operands(); o[0].class == binary && len(in) == 2 && o[1].class == integer {
			inner := s.operator(o[0], 0)
			return s.of(in[1]) == b && (inner == "+" || inner == "-") && inner != op
		}
	case "*", "/", "//", "%", "**":
		return b == "1" || b == "0" || op == "*" && (a == "1" || a == "0")
	}
	return false
}

// doubled reports whether two neighbours are the same name or the same group of values.
func (s *source) doubled(list []*node) bool {
	for i := range list {
		for _, other := range list[i+1:] {
			if a := list[i]; (a.class == ident || a.class == tuple || a.class == index || a.class == member) && s.of(a) == s.of(other) {
				return true
			}
		}
	}
	return false
}

// idle reports whether an expression that stands alone does nothing.
func (s *source) idle(n *node) bool {
	switch n.inner().class {
	case binary, unary, member, index, ident, integer, float, boolean, null, list, tuple:
		return true
	}
	return false
}

// mixed reports whether an assignment gives a name, or an element of it, a collection that the function goes over, where it gives
// it a number elsewhere.
func (s *source) mixed(fn, n *node) bool {
	l, r := n.get("left"), n.get("right")
	if s.row.name != "python" || n.class != assign || l == nil || r == nil || r.class != ident && r.class != index && r.class != member || !s.numbers(fn)[s.base(l)] {
		return false
	}
	found := false
	fn.walk(func(k *node) bool {
		if over := k.get("right"); k.class == each && over != nil && s.of(over) == s.of(r) {
			found = true
		}
		return !found
	})
	return found
}

// heldTogether counts the sums, differences and comparisons of elements at fixed places, as a[1] - b[1]: those at the same place of
// both and those that are not.
func (s *source) heldTogether(fn *node) (same, unlike int) {
	fn.walk(func(k *node) bool {
		o := k.operands()
		if k.class != binary || len(o) != 2 || o[0].class != index || o[1].class != index {
			return true
		}
		a, b := o[0].operands(), o[1].operands()
		if len(a) != 2 || len(b) != 2 || a[1].class != integer || b[1].class != integer || s.of(a[0]) == s.of(b[0]) {
			return true
		}
		if s.of(a[1]) == s.of(b[1]) {
			same++
		} else {
			unlike++
		}
		return true
	})
	return same, unlike
}
