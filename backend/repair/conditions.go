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
			if len(o) < 40 && o != "self" && o != "this" {
				add(r.isNull(o), "", 0.6, true)
				if r.name == "python" || r.name != "go" {
					add(r.isEmpty(o), o, -0.2, true)
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
			if roles["indexed"] || roles["to len"] || roles["collection"] {
				add("len("+v+") == 0", "len("+v+") > 0", -0.6, false)
			} else {
				add(v, r.not(v), -1, false)
				add(v+` == ""`, v+` != ""`, -1.3, false)
			}
		}
		if roles["number"] || roles["compared"] {
			add(v+" == 0", v+" != 0", -1, false)
			add(v+" < 0", v+" >= 0", -1, false)
			add(v+" > 0", "", -1.2, false)
			add(v+" == 1", "", -1.5, false)
		}
		if r.name != "go" {
			add(r.isNull(v), "", -1, true)
		}
	}
	if m.sc.fn != nil {
		m.sc.fn.walk(func(k *node) bool {
			if (k.class == cond || k.class == loop) && k.condition() != nil {
				t := s.of(k.condition())
				if len(t) < 60 {
					add(bracketLogic(s, k.condition()), "", -1, false)
				}
			}
			return true
		})
	}
	for _, q := range m.constants(c) {
		add(q, strings.Replace(q, " == ", " != ", 1), -0.3, false)
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
func (m *maker) fits(expr string, at int) bool {
	bare := quoted.ReplaceAllString(expr, "''")
	for _, i := range word.FindAllStringIndex(bare, -1) {
		if i[0] > 0 && bare[i[0]-1] == '.' {
			continue
		}
		name := bare[i[0]:i[1]]
		if first, ok := m.sc.at[name]; ok && first < at {
			continue
		}
		if slices.Contains(m.sc.top, name) || slices.Contains(m.sc.funcs, name) || slices.Contains([]string{"len", "not", "and", "or", "is", "in", "None", "True", "False", "self", "this", "null", "nil", "true", "false", "undefined"}, name) {
			continue
		}
		return false
	}
	return true
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
				out = append(out, v+" == "+name)
			}
		}
		return true
	})
	return out[:min(len(out), 40)]
}
