package repair

import (
	"cmp"
	"fmt"
	"slices"

	"redgreen/backend/model"
)

// search is the candidates of a state with what is known of them.
type search struct {
	st      *state
	all     []*candidate
	byText  map[string]*candidate
	tried   map[string]bool
	passing []*candidate // that pass everything, in the order in which they were found
	since   int          // the batch in which the first was found, from 0
	partial []*candidate
	gains   map[*candidate]gain
	files   []*source
	broke   map[*candidate][]string
	beside  map[*candidate]float64 // of passing
	met     map[*candidate]meeting // of passing
	rank    map[*candidate]float64 // of passing, once they are ordered
	whens   map[*candidate]bool
	meaning map[*candidate]string // of passing, as far as asked
	forms   []*candidate          // under a condition

	compiler *compiler
	blind    []*candidate // two edits together, nil not made

	late []*candidate // that had little time, in the order in which they were tried
}

// search makes the candidates and marks those that were tried.
func (st *state) search(files []string) *search {
	var sources []*source
	for _, f := range files {
		r := st.top().files[f]
		if r == nil || !r.whole() {
			continue
		}
		if s := parse(f, r.text()); s != nil {
			sources = append(sources, s)
		}
	}
	s := &search{st: st, byText: map[string]*candidate{}, tried: map[string]bool{}, gains: map[*candidate]gain{}, broke: map[*candidate][]string{}, beside: map[*candidate]float64{}, met: map[*candidate]meeting{}, whens: map[*candidate]bool{}, compiler: newCompiler()}
	suspects := st.suspects()
	for _, src := range sources {
		if len(suspects[src.path]) == 0 { // nothing was measured: the whole file
			suspects[src.path] = map[int]float64{}
			for l := 1; l <= len(src.lines); l++ {
				suspects[src.path][l] = 0.5
			}
		}
	}
	s.files = sources
	asked := st.asked()
	measured := len(st.top().red) > 0 || len(st.levels) > 1
	for _, src := range sources {
		if !measured {
			src.aroundFrames(suspects[src.path])
		}
		src.atTop(suspects[src.path])
		speak(src, suspects[src.path], asked)
		setUp(src, suspects[src.path])
	}
	s.all = candidates(sources, suspects, st.hints(), priors(), learn(sources))
	for _, c := range s.all {
		s.byText[c.lines()] = c
	}
	for n, b := range st.top().batches {
		s.known()
		for i, text := range b.texts {
			if b.untried[i] {
				continue
			}
			s.tried[text] = true
			c := s.byText[text]
			if b.late[i] && c != nil && !b.patient {
				s.late = append(s.late, c)
			}
			if c == nil {
				c = s.combined(text)
			}
			if c == nil && (slices.Contains(b.pass, i) || b.part[i].n > 0) {
				c = s.blindText(text)
			}
			if c == nil {
				continue
			}
			if slices.Contains(b.pass, i) {
				if len(s.passing) == 0 {
					s.since = n
				}
				if _, known := s.met[c]; !known {
					s.passing = append(s.passing, c)
				}
				s.beside[c] = b.beside[i]
				s.met[c] = meeting{n, i}
			}
			if gain := b.part[i]; gain.n > 0 {
				s.partial = append(s.partial, c)
				s.gains[c] = gain
			}
			if br := b.breaks[i]; len(br) > 0 {
				s.broke[c] = br
			}
		}
	}
	return s
}

// combined finds the candidates that a text of several edits was made of.
func (s *search) combined(text string) *candidate {
	for i, a := range s.partial {
		for _, b := range s.partial[i+1:] {
			if c := join(a, b); c != nil && c.lines() == text {
				return c
			}
		}
	}
	return nil
}

// join makes two candidates one; nil where they touch the same lines.
func join(a, b *candidate) *candidate {
	if a.src == b.src {
		for _, x := range a.groups() {
			for _, y := range b.groups() {
				if x.first <= y.last && y.first <= x.last {
					return nil
				}
			}
		}
	}
	return &candidate{src: a.src, edits: a.edits, kind: a.kind, line: a.line, score: a.score + b.score, more: []*candidate{b}}
}

