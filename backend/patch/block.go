package patch

import (
	"fmt"
	"strings"
)

// blockEdit resolves one block of one file: first its place, then what it changes there.
type blockEdit struct {
	r      *resolver
	t      *target
	path   string
	n      int // number of the block, 1-based
	form   Form
	proven bool // the block was made for this very content, so its line number holds

	block Block // as the edit gave it; once found, as it is held against whole lines
	at    place
	twin  twin
}

// twin is a block among those of its file that make the very same change: the first has nth 0.
type twin struct{ nth, of int }

// countTwins finds the blocks that make the same change. Where the file has just as many places for it, each has its own.
func countTwins(blocks []*blockEdit) {
	type change struct {
		form     Form
		old, new string
	}
	seen := map[change]int{}
	key := func(c *blockEdit) change { return change{c.form, c.block.Old, c.block.New} }
	for _, c := range blocks {
		c.twin.nth = seen[key(c)]
		seen[key(c)]++
	}
	for _, c := range blocks {
		c.twin.of = seen[key(c)]
	}
}

// own gives a block its place among as many as there are twins of it, if they are apart.
func (t twin) own(found []place) (place, bool) {
	if t.of < 2 || t.of != len(found) {
		return place{}, false
	}
	for i := 1; i < len(found); i++ {
		if found[i].at < found[i-1].at+found[i-1].n {
			return place{}, false
		}
	}
	return found[t.nth], true
}

func (c *blockEdit) fail(code Code, next, format string, args ...any) {
	c.r.fail(c.path, c.n, code, next, format, args...)
	c.r.bad[len(c.r.bad)-1].Line = c.block.line
}

// find looks for the place of the block; false where it is refused.
func (c *blockEdit) find(b Block) bool {
	switch {
	case b.Old == b.New:
		c.fail(NoChange, "; send what is to be different", "the old and the new text are the same")
		return false
	case strings.ContainsRune(b.New, 0) && !c.proven: // our own diffs hold such where a file changes its encoding
		c.fail(Binary, "; only text can be written", "the new text holds a NUL byte")
		return false
	}
	var ok bool
	c.at, c.block, ok = c.place(b)
	return ok && !c.r.short(c.path, c.n, c.block, len(c.t.lines)-c.at.at-c.at.n)
}

// resolve gives the changes that the block makes at its place, nil where it is refused.
func (c *blockEdit) resolve() []change {
	p, b := c.at, c.block
	changes, ok := c.changes(p, b)
	if !ok {
		c.fail(NoMatch, "; quote and write them as they are in the file", "the quoted lines stand at %s with another indentation, but the new lines have less of it than would have to be taken away", placeList([]place{p}))
		return nil
	}
	if at := c.repeats(p, changes); at >= 0 {
		c.fail(AlreadyThere, "; if they are really wanted twice, quote them too", "the lines that would be added stand at line %d already, next to the quoted ones", at+1)
		return nil
	}
	for _, ch := range changes {
		if text := c.t.elided(ch.lines); text != "" {
			c.fail(Elided, "; write them out, or quote only the lines that change", "the new text has the placeholder %q instead of the lines themselves", text)
			return nil
		}
	}
	c.tell(p, b)
	return changes
}

// shareTabs gives a block that quotes no indentation the one that the other blocks of its file were written with: who
// wrote a tab as four blanks in one hunk did so in all. Blocks of several widths say nothing.
func shareTabs(blocks []*blockEdit) {
	var tab int
	for _, c := range blocks {
		if w := c.at.shift.tab; w != 0 {
			if tab != 0 && tab != w {
				return
			}
			tab = w
		}
	}
	for _, c := range blocks {
		if c.at.rung < indents && c.form != WholeFile && !indented(c.block.Old) && indented(c.block.New) {
			c.at.shift.tab = tab
		}
	}
}

// indented reports a text with a line that starts with a blank and is not blank.
func indented(text string) bool {
	for _, l := range splitLines(text) {
		if !blank(l) && (l[0] == ' ' || l[0] == '\t') {
			return true
		}
	}
	return false
}

