package repair

import (
	"maps"
	"slices"
	"strings"
)

// move swaps a statement with the next one, and takes the last of a block out of it or the one behind a block into it.
func (m *maker) move(n *node) {
	s := m.s
	if n.parent.class != block {
		return
	}
	sib := n.parent.statements()
	i := slices.Index(sib, n)
	if i+1 < len(sib) && sib[i+1].class != jump && sib[i+1].class != ret {
		next := sib[i+1]
		if n.last < next.line {
			m.add("move", -0.8, edit{n.start, n.end, s.of(next)}, edit{next.start, next.end, s.of(n)})
		}
	}
	if s.row.name != "python" {
		m.moveBraces(n, sib, i)
		return
	}
	// out of the block, by its indent
	if i == len(sib)-1 && len(sib) > 1 && n.parent.parent != nil && n.parent.parent.class != function {
		outer := s.indent(n.parent.parent.line)
		m.add("move", -0.2, s.reindent(n, outer))
	}
	if i > 0 {
		if prev := sib[i-1]; prev.class == cond || prev.class == each || prev.class == loop {
			if b := lastBlock(prev); b != nil {
				m.add("move", -0.2, s.reindent(n, s.indent(b.operands()[0].line)))
			}
		}
	}
}

// moveBraces does the same where blocks have braces: the text goes to the other side of the brace.
func (m *maker) moveBraces(n *node, sib []*node, i int) {
	s := m.s
	if n.parent.parent == nil || n.line == n.parent.line {
		return
	}
	cut := s.whole(n)
	if outer := n.parent.parent; i == len(sib)-1 && len(sib) > 1 && outer.class != function && outer.isStatement() {
		text := "\n" + s.indent(outer.line) + s.of(n)
		m.add("move", -0.2, cut, edit{outer.end, outer.end, text})
	}
	if i > 0 {
		if prev := sib[i-1]; prev.class == cond || prev.class == each || prev.class == loop {
			if b := lastBlock(prev); b != nil && len(b.operands()) > 0 {
				in := b.operands()[len(b.operands())-1]
				m.add("move", -0.2, edit{in.end, in.end, "\n" + s.indent(in.line) + s.of(n)}, cut)
			}
		}
	}
}

func lastBlock(n *node) *node {
	for i := len(n.kids) - 1; i >= 0; i-- {
		k := n.kids[i]
		if k.class == block && len(k.operands()) > 0 {
			return k
		}
		if k.kind == "else_clause" || k.class == cond {
			return lastBlock(k)
		}
	}
	return nil
}

// whole is the edit that takes the lines of a statement out.
func (s *source) whole(n *node) edit {
	from, to := s.lines[n.line-1], len(s.text)
	if n.last < len(s.lines) {
		to = s.lines[n.last]
	}
	return edit{from, to, ""}
}

// reindent moves the lines of a statement to another indent.
func (s *source) reindent(n *node, to string) edit {
	e := s.whole(n)
	was := s.indent(n.line)
	lines := strings.Split(strings.TrimSuffix(s.text[e.start:e.end], "\n"), "\n")
	for i, l := range lines {
		lines[i] = to + strings.TrimPrefix(l, was)
	}
	e.text = strings.Join(lines, "\n") + "\n"
	return e
}

