package repair

import (
	"slices"
	"strings"
)

// wrap puts something around an expression where an expression's value matters: an argument, an operand, a result.
func (m *maker) wrap(n *node) {
	s, p := m.s, n.parent
	text := s.of(n)
	if p == nil || p.class == member && p.memberOf() == n || n.class == paren || p.class == paren && n.class == binary || p.class == call && p.callee() == n || s.bound(n) || n.class == str ||
		p.class == keyword && n.field == "name" || p.class == member || n.class == null || p.class == params || len(text) > 80 || p.kind == "default_parameter" || p.class == tuple && s.row.name == "go" && len(p.operands()) == 1 && p.field == "left" {
		return
	}
	inBinary := p.class == binary
	numeric := n.class != list && n.class != boolean && n.class != unary && (n.class != binary || strings.ContainsAny(s.operator(n, 0), "+-*/%")) &&
		!(n.class == binary && strings.ContainsAny(s.operator(n, 0), "<>=&|"))
	if numeric && n.class != integer {
		w := -0.9
		if p.class == args || p.class == index || p.class == slice || p.class == tuple && p.parent != nil && p.parent.class == index {
			w = -0.2
		}
		if inBinary && strings.ContainsAny(s.operator(p, 0), "<>=") {
			w = -0.3
		}
		if isRange(s, p) {
			w = 0.1
		}
		if l := p.get("left"); s.row.name == "python" && p.class == assign && l != nil && n.field == "right" && m.placed(s.of(l)) {
			w = -0.4
		}
		if !(inBinary && strings.ContainsAny(s.operator(p, 0), "+-")) || n == p.operands()[0] {
			m.put("off by one", w, n, text+" + 1")
			m.put("off by one", w, n, text+" - 1")
		}
		held := m.heldAgainst(n)
		for _, v := range m.sc.seen(n.start) {
			if v == text || n.class == binary {
				continue
			}
			if held[v] {
				m.put("missing operand", w-0.1, n, text+" - "+v)
			}
			if m.sc.roles[v]["number"] {
				m.put("missing operand", w-1.1, n, text+" - "+v)
				m.put("missing operand", w-1.2, n, text+" + "+v)
				m.put("missing operand", w-1.9, n, text+" * "+v)
			} else if !s.row.typed {
				m.put("missing operand", w-1.9, n, text+" - "+v)
				m.put("missing operand", w-1.7, n, v+" + "+text)
			}
		}
		if n.class == ident && s.row.name == "python" {
			m.put("missing operand", w-1.2, n, text+" ** 2")
		}
	}
	if s.row.name == "python" && isRange(s, p) && (n.class == ident || n.class == call || n.class == member) {
		m.put("missing call", -0.6, n, "1 << "+text)
		m.put("missing call", -0.6, n, "2 ** "+text)
	}
	value := p.class == args || inBinary || p.class == ret || p.class == assign && n.field == "right" || p.class == yield || p.class == list || p.class == tuple || p.class == index
	if value && !isLogic(s, p) {
		for i, f := range s.row.wrappers {
			if n.class == integer {
				break
			}
			w := -1.2 - 0.1*float64(i)
			if m.hints.minus && strings.Contains(f, "abs(") {
				w = 0.3
			}
			m.put("missing call", w, n, strings.Replace(f, "%s", text, 1))
		}
	}
	if value && (n.class == ident || n.class == member || n.class == index || n.class == call) {
		m.again(n)
	}
	if s.row.name == "python" && value && (n.class == ident || n.class == member || n.class == call) {
		m.put("slice", -1, n, text+"[1:]")
		m.put("slice", -1.2, n, text+"[:-1]")
		m.put("slice", -1.4, n, text+"[0]")
		m.put("slice", -1.4, n, text+"[-1]")
		m.put("slice", -1.4, n, text+"[::-1]")
		m.put("slice", -1.8, n, "["+text+"]")
	}
	if s.row.name == "python" && (p.class == each && n.field == "right") {
		for _, f := range []string{"sorted(%s)", "list(%s)", "reversed(%s)", "enumerate(%s)", "set(%s)", "%s[1:]", "%s[:-1]", "%s.items()", "range(%s)", "range(len(%s))"} {
			m.put("missing call", -0.8, n, strings.Replace(f, "%s", text, 1))
		}
		for _, v := range m.sc.seen(n.start) {
			if m.sc.roles[v]["number"] {
				m.put("slice", -1, n, text+"["+v+":]")
				m.put("slice", -1, n, text+"[:"+v+"]")
			}
		}
	}
}

// placed reports whether a name says a place in a collection.
func (m *maker) placed(v string) bool {
	found := false
	if m.sc.fn != nil {
		m.sc.fn.walk(func(k *node) bool {
			found = found || k.class == ident && m.s.of(k) == v && (k.parent.class == slice || k.parent.class == index && k.parent.operands()[0] != k)
			return !found
		})
	}
	return found
}