// next is the next reply of the search: the best of what passes, another batch, a step on what helps in part or back, or
// the end.
func (s *search) next() (string, []model.Call) {
	st, l := s.st, s.st.top()
	best := s.best()
	if best != nil && !s.poor(best) {
		return s.propose(best)
	}
	said := ""
	if n := len(l.batches); n > 0 {
		said = l.batches[n-1].came() + " "
	}
	if best != nil {
		said += "What passes takes something away, or is nothing that a person would write: I look for a better one. "
	}
	var texts []string
	kinds := map[string]int{}
	size := firstBatch
	for _, b := range l.batches {
		if len(b.untried) == 0 {
			size = min(2*size, maxOneBatch)
		}
	}
	take := func(c *candidate) bool {
		if len(texts) == size {
			return false
		}
		t := c.lines()
		if s.tried[t] || s.goesBack(c) || !s.compiler.takes(c, s.files) {
			return false
		}
		s.tried[t] = true
		texts = append(texts, t)
		kinds[c.kind]++
		return true
	}
	rest := s.all
	single := func() {
		for len(rest) > 0 && len(texts) < size {
			c := rest[0]
			rest = rest[1:]
			if take(c) {
				return
			}
		}
	}
	s.known()
	what, alone := "", true
	for _, c := range append(s.pairs(), s.forms...) { // in turn with single edits: one of those is more often meant
		if take(c) {
			what, alone = ", every other one built on what helped", false
			single()
		}
	}
	for len(rest) > 0 && len(texts) < size {
		single()
	}
	if late := s.waiting(); len(texts) == 0 && best == nil && len(late) > 0 {
		return fmt.Sprintf("%sWith %s a failing test took long. Most such edits never end; the likeliest at each line now have all the time that a test may take.", said, plural(len(s.late), "edit")),
			[]model.Call{called("try_patches", map[string]any{"candidates": late, "seconds": batchSeconds, "quick_millis": noQuick, "kept": l.kept})}
	}
	if len(texts) < firstBatch && best == nil && len(st.levels) == 1 {
		for _, c := range s.twoTogether() {
			if take(c) {
				what = ", and two together where one alone did not do"
			}
		}
	}
	if best != nil && len(texts) == 0 {
		return s.propose(best)
	}
	if step := s.step(len(texts) == 0); best == nil && step != nil && alone && len(st.levels) < maxLevels && len(l.batches) > 0 {
		text, calls := s.build(step)
		return said + text, calls
	}
	if over := st.tried >= maxTried; len(texts) == 0 || over || len(st.levels) > 1 && len(l.batches) >= maxLevelBatches {
		if len(st.levels) > 1 && !over {
			return said + "Nothing more helps on top of the edit that I kept. I take it back.", takeBack(l.step)
		}
		return st.giveUp(fmt.Sprintf("I tried %s; none makes all failing tests pass without breaking another.", plural(st.tried, "edit")))
	}
	var again []string // those that passed, to be held beside what comes
	for _, c := range s.passing {
		again = append(again, c.lines())
	}
	var calls []model.Call
	if st.patched != "" {
		calls = append(calls, called("apply_patch", map[string]any{"patch": invert(st.patched)}))
	}
	return fmt.Sprintf("%sI try %s, one by one%s: %s.", said, plural(len(texts), "small edit"), what, counted(kinds)),
		append(calls, called("try_patches", map[string]any{"candidates": append(again, texts...), "seconds": batchSeconds, "kept": l.kept}))
}

// waiting are the candidates that had little time, in rounds of one of each line, the likeliest first: where those of a line never
// end, its others hardly do. They are tried once, for as long as a batch may take.
func (s *search) waiting() []string {
	if slices.ContainsFunc(s.st.top().batches, func(b batch) bool { return b.patient }) {
		return nil
	}
	var rounds [lateAtLine][]string
	at := map[string]int{}
	for _, c := range s.late {
		place := fmt.Sprintf("%s:%d", c.src.path, c.line)
		if n := at[place]; n < lateAtLine {
			rounds[n] = append(rounds[n], c.lines())
			at[place]++
		}
	}
	all := slices.Concat(rounds[:]...)
	return all[:min(len(all), maxLate)]
}

// goesBack reports whether a candidate only takes the last step, or an earlier one, back.
func (s *search) goesBack(c *candidate) bool {
	if len(s.st.levels) == 1 || len(c.more) > 0 {
		return false
	}
	after := ""
	for _, l := range s.st.levels[:len(s.st.levels)-1] {
		r := l.files[c.src.path]
		if r == nil || !r.whole() {
			continue
		}
		if after == "" {
			after = c.after()
		}
		if r.text() == after {
			return true
		}
	}
	return false
}

// pairs joins the candidates that help in part, where together they turn more tests green.
func (s *search) pairs() []*candidate {
	var out []*candidate
	list := s.partial[:min(len(s.partial), 60)]
	for i, a := range list {
		for _, b := range list[i+1:] {
			if slices.Equal(s.gains[a].tests, s.gains[b].tests) {
				continue
			}
			if c := join(a, b); c != nil {
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	return out[:min(len(out), 400)]
}

// known adds the conditional forms of the changes that break something, in the order in which they were found, so that
// what was tried of them is known again.
func (s *search) known() {
	for _, c := range s.all {
		if len(s.broke[c]) == 0 || s.whens[c] {
			continue
		}
		s.whens[c] = true
		for _, w := range s.when(c, s.files) {
			if t := w.lines(); s.byText[t] == nil {
				s.byText[t] = w
				s.forms = append(s.forms, w)
			}
		}
	}
}
