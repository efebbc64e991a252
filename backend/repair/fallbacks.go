package repair

import (
	"slices"
	"strings"
)

// Values that may be missing, and those that a text or a number needs another form of.

// fallback gives a default where a value may be missing.
func (m *maker) fallback(n *node) {
	s, p := m.s, n.parent
	if n.class != member && n.class != index && n.class != call || p == nil || p.class == call && p.callee() == n || s.bound(n) || p.class == assign && n.field == "left" || n.end-n.start > 60 ||
		p.class == augmented && n.field == "left" || p.class == wait || p.class == stmt {
		return
	}
	w := -1.0
	if m.hints.lack("") > 0 || m.hints.key || p.class == member && m.hints.lack(m.asked(p)) > 0 {
		w = 0
	}
	text, o := s.of(n), n.operands()
	switch s.row.name {
	case "python":
		if n.class == index && len(o) == 2 && o[1].class != slice && o[1].class != integer {
			of := s.of(o[0]) + ".get(" + s.of(o[1])
			for i, d := range []string{", 0)", ")", ", [])", `, "")`, ", " + s.of(o[1]) + ")"} {
				m.put("default", w-0.1*float64(i), n, of+d)
			}
		}
		if n.class == member || n.class == call {
			for i, d := range []string{`""`, "0", "[]"} {
				m.put("default", w-0.2-0.1*float64(i), n, outer(p, text+" or "+d))
			}
		}
	case "java":
		if name := n.callee(); n.class == call && name != nil && s.of(name) == "get" && len(n.arguments()) == 1 && n.get("object") != nil && strings.Contains(m.sc.types[s.of(n.get("object"))], "Map") {
			of := s.of(n.get("object")) + ".getOrDefault(" + s.of(n.arguments()[0]) + ", "
			for i, d := range []string{"0", `""`, "1"} {
				m.put("default", w+0.4-0.1*float64(i), n, of+d+")")
			}
		}
	case "go":
	default:
		for i, d := range []string{"''", "0", "[]", "{}"} {
			m.put("default", w-0.2-0.1*float64(i), n, outer(p, text+" ?? "+d))
		}
	}
}

// whereThere takes a value only of what is there, in Python, and a parameter that nothing uses before what is worked out.
func (m *maker) whereThere(n *node) {
	s, p := m.s, n.parent
	if s.row.name != "python" || p == nil || p.class != assign && p.class != ret && p.class != args || p.class == assign && n.field != "right" || n.end-n.start > 60 {
		return
	}
	text := s.of(n)
	if n.class == call || n.class == ident || n.class == member {
		for _, v := range m.sc.seen(n.start) {
			if m.sc.params[v] && m.sc.unread[v] && v != text {
				m.put("default", 0, n, v+" or "+text)
			}
		}
	}
	of := n
	for of.class == call && of.callee() != nil {
		of = of.callee()
	}
	if of.class != member || of.memberOf() == nil {
		return
	}
	if lack := m.hints.lack(m.asked(of)); lack > 0 {
		o := s.of(of.memberOf())
		m.put("default", 0.6*lack-0.4, n, text+" if "+o+" is not None else None")
		m.put("default", 0.6*lack-0.6, n, o+" and "+text)
	}
}

// chain asks for a member only of what is there, in JavaScript.
func (m *maker) chain(n *node) {
	of := n.memberOf()
	if n.class != member || of == nil || m.s.row.end != ";" || m.s.row.name == "java" || n.get("optional_chain") != nil || m.s.of(of) == "this" || n.parent.class == assign && n.field == "left" ||
		of.class == ident && !slices.Contains(m.sc.vars, m.s.of(of)) {
		return
	}
	w := -1.2
	if lack := m.hints.lack(m.asked(n)); lack > 0 {
		w = 0.4 * lack
	}
	if strings.HasPrefix(m.s.text[of.end:], ".") {
		m.add("default", w, edit{of.end, of.end + 1, "?."})
	}
}

// outer puts an expression in parentheses where an operator or a member follows.
func outer(p *node, text string) string {
	if p.class == binary || p.class == member || p.class == unary || p.class == index {
		return "(" + text + ")"
	}
	return text
}

// methods puts a method without arguments behind an expression, one that the file calls or that texts often need.
func (m *maker) methods(n *node) {
	s, p := m.s, n.parent
	if s.row.name == "go" || n.class != ident && n.class != member && n.class != call || p == nil || s.bound(n) || p.class == call && p.callee() == n || p.class == member && n.class == ident && p.memberOf() != n ||
		p.class == params || p.class == keyword && n.field == "name" || n.field == "left" && p.class == assign || n.field == "property" || n.field == "name" || p.class == wait {
		return
	}
	python := s.row.name == "python"
	of := p.class == member && p.memberOf() == n
	if p.class != args && p.class != assign && p.class != ret && p.class != binary && p.class != each && p.class != tuple && p.class != list && p.class != index &&
		!(python && (of || p.class == cond || p.kind == "if_clause" || p.class == unary)) {
		return
	}
	if v := s.of(n); n.class == ident && (v == "self" || v == "this" || isConstant(v) || m.sc.isNumber(v) && (!python || m.sc.roles[v]["number"] && !m.sc.isText(v))) {
		return
	}
	for i, name := range s.plainMethods() {
		w := -0.8 - 0.1*float64(i)
		if python && p.class == binary && m.sideHas(n, name) {
			w = 0.4 // the other side is given it
		}
		if of && i > 4 {
			continue
		}
		if python && n.class == call && (strings.HasSuffix(s.of(n), ".strip()") && name == "lower" || strings.HasSuffix(s.of(n), ".lower()") && name == "strip") {
			w = 0 // both are for texts that people write
		}
		m.put("missing call", w, n, s.of(n)+"."+name+"()")
	}
}