// heldAgainst are the names that the conditions around a node compare its value with: where they say that it is the larger one, what
// is left of it may be meant.
func (m *maker) heldAgainst(n *node) map[string]bool {
	s, text := m.s, m.s.of(n)
	var out map[string]bool
	for p := n.parent; p != nil && p.class != function; p = p.parent {
		if p.class != cond && p.class != loop || p.condition() == nil || p.condition().start <= n.start && n.end <= p.condition().end {
			continue
		}
		for _, c := range p.condition().atoms(s) {
			o := c.operands()
			if c.class != binary || len(o) != 2 {
				continue
			}
			for i, side := range o {
				if s.of(side) == text && o[1-i].class == ident {
					if out == nil {
						out = map[string]bool{}
					}
					out[s.of(o[1-i])] = true
				}
			}
		}
	}
	return out
}

// again calls the function itself with a value in the place of its first parameter: what goes into the parts of something was
// left out.
func (m *maker) again(n *node) {
	s, fn := m.s, n.above(function)
	if fn == nil || fn.get("name") == nil || fn.get("parameters") == nil || fn.get("receiver") != nil {
		return
	}
	name, args := s.of(fn.get("name")), []string{s.of(n)}
	for i, p := range fn.get("parameters").operands() {
		v := p.firstName()
		if v == nil || s.of(v) == "self" || s.of(v) == "cls" || i > 2 {
			return
		}
		if i > 0 {
			args = append(args, s.of(v))
		} else if s.of(v) == s.of(n) {
			return // it would never end
		}
	}
	if c := n.above(call); c != nil && c.callee() != nil && s.of(c.callee()) == name {
		return
	}
	m.put("missing call", -0.7, n, name+"("+strings.Join(args, ", ")+")")
}

// firstName is the first identifier of a parameter, nil none.
func (n *node) firstName() *node {
	var found *node
	n.walk(func(k *node) bool {
		if found == nil && k.class == ident && k.field != "type" {
			found = k
		}
		return found == nil
	})
	return found
}

// isRange reports whether a node holds the bounds of a loop.
func isRange(s *source, p *node) bool {
	return p.class == args && p.parent != nil && p.parent.callee() != nil && s.of(p.parent.callee()) == "range"
}

func isLogic(s *source, p *node) bool {
	return p.class == binary && slices.Contains(logic, s.operator(p, 0))
}

// donors put another expression of the function in the place of one of the same class.
func (m *maker) donors(n *node) {
	s := m.s
	if m.sc.fn == nil || n.class == ident || n.class == integer || n.class == str || n.class == boolean || n.class == null || n.class == paren ||
		n.parent.class == member || n.parent.class == call && n.parent.callee() == n {
		return
	}
	mine, given := s.of(n), 0
	seen := map[string]bool{mine: true}
	m.sc.fn.walk(func(k *node) bool {
		if given < 12 && k.class == n.class && !seen[s.of(k)] && k.end-k.start < 60 && !(k.start <= n.start && n.end <= k.end) &&
			k.parent.class != member && !(k.parent.class == call && k.parent.callee() == k) {
			seen[s.of(k)] = true
			given++
			kind, w := "expression", -1.4+0.8*similar(s.of(k), mine)
			if s.row.name == "python" && s.twins(n, k) {
				kind, w = "function", w+0.7
			}
			m.put(kind, w, n, s.of(k))
		}
		return true
	})
	if m.sc.wants && s.row.name == "python" && (n.class == member || n.class == list || n.class == tuple) {
		for _, v := range m.sc.seen(n.start) {
			if m.sc.unread[v] {
				m.put("variable", -0.4, n, v)
			}
		}
	}
	if n.class == call || n.class == index || n.class == binary {
		for _, v := range m.sc.seen(n.start) {
			m.put("expression", -1.8, n, v)
		}
	}
}

// twins reports whether two expressions are given to the same name, or added to it.
func (s *source) twins(a, b *node) bool {
	if a.field != "right" || b.field != "right" || a.parent == b.parent || a.parent.get("left") == nil || b.parent.get("left") == nil {
		return false
	}
	return s.of(a.parent.get("left")) == s.of(b.parent.get("left"))
}

// similar says how alike two names are by their parts and letters, 0 to 1.
func similar(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := pairs(a), pairs(b)
	both := 0
	for p := range x {
		if y[p] {
			both++
		}
	}
	if len(x)+len(y) == 0 {
		return 0
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

func pairs(s string) map[string]bool {
	out := map[string]bool{}
	s = strings.ToLower(s)
	for i := 0; i+2 <= len(s); i++ {
		out[s[i:i+2]] = true
	}
	return out
}
