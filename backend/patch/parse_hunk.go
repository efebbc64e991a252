package patch

import (
	"regexp"
	"strconv"
	"strings"
)

// hunkHeader is what stands between the @@ of a hunk.
type hunkHeader struct {
	oldStart, oldLines, newLines int
	counted                      bool // the counts were given
}

var hunkNumbers = regexp.MustCompile(`^@@ *-(\d+)(?:,(\d+))? +\+(\d+)(?:,(\d+))? *@@`)

func parseHunkHeader(line string) hunkHeader {
	m := hunkNumbers.FindStringSubmatch(line)
	if m == nil {
		return hunkHeader{}
	}
	h := hunkHeader{counted: true}
	for i, to := range []*int{1: &h.oldStart, 2: &h.oldLines, 3: nil, 4: &h.newLines} {
		switch {
		case to == nil:
		case m[i] == "":
			*to = 1
		default:
			n, err := strconv.Atoi(m[i])
			if err != nil || n > 1<<30 {
				return hunkHeader{}
			}
			*to = n
		}
	}
	return h
}

// body is the lines of one hunk while they are read.
type body struct {
	lines    []Line
	old, new int // lines on each side
}

func (b *body) add(op Op, text string) {
	b.lines = append(b.lines, Line{Op: op, Text: text})
	if op != Insert {
		b.old++
	}
	if op != Delete {
		b.new++
	}
}

// hunk reads one hunk into the current file.
func (p *parser) hunk() {
	at := p.at + 1
	header := parseHunkHeader(p.text(p.at))
	if p.file == nil {
		p.fail(Malformed, "", "; put --- a/FILE and +++ b/FILE above it", "line %d: a hunk stands before any file name", at)
		p.file = &section{line: at, failed: true}
	}
	if strings.HasPrefix(p.text(p.at), "@@@") {
		p.broken(at, "", "diffs of merges (@@@) are not read")
	}
	p.at++
	start := p.at
	b, ok := p.counted(header)
	if !ok {
		p.at = start
		b = p.uncounted()
	}
	p.file.blocks = append(p.file.blocks, p.block(b, header, at))
}

func (p *parser) broken(line int, next, why string) {
	if p.file.failed {
		return
	}
	path, _ := p.file.path()
	p.fail(Malformed, path, next, "line %d: %s", line, why)
	p.file.failed = true
}

