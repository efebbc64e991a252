package repair

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Mistakes that people make in Go, and fix in one place: forms that its standard library and its statements have beside each other.

// goExpression makes the edits of an expression that only Go has.
func (m *maker) goExpression(n *node) {
	if m.s.row.name != "go" {
		return
	}
	switch n.class {
	case binary:
		m.compares(n)
	case call:
		m.appends(n)
		m.runes(n)
		m.days(n)
	case list:
		m.elements(n)
	}
	m.letters(n)
	m.furtherCase(n)
}

// goStatement makes the edits of a statement that only Go has.
func (m *maker) goStatement(n *node) {
	if m.s.row.name != "go" || m.sc.fn == nil {
		return
	}
	m.ranges(n)
	m.beginsMap(n)
	m.unchecked(n)
	m.lookedUp(n)
	m.inOrder(n)
	m.returnsEnd(n)
}

// using is the edit that imports a package where the file does not yet; none where it does.
func (m *maker) using(pkg string) []edit {
	s := m.s
	if strings.Contains(s.text, strconv.Quote(pkg)) {
		return nil
	}
	for _, k := range s.root.kids {
		switch {
		case k.kind != "import_declaration":
		case strings.Contains(s.of(k), "("):
			at := k.start + strings.IndexByte(s.of(k), '(') + 1
			return []edit{{at, at, "\n\t" + strconv.Quote(pkg)}}
		default:
			return []edit{{k.start, k.start, "import " + strconv.Quote(pkg) + "\n"}}
		}
	}
	for _, k := range s.root.kids {
		if k.kind == "package_clause" {
			return []edit{{k.end, k.end, "\n\nimport " + strconv.Quote(pkg)}}
		}
	}
	return nil
}

// putWith is put where the text needs a package.
func (m *maker) putWith(kind string, weight float64, n *node, text, pkg string) {
	if m.s.of(n) == text {
		return
	}
	use := m.using(pkg)
	m.add(kind, weight-0.4*float64(len(use)), append(use, edit{n.start, n.end, text})...)
	m.out[len(m.out)-1].line = n.line
}

// compares compares texts, errors and times in the other ways that there are.
func (m *maker) compares(n *node) {
	s, o := m.s, n.operands()
	if len(o) != 2 {
		return
	}
	op := s.operator(n, 0)
	if op != "==" && op != "!=" || o[1].class == null || o[1].class == integer || o[1].class == boolean || s.kindOf(o[1]) == 'r' {
		return
	}
	not := ""
	if op == "!=" {
		not = "!"
	}
	a, b := s.of(o[0]), s.of(o[1])
	if strings.HasPrefix(a, "err") {
		m.putWith("comparison", 0.5, n, not+"errors.Is("+a+", "+b+")", "errors")
		return
	}
	if t := m.sc.types[a]; t == "" || t == "string" {
		for i, f := range []string{"strings.EqualFold(", "strings.HasPrefix(", "strings.HasSuffix(", "strings.Contains("} {
			if o[1].class == str || strings.Contains(s.text, `"strings"`) {
				m.putWith("comparison", -0.6-0.1*float64(i), n, not+f+a+", "+b+")", "strings")
			}
		}
	}
	m.put("comparison", -1, n, not+a+".Equal("+b+")")
}

// kindOf tells literals apart: 'r' a rune, 's' a text, 'i' a number, 0 none.
func (s *source) kindOf(n *node) byte {
	switch {
	case n.kind == "rune_literal":
		return 'r'
	case n.class == str:
		return 's'
	case n.class == integer || n.class == float:
		return 'i'
	}
	return 0
}

