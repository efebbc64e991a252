package repair

import (
	"slices"
	"strings"
)

// Statements that run in the wrong cases: else, elif, break and return that are missing, and what stands on the wrong side of
// a loop's head.

// branches joins an if with what follows it, or takes them apart, and moves a statement over the head of a loop.
func (m *maker) branches(n *node) {
	if n.parent.class != block {
		return
	}
	sib := n.parent.statements()
	i := slices.Index(sib, n)
	if i > 0 && sib[i-1].class == cond && !m.s.ended(sib[i-1]) {
		m.otherwise(n, sib[i-1])
	}
	if n.class == cond {
		m.apart(n)
	}
	if i >= 0 && i+1 < len(sib) && n.class != cond && n.class != loop && n.class != each {
		m.into(n, sib[i+1])
	}
	if (n.class == loop || n.class == each) && lastBlock(n) != nil {
		m.outOf(n)
	}
}

// ended reports whether an if has an else already.
func (s *source) ended(n *node) bool {
	for _, k := range n.kids {
		if k.field != "alternative" {
			continue
		}
		switch {
		case k.class == cond && s.row.name == "python": // elif
		case k.class == cond:
			return s.ended(k)
		case k.kind == "else_clause" && len(k.operands()) == 1 && k.operands()[0].class == cond:
			return s.ended(k.operands()[0])
		default:
			return true
		}
	}
	return false
}

// otherwise has a statement run only where the if in front of it did not.
func (m *maker) otherwise(n, before *node) {
	s := m.s
	if s.row.name == "python" {
		if n.class == cond {
			m.add("missing else", 0.2, edit{n.start, n.start, "el"})
		}
		indent := s.indent(before.line)
		e := s.reindent(n, indent+m.unit)
		e.text = indent + "else:\n" + e.text
		m.add("missing else", -0.1, e)
		return
	}
	if s.text[before.end-1] != '}' {
		return
	}
	if n.class == cond {
		m.add("missing else", 0.2, edit{before.end, n.start, " else "})
		return
	}
	w := -0.1
	if s.takesOut(before, n) {
		w = 0.9
	}
	m.add("missing else", w, edit{before.end, n.end, " else {\n" + s.indent(before.line) + m.unit + m.deeper(n) + "\n" + s.indent(before.line) + "}"})
}

// takesOut reports whether a branch takes out the element that a count stands at, so that the next one comes to its place.
func (s *source) takesOut(branch, count *node) bool {
	found := false
	branch.walk(func(k *node) bool {
		if f := k.callee(); k.class == call && f != nil && len(k.arguments()) > 0 && (strings.HasSuffix(s.of(f), "remove") || strings.HasSuffix(s.of(f), "splice")) {
			v := s.of(k.arguments()[0])
			found = found || s.of(count) == v+"++;" || s.of(count) == v+" += 1;" || s.of(count) == "++"+v+";"
		}
		return !found
	})
	return found
}

// deeper is the text of a statement for one more step of indent, without the first line's.
func (m *maker) deeper(n *node) string {
	return strings.ReplaceAll(m.s.of(n), "\n", "\n"+m.unit)
}

// unasked has the last branch of several run where none of the others did.
func (m *maker) unasked(n *node) {
	body := lastBlock(n)
	last := n.class == cond && (n.kind == "elif_clause" || n.field == "alternative" || n.parent.kind == "else_clause") && n.get("alternative") == nil
	if n.kind == "elif_clause" {
		all := n.parent.kids
		last = last && all[len(all)-1] == n
	}
	if !last || body == nil || n.condition() == nil {
		return
	}
	if n.kind == "elif_clause" {
		m.add("drop condition", -0.5, edit{n.start, n.condition().end, "else"})
		return
	}
	m.add("drop condition", -0.5, edit{n.start, body.start, ""})
}

// apart has an else if asked in any case.
func (m *maker) apart(n *node) {
	s := m.s
	for _, k := range n.kids {
		if k.field != "alternative" {
			continue
		}
		switch {
		case k.class == cond && s.row.name == "python":
			m.add("extra else", -0.4, edit{k.start, k.start + len("elif"), "if"})
		case k.class == cond: // Go, Java
			if at := strings.LastIndex(s.text[n.start:k.start], "else"); at > 0 {
				m.add("extra else", -0.4, edit{n.start + at, k.start, "\n" + s.indent(n.line)})
			}
		case k.kind == "else_clause" && len(k.operands()) == 1 && k.operands()[0].class == cond:
			m.add("extra else", -0.4, edit{k.start, k.operands()[0].start, "\n" + s.indent(n.line)})
		}
	}
}

// into moves a statement from in front of a loop to the begin of each round.
func (m *maker) into(n, next *node) {
	s := m.s
	body := lastBlock(next)
	if next.class != loop && next.class != each || body == nil || n.last >= next.line {
		return
	}
	all := body.statements()
	if len(all) == 0 {
		return
	}
	first := all[0]
	if first.line == next.line {
		return
	}
	text := s.reindent(n, s.indent(first.line)).text
	at := s.lines[first.line-1]
	m.add("move", 0, s.whole(n), edit{at, at, text})
}

// outOf moves the first statement of a loop in front of it.
func (m *maker) outOf(n *node) {
	s := m.s
	all := lastBlock(n).statements()
	if len(all) < 2 {
		return
	}
	first := all[0]
	if first.line == n.line || first.class == cond || first.class == loop || first.class == each {
		return
	}
	text := s.reindent(first, s.indent(n.line)).text
	at := s.lines[n.line-1]
	m.add("move", -0.3, edit{at, at, text}, s.whole(first))
}

// leave ends a branch early: by a return, and in a loop or a case by break and continue.
func (m *maker) leave(n *node) {
	s, r := m.s, m.s.row
	sib := n.parent.statements()
	if m.sc.fn == nil || n.class == ret || n.class == jump || n.class == raise || len(sib) == 0 || sib[len(sib)-1] != n || n.parent.parent == nil {
		return
	}
	behind := func(kind string, w float64, text string) {
		m.add(kind, w, edit{n.end, n.end, "\n" + s.indent(n.line) + text})
	}
	if strings.HasPrefix(n.parent.kind, "switch_") && r.end == ";" {
		behind("jump", 0.3, "break;")
	}
	holder := n.parent.parent
	inLoop := n.above(loop) != nil || n.above(each) != nil
	if holder.class == cond && inLoop {
		behind("jump", -0.4, "break"+r.end)
		behind("jump", -0.4, "continue"+r.end)
	}
	if holder == m.sc.fn || holder.class != function && !inLoop {
		for _, v := range m.sc.seen(n.end) {
			behind("missing return", -0.3, r.returns(v))
		}
	}
	if holder.class == function || holder.class != cond {
		return
	}
	for i, v := range m.results() {
		behind("missing return", -0.2-0.1*float64(i), r.returns(v))
	}
}

// results are the values that the function returns, the plain "" where it returns none.
func (m *maker) results() []string {
	var out []string
	m.sc.fn.walk(func(k *node) bool {
		if k.class == function && k != m.sc.fn {
			return false
		}
		if k.class == ret {
			text := ""
			if o := k.operands(); len(o) > 0 {
				text = m.s.of(o[0])
			}
			if len(text) < 40 && !slices.Contains(out, text) && len(out) < 6 {
				out = append(out, text)
			}
		}
		return true
	})
	if len(out) == 0 {
		out = append(out, "")
	}
	return out
}
