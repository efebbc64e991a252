package repair

import (
	"fmt"
	"slices"
	"strings"
)

// What a call of Python is given, by what the called function takes.

// signature is what a function of the file takes, without self.
type signature struct {
	name   string
	params []string
	needed int   // those without a default
	class  *node // whose method it is, nil none
}

// signatures are those of the file's functions and methods.
func (s *source) signatures() []signature {
	if s.taken != nil {
		return s.taken
	}
	s.taken = []signature{}
	s.root.walk(func(n *node) bool {
		if n.kind != "function_definition" || n.get("name") == nil || n.get("parameters") == nil {
			return true
		}
		sig := signature{name: s.of(n.get("name"))}
		if b := n.above(block); b != nil && b.parent.kind == "class_definition" {
			sig.class = b.parent
		}
		for _, p := range n.get("parameters").operands() {
			v := p.firstName()
			if v == nil || strings.HasPrefix(s.of(p), "*") {
				continue
			}
			if name := s.of(v); name != "self" && name != "cls" {
				sig.params = append(sig.params, name)
				if p.get("value") == nil {
					sig.needed++
				}
			}
		}
		s.taken = append(s.taken, sig)
		return true
	})
	return s.taken
}

// usualArguments are what calls are often given too little of, by the function or method and how many arguments it has.
var usualArguments = map[string][]string{
	"split1": {"1", "maxsplit=1"}, "rsplit1": {"1"}, "replace2": {"1"}, "get1": {"0", "[]", "{}", `""`, "False"}, "pop1": {"None"}, "pop0": {"0", "-1"}, "next1": {"None"}, "getattr2": {"None"},
	"enumerate1": {"1"}, "sorted1": {"reverse=True", "key=len", "key=str"}, "sort0": {"reverse=True", "key=len"}, "round1": {"2"}, "int1": {"16", "2", "10"}, "max1": {"default=0", "default=None"},
	"min1": {"default=0", "default=None"}, "sum1": {"[]"}, "open1": {`encoding="utf-8"`}, "open2": {`encoding="utf-8"`}, "encode0": {`"utf-8"`}, "decode0": {`"utf-8"`}, "strip0": {`" "`, `"\n"`, `"/"`},
	"rstrip0": {`"\n"`, `"/"`}, "lstrip0": {`"/"`}, "dumps1": {"sort_keys=True", "ensure_ascii=False"}, "makedirs1": {"exist_ok=True"}, "splitlines0": {"True"}, "range2": {"-1", "2"}, "dict0": {},
	"setdefault1": {"[]", "{}", "0"}, "decode1": {`"replace"`, `"ignore"`}, "encode1": {`"replace"`, `"ignore"`}, "copy0": {}, "isinstance2": {},
}

// given gives a call an argument that it lacks: a parameter that is in scope by the same name, a plain value, one that the
// function is often given.
func (m *maker) given(n *node) {
	s := m.s
	f, a := n.callee(), n.arguments()
	if s.row.name != "python" || n.class != call || f == nil {
		return
	}
	name := f
	if f.class == member {
		name = f.memberName()
	}
	if name == nil || len(n.kids) == 0 || n.kids[len(n.kids)-1].class != args {
		return
	}
	last, sep := n.end-1, ", "
	if len(a) == 0 {
		sep = ""
	}
	put := func(w float64, text string) { m.add("argument", w, edit{last, last, sep + text}) }
	for i, text := range usualArguments[fmt.Sprint(s.of(name), len(a))] {
		put(-0.3-0.15*float64(i), text)
	}
	var named []string
	for _, x := range a {
		if k := x.get("name"); x.class == keyword && k != nil {
			named = append(named, s.of(k))
		}
		if strings.HasPrefix(s.of(x), "*") {
			return
		}
	}
	scope := m.sc.seen(n.start)
	for _, sig := range s.signatures() {
		if sig.name != s.of(name) && !(sig.name == "__init__" && sig.class != nil && sig.class.get("name") != nil && s.of(sig.class.get("name")) == s.of(name)) || len(a) >= len(sig.params) {
			continue
		}
		for i, p := range sig.params[len(a)-len(named):] {
			if slices.Contains(named, p) {
				continue
			}
			value := p
			if !slices.Contains(scope, p) {
				value = ""
				if m.sc.method && strings.Contains(s.text, "self."+p) {
					value = "self." + p
				}
			}
			if value != "" && i == 0 && len(named) == 0 {
				put(0.8, value)
			}
			if value != "" {
				put(0.7, p+"="+value)
			}
			if i == 0 && len(named) == 0 {
				for j, d := range []string{"None", "True", "False", "0", "1", "{}", "[]", `""`} {
					put(-0.9-0.1*float64(j), d)
				}
				if sig.needed > len(a) { // it raises as it is
					for _, v := range scope {
						put(-0.4, v)
					}
				}
			} else {
				put(-1, p+"=True")
				put(-1, p+"=None")
			}
		}
	}
}

