package repair

import (
	"regexp"
	"slices"
	"strings"
)

// statement makes the edits of one statement as a whole.
func (m *maker) statement(n *node) {
	s := m.s
	switch n.class {
	case cond, loop:
		if c := n.condition(); c != nil {
			m.condition(n, c)
		}
	case ret:
		m.result(n)
	case jump:
		other := map[string]string{"break": "continue", "continue": "break"}
		for a, b := range other {
			if t := s.of(n); strings.HasPrefix(t, a) {
				m.put("jump", 0, n, strings.Replace(t, a, b, 1))
			}
		}
	case yield:
	}
	if !n.isStatement() || n.class == function || strings.Contains(n.kind, "import") || strings.Contains(n.kind, "class") || strings.Contains(n.kind, "package") {
		return
	}
	m.assignment(n)
	m.guards(n)
	m.move(n)
	m.insert(n)
	if n.class != function && n.parent.class == block {
		m.remove(n)
	}
}

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

// result changes what a return gives.
func (m *maker) result(n *node) {
	s, r := m.s, m.s.row
	o := n.operands()
	if len(o) == 0 {
		for _, v := range m.sc.seen(n.start) {
			m.put("return", -0.5, n, r.returns(v))
		}
		return
	}
	e := o[0]
	if r.name == "go" && e.class == tuple && len(e.operands()) == 1 {
		e = e.operands()[0]
	}
	if e.class == tuple && r.name == "go" {
		for _, x := range e.operands() {
			for _, v := range m.sc.seen(n.start) {
				m.put("return", -1, x, v)
			}
			m.put("return", -1, x, "nil")
		}
		return
	}
	for _, v := range m.sc.seen(n.start) {
		if v == "self" {
			continue
		}
		if e.class != ident {
			m.put("return", -0.8, e, v)
		}
		if e.class == boolean {
			m.put("return", 0.2, e, v+" == 0")
			m.put("return", 0.2, e, r.not(v))
			m.put("return", -0.2, e, strings.Replace(r.lengthOf, "%s", v, 1)+" == 0")
			for _, w := range m.sc.seen(n.start) {
				if w != v && m.sc.alike(v, w) > 0.3 {
					m.put("return", -0.5, e, v+" == "+w)
				}
			}
		}
		if e.class == list || e.class == call || e.class == ident {
			m.put("return", -1, e, v+" + "+s.of(e))
			m.put("return", -1.2, e, s.of(e)+" + "+v)
			m.put("return", -1.3, e, "["+v+"] + "+s.of(e))
			m.put("return", -1.3, e, s.of(e)+" + ["+v+"]")
		}
	}
	for _, d := range r.defaults {
		if !r.typed || e.class == boolean && (d == r.yes || d == r.no) || e.class == integer {
			m.put("return", -1.3, e, d)
		}
	}
	if !r.typed {
		m.put("negate", -1, e, r.not(s.of(e)))
	}
}

// assignment changes how a value is taken over.
func (m *maker) assignment(n *node) {
	s := m.s
	a := n
	if a.class == stmt && len(a.operands()) > 0 {
		a = a.operands()[0]
	}
	left, right := a.get("left"), a.get("right")
	if a.class == assign && left == nil {
		left, right = a.get("name"), a.get("value")
	}
	if left == nil || right == nil || a.class != assign && a.class != augmented {
		return
	}
	gap := strings.TrimSpace(s.text[left.end:right.start])
	between := edit{left.end, right.start, ""}
	for j, alt := range operators(s.row.name)[gap] {
		kind, w := "assignment", -0.3*float64(j)
		if a.class == augmented {
			kind = "operator"
		} else if s.firstBinding(m.sc, left) {
			w -= 2.5
		}
		between.text = " " + alt + " "
		m.add(kind, w, between)
	}
	l, r := s.of(left), s.of(right)
	if a.class == assign && left.class != tuple && len(r) < 60 {
		form := map[string][]string{
			"python": {"max(%l, %r)", "min(%l, %r)", "max(0, %r)", "min(0, %r)", "%l + %r", "%r[:]", "list(%r)"},
			"go":     {"max(%l, %r)", "min(%l, %r)", "max(0, %r)", "%l + %r"},
			"java":   {"Math.max(%l, %r)", "Math.min(%l, %r)", "Math.max(0, %r)", "%l + %r"},
		}[s.row.name]
		if form == nil {
			form = []string{"Math.max(%l, %r)", "Math.min(%l, %r)", "Math.max(0, %r)", "%l + %r", "[...%r]", "{ ...%r }"}
		}
		for i, f := range form {
			if strings.Contains(f, "%l") && s.firstBinding(m.sc, left) {
				continue
			}
			m.put("missing call", -0.6-0.1*float64(i), right, strings.Replace(strings.Replace(f, "%l", l, 1), "%r", r, 1))
		}
	}
	if left.class == ident && gap == "=" || left.class == index || left.class == member {
		for _, v := range m.sc.seen(n.start) {
			if v != l {
				m.put("variable", -1+m.sc.alike(v, l), left, v)
			}
		}
	}
}

