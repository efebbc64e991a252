package lang

import (
	"bytes"
	"strings"
)

// parseMarkdown cuts a document at its headings: a section reaches to the next heading of its level or above. Its names
// are no code, so all of it is text. The grammar has no sections for headings that are underlined.
func parseMarkdown(src []byte) (found, bool) {
	m := markdownReader{src: src}
	eachLine(src, m.line)
	return found{raws: m.raws, texts: []span{{0, len(src), spanString}}}, true
}

type markdownReader struct {
	src      []byte
	raws     []raw
	levels   []int  // of raws
	fence    string // what ends the code block that the walk is in
	before   string // the line before, where it may be an underlined heading
	beforeAt int
}

func (m *markdownReader) line(at, end int) {
	line := strings.TrimSpace(string(m.src[at:end]))
	before, beforeAt := m.before, m.beforeAt
	m.before, m.beforeAt = "", at
	switch {
	case m.fence != "":
		if strings.HasPrefix(line, m.fence) && strings.Trim(line, m.fence[:1]) == "" {
			m.fence = ""
		}
	case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
		m.fence = line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
	case strings.HasPrefix(line, "#"):
		if level, name := atx(line); level > 0 {
			m.heading(level, name, at, end)
		}
	case before != "" && len(line) > 1 && strings.Trim(line, "=") == "":
		m.heading(1, before, beforeAt, end)
	case before != "" && len(line) > 1 && strings.Trim(line, "-") == "":
		m.heading(2, before, beforeAt, end)
	case line != "" && !strings.ContainsAny(line[:1], "-=>|*+<"):
		m.before = line
	}
}

func (m *markdownReader) heading(level int, name string, at, end int) {
	for i := range m.raws {
		if m.levels[i] >= level {
			m.raws[i].end = min(m.raws[i].end, at)
		}
	}
	name = clip(name, maxSection)
	nameAt := at + max(bytes.Index(m.src[at:end], []byte(name)), 0)
	m.raws = append(m.raws, raw{kind: "section", name: name, start: at, core: at, end: len(m.src), nameStart: nameAt, bodyStart: end})
	m.levels = append(m.levels, level)
}

// atx reads "## Name ##".
func atx(line string) (level int, name string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	name = strings.TrimSpace(strings.TrimRight(rest, "#"))
	if level > 6 || name == "" || !strings.ContainsAny(rest[:1], " \t") {
		return 0, ""
	}
	return level, name
}

// parseDockerfile cuts a Dockerfile into its stages; the grammar has a node for the first line of one only.
func parseDockerfile(src []byte) (found, bool) {
	var f found
	lead := -1 // where the comments right before a line begin
	eachLine(src, func(at, end int) {
		words := strings.Fields(string(src[at:end]))
		if len(words) > 0 && strings.HasPrefix(words[0], "#") {
			f.around = append(f.around, span{at, at + len(bytes.TrimRight(src[at:end], "\r\n")), spanComment})
			if lead < 0 {
				lead = at
			}
			return
		}
		if len(words) > 1 && strings.EqualFold(words[0], "FROM") {
			if n := len(f.raws); n > 0 {
				f.raws[n-1].end = max(lead, 0)
				if lead < 0 {
					f.raws[n-1].end = at
				}
			}
			name := words[1]
			if len(words) > 3 && strings.EqualFold(words[len(words)-2], "AS") {
				name = words[len(words)-1]
			}
			nameAt := at + bytes.LastIndex(src[at:end], []byte(name))
			f.raws = append(f.raws, raw{kind: "section", name: name, start: at, core: at, end: len(src), nameStart: nameAt, bodyStart: end})
		}
		lead = -1
	})
	return f, true
}

// eachLine calls do with the borders of every line, its end included.
func eachLine(src []byte, do func(at, end int)) {
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		do(at, end)
		at = end
	}
}
