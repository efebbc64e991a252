package repair

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Of whole numbers `i + 1 > n` and `i >= n` say the same, but where a number is too large for its type. Nobody has to choose
// between two such edits, so they count as one; only where the syntax tells that the numbers are whole.

// sums is a comparison of whole numbers as one sum that is held against 0.
type sums struct {
	op    string         // ">=", "==" or "!="
	terms map[string]int // text → how often
	plus  int
}

func (f sums) String() string {
	var b strings.Builder
	for _, t := range slices.Sorted(maps.Keys(f.terms)) {
		fmt.Fprintf(&b, "%+d*%s", f.terms[t], t)
	}
	fmt.Fprintf(&b, "%+d%s0", f.plus, f.op)
	return b.String()
}

// times is the sum taken so often.
func (f sums) times(n int) sums {
	out := sums{op: f.op, terms: map[string]int{}, plus: n * f.plus}
	for t, c := range f.terms {
		out.terms[t] = n * c
	}
	return out
}

// not is the comparison that says the opposite.
func (f sums) not() sums {
	switch f.op {
	case "==":
		f.op = "!="
	case "!=":
		f.op = "=="
	default: // a >= 0 is false where -a-1 >= 0
		f = f.times(-1)
		f.plus--
	}
	return f
}

// wholes reads comparisons of whole numbers in a file.
type wholes struct {
	s     *source
	names map[*node]map[string]bool // function, nil the file's top → names of whole numbers
}

// meaning is the text of a candidate's files, with each comparison of whole numbers in one form; "" where it cannot be read.
func (c *candidate) meaning() string {
	var b strings.Builder
	for _, one := range c.all() {
		s := parse(one.src.path, one.after())
		if s == nil || s.broken {
			return ""
		}
		w, at := &wholes{s: s, names: map[*node]map[string]bool{}}, 0
		b.WriteString(s.path + "\n")
		s.root.walk(func(n *node) bool {
			f, ok := w.comparison(n)
			if ok {
				b.WriteString(s.text[at:n.start] + f.String())
				at = n.end
			}
			return !ok
		})
		b.WriteString(s.text[at:])
	}
	return b.String()
}

// comparison is a comparison of two whole numbers, however it is bracketed or denied.
func (w *wholes) comparison(n *node) (sums, bool) {
	o := n.operands()
	switch {
	case n.class == paren && len(o) == 1:
		return w.comparison(o[0])
	case n.class == unary && len(o) == 1 && slices.Contains([]string{"!", "not"}, strings.TrimSpace(w.s.text[n.start:o[0].start])):
		f, ok := w.comparison(o[0])
		return f.not(), ok
	case n.class != binary || len(o) != 2:
		return sums{}, false
	}
	var f sums
	more := func(a, b *node, less int) { // a less b, at least 0
		f = sums{op: ">=", terms: map[string]int{}, plus: -less}
		w.add(&f, a, 1)
		w.add(&f, b, -1)
	}
	switch w.s.operator(n, 0) {
	case ">":
		more(o[0], o[1], 1)
	case ">=":
		more(o[0], o[1], 0)
	case "<":
		more(o[1], o[0], 1)
	case "<=":
		more(o[1], o[0], 0)
	case "==", "===":
		more(o[0], o[1], 0)
		f.op = "=="
	case "!=", "!==":
		more(o[0], o[1], 0)
		f.op = "!="
	default:
		return sums{}, false
	}
	if !w.compares(o) {
		return sums{}, false
	}
	maps.DeleteFunc(f.terms, func(_ string, n int) bool { return n == 0 })
	if all := slices.Sorted(maps.Keys(f.terms)); f.op != ">=" && len(all) > 0 && f.terms[all[0]] < 0 {
		f = f.times(-1)
	}
	return f, true
}

// add takes a part of a sum in.
func (w *wholes) add(f *sums, n *node, times int) {
	n, o := n.inner(), n.inner().operands()
	switch op := w.s.operator(n, 0); {
	case n.class == binary && len(o) == 2 && (op == "+" || op == "-"):
		w.add(f, o[0], times)
		if op == "-" {
			times = -times
		}
		w.add(f, o[1], times)
	case n.class == integer:
		v, _ := numeral(w.s.of(n))
		f.plus += times * v
	default:
		f.terms[strings.Join(strings.Fields(w.s.of(n)), " ")] += times
	}
}

func numeral(text string) (int, bool) {
	v, err := strconv.ParseInt(text, 10, 32)
	return int(v), err == nil
}

