package repair

import (
	"maps"
	"slices"
	"strings"
)

// What is begun must be ended: locks, files, channels, what is waited for.

// endings are the methods that end what another one begins, by its name in lower case.
var endings = map[string]string{"lock": "unlock", "rlock": "runlock", "acquire": "release", "begin": "commit", "open": "close", "connect": "close", "start": "stop", "enter": "leave"}

// ends gives the method that ends what a method begins, spelt as it is; "" none.
func ends(name string) string {
	end := endings[strings.ToLower(name)]
	switch {
	case end == "":
	case name == "RLock":
		return "RUnlock"
	case name[:1] == strings.ToUpper(name[:1]):
		return strings.ToUpper(end[:1]) + end[1:]
	}
	return end
}

// awaits waits for what an asynchronous function calls.
func (m *maker) awaits(n *node) {
	s := m.s
	fn := n.above(function)
	if n.class != call || fn == nil || n.parent.class == wait || !strings.HasPrefix(s.of(fn), "async") || strings.HasPrefix(s.of(n), "Promise.") || strings.HasPrefix(s.of(n), "asyncio.") {
		return
	}
	if p := n.parent; p.class == member && p.memberOf() == n {
		m.put("missing await", -0.8, n, "(await "+s.of(n)+")")
		return
	}
	m.put("missing await", 0.3, n, "await "+s.of(n))
	if s.row.name == "python" {
		return
	}
	m.put("missing await", -0.5, n, "await Promise.all("+s.of(n)+")")
}

// releases ends what the statement begins, or what the function began and never ends.
func (m *maker) releases(n *node) {
	s := m.s
	if m.sc.fn == nil || n.parent.class != block {
		return
	}
	indent, whole := s.indent(n.line), s.of(m.sc.fn)
	if object, end := m.begun(n); end != "" && !strings.Contains(whole, object+"."+end+"(") {
		m.atEnd(n, object+"."+end+"()")
	}
	if s.row.name == "go" && n.parent.statements()[0] == n && n.parent.parent != nil && n.parent.parent.kind == "func_literal" {
		for _, text := range m.signals(n.parent.parent) {
			m.add("missing close", 0.5, edit{n.start, n.start, "defer " + text + "\n" + indent})
		}
	}
	if n.class == each || n.class == loop { // a channel that is filled in a loop is closed behind it
		for _, text := range m.signals(n) {
			m.add("missing close", 0, edit{n.end, n.end, "\n" + indent + text})
		}
	}
	for _, v := range m.handles(n) {
		for _, end := range []string{"close", "flush"} {
			if s.row.name == "go" {
				end = strings.ToUpper(end[:1]) + end[1:]
			}
			if text := v + "." + end + "()"; !strings.Contains(whole, text) {
				m.atEnd(n, text)
			}
		}
	}
}

// begun is the object that a statement's call begins something with, and the method that ends it.
func (m *maker) begun(n *node) (object, end string) {
	o := n.operands()
	if n.class != stmt || len(o) != 1 || o[0].class != call {
		return "", ""
	}
	f := o[0].callee()
	if f != nil && f.class == member && f.memberOf() != nil && f.memberName() != nil {
		return m.s.of(f.memberOf()), ends(m.s.of(f.memberName()))
	}
	if obj := o[0].get("object"); obj != nil && f != nil { // Java
		return m.s.of(obj), ends(m.s.of(f))
	}
	return "", ""
}

// atEnd has something done when the function ends: deferred in Go, else behind the last statement or in front of the return.
func (m *maker) atEnd(n *node, text string) {
	s := m.s
	text += s.row.end
	if s.row.name == "go" {
		m.add("missing close", 0.6, edit{n.end, n.end, "\n" + s.indent(n.line) + "defer " + text})
	}
	sib := n.parent.statements()
	last := sib[len(sib)-1]
	if last.class == ret {
		m.add("missing close", 0.2, edit{last.start, last.start, text + "\n" + s.indent(last.line)})
	} else {
		m.add("missing close", 0.2, edit{last.end, last.end, "\n" + s.indent(last.line) + text})
	}
}

// signals are what Go code that sends to a channel, or is waited for, says at its end.
func (m *maker) signals(n *node) []string {
	s := m.s
	if s.row.name != "go" {
		return nil
	}
	var out []string
	n.walk(func(k *node) bool {
		if o := k.operands(); k.kind == "send_statement" && len(o) > 0 {
			if text := "close(" + s.of(o[0]) + ")"; !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
		return true
	})
	if n.class == function {
		for _, v := range slices.Sorted(maps.Keys(m.sc.types)) {
			if strings.HasSuffix(m.sc.types[v], "sync.WaitGroup") && strings.Contains(s.of(m.sc.fn), v+".Add(") {
				out = append(out, v+".Done()")
			}
		}
	}
	whole := s.of(m.sc.fn)
	return slices.DeleteFunc(out, func(text string) bool { return strings.Contains(whole, text) })
}

// handles are the names to which a statement gives something that is to be closed, by what makes it.
func (m *maker) handles(n *node) []string {
	s := m.s
	a := n
	if n.class == stmt && len(n.operands()) > 0 {
		a = n.operands()[len(n.operands())-1]
	}
	var out []string
	for _, g := range sorted(s.given(a)) {
		name, value := g[0], g[1]
		made, _, isCall := strings.Cut(strings.ToLower(value), "(")
		if !isCall || strings.Contains(name, ".") || strings.HasPrefix(value, "[") {
			continue
		}
		for _, w := range []string{"open", "create", "writer", "connect", "stream", "socket"} {
			if strings.Contains(made, w) {
				out = append(out, name)
				break
			}
		}
	}
	return out
}
