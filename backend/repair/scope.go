package repair

import (
	"slices"
	"strings"
)

// scope is what can be named inside a function: its variables, and what the file defines at its top.
type scope struct {
	fn     *node
	vars   []string        // parameters and local names, in order of place
	params map[string]bool // of those
	at     map[string]int  // byte at which a local name is first bound
	roles  map[string]map[string]bool
	types  map[string]string // as declarations say them
	unread map[string]bool   // variables that are given a value that nothing uses
	top    []string          // constants and variables of the file's top
	funcs  []string          // functions of the file
	method bool              // it has a receiver in Go
	wants  bool              // a variable is unread
	known  known
	stale  map[string]bool // variables that begin and never change, nil not looked
}

// known is what is worked out once for a function.
type known struct {
	begins    map[string]string
	fields    [][2]string
	elsewhere []string
	recursive bool
	bounding  map[string]bool
	done      map[string]bool
}

// once says that something was not worked out yet, the first time.
func (k *known) once(what string) bool {
	if k.done == nil {
		k.done = map[string]bool{}
	}
	first := !k.done[what]
	k.done[what] = true
	return first
}

// scopeOf gathers the names of the outermost function that holds a node; of the file's top where none does.
func (s *source) scopeOf(n *node) *scope {
	fn := n
	var found *node
	for ; fn != nil; fn = fn.parent {
		if fn.class == function {
			found = fn
		}
	}
	sc := &scope{fn: found, params: map[string]bool{}, at: map[string]int{}, roles: map[string]map[string]bool{}, types: map[string]string{}, unread: map[string]bool{}}
	s.topNames(sc)
	if found == nil {
		return sc
	}
	found.walk(func(k *node) bool {
		switch {
		case k.class == function && k != found && k.get("name") != nil && s.row.name == "python":
			sc.funcs = append(sc.funcs, s.of(k.get("name")))
		case k.class == ident && s.bound(k) && k != found.get("name"):
			name := s.of(k)
			if _, seen := sc.at[name]; !seen && name != "_" && !(k.parent.class == keyword && k.field == "name") {
				sc.vars = append(sc.vars, name)
				sc.at[name] = k.start
				if p := k.above(params); p != nil || k.parent.class == params {
					sc.params[name] = true
					sc.at[name] = 0
				}
			}
		}
		return true
	})
	found.walk(func(k *node) bool {
		if k.class == ident {
			sc.note(s, k)
		} else {
			sc.typed(s, k)
		}
		return true
	})
	sc.method = found.get("receiver") != nil
	uses := sc.uses(s)
	for _, v := range sc.vars {
		sc.unread[v] = uses[v] == 0
		sc.wants = sc.wants || sc.unread[v]
	}
	return sc
}

// bound reports whether an identifier is being given a value or declared here.
func (s *source) bound(k *node) bool {
	for p, c := k.parent, k; p != nil; c, p = p, p.parent {
		switch p.class {
		case params:
			return c.field != "type" && k.field != "type" && k.field != "value"
		case assign:
			return c.field == "left" || c.field == "name"
		case each:
			return c.field == "left" || c.field == "name"
		case function:
			return c.field == "parameter" // x => …
		case tuple, list, paren:
			continue
		}
		switch p.kind {
		case "range_clause":
			return c.field == "left"
		case "pattern_list", "tuple_pattern", "list_pattern", "object_pattern", "array_pattern", "pair_pattern", "shorthand_property_identifier_pattern",
			"default_parameter", "typed_parameter", "typed_default_parameter", "parameter_declaration", "formal_parameter", "required_parameter", "optional_parameter",
			"variadic_parameter_declaration", "assignment_pattern", "rest_pattern", "list_splat_pattern", "dictionary_splat_pattern":
			if c.field == "value" || c.field == "right" || c.field == "type" {
				return false
			}
			continue
		case "var_spec", "as_pattern_target":
			return c.field == "name" || p.kind == "as_pattern_target"
		}
		return false
	}
	return false
}

// topNames gathers what the file defines at its top.
func (s *source) topNames(sc *scope) {
	for _, k := range s.root.kids {
		k.walk(func(n *node) bool {
			if n.class == function {
				if name := n.get("name"); name != nil {
					sc.funcs = append(sc.funcs, s.of(name))
				}
				return false
			}
			if n.kind == "field_declaration" {
				sc.typed(s, n)
			}
			if n.class == ident && (s.bound(n) || n.parent.kind == "const_spec" && n.field == "name") && s.of(n) != "_" {
				if !slices.Contains(sc.top, s.of(n)) {
					sc.top = append(sc.top, s.of(n))
				}
			}
			return n.kind != "class_body" && n.class != block || s.row.name == "python" || s.row.name == "java"
		})
	}
}

// note remembers how a name is used: what is used alike is of the same kind.
func (sc *scope) note(s *source, k *node) {
	name, p := s.of(k), k.parent
	role := ""
	switch {
	case p == nil:
		return
	case p.class == index && p.kids[0] == k:
		role = "indexed"
	case p.class == index || p.class == slice:
		role = "number"
	case p.class == member && p.memberOf() == k:
		role = "object"
		if m := p.memberName(); m != nil {
			role = "." + s.of(m)
		}
	case p.class == binary:
		op := s.operator(p, 0)
		switch {
		case op == "in" || op == "not in":
			role = "collection"
			if p.operands()[0] == k {
				role = "element"
			}
		case strings.ContainsAny(op, "+-*/%<>"):
			role = "number"
		default:
			role = "compared"
		}
	case p.class == call && k.field == "object" && p.get("name") != nil:
		role = "." + s.of(p.get("name"))
	case p.class == args:
		role = "argument"
		if c := p.parent; c != nil && c.callee() != nil {
			role = "to " + s.of(c.callee())
		}
	case p.class == each && k.field == "right":
		role = "collection"
	case p.class == each && k.field == "left":
		role = "element"
	case p.class == cond || p.class == loop:
		role = "condition"
	case p.class == ret:
		role = "result"
	case p.class == assign && k.field == "left":
		role = "assigned"
		if r := p.get("right"); r != nil {
			switch r.class {
			case integer:
				role = "number"
			case list:
				role = "collection"
			case str:
				role = "text"
			}
		}
	}
	if sc.roles[name] == nil {
		sc.roles[name] = map[string]bool{}
	}
	sc.roles[name][role] = true
}

// alike says how much two names are used in the same ways, 0 to 1.
func (sc *scope) alike(a, b string) float64 {
	both, all := 0, map[string]bool{}
	for r := range sc.roles[a] {
		all[r] = true
		if sc.roles[b][r] {
			both++
		}
	}
	for r := range sc.roles[b] {
		all[r] = true
	}
	if len(all) == 0 {
		return 0
	}
	return float64(both) / float64(len(all))
}

// seen are the variables that are bound before a byte; those that loops bind later are left out.
func (sc *scope) seen(at int) []string {
	var out []string
	for _, v := range sc.vars {
		if sc.at[v] < at {
			out = append(out, v)
		}
	}
	return out
}

// operator is the text between the operands i and i+1 of a binary expression.
func (s *source) operator(n *node, i int) string {
	o := n.operands()
	if i+1 >= len(o) {
		return ""
	}
	return strings.Join(strings.Fields(s.text[o[i].end:o[i+1].start]), " ")
}
