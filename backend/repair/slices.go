package repair

import (
	"strconv"
	"strings"
)

func (m *maker) indexes(n *node) {
	s, o := m.s, n.operands()
	if len(o) > 2 {
		m.swapEach(o[1:], "swap")
	}
	if len(o) == 2 {
		m.put("unwrap", -1.2, n, s.of(o[0]))
		if o[1].class == tuple {
			m.swapEach(o[1].operands(), "swap")
		}
		if o[1].class == integer && s.of(o[1]) == "0" && s.row.name == "python" {
			m.put("off by one", 0, o[1], "-1")
		}
		if s.row.name == "python" && o[1].class != slice {
			m.put("slice", -1.5, o[1], s.of(o[1])+":")
			m.put("slice", -1.5, o[1], ":"+s.of(o[1]))
		}
	}
}

// slices moves the bounds of a slice by one, drops one, or sets one.
func (m *maker) slices(n *node) {
	s := m.s
	if s.row.name != "python" {
		m.reslice(n)
		for _, k := range []string{"start", "end"} {
			if b := n.get(k); b != nil {
				m.put("off by one", 0, b, s.of(b)+"+1")
				m.put("off by one", 0, b, s.of(b)+"-1")
			}
		}
		return
	}
	text := s.of(n)
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 2 || strings.ContainsAny(text, "()[]{}") {
		return
	}
	from, to := strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1])
	rest := ""
	if len(parts) == 3 {
		rest = ":" + parts[2]
	}
	give := func(w float64, from, to string) { m.put("slice", w, n, from+":"+to+rest) }
	for _, side := range []string{"+ 1", "- 1"} {
		if from != "" {
			give(0, strings.TrimPrefix(shift(from, side), "0 "), to)
		}
		if to != "" {
			give(0, from, shift(to, side))
		}
	}
	if from != "" {
		give(-0.6, "", to)
		give(-0.8, to, from)
	} else {
		give(0, "1", to)
	}
	if to != "" {
		give(-0.6, from, "")
	} else {
		give(0, from, "-1")
	}
	for _, v := range m.sc.seen(n.start) {
		if m.sc.roles[v]["number"] {
			if from == "" {
				give(-1, v, to)
			}
			if to == "" {
				give(-1, from, v)
			}
		}
	}
	if rest == "" && from == "" && to == "" {
		m.put("slice", -0.5, n, "::-1")
	} else if rest != "" {
		m.put("slice", -0.5, n, from+":"+to)
	}
}

// shift adds one to an expression or takes it off; a number is worked out.
func shift(e, by string) string {
	if v, err := strconv.Atoi(e); err == nil {
		if by[0] == '+' {
			return strconv.Itoa(v + 1)
		}
		return strconv.Itoa(v - 1)
	}
	if (strings.HasSuffix(e, " + 1") || strings.HasSuffix(e, " - 1")) && !strings.HasSuffix(e, by) {
		return e[:len(e)-4]
	}
	return e + " " + by
}
