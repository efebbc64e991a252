package repair

import (
	"slices"
	"strings"
)

// What is kept elsewhere and changed later must be kept as a copy.

// copies puts a copy in the place of what is stored, handed to a collection, returned or changed in place.
func (m *maker) copies(n *node) {
	s := m.s
	if n.class != ident && n.class != member || s.bound(n) || n.parent == nil {
		return
	}
	p, text := n.parent, s.of(n)
	w := 0.0
	switch {
	case p.class == args && m.keeps(p.parent):
	case p.class == assign && (n.field == "right" || n.field == "value"), p.class == tuple && p.parent.class == assign && p.field == "right":
		w = -0.3
		if l := p.get("left"); l != nil && l.class == member {
			w = 0
		}
	case p.class == ret, p.class == tuple && p.parent.class == ret:
		w = -0.8
	case p.class == list && p.kind != "composite_literal":
		w = -0.8
	case p.class == member && p.memberOf() == n && m.inPlace(p):
		if s.row.name != "python" && s.row.name != "java" {
			m.put("copy", 0.3, n, "[..."+text+"]")
		}
		return
	default:
		return
	}
	if s.row.typed && n.class == ident && !m.sc.isCollection(text) {
		return
	}
	for i, form := range m.copyOf(text) {
		m.put("copy", w-0.15*float64(i), n, form)
	}
}

// keeps reports whether a call puts its arguments into a collection.
func (m *maker) keeps(c *node) bool {
	f := c.callee()
	if f == nil || c.class != call {
		return false
	}
	if f.class == member {
		f = f.memberName()
	}
	return f != nil && slices.Contains([]string{"append", "add", "push", "put", "set", "unshift", "appendleft", "insert", "offer", "addFirst", "addLast", "setdefault"}, m.s.of(f))
}

// inPlace reports whether a member is a call's method that changes its object.
func (m *maker) inPlace(n *node) bool {
	name := n.memberName()
	return name != nil && n.parent.class == call && n.parent.callee() == n && slices.Contains([]string{"sort", "reverse", "splice"}, m.s.of(name))
}

// copyOf are the ways to copy a collection, the likeliest for its kind first.
func (m *maker) copyOf(v string) []string {
	t, roles := m.sc.types[v], m.sc.roles[v]
	keyed := roles[".items"] || roles[".keys"] || roles[".values"] || roles[".get"] || strings.Contains(t, "Map") || strings.HasPrefix(t, "map[")
	switch m.s.row.name {
	case "python":
		if keyed {
			return []string{"dict(" + v + ")", v + ".copy()", "list(" + v + ")"}
		}
		return []string{"list(" + v + ")", v + "[:]", v + ".copy()", "dict(" + v + ")", "set(" + v + ")", "tuple(" + v + ")"}
	case "go":
		var out []string
		kind := "slices"
		if keyed {
			kind = "maps"
		}
		if strings.Contains(m.s.text, `"`+kind+`"`) {
			out = append(out, kind+".Clone("+v+")")
		}
		if t := strings.Replace(t, "...", "[]", 1); strings.HasPrefix(t, "[]") {
			out = append(out, "append("+t+"(nil), "+v+"...)")
		}
		return out
	case "java":
		switch {
		case strings.HasSuffix(t, "[]"):
			return []string{v + ".clone()"}
		case keyed:
			return []string{"new " + m.known("HashMap") + "<>(" + v + ")"}
		case strings.Contains(t, "Set"):
			return []string{"new " + m.known("HashSet") + "<>(" + v + ")"}
		}
		return []string{"new " + m.known("ArrayList") + "<>(" + v + ")", v + ".clone()"}
	}
	switch {
	case strings.HasPrefix(t, "Map"), strings.HasPrefix(t, "Set"):
		return []string{"new " + t[:3] + "(" + v + ")"}
	}
	return []string{"[..." + v + "]", "{ ..." + v + " }", v + ".slice()"}
}

// known is a class of java.util, with its package where the file does not import it.
func (m *maker) known(class string) string {
	if strings.Contains(m.s.text, "import ") && !strings.Contains(m.s.text, "java.util.*") && !strings.Contains(m.s.text, "java.util."+class+";") {
		return "java.util." + class
	}
	return class
}

// ownRows makes each row of a table one of its own, in Python.
func (m *maker) ownRows(n *node) {
	s, o := m.s, n.operands()
	if s.row.name != "python" || n.class != binary || len(o) != 2 || s.operator(n, 0) != "*" || o[0].class != list {
		return
	}
	if in := o[0].operands(); len(in) == 1 && (in[0].class == binary || in[0].class == list) {
		m.put("copy", 0.6, n, "["+s.of(in[0])+" for _ in range("+s.of(o[1].inner())+")]")
	}
}

// inItsPlace gives a parameter that a statement sorts or turns round a sorted copy instead, in Python.
func (m *maker) inItsPlace(n *node) {
	s := m.s
	o := n.operands()
	if s.row.name != "python" || n.class != stmt || len(o) != 1 || o[0].class != call || o[0].callee() == nil || o[0].callee().class != member {
		return
	}
	f := o[0].callee()
	v, of := s.of(f.memberOf()), f.memberOf()
	args := ""
	for _, a := range o[0].arguments() {
		args += ", " + s.of(a)
	}
	switch s.of(f.memberName()) {
	case "sort":
		if of.class == ident {
			m.put("copy", 0.3, n, v+" = sorted("+v+args+")")
		}
	case "reverse":
		if of.class == ident {
			m.put("copy", 0.3, n, v+" = "+v+"[::-1]")
		}
	}
}
