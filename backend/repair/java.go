package repair

import (
	"regexp"
	"slices"
	"strings"
)

// Mistakes that people make in Java, and fix in one place: what its types hide, and forms of its library beside each other.

// javaExpression makes the edits of an expression that only Java has.
func (m *maker) javaExpression(n *node) {
	if m.s.row.name != "java" {
		return
	}
	switch n.class {
	case binary:
		m.casts(n)
		m.alphabet(n)
		m.remainder(n)
	case call:
		m.optional(n)
		m.built(n)
		m.contrary(n)
		m.boxed(n)
		m.merges(n)
		m.compared(n)
	case str:
		m.quoted(n)
	}
	m.digit(n)
}

// javaStatement makes the edits of a statement that only Java has.
func (m *maker) javaStatement(n *node) {
	if m.s.row.name != "java" {
		return
	}
	m.wider(n)
	m.lost(n)
	m.stays(n)
}

var wholeTypes = []string{"int", "long", "short", "byte", "Integer", "Long", "char"}

// takenAs is the type that an expression's value is taken as: what it is returned as, or declared as; "" not known.
func (m *maker) takenAs(n *node) string {
	for p := n.parent; p != nil; p = p.parent {
		switch {
		case p.class == ret:
			return m.sc.resultType(m.s)
		case p.class == assign && p.get("name") != nil:
			if t := p.parent.get("type"); t != nil {
				return m.s.of(t)
			}
			return ""
		case p.class == assign || p.class == augmented:
			if l := p.get("left"); l != nil {
				return m.sc.types[m.s.of(l)]
			}
			return ""
		case p.class == args || p.class == index || p.class == function || p.class == cond || p.class == loop || p.isStatement():
			return ""
		}
	}
	return ""
}

// leftmost is the operand that a chain of operators begins with.
func (n *node) leftmost() *node {
	for n.class == binary && len(n.operands()) > 0 {
		n = n.operands()[0]
	}
	return n
}

// casts has a division keep its fraction, and a product its high digits, where the result is taken as a type that has room for them.
func (m *maker) casts(n *node) {
	s, first := m.s, n.leftmost()
	if first.kind == "cast_expression" || first.class == float || first.class == str || n.parent.class == binary && n.parent.operands()[0] == n {
		return
	}
	t := m.takenAs(n)
	switch hasDivision, hasProduct := m.chained(n, "/"), m.chained(n, "*+-"); {
	case hasDivision && (t == "double" || t == "float"):
		if first.class == integer {
			m.put("missing call", 1, first, s.of(first)+".0")
			return
		}
		m.put("missing call", 1, first, "("+t+") "+s.of(first))
	case hasProduct && t == "long":
		m.put("missing call", 1, first, m.asLong(first))
		m.bothLong(n)
	case hasProduct && n.parent.class == paren && n.parent.parent.kind == "cast_expression" && strings.HasPrefix(s.of(n.parent.parent), "(long)"):
		m.put("missing call", 0.8, first, m.asLong(first))
	}
}

func (m *maker) asLong(first *node) string {
	if first.class == integer {
		return m.s.of(first) + "L"
	}
	return "(long) " + m.s.of(first)
}

// bothLong widens the products of two declarations that follow each other: what is compared was computed alike.
func (m *maker) bothLong(n *node) {
	d := n.above(stmt)
	if d == nil || d.kind != "local_variable_declaration" || d.parent == nil {
		return
	}
	all := d.parent.statements()
	i := slices.Index(all, d)
	if i < 0 || i+1 == len(all) || all[i+1].kind != d.kind || all[i+1].get("type") == nil || m.s.of(all[i+1].get("type")) != "long" {
		return
	}
	var other *node
	all[i+1].walk(func(k *node) bool {
		if other == nil && k.class == binary {
			other = k.leftmost()
		}
		return other == nil
	})
	if other != nil && other.kind != "cast_expression" {
		a, b := n.leftmost(), other
		m.add("missing call", 0.8, edit{a.start, a.end, m.asLong(a)}, edit{b.start, b.end, m.asLong(b)})
	}
}

// chained reports whether one of some operators stands in a chain of them.
func (m *maker) chained(n *node, ops string) bool {
	for ; n.class == binary; n = n.operands()[0] {
		if op := m.s.operator(n, 0); len(op) == 1 && strings.Contains(ops, op) {
			return true
		}
		if len(n.operands()) == 0 {
			return false
		}
	}
	return false
}

// remainder is never negative by Math.floorMod.
func (m *maker) remainder(n *node) {
	if o := n.operands(); len(o) == 2 && m.s.operator(n, 0) == "%" {
		m.put("missing call", 0.4, n, "Math.floorMod("+m.s.of(o[0].inner())+", "+m.s.of(o[1])+")")
	}
}

var charBound = regexp.MustCompile(`>= ?('[aA0]')|('[aA0]') ?<=`)