// appends gives append all elements or one, and keeps it from writing into memory that others see.
func (m *maker) appends(n *node) {
	s, a := m.s, n.arguments()
	f := n.callee()
	if f == nil || s.of(f) != "append" || len(a) < 2 {
		return
	}
	text := s.of(n)
	if last := a[len(a)-1]; strings.HasSuffix(text, "...)") {
		m.add("argument", -0.3, edit{last.end, n.end, ")"})
	} else if len(a) == 2 {
		m.add("argument", -0.3, edit{last.end, last.end, "..."})
	}
	if v := s.of(a[0]); a[0].class != slice && n.parent != nil && !s.takesBack(n, v) {
		m.put("copy", 0.2, a[0], v+"[:len("+v+"):len("+v+")]")
		m.put("initial value", -0.8, a[0], v+"[:0]")
	}
}

// takesBack reports whether what a call appends to is what its result is assigned to.
func (s *source) takesBack(n *node, to string) bool {
	p := n.parent
	if p.class == tuple {
		p = p.parent
	}
	return p != nil && p.class == assign && p.get("left") != nil && s.of(p.get("left")) == to
}

// runes counts letters in place of bytes.
func (m *maker) runes(n *node) {
	s, a := m.s, n.arguments()
	f := n.callee()
	if f == nil || len(a) != 1 {
		return
	}
	v := s.of(a[0])
	switch s.of(f) {
	case "len":
		if t := m.sc.types[v]; t == "string" || t == "" && !m.sc.isCollection(v) || m.sc.roles[v]["to len"] && t == "" {
			if strings.Contains(s.text, `"unicode/utf8"`) {
				m.put("function", 0.3, n, "utf8.RuneCountInString("+v+")")
			}
			m.put("function", -0.2, n, "len([]rune("+v+"))")
		}
	case "utf8.RuneCountInString":
		m.put("function", 0, n, "len("+v+")")
	}
}

// days moves a time that is compared by a day.
func (m *maker) days(n *node) {
	s, f := m.s, n.callee()
	if f == nil || f.class != member || f.memberOf() == nil || len(n.arguments()) != 1 {
		return
	}
	name := s.of(f.memberName())
	a, b := s.of(f.memberOf()), s.of(n.arguments()[0])
	not := n.parent.class == unary && strings.HasPrefix(s.of(n.parent), "!")
	switch name {
	case "Before", "After":
		other := map[string]string{"Before": "After", "After": "Before"}[name]
		if not {
			m.put("boundary", 0.4, n.parent, a+"."+other+"("+b+")")
		} else {
			m.put("boundary", 0.4, n, "!"+a+"."+other+"("+b+")")
		}
		fallthrough
	case "Equal", "Sub":
		for i, by := range []string{".AddDate(0, 0, 1)", ".AddDate(0, 0, -1)"} {
			m.put("off by one", -0.9-0.1*float64(i), n.arguments()[0], b+by)
			m.put("off by one", -1.1-0.1*float64(i), f.memberOf(), a+by)
		}
	case "HasPrefix", "HasSuffix", "Contains":
		m.put("comparison", -0.8, n, b+" == "+a)
	}
}

// elements sets a field that a literal of one of the file's structs leaves out.
func (m *maker) elements(n *node) {
	s, t := m.s, n.get("type")
	body := n.get("body")
	if t == nil || body == nil || n.kind != "composite_literal" || len(body.operands()) > 0 && body.operands()[0].kind != "keyed_element" {
		return
	}
	var before *node // what the literal gives before the field
	for _, f := range s.structFields(s.of(t)) {
		given := false
		for _, k := range body.operands() {
			if strings.HasPrefix(s.of(k), f[0]+":") {
				before, given = k, true
			}
		}
		if given {
			continue
		}
		set := func(w float64, value string) {
			text, at := f[0]+": "+value, body.start+1
			if before != nil {
				at, text = before.end, ", "+text
			} else if len(body.operands()) > 0 {
				text += ", "
			}
			m.add("missing element", w, edit{at, at, text})
		}
		for _, v := range m.sc.seen(n.start) {
			if w := similar(v, f[0]); w > 0.5 || m.sc.types[v] == f[1] && f[1] != "int" && f[1] != "string" {
				set(w-0.3, v)
			}
		}
		for _, v := range m.sc.seen(n.start) {
			own := s.structFields(strings.TrimPrefix(m.sc.types[v], "*"))
			if strings.Contains(s.text, v+"."+f[0]) || slices.Contains(own, f) {
				set(0, v+"."+f[0])
			}
		}
		switch {
		case strings.HasPrefix(f[1], "map["), strings.HasPrefix(f[1], "chan "):
			set(0.5, "make("+f[1]+")")
		case f[1] == "bool":
			set(-0.8, "true")
		}
	}
}

