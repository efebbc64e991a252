package repair

import (
	"slices"
	"strconv"
	"strings"
)

func (m *maker) number(n *node) {
	s := m.s
	v, err := strconv.ParseInt(strings.ReplaceAll(s.of(n), "_", ""), 0, 64)
	if err != nil {
		return
	}
	for _, alt := range []int64{v + 1, v - 1} {
		m.put("off by one", 0, n, strconv.FormatInt(alt, 10))
	}
	for i, alt := range []string{"0", "1", "-1", "2"} {
		m.put("constant", -0.3-0.1*float64(i), n, alt)
	}
	if v >= 10 { // a nought too few or too many
		m.put("constant", -0.6, n, strconv.FormatInt(v*10, 10))
		if v%10 == 0 {
			m.put("constant", -0.6, n, strconv.FormatInt(v/10, 10))
			m.put("constant", -0.7, n, strconv.FormatInt(v-10, 10))
			m.put("constant", -0.7, n, strconv.FormatInt(v+10, 10))
		}
	}
	if p := n.parent; p != nil && p.class == assign {
		for _, inf := range m.infinities(n) {
			m.put("initial value", -0.6, n, inf)
		}
	}
	if p := n.parent; s.row.name == "python" && p != nil && (p.class == binary || p.class == args || p.class == index || p.class == slice || p.class == augmented || p.class == ret) {
		for _, v := range m.sc.seen(n.start) {
			if m.sc.isNumber(v) || m.sc.params[v] && v != "self" && !m.sc.isCollection(v) {
				m.put("variable", -1, n, v)
			}
		}
	}
	for i, alt := range s.ints {
		if i > 25 {
			break
		}
		m.put("constant", -1-similarNumber(alt, s.of(n)), n, alt)
	}
	for _, alt := range m.sc.top {
		if isConstant(alt) || slices.Contains(s.named, alt) {
			m.put("constant", -1.2, n, alt)
		}
	}
}

func similarNumber(a, b string) float64 {
	if len(a) == len(b) {
		return 0
	}
	return 0.5
}

// pattern adds or takes out one flag of a regular expression, as far as it has something to work on.
func (m *maker) pattern(n *node) {
	text := m.s.of(n)
	end := strings.LastIndexByte(text, '/') + 1
	needs := map[string]string{"m": "^$", "s": "."}
	for i, flag := range []string{"g", "i", "m", "s"} {
		if flags := text[end:]; needs[flag] != "" && !strings.ContainsAny(text, needs[flag]) {
			continue
		} else if strings.Contains(flags, flag) {
			m.put("pattern", -0.2*float64(i), n, text[:end]+strings.ReplaceAll(flags, flag, ""))
		} else {
			m.put("pattern", -0.2*float64(i), n, text[:end]+flags+flag)
		}
	}
}

func isConstant(name string) bool { return len(name) > 1 && strings.ToUpper(name) == name }

func (m *maker) text(n *node) {
	s := m.s
	if strings.Contains(s.of(n), "\n") || n.parent.class == stmt && s.row.name == "python" {
		return
	}
	mine := s.of(n)
	for i, alt := range s.strings {
		if i > 60 {
			break
		}
		if alt != mine && alt[0] == mine[0] {
			m.put("constant", -1.6+similar(alt, mine), n, alt)
		}
	}
	if len(mine) > 2 {
		m.put("constant", -2.2, n, mine[:1]+mine[len(mine)-1:])
	} else {
		m.put("constant", -1.5, n, mine[:1]+" "+mine[len(mine)-1:])
	}
	for _, word := range m.hints.texts {
		m.put("constant", -1.8+similar(word, mine), n, mine[:1]+word+mine[len(mine)-1:])
	}
}

func (m *maker) collection(n *node) {
	s, o := m.s, n.operands()
	text := s.of(n)
	if s.row.name == "python" && n.kind == "list_comprehension" || n.kind == "composite_literal" || n.kind == "object" {
		return
	}
	m.swapEach(o[:min(len(o), 6)], "swap")
	switch {
	case len(o) == 0 && strings.HasPrefix(text, "["):
		for _, v := range m.sc.seen(n.start) {
			m.put("initial value", -0.7, n, "["+v+"]")
		}
		m.put("initial value", -0.5, n, "[[]]")
		m.put("initial value", -1, n, "[0]")
		if s.row.name == "python" {
			m.put("initial value", -1, n, "{}")
			m.put("initial value", -1, n, "set()")
		}
	case len(o) == 1 && strings.HasPrefix(text, "["):
		m.put("initial value", -0.6, n, "[]")
		m.put("unwrap", -0.6, n, s.of(o[0]))
	}
	if len(o) > 1 && len(o) < 8 {
		for i, x := range o {
			from, to := x.start, x.end
			if i+1 < len(o) {
				to = o[i+1].start
			} else {
				from = o[i-1].end
			}
			m.add("drop operand", -1.2, edit{from, to, ""})
		}
	}
}
