package repair

import (
	"slices"
	"strings"
)

// operators lists for each operator those that are written in its place by mistake, the likeliest first.
func operators(language string) map[string][]string {
	t := map[string][]string{
		"<": {"<=", ">", ">=", "!="}, "<=": {"<", ">=", ">", "=="}, ">": {">=", "<", "<=", "!="}, ">=": {">", "<=", "<", "=="},
		"==": {"!=", "<=", ">=", "<", ">"}, "!=": {"==", "<", ">"}, "===": {"!==", "<=", ">="}, "!==": {"===", "<", ">"},
		"+": {"-", "*"}, "-": {"+", "*"}, "*": {"+", "/", "**"}, "/": {"*", "%"}, "%": {"/", "*"}, "//": {"/", "%", "*"}, "**": {"*"},
		"&": {"|", "^"}, "|": {"&", "^"}, "^": {"&", "|"}, "<<": {">>"}, ">>": {"<<", ">>>"}, ">>>": {">>"},
		"&&": {"||"}, "||": {"&&", "??"}, "??": {"||"}, "and": {"or"}, "or": {"and"}, "in": {"not in"}, "not in": {"in"}, "is": {"is not", "=="}, "is not": {"is", "!="},
		"&^": {"&"},
		"+=": {"-=", "=", "*="}, "-=": {"+=", "="}, "*=": {"+=", "/=", "="}, "/=": {"*="}, "//=": {"/=", "%="}, "%=": {"//="}, "|=": {"&=", "^=", "="}, "&=": {"|=", "^="}, "^=": {"&=", "|="},
		":=": {"="}, "<<=": {">>="}, ">>=": {"<<="}, "**=": {"*="}, "=": {"+=", "-=", "|="},
	}
	switch language {
	case "python":
		t["/"] = []string{"//", "*", "%"}
		t["%"] = []string{"//", "/", "*"}
		t["%="] = []string{"//=", "-="}
	case "go":
		t["*"] = []string{"+", "/"}
		t[">>"] = []string{"<<"}
		t["||"] = []string{"&&"}
		t["|"] = []string{"&", "^", "&^"}
	case "java":
		t["*"] = []string{"+", "/"}
		t["||"] = []string{"&&"}
	}
	return t
}

var logic = []string{"&&", "||", "and", "or", "??"}

// expression makes the edits of one expression; those below it come by themselves.
func (m *maker) expression(n *node) {
	s := m.s
	switch n.class {
	case binary:
		m.binary(n)
		m.arithmetic(n)
	case unary:
		if o := n.operands(); len(o) == 1 {
			m.put("unwrap", 0, n, s.of(o[0]))
		}
	case call:
		m.calls(n)
		m.given(n)
		m.sisters(n)
	case index:
		m.indexes(n)
	case slice:
		m.slices(n)
	case integer:
		m.number(n)
	case boolean:
		m.put("constant", 0.5, n, map[bool]string{true: s.row.no, false: s.row.yes}[s.of(n) == s.row.yes])
	case null:
		for _, d := range s.row.defaults[1:5] {
			m.put("constant", -1, n, d)
		}
	case str:
		m.text(n)
		m.expressions(n)
	case member:
		m.member(n)
	case ident:
		m.name(n)
		m.lengths(n)
	case list:
		m.collection(n)
	case tuple:
		m.swapEach(n.operands(), "swap")
	case ternary:
		if o := n.operands(); len(o) == 3 {
			m.add("swap", 0, edit{o[0].start, o[0].end, s.of(o[2])}, edit{o[2].start, o[2].end, s.of(o[0])})
		}
	}
	if n.kind == "regex" {
		m.pattern(n)
	}
	m.operand(n)
	m.firsts(n)
	m.goExpression(n)
	m.javaExpression(n)
	m.formats(n)
	m.patterns(n)
	m.chosen(n)
	if n.isExpression() {
		m.awaits(n)
		m.copies(n)
		m.ownRows(n)
		m.fallback(n)
		m.whereThere(n)
		m.chain(n)
		m.methods(n)
		m.wrap(n)
		m.guarded(n)
		m.ties(n)
		m.turned(n)
		m.family(n)
		m.remainders(n)
		m.donors(n)
		m.exceptions(n)
		m.truth(n)
		m.ofObject(n)
		m.otherType(n)
		m.negative(n)
		m.parts(n)
		m.larger(n)
		m.everywhere(n)
		m.joined(n)
		m.likeNeighbour(n)
		m.bySign(n)
	}
}

