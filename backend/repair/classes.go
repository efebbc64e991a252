package repair

import (
	"regexp"
	"slices"
	"strings"
)

// The class of what is raised, caught or asked for, in Python.

var exceptionName = regexp.MustCompile(`\b[A-Z]\w*(?:Error|Exception|Iteration|Warning|Exit|Interrupt)\b`)

// raised are the exceptions that the failures speak of, but for the one that an assertion raises.
func raised(messages string) []string {
	var out []string
	for _, name := range exceptionName.FindAllString(messages, 40) {
		if name != "AssertionError" && !slices.Contains(out, name) && len(out) < 6 {
			out = append(out, name)
		}
	}
	return out
}

// kin are exceptions that are taken for each other.
var kin = [][]string{{"ValueError", "TypeError"}, {"KeyError", "IndexError", "LookupError", "AttributeError"}, {"OSError", "IOError", "FileNotFoundError", "PermissionError"},
	{"UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "ValueError"}, {"RuntimeError", "NotImplementedError"}, {"ZeroDivisionError", "ArithmeticError", "OverflowError"},
	{"KeyError", "ValueError"}, {"AttributeError", "TypeError"}, {"StopIteration", "IndexError"}, {"ImportError", "ModuleNotFoundError"}}

// exceptions puts another exception in the place of one, or catches it as well.
func (m *maker) exceptions(n *node) {
	s := m.s
	if s.row.name != "python" || n.class != ident && n.class != member || !exceptionName.MatchString(s.of(n)) || n.parent.class == member {
		return
	}
	p := n.parent
	several := p.class == tuple
	if several || p.kind == "as_pattern" {
		p = p.parent
	}
	caught := p.kind == "except_clause" && n.field != "alias"
	thrown := p.class == raise || p.class == call && p.callee() == n && p.parent.class == raise
	if !caught && !thrown {
		return
	}
	mine := s.of(n)
	put := func(w float64, name string) {
		if name == mine || several && strings.Contains(s.of(n.parent), name) {
			return
		}
		m.put("exception", w, n, name)
		switch {
		case caught && several:
			m.put("exception", w, n, mine+", "+name)
		case caught:
			m.put("exception", w, n, "("+mine+", "+name+")")
		}
	}
	if !several && caught && !slices.Contains(m.hints.raised, mine) { // what was not caught comes out of the test
		for i, name := range m.hints.raised {
			put(2-0.3*float64(i), name)
		}
	} else {
		for i, name := range m.hints.raised {
			put(0.6-0.3*float64(i), name)
		}
	}
	for _, group := range kin {
		if slices.Contains(group, mine) {
			for i, name := range group {
				put(-0.4-0.1*float64(i), name)
			}
		}
	}
	for i, name := range s.exceptionNames() {
		put(-0.8-0.1*float64(i), name)
	}
	if caught {
		put(-0.8, "Exception")
	}
}

// exceptionNames are the exceptions that a file names, at most twelve.
func (s *source) exceptionNames() []string {
	var out []string
	for _, name := range exceptionName.FindAllString(s.text, 60) {
		if !slices.Contains(out, name) && len(out) < 12 {
			out = append(out, name)
		}
	}
	return out
}

// typeKin are types that are asked for in each other's place.
var typeKin = [][]string{{"str", "bytes", "bytearray"}, {"int", "float", "complex", "bool"}, {"list", "tuple", "set", "frozenset"}, {"dict", "list", "str", "int", "tuple"}}

// otherType asks for another type, or one more.
func (m *maker) otherType(n *node) {
	s := m.s
	if s.row.name != "python" || n.class != ident {
		return
	}
	p := n.parent
	several := p.class == tuple
	if several {
		p = p.parent
	}
	if p == nil || p.class != args || p.parent.callee() == nil || !slices.Contains([]string{"isinstance", "issubclass"}, s.of(p.parent.callee())) || p.operands()[0] == n {
		return
	}
	mine := s.of(n)
	for i, group := range typeKin {
		if !slices.Contains(group, mine) {
			continue
		}
		for j, other := range group {
			if other == mine {
				continue
			}
			w := -0.1*float64(i) - 0.1*float64(j)
			m.put("type", w, n, other)
			if several {
				m.put("type", w, n, mine+", "+other)
			} else {
				m.put("type", w, n, "("+mine+", "+other+")")
			}
		}
	}
	for _, other := range s.classNames() {
		if other != mine {
			m.put("type", -0.6, n, other)
			if !several {
				m.put("type", -0.8, n, "("+mine+", "+other+")")
			}
		}
	}
}

// classNames are the classes that a file defines, at most eight.
func (s *source) classNames() []string {
	var out []string
	for _, k := range s.root.kids {
		if name := k.get("name"); k.kind == "class_definition" && name != nil && len(out) < 8 {
			out = append(out, s.of(name))
		}
	}
	return out
}
