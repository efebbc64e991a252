// Package repair is a provider whose model is a search: it finds small edits that turn failing tests green, with no
// language model, no key and no network.
//
// It stands where a language model stands and is held to the same: it reads the conversation, says what it suspects and
// why, and acts by the tools alone, so that its sessions are recorded, resumed, limited and proven like any other. What it
// knows it reads from the conversation anew for each reply; it keeps nothing.
//
// The method is that of generate and validate. Lines are suspected by the tests that execute them, with Ochiai's formula
// (Abreu, Zoeteweij, van Gemund, 2007), and by the frames of the failures. Edits come from the syntax tree: the operators
// of PraPR (Ghanbari, Benton, Zhang, 2019), the templates that PAR (Kim and others, 2013) found in people's fixes and TBar
// (Liu and others, 2019) collected, and pieces of the same repository, as in GenProg (Le Goues and others, 2012) and ssFix
// (Xin, Reiss, 2017). They are ranked by suspicion, by how often people make such an edit when they fix a bug (counted, see
// priors.go), and by how natural the result is among the repository's tokens (Hindle and others, 2012). Many are tried in one
// start of the sandbox.
package repair

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"redgreen/backend/lang"
	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// The engine's name as PROVIDER/NAME, and as people read it.
const (
	Provider = "builtin"
	Name     = "repair"
	Ref      = Provider + "/" + Name
	Label    = "built-in engine (no language model)"
)

// window is the context that the engine takes, in tokens: it only reads, so that nothing need ever be left out.
const window = 1 << 30

// Info describes the engine.
func Info() model.Info {
	return model.Info{Provider: Provider, Name: Name, Label: Label, Local: true, Search: true, Window: window}
}

// Model is the engine as a model to give to an agent.
func Model() model.Model { return model.Model{Info: Info(), Provider: engine{}} }

type engine struct{}

// Models lists the one that there is.
func (engine) Models(context.Context) ([]model.Info, error) { return []model.Info{Info()}, nil }

// Chat gives the next act of the search. It costs nothing and never waits.
func (engine) Chat(ctx context.Context, _ string, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return model.Reply{}, &model.Error{Code: model.Cancelled, Provider: Provider, Message: "cancelled", Err: err}
	}
	if !slices.ContainsFunc(req.Tools, func(t model.Spec) bool { return t.Name == "try_patches" }) {
		return reply("I am the "+Label+": I search for edits that turn failing tests green, and answer nothing else.", nil, model.StopGaveUp), nil
	}
	st := read(req.Messages)
	text, calls := st.act()
	stop := model.StopCalls
	if len(calls) == 0 {
		stop = model.StopGaveUp
	}
	r := reply(text, calls, stop)
	if onDelta != nil {
		onDelta(model.Delta{Text: text})
	}
	return r, nil
}

func reply(text string, calls []model.Call, stop model.Stop) model.Reply {
	return model.Reply{Message: model.Message{Role: model.Assistant, Text: text, Calls: calls}, Stop: stop, Usage: model.Usage{Known: true}}
}

// called is a call with its arguments; ids are given by who records it.
func called(name string, args any) model.Call {
	data, err := json.Marshal(args)
	if err != nil { // cannot happen: plain data
		data = []byte("{}")
	}
	return model.Call{Name: name, Args: string(data)}
}

// The bounds of the search.
const (
	maxFiles    = 8    // read and edited
	maxReadLine = 4000 // of one file
	readLines   = 200  // in one call of read_file
	maxBatches  = 16   // in all
	firstBatch  = 200  // candidates; each later batch is twice as large
	maxOneBatch = 1200
	// batchSeconds is for slow machines and slow tests; on a quiet one a batch ends by its size long before.
	batchSeconds = 180

	maxLevels       = 4 // edits that build on each other
	maxLevelBatches = 4 // on top of an edit that helps in part
)

// act decides what comes next: say something and call tools, or give up (no calls).
func (st *state) act() (string, []model.Call) {
	l := st.top()
	if !l.traced {
		if len(st.levels) > 1 {
			return "Now I look at what the remaining failing tests execute.", []model.Call{called("trace_coverage", struct{}{})}
		}
		return st.begin()
	}
	wanted := st.wanted()
	if calls := st.readOn(wanted); len(calls) > 0 {
		return st.suspicion(wanted), calls
	}
	s := st.search(wanted)
	if len(s.all) == 0 && len(st.levels) == 1 {
		return st.giveUp("Nothing points to a place in code for which I know an edit.")
	}
	return s.next()
}