// place finds the one place of a block.
func (c *blockEdit) place(b Block) (place, Block, bool) {
	if c.form == WholeFile {
		return place{n: len(c.t.lines)}, b, true
	}
	old := splitLines(b.Old)
	if c.proven {
		at := b.OldStart - 1
		if len(old) == 0 {
			at = b.OldStart
		}
		if at >= 0 && at+len(old) <= len(c.t.lines) && sameLines(c.t.lines[at:at+len(old)], old) {
			return place{at: at, n: len(old)}, b, true
		}
	}
	if strings.TrimSpace(b.Old) == "" {
		if len(c.t.lines) == 0 && b.Old == "" {
			return place{}, b, true
		}
		c.fail(EmptySearch, "; quote the lines around the change", "nothing but blanks is quoted, which names no place in the file")
		return place{}, b, false
	}
	var found []place
	if c.form == OldNew {
		var block Block
		if found, block = c.t.findText(b.Old, c.joined(b)); len(found) == 1 {
			b = block
		}
	}
	if len(found) == 0 {
		if c.form == OldNew {
			b.Old, b.New = ended(b.Old), ended(b.New)
			old = splitLines(b.Old)
		}
		found = c.t.find(old)
	}
	if c.form != OldNew { // whose place may be within a line
		if p, ok := c.twin.own(found); ok {
			return p, b, true
		}
	}
	switch len(found) {
	case 1:
		return found[0], b, true
	case 0:
		c.noMatch(b, old)
	default:
		atLeast := map[bool]string{true: "at least "}[len(found) == maxFound]
		c.fail(SeveralMatches, "; quote more lines around the one you mean, so that it is the only one", "the quoted text stands at %s%d places (lines %s)", atLeast, len(found), placeList(found))
	}
	return place{}, b, false
}

// joined keeps the line after a quoted text from being joined to the new one, when only the new one lacks its last end.
func (c *blockEdit) joined(b Block) string {
	if end := lineEnd(b.Old); end != "" && b.New != "" && lineEnd(b.New) == "" {
		return b.New + end
	}
	return b.New
}

func ended(s string) string {
	if s != "" && lineEnd(s) == "" {
		return s + "\n"
	}
	return s
}

func (c *blockEdit) noMatch(b Block, old []string) {
	if at := c.already(b); at >= 0 {
		c.fail(AlreadyThere, "", "the old text is not in the file, but the new text stands at line %d: this edit seems to be made already", at+1)
		return
	}
	c.fail(NoMatch, "\nRead the file again and quote its lines exactly", "the quoted text is not in the file; %s", nearest(c.t.lines, old))
}

// already finds the new text in the file, where it holds lines that the old text does not; -1 for none.
func (c *blockEdit) already(b Block) int {
	old, new := splitLines(b.Old), splitLines(b.New)
	telling := false
	for _, d := range diffLines(old, new) {
		for _, l := range new[d.bLo:d.bHi] {
			telling = telling || hasWord(l)
		}
	}
	if !telling {
		return -1
	}
	if found := c.t.findKeys(spaces, new); len(found) > 0 {
		return found[0].at
	}
	if found, _ := c.t.findText(b.New, ""); c.form == OldNew && len(found) > 0 {
		return found[0].at
	}
	return -1
}

// hasWord reports a line with a letter or digit, unlike a lone brace.
func hasWord(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7F
	})
}

// repeats gives the first line of an insertion before or behind the quoted lines that stands there already, -1 for none.
func (c *blockEdit) repeats(p place, changes []change) int {
	if len(changes) != 1 || c.proven || changes[0].lo != changes[0].hi {
		return -1
	}
	at, lines := changes[0].lo, changes[0].lines
	switch at {
	case p.at + p.n:
	case p.at:
		at -= len(lines)
	default:
		return -1
	}
	if at < 0 || at+len(lines) > len(c.t.lines) {
		return -1
	}
	word := false
	for i, l := range lines {
		if trimSpace(c.t.lines[at+i]) != trimSpace(l.text) {
			return -1
		}
		word = word || hasWord(l.text)
	}
	if !word {
		return -1
	}
	return at
}

// changes turns a block that fits at p into changes of the file's lines. Lines that the block keeps stay the file's own,
// byte for byte; false when the shift of indentation cannot be made to the new lines.
func (c *blockEdit) changes(p place, b Block) ([]change, bool) {
	file := c.t.lines[p.at : p.at+p.n]
	old, new := splitLines(b.Old), splitLines(b.New)
	var out []change
	runs := b.runs
	switch {
	case c.form == WholeFile: // a whole text says nothing about line ends
		runs = diffLines(ends.all(old), ends.all(new))
	case runs == nil:
		runs = diffLines(old, new)
	}
	agree := c.agrees(p, old)
	for _, d := range runs {
		ch := change{lo: p.at + d.aLo, hi: p.at + d.aHi, block: c.n}
		for k, text := range new[d.bLo:d.bHi] {
			if p.shift != (shift{}) {
				shifted, ok := p.shift.apply(text)
				if !ok {
					return nil, false
				}
				text = shifted
			}
			replaced := ""
			if d.aLo+k < d.aHi {
				replaced = file[d.aLo+k]
			}
			near := lineEnd(replaced)
			if near == "" && k > 0 {
				near = lineEnd(ch.lines[k-1].text)
			}
			if near == "" {
				near = c.t.endNear(ch.lo)
			}
			if agree && d.bLo+k == len(new)-1 {
				ch.lines = append(ch.lines, c.last(text, near))
				continue
			}
			ch.lines = append(ch.lines, c.ended(text, replaced, near, p.rung))
		}
		out = append(out, ch)
	}
	return out, true
}

