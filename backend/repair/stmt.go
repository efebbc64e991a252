package repair

import (
	"strings"
)

// statement makes the edits of one statement as a whole.
func (m *maker) statement(n *node) {
	s := m.s
	switch n.class {
	case cond, loop:
		if c := n.condition(); c != nil {
			m.condition(n, c)
			m.split(n, c)
			m.unasked(n)
		}
	case ternary:
		if o := n.operands(); s.row.name == "python" && len(o) == 3 {
			m.condition(n, o[1].inner())
		}
	case ret:
		m.result(n)
	case jump:
		other := map[string]string{"break": "continue", "continue": "break"}
		for a, b := range other {
			if t := s.of(n); strings.HasPrefix(t, a) {
				m.put("jump", 0, n, strings.Replace(t, a, b, 1))
			}
		}
		m.leaves(n)
	case yield:
	}
	m.exchanged(n)
	if o := n.operands(); n.kind == "if_clause" && len(o) == 1 {
		m.condition(n, o[0].inner())
	}
	if !n.isStatement() || n.class == function || strings.Contains(n.kind, "import") || strings.Contains(n.kind, "class") || strings.Contains(n.kind, "package") {
		return
	}
	m.assignment(n)
	m.anew(n)
	m.keyed(n)
	m.countedOn(n)
	m.yields(n)
	m.goesOn(n)
	m.repeated(n)
	m.guards(n)
	m.shared(n)
	m.move(n)
	m.branches(n)
	m.leave(n)
	m.resets(n)
	m.releases(n)
	m.inItsPlace(n)
	m.unused(n)
	m.unbound(n)
	m.insert(n)
	m.parallel(n)
	m.onlyIf(n)
	m.goStatement(n)
	m.javaStatement(n)
	if n.class != function && n.parent.class == block {
		m.remove(n)
	}
}

// result changes what a return gives.
func (m *maker) result(n *node) {
	s, r := m.s, m.s.row
	o := n.operands()
	if len(o) == 0 {
		for _, v := range m.sc.seen(n.start) {
			m.put("return", -0.5, n, r.returns(v))
		}
		for i, d := range r.defaults {
			if !r.typed && d != r.nullWord {
				m.put("return", -0.6-0.1*float64(i), n, r.returns(d))
			}
		}
		return
	}
	e := o[0]
	if r.name == "go" && e.class == tuple && len(e.operands()) == 1 {
		e = e.operands()[0]
	}
	if e.class == tuple && r.name == "go" {
		for _, x := range e.operands() {
			for _, v := range m.sc.seen(n.start) {
				m.put("return", -1, x, v)
			}
			m.put("return", -1, x, "nil")
		}
		return
	}
	for _, v := range m.sc.seen(n.start) {
		if v == "self" {
			m.put("return", -1.4, e, v)
			continue
		}
		if e.class != ident {
			m.put("return", -0.8, e, v)
		}
		if e.class == boolean {
			m.put("return", 0.2, e, v+" == 0")
			m.put("return", 0.2, e, r.not(v))
			m.put("return", -0.2, e, strings.Replace(r.lengthOf, "%s", v, 1)+" == 0")
			for _, w := range m.sc.seen(n.start) {
				if w != v && m.sc.alike(v, w) > 0.3 {
					m.put("return", -0.5, e, v+" == "+w)
				}
			}
		}
		if e.class == list || e.class == call || e.class == ident {
			m.put("return", -1, e, v+" + "+s.of(e))
			m.put("return", -1.2, e, s.of(e)+" + "+v)
			m.put("return", -1.3, e, "["+v+"] + "+s.of(e))
			m.put("return", -1.3, e, s.of(e)+" + ["+v+"]")
		}
	}
	for _, d := range r.defaults {
		if !r.typed || e.class == boolean && (d == r.yes || d == r.no) || e.class == integer {
			m.put("return", -1.3, e, d)
		}
	}
	if !r.typed {
		m.put("negate", -1, e, r.not(s.of(e)))
	}
}

// assignment changes how a value is taken over.
func (m *maker) assignment(n *node) {
	s := m.s
	a := n
	if a.class == stmt && len(a.operands()) > 0 {
		a = a.operands()[0]
	}
	left, right := a.get("left"), a.get("right")
	if a.class == assign && left == nil {
		left, right = a.get("name"), a.get("value")
	}
	if left == nil || right == nil || a.class != assign && a.class != augmented {
		return
	}
	gap := strings.TrimSpace(s.text[left.end:right.start])
	between := edit{left.end, right.start, ""}
	for j, alt := range operators(s.row.name)[gap] {
		kind, w := "assignment", -0.3*float64(j)
		if a.class == augmented {
			kind = "operator"
		} else if s.firstBinding(m.sc, left) {
			w -= 2.5
		}
		between.text = " " + alt + " "
		m.add(kind, w, between)
	}
	l, r := s.of(left), s.of(right)
	if a.class == assign && left.class != tuple && len(r) < 60 {
		form := map[string][]string{
			"python": {"max(%l, %r)", "min(%l, %r)", "max(0, %r)", "min(0, %r)", "%l + %r", "%r[:]", "list(%r)"},
			"go":     {"max(%l, %r)", "min(%l, %r)", "max(0, %r)", "%l + %r"},
			"java":   {"Math.max(%l, %r)", "Math.min(%l, %r)", "Math.max(0, %r)", "%l + %r"},
		}[s.row.name]
		if form == nil {
			form = []string{"Math.max(%l, %r)", "Math.min(%l, %r)", "Math.max(0, %r)", "%l + %r", "[...%r]", "{ ...%r }"}
		}
		for i, f := range form {
			if strings.Contains(f, "%l") && s.firstBinding(m.sc, left) {
				continue
			}
			m.put("missing call", -0.6-0.1*float64(i), right, strings.Replace(strings.Replace(f, "%l", l, 1), "%r", r, 1))
		}
	}
	if left.class == ident && gap == "=" || left.class == index || left.class == member {
		for _, v := range m.sc.seen(n.start) {
			if v != l {
				m.put("variable", -1+m.sc.alike(v, l), left, v)
			}
		}
	}
}

// firstBinding reports whether an assignment gives a name its first value.
func (s *source) firstBinding(sc *scope, left *node) bool {
	return left.class == ident && sc.at[s.of(left)] == left.start
}