// begin looks at the baseline.
func (st *state) begin() (string, []model.Call) {
	if len(st.failing) == 0 {
		return st.giveUp("No test fails on the untouched copy, and I cannot write one: I only search for edits that turn failing tests green.")
	}
	var names []string
	for _, f := range st.failing[:min(len(st.failing), 3)] {
		names = append(names, f.id)
	}
	more := ""
	if n := len(st.failing) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("I am the %s: I read no prose, I search for small edits that turn the failing tests green and break no other. Failing: %s%s. First I measure which lines they execute.",
		Label, strings.Join(names, ", "), more), []model.Call{called("trace_coverage", struct{}{})}
}

var frame = regexp.MustCompile(`([\w/.-]+\.\w+)["']?(?:, line |:)(\d+)`)

// suspects are the lines that something points to, with how much: what failing tests execute and passing ones do not, and
// the frames of failures, the last one most.
func (st *state) suspects() map[string]map[int]float64 {
	l := st.top()
	out := map[string]map[int]float64{}
	add := func(file string, line int, score float64) {
		if out[file] == nil {
			out[file] = map[int]float64{}
		}
		out[file][line] = max(out[file][line], score)
	}
	for file, lines := range l.red {
		for line, n := range lines {
			add(file, line, 0.15+0.85*ochiai(n[0], n[1], max(l.reds, 1)))
		}
	}
	if len(st.levels) > 1 {
		return out // the messages are of the untouched copy
	}
	for _, f := range st.failing {
		all := append([][]string{{"", f.file, fmt.Sprint(f.line)}}, frame.FindAllStringSubmatch(f.message, -1)...)
		for i, m := range all {
			file := l.known(strings.TrimPrefix(path.Clean(m[1]), "/workspace/"))
			la, ok := lang.ByPath(file)
			if !ok || la.TestFile != nil && la.TestFile(file) || rowOf(la.Name) == nil || path.IsAbs(file) {
				continue
			}
			line, _ := strconv.Atoi(m[2])
			score := 0.6
			if i == len(all)-1 {
				score = 1.2
			}
			if line > 0 {
				add(file, line, score)
			}
		}
	}
	return out
}

// known is the measured file that a frame's path means; where nothing was measured, the path itself.
func (l *level) known(file string) string {
	if len(l.red) == 0 || l.red[file] != nil {
		return file
	}
	found := ""
	for f := range l.red {
		if strings.HasSuffix(f, "/"+file) {
			if found != "" {
				return ""
			}
			found = f
		}
	}
	return found
}

// wanted are the files to read, the most suspected first; without any measure those that a search for the task found.
func (st *state) wanted() []string {
	suspects := st.suspects()
	best := map[string]float64{}
	for f, lines := range suspects {
		for _, s := range lines {
			best[f] = max(best[f], s)
		}
	}
	files := slices.SortedFunc(maps.Keys(suspects), func(a, b string) int {
		return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(len(suspects[a]), len(suspects[b])), strings.Compare(a, b))
	})
	if len(files) == 0 {
		files = st.found()
	}
	return files[:min(len(files), maxFiles)]
}

var hit = regexp.MustCompile(`(?m)^([\w./-]+):(\d+)-(\d+) `)

// found are the files that the first message's search and map name, those with a name like a failing test's first.
func (st *state) found() []string {
	score := map[string]float64{}
	for _, m := range hit.FindAllStringSubmatch(st.first, -1) {
		score[m[1]]++
	}
	for _, m := range regexp.MustCompile(`(?m)^([\w./-]+\.\w+)\b`).FindAllStringSubmatch(st.first, -1) {
		score[m[1]] += 0.1
	}
	for f := range score {
		l, ok := lang.ByPath(f)
		if !ok || rowOf(l.Name) == nil || l.TestFile != nil && l.TestFile(f) {
			delete(score, f)
			continue
		}
		stem := strings.ToLower(strings.TrimSuffix(path.Base(f), path.Ext(f)))
		for _, t := range st.failing {
			if strings.Contains(strings.ToLower(t.id), stem) {
				score[f] += 2
			}
		}
	}
	return slices.SortedFunc(maps.Keys(score), func(a, b string) int { return cmp.Or(cmp.Compare(score[b], score[a]), strings.Compare(a, b)) })
}

// readOn are the calls that read what is not read yet.
func (st *state) readOn(files []string) []model.Call {
	var calls []model.Call
	for _, f := range files {
		r := st.top().files[f]
		switch {
		case r == nil:
			calls = append(calls, called("read_file", map[string]any{"path": f}))
		case r.failed || r.whole() || r.total > maxReadLine:
		default:
			for from := r.next(); from <= r.total; from += readLines {
				calls = append(calls, called("read_file", map[string]any{"path": f, "start_line": from}))
			}
		}
	}
	return calls
}