func (m *maker) binary(n *node) {
	s, o := m.s, n.operands()
	for i := 0; i+1 < len(o); i++ {
		op := s.operator(n, i)
		gap := edit{o[i].end, o[i+1].start, ""}
		isCompare := slices.Contains([]string{"<", "<=", ">", ">="}, op)
		for j, alt := range operators(s.row.name)[op] {
			kind := "operator"
			switch {
			case isCompare && j == 0:
				kind = "boundary"
			case isCompare || strings.Contains(op, "="):
				kind = "comparison"
			case slices.Contains(logic, op):
				kind = "logic"
			}
			gap.text = " " + alt + " "
			m.add(kind, -0.15*float64(j), gap)
			if c := o[i+1]; c.class == integer && (isCompare || op == "==") && slices.Contains([]string{"0", "1", "2"}, s.of(c)) {
				for _, v := range []string{"0", "1", "2"} {
					if v != s.of(c) {
						m.add("boundary", -0.6, edit{o[i].end, c.end, " " + alt + " " + v})
					}
				}
			}
		}
		if op != "in" && op != "not in" && op != "is" && op != "is not" {
			w := 0.0
			if slices.Contains(logic, op) || op == "==" || op == "!=" || op == "*" {
				w = -2.5
			}
			m.add("swap", w, edit{o[i].start, o[i].end, s.of(o[i+1])}, edit{o[i+1].start, o[i+1].end, s.of(o[i])})
		}
	}
	if len(o) == 2 {
		kind := "drop operand"
		if op := s.operator(n, 0); slices.Contains(logic, op) {
			kind = "drop condition"
		} else if strings.ContainsAny(op, "<>=") || op == "in" || op == "is" {
			return
		}
		m.put(kind, 0, n, s.of(o[0]))
		m.put(kind, 0, n, s.of(o[1]))
	}
}

func (m *maker) calls(n *node) {
	s, a := m.s, n.arguments()
	m.swapEach(a, "swap arguments")
	for i, x := range a {
		if len(a) > 1 {
			from, to := x.start, x.end
			if i+1 < len(a) {
				to = a[i+1].start
			} else {
				from = a[i-1].end
			}
			m.add("argument", -0.8, edit{from, to, ""})
		}
		if x.isExpression() || x.class == ident {
			m.put("unwrap", -0.1, n, s.of(x))
		}
	}
	f := n.callee()
	if f == nil {
		return
	}
	name := f
	if f.class == member {
		name = f.memberName()
		if obj := f.memberOf(); obj != nil {
			m.put("unwrap", -0.8, n, s.of(obj))
		}
	} else if obj := n.get("object"); obj != nil { // Java
		m.put("unwrap", -0.8, n, s.of(obj))
	}
	if name == nil {
		return
	}
	m.sorts(n, s.of(name))
	m.otherMethod(n)
	for _, group := range append(s.row.siblings, s.row.methodPairs...) {
		if slices.Contains(group, s.of(name)) {
			for j, alt := range group {
				if alt != s.of(name) {
					m.put("sibling", -0.1*float64(j), name, alt)
				}
			}
		}
	}
	if f.class == ident {
		for _, other := range m.sc.funcs {
			if other != s.of(name) {
				m.put("function", -1+similar(other, s.of(name)), name, other)
			}
		}
	}
	last := n.end - 1
	if len(a) < 3 && n.class == call {
		for _, v := range m.sc.seen(n.start) {
			sep := ", "
			if len(a) == 0 {
				sep = ""
			}
			m.add("argument", -2.2, edit{last, last, sep + v})
		}
	}
}

// swapEach exchanges neighbours, and the first with the last.
func (m *maker) swapEach(list []*node, kind string) {
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			a, b := list[i], list[j]
			if a.class == keyword || b.class == keyword || m.s.of(a) == m.s.of(b) {
				continue
			}
			m.add(kind, -0.4*float64(j-i-1), edit{a.start, a.end, m.s.of(b)}, edit{b.start, b.end, m.s.of(a)})
		}
	}
}

func (m *maker) member(n *node) {
	name := n.memberName()
	if name == nil || n.parent.class == call && n.parent.callee() == n {
		return // methods have their siblings
	}
	mine := m.s.of(name)
	for _, alt := range m.s.members {
		if alt != mine {
			m.put("field", -1+1.2*similar(alt, mine), name, alt)
		}
	}
	if obj := n.memberOf(); obj != nil {
		m.put("unwrap", -2, n, m.s.of(obj))
	}
}

// name puts other names in the place of one.
func (m *maker) name(n *node) {
	s, p := m.s, n.parent
	mine := s.of(n)
	if p == nil || p.class == call && p.callee() == n || p.class == keyword && n.field == "name" || p.class == params || p.kind == "default_parameter" && n.field == "name" {
		return
	}
	if p.class == member && p.memberName() == n || p.class == function && n.field == "name" {
		return
	}
	if s.bound(n) && p.class != assign && p.class != tuple {
		return
	}
	for _, v := range m.sc.seen(n.start) {
		if v != mine {
			m.put("variable", -0.8+m.sc.alike(v, mine)+0.4*similar(v, mine), n, v)
		}
	}
	for _, v := range m.sc.top {
		if v != mine && (isConstant(v) == isConstant(mine)) && !s.bound(n) && !m.sc.params[v] {
			m.put("variable", -1+similar(v, mine), n, v)
		}
	}
}