// insert puts copies of other statements, with other variables, and statements of a few forms before or behind one.
func (m *maker) insert(n *node) {
	s, r := m.s, m.s.row
	if m.sc.fn == nil || n.parent.class != block {
		return
	}
	indent := s.indent(n.line)
	before := func(kind string, w float64, text string) {
		m.add(kind, w, edit{n.start, n.start, text + "\n" + indent})
	}
	behind := func(kind string, w float64, text string) {
		m.add(kind, w, edit{n.end, n.end, "\n" + indent + text})
	}
	sib := n.parent.statements()
	isLast := sib[len(sib)-1] == n
	vars := m.sc.seen(n.start)
	// collections that are asked but never filled
	begins := m.begins()
	for _, v := range slices.Sorted(maps.Keys(m.sc.roles)) {
		roles := m.sc.roles[v]
		if !roles["collection"] && !roles["indexed"] && !roles[".pop"] && !roles[".append"] && !roles["assigned"] {
			continue
		}
		if _, mine := m.sc.at[v]; !mine {
			continue
		}
		for i, g := range r.grow {
			for _, e := range vars {
				if e == v || e == "self" {
					continue
				}
				text := strings.NewReplacer("%[1]s", v, "%[2]s", e).Replace(g)
				text = strings.Replace(strings.Replace(text, "%s", v, 1), "%s", e, 1)
				w := -0.9 - 0.2*float64(i)
				if roles["element"] || m.sc.roles[e]["element"] {
					w += 0.3
				}
				if !strings.Contains(s.of(m.sc.fn), v+".append(") && !strings.Contains(s.of(m.sc.fn), v+".add(") && !strings.Contains(s.of(m.sc.fn), v+".push(") {
					if w += 0.2; emptyCollection.MatchString(begins[v]) {
						w += 0.6
					}
				}
				if !roles["collection"] {
					w -= 0.4
				}
				before("missing statement", w, text)
				if isLast && n.class != ret && n.class != jump {
					behind("missing statement", w, text)
				}
			}
		}
	}
	// copies of simple statements of the function, and with one name changed
	given := 0
	m.sc.fn.walk(func(k *node) bool {
		if k == n || !k.isStatement() || k.line != k.last || given > 60 {
			return true
		}
		text := s.of(k)
		if k.class == jump || len(text) > 80 || k.class == ret || s.row.name == "python" && isDocstring(k) {
			return true
		}
		if !m.fits(text, n.end) {
			return true
		}
		given++
		before("missing statement", -1.2, text)
		if isLast {
			behind("missing statement", -1.3, text)
		}
		k.walk(func(i *node) bool {
			if i.class == ident && given < 60 && !(i.parent.class == call && i.parent.callee() == i) && !(i.parent.class == member && i.parent.memberName() == i) {
				for _, v := range vars {
					if v != s.of(i) && m.sc.alike(v, s.of(i)) > 0.2 {
						given++
						before("missing statement", -1.7, text[:i.start-k.start]+v+text[i.end-k.start:])
						if isLast {
							behind("missing statement", -1.8, text[:i.start-k.start]+v+text[i.end-k.start:])
						}
					}
				}
			}
			return true
		})
		return true
	})
	for i, text := range m.elsewhere() {
		if strings.Contains(s.of(n.parent), text) || !m.fits(text, n.end) {
			continue
		}
		before("missing statement", -0.8-0.05*float64(i), text)
		if isLast && n.class != ret && n.class != jump {
			behind("missing statement", -0.8-0.05*float64(i), text)
		}
	}
	each := func(kind string, w float64, text string) {
		before(kind, w, text)
		if isLast && n.class != ret && n.class != jump {
			behind(kind, w, text)
		}
	}
	m.takenBack(n, each)
	m.calledFor(n, each)
	// one variable takes another's value
	for _, v := range vars {
		stale := m.stale()[v]
		m.counts(n, v, stale, before, behind)
		for _, w := range vars {
			if v == w || m.sc.params[v] || v == "self" || w == "self" || len(vars) > 8 && !stale {
				continue
			}
			kind, weight := "missing statement", -1.9+m.sc.alike(v, w)
			if stale {
				kind, weight = "update", -0.2+m.sc.alike(v, w)
			}
			before(kind, weight, r.assignTo(v, w))
			if isLast {
				behind(kind, weight, r.assignTo(v, w))
			}
		}
	}
}

// elsewhere are the simple statements of the file's other functions that change what does not end with them, those that
// several have first.
func (m *maker) elsewhere() []string {
	s, count := m.s, map[string]int{}
	var out []string
	if !m.sc.known.once("elsewhere") {
		return m.sc.known.elsewhere
	}
	s.root.walk(func(k *node) bool {
		if k == m.sc.fn {
			return false
		}
		if k.class != stmt && k.class != assign || !k.isStatement() || k.line != k.last || k.above(function) == nil || k.end-k.start > 60 {
			return true
		}
		text := s.of(k)
		if first := word.FindString(text); first == "self" || first == "this" || slices.Contains(m.sc.top, first) || m.sc.params[first] && m.sc.method {
			if count[text] == 0 {
				out = append(out, text)
			}
			count[text]++
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b string) int { return count[b] - count[a] })
	m.sc.known.elsewhere = out[:min(len(out), 12)]
	return m.sc.known.elsewhere
}

// remove takes a statement out, or the block around it.
func (m *maker) remove(n *node) {
	s := m.s
	sib := n.parent.operands()
	switch {
	case len(sib) == 1 && s.row.name == "python":
		m.put("delete", -0.8, n, "pass")
	default:
		m.add("delete", -0.5, s.whole(n))
	}
	if (n.class == cond) && lastBlock(n) != nil && s.row.name == "python" && n.get("alternative") == nil {
		b := lastBlock(n)
		indent, inner := s.indent(n.line), s.indent(b.operands()[0].line)
		var lines []string
		for l := b.operands()[0].line; l <= n.last; l++ {
			lines = append(lines, indent+strings.TrimPrefix(s.lineText(l), inner))
		}
		e := s.whole(n)
		m.add("drop condition", -0.7, edit{e.start, e.end, strings.Join(lines, "\n") + "\n"})
	}
}

// isDocstring reports whether a statement is a text alone.
func isDocstring(n *node) bool {
	o := n.operands()
	return n.class == stmt && len(o) == 1 && o[0].class == str
}