// flags are the fields of a variable in Go that are true or false.
func (m *maker) flags(v string) []string {
	if m.s.row.name != "go" {
		return nil
	}
	var out []string
	for _, f := range m.s.structFields(strings.TrimPrefix(m.sc.types[v], "*")) {
		if f[1] == "bool" {
			out = append(out, v+"."+f[0])
		}
	}
	return out
}

// structFields are the fields of a struct of the file with their types.
func (s *source) structFields(name string) [][2]string {
	if name == "" {
		return nil
	}
	if out, known := s.structs[name]; known {
		return out
	}
	var out [][2]string
	defer func() {
		if s.structs == nil {
			s.structs = map[string][][2]string{}
		}
		s.structs[name] = out
	}()
	for _, o := range s.mates {
		if o != s && path.Dir(o.path) == path.Dir(s.path) && len(out) == 0 {
			out = o.ownStruct(name)
		}
	}
	if own := s.ownStruct(name); len(own) > 0 {
		out = own
	}
	return out
}

// ownStruct are the fields of a struct that the file itself has.
func (s *source) ownStruct(name string) [][2]string {
	var out [][2]string
	s.root.walk(func(k *node) bool {
		if k.kind != "type_spec" || k.get("name") == nil || s.of(k.get("name")) != name {
			return k.class != block
		}
		k.walk(func(f *node) bool {
			if f.kind == "field_declaration" && f.get("type") != nil {
				for _, v := range f.kids {
					if v.field == "name" {
						out = append(out, [2]string{s.of(v), s.of(f.get("type"))})
					}
				}
				return false
			}
			return true
		})
		return false
	})
	return out
}

// furtherCase has a case of a switch take a further value, one that the file knows.
func (m *maker) furtherCase(n *node) {
	s, p := m.s, n.parent
	list := p
	if list != nil && list.class != tuple {
		return
	}
	if list == nil || list.parent == nil || list.parent.kind != "expression_case" || list.field != "value" || list.operands()[len(list.operands())-1] != n {
		return
	}
	known := s.strings
	switch {
	case n.class == ident || n.class == member:
		known = append(slices.Clone(s.consts), m.sc.top...)
	case n.class == integer:
		known = s.ints
	case n.class != str:
		return
	}
	has := s.of(list.parent.parent)
	given := 0
	for _, alt := range known {
		if given >= 20 || alt == s.of(n) || n.class == str && alt[0] != s.of(n)[0] {
			continue
		}
		given++
		w := -0.3 - 0.03*float64(given)
		if strings.Contains(has, "case "+alt) || strings.Contains(has, ", "+alt) {
			w -= 1.5 // another case takes it
		}
		m.add("missing case", w, edit{n.end, n.end, ", " + alt})
	}
	if s.kindOf(n) == 0 {
		return
	}
	others := []string{flipCase(s.of(n))}
	if s.kindOf(n) == 'r' {
		others = append(others, `'\n'`, `'\t'`, `'\r'`, `' '`, `'-'`, `'_'`, `'\''`)
	}
	for i, alt := range others {
		if !strings.Contains(has, alt) {
			m.add("missing case", -0.6-0.05*float64(i), edit{n.end, n.end, ", " + alt})
		}
	}
}

