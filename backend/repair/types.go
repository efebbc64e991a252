package repair

import (
	"slices"
	"strings"
)

// What is known of the kinds of values: by what declarations say, and by how names are used.

// typed remembers the types that a declaration gives to its names.
func (sc *scope) typed(s *source, n *node) {
	t := n.get("type")
	text := ""
	if t != nil {
		text = strings.TrimSpace(strings.TrimPrefix(s.of(t), ":"))
	}
	for _, k := range n.kids {
		name := k
		if k.field == "declarator" {
			name = k.get("name")
		}
		if name == nil || name.class != ident || !(k.field == "name" || k.field == "pattern" || k.field == "declarator") {
			continue
		}
		v := s.of(name)
		if text == "" {
			text = made(s, n)
		}
		if text != "" && sc.types[v] == "" {
			sc.types[v] = text
		}
	}
	if n.kind == "short_var_declaration" {
		l, r := n.get("left"), n.get("right")
		if l == nil || r == nil || len(l.operands()) != len(r.operands()) {
			return
		}
		for i, v := range l.operands() {
			if t := madeBy(s, r.operands()[i]); t != "" && sc.types[s.of(v)] == "" {
				sc.types[s.of(v)] = t
			}
		}
	}
}

// made is the type of what a declaration's value makes, "" not known.
func made(s *source, n *node) string {
	if v := n.get("value"); v != nil {
		return madeBy(s, v)
	}
	return ""
}

func madeBy(s *source, v *node) string {
	switch {
	case v.class == list && v.get("type") != nil, v.kind == "object_creation_expression":
		return s.of(v.get("type"))
	case v.kind == "new_expression" && v.get("constructor") != nil:
		return s.of(v.get("constructor"))
	case v.class == call && v.callee() != nil && s.of(v.callee()) == "make" && len(v.arguments()) > 0:
		return s.of(v.arguments()[0])
	}
	return ""
}

// isCollection reports whether a name holds several elements, as far as its type or its uses tell.
func (sc *scope) isCollection(v string) bool {
	t := sc.types[v]
	if t != "" {
		return strings.Contains(t, "[]") || strings.HasPrefix(t, "map[") || strings.Contains(t, "List") || strings.Contains(t, "Map") || strings.Contains(t, "Set") ||
			strings.Contains(t, "Collection") || strings.Contains(t, "Deque") || strings.Contains(t, "Array")
	}
	r := sc.roles[v]
	for _, role := range []string{"indexed", "collection", "to len", ".length", ".size", ".append", ".push", ".add", ".extend", ".pop", ".keys", ".values", ".entries", ".items", ".sort",
		".map", ".filter", ".forEach", ".set", ".has", ".concat", ".slice", ".insert", ".unshift", ".shift", "to sum", "to sorted", "to max", "to min"} {
		if r[role] {
			return true
		}
	}
	return false
}

// isNumber reports whether a name holds a number, as far as its uses tell.
func (sc *scope) isNumber(v string) bool {
	return (sc.roles[v]["number"] || sc.roles[v]["compared"]) && !sc.isCollection(v)
}

// isText reports whether a name is used as texts are.
func (sc *scope) isText(v string) bool {
	r := sc.roles[v]
	for _, role := range []string{"text", ".split", ".strip", ".startswith", ".endswith", ".lower", ".upper", ".replace", ".join", ".encode", ".decode", ".partition", ".format", ".rstrip", ".lstrip", ".isdigit"} {
		if r[role] {
			return true
		}
	}
	return false
}

// emptiness asks whether a name is empty, and the contrary; "" where that makes no sense.
func (m *maker) emptiness(v string) (empty, filled string) {
	collection, t := m.sc.isCollection(v), m.sc.types[v]
	switch m.s.row.name {
	case "python":
		return "not " + v, v
	case "go":
		if collection || t == "string" {
			return "len(" + v + ") == 0", "len(" + v + ") > 0"
		}
	case "java":
		switch {
		case strings.HasSuffix(t, "[]"):
			return v + ".length == 0", v + ".length > 0"
		case collection || t == "String":
			return v + ".isEmpty()", "!" + v + ".isEmpty()"
		}
	default:
		r := m.sc.roles[v]
		switch {
		case r[".size"] || r[".has"] || strings.Contains(t, "Map") || strings.Contains(t, "Set"):
			return v + ".size === 0", v + ".size > 0"
		case collection:
			return v + ".length === 0", v + ".length > 0"
		}
		return "!" + v, v
	}
	return "", ""
}

