package repair

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Edits are made piece by piece, so that one can leave arithmetic behind that no person writes: a bound of 1 less one is
// `1-1`, a distance of 1 less one is `x + 0`. plain gives each the form that a person would write, before candidates that say the
// same are told from each other.

// plain rewrites a candidate into its natural form; false where it then does nothing, or has none.
func (c *candidate) plain() bool {
	if len(c.edits) == 0 {
		return true
	}
	s, first, last := c.src, c.edits[0].start, c.edits[len(c.edits)-1].end
	n := s.root.smallest(first, last)
	for n != nil && !n.named { // an operator
		n = n.parent
	}
	if n == nil || !n.isExpression() {
		return !s.idles(c)
	}
	for n.parent != nil && n.parent.class == binary {
		n = n.parent
	}
	was, now := s.of(n), splice(s.text, n.start, n.end, c.edits)
	if oddOps.MatchString(now) && !oddOps.MatchString(was) {
		return false
	}
	if short := folded(now); short != now && folded(was) == was {
		c.edits = []edit{{n.start, n.end, short}}
		now = short
	}
	if now == was {
		return false
	}
	s.wholeSlice(c, n, now)
	return !s.idles(c)
}

// wholeSlice takes a first bound of 0 out of a slice of Go or Python, where it says nothing.
func (s *source) wholeSlice(c *candidate, n *node, now string) {
	p := n.parent
	switch {
	case n.class == slice && now == "0:" && p.class == index && s.onlyAsked(p):
		c.edits = []edit{{p.start, p.end, s.of(p.operands()[0])}}
	case n.class == slice && strings.HasPrefix(now, "0:"): // Python's
		c.edits = []edit{{n.start, n.end, now[1:]}}
	case now != "0" || p == nil || p.class != slice:
	case s.row.name == "python" && p.start == n.start:
		c.edits = []edit{{n.start, n.end, ""}}
		if whole := p.parent; s.of(p) == s.of(n)+":" && whole.class == index && s.onlyAsked(whole) {
			c.edits = []edit{{whole.start, whole.end, s.of(whole.operands()[0])}}
		}
	case s.row.name == "go" && p.get("start") == n:
		if o := p.get("operand"); o != nil && p.get("end") == nil && p.get("capacity") == nil {
			c.edits = []edit{{p.start, p.end, s.of(o)}}
			return
		}
		c.edits = []edit{{n.start, n.end, ""}}
	}
}

// onlyAsked reports whether a collection's value is not kept where it stands, so that it may as well be a copy.
func (s *source) onlyAsked(n *node) bool {
	p := n.parent
	switch p.class {
	case unary, binary, cond, loop:
		return true
	case each:
		return n.field == "right"
	case args:
		return p.parent.callee() != nil && s.of(p.parent.callee()) == "len"
	}
	return false
}

// idles reports whether a candidate makes its statement one that does nothing: `x = x`, `x += 0`.
func (s *source) idles(c *candidate) bool {
	if len(c.edits) != 1 || len(c.more) > 0 {
		return false
	}
	e := c.edits[0]
	n := s.root.smallest(e.start, e.end)
	for n != nil && n.class != assign && n.class != augmented && !n.isStatement() {
		n = n.parent
	}
	if n == nil || n.class != assign && n.class != augmented || n.start > e.start || n.end < e.end {
		return false
	}
	m := idleForm.FindStringSubmatch(splice(s.text, n.start, n.end, c.edits))
	return m != nil && (m[1] == m[2] || m[3] != "")
}

var (
	idleForm = regexp.MustCompile(`^([\w.]+)\s*(?:=\s*([\w.]+)|([+-]=\s*0|(?:\*|/|//)=\s*1))$`)
	oddOps   = regexp.MustCompile(`(?:[*%]|//?)\s*0(?:$|[^\w.])|(?:%|//?)\s*1(?:$|[^\w.])`)

	twoNumbers = regexp.MustCompile(`(^|[(\[{,:=<>?&|!])(\s*)(0|[1-9]\d{0,8})\s*([+-])\s*(0|[1-9]\d{0,8})`)
	threeTerms = regexp.MustCompile(`([A-Za-z_)\]]\w*)(\s*)([+-])(\s*)(0|[1-9]\d{0,8})\s*([+-])\s*(0|[1-9]\d{0,8})`)
	plusZero   = regexp.MustCompile(`([\w)\]])\s*[+-]\s*0`)
	zeroPlus   = regexp.MustCompile(`(^|[(\[{,:=<>?&|!])(\s*)0\s*\+\s*`)
	timesOne   = regexp.MustCompile(`([\w)\]])\s*\*{1,2}\s*1`)
	oneTimes   = regexp.MustCompile(`(^|[(\[{,:=<>?&|!+-])(\s*)1\s*\*\s*`)
)

// folded works out constant arithmetic in an expression. One with a text in it is left as it is.
func folded(text string) string {
	if strings.ContainsAny(text, "'\"`") {
		return text
	}
	for range 8 {
		was := text
		text = foldOnce(text, twoNumbers, func(g []string) string {
			v := sum("+", g[3], g[4], g[5])
			return g[1] + g[2] + strconv.Itoa(v)
		})
		text = foldOnce(text, threeTerms, func(g []string) string {
			switch v := sum(g[3], g[5], g[6], g[7]); {
			case v == 0:
				return g[1]
			case v < 0:
				return fmt.Sprintf("%s%s-%s%d", g[1], g[2], g[4], -v)
			default:
				return fmt.Sprintf("%s%s+%s%d", g[1], g[2], g[4], v)
			}
		})
		text = foldOnce(text, plusZero, func(g []string) string { return g[1] })
		text = foldOnce(text, timesOne, func(g []string) string { return g[1] })
		text = foldOnce(text, zeroPlus, func(g []string) string { return g[1] + g[2] })
		text = foldOnce(text, oneTimes, func(g []string) string { return g[1] + g[2] })
		if text == was {
			break
		}
	}
	return text
}

// foldOnce replaces the first match of a form that ends at the end of a number, and binds no further.
func foldOnce(text string, form *regexp.Regexp, by func(groups []string) string) string {
	for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
		rest := text[m[1]:]
		ends := text[m[1]-1]
		if ends >= '0' && ends <= '9' { // the form ends with its number
			if rest != "" && strings.ContainsAny(rest[:1], ".0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
				continue
			}
			if next := strings.TrimLeft(rest, " "); next != "" && strings.ContainsAny(next[:1], "*/%.") {
				continue
			}
		}
		var groups []string
		for i := 0; i < len(m); i += 2 {
			groups = append(groups, text[m[i]:m[i+1]])
		}
		return text[:m[0]] + by(groups) + rest
	}
	return text
}

// sum is a with its sign and b with its own.
func sum(signA, a, signB, b string) int {
	x, _ := strconv.Atoi(a) // nine digits at most
	y, _ := strconv.Atoi(b)
	if signA == "-" {
		x = -x
	}
	if signB == "-" {
		y = -y
	}
	return x + y
}