// alphabet moves a letter round the end of its alphabet.
func (m *maker) alphabet(n *node) {
	s, o := m.s, n.operands()
	if len(o) != 2 || m.sc.types[s.of(o[0])] != "char" || m.sc.fn == nil {
		return
	}
	op := s.operator(n, 0)
	if op != "+" && op != "-" {
		return
	}
	for _, b := range charBound.FindAllStringSubmatch(s.of(m.sc.fn), 3) {
		first := b[1] + b[2]
		size := map[string]string{"'0'": "10"}[first]
		if size == "" {
			size = "26"
		}
		by := "(" + s.of(o[0]) + " - " + first + " " + op + " " + s.of(o[1])
		if op == "-" {
			by += " + " + size
		}
		m.put("missing operand", 0, n, first+" + "+by+") % "+size)
	}
}

// digit takes what a letter of a number counts, not its code.
func (m *maker) digit(n *node) {
	s, p := m.s, n.parent
	f := n.callee()
	if p == nil || s.bound(n) || !(n.class == ident && m.sc.types[s.of(n)] == "char" || n.class == call && f != nil && s.of(f) == "charAt") {
		return
	}
	w := -1.0
	switch {
	case p.class != args && p.class != binary && slices.Contains([]string{"int", "long"}, m.takenAs(n)):
		w = 0.6
	case p.class == binary && strings.ContainsAny(s.operator(p, 0), "+-*"), p.class == index:
		w = 0.2
	case p.class != args:
		return
	}
	for i, zero := range []string{"'0'", "'a'", "'A'"} {
		text := s.of(n) + " - " + zero
		if p.class == binary {
			text = "(" + text + ")"
		}
		m.put("missing operand", w-0.2*float64(i), n, text)
		m.put("missing operand", w-0.5-0.2*float64(i), n, text+" + 1")
	}
	m.put("missing call", w-0.1, n, "Character.getNumericValue("+s.of(n)+")")
}

// optional gives a value where there may be none.
func (m *maker) optional(n *node) {
	f := n.callee()
	if f == nil || n.get("object") == nil || len(n.arguments()) > 0 {
		return
	}
	w := map[string]float64{"get": 0.3, "getAsInt": 0.6, "getAsLong": 0.6, "getAsDouble": 0.6, "orElseThrow": 0.3}[m.s.of(f)]
	if w == 0 {
		return
	}
	t := m.takenAs(n)
	zeros := javaZeros(t)
	if t == "" || t == "void" {
		zeros = []string{"null", "0", `""`}
	}
	for i, zero := range zeros {
		m.put("default", w-0.2*float64(i), n, m.s.of(n.get("object"))+".orElse("+zero+")")
	}
}

// built puts a piece at the other end of a text that is built, or turns that round.
func (m *maker) built(n *node) {
	s, f, of := m.s, n.callee(), n.get("object")
	if f == nil || of == nil {
		return
	}
	a := n.arguments()
	switch t := m.sc.types[s.of(of)]; {
	case !strings.HasPrefix(t, "StringBu"):
	case s.of(f) == "append" && len(a) == 1:
		m.put("sibling", 0.2, n, s.of(of)+".insert(0, "+s.of(a[0])+")")
	case s.of(f) == "insert" && len(a) == 2:
		m.put("sibling", 0.2, n, s.of(of)+".append("+s.of(a[1])+")")
	case s.of(f) == "toString":
		m.put("missing call", -0.5, n, s.of(of)+".reverse().toString()")
		m.put("missing call", -0.5, n, s.of(n)+".trim()")
	}
}

var comparing = regexp.MustCompile(`^(?:Comparator\.)?(?:comparing|thenComparing|naturalOrder|reverseOrder)|\.comparing\w*\(|^[\w.]*Comparator[\w.]*\.comparing`)

// contrary orders by the contrary.
func (m *maker) contrary(n *node) {
	s := m.s
	if n.parent.class != args && n.parent.class != ret && n.parent.class != assign || !comparing.MatchString(s.of(n)) || strings.HasSuffix(s.of(n), ".reversed()") {
		return
	}
	m.put("missing call", 0.8, n, s.of(n)+".reversed()")
	if a := n.arguments(); len(a) > 0 { // (p) -> p.points has no type in front of a call
		m.put("missing call", 0.2, n, "Collections.reverseOrder("+s.of(n)+")")
	}
}

// boxed removes an element, not what stands at a place, and the contrary.
func (m *maker) boxed(n *node) {
	s, f, a := m.s, n.callee(), n.arguments()
	if f == nil || n.get("object") == nil || s.of(f) != "remove" || len(a) != 1 {
		return
	}
	switch t := m.sc.types[s.of(a[0])]; {
	case slices.Contains([]string{"int", "short", "byte", "char"}, t), a[0].class == integer:
		m.put("missing call", 0.5, a[0], "Integer.valueOf("+s.of(a[0])+")")
	case t == "Integer":
		m.put("missing call", 0.5, a[0], "(int) "+s.of(a[0]))
	}
}

