package patch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// change replaces lines [lo, hi) of a file by others.
type change struct {
	lo, hi int
	lines  []newLine
	block  int
}

// newLine is a line to be written. A literal one keeps the line end that the edit gave it.
type newLine struct {
	text    string
	literal bool
}

// edited gives the text after the blocks of a file, or false when one is refused. hash is that of the present content.
func (r *resolver) edited(f *fileEdit, hash, text string, enc Encoding) (string, bool) {
	had := len(r.bad)
	body, bom := text, false
	if !f.proven(hash) {
		body, bom = strings.CutPrefix(text, mark) // models do not quote the mark
	}
	t := newTarget(body)
	var all, blocks []*blockEdit
	for _, e := range f.edits {
		for _, b := range r.blocks(f.path, e, body) {
			b.Old, b.New = readIn(b.Old, enc), readIn(b.New, enc)
			if bom {
				b.Old, b.New = strings.TrimPrefix(b.Old, mark), strings.TrimPrefix(b.New, mark)
			}
			all = append(all, &blockEdit{r: r, t: t, path: f.path, n: len(all) + 1, form: e.Form, proven: hash != "" && e.Before == hash, block: b})
		}
	}
	countTwins(all)
	for _, c := range all {
		if c.find(c.block) {
			blocks = append(blocks, c)
		}
	}
	shareTabs(blocks)
	var changes []change
	for _, c := range blocks {
		changes = append(changes, c.resolve()...)
	}
	if len(r.bad) > had || !r.apart(f.path, changes) {
		return "", false
	}
	out := t.rewrite(changes)
	if bom {
		out = mark + out
	}
	return out, true
}

// blocks gives the blocks of an edit; the whole new text of a file is one.
func (r *resolver) blocks(path string, e Edit, body string) []Block {
	if e.Whole == nil {
		return e.Blocks
	}
	new := strings.TrimPrefix(*e.Whole, mark)
	switch n := len(splitLines(body)); {
	case n >= WholeLimit:
		r.fail(path, 0, TooLong, "; quote the lines to change instead", "the file has %d lines, and only files of less than %d are replaced as a whole", n, WholeLimit)
		return nil
	case new == "":
		r.fail(path, 0, Malformed, "; send the text, or delete the file by a diff to /dev/null", "the new text is empty")
		return nil
	case new == body:
		r.fail(path, 0, NoChange, "; send what is to be different", "the new text is the present text")
		return nil
	}
	if lineEnd(new) == "" && lineEnd(body) != "" {
		r.note(path, 0, "the end of the last line was kept")
		new += lineEnd(body)
	}
	return []Block{{Old: body, New: new}}
}

// readIn reads bytes of the file's own encoding, as String writes them, where an edit holds such.
func readIn(s string, enc Encoding) string {
	if enc != Windows1252 && enc != ShiftJIS || strings.ToValidUTF8(s, "") == s {
		return s
	}
	if text, err := enc.decodeAs([]byte(s)); err == nil {
		return text
	}
	return s
}

// apart refuses blocks that change the same lines, and sorts the changes.
func (r *resolver) apart(path string, changes []change) bool {
	slices.SortStableFunc(changes, func(a, b change) int { return a.lo - b.lo + (a.hi-b.hi)*boolInt(a.lo == b.lo) })
	ok := true
	for i := 1; i < len(changes); i++ {
		a, b := changes[i-1], changes[i]
		if a.block != b.block && (b.lo < a.hi || a.lo == b.lo) {
			ok = false
			r.fail(path, b.block, Overlap, "; write them as one", "blocks %d and %d change the same place (line %d)", a.block, b.block, b.lo+1)
		}
	}
	return ok
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rewrite gives the text after the changes, which are sorted and apart. A line that is not the last gets an end; the last
// one has an end if the file's last line had one, unless the edit says otherwise.
func (t *target) rewrite(changes []change) string {
	w := &rewriter{usual: t.usualEnd()}
	w.out.Grow(t.size + 1024)
	at := 0
	for _, c := range changes {
		w.keep(t.lines[at:c.lo])
		for _, l := range c.lines {
			w.add(l)
		}
		at = c.hi
	}
	w.keep(t.lines[at:])
	bare := len(t.lines) > 0 && lineEnd(t.lines[len(t.lines)-1]) == ""
	switch last := &w.last; {
	case !w.any || last.literal:
	case bare:
		last.text = trimEnd(last.text)
	case lineEnd(last.text) == "":
		last.text += w.usual
	}
	w.out.WriteString(w.last.text)
	return w.out.String()
}

// rewriter writes lines; it holds the last one back, since only that can be without an end.
type rewriter struct {
	out   strings.Builder
	usual string
	last  newLine
	any   bool
}

func (w *rewriter) add(l newLine) {
	w.out.WriteString(w.last.text)
	if w.any && lineEnd(w.last.text) == "" {
		w.out.WriteString(w.usual)
	}
	w.last, w.any = l, true
}

// keep writes lines of the file itself, of which only the very last can be without an end.
func (w *rewriter) keep(lines []string) {
	if len(lines) == 0 {
		return
	}
	w.add(newLine{text: lines[0], literal: true})
	for _, l := range lines[1:] {
		w.out.WriteString(w.last.text)
		w.last.text = l
	}
}

// usualEnd is the line end that most lines have, "\n" where there is none.
func (t *target) usualEnd() string {
	crlf, lf := 0, 0
	for _, l := range t.lines {
		switch lineEnd(l) {
		case "\r\n":
			crlf++
		case "\n":
			lf++
		}
	}
	if crlf > lf {
		return "\r\n"
	}
	return "\n"
}

// endNear is the line end of the lines around a place.
func (t *target) endNear(at int) string {
	for _, i := range []int{at - 1, at} {
		if i >= 0 && i < len(t.lines) && lineEnd(t.lines[i]) != "" {
			return lineEnd(t.lines[i])
		}
	}
	return t.usualEnd()
}

// elision is a comment that stands for code which was left out.
var elision = regexp.MustCompile(`(?i)^\s*(#|//|/\*|--|<!--|;|%)?\s*(\.\.\.|…)\s*\(?\s*(the |all )?(rest|existing|remaining|remainder|other|unchanged|same|previous|keep|omitted)\b.*$`)

// elided finds a placeholder among new lines that the file itself does not have.
func (t *target) elided(lines []newLine) string {
	for _, l := range lines {
		if !strings.Contains(l.text, "...") && !strings.Contains(l.text, "…") {
			continue
		}
		if text := trimSpace(l.text); elision.MatchString(text) && !slices.ContainsFunc(t.lines, func(have string) bool { return trimSpace(have) == text }) {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// placeList names places for a message.
func placeList(places []place) string {
	var b strings.Builder
	for i, p := range places {
		if i == maxPlaces {
			fmt.Fprintf(&b, " and %d more", len(places)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if p.n == 1 {
			fmt.Fprintf(&b, "%d", p.at+1)
		} else {
			fmt.Fprintf(&b, "%d-%d", p.at+1, p.at+p.n)
		}
	}
	return b.String()
}

// maxPlaces bounds the places that a message names.
const maxPlaces = 50
