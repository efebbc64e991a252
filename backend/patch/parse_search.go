package patch

import (
	"regexp"
	"strings"
)

var (
	searchMark  = regexp.MustCompile(`^<{4,}\s*SEARCH\s*$`)
	dividerMark = regexp.MustCompile(`^={7}\s*$`)
	replaceMark = regexp.MustCompile(`^>{4,}\s*REPLACE\s*$`)
)

func isSearchMark(line string) bool {
	return strings.HasPrefix(line, "<<<<") && searchMark.MatchString(line)
}

// searchBlock reads one search/replace block.
func (p *parser) searchBlock() {
	at := p.at
	path := p.blockName()
	fail := func(code Code, next, format string, args ...any) {
		p.fail(code, path, next, "line %d: "+format, append([]any{at + 1}, args...)...)
	}
	if strings.TrimSpace(p.text(at)) != "<<<<<<< SEARCH" {
		fail(Malformed, "", "the marks of a block are exactly <<<<<<< SEARCH, ======= and >>>>>>> REPLACE, with seven signs each")
	}
	var dividers []int
	end := -1
	for i := at + 1; i < len(p.lines) && end < 0; i++ {
		switch line := p.text(i); {
		case dividerMark.MatchString(line):
			dividers = append(dividers, i)
		case isSearchMark(line):
			fail(Malformed, "", "the block is not ended by >>>>>>> REPLACE before the next one starts in line %d", i+1)
			p.at = i
			return
		case strings.HasPrefix(line, ">>>>") && replaceMark.MatchString(line):
			end = i
		}
	}
	switch {
	case end < 0:
		fail(Malformed, "; send the whole block again", "the block is not ended by >>>>>>> REPLACE: the end of the text is missing")
		p.at = len(p.lines)
		return
	case strings.TrimSpace(p.text(end)) != ">>>>>>> REPLACE":
		fail(Malformed, "", "the marks of a block are exactly <<<<<<< SEARCH, ======= and >>>>>>> REPLACE, with seven signs each")
	case len(dividers) == 0:
		fail(Malformed, "", "the block has no ======= line between the old and the new text")
	case len(dividers) > 1:
		fail(Malformed, "; send this edit as a unified diff or as old and new text", "lines %d and %d are both =======, so it is not clear where the old text ends", dividers[0]+1, dividers[1]+1)
	case path == "":
		fail(Malformed, "; write the path alone in the line above <<<<<<< SEARCH", "no file name stands before the block")
	default:
		old := strings.Join(p.lines[at+1:dividers[0]], "")
		new := strings.Join(p.lines[dividers[0]+1:end], "")
		p.addBlock(path, Block{Old: old, New: new})
	}
	p.at = end + 1
}

// addBlock gathers the blocks of one file into one edit.
func (p *parser) addBlock(path string, b Block) {
	for i := range p.edits {
		if e := &p.edits[i]; e.Form == SearchReplace && e.Path == path {
			e.Blocks = append(e.Blocks, b)
			return
		}
	}
	p.edits = append(p.edits, Edit{Path: path, Form: SearchReplace, Blocks: []Block{b}})
}

// blockName finds the file name of the block at p.at: in the line above, in the opening of its fence or above that, else
// the name of the block before.
func (p *parser) blockName() string {
	i := p.at - 1
	for i >= 0 && blank(p.lines[i]) {
		i--
	}
	if i >= 0 && p.fence.mark != "" && i+1 == p.fence.line {
		for _, word := range append(strings.Fields(p.fence.info), p.fence.info) {
			if _, after, ok := strings.Cut(word, ":"); ok { // ```python:src/a.py
				word = after
			}
			if name := fileName(word); strings.ContainsAny(name, "./") {
				p.name = name
				return name
			}
		}
		for i--; i >= 0 && blank(p.lines[i]); i-- {
		}
	}
	if i >= 0 && !strings.HasPrefix(p.text(i), ">>>>") {
		if name := fileName(p.text(i)); name != "" {
			p.name = name
		}
	}
	return p.name
}

// fileName reads a line that holds nothing but a file name, perhaps marked up; "" for prose.
func fileName(line string) string {
	s := strings.TrimSpace(line)
	if sign, rest, ok := strings.Cut(s, " "); ok && strings.Trim(sign, "#>*-") == "" || ok && sign == "//" {
		s = strings.TrimSpace(rest)
	}
	for _, label := range []string{"File name:", "Filename:", "File path:", "Filepath:", "File:", "Path:"} {
		if len(s) >= len(label) && strings.EqualFold(s[:len(label)], label) {
			s = strings.TrimSpace(s[len(label):])
		}
	}
	s = strings.Trim(strings.TrimRight(s, "*: "), "*")
	marked := len(s) > 2 && s[0] == '`' && s[len(s)-1] == '`'
	s = strings.Trim(s, "`*\"'")
	switch {
	case s == "" || strings.ContainsAny(s, "`\"<>|;{}=") || strings.HasSuffix(s, "."):
		return ""
	case !marked && strings.ContainsAny(s, " \t"):
		return ""
	}
	return tidyPath(s)
}
