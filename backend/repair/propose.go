package repair

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// best is the candidate to propose of those that pass, nil none.
func (s *search) best() *candidate {
	s.order()
	for _, c := range s.passing {
		if !slices.Contains(s.st.refused, c.diff()) {
			return c
		}
	}
	return nil
}

// loops is how much it counts against an edit that it does not end on more inputs than another that passes: who wrote it did
// not mean that.
const loops = 1.0

// endless is on how many inputs that no test has a candidate that passes does not end.
func (s *search) endless(c *candidate) int {
	at, ok := s.met[c]
	if !ok {
		return 0
	}
	return s.st.top().batches[at.batch].endless[at.number]
}

func (s *search) leastEndless() int {
	least := math.MaxInt
	for _, c := range s.passing {
		least = min(least, s.endless(c))
	}
	return least
}

// longest is how many letters a condition may have that a person would write.
const longest = 120

// poor reports whether what passes is so odd or long, or takes away so much, that a better one is looked for in one batch more
// than the first in which something passed.
func (s *search) poor(c *candidate) bool {
	if len(s.st.top().batches) > s.since+1 || s.st.tried >= maxTried || len(s.st.refused) > 0 {
		return false
	}
	odd := c.smell()
	return odd >= 1 || odd+byAccident(c.kind) >= 2 || c.kind == "under a condition" && len(c.edits[0].text) > longest
}

// order puts the smallest and most natural first, and what only takes behaviour away last.
func (s *search) order() {
	given := s.st.hints().given
	rank := map[*candidate]float64{}
	least := s.leastEndless()
	for _, c := range s.passing {
		rank[c] = c.quality() - c.special(given) - c.smell() - s.beside[c]
		if s.endless(c) > least {
			rank[c] -= loops
		}
	}
	s.rank = rank
	slices.SortStableFunc(s.passing, func(a, b *candidate) int { return cmp.Compare(rank[b], rank[a]) })
}

// byAccident is how much easier edits of a kind than others turn a red test green without being right: what takes away, and what
// comes from elsewhere. Measured on mutants of small programs of our own with few tests, where of those that passed the visible
// tests, by kind, none to four in ten passed the hidden ones.
func byAccident(kind string) float64 {
	switch kind {
	case "delete":
		return 3
	case "drop condition":
		return 1.2
	case "expression":
		return 0.9
	case "unwrap":
		return 0.6
	case "constant", "drop operand":
		return 0.5
	case "move", "sibling", "update", "slice":
		return 0.4
	}
	return 0
}

// quality is the score of a candidate with what counts only once the tests pass.
func (c *candidate) quality() float64 {
	q := c.score
	for _, p := range append([]*candidate{c}, c.more...) {
		q -= byAccident(p.kind)
	}
	if c.losesText() {
		q -= 0.6
	}
	size := 0
	for _, one := range c.all() {
		for _, e := range one.edits {
			size += len(e.text)
		}
	}
	return q - math.Log1p(float64(size))*0.1
}

var someText = regexp.MustCompile(`"[^"\n]+"|'[^'\n]+'`)

// losesText reports whether a candidate takes out a text that stood there and puts none in its place: somebody wanted it to be
// read.
func (c *candidate) losesText() bool {
	for _, one := range c.all() {
		for _, e := range one.edits {
			was, now := someText.FindAllString(one.src.text[e.start:e.end], -1), someText.FindAllString(e.text, -1)
			if len(was) > len(now) {
				return true
			}
		}
	}
	return false
}

// special is how much a candidate looks made for the failing tests' input alone: it writes a number or text that they speak of
// and that did not stand there, or asks for a value where another one is right for all.
func (c *candidate) special(given map[string]bool) float64 {
	s := 0.0
	for _, one := range c.all() {
		for _, g := range one.groups() {
			was := ""
			for l := g.first; l <= g.last; l++ {
				was += one.src.lineText(l) + "\n"
			}
			for _, lit := range literals.FindAllString(strings.Join(g.lines, "\n"), -1) {
				if given[lit] && len(lit) > 1 && !strings.Contains(was, lit) {
					s += 1.5
				}
			}
		}
	}
	for _, p := range append([]*candidate{c}, c.more...) {
		if slices.Contains([]string{"widen", "narrow", "condition", "guard", "under a condition", "split condition"}, p.kind) {
			s += 0.4
		}
	}
	return s
}

// diff is the candidate as a unified diff.
func (c *candidate) diff() string {
	var pairs []patch.Pair
	for _, one := range c.all() {
		pairs = append(pairs, patch.Pair{Path: one.src.path, Before: &patch.Content{Data: []byte(one.src.text), Mode: 0o644}, After: &patch.Content{Data: []byte(one.after()), Mode: 0o644}})
	}
	p, err := patch.Diff(pairs)
	if err != nil {
		return ""
	}
	return p.String()
}

