package patch

import (
	"fmt"
	"strings"
)

// Parse reads the edits out of a model's text: a unified diff or search/replace blocks, perhaps fenced or within prose.
// Line numbers and counts of hunk headers may be wrong or missing; what stands in the text counts. A text without an edit,
// with a broken or cut-off one, or with both forms is refused as a whole with *Error; its messages name lines of the text.
func Parse(text string) ([]Edit, error) {
	p := &parser{lines: splitLines(text)}
	for p.at < len(p.lines) {
		p.next()
	}
	p.endFile()
	p.finish()
	if len(p.bad) > 0 {
		return nil, &Error{Failures: p.bad}
	}
	return p.edits, nil
}

// parser walks over the lines of a model's text.
type parser struct {
	lines []string
	at    int
	fence fence // the open code fence
	file  *section
	name  string // the last file named before a search/replace block
	edits []Edit
	bad   []Failure

	miscounts bool // a header counts fewer lines than its hunk has
}

// fence is an opened code fence; the zero value is none.
type fence struct {
	mark  string // the backticks or tildes
	info  string // what follows them
	line  int
	edits bool // an edit stands in it
}

// text is line i without its end, "" behind the last.
func (p *parser) text(i int) string {
	if i >= len(p.lines) {
		return ""
	}
	return trimEnd(p.lines[i])
}

func (p *parser) fail(code Code, path, next, format string, args ...any) {
	p.bad = append(p.bad, Failure{Path: path, Code: code, Message: fmt.Sprintf(format, args...) + next, next: next})
}

// next reads one construct or passes over one line of prose.
func (p *parser) next() {
	line := p.text(p.at)
	switch {
	case fenceMark(line) != "":
		p.toggle(line)
		p.at++
	case strings.HasPrefix(line, "diff --git "):
		p.fence.edits = true
		p.endFile()
		p.gitHeader()
	case p.isFileHeader(p.at):
		p.fence.edits = true
		if p.file == nil || p.file.named || len(p.file.blocks) > 0 {
			p.endFile()
			p.file = &section{line: p.at + 1}
		}
		p.fileHeader()
	case strings.HasPrefix(line, "@@"):
		p.fence.edits = true
		p.hunk()
	case isSearchMark(line):
		p.fence.edits = true
		p.endFile()
		p.searchBlock()
	case strings.HasPrefix(line, "*** Begin Patch"), strings.HasPrefix(line, "*** Update File:"):
		p.fail(Malformed, "", "; send a unified diff with --- and +++ lines, or search/replace blocks", "line %d: the form %q is not read here", p.at+1, line)
		p.at = len(p.lines)
	case p.file != nil && (line == "GIT binary patch" || strings.HasPrefix(line, "Binary files ")):
		p.file.binary = true
		p.at++
	default:
		p.at++
	}
}

// finish judges the text as a whole.
func (p *parser) finish() {
	if p.fence.mark != "" && p.fence.edits {
		p.fail(Malformed, "", "; send the whole edit again", "the code fence of line %d is not closed: the end of the text is missing", p.fence.line)
	}
	if n := len(p.lines); n > 0 && len(p.edits) > 0 && lineEnd(p.lines[n-1]) == "" && startsHeader(p.lines[n-1]) {
		p.fail(Malformed, "", "; send the whole edit again", "line %d: the text ends within the header of another hunk or file", n)
	}
	unified, blocks := false, false
	for _, e := range p.edits {
		unified = unified || e.Form == UnifiedDiff
		blocks = blocks || e.Form == SearchReplace
	}
	if unified && blocks {
		p.fail(Mixed, "", "; send all edits in one form", "the text has both a unified diff and search/replace blocks")
	}
	if len(p.edits) == 0 && len(p.bad) == 0 {
		p.fail(NoHunks, "", ": send a unified diff (--- a/FILE, +++ b/FILE, @@ @@, then lines that start with a blank, - or +) "+
			"or a search/replace block (FILE, <<<<<<< SEARCH, old lines, =======, new lines, >>>>>>> REPLACE)", "no edit was found in the text")
	}
}

// startsHeader reports a last line that is the first part of a header.
func startsHeader(line string) bool {
	for _, h := range []string{"diff --git ", "@@", "--- ", "<<<<<<< SEARCH"} {
		if line != "" && line != h && strings.HasPrefix(h, line) {
			return true
		}
	}
	return false
}

// fenceMark gives the run of at least three backticks or tildes that a fence line starts with.
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			if c == "`" && strings.Contains(line[n:], "`") {
				return "" // inline code
			}
			return line[:n]
		}
	}
	return ""
}

// closes reports a line that ends the open fence.
func (p *parser) closes(line string) bool {
	m := fenceMark(line)
	return p.fence.mark != "" && m != "" && strings.HasPrefix(m, p.fence.mark) && strings.TrimSpace(line) == m
}

func (p *parser) toggle(line string) {
	switch {
	case p.closes(line):
		p.endFile()
		p.fence = fence{}
	case p.fence.mark == "":
		p.endFile()
		m := fenceMark(line)
		p.fence = fence{mark: m, info: strings.TrimSpace(strings.TrimLeft(line, " ")[len(m):]), line: p.at + 1}
	}
}
