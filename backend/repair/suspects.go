package repair

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"redgreen/backend/lang"
	"redgreen/backend/model"
)

var frame = regexp.MustCompile(`([\pL\pN_/.@+-]+\.\w+)["']?(?:, line |:)(\d+)`)

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

// How much the lines of a function are suspected where nothing was measured and a failure names one of its lines, and the other
// lines of such a file.
const (
	aroundFrame = 0.4
	besideFrame = 0.1
)

// aroundFrames suspects the functions that failures name, and a little the rest of the file, where no lines were measured.
func (s *source) aroundFrames(lines map[int]float64) {
	named := map[int]bool{}
	for l := range lines {
		named[l] = true
	}
	s.root.walk(func(n *node) bool {
		if n.class != function {
			return true
		}
		for l := n.line; l <= n.last; l++ {
			if named[l] {
				for l := n.line; l <= n.last; l++ {
					lines[l] = max(lines[l], aroundFrame)
				}
				return true
			}
		}
		return true
	})
	for l := 1; l <= len(s.lines); l++ {
		lines[l] = max(lines[l], besideFrame)
	}
}

// ofTop is how much a variable or constant of the file's top is suspected, of what the lines are that use it: the measure of Go
// is of functions alone.
const ofTop = 0.5

// maxTop is how many lines such a value may have.
const maxTop = 60

// atTop suspects the variables and constants of the file's top that suspected lines use.
func (s *source) atTop(lines map[int]float64) {
	if s.row.name != "go" {
		return
	}
	used := map[string]float64{}
	s.root.walk(func(n *node) bool {
		if n.class == ident && lines[n.line] > 0 && n.above(function) != nil {
			used[s.of(n)] = max(used[s.of(n)], lines[n.line])
		}
		return true
	})
	for _, d := range s.root.kids {
		if d.kind != "var_declaration" && d.kind != "const_declaration" {
			continue
		}
		d.walk(func(n *node) bool {
			if n.kind != "var_spec" && n.kind != "const_spec" {
				return true
			}
			for _, k := range n.kids {
				if by := used[s.of(k)]; k.field == "name" && by > 0 && n.last-n.line < maxTop {
					for l := n.line; l <= n.last; l++ {
						lines[l] = max(lines[l], ofTop*by)
					}
				}
			}
			return false
		})
	}
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

var hit = regexp.MustCompile(`(?m)^([\pL\pN_./@+-]+):(\d+)-(\d+) `)

// found are the files that the first message's search and map name, those with a name like a failing test's first.
func (st *state) found() []string {
	score := map[string]float64{}
	for _, m := range hit.FindAllStringSubmatch(st.first, -1) {
		score[m[1]]++
	}
	for _, m := range regexp.MustCompile(`(?m)^([\pL\pN_./@+-]+\.\w+)\b`).FindAllStringSubmatch(st.first, -1) {
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

// unread says which of the files were left out and why, "" none.
func (st *state) unread(files []string) string {
	var out []string
	for _, f := range files {
		switch r := st.top().files[f]; {
		case r == nil:
		case r.failed:
			out = append(out, f+" could not be read")
		case r.total > maxReadLine:
			out = append(out, fmt.Sprintf("%s has %d lines, and I edit files of %d at most", f, r.total, maxReadLine))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " " + strings.Join(out, "; ") + "."
}

// suspicion says what is suspected and why.
func (st *state) suspicion(files []string) string {
	var top []suspect
	for f, lines := range st.suspects() {
		for l, s := range lines {
			n := st.top().red[f][l]
			why := "named by a failure"
			if n[0] > 0 {
				why = runBy(n[0], n[1])
			}
			top = append(top, suspect{f, l, s, why})
		}
	}
	slices.SortFunc(top, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path), a.line-b.line)
	})
	if len(top) == 0 {
		return "No line is known that the failing tests run. I go by the files that the task's words and the tests' names point to: " + strings.Join(files, ", ") + "."
	}
	return fmt.Sprintf("I suspect %s in %s, most of all %s.", plural(len(top), "line"), plural(len(st.suspects()), "file"), places(top, 3))
}

var (
	negative = regexp.MustCompile(`(?:^|[^\w.)\]-])-\d`)
	literals = regexp.MustCompile(`\b\d[\w.]*|'[^'\n]+'|"[^"\n]+"`)
)

// nothing tells that something was null, and askedOf what was asked of it.
var (
	nothing = regexp.MustCompile(`NoneType|nil pointer|of undefined|of null|NullPointer`)
	askedOf = regexp.MustCompile(`'NoneType' object has no attribute '(\w+)'|properties of (?:null|undefined) \(reading '(\w+)'\)|Cannot (?:invoke|read field) "(?:[\w.$]*\.)?(\w+)(?:\([^"]*\))?" because`)
)

// lack is how much what stands for nothing is suspected at a place where something is asked of a value: by name, where the failures
// say a name.
func (h hints) lack(name string) float64 {
	switch {
	case !h.null:
		return 0
	case len(h.lacked) == 0:
		return 1
	case slices.Contains(h.lacked, name):
		return 1.8
	}
	return 0
}

// aLetter is a capital that stands alone, or a letter or mark in quotes.
var aLetter = regexp.MustCompile("\\b[A-Z]\\b|'[^']'|\"[^\"]\"|`[^`]`")

// singles are the letters and marks that a text names alone, each once.
func singles(text string) []string {
	var out []string
	for _, found := range aLetter.FindAllString(text, 40) {
		if r := []rune(found); len(r) == 3 {
			found = string(r[1])
		}
		if !slices.Contains(out, found) {
			out = append(out, found)
		}
	}
	return out
}

// hints reads what the failures say.
func (st *state) hints() hints {
	h := hints{given: map[string]bool{}}
	all, named := "", len(st.levels) == 1 // the messages are of the untouched copy
	for _, f := range st.failing {
		m := f.message
		all += m
		if nothing.MatchString(m) {
			h.null = true
			asked := askedOf.FindAllStringSubmatch(m, -1)
			for _, a := range asked {
				h.lacked = append(h.lacked, a[1]+a[2]+a[3])
			}
			named = named && len(asked) > 0
		}
		h.index = h.index || strings.Contains(m, "IndexError") || strings.Contains(m, "out of range") || strings.Contains(m, "OutOfBounds")
		h.key = h.key || strings.Contains(m, "KeyError") || strings.Contains(m, "NaN")
		h.name = h.name || strings.Contains(m, "NameError")
		h.minus = h.minus || negative.MatchString(m) || strings.Contains(f.id, "negative")
		for _, lit := range literals.FindAllString(m, 200) {
			h.given[lit] = true
		}
		h.hang = h.hang || strings.Contains(m, "takes too long") || strings.Contains(m, "RecursionError") || strings.Contains(m, "timed out")
		for _, q := range regexp.MustCompile(`['"]([^'"\n]{1,20})['"]`).FindAllStringSubmatch(m, 12) {
			if len(h.texts) < 12 && !slices.Contains(h.texts, q[1]) {
				h.texts = append(h.texts, q[1])
			}
		}
	}
	if !named {
		h.lacked = nil
	}
	h.signs, h.raised = signs(h.texts), raised(all)
	h.single = singles(st.task())
	return h
}
