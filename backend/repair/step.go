package repair

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"redgreen/backend/lang"
	"redgreen/backend/model"
)

// An edit that turns some failing tests green and breaks none may be half of the fix, or a way around the bug that suits a few
// tests. Which of the two shows when the remaining tests run on top of it: where the bug has a second place, they come
// to lines that they did not reach before. Then the search goes on there at once; else it takes the edit back and comes to
// it again when single edits have been tried for longer.

// maxProbes is how many such edits are looked at that early.
const maxProbes = 2

// step is the edit to build on now, nil none: the one that turns most failing tests green and breaks none that is known. last
// says that no single edit is left.
func (s *search) step(last bool) *candidate {
	st, l := s.st, s.st.top()
	long := last || st.causes() > 1 || len(l.batches) >= singleBatches+len(l.dropped)
	if !long && len(l.early) >= maxProbes {
		return nil
	}
	var best *candidate
	for _, c := range s.partial {
		g := s.gains[c]
		if !g.sound || best != nil && (g.n < s.gains[best].n || g.n == s.gains[best].n && c.quality() <= best.quality()) {
			continue
		}
		if d := c.diff(); slices.Contains(l.dropped, d) || !long && slices.Contains(l.early, d) {
			continue
		}
		best = c
	}
	return best
}

// build takes a step and measures again: what it turned green counts as passing from then on.
func (s *search) build(step *candidate) (string, []model.Call) {
	kept := append(slices.Clone(s.st.top().kept), s.gains[step].tests...)
	return fmt.Sprintf("I keep %s, which makes %d of %s pass, and look for the rest on top of it.", step.at(), s.gains[step].n, plural(len(s.st.failing), "failing test")), []model.Call{called("apply_patch", map[string]any{"patch": step.diff()}), called("trace_coverage", map[string]any{"kept": kept})}
}

func takeBack(step string) []model.Call {
	return []model.Call{called("apply_patch", map[string]any{"patch": invert(step)})}
}

// reaches reports whether the top level is worth a batch now: it is the untouched copy, it has had one, or its step was looked
// at before, or the remaining failing tests execute lines that no failing test executed without its step.
func (st *state) reaches() bool {
	l := st.top()
	if len(st.levels) == 1 || len(l.batches) > 0 || len(l.red) == 0 {
		return true
	}
	under := st.levels[len(st.levels)-2]
	if slices.Contains(under.early, l.step) || st.causes() > 1 {
		return true
	}
	for file, lines := range l.red {
		was := moved(l.step, file)
		for line := range lines {
			if n := was(line); n > 0 && under.red[file][n] == [2]int{} {
				return true
			}
		}
	}
	return false
}

var hunkLines = regexp.MustCompile(`(?m)^(?:\+\+\+ (?:b/)?([^\t\n]+)|@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@.*|([ +-]).*|)$`)

// moved gives for each line of a file behind a diff the one that it was before, 0 where it is new.
func moved(diff, file string) func(line int) int {
	var put []int      // lines that are new
	var shift [][2]int // from this line on, what to add
	in, old, now := false, 0, 0
	for _, m := range hunkLines.FindAllStringSubmatch(diff, -1) {
		switch {
		case strings.HasPrefix(m[0], "--- "):
		case m[1] != "":
			in = m[1] == file
		case m[2] != "":
			old, _ = strconv.Atoi(m[2])
			now, _ = strconv.Atoi(m[3])
		case !in:
		case m[4] == "+":
			put = append(put, now)
			now++
			shift = append(shift, [2]int{now, old - now})
		case m[4] == "-":
			old++
			shift = append(shift, [2]int{now, old - now})
		case m[4] == " ":
			old, now = old+1, now+1
		}
	}
	return func(line int) int {
		if slices.Contains(put, line) {
			return 0
		}
		by := 0
		for _, s := range shift {
			if line >= s[0] {
				by = s[1]
			}
		}
		return line + by
	}
}

// causes is how many places the failures name at least: several need several edits.
func (st *state) causes() int {
	places := map[string]bool{}
	for _, f := range st.failing {
		all := frame.FindAllStringSubmatch(f.message, -1)
		for _, m := range slices.Backward(all) {
			file := st.levels[0].known(strings.TrimPrefix(path.Clean(m[1]), "/workspace/"))
			if la, ok := lang.ByPath(file); ok && (la.TestFile == nil || !la.TestFile(file)) {
				places[file+":"+m[2]] = true
				break
			}
		}
	}
	return len(places)
}
