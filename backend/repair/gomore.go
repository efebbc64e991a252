package repair

import (
	"regexp"
	"slices"
	"strings"
)

// Further forms of Go: letters and bytes, rounding, order, what a map does not hold, what a loop goes over.

// goFamilies are names of packages that are taken for each other.
var goFamilies = [][]string{{"Second", "Millisecond", "Minute", "Hour", "Microsecond", "Nanosecond"}, {"RFC3339", "RFC3339Nano", "DateOnly", "DateTime"}, {"UTC", "Local"},
	{"EOF", "ErrUnexpectedEOF"}, {"Sunday", "Monday", "Saturday"}, {"MaxInt", "MinInt", "MaxInt64", "MinInt64", "MaxInt32", "MaxFloat64"}, {"January", "December", "February"}}

// letters counts and cuts letters where bytes are, and rounds where a number is cut off.
func (m *maker) letters(n *node) {
	s, o := m.s, n.operands()
	text := s.of(n)
	switch {
	case n.kind == "type_conversion_expression" && strings.HasPrefix(text, "[]byte("):
		m.put("function", 0.2, n, "[]rune("+text[len("[]byte("):])
	case n.class == call && n.callee() != nil && len(n.arguments()) == 1 && (strings.HasPrefix(s.of(n.callee()), "int") || strings.HasPrefix(s.of(n.callee()), "uint")):
		f, x := s.of(n.callee()), s.of(n.arguments()[0])
		for i, round := range []string{"Round", "Ceil", "Floor"} {
			m.putWith("missing call", -0.3-0.2*float64(i), n, f+"(math."+round+"("+x+"))", "math")
		}
	case n.class == slice && n.get("operand") != nil && m.sc.types[s.of(n.get("operand"))] == "string":
		v := s.of(n.get("operand"))
		m.put("slice", -0.2, n, "string([]rune("+v+")"+text[len(v):]+")")
	case n.class == binary && len(o) == 2 && s.operator(n, 0) == "/" && o[1].class != float:
		a, b := s.of(o[0]), s.of(o[1])
		m.put("missing operand", -0.2, n, "("+s.of(o[0].inner())+" + "+b+" - 1) / "+b)
		m.put("missing operand", -0.6, n, "("+s.of(o[0].inner())+" + "+b+"/2) / "+b)
		m.put("operator", -0.8, n, "float64("+a+") / float64("+b+")")
	case n.class == member && n.memberName() != nil && !(n.parent.class == call && n.parent.callee() == n):
		for _, family := range goFamilies {
			if slices.Contains(family, s.of(n.memberName())) {
				for i, alt := range family {
					m.put("constant", -0.4-0.1*float64(i), n.memberName(), alt)
				}
			}
		}
	}
}

// ties decides by a further field where two are the same.
func (m *maker) ties(n *node) {
	s, o := m.s, n.operands()
	if n.class != binary || len(o) != 2 || n.parent == nil || !s.row.braces() || n.parent.class != ret && n.parent.class != tuple && n.parent.kind != "arrow_function" {
		return
	}
	op := s.operator(n, 0)
	if op != "<" && op != ">" && (op != "-" || s.row.name == "go") {
		return
	}
	a, b := s.of(o[0]), s.of(o[1])
	i, j := strings.LastIndexByte(a, '.'), strings.LastIndexByte(b, '.')
	if a == b || i < 0 || j < 0 || a[i:] != b[j:] {
		return
	}
	text, given := s.of(n), 0
	for _, f := range s.members {
		if f == a[i+1:] || given >= 8 || !regexp.MustCompile(`^\w+$`).MatchString(f) {
			continue
		}
		given++
		x, y := a[:i+1]+f, b[:j+1]+f
		if op == "-" {
			m.put("missing operand", -0.7, n, text+" || "+x+" - "+y)
			m.put("missing operand", -0.8, n, text+" || "+x+".localeCompare("+y+")")
			continue
		}
		for k, by := range []string{"<", ">"} {
			m.put("missing operand", -0.3-0.3*float64(k), n, text+" || "+a+" "+s.row.equal+" "+b+" && "+x+" "+by+" "+y)
		}
	}
}

// turned negates a part of a condition, or an argument.
func (m *maker) turned(n *node) {
	s, p := m.s, n.parent
	if !s.row.braces() || n.class != ident && n.class != member && n.class != call || p == nil || s.bound(n) || p.class == unary || p.class == call && p.callee() == n || p.class == member {
		return
	}
	if !isLogic(s, p) && !(s.row.name == "go" && (p.class == args || p.class == tuple && p.parent.class == ret)) {
		return
	}
	w := -0.3
	if !isLogic(s, p) {
		w = -1
	}
	m.put("negate", w, n, s.row.not(s.of(n)))
}

