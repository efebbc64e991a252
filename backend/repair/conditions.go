package repair

import (
	"regexp"
	"slices"
	"strings"
)

// condition negates, widens and narrows a condition.
func (m *maker) condition(n, c *node) {
	s, r := m.s, m.s.row
	text := s.of(c)
	if c.class == unary && (strings.HasPrefix(text, "not ") || strings.HasPrefix(text, "!")) {
		// unwrap comes by itself
	} else {
		m.put("negate", -0.3, c, r.not(text))
	}
	preds := m.predicates(n, c)
	whole := text
	if c.class == binary && isLogicOp(s.operator(c, 0)) {
		whole = "(" + text + ")"
	}
	for _, p := range preds {
		w := p.weight
		or, and := text, text
		if c.class == binary && s.operator(c, 0) != r.or {
			or = whole
		}
		if c.class == binary && s.operator(c, 0) != r.and {
			and = whole
		}
		if c.class == binary && !isLogicOp(s.operator(c, 0)) {
			or, and = text, text
		}
		if p.first {
			m.put("widen", w, c, p.text+" "+r.or+" "+or)
		} else {
			m.put("widen", w, c, or+" "+r.or+" "+p.text)
		}
		if p.negated != "" {
			m.put("narrow", w-0.2, c, p.negated+" "+r.and+" "+and)
		}
		m.put("narrow", w-0.4, c, and+" "+r.and+" "+p.text)
		m.put("condition", w-0.9, c, p.text)
	}
	if n.class == loop && (text == r.yes || c.class == integer) {
		for _, v := range m.sc.seen(n.start) {
			m.put("condition", 0.5, c, v)
			m.put("condition", 0, c, r.not(v))
		}
	}
}

func isLogicOp(op string) bool { return slices.Contains(logic, op) }

// predicate is a condition over what is in scope.
type predicate struct {
	text, negated string
	weight        float64
	first         bool // it must be asked before the rest: a guard
}

// predicates are conditions that could be missing at a place: of variables that are null or empty, of what the file and
// the function ask elsewhere.
func (m *maker) predicates(n, c *node) []predicate {
	s, r := m.s, m.s.row
	var out []predicate
	seen := map[string]bool{s.of(c): true}
	add := func(text, negated string, w float64, first bool) {
		if !seen[text] {
			seen[text] = true
			out = append(out, predicate{text, negated, w, first})
		}
	}
	c.walk(func(k *node) bool {
		if (k.class == member || k.class == index || k.class == call) && k.memberOf() != nil {
			o := s.of(k.memberOf())
			if len(o) < 40 && o != "self" && o != "this" && !m.neverNull(o) {
				w := 0.6
				if lack := m.hints.lack(m.asked(k)); lack > 0 {
					if w += 0.6 * lack; n.class == loop { // asked again with other values, which a check in front of it does not see
						w += 0.6
					}
				}
				add(r.isNull(o), r.not(r.isNull(o)), w, true)
				if empty, filled := m.emptiness(o); empty != "" && r.name != "go" {
					add(empty, filled, -0.2, true)
				}
			}
		}
		return true
	})
	for _, v := range m.sc.seen(n.start) {
		if v == "self" || v == "this" {
			continue
		}
		roles := m.sc.roles[v]
		if r.name == "python" || strings.HasSuffix(r.name, "script") || r.name == "tsx" {
			add(r.not(v), v, -0.5, false)
			add(v, "", -0.9, false)
		}
		if r.name == "go" {
			if empty, filled := m.emptiness(v); empty != "" {
				add(empty, filled, -0.6, false)
			} else {
				add(v, r.not(v), -1, false)
				if t := m.sc.types[v]; t == "error" || v == "err" || strings.HasPrefix(t, "*") {
					add(v+" == nil", v+" != nil", -0.5, false)
				}
				add(v+` == ""`, v+` != ""`, -1.3, false)
			}
		}
		for _, f := range m.flags(v) {
			w := -0.4
			if s.mentions(c, v) {
				w = 0.2
			}
			add(f, "!"+f, w, false)
		}
		if roles["number"] || roles["compared"] {
			add(v+" "+r.equal+" 0", v+" !"+r.equal[1:]+" 0", -1, false)
			add(v+" < 0", v+" >= 0", -1, false)
			add(v+" > 0", "", -1.2, false)
			add(v+" "+r.equal+" 1", "", -1.5, false)
		}
		if r.name != "go" && !m.neverNull(v) {
			add(r.isNull(v), "", -1, true)
		}
	}
	m.bounds(c, add)
	if n != c {
		m.inBody(n, add)
	}
	m.held(n, add)
	m.others(c, add)
	m.nearby(n, c, add)
	for _, q := range m.constants(c) {
		add(q, strings.Replace(q, " "+r.equal+" ", " !"+r.equal[1:]+" ", 1), -0.3, false)
	}
	for _, p := range m.texts(n) {
		w := -1.2
		if lit := literal.FindString(p); len(lit) > 2 && slices.ContainsFunc(m.hints.texts, func(t string) bool { return strings.HasPrefix(t, lit[1:len(lit)-1]) }) {
			w = 0.6 // a failing test's own text begins so
		}
		add(p, r.not(p), w, false)
	}
	for _, d := range m.donor {
		if m.fits(d, n.start) {
			add(d, r.not(d), -1.4, false)
		}
	}
	return out
}