// suspicion says what is suspected and why.
func (st *state) suspicion(files []string) string {
	var top []suspect
	for f, lines := range st.suspects() {
		for l, s := range lines {
			n := st.top().red[f][l]
			why := "named by a failure"
			if n[0] > 0 {
				why = fmt.Sprintf("run by %d failing and %d passing tests", n[0], n[1])
			}
			top = append(top, suspect{f, l, s, why})
		}
	}
	slices.SortFunc(top, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path), a.line-b.line)
	})
	if len(top) == 0 {
		return "What the tests execute could not be measured. I read the files that the task's words and the tests' names point to: " + strings.Join(files, ", ") + "."
	}
	var words []string
	for _, s := range top[:min(len(top), 4)] {
		words = append(words, fmt.Sprintf("%s:%d (%s)", s.path, s.line, s.why))
	}
	return fmt.Sprintf("I suspect %d lines of %d files; most of all %s. I read these files.", len(top), len(st.suspects()), strings.Join(words, ", "))
}

// search is the candidates of a state with what is known of them.
type search struct {
	st      *state
	all     []*candidate
	byText  map[string]*candidate
	tried   map[string]bool
	passing []*candidate // that pass everything, in the order in which they were found
	partial []*candidate
	gains   map[*candidate]gain
	files   []*source
	broke   map[*candidate][]string
	whens   map[*candidate]bool
	forms   []*candidate // under a condition
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
	s := &search{st: st, byText: map[string]*candidate{}, tried: map[string]bool{}, gains: map[*candidate]gain{}, broke: map[*candidate][]string{}, whens: map[*candidate]bool{}}
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
	for _, src := range sources {
		speak(src, suspects[src.path], asked)
	}
	s.all = candidates(sources, suspects, st.hints(), priors(), learn(sources))
	for _, c := range s.all {
		s.byText[c.lines()] = c
	}
	for _, b := range st.top().batches {
		s.known()
		for i, text := range b.texts {
			if b.untried[i] {
				continue
			}
			s.tried[text] = true
			c := s.byText[text]
			if c == nil {
				c = s.combined(text)
			}
			if c == nil {
				continue
			}
			if slices.Contains(b.pass, i) {
				s.passing = append(s.passing, c)
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
	if c := s.best(); c != nil {
		return s.propose(c)
	}
	said := ""
	if n := len(l.batches); n > 0 {
		said = l.batches[n-1].head + " "
	}
	var texts []string
	kinds := map[string]int{}
	size := firstBatch
	for _, b := range l.batches {
		if len(b.untried) == 0 {
			size = min(2*size, maxOneBatch)
		}
	}
	take := func(c *candidate) {
		t := c.lines()
		if !s.tried[t] && len(texts) < size {
			s.tried[t] = true
			texts = append(texts, t)
			kinds[c.kind]++
		}
	}
	s.known()
	for _, c := range append(s.pairs(), s.forms...) {
		take(c)
	}
	if step := s.step(); step != nil && len(texts) == 0 && len(st.levels) < maxLevels && len(l.batches) > 0 {
		return fmt.Sprintf("%sOne edit helps in part: %s in %s, line %d, turns %d of %d failing tests green. I take it and look for the rest on top of it.", said, step.kind, step.src.path, step.line,
			s.gains[step].n, len(st.failing)), []model.Call{called("apply_patch", map[string]any{"patch": step.diff()})}
	}
	what := "single edits"
	if len(texts) > 0 {
		what = "edits, first what builds on those that help in part"
	}
	for _, c := range s.all {
		take(c)
	}
	if over := st.count >= maxBatches; len(texts) == 0 || over || len(st.levels) > 1 && len(l.batches) >= maxLevelBatches {
		if len(st.levels) > 1 && !over {
			return said + "Nothing more helps on top of that edit. I take it back.", []model.Call{called("apply_patch", map[string]any{"patch": invert(l.step)})}
		}
		return st.giveUp(fmt.Sprintf("I tried %d edits and none turns all failing tests green without breaking another.", st.tried))
	}
	var calls []model.Call
	if st.patched != "" {
		calls = append(calls, called("apply_patch", map[string]any{"patch": invert(st.patched)}))
	}
	return fmt.Sprintf("%sI try %d %s: %s.", said, len(texts), what, counted(kinds)),
		append(calls, called("try_patches", map[string]any{"candidates": texts, "seconds": batchSeconds}))
}

// step is the edit to build on: the one that turns most failing tests green and breaks none that is known, nil none.
func (s *search) step() *candidate {
	var best *candidate
	for _, c := range s.partial {
		g := s.gains[c]
		if !g.sound || slices.Contains(s.st.top().dropped, c.diff()) {
			continue
		}
		if best == nil || g.n > s.gains[best].n || g.n == s.gains[best].n && c.quality() > best.quality() {
			best = c
		}
	}
	return best
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

func counted(kinds map[string]int) string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return cmp.Or(kinds[b]-kinds[a], strings.Compare(a, b)) })
	var out []string
	for _, n := range names[:min(len(names), 6)] {
		out = append(out, fmt.Sprintf("%s (%d)", n, kinds[n]))
	}
	if len(names) > 6 {
		out = append(out, "and others")
	}
	return strings.Join(out, ", ")
}

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

// order puts the smallest and most natural first, and what only takes behaviour away last.
func (s *search) order() {
	slices.SortStableFunc(s.passing, func(a, b *candidate) int { return cmp.Compare(b.quality(), a.quality()) })
}

// quality is the score of a candidate with what counts only once the tests pass.
func (c *candidate) quality() float64 {
	q := c.score
	for _, p := range append([]*candidate{c}, c.more...) {
		if p.kind == "delete" {
			q -= 3
		}
		if p.kind == "constant" {
			q -= 0.5
		}
	}
	size := 0
	for _, one := range c.all() {
		for _, e := range one.edits {
			size += len(e.text)
		}
	}
	return q - math.Log1p(float64(size))*0.1
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
	calls = append(calls, called("apply_patch", map[string]any{"patch": c.diff()}), called("finish", map[string]any{"summary": s.summary(c)}))
	return fmt.Sprintf("%d of %d candidates that I tried pass every test. I take the smallest and most natural: %s in %s, line %d.",
		len(s.passing), s.st.tried, c.kind, c.src.path, c.line), calls
}

// summary is what a person reads of the fix.
func (s *search) summary(c *candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Found by the %s: of the edits that it tried, this one turns the failing tests green and breaks none (%s, %s:%d). It knows the tests and the code, not your intention; read the change.", Label, c.kind, c.src.path, c.line)
	others := 0
	for _, o := range s.passing {
		if o == c || slices.Contains(s.st.refused, o.diff()) || others == 3 {
			continue
		}
		if others == 0 {
			b.WriteString(" Others pass too: ")
		} else {
			b.WriteString("; ")
		}
		others++
		for i, one := range o.all() {
			if i > 0 {
				b.WriteString(" with ")
			}
			for _, g := range one.groups()[:1] {
				fmt.Fprintf(&b, "%s:%d `%s`", one.src.path, g.first, strings.TrimSpace(strings.Join(g.lines[:min(len(g.lines), 3)], " ⏎ ")))
			}
		}
	}
	return b.String()
}

// giveUp says what was suspected, and what a person can do.
func (st *state) giveUp(why string) (string, []model.Call) {
	var b strings.Builder
	b.WriteString("The " + Label + " found no fix. " + why)
	if len(st.failing) > 0 {
		fmt.Fprintf(&b, "\nThe failing test: %s", st.failing[0].id)
	}
	if len(st.levels[0].red) > 0 {
		b.WriteString("\n" + strings.TrimSuffix(st.suspicion(nil), " I read these files."))
	}
	b.WriteString("\nA language model can do more: start Ollama on this machine (`ollama serve`, then `ollama pull qwen3-coder`), or give a key of Anthropic, OpenAI or another provider in the settings, and start the task again with it.")
	return b.String(), nil
}

// hints reads what the failures say.
func (st *state) hints() hints {
	var h hints
	for _, f := range st.failing {
		m := f.message
		h.null = h.null || strings.Contains(m, "NoneType") || strings.Contains(m, "nil pointer") || strings.Contains(m, "of undefined") || strings.Contains(m, "of null") || strings.Contains(m, "NullPointer")
		h.index = h.index || strings.Contains(m, "IndexError") || strings.Contains(m, "out of range") || strings.Contains(m, "OutOfBounds")
		h.hang = h.hang || strings.Contains(m, "takes too long") || strings.Contains(m, "RecursionError") || strings.Contains(m, "timed out")
		for _, q := range regexp.MustCompile(`['"]([^'"\n]{1,20})['"]`).FindAllStringSubmatch(m, 12) {
			if len(h.texts) < 12 && !slices.Contains(h.texts, q[1]) {
				h.texts = append(h.texts, q[1])
			}
		}
	}
	return h
}
