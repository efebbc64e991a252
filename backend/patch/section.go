package patch

import (
	"strings"
	"unicode/utf8"
)

// sections finds the nearest line before a place that looks like a definition. Places must be asked in rising order.
type sections struct {
	lines []string
	asked int    // lines before this one were searched
	found string // the nearest definition among them
}

// before gives the definition for a hunk that starts at lines[at], "" where none stands above.
func (s *sections) before(at int) string {
	for i := at - 1; i >= s.asked; i-- {
		if isDefinition(s.lines[i]) {
			s.found = cutSection(s.lines[i])
			break
		}
	}
	s.asked = max(s.asked, at)
	return s.found
}

// maxSection is git's limit for the text behind the second @@, in bytes.
const maxSection = 80

func cutSection(line string) string {
	line = strings.TrimSpace(line)
	if len(line) > maxSection {
		line = line[:maxSection]
		for !utf8.ValidString(line) && line != "" {
			line = line[:len(line)-1]
		}
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, strings.TrimSpace(line))
}

// isDefinition reports a line that opens a named thing in one of the common languages: a keyword such as def, func or
// class, perhaps behind modifiers, or a C-like head at the margin (name, parenthesis, no semicolon).
func isDefinition(line string) bool {
	text := trimSpace(line)
	rest := strings.TrimLeft(text, " \t")
	if rest == "" {
		return false
	}
	margin := len(rest) == len(text)
	for range 6 { // more words than modifiers stand before a keyword
		word, after := firstWord(rest)
		switch {
		case word == "":
			return false
		case definers(word):
			return after != "" && after[0] != '=' && after[0] != ':' && after[0] != '.'
		case !modifier(word):
			return margin && cHead(text)
		}
		rest = after
	}
	return false
}

func firstWord(s string) (word, rest string) {
	i := 0
	for i < len(s) && (s[i] == '_' || s[i] == '$' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z') {
		i++
	}
	word, rest = s[:i], strings.TrimLeft(s[i:], " \t")
	if word == "pub" && strings.HasPrefix(rest, "(") { // pub(crate)
		if end := strings.IndexByte(rest, ')'); end >= 0 {
			rest = strings.TrimLeft(rest[end+1:], " \t")
		}
	}
	return word, rest
}

func definers(word string) bool {
	switch word {
	case "def", "class", "func", "fn", "function", "interface", "struct", "enum", "impl", "trait", "module", "namespace",
		"type", "sub", "union", "record", "object", "macro_rules", "defmodule", "defp", "mod":
		return true
	}
	return false
}

func modifier(word string) bool {
	switch word {
	case "export", "default", "public", "private", "protected", "internal", "static", "async", "pub", "abstract", "final",
		"sealed", "partial", "open", "override", "virtual", "unsafe", "extern", "const", "inline", "declare", "data", "readonly":
		return true
	}
	return false
}

// cHead reports a head such as "int main(void) {" or "static void *f(int a)" at the margin.
func cHead(text string) bool {
	open := strings.IndexByte(text, '(')
	if open <= 0 || strings.HasSuffix(text, ";") || strings.HasSuffix(text, ",") {
		return false
	}
	head := text[:open]
	if strings.ContainsAny(head, "=.\"'`#/:@[") || !strings.ContainsAny(head, " \t") {
		return false
	}
	word, _ := firstWord(head)
	switch word {
	case "if", "for", "while", "switch", "return", "else", "with", "elif", "assert", "raise", "throw", "new", "await", "yield", "import", "from", "print", "var", "let":
		return false
	}
	return strings.HasSuffix(text, "{") || strings.HasSuffix(text, ")")
}