// counted reads a hunk as its header counts it; false when the counts do not fit the text.
func (p *parser) counted(h hunkHeader) (body, bool) {
	var b body
	if !h.counted || h.oldLines+h.newLines == 0 {
		return b, false
	}
	for b.old < h.oldLines || b.new < h.newLines {
		if p.at >= len(p.lines) || p.isNextFile(p.at) || !p.line(&b) {
			return b, false
		}
	}
	if strings.HasPrefix(p.text(p.at), `\`) {
		p.line(&b)
	}
	ok := b.old == h.oldLines && b.new == h.newLines && p.endsHere()
	if ok && !p.atEnd() && !p.boundary(p.at) {
		b.dropBlanks() // a count too many takes the blank line before the prose
	}
	return b, ok
}

// dropBlanks takes off blank lines without a sign from the end: as context they say next to nothing.
func (b *body) dropBlanks() {
	for n := len(b.lines); n > 0 && b.lines[n-1].Op == Context && trimEnd(b.lines[n-1].Text) == ""; n-- {
		b.lines = b.lines[:n-1]
		b.old, b.new = b.old-1, b.new-1
	}
}

// endsHere reports whether nothing that looks like more of the hunk follows: a wrong count must not drop lines.
func (p *parser) endsHere() bool {
	i := p.at
	for i < len(p.lines) && blank(p.lines[i]) {
		i++
	}
	line := p.text(i)
	switch {
	case i >= len(p.lines), p.boundary(i):
		return true
	case line == "--" || line == "-- ": // the signature of a mailed patch
		return true
	case line[0] == '+' || line[0] == ' ' && (i == p.at || p.fence.mark != ""):
		return false
	case line[0] == '-':
		// A list behind a blank line is prose.
		return i > p.at && p.fence.mark == "" && len(line) > 2 && line[1] == ' ' && line[2] != ' '
	}
	return true
}

// isNextFile reports the header of another file, which a wrong count could take for a deletion and an insertion.
func (p *parser) isNextFile(i int) bool {
	return strings.HasPrefix(p.text(i), "--- ") && strings.HasPrefix(p.text(i+1), "+++ ") && strings.HasPrefix(p.text(i+2), "@@")
}

// boundary reports a line that no hunk goes beyond.
func (p *parser) boundary(i int) bool {
	line := p.text(i)
	return i >= len(p.lines) || strings.HasPrefix(line, "@@") || strings.HasPrefix(line, "diff --git ") ||
		p.closes(line) || p.isNextFile(i) || isSearchMark(line)
}

// line reads one line of a hunk; false when it is none.
func (p *parser) line(b *body) bool {
	raw := p.lines[p.at]
	text := trimEnd(raw)
	switch {
	case p.boundary(p.at):
		return false
	case text == "": // a blank context line whose leading blank was trimmed
		b.add(Context, raw)
	case text[0] == '\\':
		if len(b.lines) == 0 {
			return false
		}
		last := &b.lines[len(b.lines)-1]
		if lineEnd(raw) == "\r\n" {
			last.Text = trimEnd(last.Text)
		}
		last.Text = strings.TrimSuffix(last.Text, "\n")
	case text[0] == ' ', text[0] == '-', text[0] == '+':
		b.add(Op(text[:1]), p.whole(raw[1:]))
	default:
		return false
	}
	p.at++
	return true
}

// whole gives a line its end back where the text stops without one; only the sign "\ No newline" says that it has none.
func (p *parser) whole(text string) string {
	if lineEnd(text) == "" {
		return text + "\n"
	}
	return text
}

// uncounted reads a hunk by its lines alone.
func (p *parser) uncounted() body {
	const unsigned = "this line of a hunk does not start with a blank, - or +"
	var b body
	for p.at < len(p.lines) && !p.boundary(p.at) {
		next := p.at
		for next < len(p.lines) && p.text(next) == "" {
			next++
		}
		if next > p.at { // blank lines belong to the hunk when more of it follows
			if p.boundary(next) || !strings.ContainsAny(p.text(next)[:1], ` +-\`) {
				if p.strayAfter(next) {
					p.broken(next+1, "", unsigned)
				}
				break
			}
			for p.at < next {
				p.line(&b)
			}
		}
		if !p.line(&b) {
			if p.fence.mark != "" || p.strayAfter(p.at) {
				p.broken(p.at+1, "", unsigned)
			}
			break
		}
	}
	return b
}

// strayAfter reports changed lines behind line i that no header claims.
func (p *parser) strayAfter(i int) bool {
	for ; !p.boundary(i); i++ {
		if t := p.text(i); t != "" && (t[0] == '+' || t[0] == '-') {
			return true
		}
	}
	return false
}

// block makes the quoted text of a hunk.
func (p *parser) block(b body, h hunkHeader, at int) Block {
	if len(b.lines) == 0 {
		p.broken(at, "", "the hunk has no lines; the end of the text may be missing")
		return Block{}
	}
	if b.brokenEnd() {
		p.broken(at, "", `a line stands behind "\ No newline at end of file" in the hunk; only the last line of a file can be without an end`)
		return Block{}
	}
	out := Block{OldStart: h.oldStart, line: at, runs: b.runs()}
	var old, new strings.Builder
	for _, l := range b.lines {
		if l.Op != Insert {
			old.WriteString(l.Text)
		}
		if l.Op != Delete {
			new.WriteString(l.Text)
		}
	}
	out.Old, out.New = old.String(), new.String()
	if p.at >= len(p.lines) && b.lines[len(b.lines)-1].Op == Insert && p.cutInLine() {
		p.broken(p.at, ". Send the whole diff again, and end its last line with a line end", "the text ends within this added line, so its end and more may be lost")
		return out
	}
	missOld, missNew := h.oldLines-b.old, h.newLines-b.new
	p.miscounts = p.miscounts || h.counted && min(missOld, missNew) < 0
	if !h.counted || missOld+missNew == 0 || !p.atEnd() || p.miscounts {
		return out // no cut makes a hunk longer, so who counts too few lines miscounts, and a count too many is no sign of one
	}
	out.short = &shortfall{old: missOld, new: missNew}
	if n := len(out.runs); n > 0 {
		out.short.lead, out.short.tail = out.runs[0].aLo, b.old-out.runs[n-1].aHi
	}
	return out
}

// brokenEnd reports a line without an end that is not the last of its side.
func (b *body) brokenEnd() bool {
	var old, new bool
	for _, l := range b.lines {
		if l.Op != Insert && old || l.Op != Delete && new {
			return true
		}
		bare := !strings.HasSuffix(l.Text, "\n")
		old = old || bare && l.Op != Insert
		new = new || bare && l.Op != Delete
	}
	return false
}

// runs gives the changed lines as the diff marks them. An empty line that "\ No newline" follows is no line of its text.
func (b *body) runs() []run {
	var out []run
	old, new, open := 0, 0, false
	for _, l := range b.lines {
		if l.Text == "" {
			continue
		}
		if l.Op == Context {
			old, new, open = old+1, new+1, false
			continue
		}
		if !open {
			out = append(out, run{old, old, new, new})
			open = true
		}
		r := &out[len(out)-1]
		if l.Op == Delete {
			old++
			r.aHi = old
		} else {
			new++
			r.bHi = new
		}
	}
	return out
}

// atEnd reports that nothing follows in the text: no closing fence, no prose, no other hunk.
func (p *parser) atEnd() bool {
	for i := p.at; i < len(p.lines); i++ {
		if !blank(p.lines[i]) {
			return false
		}
	}
	return true
}

// cutInLine reports that the text does not end with a line end.
func (p *parser) cutInLine() bool {
	n := len(p.lines)
	return n > 0 && lineEnd(p.lines[n-1]) == ""
}
