package repair

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Edits that serve several languages: how a loop is left, when a statement runs, what a pattern takes, which method is called.

// braces reports whether a language is one that these edits are made for: those whose blocks have braces.
func (r *row) braces() bool { return r.name != "python" && r.name != "java" }

// leaves ends the function, or a loop further out, where a break or continue stands.
func (m *maker) leaves(n *node) {
	s, r := m.s, m.s.row
	if m.sc.fn == nil || !r.braces() {
		return
	}
	own := n.above(function)
	if own != m.sc.fn && own.get("name") == nil {
		return // of a literal, whose results are not looked at
	}
	w := -0.3
	if sw := n.above(block); sw != nil && strings.HasSuffix(sw.kind, "_case") && r.name == "go" {
		w = 0.6 // it only ends the switch
	}
	for i, v := range m.results() {
		m.put("jump", w-0.1*float64(i), n, r.returns(v))
	}
	loops := 0
	for p := n.parent; p != nil && p.class != function; p = p.parent {
		if p.class != loop && p.class != each {
			continue
		}
		loops++
		if p.parent != nil && p.parent.kind == "labeled_statement" || loops == 1 && w < 0 {
			continue
		}
		label := edit{p.start, p.start, "outer:\n" + s.indent(p.line)}
		for i, word := range []string{"break", "continue"} {
			if len(strings.Fields(s.of(n))) == 1 {
				m.add("jump", w-0.2-0.1*float64(i), label, edit{n.start, n.end, word + " outer" + r.end})
			}
		}
		break
	}
}

// onlyIf has a statement run under a condition.
func (m *maker) onlyIf(n *node) {
	s, r := m.s, m.s.row
	if m.sc.fn == nil || r.name == "java" || n.parent.class != block || n.line != n.last || n.class == ret || n.class == jump || n.class == cond || n.class == loop || n.class == each {
		return
	}
	most := 24
	if r.name == "python" {
		if o := n.operands(); n.kind != "expression_statement" || isDocstring(n) || len(o) == 1 && o[0].class == assign && (o[0].get("left") == nil || s.firstBinding(m.sc, o[0].get("left"))) {
			return
		}
		most = 8
	}
	if t := s.of(n); strings.Contains(t, ":=") || n.kind == "lexical_declaration" || strings.HasPrefix(t, "var ") || strings.HasPrefix(t, "defer ") {
		return
	}
	indent := s.indent(n.line)
	preds := m.predicates(n, n)
	slices.SortStableFunc(preds, func(a, b predicate) int {
		if a.weight == b.weight {
			return 0
		}
		if a.weight > b.weight {
			return -1
		}
		return 1
	})
	given := 0
	for _, p := range preds {
		for _, c := range []string{p.text, p.negated} {
			if c == "" || given >= most {
				continue
			}
			given++
			w := p.weight - 0.7
			if p.first && c == p.text {
				w -= 1
			}
			m.add("only if", w, edit{n.start, n.end, r.guard(c, s.of(n), indent, m.unit)})
		}
	}
}

// guarded asks first whether a part of a condition can be asked at all: for what is nil, or an index behind the end.
func (m *maker) guarded(n *node) {
	s, r, p := m.s, m.s.row, n.parent
	if !r.braces() || p == nil || p.class == paren && p.parent != nil && p.parent.class != binary || !isLogic(s, p) && p.class != paren {
		return
	}
	if n.class == binary && isLogicOp(s.operator(n, 0)) {
		return
	}
	text := s.of(n)
	for _, q := range m.predicates(n, n) {
		if !q.first {
			continue
		}
		if q.negated != "" {
			m.put("narrow", q.weight-0.1, n, q.negated+" "+r.and+" "+text)
		}
		m.put("widen", q.weight-0.3, n, "("+q.text+" "+r.or+" "+text+")")
	}
}

