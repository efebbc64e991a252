package proof

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// swap is one way to break a line: the operators and constants that mutation testing has changed since Mothra (King, Offutt,
// 1991), told by their signs, so that they serve any language.
type swap struct {
	find *regexp.Regexp // its first group is replaced
	with string
}

var swaps = []swap{
	{regexp.MustCompile(`[^=!<>](===?)[^=]`), ""}, {regexp.MustCompile(`(!==?)`), ""},
	{regexp.MustCompile(`\s(<=)\s`), ">"}, {regexp.MustCompile(`\s(>=)\s`), "<"}, {regexp.MustCompile(`\s(<)\s`), ">="}, {regexp.MustCompile(`\s(>)\s`), "<="},
	{regexp.MustCompile(`[\w)\]]\s?(\+)\s?[\w(]`), "-"}, {regexp.MustCompile(`[\w)\]]\s?(-)\s?[\w(]`), "+"}, {regexp.MustCompile(`[\w)\]]\s?(\*)\s?[\w(]`), "+"},
	{regexp.MustCompile(`[\w)\]]\s?(//?)\s?[\w(]`), "*"}, {regexp.MustCompile(`[\w)\]]\s?(%)\s?[\w(]`), "*"},
	{regexp.MustCompile(`(\+=)`), "-="}, {regexp.MustCompile(`(-=)`), "+="},
	{regexp.MustCompile(`\b(and)\b`), "or"}, {regexp.MustCompile(`\b(or)\b`), "and"}, {regexp.MustCompile(`(&&)`), "||"}, {regexp.MustCompile(`(\|\|)`), "&&"},
	{regexp.MustCompile(`\b(not )`), ""}, {regexp.MustCompile(`[(\s](!)[\w(]`), ""},
	{regexp.MustCompile(`\b(True)\b`), "False"}, {regexp.MustCompile(`\b(False)\b`), "True"}, {regexp.MustCompile(`\b(true)\b`), "false"}, {regexp.MustCompile(`\b(false)\b`), "true"},
}

var (
	integer    = regexp.MustCompile(`(?:^|[^\w.])(\d{1,9})(?:[^\w.]|$)`)
	onlyCall   = regexp.MustCompile(`^\s*((raise|throw)\b.*|[A-Za-z_][\w.]*\(.*\)|yield .*);?\s*$`)
	givenError = regexp.MustCompile(`^\s*return\b.*\b(err|fmt\.Errorf\(.*\)|errors\.New\(.*\))\s*$`)
	returned   = regexp.MustCompile(`^\s*return\s+(\S.*?);?\s*$`)
	nothingIn  = map[string]string{".py": "None", ".js": "undefined", ".mjs": "undefined", ".cjs": "undefined", ".ts": "undefined", ".jsx": "undefined", ".tsx": "undefined", ".rb": "nil", ".php": "null", ".lua": "nil"}
)

// variants are the ways to break a line of code, the most telling first; none for a comment, a blank line or an import.
func variants(file, line string) []string {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" || commentLine(line) || strings.HasPrefix(trimmed, "import ") || strings.HasPrefix(trimmed, "from ") || strings.HasPrefix(trimmed, `"""`) {
		return nil
	}
	code, texts := masked(file, line)
	var all []string
	put := func(from, to int, text string) { all = append(all, line[:from]+text+line[to:]) }
	for _, s := range swaps {
		m := s.find.FindStringSubmatchIndex(code)
		if m == nil {
			continue
		}
		with := s.with
		switch sign := code[m[2]:m[3]]; {
		case strings.HasPrefix(sign, "=="):
			with = "!" + sign[1:]
		case strings.HasPrefix(sign, "!="):
			with = "=" + sign[1:]
		}
		put(m[2], m[3], with)
	}
	if m := integer.FindStringSubmatchIndex(code); m != nil {
		if n, err := strconv.Atoi(code[m[2]:m[3]]); err == nil {
			put(m[2], m[3], strconv.Itoa(n+1))
		}
	}
	for _, t := range texts {
		put(t, t, "x")
	}
	whole := strings.Count(code, "(") == strings.Count(code, ")") && strings.Count(code, "[") == strings.Count(code, "]") && strings.Count(code, "{") == strings.Count(code, "}")
	nothing := nothingIn[path.Ext(file)]
	if m := returned.FindStringSubmatchIndex(code); m != nil && nothing != "" && whole {
		if code[m[2]:m[3]] != nothing {
			put(m[2], m[3], nothing)
		} else {
			put(m[2], m[3], "1")
		}
	}
	if m := givenError.FindStringSubmatchIndex(code); m != nil && path.Ext(file) == ".go" {
		put(m[2], m[3], "nil")
	}
	if whole && onlyCall.MatchString(code) {
		text := ""
		if path.Ext(file) == ".py" {
			text = "pass"
		}
		put(len(line)-len(strings.TrimLeft(line, " \t")), len(strings.TrimRight(line, "\r\n")), text)
	}
	return all
}

// masked is a line in which what stands in text literals and in a comment at its end is blank, byte for byte, and the ends
// of the literals that are not empty.
func masked(file, line string) (code string, texts []int) {
	out := []byte(line)
	comment := "//"
	switch path.Ext(file) {
	case ".py", ".rb", ".sh", ".pl", ".pm":
		comment = "#"
	}
	for i := 0; i < len(line); i++ {
		if strings.HasPrefix(line[i:], comment) && (comment == "#" || i == 0 || line[i-1] == ' ' || line[i-1] == '\t' || line[i-1] == ';') {
			for j := i; j < len(line) && line[j] != '\n' && line[j] != '\r'; j++ {
				out[j] = ' '
			}
			break
		}
		if quote := line[i]; quote == '"' || quote == '\'' || quote == '`' {
			end := closing(line, i)
			if end < 0 {
				break
			}
			for j := i + 1; j < end; j++ {
				out[j] = ' '
			}
			if end > i+1 && quote == '"' || end > i+2 { // one character in '…' is no text in most languages
				texts = append(texts, end)
			}
			i = end
		}
	}
	return string(out), texts
}

// closing is where the text literal that begins at i ends, -1 not on this line.
func closing(line string, i int) int {
	for j := i + 1; j < len(line); j++ {
		switch line[j] {
		case '\\':
			j++
		case line[i]:
			return j
		}
	}
	return -1
}