// sisters puts another method of the same class, or another function that the file calls in the same way, in the place of
// the one that is called.
func (m *maker) sisters(n *node) {
	s := m.s
	f, a := n.callee(), n.arguments()
	if s.row.name != "python" || n.class != call || f == nil {
		return
	}
	if f.class == ident {
		mine := s.of(f)
		for _, other := range s.broughtIn() {
			if other != mine && similar(other, mine) > 0.3 {
				m.put("function", 0.4*similar(other, mine), f, other)
			}
		}
		for _, sig := range s.signatures() {
			if sig.class != nil && sig.name == mine && m.inMethod() {
				m.put("function", 1, f, "self."+mine)
			}
		}
		return
	}
	name, of := f.memberName(), f.memberOf()
	if f.class != member || name == nil || of == nil {
		return
	}
	mine := s.of(name)
	own := s.of(of) == "self" || s.of(of) == "cls" || strings.HasPrefix(s.of(of), "super(")
	for _, sig := range s.signatures() {
		if sig.class == nil || sig.name == mine || strings.HasPrefix(sig.name, "__") && sig.name != "__init__" {
			continue
		}
		fits := sig.needed <= len(a) && len(a) <= len(sig.params)
		switch {
		case own && fits:
			m.put("function", -0.4+0.8*similar(sig.name, mine), name, sig.name)
		case own || fits:
			m.put("function", -1.2+0.8*similar(sig.name, mine), name, sig.name)
		}
	}
	for i, other := range s.calledMethods(len(a)) {
		if other != mine && !own {
			m.put("function", -1.3-0.05*float64(i)+1.2*similar(other, mine), name, other)
		}
	}
}

// inMethod reports whether the place is within a method with self.
func (m *maker) inMethod() bool { return m.sc.params["self"] }

// broughtIn are the names that the file's imports bring in one by one.
func (s *source) broughtIn() []string {
	var out []string
	for _, k := range s.root.kids {
		if k.kind != "import_from_statement" {
			continue
		}
		for i, o := range k.operands() {
			if i == 0 {
				continue
			}
			if alias := o.get("alias"); alias != nil {
				o = alias
			}
			if name := s.of(o); name != "" && !strings.Contains(name, ".") && len(out) < 60 {
				out = append(out, name)
			}
		}
	}
	return out
}

// calledMethods are the methods that the file calls with that many arguments, at most twelve.
func (s *source) calledMethods(arguments int) []string {
	if s.byCount == nil {
		s.byCount = map[int][]string{}
		s.root.walk(func(n *node) bool {
			if f := n.callee(); n.class == call && f != nil && f.class == member && f.memberName() != nil {
				k := len(n.arguments())
				if name := s.of(f.memberName()); !slices.Contains(s.byCount[k], name) && len(s.byCount[k]) < 12 {
					s.byCount[k] = append(s.byCount[k], name)
				}
			}
			return true
		})
	}
	return s.byCount[arguments]
}

// calledFor calls another method of the object at a statement, where its parameters are in scope by name.
func (m *maker) calledFor(n *node, put func(kind string, w float64, text string)) {
	s := m.s
	if s.row.name != "python" || !m.inMethod() {
		return
	}
	given := 0
	scope := m.sc.seen(n.start)
	for _, sig := range s.signatures() {
		if sig.class == nil || sig.class != n.aboveKind("class_definition") || strings.HasPrefix(sig.name, "__") || given >= 8 || m.sc.fn.get("name") != nil && sig.name == s.of(m.sc.fn.get("name")) {
			continue
		}
		need := sig.params[:min(sig.needed, len(sig.params))]
		if slices.ContainsFunc(need, func(p string) bool { return !slices.Contains(scope, p) }) {
			continue
		}
		text := "self." + sig.name + "(" + strings.Join(need, ", ") + ")"
		if strings.Contains(s.of(m.sc.fn), text) {
			continue
		}
		given++
		put("missing statement", -0.8-0.05*float64(given), text)
	}
}

// aboveKind is the closest node around of a kind, nil none.
func (n *node) aboveKind(kind string) *node {
	for p := n.parent; p != nil; p = p.parent {
		if p.kind == kind {
			return p
		}
	}
	return nil
}

// ofObject takes a name for the object's own field or method of that name, and the other way round.
func (m *maker) ofObject(n *node) {
	s := m.s
	if s.row.name != "python" || !m.inMethod() || s.bound(n) && n.parent.class != assign {
		return
	}
	switch n.class {
	case ident:
		v := s.of(n)
		if p := n.parent; p.class == member && p.memberName() == n || p.class == keyword && n.field == "name" || v == "self" || p.class == params {
			return
		}
		if slices.Contains(s.members, v) && strings.Contains(s.text, "self."+v) {
			m.put("field", 0.2, n, "self."+v)
		}
		if strings.Contains(s.text, "self._"+v) {
			m.put("field", -0.6, n, "self._"+v)
		}
	case member:
		if of, name := n.memberOf(), n.memberName(); of != nil && name != nil && s.of(of) == "self" {
			if at, ok := m.sc.at[s.of(name)]; ok && at < n.start {
				m.put("field", 0, n, s.of(name))
			}
		}
	}
}
