package repair

import (
	"slices"
	"strconv"
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
		"<<=": {">>="}, ">>=": {"<<="}, "**=": {"*="}, "=": {"+=", "-=", "|="},
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
	case unary:
		if o := n.operands(); len(o) == 1 {
			m.put("unwrap", 0, n, s.of(o[0]))
		}
	case call:
		m.calls(n)
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
	case member:
		m.member(n)
	case ident:
		m.name(n)
	case list:
		m.collection(n)
	case tuple:
		m.swapEach(n.operands(), "swap")
	case ternary:
		if o := n.operands(); len(o) == 3 {
			m.add("swap", 0, edit{o[0].start, o[0].end, s.of(o[2])}, edit{o[2].start, o[2].end, s.of(o[0])})
		}
	}
	if n.isExpression() {
		m.wrap(n)
		m.donors(n)
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

func (m *maker) indexes(n *node) {
	s, o := m.s, n.operands()
	if len(o) > 2 {
		m.swapEach(o[1:], "swap")
	}
	if len(o) == 2 {
		m.put("unwrap", -1.2, n, s.of(o[0]))
		if o[1].class == tuple {
			m.swapEach(o[1].operands(), "swap")
		}
		if o[1].class == integer && s.of(o[1]) == "0" && s.row.name == "python" {
			m.put("off by one", 0, o[1], "-1")
		}
		if s.row.name == "python" && o[1].class != slice {
			m.put("slice", -1.5, o[1], s.of(o[1])+":")
			m.put("slice", -1.5, o[1], ":"+s.of(o[1]))
		}
	}
}

// slices moves the bounds of a slice by one, drops one, or sets one.
func (m *maker) slices(n *node) {
	s := m.s
	if s.row.name != "python" {
		for _, k := range []string{"start", "end"} {
			if b := n.get(k); b != nil {
				m.put("off by one", 0, b, s.of(b)+"+1")
				m.put("off by one", 0, b, s.of(b)+"-1")
			}
		}
		return
	}
	text := s.of(n)
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 2 || strings.ContainsAny(text, "()[]{}") {
		return
	}
	from, to := strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1])
	rest := ""
	if len(parts) == 3 {
		rest = ":" + parts[2]
	}
	give := func(w float64, from, to string) { m.put("slice", w, n, from+":"+to+rest) }
	for _, side := range []string{"+ 1", "- 1"} {
		if from != "" {
			give(0, strings.TrimPrefix(shift(from, side), "0 "), to)
		}
		if to != "" {
			give(0, from, shift(to, side))
		}
	}
	if from != "" {
		give(-0.6, "", to)
		give(-0.8, to, from)
	} else {
		give(0, "1", to)
	}
	if to != "" {
		give(-0.6, from, "")
	} else {
		give(0, from, "-1")
	}
	for _, v := range m.sc.seen(n.start) {
		if m.sc.roles[v]["number"] {
			if from == "" {
				give(-1, v, to)
			}
			if to == "" {
				give(-1, from, v)
			}
		}
	}
	if rest == "" && from == "" && to == "" {
		m.put("slice", -0.5, n, "::-1")
	} else if rest != "" {
		m.put("slice", -0.5, n, from+":"+to)
	}
}

// shift adds one to an expression or takes it off; a number is worked out.
func shift(e, by string) string {
	if v, err := strconv.Atoi(e); err == nil {
		if by[0] == '+' {
			return strconv.Itoa(v + 1)
		}
		return strconv.Itoa(v - 1)
	}
	if (strings.HasSuffix(e, " + 1") || strings.HasSuffix(e, " - 1")) && !strings.HasSuffix(e, by) {
		return e[:len(e)-4]
	}
	return e + " " + by
}

func (m *maker) number(n *node) {
	s := m.s
	v, err := strconv.ParseInt(strings.ReplaceAll(s.of(n), "_", ""), 0, 64)
	if err != nil {
		return
	}
	for _, alt := range []int64{v + 1, v - 1} {
		m.put("off by one", 0, n, strconv.FormatInt(alt, 10))
	}
	for i, alt := range []string{"0", "1", "-1", "2"} {
		m.put("constant", -0.3-0.1*float64(i), n, alt)
	}
	if p := n.parent; p != nil && p.class == assign {
		for _, inf := range s.row.infinity {
			m.put("initial value", -0.6, n, inf)
		}
	}
	for i, alt := range s.ints {
		if i > 25 {
			break
		}
		m.put("constant", -1-similarNumber(alt, s.of(n)), n, alt)
	}
	for _, alt := range m.sc.top {
		if isConstant(alt) {
			m.put("constant", -1.2, n, alt)
		}
	}
}