// propose applies a candidate and finishes.
func (s *search) propose(c *candidate) (string, []model.Call) {
	var calls []model.Call
	if s.st.patched != "" { // the one before was refused
		calls = append(calls, called("apply_patch", map[string]any{"patch": invert(s.st.patched)}))
	}
	calls = append(calls, called("apply_patch", map[string]any{"patch": c.diff()}), called("finish", s.verdict(c)))
	tried := plural(s.st.tried, "edit")
	switch turned := s.turnedDown(); {
	case turned > 0:
		return fmt.Sprintf("Of %s that I tried, %d make all tests pass; %s not taken. The next in my order, which goes by how suspected the place is, how often people fix a bug so, and how usual the code reads: %s.",
			tried, len(s.passing), were(turned), c.at()), calls
	case len(s.passing) > 1:
		return fmt.Sprintf("Of %s that I tried, %d make all tests pass. I take the smallest and most natural: %s.", tried, len(s.passing), c.at()), calls
	}
	return fmt.Sprintf("Of %s that I tried, one makes all tests pass: %s.", tried, c.at()), calls
}

// turnedDown is how many of those that pass all tests the person rejected, or a proof refused.
func (s *search) turnedDown() int {
	n := 0
	for _, c := range s.passing {
		if slices.Contains(s.st.refused, c.diff()) {
			n++
		}
	}
	return n
}

func were(n int) string {
	if n == 1 {
		return "1 of them was"
	}
	return fmt.Sprintf("%d of them were", n)
}

// theFailing names the failing tests by their number.
func (st *state) theFailing() string {
	if len(st.failing) == 1 {
		return "the failing test"
	}
	return "the failing tests"
}

// onTopOf names the files of the edits that were kept before.
func (s *search) onTopOf() string {
	var files []string
	for _, l := range s.st.levels[1:] {
		for _, m := range hunkLines.FindAllStringSubmatch(l.step, -1) {
			if m[1] != "" && !slices.Contains(files, m[1]) {
				files = append(files, m[1])
			}
		}
	}
	if len(files) == 0 {
		return ""
	}
	return ", on top of the edit in " + strings.Join(files, " and ") + ","
}

// stopUnsteady ends the search where what passed failed in the proof, and leaves nothing of it.
func (st *state) stopUnsteady() (string, []model.Call) {
	if st.patched != "" {
		return "What passed when I tried it failed again in the proof. I take it back.", takeBack(st.patched)
	}
	return st.giveUp(fmt.Sprintf("What I tried passed %s once and not again in the proof, %d times: the tests do not do the same each time. Look for what they take from chance, the time, their order or files that a run leaves behind; then start the task again.", st.theFailing(), st.unlike))
}

// giveUp says what was suspected, and what a person can do.
func (st *state) giveUp(why string) (string, []model.Call) {
	var b strings.Builder
	b.WriteString("The " + Label + " found no fix. " + why)
	if len(st.failing) > 0 {
		fmt.Fprintf(&b, "\nA failing test: %s", st.failing[0].id)
	}
	if len(st.levels[0].red) > 0 {
		b.WriteString("\n" + st.suspicion(nil))
	}
	b.WriteString("\nA language model can do more: start Ollama on this machine (`ollama serve`, then `ollama pull qwen3-coder`), or give a key of Anthropic, OpenAI or another provider in the settings, and start the task again with it.")
	return b.String(), nil
}

// Resign says what the search suspects, tried and had left where a limit ends it.
func (engine) Resign(messages []model.Message, why string) string {
	text, _, err := guarded(func() (string, []model.Call) {
		st := read(messages)
		return st.giveUp(strings.ToUpper(why[:1]) + why[1:] + ". " + st.soFar())
	})
	if err != nil {
		return why
	}
	return text
}

// soFar says how far the search came.
func (st *state) soFar() string {
	if !st.top().traced {
		return "That was before the first edit was tried."
	}
	said := fmt.Sprintf("I tried %s; ", plural(st.tried, "edit"))
	s := st.search(st.wanted())
	left := len(s.waiting())
	for _, c := range s.all {
		if !s.tried[c.lines()] {
			left++
		}
	}
	if best := s.best(); best != nil {
		said += best.brief() + " makes all tests pass, but looks odd, and I looked for a better one. "
	} else {
		said += "none makes all failing tests pass without breaking another. "
	}
	if left == 0 {
		return said + "No single edit that I know was left."
	}
	return said + plural(left, "single edit") + " that I know had no turn, or not all of a test's time."
}
