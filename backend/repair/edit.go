package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// edit replaces the bytes from start to end of a file.
type edit struct {
	start, end int
	text       string
}

// candidate is one small change of one file that might be the fix.
type candidate struct {
	src    *source
	edits  []edit // in order of place, apart from each other
	kind   string // a row of the table of priors
	line   int    // where it begins
	weight float64
	score  float64
	more   []*candidate // changes of other places that go with it
}

// lines is the text of the candidate for try_patches: whole lines with their numbers.
func (c *candidate) lines() string {
	var b strings.Builder
	for _, one := range c.all() {
		for _, g := range one.groups() {
			fmt.Fprintf(&b, "@@ %s %d-%d\n", one.src.path, g.first, g.last)
			for _, l := range g.lines {
				b.WriteString("|" + l + "\n")
			}
		}
	}
	return b.String()
}

// all are the candidate's parts, those of one file joined, in order of paths.
func (c *candidate) all() []*candidate {
	byPath := map[string]*candidate{}
	var out []*candidate
	for _, p := range append([]*candidate{c}, c.more...) {
		if j := byPath[p.src.path]; j != nil {
			j.edits = append(j.edits, p.edits...)
			continue
		}
		j := &candidate{src: p.src, edits: slices.Clone(p.edits)}
		byPath[p.src.path] = j
		out = append(out, j)
	}
	for _, j := range out {
		slices.SortStableFunc(j.edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	}
	slices.SortFunc(out, func(a, b *candidate) int { return strings.Compare(a.src.path, b.src.path) })
	return out
}

type group struct {
	first, last int
	lines       []string
}

// groups turns the edits into whole lines; edits that share lines become one.
func (c *candidate) groups() []group {
	var out []group
	s := c.src
	for i := 0; i < len(c.edits); {
		j := i + 1
		first, last := s.lineOf(c.edits[i].start), s.lineOf(max(c.edits[i].start, c.edits[i].end))
		for j < len(c.edits) && s.lineOf(c.edits[j].start) <= last {
			last = max(last, s.lineOf(c.edits[j].end))
			j++
		}
		from, to := s.lines[first-1], len(s.text)
		if last < len(s.lines) {
			to = s.lines[last]
		}
		text := strings.TrimSuffix(splice(s.text, from, to, c.edits[i:j]), "\n")
		g := group{first: first, last: last}
		if text != "" || from == to {
			g.lines = strings.Split(text, "\n")
		}
		out = append(out, g)
		i = j
	}
	return out
}

// splice is the text from one byte to another with edits made.
func splice(text string, from, to int, edits []edit) string {
	var b strings.Builder
	at := from
	for _, e := range edits {
		b.WriteString(text[at:e.start] + e.text)
		at = e.end
	}
	b.WriteString(text[at:to])
	return b.String()
}

// after is the whole text of a file with the candidate made; of a candidate's part as all gives it.
func (c *candidate) after() string { return splice(c.src.text, 0, len(c.src.text), c.edits) }

// key tells candidates that are the same but for blanks; "" where a candidate is the same as what stands there.
func (c *candidate) key() string {
	var b strings.Builder
	differs := false
	for _, one := range c.all() {
		for _, g := range one.groups() {
			now := squeeze(strings.Join(g.lines, "\n"))
			if one.src.row.braces() {
				now = unspaced(strings.Join(g.lines, "\n"))
				var was []string
				for l := g.first; l <= g.last; l++ {
					was = append(was, one.src.lineText(l))
				}
				differs = differs || unspaced(strings.Join(was, "\n")) != now
			} else {
				differs = true
			}
			fmt.Fprintf(&b, "%s %d-%d %s\n", one.src.path, g.first, g.last, now)
		}
	}
	if !differs {
		return ""
	}
	return b.String()
}

// squeeze leaves out blanks inside lines; the indent counts.
func squeeze(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		t := strings.TrimLeft(l, " \t")
		lines[i] = l[:len(l)-len(t)] + strings.Join(strings.Fields(t), " ")
	}
	return strings.Join(lines, "\n")
}

// maker gathers candidates of one file.
type maker struct {
	s     *source
	sc    *scope
	at    *node // the node that edits are made for
	out   []*candidate
	unit  string // of indent
	hints hints
	donor []string // conditions of the repository
}

// put adds a candidate that replaces a node.
func (m *maker) put(kind string, weight float64, n *node, text string) {
	if m.s.of(n) == text {
		return
	}
	m.add(kind, weight, edit{n.start, n.end, text})
}

// add adds a candidate; none where its edits overlap, as they do where the nodes of code with syntax errors are not what they seem.
func (m *maker) add(kind string, weight float64, edits ...edit) {
	at := 0
	for _, e := range edits {
		if e.start < at || e.end < e.start {
			return
		}
		at = e.end
	}
	m.out = append(m.out, &candidate{src: m.s, edits: edits, kind: kind, weight: weight, line: m.s.lineOf(edits[0].start)})
}

// unspaced leaves out all blanks but those in quotes.
func unspaced(text string) string {
	var b strings.Builder
	var in byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case in != 0:
			if c == '\\' && in != '`' && i+1 < len(text) {
				b.WriteByte(c)
				i++
				c = text[i]
			} else if c == in || c == '\n' && in != '`' {
				in = 0
			}
		case c == '"' || c == '\'' || c == '`':
			in = c
		case c == ' ' || c == '\t':
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