func similarNumber(a, b string) float64 {
	if len(a) == len(b) {
		return 0
	}
	return 0.5
}

func isConstant(name string) bool { return len(name) > 1 && strings.ToUpper(name) == name }

func (m *maker) text(n *node) {
	s := m.s
	if strings.Contains(s.of(n), "\n") || n.parent.class == stmt && s.row.name == "python" {
		return
	}
	mine := s.of(n)
	for i, alt := range s.strings {
		if i > 60 {
			break
		}
		if alt != mine && alt[0] == mine[0] {
			m.put("constant", -1.6+similar(alt, mine), n, alt)
		}
	}
	if len(mine) > 2 {
		m.put("constant", -2.2, n, mine[:1]+mine[len(mine)-1:])
	} else {
		m.put("constant", -1.5, n, mine[:1]+" "+mine[len(mine)-1:])
	}
	for _, word := range m.hints.texts {
		m.put("constant", -1.8+similar(word, mine), n, mine[:1]+word+mine[len(mine)-1:])
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

func (m *maker) collection(n *node) {
	s, o := m.s, n.operands()
	text := s.of(n)
	if s.row.name == "python" && n.kind == "list_comprehension" || n.kind == "composite_literal" || n.kind == "object" {
		return
	}
	m.swapEach(o[:min(len(o), 6)], "swap")
	switch {
	case len(o) == 0 && strings.HasPrefix(text, "["):
		for _, v := range m.sc.seen(n.start) {
			m.put("initial value", -0.7, n, "["+v+"]")
		}
		m.put("initial value", -0.5, n, "[[]]")
		m.put("initial value", -1, n, "[0]")
		if s.row.name == "python" {
			m.put("initial value", -1, n, "{}")
			m.put("initial value", -1, n, "set()")
		}
	case len(o) == 1 && strings.HasPrefix(text, "["):
		m.put("initial value", -0.6, n, "[]")
		m.put("unwrap", -0.6, n, s.of(o[0]))
	}
	if len(o) > 1 && len(o) < 8 {
		for i, x := range o {
			from, to := x.start, x.end
			if i+1 < len(o) {
				to = o[i+1].start
			} else {
				from = o[i-1].end
			}
			m.add("drop operand", -1.2, edit{from, to, ""})
		}
	}
}

// wrap puts something around an expression where an expression's value matters: an argument, an operand, a result.
func (m *maker) wrap(n *node) {
	s, p := m.s, n.parent
	text := s.of(n)
	if p == nil || p.class == member && p.memberOf() == n || n.class == paren || p.class == paren && n.class == binary || p.class == call && p.callee() == n || s.bound(n) || n.class == str ||
		p.class == keyword && n.field == "name" || p.class == member || n.class == null || p.class == params || len(text) > 80 || p.kind == "default_parameter" || p.class == tuple && s.row.name == "go" && len(p.operands()) == 1 && p.field == "left" {
		return
	}
	inBinary := p.class == binary
	numeric := n.class != list && n.class != boolean && n.class != unary && (n.class != binary || strings.ContainsAny(s.operator(n, 0), "+-*/%")) &&
		!(n.class == binary && strings.ContainsAny(s.operator(n, 0), "<>=&|"))
	if numeric && n.class != integer {
		w := -0.9
		if p.class == args || p.class == index || p.class == slice || p.class == tuple && p.parent != nil && p.parent.class == index {
			w = -0.2
		}
		if inBinary && strings.ContainsAny(s.operator(p, 0), "<>=") {
			w = -0.3
		}
		if isRange(s, p) {
			w = 0.1
		}
		if !(inBinary && strings.ContainsAny(s.operator(p, 0), "+-")) || n == p.operands()[0] {
			m.put("off by one", w, n, text+" + 1")
			m.put("off by one", w, n, text+" - 1")
		}
		for _, v := range m.sc.seen(n.start) {
			if v == text || n.class == binary {
				continue
			}
			if m.sc.roles[v]["number"] {
				m.put("missing operand", w-1.1, n, text+" - "+v)
				m.put("missing operand", w-1.2, n, text+" + "+v)
				m.put("missing operand", w-1.9, n, text+" * "+v)
			} else if !s.row.typed {
				m.put("missing operand", w-1.9, n, text+" - "+v)
				m.put("missing operand", w-1.7, n, v+" + "+text)
			}
		}
		if n.class == ident && s.row.name == "python" {
			m.put("missing operand", w-1.2, n, text+" ** 2")
		}
	}
	value := p.class == args || inBinary || p.class == ret || p.class == assign && n.field == "right" || p.class == yield || p.class == list || p.class == tuple || p.class == index
	if value && !isLogic(s, p) {
		for i, f := range s.row.wrappers {
			if n.class == integer {
				break
			}
			m.put("missing call", -1.2-0.1*float64(i), n, strings.Replace(f, "%s", text, 1))
		}
	}
	if s.row.name == "python" && value && (n.class == ident || n.class == member || n.class == call) {
		m.put("slice", -1, n, text+"[1:]")
		m.put("slice", -1.2, n, text+"[:-1]")
		m.put("slice", -1.4, n, text+"[0]")
		m.put("slice", -1.4, n, text+"[-1]")
		m.put("slice", -1.4, n, text+"[::-1]")
		m.put("slice", -1.8, n, "["+text+"]")
	}
	if s.row.name == "python" && (p.class == each && n.field == "right") {
		for _, f := range []string{"sorted(%s)", "list(%s)", "reversed(%s)", "enumerate(%s)", "set(%s)", "%s[1:]", "%s[:-1]", "%s.items()", "range(%s)", "range(len(%s))"} {
			m.put("missing call", -0.8, n, strings.Replace(f, "%s", text, 1))
		}
		for _, v := range m.sc.seen(n.start) {
			if m.sc.roles[v]["number"] {
				m.put("slice", -1, n, text+"["+v+":]")
				m.put("slice", -1, n, text+"[:"+v+"]")
			}
		}
	}
}

// isRange reports whether a node holds the bounds of a loop.
func isRange(s *source, p *node) bool {
	return p.class == args && p.parent != nil && p.parent.callee() != nil && s.of(p.parent.callee()) == "range"
}

func isLogic(s *source, p *node) bool {
	return p.class == binary && slices.Contains(logic, s.operator(p, 0))
}

// donors put another expression of the function in the place of one of the same class.
func (m *maker) donors(n *node) {
	s := m.s
	if m.sc.fn == nil || n.class == ident || n.class == integer || n.class == str || n.class == boolean || n.class == null || n.class == paren ||
		n.parent.class == member || n.parent.class == call && n.parent.callee() == n {
		return
	}
	mine, given := s.of(n), 0
	seen := map[string]bool{mine: true}
	m.sc.fn.walk(func(k *node) bool {
		if given < 12 && k.class == n.class && !seen[s.of(k)] && k.end-k.start < 60 && !(k.start <= n.start && n.end <= k.end) &&
			k.parent.class != member && !(k.parent.class == call && k.parent.callee() == k) {
			seen[s.of(k)] = true
			given++
			m.put("expression", -1.4+0.8*similar(s.of(k), mine), n, s.of(k))
		}
		return true
	})
	if n.class == call || n.class == index || n.class == binary {
		for _, v := range m.sc.seen(n.start) {
			m.put("expression", -1.8, n, v)
		}
	}
}

// similar says how alike two names are by their parts and letters, 0 to 1.
func similar(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := pairs(a), pairs(b)
	both := 0
	for p := range x {
		if y[p] {
			both++
		}
	}
	if len(x)+len(y) == 0 {
		return 0
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

func pairs(s string) map[string]bool {
	out := map[string]bool{}
	s = strings.ToLower(s)
	for i := 0; i+2 <= len(s); i++ {
		out[s[i:i+2]] = true
	}
	return out
}