// agrees reports a diff that knows whether the file's last line has an end, so that what it says of the new one holds.
func (c *blockEdit) agrees(p place, old []string) bool {
	return c.form == UnifiedDiff && p.n > 0 && p.at+p.n == len(c.t.lines) &&
		(lineEnd(old[len(old)-1]) == "") == (lineEnd(c.t.lines[p.at+p.n-1]) == "")
}

// last gives the last line of a block at the end of the file an end where the edit has one.
func (c *blockEdit) last(text, near string) newLine {
	if lineEnd(text) == "" || c.proven {
		return newLine{text, true}
	}
	return newLine{trimEnd(text) + near, true}
}

// ended gives a new line the line end that fits its place, near: that of the line it replaces, else of its neighbours.
// The end that the edit wrote is kept where the edit quoted the file's own ends and means it.
func (c *blockEdit) ended(text, replaced, near string, r rung) newLine {
	own := lineEnd(text)
	switch {
	case c.proven:
		return newLine{text, true}
	case c.form == WholeFile && own != "":
		return newLine{trimEnd(text) + near, false}
	case r == exact && replaced != "" && trimEnd(text) == trimEnd(replaced):
		return newLine{text, true} // nothing but the line end is to change
	case r == exact && own == "" && c.form != OldNew:
		return newLine{text, true} // "\ No newline at end of file"
	case r == exact && own == "\r\n" && c.hasCRLF():
		return newLine{text, true}
	case r == exact && own != "" && replaced != "" && lineEnd(replaced) == "":
		return newLine{trimEnd(text) + near, true} // the edit gives the last line its end
	case own == "":
		return newLine{text, false}
	}
	return newLine{trimEnd(text) + near, false}
}

func (c *blockEdit) hasCRLF() bool {
	for _, l := range c.t.lines {
		if lineEnd(l) == "\r\n" {
			return true
		}
	}
	return false
}

// tell notes what was corrected.
func (c *blockEdit) tell(p place, b Block) {
	where := placeList([]place{{at: p.at, n: max(p.n, 1)}})
	if p.rung < indents && p.shift.tab != 0 {
		c.r.note(c.path, c.n, "the new lines at lines %s were indented like those of the other blocks: %s", where, p.shift)
	}
	switch p.rung {
	case exact:
		if !c.proven && c.form != WholeFile && strings.Contains(b.New, "\r\n") && !c.hasCRLF() && len(c.t.lines) > 0 {
			c.r.note(c.path, c.n, "line ends were written as the file has them")
		}
	case ends:
		c.r.note(c.path, c.n, "line ends differ from the file's at lines %s; they were written as the file has them", where)
	case spaces:
		c.r.note(c.path, c.n, "blanks at line ends differ from the file's at lines %s; unchanged lines keep theirs", where)
	case indents:
		c.r.note(c.path, c.n, "the indentation differs from the file's at lines %s; %s", where, p.shift)
	}
}

// String says what a shift does to the new lines.
func (s shift) String() string {
	switch {
	case s.cut != "":
		return fmt.Sprintf("%q was taken from the start of each line", s.cut)
	case s.tab > 0:
		return fmt.Sprintf("each %d blanks of it were written as a tab", s.tab)
	case s.tab < 0:
		return fmt.Sprintf("each tab of it was written as %d blanks", -s.tab)
	}
	return fmt.Sprintf("%q was put before each line", s.add)
}

// short refuses a hunk whose tail may be missing; after is the number of lines of the file behind its place, -1 for a new
// file. A hunk that lacks lines which its header counts is either miscounted or cut off, and with the tail of the text
// other hunks may be gone. It is miscounted when no cut can leave it so: not one within the context behind the last change,
// which would take the same number of lines from both sides and leave less context than is usual; and not one before
// another change, which would take that change and as much context as stands before the first one, or all lines up to the
// end of the file.
func (r *resolver) short(path string, block int, b Block, after int) bool {
	s := b.short
	if s == nil {
		return false
	}
	inContext := s.old == s.new && s.tail+s.old <= contextLines
	beforeChange := s.lead == 0 || s.old+s.new > 2*min(s.lead, contextLines) || s.old == after
	if after >= 0 && !inContext && !beforeChange {
		return false
	}
	r.fail(path, block, Malformed, ". If none is missing, write the right counts or @@ @@ without numbers; else give the whole diff again",
		"the hunk in line %d of the text has fewer lines than its header counts (%d old and %d new ones are missing), so its tail may be lost", b.line, s.old, s.new)
	return true
}
