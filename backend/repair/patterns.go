package repair

import (
	"regexp"
	"strings"
)

// Regular expressions of Python stand in texts: a letter of them is as easily wrong as an operator.

var takesPattern = regexp.MustCompile(`^re\.(?:compile|match|search|fullmatch|sub|subn|split|findall|finditer)$`)

// expressions changes one thing of a text that is read as a regular expression, and its flags.
func (m *maker) expressions(n *node) {
	s := m.s
	p := n.parent
	if s.row.name != "python" || p.class != args || p.parent.callee() == nil || !takesPattern.MatchString(s.of(p.parent.callee())) {
		return
	}
	if a := p.parent.arguments(); len(a) == 0 || a[0] != n {
		return
	}
	text := s.of(n)
	from := strings.IndexAny(text, `'"`)
	if from < 0 || strings.HasPrefix(text[from:], `"""`) || strings.HasPrefix(text[from:], "'''") || len(text) > 200 {
		return
	}
	body := text[from+1 : len(text)-1]
	for _, other := range otherPatterns(body) {
		m.put("pattern", other.weight, n, text[:from+1]+other.text+text[len(text)-1:])
	}
	whole := s.of(p.parent)
	for i, flag := range []string{"re.IGNORECASE", "re.DOTALL", "re.MULTILINE"} {
		if !strings.Contains(whole, "re.I") && !strings.Contains(whole, "re.D") && !strings.Contains(whole, "re.M") && strings.HasSuffix(s.of(p.parent.callee()), "compile") {
			m.add("pattern", -0.4-0.1*float64(i), edit{n.end, n.end, ", " + flag})
		}
	}
}

// otherPatterns are regular expressions that differ in one thing from another.
func otherPatterns(body string) []value {
	var out []value
	put := func(w float64, at, length int, text string) {
		out = append(out, value{body[:at] + text + body[at+length:], w})
	}
	class := -1 // where a class of letters begins
	if strings.HasPrefix(body, "^") {
		put(-0.4, 0, 1, "")
	} else {
		put(-0.6, 0, 0, "^")
	}
	if strings.HasSuffix(body, "$") && !strings.HasSuffix(body, `\$`) {
		put(-0.4, len(body)-1, 1, "")
	} else {
		put(-0.5, len(body), 0, "$")
	}
	for i := 0; i < len(body); i++ {
		c, size := body[i], 1
		if c == '\\' && i+1 < len(body) {
			size = 2
		}
		atom := body[i : i+size]
		next := byte(0)
		if i+size < len(body) {
			next = body[i+size]
		}
		counted := next == '*' || next == '+' || next == '?' || next == '{'
		switch {
		case class >= 0 && c == ']' && i > class+1:
			for _, more := range []string{".", `\-`, "_", " ", "/", ":", `\s`, "0-9", "A-Z", "+", "'", ","} {
				if !strings.Contains(body[class:i], more) {
					put(-0.9, i, 0, more)
				}
			}
			if body[class+1] == '^' {
				put(-0.8, class+1, 1, "")
			} else {
				put(-0.8, class+1, 0, "^")
			}
			if class = -1; !counted {
				put(-0.2, i+1, 0, "+")
				put(-0.4, i+1, 0, "*")
			}
		case class >= 0:
			if body[class+1] != '^' || i > class+1 {
				put(-1.2, i, size, "")
			}
		case c == '[':
			class = i
		case c == '*' || c == '+' || c == '?' && i > 0 && body[i-1] != '(':
			if i > 0 && (body[i-1] == '*' || body[i-1] == '+' || body[i-1] == '?') { // as little as possible
				put(-0.2, i, 1, "")
				break
			}
			for _, other := range "*+?" {
				if byte(other) != c {
					put(0, i, 1, string(other))
				}
			}
			if put(-0.5, i, 1, ""); next != '?' {
				put(-0.1, i, 1, string(c)+"?")
			}
		case size == 2 && strings.Contains(`wdsWDS`, atom[1:]):
			for _, other := range []string{`\w`, `\d`, `\s`, `\S`, "."} {
				if other != atom {
					put(-0.7, i, 2, other)
				}
			}
			for _, more := range []string{".", "-", " ", "/", ":", "+"} {
				put(-0.6, i, 2, "["+atom+more+"]")
			}
			if !counted {
				put(-0.2, i+2, 0, "+")
				put(-0.3, i+2, 0, "*")
			}
		case size == 2:
			if put(-0.8, i, 2, atom[1:]); !counted {
				put(-0.6, i+2, 0, "?")
			}
		case c == '.':
			if put(-0.1, i, 1, `\.`); !counted {
				put(-0.3, i+1, 0, "*")
				put(-0.3, i+1, 0, "+")
			}
		case c == '(' && next != '?':
			put(-0.4, i+1, 0, "?:")
		case c == ')' && !counted:
			put(-0.4, i+1, 0, "?")
			put(-0.6, i+1, 0, "+")
			put(-0.6, i+1, 0, "*")
		case c == ')' || c == '|' || c == '^' || c == '$' || c == '{' || c == '}' || c == '(' || c == '?':
		case c >= '0' && c <= '9' && i > 0 && (body[i-1] == '{' || body[i-1] == ','):
			put(-0.3, i, 1, string(c+1))
			put(-0.3, i, 1, string(c-1))
		case !counted:
			put(-0.8, i+1, 0, "?")
		}
		i += size - 1
	}
	return out
}
