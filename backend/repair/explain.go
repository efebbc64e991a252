package repair

import "strings"

// Explain tells what the engine's edits say of one change of a file: the kind of the first edit that turns one text into the
// other, blanks aside ("" none does), and how many edits of each kind there are at the changed lines. Where no edit can be
// made, since the language is not known or the texts are the same but for comments and doc strings, made is nil. It is what the priors are counted by.
func Explain(path, before, after string) (kind string, made map[string]int) {
	s := parse(path, before)
	if s == nil || s.broken || before == after {
		return "", nil
	}
	if to := parse(path, after); to != nil && s.code() == to.code() {
		return "", nil
	}
	first, last := differs(before, after)
	lines := map[int]float64{}
	for l := first; l <= last; l++ {
		lines[l] = 1
	}
	all := candidates([]*source{s}, map[string]map[int]float64{path: lines}, hints{}, nil, learn(nil))
	from, to := s.lines[first-1], len(before)
	if last < len(s.lines) {
		to = s.lines[last]
	}
	want := squeezeAll(after[from : len(after)-(len(before)-to)])
	made = map[string]int{}
	for _, c := range all {
		made[c.kind]++
		if e := c.edits; kind == "" && e[0].start >= from && e[len(e)-1].end <= to && squeezeAll(splice(before, from, to, e)) == want {
			kind = c.kind
		}
	}
	return kind, made
}

// code is the text of a file without comments, doc strings and blanks but the indent of Python's statements.
func (s *source) code() string {
	var b strings.Builder
	s.root.walk(func(n *node) bool {
		if n.class == comment || isDocstring(n) {
			return false
		}
		if s.row.name == "python" && n.isStatement() {
			b.WriteString("\n" + s.indent(n.line))
		}
		if len(n.kids) == 0 {
			b.WriteString(s.of(n) + " ")
		}
		return true
	})
	return b.String()
}

// differs is the range of lines of a text that another one changes, widened by a line where lines are only put in.
func differs(before, after string) (first, last int) {
	i, most := 0, min(len(before), len(after))
	for i < most && before[i] == after[i] {
		i++
	}
	j := 0
	for j < most-i && before[len(before)-1-j] == after[len(after)-1-j] {
		j++
	}
	first = 1 + strings.Count(before[:i], "\n")
	last = 1 + strings.Count(before[:max(len(before)-j, i)], "\n")
	if strings.HasSuffix(before[:max(len(before)-j, i)], "\n") && last > first {
		last--
	}
	return first, min(last, strings.Count(strings.TrimSuffix(before, "\n"), "\n")+1)
}

// squeezeAll leaves out all blanks.
func squeezeAll(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, " ", "")), "\n")
}
