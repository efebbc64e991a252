package repair

import (
	"strings"
)

// Values that are turned around, begin anew or are counted on, in Python.

// negative takes a value with the other sign, or what is left of one.
func (m *maker) negative(n *node) {
	s, p := m.s, n.parent
	if s.row.name != "python" || p == nil || n.class != ident && n.class != call && n.class != index && n.class != member || s.bound(n) || p.class == call && p.callee() == n || n.end-n.start > 50 {
		return
	}
	v, w := s.of(n), -0.9
	switch {
	case p.class == ret, p.class == tuple, p.class == assign && n.field == "right", p.class == args, p.class == keyword && n.field == "value", p.kind == "lambda" && n.field == "body":
	default:
		return
	}
	if n.class == ident && (m.sc.isCollection(v) || v == "self") {
		w = -2
	}
	m.put("missing operand", w, n, "-"+v)
	if p.class == assign || p.class == ret {
		toggled := w - 0.3
		if l := p.get("left"); l != nil && s.numbers(m.sc.fn)[s.base(l)] {
			toggled, w = 0.3, w-0.5
		}
		m.put("missing operand", toggled, n, "1 - "+v)
		m.put("negate", w, n, "not "+v)
	}
}

// base is the name that an assigned place belongs to: itself, or the collection of an element.
func (s *source) base(n *node) string {
	for n.class == index && len(n.operands()) > 0 {
		n = n.operands()[0]
	}
	return s.of(n)
}

// numbers are the names that a function gives the number 0 or 1, themselves or as an element.
func (s *source) numbers(fn *node) map[string]bool {
	out := map[string]bool{}
	if fn == nil {
		return out
	}
	fn.walk(func(k *node) bool {
		if l, r := k.get("left"), k.get("right"); k.class == assign && l != nil && r != nil && (s.of(r) == "0" || s.of(r) == "1") {
			out[s.base(l)] = true
		}
		return true
	})
	return out
}

// anew turns a flag around where it is set, and gives an assigned value another begin.
func (m *maker) anew(n *node) {
	s := m.s
	a := n
	if a.class == stmt && len(a.operands()) == 1 {
		a = a.operands()[0]
	}
	if s.row.name != "python" || a.class != assign || a.get("left") == nil || a.get("right") == nil || m.sc.fn == nil {
		return
	}
	lefts, rights := []*node{a.get("left")}, []*node{a.get("right")}
	if l, r := lefts[0], rights[0]; len(l.operands()) > 1 && len(l.operands()) == len(r.operands()) && (l.class == tuple || l.kind == "pattern_list") && r.class == tuple {
		lefts, rights = l.operands(), r.operands()
	}
	for i, l := range lefts {
		v, r := s.of(l), rights[i]
		if r.class == boolean && l.class != index {
			m.put("negate", -0.2, r, "not "+v)
		}
		if l.class == ident && m.round(n) != nil && !s.firstBinding(m.sc, l) && len(s.of(r)) < 40 {
			begin, known := m.begins()[v]
			switch {
			case known && begin != s.of(r):
				m.put("reset", -0.2, r, begin)
			case !known && r.class == ident:
				for j, d := range []string{"0", `""`, "[]", "None", "1"} {
					m.put("reset", -0.8-0.1*float64(j), r, d)
				}
			}
			if known && number.MatchString(begin) && len(lefts) == 1 {
				m.put("update", -0.6, r, v+" * 10 + "+s.of(r))
				m.put("update", -0.9, r, v+" * 2 + "+s.of(r))
			}
		}
	}
}

// countedOn moves a number on by one behind the statement that gives it a value.
func (m *maker) countedOn(n *node) {
	s := m.s
	o := n.operands()
	if s.row.name != "python" || n.class != stmt || len(o) != 1 || o[0].class != assign || o[0].get("left") == nil {
		return
	}
	counts := strings.HasPrefix(s.of(o[0].get("right")), "divmod(")
	for _, v := range m.names(o[0].get("left")) {
		if (counts || m.sc.roles[v]["number"]) && !m.sc.isCollection(v) && !m.sc.isText(v) {
			m.add("update", -1, edit{n.end, n.end, "\n" + s.indent(n.line) + v + " += 1"})
			m.add("update", -1.1, edit{n.end, n.end, "\n" + s.indent(n.line) + v + " -= 1"})
		}
	}
}

// bySign takes a value with the sign that another one, or a flag, says.
func (m *maker) bySign(n *node) {
	s, p := m.s, n.parent
	if s.row.name != "python" || p == nil || m.sc.fn == nil {
		return
	}
	text := s.of(n)
	switch {
	case n.class == integer && text != "0" && (p.class == args || p.class == keyword && n.field == "value" || p.class == assign):
		for _, v := range m.sc.seen(n.start) {
			if m.sc.params[v] && (m.sc.isNumber(v) || m.sc.roles[v]["to abs"]) {
				m.put("constant", -0.8, n, text+" if "+v+" > 0 else -"+text)
			}
		}
	case p.class == ret && n.class == ident:
		for _, v := range m.sc.seen(n.start) {
			if v != text && m.sc.roles[v]["condition"] && !m.sc.params[v] && !m.sc.isNumber(v) {
				m.put("missing operand", -0.7, n, "-"+text+" if "+v+" else "+text)
			}
		}
	case p.class == keyword && n.field == "value" && p.get("name") != nil && s.of(p.get("name")) == "key" && n.class != call:
		for i, name := range []string{"get", "index", "count"} {
			m.put("missing call", -0.3-0.2*float64(i), n, text+"."+name)
		}
	}
}
