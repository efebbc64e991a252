package repair

import (
	"regexp"
	"slices"
	"strings"
)

// What is gathered in rounds must begin anew in each: resets set a variable or field back to the value that it begins with.

var beginnings = regexp.MustCompile(`^(\[\]|\{\}|-?\d+(\.\d+)?|''|""|set\(\)|dict\(\)|list\(\)|None|nil|null|[Tt]rue|[Ff]alse|new \w+(<.*>)?\(\)|make\([^()]{1,40}\)|[\w.\[\]]*\{\}|deque\(\))$`)

var emptyCollection = regexp.MustCompile(`^(\[\]|\{\}|set\(\)|list\(\)|dict\(\)|nil|deque\(\)|new .*|make.*)$`)

// begins are the values that the function's variables begin with, where those are plain or empty.
func (m *maker) begins() map[string]string {
	s, out := m.s, map[string]string{}
	if !m.sc.known.once("begins") {
		return m.sc.known.begins
	}
	m.sc.known.begins = out
	m.sc.fn.walk(func(k *node) bool {
		for name, value := range s.given(k) {
			if _, known := out[name]; !known && beginnings.MatchString(value) {
				out[name] = value
			}
		}
		return true
	})
	return out
}

// given are the names that a node gives a value, with its text.
func (s *source) given(k *node) map[string]string {
	l, r := k.get("left"), k.get("right")
	if l == nil {
		l, r = k.get("name"), k.get("value")
	}
	switch {
	case k.kind == "var_spec" && r == nil && l != nil && k.get("type") != nil:
		if zeros := goZeros(s.of(k.get("type"))); len(zeros) > 0 {
			return map[string]string{s.of(l): zeros[0]}
		}
	case k.class != assign || l == nil || r == nil:
	case l.class == tuple || l.kind == "pattern_list":
		a, b := l.operands(), r.operands()
		if len(a) == len(b) {
			out := map[string]string{}
			for i := range a {
				out[s.of(a[i])] = s.of(b[i])
			}
			return out
		}
	default:
		for r.class == assign && r.get("right") != nil { // a = b = 0
			r = r.get("right")
		}
		return map[string]string{s.of(l): s.of(r)}
	}
	return nil
}

// resets set back what begins outside of a loop, behind a statement that uses it or where a condition fails, and the
// fields of an object in another method than the one that sets them up.
func (m *maker) resets(n *node) {
	s := m.s
	if m.sc.fn == nil || n.parent.class != block || n.class == ret || n.class == jump || n.class == raise {
		return
	}
	indent := s.indent(n.line)
	if round := m.round(n); round != nil {
		for _, v := range sorted(m.begins()) {
			if m.sc.at[v[0]] >= round.start || m.sc.params[v[0]] {
				continue
			}
			text := m.s.row.assignTo(v[0], v[1])
			switch {
			case n.line == n.last && s.gives(n, v[0]):
				w := 0.2
				if m.bounding()[v[0]] { // the loop would begin anew
					w = -1
				}
				m.add("reset", w, edit{n.end, n.end, "\n" + indent + text})
			case n.line == n.last && s.mentions(n, v[0]):
				m.add("reset", -0.9, edit{n.end, n.end, "\n" + indent + text})
			case n.class == cond && !s.ended(n) && s.mentions(n, v[0]):
				m.add("reset", -0.2, edit{n.end, n.end, m.elseOf(indent, text)})
			}
		}
	}
	if sib := n.parent.statements(); n.parent.parent == m.sc.fn && (sib[len(sib)-1] == n || sib[len(sib)-1].class == ret && len(sib) > 1 && sib[len(sib)-2] == n) {
		for _, f := range m.fields() {
			m.add("reset", -0.5, edit{n.end, n.end, "\n" + indent + m.s.row.assignTo(f[0], f[1])})
		}
	}
}

// elseOf is an else with one statement, to stand behind an if.
func (m *maker) elseOf(indent, text string) string {
	if m.s.row.name == "python" {
		return "\n" + indent + "else:\n" + indent + m.unit + text
	}
	return " else {\n" + indent + m.unit + text + "\n" + indent + "}"
}

// gives reports whether a statement hands a name to a call, or stores it.
func (s *source) gives(n *node, name string) bool {
	found := false
	n.walk(func(k *node) bool {
		if k.class == ident && s.of(k) == name && (k.parent.class == args || k.parent.class == assign && (k.field == "right" || k.field == "value")) {
			found = true
		}
		return !found
	})
	return found
}

// mentions reports whether a name stands in a node.
func (s *source) mentions(n *node, name string) bool {
	found := false
	n.walk(func(k *node) bool {
		found = found || k.class == ident && s.of(k) == name
		return !found
	})
	return found
}