// sideHas reports whether the other side of a comparison calls a method without arguments.
func (m *maker) sideHas(n *node, name string) bool {
	for _, o := range n.parent.operands() {
		if o != n && strings.HasSuffix(m.s.of(o), "."+name+"()") {
			return true
		}
	}
	return false
}

// plainMethods are the names of methods that the file calls without arguments, the most frequent first, then usual ones.
func (s *source) plainMethods() []string {
	if s.plain != nil {
		return s.plain
	}
	count := map[string]int{}
	s.root.walk(func(n *node) bool {
		if n.class == call && len(n.arguments()) == 0 && n.end > n.start+2 && s.text[n.end-2:n.end] == "()" && !(n.parent != nil && n.parent.class == stmt) {
			f := n.callee()
			if f != nil && f.class == member {
				f = f.memberName()
			} else if n.get("object") == nil {
				return true
			}
			if f != nil {
				count[s.of(f)]++
			}
		}
		return true
	})
	s.plain = []string{}
	for name := range count {
		s.plain = append(s.plain, name)
	}
	slices.SortFunc(s.plain, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	s.plain = s.plain[:min(len(s.plain), 5)]
	usual := []string{"strip", "lower", "items", "copy", "upper", "values", "keys", "encode", "decode", "rstrip", "split"}
	if s.row.name != "python" {
		usual = []string{"trim", "toLowerCase"}
	}
	for _, u := range usual {
		if !slices.Contains(s.plain, u) {
			s.plain = append(s.plain, u)
		}
	}
	return s.plain
}

// firsts begins a search for the best with an element of what is searched, and with infinity in Go.
func (m *maker) firsts(n *node) {
	s, p := m.s, n.parent
	if n.class != integer && n.class != float && n.class != null || p == nil {
		return
	}
	if p.class == tuple {
		p = p.parent
	}
	if p == nil || p.class != assign || m.sc.fn == nil || n.above(loop) != nil || n.above(each) != nil {
		return
	}
	for _, v := range m.sc.seen(n.start) {
		if !m.sc.isCollection(v) || m.sc.params[v] && strings.Contains(m.sc.types[v], "Map") {
			continue
		}
		form := v + "[0]"
		if s.row.name == "java" && !strings.HasSuffix(m.sc.types[v], "[]") {
			form = v + ".get(0)"
		}
		m.put("initial value", -0.2, n, form)
	}
	if s.row.name == "go" && strings.Contains(s.text, `"math"`) {
		for _, f := range []string{"math.Inf(1)", "math.Inf(-1)", "math.MaxInt", "math.MinInt"} {
			m.put("initial value", -0.4, n, f)
		}
	}
}

// imports brings in a module or a name that the file uses and nothing in it defines, in Python and JavaScript.
func (m *maker) imports(files []*source) {
	s := m.s
	if s.row.name != "python" {
		return
	}
	defined := s.definitions()
	at := s.firstImport()
	seen := map[string]bool{}
	s.root.walk(func(n *node) bool {
		v := s.of(n)
		if n.class != ident || defined[v] || seen[v] || n.parent.class == member && n.parent.memberName() == n || n.parent.class == keyword && n.field == "name" {
			return true
		}
		seen[v] = true
		if n.parent.class == member && slices.Contains(pythonModules, v) {
			m.add("missing import", 1.5, edit{at, at, "import " + v + "\n"})
		}
		for _, f := range files {
			if f != s && f.row == s.row || f != s && f.row.name == "python" {
				if line := f.importOf(v); line != "" {
					m.add("missing import", 1, edit{at, at, line + "\n"})
				}
			}
		}
		return true
	})
}

var pythonModules = strings.Fields("abc asyncio base64 bisect collections contextlib copy csv datetime decimal enum fractions functools glob hashlib heapq html io itertools json logging math operator os pathlib random re shutil string struct subprocess sys tempfile textwrap threading time types typing unicodedata urllib uuid")

// firstImport is the byte where an import can stand: behind the last one, a doc string, or at the begin.
func (s *source) firstImport() int {
	at := 0
	for _, k := range s.root.kids {
		if strings.Contains(k.kind, "import") && k.last < len(s.lines) || at == 0 && isDocstring(k) && k.last < len(s.lines) {
			at = s.lines[k.last]
		}
	}
	return at
}

// importOf is the line of a file that brings a name in, "" none.
func (s *source) importOf(name string) string {
	for _, k := range s.root.kids {
		if strings.Contains(k.kind, "import") && k.line == k.last && !strings.Contains(k.kind, "future") {
			for _, w := range word.FindAllString(s.of(k), -1) {
				if w == name {
					return s.of(k)
				}
			}
		}
	}
	return ""
}
