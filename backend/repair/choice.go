package repair

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Several edits may pass all tests and do something else with other inputs. The engine takes the one that ranks first; where the
// rank tells little, it says so, and a person chooses.

// clear is by how much an edit must rank before another one that does something else to be taken without asking.
const clear = 1.5

// meeting is where a candidate was tried: the batch and its number there, both from 0.
type meeting struct{ batch, number int }

var (
	alikeLine  = regexp.MustCompile(`^(#\d+(?: #\d+)*) alike$`)
	differLine = regexp.MustCompile(`^#(\d+) and #(\d+) differ on ([^\t]*)\t([^\t]*)\t([^\t]*)$`)
)

// compared reads what a line of a result tells of candidates that pass all tests beside each other.
func (b *batch) compared(line string) {
	if m := alikeLine.FindStringSubmatch(line); m != nil {
		all := strings.Fields(strings.ReplaceAll(m[1], "#", ""))
		first, _ := strconv.Atoi(all[0])
		for _, number := range all {
			n, _ := strconv.Atoi(number)
			b.alike[n-1] = first - 1
		}
	}
	if m := differLine.FindStringSubmatch(line); m != nil {
		one, _ := strconv.Atoi(m[1])
		other, _ := strconv.Atoi(m[2])
		b.differ[[2]int{one - 1, other - 1}] = differ{m[3], m[4], m[5]}
	}
}

// apart says whether two candidates that pass do the same as far as was looked, and an input with which they do not, where one
// is known: what the first gives and what the other.
func (s *search) apart(c, o *candidate) (same bool, d differ) {
	a, b := s.met[c], s.met[o]
	if a.batch != b.batch {
		return s.reads(c, o), differ{}
	}
	batch := s.st.top().batches[a.batch]
	one, ok := batch.alike[a.number]
	other, ok2 := batch.alike[b.number]
	if !ok || !ok2 {
		return s.reads(c, o), differ{}
	}
	if d, ok := batch.differ[[2]int{one, other}]; ok {
		return false, d
	}
	if d, ok := batch.differ[[2]int{other, one}]; ok {
		return false, differ{d.input, d.other, d.one}
	}
	return one == other, differ{}
}

// reads says whether two candidates are two ways to write one thing.
func (s *search) reads(c, o *candidate) bool {
	m := s.means(c)
	return m != "" && m == s.means(o)
}

// means is the candidate's meaning, read once.
func (s *search) means(c *candidate) string {
	if _, ok := s.meaning[c]; !ok {
		if s.meaning == nil {
			s.meaning = map[*candidate]string{}
		}
		s.meaning[c] = c.meaning()
	}
	return s.meaning[c]
}

// verdict is what finish is told: what was found, and why a person has to choose, where one has to.
func (s *search) verdict(c *candidate) map[string]any {
	var close, far []*candidate
	for _, o := range s.passing {
		if o == c || slices.Contains(s.st.refused, o.diff()) {
			continue
		}
		if same, _ := s.apart(c, o); same {
			continue
		}
		if s.rank[c]-s.rank[o] < clear {
			close = append(close, o)
		} else {
			far = append(far, o)
		}
	}
	summary := fmt.Sprintf("Found by the %s: %s%s makes %s pass and breaks no other. It knows the tests and the code, not what you want: read the change.", Label, c.at(), s.onTopOf(), s.st.theFailing())
	if n := s.turnedDown(); n > 0 {
		summary += fmt.Sprintf(" It is the next in the engine's order: of the edits that pass, %s not taken.", strings.Replace(were(n), "of them ", "", 1))
	}
	args := map[string]any{}
	switch {
	case len(close) > 0:
		args["doubt"] = s.doubt(c, append(close, far...))
	case len(far) > 0:
		summary += fmt.Sprintf(" %s too, but less naturally: %s.", passes(len(far)), far[0].brief())
	}
	args["summary"] = summary
	return args
}

// maxOthers is how many alternatives a person is shown.
const maxOthers = 3

// doubt tells a person which edits the tests do not tell from the one that was taken, and by which input they can.
func (s *search) doubt(c *candidate, others []*candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s as well, and nothing tells which one is meant:", passes(len(others)))
	for _, o := range others[:min(len(others), maxOthers)] {
		b.WriteString("\n- " + o.brief())
		if _, d := s.apart(c, o); d.input != "" {
			fmt.Fprintf(&b, ": %s gives %s there, %s with this change", d.input, d.other, d.one)
		}
	}
	if n := len(others) - maxOthers; n > 0 {
		fmt.Fprintf(&b, "\n- and %d more", n)
	}
	b.WriteString("\nRead this change before you write it. A test for such an input would decide it: add one and start the task again.")
	return b.String()
}

// passes is how many other edits pass the tests, as the begin of a sentence.
func passes(n int) string {
	if n == 1 {
		return "Another small edit passes all tests"
	}
	return fmt.Sprintf("%d other small edits pass all tests", n)
}

// brief says what a candidate does, where, and its new lines.
func (c *candidate) brief() string {
	var out []string
	for _, one := range append([]*candidate{c}, c.more...) {
		g := one.groups()[0]
		said := one.at()
		var lines []string
		for _, l := range g.lines {
			if l = strings.TrimSpace(l); l != "" && len(lines) < 3 {
				lines = append(lines, l)
			}
		}
		if len(lines) > 0 {
			said += " (`" + strings.Join(lines, "` `") + "`)"
		}
		out = append(out, said)
	}
	return strings.Join(out, " with ")
}