// firstBinding reports whether an assignment gives a name its first value.
func (s *source) firstBinding(sc *scope, left *node) bool {
	return left.class == ident && sc.at[s.of(left)] == left.start
}

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
			if o := s.of(k.memberOf()); len(o) < 50 && o != "self" && o != "this" && !isModule(s, o) && (r.name != "go" || k.class == member && m.hints.null) {
				w := 0.0
				if m.hints.null {
					w = 1
				}
				ask(r.isNull(o), w)
			}
		}
		return true
	})
	if first {
		for _, v := range m.sc.seen(n.start) {
			if v == "self" || v == "this" || !m.sc.params[v] {
				continue
			}
			if !r.typed || m.sc.roles[v]["indexed"] || m.sc.roles[v]["collection"] || m.sc.roles[v]["to len"] {
				ask(r.isEmpty(v), 0)
			}
			if m.sc.roles[v]["number"] || m.sc.roles[v]["compared"] {
				ask(v+" == 0", -0.2)
				ask(v+" < 0", -0.5)
				ask(v+" <= 1", -0.8)
			}
			if r.name == "python" {
				ask(r.isNull(v), -0.6)
			}
		}
	}
	for _, c := range order {
		for _, d := range m.values(n, c) {
			m.add("guard", conds[c]+d.weight, edit{n.start, n.start, r.guard(c, r.returns(d.text), indent, m.unit) + "\n" + indent})
		}
		if n.above(loop) != nil || n.above(each) != nil {
			m.add("guard", conds[c]-0.6, edit{n.start, n.start, r.guard(c, "continue"+r.end, indent, m.unit) + "\n" + indent})
		}
	}
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
	missing := word.FindString(c)
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
		if isConstant(v) {
			add(v, 0.1)
		}
	}
	for i, d := range r.defaults {
		add(d, 0.1-0.1*float64(i))
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

// move swaps a statement with the next one, and takes the last of a block out of it or the one behind a block into it.
func (m *maker) move(n *node) {
	s := m.s
	if n.parent.class != block {
		return
	}
	sib := n.parent.operands()
	i := slices.Index(sib, n)
	if i+1 < len(sib) && sib[i+1].class != jump && sib[i+1].class != ret {
		next := sib[i+1]
		if n.last < next.line {
			m.add("move", -0.8, edit{n.start, n.end, s.of(next)}, edit{next.start, next.end, s.of(n)})
		}
	}
	if s.row.name != "python" {
		m.moveBraces(n, sib, i)
		return
	}
	// out of the block, by its indent
	if i == len(sib)-1 && len(sib) > 1 && n.parent.parent != nil && n.parent.parent.class != function {
		outer := s.indent(n.parent.parent.line)
		m.add("move", -0.2, s.reindent(n, outer))
	}
	if i > 0 {
		if prev := sib[i-1]; prev.class == cond || prev.class == each || prev.class == loop {
			if b := lastBlock(prev); b != nil {
				m.add("move", -0.2, s.reindent(n, s.indent(b.operands()[0].line)))
			}
		}
	}
}

// moveBraces does the same where blocks have braces: the text goes to the other side of the brace.
func (m *maker) moveBraces(n *node, sib []*node, i int) {
	s := m.s
	if n.parent.parent == nil || n.line == n.parent.line {
		return
	}
	cut := s.whole(n)
	if outer := n.parent.parent; i == len(sib)-1 && len(sib) > 1 && outer.class != function && outer.isStatement() {
		text := "\n" + s.indent(outer.line) + s.of(n)
		m.add("move", -0.2, cut, edit{outer.end, outer.end, text})
	}
	if i > 0 {
		if prev := sib[i-1]; prev.class == cond || prev.class == each || prev.class == loop {
			if b := lastBlock(prev); b != nil && len(b.operands()) > 0 {
				in := b.operands()[len(b.operands())-1]
				m.add("move", -0.2, edit{in.end, in.end, "\n" + s.indent(in.line) + s.of(n)}, cut)
			}
		}
	}
}

func lastBlock(n *node) *node {
	for i := len(n.kids) - 1; i >= 0; i-- {
		k := n.kids[i]
		if k.class == block && len(k.operands()) > 0 {
			return k
		}
		if k.kind == "else_clause" || k.class == cond {
			return lastBlock(k)
		}
	}
	return nil
}

// whole is the edit that takes the lines of a statement out.
func (s *source) whole(n *node) edit {
	from, to := s.lines[n.line-1], len(s.text)
	if n.last < len(s.lines) {
		to = s.lines[n.last]
	}
	return edit{from, to, ""}
}

// reindent moves the lines of a statement to another indent.
func (s *source) reindent(n *node, to string) edit {
	e := s.whole(n)
	was := s.indent(n.line)
	lines := strings.Split(strings.TrimSuffix(s.text[e.start:e.end], "\n"), "\n")
	for i, l := range lines {
		lines[i] = to + strings.TrimPrefix(l, was)
	}
	e.text = strings.Join(lines, "\n") + "\n"
	return e
}

// insert puts copies of other statements, with other variables, and statements of a few forms before or behind one.
func (m *maker) insert(n *node) {
	s, r := m.s, m.s.row
	if m.sc.fn == nil || n.parent.class != block {
		return
	}
	indent := s.indent(n.line)
	before := func(kind string, w float64, text string) {
		m.add(kind, w, edit{n.start, n.start, text + "\n" + indent})
	}
	behind := func(kind string, w float64, text string) {
		m.add(kind, w, edit{n.end, n.end, "\n" + indent + text})
	}
	sib := n.parent.operands()
	isLast := sib[len(sib)-1] == n
	vars := m.sc.seen(n.start)
	if n.class != ret && n.class != jump && n.class != raise {
		if isLast && n.parent.parent == m.sc.fn || isLast && n.parent.parent != nil && n.parent.parent.class != function && n.above(loop) == nil && n.above(each) == nil {
			for _, v := range m.sc.seen(n.end) {
				behind("missing return", -0.3, r.returns(v))
			}
		}
		if isLast && (n.above(loop) != nil || n.above(each) != nil) && n.parent.parent.class == cond {
			behind("jump", -0.4, "break"+r.end)
			behind("jump", -0.4, "continue"+r.end)
		}
	}
	// collections that are asked but never filled
	for v, roles := range m.sc.roles {
		if !roles["collection"] && !roles["indexed"] && !roles[".pop"] && !roles[".append"] && !roles["assigned"] {
			continue
		}
		if _, mine := m.sc.at[v]; !mine {
			continue
		}
		for i, g := range r.grow {
			for _, e := range vars {
				if e == v || e == "self" {
					continue
				}
				text := strings.NewReplacer("%[1]s", v, "%[2]s", e).Replace(g)
				text = strings.Replace(strings.Replace(text, "%s", v, 1), "%s", e, 1)
				w := -0.9 - 0.2*float64(i)
				if roles["element"] || m.sc.roles[e]["element"] {
					w += 0.3
				}
				if !strings.Contains(s.of(m.sc.fn), v+".append(") && !strings.Contains(s.of(m.sc.fn), v+".add(") {
					w += 0.4
				}
				if !roles["collection"] {
					w -= 0.4
				}
				before("missing statement", w, text)
				if isLast && n.class != ret && n.class != jump {
					behind("missing statement", w, text)
				}
			}
		}
	}
	// copies of simple statements of the function, and with one name changed
	given := 0
	m.sc.fn.walk(func(k *node) bool {
		if k == n || !k.isStatement() || k.line != k.last || given > 60 {
			return true
		}
		text := s.of(k)
		if k.class == jump || len(text) > 80 || k.class == ret || s.row.name == "python" && k.class == stmt && k.operands()[0].class == str {
			return true
		}
		if !m.fits(text, n.end) {
			return true
		}
		given++
		before("missing statement", -1.2, text)
		if isLast {
			behind("missing statement", -1.3, text)
		}
		k.walk(func(i *node) bool {
			if i.class == ident && given < 60 && !(i.parent.class == call && i.parent.callee() == i) && !(i.parent.class == member && i.parent.memberName() == i) {
				for _, v := range vars {
					if v != s.of(i) && m.sc.alike(v, s.of(i)) > 0.2 {
						given++
						before("missing statement", -1.7, text[:i.start-k.start]+v+text[i.end-k.start:])
						if isLast {
							behind("missing statement", -1.8, text[:i.start-k.start]+v+text[i.end-k.start:])
						}
					}
				}
			}
			return true
		})
		return true
	})
	// one variable takes another's value
	if len(vars) <= 8 {
		for _, v := range vars {
			for _, w := range vars {
				if v != w && !m.sc.params[v] && v != "self" && w != "self" {
					before("missing statement", -1.9+m.sc.alike(v, w), r.assignTo(v, w))
					if isLast {
						behind("missing statement", -1.9+m.sc.alike(v, w), r.assignTo(v, w))
					}
				}
			}
		}
	}
}

// remove takes a statement out, or the block around it.
func (m *maker) remove(n *node) {
	s := m.s
	sib := n.parent.operands()
	switch {
	case len(sib) == 1 && s.row.name == "python":
		m.put("delete", -0.8, n, "pass")
	default:
		m.add("delete", -0.5, s.whole(n))
	}
	if (n.class == cond) && lastBlock(n) != nil && s.row.name == "python" && n.get("alternative") == nil {
		b := lastBlock(n)
		indent, inner := s.indent(n.line), s.indent(b.operands()[0].line)
		var lines []string
		for l := b.operands()[0].line; l <= n.last; l++ {
			lines = append(lines, indent+strings.TrimPrefix(s.lineText(l), inner))
		}
		e := s.whole(n)
		m.add("drop condition", -0.7, edit{e.start, e.end, strings.Join(lines, "\n") + "\n"})
	}
}
