package repair

import (
	"path"
	"regexp"
	"strings"
)

// The words of the task and of the failing tests' names say where to look, when tests execute much of the code alike.

var identifierParts = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// stop are words that say nothing about a place.
var stop = strings.Fields("the and for that with not from when are was has have this its but should must can does all any one out into than then they test tests should returns return given error expected self none null true false fix bug wrong works work")

// wordsOf takes a text apart into lower-case words of three letters and more; identifiers give their parts.
func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range identifierParts.FindAllString(text, -1) {
		w = strings.ToLower(w)
		if len(w) > 2 {
			out[strings.TrimSuffix(w, "s")] = true
		}
	}
	for _, w := range stop {
		delete(out, strings.TrimSuffix(w, "s"))
	}
	return out
}

// task is what the person wrote, as far as the first empty line.
func (st *state) task() string {
	task, _, _ := strings.Cut(strings.TrimPrefix(st.first, "Task:\n"), "\n\n")
	return task
}

// asked are the words of the task and of the failing tests' names.
func (st *state) asked() map[string]bool {
	text := st.task()
	for _, f := range st.failing[:min(len(st.failing), 20)] {
		text += " " + f.id
	}
	return wordsOf(text)
}

// speak raises the suspicion of lines, functions and files that use the words asked for, up to threefold. Words that are
// on many lines count for nothing.
func speak(s *source, lines map[int]float64, asked map[string]bool) {
	on := map[string]int{}
	byLine := make([]map[string]bool, len(s.lines)+1)
	for l := 1; l <= len(s.lines); l++ {
		byLine[l] = wordsOf(s.lineText(l))
		for w := range byLine[l] {
			on[w]++
		}
	}
	counts := func(words map[string]bool) int {
		n := 0
		for w := range words {
			if asked[w] && on[w]*5 <= len(s.lines)+10 {
				n++
			}
		}
		return n
	}
	inFunction := map[int]int{}
	s.root.walk(func(n *node) bool {
		if n.class == function && n.get("name") != nil {
			c := counts(wordsOf(s.of(n.get("name"))))
			for l := n.line; l <= n.last; l++ {
				inFunction[l] = max(inFunction[l], c)
			}
		}
		return true
	})
	file := 1.0
	if asked[strings.TrimSuffix(strings.ToLower(strings.TrimSuffix(path.Base(s.path), path.Ext(s.path))), "s")] {
		file = 1.3
	}
	for l := range lines {
		if l >= 1 && l < len(byLine) {
			lines[l] *= file * min(1+0.3*float64(counts(byLine[l]))+0.4*float64(inFunction[l]), 2.3)
		}
	}
}