// fields are those of the object whose method is looked at, with the values that they begin with.
func (m *maker) fields() [][2]string {
	s, out := m.s, map[string]string{}
	if m.sc.fn.get("name") == nil || !m.sc.known.once("fields") {
		return m.sc.known.fields
	}
	if name := s.of(m.sc.fn.get("name")); name == "__init__" || name == "constructor" || m.sc.fn.kind == "constructor_declaration" {
		return nil
	}
	receiver := ""
	if r := m.sc.fn.get("receiver"); r != nil && s.row.name == "go" {
		receiver = word.FindString(s.of(r))
	}
	s.root.walk(func(k *node) bool {
		if receiver != "" {
			if name, value := s.counted(k, receiver); name != "" {
				out[name] = value
			}
			return true
		}
		if k.kind == "field_declaration" && s.row.name == "java" && strings.Contains(s.text[k.start:k.end], "final ") {
			return false
		}
		if f := k.get("property"); strings.HasSuffix(k.kind, "field_definition") && k.get("value") != nil { // JavaScript
			if f == nil {
				f = k.get("name")
			}
			if v := s.of(k.get("value")); f != nil && beginnings.MatchString(v) {
				out["this."+s.of(f)] = v
			}
		}
		isField := k.parent != nil && k.parent.kind == "field_declaration"
		for name, value := range s.given(k) {
			if (isField || strings.HasPrefix(name, "self.") || strings.HasPrefix(name, "this.")) && out[name] == "" && beginnings.MatchString(value) {
				out[name] = value
			}
		}
		return true
	})
	all := sorted(out)
	m.sc.known.fields = all[:min(len(all), 8)]
	return m.sc.known.fields
}

// counted is a field of a receiver that is counted up or appended to, and what it begins with in Go.
func (s *source) counted(k *node, receiver string) (name, value string) {
	o := k.operands()
	if k.class == update && len(o) == 1 && strings.HasPrefix(s.of(o[0]), receiver+".") {
		return s.of(o[0]), "0"
	}
	l, r := k.get("left"), k.get("right")
	if k.class != assign || l == nil || r == nil || !strings.HasPrefix(s.of(l), receiver+".") {
		return "", ""
	}
	switch op := strings.TrimSpace(s.text[l.end:r.start]); {
	case op == "+=" || op == "-=":
		return s.of(l), "0"
	case strings.HasPrefix(s.of(r), "append("+s.of(l)+","):
		return s.of(l), "nil"
	case beginnings.MatchString(s.of(r)):
		return s.of(l), s.of(r)
	}
	return "", ""
}

// sorted are the entries of a map in the order of their keys.
func sorted(all map[string]string) [][2]string {
	var out [][2]string
	for k, v := range all {
		out = append(out, [2]string{k, v})
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// bounding are the variables in the conditions of the function's loops.
func (m *maker) bounding() map[string]bool {
	if !m.sc.known.once("bounding") {
		return m.sc.known.bounding
	}
	out := map[string]bool{}
	m.sc.fn.walk(func(k *node) bool {
		if k.class == loop && k.condition() != nil {
			for _, v := range m.names(k.condition()) {
				out[v] = true
			}
		}
		return true
	})
	m.sc.known.bounding = out
	return out
}

// counts counts a number up or down in a loop.
func (m *maker) counts(n *node, v string, stale bool, before, behind func(kind string, w float64, text string)) {
	b, known := m.begins()[v]
	if round := m.round(n); round == nil || m.sc.at[v] >= round.start || !stale && (!known || !number.MatchString(b)) || m.sc.isCollection(v) {
		return
	}
	w := -0.9
	if stale {
		w = 0.2
	}
	for i, op := range []string{"+", "-"} {
		text := v + " " + op + "= 1" + m.s.row.end
		if m.s.row.name != "python" {
			text = v + op + op + m.s.row.end
		}
		before("update", w-0.4*float64(i), text)
		if sib := n.parent.statements(); sib[len(sib)-1] == n && n.class != jump && n.class != ret {
			behind("update", w-0.4*float64(i), text)
		}
	}
}

var number = regexp.MustCompile(`^-?\d+$`)

// round is the innermost loop around a statement, nil none.
func (m *maker) round(n *node) *node {
	l, e := n.above(loop), n.above(each)
	if l == nil || e != nil && e.start > l.start {
		return e
	}
	return l
}

// stale are the variables that begin with a plain value and never change, in a function with a loop that reads them: what
// gives them another value is likely missing.
func (m *maker) stale() map[string]bool {
	if m.sc.stale != nil {
		return m.sc.stale
	}
	s, out := m.s, map[string]bool{}
	m.sc.stale = out
	if m.sc.fn == nil {
		return out
	}
	for v := range m.begins() {
		out[v] = !m.sc.params[v]
	}
	m.sc.fn.walk(func(k *node) bool {
		for v, value := range s.given(k) { // begins as another variable that goes on alone, or bounds a loop
			if w, ok := m.sc.at[value]; ok && !m.sc.params[v] && w < k.start && !m.sc.params[value] || m.bounding()[v] {
				out[v] = !m.sc.params[v]
			}
		}
		return true
	})
	read, given := map[string]bool{}, map[string]int{}
	m.sc.fn.walk(func(k *node) bool {
		for v := range s.given(k) {
			if given[v]++; given[v] > 1 {
				delete(out, v)
			}
		}
		if k.class != ident {
			return true
		}
		v, p := s.of(k), k.parent
		if k.above(loop) != nil || k.above(each) != nil {
			if read[v] = read[v] || !s.bound(k); s.bound(k) {
				delete(out, v)
			}
		}
		called := p.class == member && p.memberOf() == k && p.parent.class == call || p.class == call && k.field == "object"
		if called || p.class == update || p.class == augmented && k.field == "left" || p.class == index && p.parent.class == assign && p.field == "left" || p.class == tuple && p.field == "left" || p.kind == "unary_expression" {
			delete(out, v)
		}
		return true
	})
	for v := range out {
		if !read[v] || !out[v] {
			delete(out, v)
		}
	}
	return out
}