// remainders keep a number below a bound that is usual, or that the file knows.
func (m *maker) remainders(n *node) {
	s, p := m.s, n.parent
	if s.row.name == "python" || n.class != call && n.class != ident && n.class != member && n.class != paren || p == nil || s.bound(n) || n.class != call && p.class == call && p.callee() == n {
		return
	}
	if p.class != assign && p.class != args && p.class != ret && p.class != binary && !(p.class == tuple && p.field != "left") || p.class == binary && !strings.ContainsAny(s.operator(p, 0), "+-<>=") || p.class == args && n.class == call && strings.Contains(s.of(n), "(\"") {
		return
	}
	if n.class == ident && !m.sc.roles[s.of(n)]["number"] || isLogic(s, p) {
		return
	}
	if n.class == call && n.callee() != nil {
		f := s.of(n.callee())
		if t := m.s.resultOf(f); t != "" && !numeric(t) || s.row.name == "go" && f == "append" || f == "make" {
			return
		}
	}
	bounds := []string{}
	if timeWord.MatchString(s.text) {
		bounds = append(bounds, "60", "24", "7", "12", "1000")
	}
	for _, i := range s.ints {
		if v, err := strconv.Atoi(i); err == nil && v > 1 && len(bounds) < 10 && !slices.Contains(bounds, i) {
			bounds = append(bounds, i)
		}
	}
	text := s.of(n)
	for i, b := range bounds {
		w := -0.8 - 0.08*float64(i)
		if n.class == ident || n.class == member {
			w -= 0.5
		}
		m.put("missing operand", w, n, text+" % "+b)
		m.put("missing operand", w-0.4, n, text+" / "+b)
		m.put("missing operand", w-0.4, n, text+" * "+b)
	}
}

var timeWord = regexp.MustCompile(`(?i)hour|minute|second|week`)

func numeric(t string) bool {
	return strings.HasPrefix(t, "int") || strings.HasPrefix(t, "uint") || strings.HasPrefix(t, "float") || t == "byte" || t == "rune" || strings.HasSuffix(t, "Duration")
}

// resultOf is what a function of the file, or a usual one, returns in Go; "" not known.
func (s *source) resultOf(f string) string {
	switch f {
	case "len", "cap", "copy":
		return "int"
	case "string", "strings.TrimSpace", "strings.ToLower", "strings.ToUpper", "strings.Join", "fmt.Sprintf", "fmt.Sprint", "strings.Repeat", "strings.TrimPrefix", "strings.TrimSuffix":
		return "string"
	case "fmt.Errorf", "errors.New":
		return "error"
	}
	found := ""
	name := f[strings.LastIndexByte(f, '.')+1:]
	for _, k := range s.root.kids {
		if k.class == function && k.get("name") != nil && s.of(k.get("name")) == name && k.get("result") != nil {
			found = s.of(k.get("result"))
		}
	}
	return found
}

// parallel repeats a statement for the other pair of variables that go together, as `out.add(a[i])` for `out.add(b[j])`.
func (m *maker) parallel(n *node) {
	s := m.s
	if m.sc.fn == nil || n.parent.class != block || n.line != n.last || n.class == ret || n.class == jump || n.class == cond {
		return
	}
	names := m.names(n)
	if len(names) < 2 || len(names) > 4 {
		return
	}
	text, whole, indent := s.of(n), s.of(m.sc.fn), s.indent(n.line)
	vars, given := m.sc.seen(n.start), 0
	for i, a := range names {
		for _, b := range names[i+1:] {
			at := regexp.MustCompile(`\b` + regexp.QuoteMeta(a) + `\b\W{1,2}\b` + regexp.QuoteMeta(b) + `\b|\b` + regexp.QuoteMeta(b) + `\b\W{1,2}\b` + regexp.QuoteMeta(a) + `\b`).FindString(text)
			if at == "" {
				continue
			}
			for _, x := range vars {
				for _, y := range vars {
					if x == y || slices.Contains(names, x) || slices.Contains(names, y) || given >= 8 {
						continue
					}
					swap := func(t string) string {
						return word.ReplaceAllStringFunc(t, func(w string) string {
							switch w {
							case a:
								return x
							case b:
								return y
							}
							return w
						})
					}
					if other := swap(at); strings.Contains(whole, other) && !strings.Contains(whole, swap(text)) {
						given++
						m.add("missing statement", 0.4, edit{n.end, n.end, "\n" + indent + swap(text)})
						m.add("missing statement", 0.2, edit{n.start, n.start, swap(text) + "\n" + indent})
					}
				}
			}
		}
	}
}

// bounds of a slice, in languages that write `a[from:to]` but Python.
func (m *maker) reslice(n *node) {
	s := m.s
	if s.row.name != "go" {
		return
	}
	of := n.get("operand")
	if of == nil || n.get("capacity") != nil {
		return
	}
	from, to := "", ""
	if k := n.get("start"); k != nil {
		from = s.of(k)
	}
	if k := n.get("end"); k != nil {
		to = s.of(k)
	}
	v := s.of(of)
	give := func(w float64, from, to string) { m.put("slice", w, n, v+"["+from+":"+to+"]") }
	switch {
	case from != "" && to == "":
		give(-0.3, "", from)
		give(-0.8, from, "len("+v+")-1")
	case from == "" && to != "":
		give(-0.3, to, "")
		give(-0.2, "1", to)
		m.put("copy", -0.2, n, v+"[:"+to+":"+to+"]")
	case from != "" && to != "":
		give(-0.3, "", to)
		give(-0.3, from, "")
		give(-0.9, to, from)
		give(-0.3, from, from+"+"+to)
	default:
		give(-0.2, "1", "")
		give(-0.2, "", "len("+v+")-1")
	}
	for _, w := range m.sc.seen(n.start) {
		if !m.sc.roles[w]["number"] {
			continue
		}
		if from == "" {
			give(-0.8, w, to)
		}
		if to == "" && w != from {
			give(-0.8, from, w)
		}
		if from != "" && to != "" && w != from {
			give(-1, from, to+"+"+w)
		}
	}
}

