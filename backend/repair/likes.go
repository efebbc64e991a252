package repair

import (
	"regexp"
	"slices"
	"strings"
)

// A value takes the form that its like has nearby, in Python.

// parts takes a part of a value where the whole stands, as another place of the function does.
func (m *maker) parts(n *node) {
	s := m.s
	if s.row.name != "python" || n.class != ident || s.bound(n) || m.sc.fn == nil {
		return
	}
	p := n.parent
	if p.class == member || p.class == call && p.callee() == n || p.class == keyword && n.field == "name" || p.class == index && p.operands()[0] == n || p.class == params {
		return
	}
	mine, seen := s.of(n), map[string]bool{}
	m.sc.fn.walk(func(k *node) bool {
		if (k.class == index || k.class == member && !(k.parent.class == call && k.parent.callee() == k)) && len(seen) < 6 && k.end-k.start < 40 &&
			strings.HasPrefix(s.of(k), mine) && k.operands()[0].class == ident && s.of(k.operands()[0]) == mine && !seen[s.of(k)] && m.fits(s.of(k), n.start) {
			seen[s.of(k)] = true
			m.put("expression", -0.8, n, s.of(k))
		}
		if o := k.operands(); k.class == index && len(o) == 2 && p.class == args && o[1].class == ident && k.end-k.start < 40 && m.fits(s.of(k), n.start) {
			for i, text := range []string{s.of(k), mine + "[" + s.of(o[1]) + "]"} {
				if !seen[text] && len(seen) < 8 && (i == 0 || s.of(o[1]) != mine) {
					seen[text] = true
					m.put("expression", -1.1-0.1*float64(i), n, text)
				}
			}
		}
		return true
	})
}

// larger takes the larger or smaller of a value and what a condition around it holds it, or its like, against.
func (m *maker) larger(n *node) {
	s, p := m.s, n.parent
	if s.row.name != "python" || n.class != ident && n.class != index && n.class != member && n.class != call || s.bound(n) || p == nil ||
		!(p.class == assign && n.field == "right" || p.class == tuple || p.class == args || p.class == ret) || n.end-n.start > 40 {
		return
	}
	text, seen := s.of(n), map[string]bool{s.of(n): true}
	if strings.HasPrefix(text, "max(") || strings.HasPrefix(text, "min(") || p.class == args && p.parent.callee() != nil && slices.Contains([]string{"max", "min", "range", "len"}, s.of(p.parent.callee())) {
		return
	}
	put := func(w float64, other string) {
		if seen[other] || len(seen) > 6 {
			return
		}
		seen[other] = true
		m.put("missing call", w, n, "max("+other+", "+text+")")
		m.put("missing call", w-0.1, n, "min("+other+", "+text+")")
	}
	for q := p; q != nil && q.class != function; q = q.parent {
		if (q.class == cond || q.class == loop) && q.condition() != nil && q.condition().end < n.start {
			for _, c := range q.condition().atoms(s) {
				if o := c.operands(); c.class == binary && len(o) == 2 && strings.ContainsAny(s.operator(c, 0), "<>") {
					for _, side := range o {
						if side.end-side.start < 40 {
							put(-0.7, s.of(side))
						}
					}
				}
			}
		}
	}
	if !m.sc.isNumber(text) && n.class == ident {
		return
	}
	for _, v := range m.sc.seen(n.start) {
		if m.sc.isNumber(v) {
			put(-1.6, v)
		}
	}
}