// family puts a constant into a list that has others of its family.
func (m *maker) family(n *node) {
	s := m.s
	if n.class != ident || n.parent == nil || n.parent.class != list && n.parent.kind != "literal_element" && n.parent.kind != "literal_value" && n.parent.kind != "array" {
		return
	}
	whole := s.of(n.parent.parent)
	for _, alt := range append(slices.Clone(s.named), s.consts...) {
		same := 0
		for same < len(alt) && same < n.end-n.start && alt[same] == s.of(n)[same] {
			same++
		}
		if same >= 4 && alt != s.of(n) && !strings.Contains(whole, alt) {
			m.add("missing element", -0.2, edit{n.end, n.end, ", " + alt})
		}
	}
}

// lookedUp asks whether a map has what is taken from it, and gives what it has not.
func (m *maker) lookedUp(n *node) {
	s := m.s
	l, r := n.get("left"), n.get("right")
	if n.class != assign || n.parent.class != block || l == nil || r == nil || len(l.operands()) != 1 || len(r.operands()) != 1 || r.operands()[0].class != index {
		return
	}
	of := r.operands()[0].operands()[0]
	if t := m.typeOf(s.of(of)[strings.LastIndexByte(s.of(of), '.')+1:]); t != "" && !strings.HasPrefix(t, "map[") || strings.TrimSpace(s.text[l.end:r.start]) != ":=" {
		return
	}
	indent := s.indent(n.line)
	name := "ok"
	if _, taken := m.sc.at[name]; taken {
		name = "found"
	}
	after := func(w float64, leave string) {
		m.add("guard", w, edit{l.end, l.end, ", " + name}, edit{n.end, n.end, "\n" + indent + s.row.guard("!"+name, leave, indent, m.unit)})
	}
	if m.round(n) != nil {
		after(0, "continue")
	}
	for i, v := range m.values(n, "") {
		if i < 8 {
			after(-0.1*float64(i), s.row.returns(v.text))
		}
	}
}

// inOrder sorts what is gathered before it is returned, most of all where it comes from a map, which has no order.
func (m *maker) inOrder(n *node) {
	s := m.s
	o := n.operands()
	if n.class != ret || n.parent.class != block || len(o) == 0 || !strings.Contains(s.of(m.sc.fn), "range ") {
		return
	}
	e := o[0]
	if e.class == tuple && len(e.operands()) > 0 {
		e = e.operands()[0]
	}
	v := s.of(e)
	if e.class != ident || !m.sc.isCollection(v) || strings.HasPrefix(m.sc.types[v], "map[") || regexp.MustCompile(`\b(?:sort|slices)\.\w+\(`+v+`\b`).MatchString(s.of(m.sc.fn)) {
		return
	}
	w := -0.8
	m.sc.fn.walk(func(k *node) bool {
		if k.kind == "range_clause" && k.get("right") != nil {
			t := m.typeOf(s.of(k.get("right"))[strings.LastIndexByte(s.of(k.get("right")), '.')+1:])
			if strings.HasPrefix(t, "map[") {
				w = 0.4
			}
		}
		return true
	})
	indent := s.indent(n.line)
	m.add("missing statement", w, append(m.using("slices"), edit{n.start, n.start, "slices.Sort(" + v + ")\n" + indent})...)
	m.out[len(m.out)-1].line = n.line
	if strings.Contains(s.text, `"sort"`) {
		m.add("missing statement", w-0.2, edit{n.start, n.start, "sort.Strings(" + v + ")\n" + indent})
	}
}

// inBody are conditions that the first statements of a branch need: that what they ask members of is there, and what they index
// is long enough.
func (m *maker) inBody(n *node, add func(text, negated string, w float64, first bool)) {
	s, r := m.s, m.s.row
	body := n.get("consequence")
	if body == nil {
		body = n.get("body")
	}
	if !r.braces() || body == nil {
		return
	}
	for i, k := range body.statements() {
		if i > 2 {
			break
		}
		k.walk(func(k *node) bool {
			if k.class == block {
				return false
			}
			of := k.memberOf()
			if o := k.operands(); k.class == index && len(o) == 2 {
				of = o[0]
			}
			if (k.class != member && k.class != index && k.class != slice) || of == nil || of.class != ident && of.class != member || isModule(s, s.of(of)) {
				return true
			}
			if k.class == member {
				add(r.not(r.isNull(s.of(of))), "", 0.1, false)
				return true
			}
			long := m.long(s.of(of))
			add(long+" > 0", "", -0.1, false)
			add(long+" > 1", "", -0.5, false)
			return true
		})
	}
}

// returnsEnd returns what an end says in place of nothing: a flush or close can fail.
func (m *maker) returnsEnd(n *node) {
	s, o := m.s, n.operands()
	if n.class != ret || len(o) != 1 || !strings.HasSuffix(s.of(o[0]), "nil") {
		return
	}
	head := strings.TrimSuffix(s.of(o[0]), "nil")
	for _, v := range m.sc.seen(n.start) {
		for i, end := range []string{"Flush", "Err", "Close", "Wait"} {
			if whole := s.of(m.sc.fn); !strings.Contains(whole, v+"."+end+"(") && strings.Contains(whole, v+".") {
				m.put("missing close", -0.3-0.1*float64(i), o[0], head+v+"."+end+"()")
			}
		}
	}
}
