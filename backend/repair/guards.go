package repair

import (
	"regexp"
	"slices"
	"strings"
)

// guards put an early return, or a skip inside a loop, before a statement.
func (m *maker) guards(n *node) {
	s, r := m.s, m.s.row
	if m.sc.fn == nil || n.parent.class != block || n.class == jump {
		return
	}
	indent := s.indent(n.line)
	first := n.parent.operands()[0] == n && n.parent.parent == m.sc.fn
	conds := map[string]float64{}
	var order []string
	ask := func(c string, w float64) {
		if _, ok := conds[c]; !ok {
			order = append(order, c)
		}
		conds[c] = max(conds[c], w)
	}
	n.walk(func(k *node) bool {
		if k.class == block {
			return false
		}
		if (k.class == member || k.class == index) && k.memberOf() != nil {
			if o := s.of(k.memberOf()); len(o) < 50 && o != "self" && o != "this" && !isModule(s, o) && !m.neverNull(o) && (r.name != "go" || k.class == member && m.hints.null) {
				ask(r.isNull(o), m.hints.lack(m.asked(k)))
			}
		}
		return true
	})
	m.divisors(n, func(v string) { ask(v+" "+r.equal+" 0", 0) })
	kind, more := "guard", 0.0
	if first {
		if m.sc.recursive(s) {
			kind, more = "base case", 0.6
		}
		m.unusual(n, kind == "base case", ask)
	}
	for _, c := range order {
		for _, d := range m.values(n, c) {
			m.add(kind, more+conds[c]+d.weight, edit{n.start, n.start, r.guard(c, r.returns(d.text), indent, m.unit) + "\n" + indent})
		}
		if n.above(loop) != nil || n.above(each) != nil {
			m.add("guard", conds[c]-0.6, edit{n.start, n.start, r.guard(c, "continue"+r.end, indent, m.unit) + "\n" + indent})
		}
	}
}

// asked is the name of what an expression asks of a value.
func (m *maker) asked(n *node) string {
	if k := n.memberName(); k != nil && n.class != index {
		return m.s.of(k)
	}
	return ""
}

// unusual asks for the parameters that a function may have forgotten: nothing, empty, zero, negative.
func (m *maker) unusual(n *node, recursive bool, ask func(c string, w float64)) {
	r := m.s.row
	for _, v := range m.sc.seen(n.start) {
		if v == "self" || v == "this" || !m.sc.params[v] {
			continue
		}
		if empty, _ := m.emptiness(v); empty != "" {
			ask(empty, 0)
		}
		if m.sc.isNumber(v) {
			ask(v+" "+r.equal+" 0", -0.2)
			ask(v+" < 0", -0.5)
			ask(v+" <= 1", -0.8)
		}
		t := m.sc.types[v]
		if object := !m.sc.isNumber(v) && !slices.Contains([]string{"int", "long", "double", "boolean", "char", "string", "bool"}, t); object && r.name != "go" || strings.HasPrefix(t, "*") {
			w := -0.6
			if m.hints.lack("") > 0 || recursive && t != "" {
				w = 0.5
			}
			if !m.neverNull(v) {
				ask(r.isNull(v), w)
			}
		}
	}
}

// divisors visits the names that a statement divides by.
func (m *maker) divisors(n *node, visit func(v string)) {
	n.walk(func(k *node) bool {
		if o := k.operands(); k.class == binary && len(o) == 2 && o[1].class == ident && slices.Contains([]string{"/", "//", "%"}, m.s.operator(k, 0)) {
			visit(m.s.of(o[1]))
		}
		return k.class != block
	})
}

func isModule(s *source, name string) bool {
	return regexp.MustCompile(`(?m)^\s*(import|from)\b.*\b` + regexp.QuoteMeta(name) + `\b|"(.*/)?` + regexp.QuoteMeta(name) + `"$`).MatchString(s.text)
}

type value struct {
	text   string
	weight float64
}

// values are what a guard over a condition may return: what the statement returns without the parts that need what the
// condition finds missing, constants of the file, what the function returns elsewhere, defaults.
func (m *maker) values(n *node, c string) []value {
	s, r := m.s, m.s.row
	var out []value
	seen := map[string]bool{}
	add := func(text string, w float64) {
		if !seen[text] {
			seen[text] = true
			out = append(out, value{text, w})
		}
	}
	missing := word.FindString(strings.TrimPrefix(c, "not "))
	if i := strings.Index(c, " is None"); i > 0 {
		missing = c[:i]
	} else if i := strings.Index(c, " == n"); i > 0 {
		missing = c[:i]
	}
	m.sc.fn.walk(func(k *node) bool {
		if k.class == function && k != m.sc.fn {
			return false
		}
		if k.class != ret {
			return true
		}
		o := k.operands()
		if len(o) == 0 {
			add("", 0)
			return true
		}
		e := o[0]
		if e.class == list && len(e.operands()) > 1 {
			var kept []string
			for _, x := range e.operands() {
				if !strings.Contains(s.of(x), missing) {
					kept = append(kept, s.of(x))
				}
			}
			if t := s.of(e); len(kept) > 0 && len(kept) < len(e.operands()) {
				add(t[:1]+strings.Join(kept, ", ")+t[len(t)-1:], 0.8)
			}
		}
		if k.start != n.start && len(s.of(e)) < 60 {
			add(s.of(e), 0.2)
		}
		return true
	})
	for _, v := range m.sc.top {
		if isConstant(v) || slices.Contains(s.named, v) {
			add(v, 0.1)
		}
	}
	if m.sc.recursive(s) && !r.typed {
		for i, d := range []string{"1", "0", "[]", "[[]]", `""`} {
			add(d, 0.3-0.1*float64(i))
		}
	}
	for i, d := range m.plain() {
		add(d, 0.1-0.1*float64(i))
	}
	if t := m.sc.resultType(s); r.name == "go" && (t == "" || strings.HasPrefix(t, "(")) || t == "void" {
		return out
	}
	for _, v := range m.sc.seen(n.start) {
		if v != "self" && v != "this" && v != missing {
			add(v, -0.3)
			if len(r.emptyLists) > 0 {
				add("["+v+"]", -1)
			}
		}
	}
	add("", -0.3)
	return out
}