// otherMethod calls another method, or function of the same package, that the file has or calls, the most alike first.
func (m *maker) otherMethod(n *node) {
	s := m.s
	f := n.callee()
	if !s.row.braces() || f == nil || f.class != member || f.memberName() == nil || f.memberOf() == nil {
		return
	}
	name, of := s.of(f.memberName()), s.of(f.memberOf())
	type option struct {
		name string
		w    float64
	}
	var all []option
	for _, alt := range s.called() {
		if alt[1] == name || alt[0] != "" && alt[0] != of || alt[0] == "" && isModule(s, of) && s.row.name == "go" {
			continue
		}
		all = append(all, option{alt[1], -1.1 + 1.2*similar(alt[1], name)})
	}
	slices.SortStableFunc(all, func(a, b option) int {
		if a.w == b.w {
			return 0
		}
		if a.w > b.w {
			return -1
		}
		return 1
	})
	for _, o := range all[:min(len(all), 12)] {
		m.put("function", o.w, f.memberName(), o.name)
	}
}

// called are the methods that the file defines or calls (of ""), and the functions that it calls of packages.
func (s *source) called() [][2]string {
	if s.methods != nil {
		return s.methods
	}
	seen := map[[2]string]bool{}
	s.methods = [][2]string{}
	add := func(of, name string) {
		if k := [2]string{of, name}; !seen[k] {
			seen[k] = true
			s.methods = append(s.methods, k)
		}
	}
	s.root.walk(func(n *node) bool {
		if n.kind == "method_declaration" || n.kind == "method_definition" || n.kind == "method_spec" || n.kind == "method_elem" {
			if k := n.get("name"); k != nil {
				add("", s.of(k))
			}
		}
		if f := n.callee(); n.class == call && f != nil && f.class == member && f.memberName() != nil && f.memberOf() != nil {
			of := s.of(f.memberOf())
			if f.memberOf().class == ident && s.row.name == "go" && isModule(s, of) {
				add(of, s.of(f.memberName()))
			} else {
				add("", s.of(f.memberName()))
			}
		}
		return true
	})
	return s.methods
}

var verb = regexp.MustCompile(`%[-+# 0]*(?:\d+)?(?:\.\d+)?[a-zA-Z]`)

// formats changes how a text writes its values: another verb, another width, its line end.
func (m *maker) formats(n *node) {
	s := m.s
	text := s.of(n)
	if s.row.name != "go" || n.class != str || s.kindOf(n) != 's' || n.end-n.start > 200 {
		return
	}
	c := n.above(call)
	if c == nil || c.callee() == nil || !regexp.MustCompile(`(?i)print|errorf|fatalf|logf|append`).MatchString(s.of(c.callee())) {
		return
	}
	wraps := strings.HasSuffix(s.of(c.callee()), "Errorf")
	for i, at := range verb.FindAllStringIndex(text, 5) {
		old := text[at[0]:at[1]]
		put := func(w float64, with string) {
			m.put("format", w-0.1*float64(i), n, text[:at[0]]+with+text[at[1]:])
		}
		kind := old[len(old)-1:]
		for j, with := range map[string][]string{"v": {"%w", "%s", "%d", "%q", "%+v", "%t"}, "s": {"%q", "%v", "%w", "%d"}, "d": {"%02d", "%v", "%2d", "%03d", "%x", "%+d", "%s"}, "q": {"%s", "%v"}, "x": {"%02x", "%X", "%d"}, "X": {"%02X", "%x"},
			"f": {"%.2f", "%.1f", "%.0f", "%.3f", "%g", "%v"}, "g": {"%f", "%.2f", "%v"}, "t": {"%v"}, "w": {"%v"}, "c": {"%q", "%s", "%d"}, "T": {"%v"}}[kind] {
			w := -0.4 - 0.1*float64(j)
			if with == "%w" {
				if !wraps || at[1] < len(text)-3 && strings.Contains(text[at[1]:], "%") {
					w -= 2
				} else {
					w = 0.8
				}
			}
			put(w, with)
		}
		if width := regexp.MustCompile(`\d+`).FindString(old); width != "" {
			put(-0.3, strings.Replace(old, width, "-"+width, 1))
			put(-0.4, strings.Replace(old, width, "0"+width, 1))
			put(-0.4, "%"+kind)
		}
		if strings.HasPrefix(old, "%-") {
			put(-0.2, "%"+old[2:])
		}
	}
	if strings.HasSuffix(text, `\n"`) {
		m.put("format", -0.6, n, text[:len(text)-3]+`"`)
	} else if strings.HasSuffix(text, `"`) {
		m.put("format", -0.7, n, text[:len(text)-1]+`\n"`)
	}
}