// compares reports whether the operands of a comparison are whole numbers. In Go, where both are of one type, it is enough to
// know it of a part of them.
func (w *wholes) compares(o []*node) bool {
	var parts []*node
	var split func(n *node)
	split = func(n *node) {
		n = n.inner()
		if op := w.s.operator(n, 0); n.class == binary && (op == "+" || op == "-") {
			for _, k := range n.operands() {
				split(k)
			}
			return
		}
		parts = append(parts, n)
	}
	split(o[0])
	split(o[1])
	known := 0
	for _, p := range parts {
		switch {
		case p.class == integer:
			if _, ok := numeral(w.s.of(p)); !ok {
				return false
			}
		case w.whole(p):
			known++
		case w.s.row.name != "go" || strings.Contains(w.s.of(p), "("):
			return false
		}
	}
	return known > 0
}

// whole reports whether an expression is a whole number with a sign, as far as the syntax tells.
func (w *wholes) whole(n *node) bool {
	s, n := w.s, n.inner()
	all := func(list []*node) bool {
		return !slices.ContainsFunc(list, func(k *node) bool { return !w.whole(k) })
	}
	language := s.row.name
	switch n.class {
	case integer:
		_, ok := numeral(s.of(n))
		return ok
	case ident:
		return w.known(n)[s.of(n)]
	case unary:
		return strings.HasPrefix(s.of(n), "-") && all(n.operands())
	case binary:
		switch s.operator(n, 0) {
		case "+", "-", "*", "%", "//":
			return all(n.operands())
		case "/":
			return (language == "go" || language == "java") && all(n.operands())
		case "<<", ">>", ">>>", "&", "|", "^":
			return strings.HasSuffix(language, "script") || language == "tsx" || all(n.operands())
		}
	case member:
		name := n.memberName()
		return name != nil && s.of(name) == "length" && language != "go" && language != "python"
	case call:
		f := n.callee()
		if f == nil {
			return false
		}
		name := s.of(f)
		if f.class == member && !strings.HasPrefix(name, "Math.") {
			name = s.of(f.memberName())
		}
		switch language {
		case "go", "python":
			return f.class == ident && (name == "len" || name == "cap")
		case "java":
			return slices.Contains([]string{"length", "size", "indexOf", "lastIndexOf", "charAt"}, name)
		}
		return slices.Contains([]string{"indexOf", "lastIndexOf", "Math.floor", "Math.ceil", "Math.round", "Math.trunc"}, name)
	}
	return false
}

// known are the names of whole numbers in the function of a node.
func (w *wholes) known(n *node) map[string]bool {
	var fn *node
	for p := n; p != nil; p = p.parent {
		if p.class == function {
			fn = p
		}
	}
	if names, ok := w.names[fn]; ok {
		return names
	}
	names := map[string]bool{}
	w.names[fn] = names
	if fn == nil {
		return names
	}
	sc := w.s.scopeOf(n)
	for v, t := range sc.types {
		if slices.Contains(signedTypes, t) {
			names[v] = true
		}
	}
	fn.walk(func(k *node) bool {
		w.learn(sc, k, names)
		return true
	})
	return names
}

// signedTypes are those with a sign, in all languages: 0 less one is no number of the others.
var signedTypes = []string{"int", "int8", "int16", "int32", "int64", "rune", "long", "short", "Integer", "Long", "Short"}

// learn takes in what a place where a name is given a value, or counts, tells of it. What is once no whole number is none.
func (w *wholes) learn(sc *scope, n *node, names map[string]bool) {
	s := w.s
	give := func(name *node, is bool) {
		if name.class != ident || sc.types[s.of(name)] != "" {
			return
		}
		was, known := names[s.of(name)]
		names[s.of(name)] = is && (was || !known)
	}
	l, r := n.get("left"), n.get("right")
	switch {
	case n.kind == "range_clause" && l != nil && r != nil && len(l.operands()) > 0:
		t := sc.types[s.of(r)]
		give(l.operands()[0], r.class != call && !strings.HasPrefix(t, "map[") && !strings.Contains(t, "chan"))
	case n.class == each && l != nil && r != nil:
		give(l, r.class == call && r.callee() != nil && s.of(r.callee()) == "range")
	case n.class == assign || n.class == augmented:
		if l == nil {
			l, r = n.get("name"), n.get("value")
		}
		if l == nil || r == nil {
			return
		}
		left, right := []*node{l}, []*node{r}
		if l.class == tuple {
			left, right = l.operands(), r.operands()
		}
		for i, name := range left {
			give(name, len(left) == len(right) && w.whole(right[i]))
		}
	case n.class == ident && n.parent.class == index && n.parent.kids[0] != n:
		give(n, true)
	}
}