// merges counts up what is there, or begins it.
func (m *maker) merges(n *node) {
	s, f, a := m.s, n.callee(), n.arguments()
	if f == nil || n.get("object") == nil {
		return
	}
	of := s.of(n.get("object"))
	switch name := s.of(f); {
	case (name == "put" || name == "putIfAbsent") && len(a) == 2:
		m.put("sibling", -0.2, n, of+".merge("+s.of(a[0])+", "+s.of(a[1])+", Integer::sum)")
	case name == "get" && len(a) == 1 && n.parent.kind == "method_invocation":
		m.put("default", 0, n, of+".computeIfAbsent("+s.of(a[0])+", k -> new ArrayList<>())")
	}
}

// patterns are the methods that read their first argument as a regular expression.
var patterns = []string{"split", "replaceAll", "replaceFirst", "matches"}

// quoted takes the signs of a regular expression as they stand, or as the pattern that they are near.
func (m *maker) quoted(n *node) {
	s, p := m.s, n.parent
	text := s.of(n)
	if p.class != args || p.parent.callee() == nil || !slices.Contains(patterns, s.of(p.parent.callee())) || p.operands()[0] != n {
		return
	}
	if in := strings.Trim(text, `"`); len(in) == 1 && strings.ContainsAny(in, ".|*+?^$()[{") {
		m.put("pattern", 1.5, n, `"\\`+in+`"`)
	} else if in == " " {
		m.put("pattern", 0.3, n, `"\\s+"`)
	} else if in != "" && !strings.HasSuffix(in, "+") {
		m.put("pattern", 0, n, `"`+in+`+"`)
	}
}

// wider declares a number with more room.
func (m *maker) wider(n *node) {
	t := n.get("type")
	if n.kind != "local_variable_declaration" || t == nil {
		return
	}
	switch result := m.sc.resultType(m.s); m.s.of(t) {
	case "int":
		w := -1.0
		if result == "long" {
			w = 0.6
		}
		m.put("constant", w, t, "long")
		if result == "double" || result == "float" {
			m.put("constant", 0.4, t, "double")
		}
	case "float":
		m.put("constant", -0.5, t, "double")
	}
}

// kept are the methods of texts and numbers that change nothing but give something else.
var kept = []string{"trim", "strip", "toLowerCase", "toUpperCase", "replace", "replaceAll", "replaceFirst", "concat", "substring", "add", "subtract", "multiply", "divide", "negate",
	"plusDays", "minusDays", "plusMonths", "plusHours", "plusMinutes", "plusWeeks", "plusYears", "setScale"}

// lost takes over what a method of a value that never changes gives.
func (m *maker) lost(n *node) {
	s, o := m.s, n.operands()
	if n.kind != "expression_statement" || len(o) != 1 || o[0].class != call || o[0].callee() == nil || o[0].get("object") == nil {
		return
	}
	of := o[0].get("object")
	if of.class != ident || m.sc.isCollection(s.of(of)) || !slices.Contains(kept, s.of(o[0].callee())) {
		return
	}
	m.put("unused result", 1, n, s.of(of)+" = "+s.of(n))
}

// infinities are the least and the largest values that a number may begin with, in Java those of its type.
func (m *maker) infinities(n *node) []string {
	if m.s.row.name != "java" {
		return m.s.row.infinity
	}
	switch t := m.takenAs(n); t {
	case "double", "float":
		return []string{"Double.NEGATIVE_INFINITY", "Double.POSITIVE_INFINITY", "-Double.MAX_VALUE", "Double.MAX_VALUE"}
	case "long":
		return []string{"Long.MIN_VALUE", "Long.MAX_VALUE"}
	}
	return m.s.row.infinity
}

var className = regexp.MustCompile(`^[A-Z]\w*[a-z]`)

// neverNull reports whether Java refuses to ask whether a name is null, since it is a class or of a plain type.
func (m *maker) neverNull(v string) bool {
	if m.s.row.name != "java" {
		return false
	}
	t := m.sc.types[v]
	return slices.Contains([]string{"int", "long", "short", "byte", "char", "boolean", "double", "float"}, t) || t == "" && className.MatchString(v)
}

// compared orders by the contrary: what is compared changes places with what it is compared with.
func (m *maker) compared(n *node) {
	s, f, of, a := m.s, n.callee(), n.get("object"), n.arguments()
	if f != nil && of != nil && len(a) == 1 && slices.Contains([]string{"compareTo", "compareToIgnoreCase", "compare", "isBefore", "isAfter", "startsWith", "endsWith", "contains", "subtract", "minus", "divide"}, s.of(f)) {
		m.add("swap arguments", 0.2, edit{of.start, of.end, bracket(s.of(a[0]))}, edit{a[0].start, a[0].end, s.of(of)})
	}
}

// stays has a loop come to the same place again when the element there was taken out.
func (m *maker) stays(n *node) {
	s, o := m.s, n.operands()
	round := n.above(loop)
	if n.kind != "expression_statement" || len(o) != 1 || o[0].callee() == nil || s.of(o[0].callee()) != "remove" || len(o[0].arguments()) != 1 || round == nil || round.kind != "for_statement" {
		return
	}
	if v := s.of(o[0].arguments()[0]); strings.Contains(s.of(round), v+"++)") {
		m.add("update", 1, edit{n.end, n.end, "\n" + s.indent(n.line) + v + "--;"})
	}
}
