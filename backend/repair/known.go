package repair

import (
	"slices"
	"strings"
)

// Mistakes that many languages' users make in the same way, each with the one form of its fix.

// shared gives a parameter a new collection for each call where its default is one that all calls share, in Python.
func (m *maker) shared(n *node) {
	s := m.s
	if s.row.name != "python" || n.parent.class != block || n.parent.parent == nil || n.parent.parent.class != function {
		return
	}
	body := slices.DeleteFunc(n.parent.operands(), isDocstring)
	list := n.parent.parent.get("parameters")
	if len(body) == 0 || body[0] != n || list == nil {
		return
	}
	for _, p := range list.operands() {
		name, value := p.get("name"), p.get("value")
		if name == nil || value == nil || !slices.Contains([]string{"[]", "{}", "set()", "dict()", "list()"}, s.of(value)) {
			continue
		}
		v := s.of(name)
		m.add("initial value", 1, edit{value.start, value.end, "None"},
			edit{n.start, n.start, "if " + v + " is None:\n" + s.indent(n.line) + m.unit + v + " = " + s.of(value) + "\n" + s.indent(n.line)})
	}
}

// sorts has JavaScript's sort compare numbers as numbers.
func (m *maker) sorts(n *node, name string) {
	if name == "sort" && strings.HasSuffix(m.s.of(n), ".sort()") && m.s.row.end == ";" && m.s.row.name != "java" {
		m.add("argument", 1, edit{n.end - 1, n.end - 1, "(a, b) => a - b"})
		m.add("argument", 0.5, edit{n.end - 1, n.end - 1, "(a, b) => b - a"})
	}
}

// arithmetic keeps a remainder from being negative where the language's is, and multiplies before it divides.
func (m *maker) arithmetic(n *node) {
	s, o := m.s, n.operands()
	if len(o) != 2 {
		return
	}
	a, b := o[0], o[1]
	switch op := s.operator(n, 0); {
	case s.row.name == "java" && (op == "==" || op == "!="):
		m.equals(n, a, b, op)
	case s.row.name == "java" && op == "-" && n.parent.kind == "lambda_expression":
		m.put("function", 0.5, n, "Integer.compare("+s.of(a)+", "+s.of(b)+")")
	case op == "/" && s.row.name == "go" && n.parent.class == args && strings.HasPrefix(s.of(n.parent.parent), "float"):
		f := s.of(n.parent.parent.callee())
		m.put("operator", 0.5, n.parent.parent, f+"("+s.of(a)+") / "+f+"("+s.of(b)+")")
	case op == "/" && n.parent.class == paren && n.parent.parent.kind == "cast_expression":
		m.put("operator", 0.5, n.parent, s.of(n))
	case op == "%" && s.row.name != "python":
		m.put("missing operand", 0.5, n, "("+s.of(a.inner())+" + "+s.of(b)+") % "+s.of(b))
		m.put("missing operand", 0.3, n, "("+s.of(a)+" % "+s.of(b)+" + "+s.of(b)+") % "+s.of(b))
	case op == "*" && a.class == binary && s.operator(a, 0) == "/" && len(a.operands()) == 2:
		m.put("swap", 0.3, n, s.of(a.operands()[0])+" * "+s.of(b)+" / "+s.of(a.operands()[1]))
	}
}

// equals compares what objects hold, not which they are, in Java.
func (m *maker) equals(n, a, b *node, op string) {
	for _, o := range []*node{a, b} {
		if o.class == integer || o.class == float || o.class == null || o.class == boolean || o.class == binary || o.class == unary || o.kind == "character_literal" ||
			slices.Contains([]string{"int", "long", "char", "boolean", "double", "short", "byte", "float"}, m.sc.types[m.s.of(o)]) || o.class == ident && m.sc.roles[m.s.of(o)]["number"] {
			return
		}
	}
	not := ""
	if op == "!=" {
		not = "!"
	}
	m.put("comparison", 0.5, n, not+m.s.of(a)+".equals("+m.s.of(b)+")")
	m.put("comparison", -0.5, n, not+m.s.of(b)+".equals("+m.s.of(a)+")")
}

// lengths puts how many elements a collection has in the place of a number.
func (m *maker) lengths(n *node) {
	s, p := m.s, n.parent
	isNumber := m.sc.roles[s.of(n)]["number"] && (p.class == binary || p.class == args || p.class == index || p.class == slice)
	if !isNumber || s.bound(n) || s.row.lengthOf == "" {
		return
	}
	for _, v := range m.sc.seen(n.start) {
		if r := m.sc.roles[v]; v != s.of(n) && (r["indexed"] || r["collection"] || r["to len"] || r[".append"] || r["to sum"]) {
			m.put("variable", -0.9, n, strings.Replace(s.row.lengthOf, "%s", v, 1))
		}
	}
}