// resultType is what a function says that it returns, "" nothing.
func (sc *scope) resultType(s *source) string {
	if sc.fn == nil {
		return ""
	}
	for _, f := range []string{"result", "return_type"} {
		if t := sc.fn.get(f); t != nil {
			return strings.TrimSpace(strings.TrimPrefix(s.of(t), ":"))
		}
	}
	if t := sc.fn.get("type"); t != nil && s.row.name == "java" {
		return s.of(t)
	}
	return ""
}

// plain are values that a function of a result type returns where there is nothing to tell, the likeliest first; all that a
// language has where it states no types.
func (m *maker) plain() []string {
	r := m.s.row
	t := m.sc.resultType(m.s)
	switch {
	case r.name == "go":
		if m.sc.fn != nil && m.sc.fn.class == function && t == "" {
			return []string{""}
		}
		return goZeros(t)
	case r.name == "java" && t != "":
		return javaZeros(t)
	case t == "void" || t == "Promise<void>":
		return []string{""}
	}
	return r.defaults
}

func goZeros(t string) []string {
	if strings.HasPrefix(t, "(") {
		var first []string
		rest := ""
		for i, part := range splitTop(strings.Trim(t, "()")) {
			fields := strings.Fields(part)
			if len(fields) == 0 {
				continue
			}
			zeros := goZeros(fields[len(fields)-1])
			if i == 0 {
				first = zeros
			} else {
				rest += ", " + zeros[0]
			}
		}
		for i := range first {
			first[i] += rest
		}
		return first
	}
	switch {
	case t == "string":
		return []string{`""`}
	case t == "bool":
		return []string{"false", "true"}
	case strings.HasPrefix(t, "float"), strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), t == "byte", t == "rune":
		return []string{"0", "1", "-1"}
	case t == "error", t == "any", strings.HasPrefix(t, "*"), strings.HasPrefix(t, "[]"), strings.HasPrefix(t, "map["), strings.Contains(t, "chan"), strings.HasPrefix(t, "func"), strings.HasPrefix(t, "interface"):
		return []string{"nil"}
	}
	return []string{t + "{}", "nil", "0"}
}

func javaZeros(t string) []string {
	switch t {
	case "void":
		return []string{""}
	case "int", "long", "short", "byte", "Integer", "Long":
		return []string{"0", "1", "-1"}
	case "double", "float", "Double", "char":
		return []string{"0", "1"}
	case "boolean", "Boolean":
		return []string{"false", "true"}
	case "String":
		return []string{`""`, "null"}
	}
	switch {
	case strings.HasSuffix(t, "[]"):
		return []string{"new " + strings.TrimSuffix(t, "[]") + "[0]", "null"}
	case strings.HasPrefix(t, "List<"), strings.HasPrefix(t, "Map<"), strings.HasPrefix(t, "Set<"):
		return []string{t[:strings.IndexByte(t, '<')] + ".of()", "null"}
	case strings.HasPrefix(t, "Optional<"):
		return []string{"Optional.empty()"}
	}
	return []string{"null"}
}

// splitTop cuts a list at its commas, not at those inside of brackets.
func splitTop(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ',' && depth == 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}

// ofCollections are methods of usual collections: a method of such a name that calls the one of a field is not recursive.
var ofCollections = strings.Fields("get set pop push append add put remove items keys values update clear has contains copy size")

// recursive reports whether the function calls itself.
func (sc *scope) recursive(s *source) bool {
	if sc.fn == nil || sc.fn.get("name") == nil || !sc.known.once("recursive") {
		return sc.known.recursive
	}
	name, found := s.of(sc.fn.get("name")), false
	sc.fn.walk(func(k *node) bool {
		if k.class == call && k.callee() != nil {
			f, of := k.callee(), k.get("object") // Java
			if f.class == member {
				f, of = f.memberName(), f.memberOf()
			}
			found = found || f != nil && s.of(f) == name && !(slices.Contains(ofCollections, name) && of != nil && of.class == member)
		}
		return !found
	})
	sc.known.recursive = found
	return found
}

// uses counts how often a name is read in the function.
func (sc *scope) uses(s *source) map[string]int {
	out := map[string]int{}
	if sc.fn == nil {
		return out
	}
	sc.fn.walk(func(k *node) bool {
		if k.class == ident && !s.bound(k) && !(k.parent.class == member && k.parent.memberName() == k) {
			out[s.of(k)]++
		}
		return true
	})
	return out
}

// statements are the statements of a block.
func (n *node) statements() []*node {
	return slices.DeleteFunc(n.operands(), func(k *node) bool { return !k.isStatement() })
}