// flipCase is a literal in the other case of its letters.
func flipCase(lit string) string {
	if up := strings.ToUpper(lit); up != lit && !strings.Contains(lit, `\`) {
		return up
	}
	return strings.ToLower(lit)
}

// ranges takes the elements of a collection in place of their numbers, or the other way round, and changes the element
// itself in place of a copy.
func (m *maker) ranges(n *node) {
	s := m.s
	if n.kind != "for_statement" {
		return
	}
	var r *node
	for _, k := range n.kids {
		if k.kind == "range_clause" {
			r = k
		}
	}
	if r == nil || r.get("left") == nil || r.get("right") == nil {
		return
	}
	l, of := r.get("left"), s.of(r.get("right"))
	v := l.operands()
	switch {
	case len(v) == 1:
		m.put("variable", 0.2, l, "_, "+s.of(v[0]))
	case len(v) == 2 && s.of(v[0]) == "_":
		m.put("variable", 0, l, s.of(v[1]))
	}
	if len(v) != 2 || n.get("body") == nil {
		return
	}
	at, each := s.of(v[0]), s.of(v[1])
	for _, k := range n.get("body").statements() {
		t := k
		if t.class == cond && lastBlock(t) != nil && len(lastBlock(t).statements()) == 1 {
			t = lastBlock(t).statements()[0]
		}
		if (t.class != assign && t.class != update) || !strings.HasPrefix(s.of(t), each+".") {
			continue
		}
		if at == "_" {
			name := "i"
			if m.sc.at[name] > 0 || m.sc.params[name] {
				name = "at"
			}
			own := edit{t.start, t.start + len(each), of + "[" + name + "]"}
			m.add("copy", 0.6, edit{v[0].start, v[0].end, name}, own)
			m.add("copy", 0.6, edit{l.start, l.end, name}, own)
		} else {
			m.add("copy", 0.6, edit{t.start, t.start + len(each), of + "[" + at + "]"})
		}
	}
	if at != "_" {
		n.get("body").walk(func(k *node) bool {
			if k.class == unary && s.of(k) == "&"+each {
				m.put("copy", 0.4, k, "&"+of+"["+at+"]")
			}
			return true
		})
	}
}

var goKeyed = regexp.MustCompile(`^([\w.]+)\[`)

// beginsMap makes a map before the first write to it, and gives what is nothing a default.
func (m *maker) beginsMap(n *node) {
	s := m.s
	if n.parent.class != block || n.class == ret || n.class == jump {
		return
	}
	indent := s.indent(n.line)
	before := func(kind string, w float64, c, statement string) {
		m.add(kind, w, edit{n.start, n.start, s.row.guard(c, statement, indent, m.unit) + "\n" + indent})
	}
	if o := n.operands(); (n.class == assign || n.class == update) && len(o) > 0 {
		if f := goKeyed.FindStringSubmatch(s.of(o[0])); f != nil {
			name := f[1][strings.LastIndexByte(f[1], '.')+1:]
			if t := m.typeOf(name); strings.HasPrefix(t, "map[") {
				w := 0.2
				if m.hints.null {
					w = 1
				}
				before("initial value", w, f[1]+" == nil", f[1]+" = "+t+"{}")
			}
		}
	}
	if t := n.kind; t == "var_declaration" && len(n.operands()) == 1 && n.operands()[0].get("type") != nil && n.operands()[0].get("value") == nil {
		if spec := n.operands()[0]; strings.HasPrefix(s.of(spec.get("type")), "map[") {
			m.put("initial value", 0.8, n, s.of(spec.get("name"))+" := "+s.of(spec.get("type"))+"{}")
		}
	}
	body := m.sc.fn.get("body")
	if body == nil || n.parent != body || n != body.statements()[0] && !s.mentionsAny(n, m.sc.params) && n.class != stmt && n.class != assign {
		return
	}
	for _, p := range m.sc.seen(n.start) {
		if !m.sc.params[p] {
			continue
		}
		for _, zero := range goZeros(m.sc.types[p])[:min(1, len(goZeros(m.sc.types[p])))] {
			if m.sc.types[p] == "error" || zero == "nil" || zero == "false" || strings.HasSuffix(zero, "{}") {
				continue
			}
			for i, d := range m.defaultsOf(zero) {
				before("default", -0.2-0.08*float64(i), p+" == "+zero, p+" = "+d)
			}
		}
	}
}

// mentionsAny reports whether one of some names stands in a node.
func (s *source) mentionsAny(n *node, names map[string]bool) bool {
	for v := range names {
		if s.mentions(n, v) {
			return true
		}
	}
	return false
}

// defaultsOf are values of the file that may stand for nothing.
func (m *maker) defaultsOf(zero string) []string {
	out := slices.Clone(m.s.named)
	lits := m.s.ints
	if zero == `""` {
		lits = m.s.strings
	}
	for _, l := range lits {
		if l != zero && len(out) < 12 {
			out = append(out, l)
		}
	}
	return out[:min(len(out), 12)]
}

// typeOf is the type of a variable or of a field of that name, "" not known.
func (m *maker) typeOf(name string) string {
	if t := m.sc.types[name]; t != "" {
		return t
	}
	found := ""
	m.s.root.walk(func(k *node) bool {
		if (k.kind == "field_declaration" || k.kind == "var_spec") && k.get("type") != nil {
			for _, v := range k.kids {
				if v.field == "name" && m.s.of(v) == name {
					found = m.s.of(k.get("type"))
				}
			}
		}
		return found == ""
	})
	return found
}

// unchecked looks at an error that was not looked at.
func (m *maker) unchecked(n *node) {
	s := m.s
	t := m.sc.resultType(s)
	if n.parent.class != block || !strings.HasSuffix(strings.TrimSuffix(t, ")"), "error") {
		return
	}
	zeros := goZeros(t)
	if len(zeros) == 0 {
		return
	}
	fails := "return " + strings.TrimSuffix(zeros[0], "nil") + "err"
	indent := s.indent(n.line)
	check := s.row.guard("err != nil", fails, indent, m.unit)
	text := s.of(n)
	sib := n.parent.statements()
	i := slices.Index(sib, n)
	switch {
	case n.class == stmt && n.kind == "expression_statement":
		m.put("missing check", -0.6, n, "if err := "+text+"; err != nil {\n"+indent+m.unit+fails+"\n"+indent+"}")
	case n.class != assign || n.get("left") == nil:
	case strings.HasSuffix(s.of(n.get("left")), ", _"):
		l := n.get("left")
		op := edit{l.end - 1, l.end, "err"}
		m.add("missing check", 0, op, edit{n.end, n.end, "\n" + indent + check})
	case s.of(n.get("left")) == "_":
		m.put("missing check", 0, n, "if err := "+s.of(n.get("right"))+"; err != nil {\n"+indent+m.unit+fails+"\n"+indent+"}")
	case strings.HasSuffix(s.of(n.get("left")), "err") && (i+1 >= len(sib) || !strings.HasPrefix(s.of(sib[i+1]), "if err")):
		m.add("missing check", 0.4, edit{n.end, n.end, "\n" + indent + check})
	}
}

// goWords are the names that Go knows without a declaration, and the packages that a file imports.
func (s *source) goWords() []string {
	out := strings.Fields("append cap copy delete make max min new panic string int int64 byte rune float64 error any range func map bool")
	for _, k := range s.root.kids {
		if k.kind != "import_declaration" {
			continue
		}
		k.walk(func(i *node) bool {
			if i.kind == "import_spec" && i.get("path") != nil {
				name := path.Base(strings.Trim(s.of(i.get("path")), `"`))
				if i.get("name") != nil {
					name = s.of(i.get("name"))
				}
				out = append(out, name)
			}
			return true
		})
	}
	return out
}
