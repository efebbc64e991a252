package repo

import (
	"bytes"
	"strings"
)

// The matcher is our own because the library at hand decides otherwise than git for [!x], a**b, several ** in one pattern,
// CRLF files and escaped trailing spaces; TestIgnoreAsGit holds this one against git itself.

// maxIgnore bounds how much of an ignore file is read.
const maxIgnore = 1 << 20

// rule is one line of an ignore file.
type rule struct {
	not     bool     // begins with !: takes a file in again
	dirOnly bool     // ends in /: directories only
	name    string   // pattern for the last component, where the line has no slash
	parts   []string // else the pattern for the whole path below the file's folder
	plain   bool     // name has no special characters
	suffix  string   // name is * and this
}

// rules are one ignore file: the folder it stands in as components, and its lines.
type rules struct {
	at    int // number of components of its folder
	lines []rule
}

// parseIgnore reads an ignore file that stands in the folder with that many components in its path.
func parseIgnore(data []byte, at int) rules {
	rs := rules{at: at}
	for line := range bytes.SplitSeq(bytes.TrimPrefix(data, []byte("\uFEFF")), []byte("\n")) {
		if r, ok := parseRule(string(line)); ok {
			rs.lines = append(rs.lines, r)
		}
	}
	return rs
}

func parseRule(line string) (rule, bool) {
	var r rule
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line = trimSpaces(strings.TrimSuffix(line, "\r"))
	if strings.HasPrefix(line, "!") {
		r.not, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, line[:len(line)-1]
	}
	if line == "" {
		return r, false
	}
	if !strings.Contains(line, "/") {
		r.name = line
		r.plain = !strings.ContainsAny(line, `*?[\`)
		if rest, ok := strings.CutPrefix(line, "*"); ok && !strings.ContainsAny(rest, `*?[\`) {
			r.suffix = rest
		}
		return r, true
	}
	r.parts = splitPattern(strings.TrimPrefix(line, "/"))
	for i, part := range r.parts {
		if len(part) > 2 && strings.Trim(part, "*") == "" {
			r.parts[i] = "**" // git takes more stars for two
		}
	}
	if n := len(r.parts); r.parts[n-1] == "**" { // everything inside, but not the folder itself
		r.parts = append(r.parts, "*")
	}
	return r, true
}

// trimSpaces takes off trailing spaces that are not escaped.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// splitPattern splits at slashes, except inside brackets, and takes the backslash off an escaped one.
func splitPattern(pat string) []string {
	var (
		parts []string
		part  strings.Builder
	)
	for i := 0; i < len(pat); i++ {
		switch c := pat[i]; {
		case c == '/':
			parts = append(parts, part.String())
			part.Reset()
		case c == '\\' && i+1 < len(pat) && pat[i+1] == '/':
		case c == '\\' && i+1 < len(pat):
			part.WriteString(pat[i : i+2])
			i++
		case c == '[':
			end, _ := class(pat, i, 0)
			if end == 0 {
				end = i + 1
			}
			part.WriteString(pat[i:end])
			i = end - 1
		default:
			part.WriteByte(c)
		}
	}
	return append(parts, part.String())
}

func (r rule) match(names []string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if r.parts != nil {
		return globs(r.parts, names)
	}
	name := names[len(names)-1]
	switch {
	case r.plain:
		return r.name == name
	case r.suffix != "":
		return strings.HasSuffix(name, r.suffix)
	}
	return glob(r.name, name)
}

// ignored tells whether a path is left out. The stack holds the ignore files that apply, the weakest first; the last line
// that matches decides. That a folder above is left out is for the walk, which does not enter it.
func ignored(stack []rules, names []string, dir bool) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		below := names[stack[i].at:]
		for j := len(stack[i].lines) - 1; j >= 0; j-- {
			if r := stack[i].lines[j]; r.match(below, dir) {
				return !r.not
			}
		}
	}
	return false
}