func bracketLogic(s *source, c *node) string {
	if c.class == binary && isLogicOp(s.operator(c, 0)) {
		return "(" + s.of(c) + ")"
	}
	return s.of(c)
}

// nearby are conditions that the function asks elsewhere, sooner those over the same names; where one name is not in scope, one
// of the condition's takes its place.
func (m *maker) nearby(n, c *node, add func(text, negated string, w float64, first bool)) {
	s := m.s
	if m.sc.fn == nil {
		return
	}
	mine := m.names(c)
	m.sc.fn.walk(func(k *node) bool {
		q := k.condition()
		if k.kind == "if_clause" && len(k.operands()) == 1 {
			q = k.operands()[0]
		} else if k.class != cond && k.class != loop {
			q = nil
		}
		if q == nil || q == c || q.end-q.start >= 60 {
			return true
		}
		for _, q := range append(q.atoms(s), q) {
			text, w := bracketLogic(s, q), -1.0
			for _, v := range m.names(q) {
				if slices.Contains(mine, v) {
					w = -0.4
				}
			}
			if free := m.free(text, n.start); len(free) == 0 {
				add(text, s.row.not(s.of(q)), w, false)
			} else if len(free) == 1 {
				for _, v := range mine {
					add(regexp.MustCompile(`\b`+regexp.QuoteMeta(free[0])+`\b`).ReplaceAllLiteralString(text, v), "", -0.4, false)
				}
			}
		}
		return true
	})
}

// names are the variables of an expression.
func (m *maker) names(c *node) []string {
	var out []string
	c.walk(func(k *node) bool {
		if v := m.s.of(k); k.class == ident && slices.Contains(m.sc.vars, v) && !slices.Contains(out, v) && !(k.parent.class == call && k.parent.callee() == k) {
			out = append(out, v)
		}
		return true
	})
	return out
}

// bounds ask whether an index of a condition lies inside.
func (m *maker) bounds(c *node, add func(text, negated string, w float64, first bool)) {
	s := m.s
	w := 0.3
	if m.hints.index {
		w = 1
	}
	c.walk(func(k *node) bool {
		var of, at string
		if o := k.operands(); k.class == index && len(o) == 2 && o[1].class != slice && o[1].class != str {
			of, at = s.of(o[0]), s.of(o[1])
		} else if f := k.callee(); k.class == call && k.get("object") != nil && f != nil && (s.of(f) == "charAt" || s.of(f) == "get") && len(k.arguments()) == 1 {
			of, at = s.of(k.get("object")), s.of(k.arguments()[0])
		}
		if of == "" || !word.MatchString(at) {
			return true
		}
		long := m.long(of)
		add(at+" >= "+long, at+" < "+long, w, true)
		add(at+" < 0", at+" >= 0", w-0.2, true)
		add(at+" <= 0", at+" > 0", w-0.5, true)
		return true
	})
}

// long is how many elements something has.
func (m *maker) long(of string) string {
	form := m.s.row.lengthOf
	if t := m.sc.types[of]; m.s.row.name == "java" && t == "String" {
		form = "%s.length()"
	} else if m.s.row.name == "java" && !strings.HasSuffix(t, "[]") && t != "" {
		form = "%s.size()"
	}
	return strings.Replace(form, "%s", of, 1)
}

