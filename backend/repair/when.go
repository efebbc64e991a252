package repair

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A change that turns the failing tests green and breaks others is often right in some cases alone. when makes candidates
// that take it under a condition, and keep the original else: the condition is one that the repository asks elsewhere, with
// the literals that it asks for, or one over what is in scope (as SPR stages them: Long, Rinard, 2015).

// maxWhen bounds the conditions that are tried with one change.
const maxWhen = 160

// when makes the conditional forms of a change.
func (s *search) when(c *candidate, files []*source) []*candidate {
	if len(c.more) > 0 || len(c.edits) == 0 {
		return nil
	}
	src := c.src
	at := src.root.smallest(c.edits[0].start, c.edits[len(c.edits)-1].end)
	if at == nil {
		return nil
	}
	st := at.statement()
	if st == nil || st.class == function {
		return nil
	}
	m := &maker{s: src, sc: src.scopeOf(st), unit: src.indentUnit(), donor: conditions(files)}
	var holder *node // the condition or the returned value that the change lies in
	if st.class == ret && len(st.operands()) == 1 {
		holder = st.operands()[0]
	}
	for p := at; p != nil && p != st.parent; p = p.parent {
		if (p.class == cond || p.class == loop) && p.condition() != nil && p.condition().start <= c.edits[0].start && c.edits[0].end <= p.condition().end {
			holder = p.condition()
		}
	}
	if holder == nil || holder.start > c.edits[0].start || holder.end < c.edits[len(c.edits)-1].end {
		return nil
	}
	was, now := src.of(holder), splice(src.text, holder.start, holder.end, c.edits)
	var out []*candidate
	for i, p := range m.cases(st) {
		if i >= maxWhen {
			break
		}
		w := -0.02 * float64(i)
		add := func(e edit) {
			out = append(out, &candidate{src: src, edits: []edit{e}, kind: "under a condition", line: c.line, score: c.score + w})
		}
		if st.class == ret {
			indent := src.indent(st.line)
			add(edit{st.start, st.end, src.row.guard(p, src.of(st), indent, m.unit) + "\n" + indent + splice(src.text, st.start, st.end, c.edits)})
			add(edit{st.start, st.end, src.row.guard(p, splice(src.text, st.start, st.end, c.edits), indent, m.unit) + "\n" + indent + src.of(st)})
			continue
		}
		for _, text := range []string{src.row.either(p, now, was), src.row.either(src.row.not(p), now, was)} {
			if text != was {
				add(edit{holder.start, holder.end, text})
			}
		}
	}
	return out
}

var literal = regexp.MustCompile(`'[^']*'|"[^"]*"`)

// cases are conditions that could tell when a change is right: asked elsewhere, the same with other literals that are
// asked for, two of a family joined, then those over what is in scope.
func (m *maker) cases(n *node) []string {
	families := map[string][]string{} // form with the literal left out → literals
	var order, out []string
	var asked []string // literals that any condition asks for, of a form with the same last call
	for _, d := range m.donor {
		if lits := literal.FindAllString(d, -1); len(lits) == 1 {
			form := literal.ReplaceAllString(d, "\x00")
			if families[form] == nil {
				order = append(order, form)
			}
			families[form] = append(families[form], lits[0])
			asked = append(asked, d)
		}
	}
	seen := map[string]bool{}
	add := func(c string) {
		if !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	for _, form := range order {
		if !m.fits(strings.Replace(form, "\x00", "''", 1), n.start) {
			continue
		}
		tail := form[strings.LastIndexByte(form[:strings.IndexByte(form, 0)], '.')+1:]
		lits := slices.Clone(families[form])
		for _, d := range asked { // any.has('day') counts for schedule.any.has(…)
			l := literal.FindString(d)
			if strings.Contains(literal.ReplaceAllString(d, "\x00"), tail) && !slices.Contains(lits, l) {
				lits = append(lits, l)
			}
		}
		lits = lits[:min(len(lits), 8)]
		for _, l := range lits {
			add(strings.Replace(form, "\x00", l, 1))
		}
		for i, a := range lits {
			for _, b := range lits[i+1:] {
				x, y := strings.Replace(form, "\x00", a, 1), strings.Replace(form, "\x00", b, 1)
				add(x + " " + m.s.row.or + " " + y)
				add(x + " " + m.s.row.and + " " + y)
			}
		}
	}
	preds := m.predicates(n, n)
	slices.SortStableFunc(preds, func(a, b predicate) int { return cmp.Compare(b.weight, a.weight) })
	for _, p := range preds {
		add(p.text)
	}
	return out
}

// smallest is the smallest node that holds two bytes.
func (n *node) smallest(from, to int) *node {
	if n.start > from || n.end < to {
		return nil
	}
	for _, k := range n.kids {
		if found := k.smallest(from, to); found != nil {
			return found
		}
	}
	return n
}
