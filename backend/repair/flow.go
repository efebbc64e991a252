package repair

import (
	"regexp"
	"slices"
	"strings"
)

// What of Python goes on and what ends, and in which order cases are asked.

// yields hands on what a call gives, in a generator.
func (m *maker) yields(n *node) {
	s := m.s
	o := n.operands()
	if s.row.name != "python" || n.class != stmt || len(o) != 1 {
		return
	}
	text := s.of(o[0])
	switch {
	case strings.HasPrefix(text, "yield from "):
		m.put("return", 0, o[0], "yield "+text[len("yield from "):])
	case strings.HasPrefix(text, "yield "):
		m.put("return", 0.1, o[0], "yield from "+text[len("yield "):])
	case o[0].class == call && m.sc.fn != nil && strings.Contains(s.of(m.sc.fn), "yield"):
		m.put("unused result", 0.9, n, "yield from "+text)
		m.put("unused result", -0.3, n, "yield "+text)
	}
}

// goesOn leaves a round where a return leaves the function, and the other way round.
func (m *maker) goesOn(n *node) {
	s := m.s
	if s.row.name != "python" || m.round(n) == nil || m.sc.fn == nil {
		return
	}
	switch n.class {
	case ret:
		m.put("jump", 0, n, "continue")
		m.put("jump", -0.1, n, "break")
		if o := n.operands(); len(o) == 1 && m.generator() {
			m.put("return", 0, n, "yield "+s.of(o[0]))
		}
	case jump:
		for i, v := range m.results() {
			m.put("jump", -0.3-0.1*float64(i), n, s.row.returns(v))
		}
	case stmt:
		if n.kind == "pass_statement" {
			m.put("jump", 0, n, "continue")
			m.put("jump", -0.2, n, "break")
		}
	}
}

func (m *maker) generator() bool { return regexp.MustCompile(`\byield\b`).MatchString(m.s.of(m.sc.fn)) }

// exchanged asks the second of two conditions first, each with what it leads to.
func (m *maker) exchanged(n *node) {
	s := m.s
	if s.row.name != "python" || n.class != cond || n.condition() == nil {
		return
	}
	var next *node
	if n.kind == "if_statement" {
		next = n.get("alternative")
	} else if sib := n.parent.kids; n.kind == "elif_clause" {
		if i := slices.Index(sib, n); i >= 0 && i+1 < len(sib) {
			next = sib[i+1]
		}
	}
	if next == nil || next.kind != "elif_clause" || next.condition() == nil || n.get("consequence") == nil || next.get("consequence") == nil {
		return
	}
	a, b, x, y := n.condition(), next.condition(), n.get("consequence"), next.get("consequence")
	m.add("move", -0.2, edit{a.start, a.end, s.of(b)}, edit{x.start, x.end, s.of(y)}, edit{b.start, b.end, s.of(a)}, edit{y.start, y.end, s.of(x)})
	m.add("swap", -0.5, edit{a.start, a.end, s.of(b)}, edit{b.start, b.end, s.of(a)})
	m.add("swap", -0.5, edit{x.start, x.end, s.of(y)}, edit{y.start, y.end, s.of(x)})
}

// repeated asks once more and once more what is asked once, and the other way round.
func (m *maker) repeated(n *node) {
	if m.s.row.name != "python" || n.kind != "if_statement" && n.kind != "while_statement" || n.get("alternative") != nil {
		return
	}
	if n.kind == "if_statement" {
		m.add("condition", -0.6, edit{n.start, n.start + len("if"), "while"})
	} else {
		m.add("condition", -0.6, edit{n.start, n.start + len("while"), "if"})
	}
}

// chosen leaves out of a comprehension what is nothing, or what a condition elsewhere tells.
func (m *maker) chosen(n *node) {
	s := m.s
	if s.row.name != "python" || n.kind != "for_in_clause" || n.get("left") == nil {
		return
	}
	p := n.parent
	for _, k := range p.kids {
		if k.kind == "if_clause" {
			return
		}
	}
	if last := p.operands(); last[len(last)-1] != n {
		return
	}
	at := n.end
	for i, v := range m.names(n.get("left")) {
		if i > 1 {
			break
		}
		m.add("narrow", -0.6, edit{at, at, " if " + v})
		m.add("narrow", -0.7, edit{at, at, " if " + v + " is not None"})
	}
	for i, d := range m.donor {
		if i < 40 && m.fits(d, at) {
			m.add("narrow", -1, edit{at, at, " if " + d})
		}
	}
}

// opposites are the methods that take back what another one does.
var opposites = map[string][]string{"add": {"remove", "discard"}, "append": {"pop"}, "push": {"pop"}, "remove": {"add"}, "discard": {"add"}, "appendleft": {"popleft"}}

// takenBack takes back what a call did, as the function does with its like or does not at all.
func (m *maker) takenBack(n *node, put func(kind string, w float64, text string)) {
	s := m.s
	if s.row.name != "python" || m.sc.fn == nil {
		return
	}
	whole, given := s.of(m.sc.fn), 0
	m.sc.fn.walk(func(k *node) bool {
		o := k.operands()
		if k.class != stmt || len(o) != 1 || o[0].class != call || o[0].callee() == nil || o[0].callee().class != member || given > 6 {
			return true
		}
		f := o[0].callee()
		for i, other := range opposites[s.of(f.memberName())] {
			object := s.of(f.memberOf())
			if k == n || strings.Contains(whole, object+"."+other+"(") || !m.fits(s.of(o[0]), n.end) {
				continue
			}
			text := s.text[o[0].start:f.memberName().start] + other
			if strings.HasPrefix(other, "pop") {
				text += "()"
			} else {
				text += s.text[f.end:o[0].end]
			}
			w := -0.5
			if k.parent == n.parent {
				w = 0
			}
			if strings.Contains(whole, "."+other+"(") {
				w += 0.3
			}
			given++
			put("missing statement", w-0.3*float64(i), text)
		}
		return true
	})
}