// marks are texts of one letter that formats give a meaning.
var marks = strings.Fields("# ; / - _ . , : + * = & | ! ? @ % ~ ( [ { <")

// askedAgain asks what a call with a text asks for another text as well: one that a failing test's own begins with, one of the file, a mark.
func (m *maker) askedAgain(a *node, add func(text, negated string, w float64, first bool)) {
	s := m.s
	for _, lit := range a.arguments() {
		if lit.class != str || lit.end-lit.start < 3 || lit.end-lit.start > 14 || strings.Contains(s.of(lit), `\`) {
			continue
		}
		mine := s.of(lit)
		quote, long := mine[:1], len(mine)-2
		ask := func(text string, w float64) {
			if text != mine {
				add(s.text[a.start:lit.start]+text+s.text[lit.end:a.end], "", w, false)
			}
		}
		for _, t := range m.hints.texts {
			if len(t) >= long && !strings.ContainsAny(t[:long], "\"'`\\") {
				ask(quote+t[:long]+quote, 0.4)
			}
		}
		for i, t := range s.strings[:min(len(s.strings), 20)] {
			if len(t) == len(mine) && t[:1] == quote {
				ask(t, -0.6-0.03*float64(i))
			}
		}
		if long == 1 && s.row.braces() {
			for i, t := range marks {
				ask(quote+t+quote, -0.8-0.03*float64(i))
			}
		}
	}
}

// others ask for another text or number where one is asked for.
func (m *maker) others(c *node, add func(text, negated string, w float64, first bool)) {
	s := m.s
	for _, a := range c.atoms(s) {
		if a.class == call {
			m.askedAgain(a, add)
		}
		o := a.operands()
		if a.class != binary || len(o) != 2 || o[1].class != str && o[1].class != integer || !slices.Contains([]string{"==", "!=", "==="}, s.operator(a, 0)) {
			continue
		}
		for _, lit := range m.named(s.of(o[1])) {
			add(s.text[a.start:o[1].start]+lit, "", -0.2, false)
		}
		list := s.strings
		if o[1].class == integer {
			list = s.ints
		}
		for i, lit := range list[:min(len(list), 30)] {
			if lit[0] == s.of(o[1])[0] == (o[1].class == str) && lit != s.of(o[1]) {
				w := -0.9 - 0.03*float64(i)
				if len(lit) == len(s.of(o[1])) && o[1].class == str {
					w += 0.4
				}
				add(s.text[a.start:o[1].start]+lit, "", w, false)
			}
		}
	}
}

// named are the letters that the task names beside that of a literal, written as it is.
func (m *maker) named(lit string) []string {
	r := []rune(lit)
	if len(r) != 3 || r[0] != r[2] || !slices.Contains(m.hints.single, string(r[1])) {
		return nil
	}
	var out []string
	for _, letter := range m.hints.single {
		if letter != string(r[1]) && letter != string(r[0]) && letter != "\\" {
			out = append(out, string(r[0])+letter+string(r[0]))
		}
	}
	return out
}

// texts are questions about how a text variable begins, where the file looks at such beginnings or writes them.
func (m *maker) texts(n *node) []string {
	form := map[string]string{"python": "%s.startswith(%s)", "go": "strings.HasPrefix(%s, %s)", "javascript": "%s.startsWith(%s)", "typescript": "%s.startsWith(%s)", "java": "%s.startsWith(%s)"}[m.s.row.name]
	if form == "" || m.s.row.name == "go" && !strings.Contains(m.s.text, `"strings"`) {
		return nil
	}
	var out []string
	for _, v := range m.sc.seen(n.start) {
		text := false
		for r := range m.sc.roles[v] {
			text = text || r == "text" || strings.HasPrefix(r, "to ") && isTextFunction(r[3:]) || r == ".split" || r == ".strip" || r == ".startswith"
		}
		if !text {
			continue
		}
		for _, lit := range m.s.strings {
			if len(lit) == 3 {
				out = append(out, strings.Replace(strings.Replace(form, "%s", v, 1), "%s", lit, 1))
			}
		}
	}
	return out
}

func isTextFunction(name string) bool {
	return strings.HasPrefix(name, "strings.") || strings.HasPrefix(name, "strconv.Parse") || strings.HasPrefix(name, "strconv.Atoi")
}