// everywhere puts another name or number at all places of an expression at once.
func (m *maker) everywhere(n *node) {
	s := m.s
	if s.row.name != "python" || n.class != binary && n.class != call && n.class != index || n.end-n.start > 70 {
		return
	}
	at := map[string][]*node{}
	var order []string
	n.walk(func(k *node) bool {
		if k.class == integer && len(s.of(k)) == 1 && k.parent.class == index || k.class == ident && !(k.parent.class == member && k.parent.memberName() == k) && !(k.parent.class == call && k.parent.callee() == k) && !(k.parent.class == keyword && k.field == "name") {
			if v := s.of(k); len(at[v]) == 0 {
				order = append(order, v)
			}
			at[s.of(k)] = append(at[s.of(k)], k)
		}
		return true
	})
	for _, v := range order {
		if len(at[v]) < 2 {
			continue
		}
		replace := func(kind string, w float64, by string) {
			var edits []edit
			for _, k := range at[v] {
				edits = append(edits, edit{k.start, k.end, by})
			}
			m.add(kind, w, edits...)
		}
		if at[v][0].class == integer {
			for _, other := range []string{"0", "1", "2"} {
				if other != v {
					replace("off by one", -0.3, other)
				}
			}
			continue
		}
		for _, other := range m.sc.seen(n.start) {
			if other != v && m.sc.alike(v, other) > 0.2 {
				replace("variable", -1.2+m.sc.alike(v, other), other)
			}
		}
	}
}

// likeNeighbour gives a value the form that its neighbour has in a pair, a list of arguments, a sum or a comparison: (a + k, b)
// becomes (a + k, b + k).
func (m *maker) likeNeighbour(n *node) {
	s, p := m.s, n.parent
	if s.row.name != "python" || p == nil || n.class != ident && n.class != member && n.class != index && n.class != call || s.bound(n) || n.end-n.start > 40 ||
		p.class != tuple && p.class != list && p.class != args && p.class != binary || p.kind == "dictionary" {
		return
	}
	text := s.of(n)
	for i, other := range p.operands() {
		if other == n || i > 5 || other.end-other.start > 60 {
			continue
		}
		o := other.operands()
		switch {
		case other.class == binary && len(o) == 2 && !isLogic(s, other) && p.class != binary && s.of(o[0]) != text:
			m.put("missing operand", 0, n, text+" "+s.operator(other, 0)+" "+s.of(o[1]))
		case other.class == unary && len(o) == 1 && p.class != binary:
			m.put("missing operand", -0.2, n, s.text[other.start:o[0].start]+text)
		case other.class == index && len(o) == 2 && n.class != index && s.of(o[0]) != text:
			m.put("slice", 0.2, n, text+s.text[o[0].end:other.end])
		case other.class == call && n.class != call && other.callee() != nil && len(other.arguments()) == 1 && other.callee().class == ident:
			m.put("missing call", 0.2, n, s.of(other.callee())+"("+text+")")
		case other.class == call && n.class != call && other.callee() != nil && len(other.arguments()) == 0 && other.callee().class == member:
			m.put("missing call", 0.2, n, text+"."+s.of(other.callee().memberName())+"()")
		}
	}
}

var oneSign = regexp.MustCompile(`^[^\w\s]$|^ $`)

// joined puts a sign that the failing tests expect before or behind a text.
func (m *maker) joined(n *node) {
	s, p := m.s, n.parent
	if s.row.name != "python" || n.class != ident && n.class != binary && n.class != call || s.bound(n) || p == nil || n.end-n.start > 50 || p.class == call && p.callee() == n ||
		!(p.class == args || p.class == assign && n.field == "right" || p.class == ret || p.class == augmented && n.field == "right" || p.class == binary && s.operator(p, 0) == "+") ||
		m.sc.isCollection(s.of(n)) && !m.sc.isText(s.of(n)) || n.class == binary && s.operator(n, 0) != "+" {
		return
	}
	w := -1.0
	if n.class == binary || p.class == binary {
		w = -0.7
	} else if m.sc.isNumber(s.of(n)) && !m.sc.isText(s.of(n)) {
		w = -1.3
	}
	for _, sign := range m.hints.signs {
		m.put("missing operand", w, n, s.of(n)+` + "`+sign+`"`)
		m.put("missing operand", w-0.2, n, `"`+sign+`" + `+s.of(n))
	}
}

// signs are the marks between the letters of texts, the most frequent first.
func signs(texts []string) []string {
	count := map[string]int{}
	var out []string
	for _, t := range texts {
		for _, c := range t {
			if v := string(c); oneSign.MatchString(v) && v != `"` && v != `\` && v != "'" {
				if count[v] == 0 {
					out = append(out, v)
				}
				count[v]++
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return count[b] - count[a] })
	return out[:min(len(out), 3)]
}