var (
	quantifier = regexp.MustCompile(`[+*?]|\{\d+(?:,\d*)?\}`)
	set        = regexp.MustCompile(`\[\^?(?:\\.|[^\]\\])+\]`)
	short      = regexp.MustCompile(`\\[dws]`)
)

// patterns changes what a regular expression takes: its ends, how often, and which letters.
func (m *maker) patterns(n *node) {
	s := m.s
	text := s.of(n)
	from, to := 1, len(text)-1
	switch {
	case n.kind == "regex":
		to = strings.LastIndexByte(text, '/')
	case n.class == str && n.parent.class == args && n.parent.parent.callee() != nil && regexp.MustCompile(`^regexp\.|RegExp$`).MatchString(s.of(n.parent.parent.callee())):
	default:
		return
	}
	if !s.row.braces() || to <= from || to-from > 160 {
		return
	}
	in := text[from:to]
	give := func(w float64, now string) { m.put("pattern", w, n, text[:from]+now+text[to:]) }
	if strings.HasPrefix(in, "^") {
		give(-0.4, in[1:])
	} else {
		give(0.2, "^"+in)
	}
	if strings.HasSuffix(in, "$") {
		give(-0.4, in[:len(in)-1])
	} else {
		give(0.2, in+"$")
		give(0, "^(?:"+in+")$")
	}
	if n.kind != "regex" && !strings.HasPrefix(in, "(?") {
		give(0, "(?i)"+in)
		give(-0.6, "(?s)"+in)
		if strings.ContainsAny(in, "^$") {
			give(-0.3, "(?m)"+in)
		}
	}
	for i, at := range quantifier.FindAllStringIndex(in, 8) {
		if at[0] > 0 && (in[at[0]-1] == '\\' || in[at[0]-1] == '(') {
			continue
		}
		q, w := in[at[0]:at[1]], -0.04*float64(i)
		for j, alt := range []string{"+", "*", "?", ""} {
			if alt != q {
				give(w-0.1-0.1*float64(j), in[:at[0]]+alt+in[at[1]:])
			}
		}
		if (q == "+" || q == "*") && !strings.HasPrefix(in[at[1]:], "?") {
			give(w-0.1, in[:at[1]]+"?"+in[at[1]:])
		}
		if v, err := strconv.Atoi(strings.Trim(q, "{}")); err == nil {
			for _, alt := range []string{strconv.Itoa(v + 1), strconv.Itoa(v - 1), strconv.Itoa(v) + ",", "1," + strconv.Itoa(v)} {
				give(w, in[:at[0]]+"{"+alt+"}"+in[at[1]:])
			}
		}
	}
	for i, at := range set.FindAllStringIndex(in, 6) {
		c, w := in[at[0]:at[1]-1], -0.05*float64(i)
		for j, more := range []string{"A-Z", "a-z", "0-9", "_", ".", "-", "+", " "} {
			if !strings.Contains(c, more) {
				give(w-0.05*float64(j), in[:at[0]]+c+more+in[at[1]-1:])
			}
		}
		if !quantified(in[at[1]:]) {
			give(w, in[:at[1]]+"+"+in[at[1]:])
			give(w-0.2, in[:at[1]]+"*"+in[at[1]:])
		}
	}
	for i, at := range short.FindAllStringIndex(in, 8) {
		if !quantified(in[at[1]:]) {
			give(-0.04*float64(i), in[:at[1]]+"+"+in[at[1]:])
			give(-0.2-0.04*float64(i), in[:at[1]]+"*"+in[at[1]:])
		}
	}
	for i := range in {
		if in[i] == '.' && (i == 0 || in[i-1] != '\\') && !inSet(in, i) && !quantified(in[i+1:]) {
			give(0, in[:i]+`\`+in[i:])
		}
	}
}

func quantified(rest string) bool { return rest != "" && strings.ContainsAny(rest[:1], "+*?{") }

func inSet(pattern string, at int) bool {
	for _, s := range set.FindAllStringIndex(pattern, -1) {
		if s[0] < at && at < s[1] {
			return true
		}
	}
	return false
}