var word = regexp.MustCompile(`[A-Za-z_$][\w$]*`)
var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"` + "|`[^`]*`")

// fits reports whether each free name of an expression is in scope: names behind a dot are not free.
func (m *maker) fits(expr string, at int) bool { return len(m.free(expr, at)) == 0 }

// free are the names of an expression that are not in scope.
func (m *maker) free(expr string, at int) []string {
	var out []string
	bare := quoted.ReplaceAllString(expr, "''")
	for _, i := range word.FindAllStringIndex(bare, -1) {
		if i[0] > 0 && bare[i[0]-1] == '.' {
			continue
		}
		name := bare[i[0]:i[1]]
		if first, ok := m.sc.at[name]; ok && first < at {
			continue
		}
		if slices.Contains(m.sc.top, name) || slices.Contains(m.sc.funcs, name) || slices.Contains(out, name) ||
			m.s.row.name == "go" && slices.Contains(m.s.goWords(), name) || slices.Contains([]string{"len", "not", "and", "or", "is", "in", "None", "True", "False", "self", "this", "null", "nil", "true", "false", "undefined"}, name) {
			continue
		}
		out = append(out, name)
	}
	return out
}

// split takes an if over A or B apart: what was done for both is done for one, and the other leaves early, before or after.
func (m *maker) split(n, c *node) {
	s, r := m.s, m.s.row
	if n.class != cond || !n.isStatement() || c.class != binary || s.operator(c, 0) != r.or || len(c.operands()) != 2 || m.sc.fn == nil || n.get("alternative") != nil {
		return
	}
	indent := s.indent(n.line)
	var leave []string
	if n.above(each) != nil || n.above(loop) != nil {
		leave = append(leave, "continue"+r.end, "break"+r.end)
	}
	leave = append(leave, r.returns(""))
	for i, v := range m.values(n, s.of(c)) {
		if i < 6 && v.text != "" {
			leave = append(leave, r.returns(v.text))
		}
	}
	o := c.operands()
	for i, kept := range o {
		left := s.of(o[1-i].inner())
		for j, l := range leave {
			w := -0.1 * float64(j)
			g := r.guard(left, l, indent, m.unit)
			own := edit{c.start, c.end, s.of(kept.inner())}
			m.add("split condition", w, edit{n.start, n.start, g + "\n" + indent}, own)
			m.add("split condition", w, own, edit{n.end, n.end, "\n" + indent + g})
		}
	}
}

// operand adds a missing operand to a chain of and or or that is no statement's condition.
func (m *maker) operand(n *node) {
	s, r := m.s, m.s.row
	if n.class != binary || !isLogicOp(s.operator(n, 0)) || n.parent.class == binary && isLogicOp(s.operator(n.parent, 0)) {
		return
	}
	for p := n.parent; p != nil && (p.class == paren || p.class == unary || p.class == cond || p.class == loop); p = p.parent {
		if (p.class == cond || p.class == loop) && p.condition() == n.inner() {
			return // widened and narrowed as a condition
		}
	}
	text, or, and := s.of(n), s.of(n), s.of(n)
	if s.operator(n, 0) == r.and {
		or = "(" + text + ")"
	} else {
		and = "(" + text + ")"
	}
	for _, p := range m.predicates(n, n) {
		w := p.weight - 0.3
		if p.negated != "" {
			m.put("narrow", w, n, and+" "+r.and+" "+p.negated)
		}
		m.put("narrow", w-0.2, n, and+" "+r.and+" "+p.text)
		m.put("widen", w-0.2, n, or+" "+r.or+" "+p.text)
	}
}

// constants are questions whether a name of an expression is one of the file's constants, of texts and numbers, that it does
// not ask for yet.
func (m *maker) constants(c *node) []string {
	var out []string
	seen := map[string]bool{}
	c.walk(func(k *node) bool {
		v := m.s.of(k)
		if k.class == ident && !seen[v] && !isConstant(v) && m.sc.at[v] < k.start && slices.Contains(m.sc.vars, v) && !(k.parent.class == call && k.parent.callee() == k) {
			seen[v] = true
			for _, name := range m.s.consts {
				out = append(out, v+" "+m.s.row.equal+" "+name)
			}
		}
		return true
	})
	return out[:min(len(out), 40)]
}
