package repair

import (
	"slices"
	"strings"
)

// What counts as nothing in Python: None alone, or also what is empty, zero or False; and what a collection does not hold.

// truth asks whether a value is None where it is asked whether it is true, and the other way round.
func (m *maker) truth(n *node) {
	s, p := m.s, n.parent
	if s.row.name != "python" || p == nil {
		return
	}
	if o := n.operands(); n.class == binary && len(o) == 2 && o[1].class == null {
		switch s.operator(n, 0) {
		case "is":
			m.put("comparison", -0.2, n, "not "+bracket(s.of(o[0])))
		case "is not":
			m.put("comparison", -0.2, n, s.of(o[0]))
		}
		return
	}
	if n.class != ident && n.class != member && n.class != index && n.class != call || n.end-n.start > 50 {
		return
	}
	asked := (p.class == cond || p.class == loop) && p.condition() == n || p.kind == "if_clause" || p.class == binary && isLogic(s, p) || p.class == ternary && p.operands()[1] == n
	text := s.of(n)
	switch {
	case p.kind == "not_operator":
		m.put("comparison", 0.1, p, text+" is None")
		m.put("comparison", -0.8, p, text+" == 0")
	case asked:
		m.put("comparison", 0.1, n, text+" is not None")
		m.put("comparison", -0.8, n, text+" > 0")
	}
	if o := p.operands(); p.class == binary && len(o) == 2 && o[0] == n && s.operator(p, 0) == "or" && p.parent.class != cond && p.parent.class != loop && p.parent.class != binary {
		m.put("default", -0.2, p, text+" if "+text+" is not None else "+s.of(o[1]))
	}
}

// held asks whether a collection holds what is looked up in it near a condition.
func (m *maker) held(n *node, add func(text, negated string, w float64, first bool)) {
	s := m.s
	if s.row.name != "python" || m.sc.fn == nil {
		return
	}
	near := n.statement()
	for near != nil && near.parent != nil && near.parent.class != block {
		near = near.parent
	}
	given := 0
	look := func(k *node, w float64) {
		k.walk(func(i *node) bool {
			if o := i.operands(); i.class == index && len(o) == 2 && (o[1].class == ident || o[1].class == str || o[1].class == member) && len(s.of(i)) < 40 && given < 12 {
				of, key := s.of(o[0]), s.of(o[1])
				if m.fits(of+" "+key, n.start) {
					given++
					add(key+" not in "+of, key+" in "+of, w, false)
				}
			}
			return true
		})
	}
	if near == nil {
		return
	}
	look(near, -0.1)
	if p := near.parent; p != nil && p.class == block {
		sib := p.statements()
		if i := slices.Index(sib, near); i >= 0 && i+1 < len(sib) {
			look(sib[i+1], -0.1)
		}
	}
	look(m.sc.fn, -0.9)
}

// keyed stores under a key only where it is not there yet.
func (m *maker) keyed(n *node) {
	s := m.s
	o := n.operands()
	if s.row.name != "python" || n.class != stmt || len(o) != 1 || o[0].class != assign {
		return
	}
	left, right := o[0].get("left"), o[0].get("right")
	if left == nil || right == nil || left.class != index || len(left.operands()) != 2 {
		return
	}
	of, key := s.of(left.operands()[0]), s.of(left.operands()[1])
	if strings.Contains(key, ":") {
		return
	}
	m.put("default", -0.4, n, of+".setdefault("+key+", "+s.of(right)+")")
	m.put("guard", -0.4, n, "if "+key+" not in "+of+":\n"+s.indent(n.line)+m.unit+s.of(n))
	m.put("guard", -1, n, "if "+key+" in "+of+":\n"+s.indent(n.line)+m.unit+s.of(n))
}
