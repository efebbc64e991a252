package repair

import (
	"slices"
	"strings"
)

// unused does something with the result of a call that stands alone: it is returned, kept or gathered.
func (m *maker) unused(n *node) {
	s, r := m.s, m.s.row
	o := n.operands()
	if n.class != stmt || n.kind != "expression_statement" || len(o) != 1 || m.sc.fn == nil {
		return
	}
	c := o[0]
	if c.class == wait && len(c.operands()) == 1 {
		c = c.operands()[0]
	}
	f := c.callee()
	if c.class != call || f == nil || r.name == "python" && s.of(f) == "super" {
		return
	}
	name, own := s.of(f), false
	if f.class == member {
		name = s.of(f.memberName())
	}
	own = m.sc.fn.get("name") != nil && name == s.of(m.sc.fn.get("name"))
	w := -0.9
	if own {
		w = 0.2
	}
	if t := m.sc.resultType(s); r.name == "python" || r.name != "go" && t != "void" || r.name == "go" && t != "" {
		m.put("unused result", w, n, r.returns(s.of(o[0])))
	}
	if f.class == member && f.memberOf() != nil && f.memberOf().class == ident { // s.strip()
		m.put("unused result", w+0.3, n, r.assignTo(s.of(f.memberOf()), s.of(o[0])))
	}
	for _, v := range m.sc.seen(n.start) {
		if v == "self" || v == "this" || m.sc.params[v] && !handed(s, c, v) {
			continue
		}
		if m.sc.isCollection(v) || emptyCollection.MatchString(m.begins()[v]) {
			if handed(s, c, v) {
				m.put("unused result", w+0.5, n, r.assignTo(v, s.of(o[0])))
			}
			for _, g := range gather(r.name) {
				m.put("unused result", w-0.2, n, strings.NewReplacer("%v", v, "%e", s.of(o[0])).Replace(g)+r.end)
			}
		} else {
			m.put("unused result", w-0.6, n, r.assignTo(v, s.of(o[0])))
			m.put("unused result", w-0.4, n, v+" += "+s.of(o[0])+r.end)
		}
	}
}

// handed reports whether a variable is one of a call's arguments.
func handed(s *source, c *node, v string) bool {
	return slices.ContainsFunc(c.arguments(), func(a *node) bool { return s.of(a) == v })
}

// gather are the ways to put a collection or an element into a collection.
func gather(language string) []string {
	switch language {
	case "python":
		return []string{"%v.extend(%e)", "%v.append(%e)", "%v += %e"}
	case "go":
		return []string{"%v = append(%v, %e...)", "%v = append(%v, %e)"}
	case "java":
		return []string{"%v.addAll(%e)", "%v.add(%e)"}
	}
	return []string{"%v.push(...%e)", "%v.push(%e)"}
}

// unbound gives a name that nothing defines a first value where the function begins, in Python.
func (m *maker) unbound(n *node) {
	s := m.s
	if s.row.name != "python" || m.sc.fn == nil || n.parent.parent != m.sc.fn {
		return
	}
	if body := slices.DeleteFunc(n.parent.statements(), isDocstring); len(body) == 0 || body[0] != n {
		return
	}
	indent := s.indent(n.line)
	for _, v := range m.missing() {
		var values []string
		switch r := m.sc.roles[v]; {
		case r[".append"] || r[".extend"] || r[".pop"]:
			values = []string{"[]"}
		case r[".add"]:
			values = []string{"set()"}
		case r["number"]:
			values = []string{"0", "1"}
		default:
			values = []string{"{}", "[]", "set()", "0", `""`, "None", "1"}
		}
		for i, value := range values {
			m.add("initial value", 1-0.1*float64(i), edit{n.start, n.start, v + " = " + value + "\n" + indent})
		}
	}
}

// definitions are the names that something in the file defines.
func (s *source) definitions() map[string]bool {
	if s.defined != nil {
		return s.defined
	}
	s.defined = map[string]bool{}
	s.root.walk(func(k *node) bool {
		if k.class == ident && (strings.Contains(k.parent.kind, "import") || k.parent.kind == "dotted_name" || s.bound(k) || k.field == "name" && k.parent.class != keyword || k.field == "alias" || k.parent.kind == "global_statement" || k.above(params) != nil) {
			s.defined[s.of(k)] = true
		}
		return true
	})
	return s.defined
}

// missing are the names that the function uses and nothing in the file defines.
func (m *maker) missing() []string {
	s := m.s
	defined := s.definitions()
	var out []string
	m.sc.fn.walk(func(k *node) bool {
		v := s.of(k)
		if k.class == ident && !defined[v] && !slices.Contains(out, v) && k.parent.class != keyword && !(k.parent.class == member && k.parent.memberName() == k) &&
			!(k.parent.class == call && k.parent.callee() == k) && !slices.Contains(pythonModules, v) && !slices.Contains(builtin, v) {
			out = append(out, v)
		}
		return true
	})
	return out[:min(len(out), 3)]
}

// builtin are Python's own names that are no functions to call, or are handed on as values.
var builtin = strings.Fields(`__name__ __file__ __doc__ NotImplemented Ellipsis int float str bytes bool list dict set tuple frozenset object type len max min
	sum abs any all sorted reversed map filter zip range enumerate  repr print input open iter next id hash ord chr round pow divmod
	hex bin oct callable isinstance issubclass getattr setattr hasattr vars dir super property staticmethod classmethod slice complex
	memoryview bytearray format  Exception BaseException ValueError TypeError KeyError IndexError AttributeError RuntimeError
	StopIteration ZeroDivisionError OSError IOError FileNotFoundError NotImplementedError AssertionError OverflowError ArithmeticError
	LookupError NameError  UnicodeDecodeError UnicodeEncodeError ImportError KeyboardInterrupt TimeoutError PermissionError
	ConnectionError RecursionError Warning DeprecationWarning UserWarning`)
