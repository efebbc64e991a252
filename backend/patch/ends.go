package patch

import "strings"

// KeepEnds gives a text that an editor wrote, in which all lines end in "\n", the line ends of the text that it was made
// from: a line that is still there keeps its own, a changed one that of the line in whose place it stands, a new one that
// of the line before. A lone "\r" ends a line too, as editors take it. Whether the last line has an end is the text's say.
func KeepEnds(was, text string) string {
	old, oldEnds := cutEnds(was)
	lines, ends := cutEnds(text)
	from := make([]int, 0, len(lines)) // the old line of each, -1 for none
	at := 0
	for _, r := range append(diffLines(old, lines), run{len(old), len(old), len(lines), len(lines)}) {
		for ; at < r.aLo; at++ {
			from = append(from, at)
		}
		for i := range r.bHi - r.bLo {
			if r.aLo+i < r.aHi {
				from = append(from, r.aLo+i)
			} else {
				from = append(from, -1)
			}
		}
		at = r.aHi
	}
	end := "\n"
	if len(oldEnds) > 0 && oldEnds[0] != "" {
		end = oldEnds[0]
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/16)
	for i, line := range lines {
		b.WriteString(line)
		if ends[i] == "" {
			break // only the last has none
		}
		if j := from[i]; j >= 0 && oldEnds[j] != "" {
			end = oldEnds[j]
		}
		b.WriteString(end)
	}
	return b.String()
}

// cutEnds cuts a text into its lines and their ends, "\r\n", "\n", "\r" or, of the last, "".
func cutEnds(text string) (lines, ends []string) {
	for text != "" {
		i := strings.IndexAny(text, "\r\n")
		n := 1
		switch {
		case i < 0:
			i, n = len(text), 0
		case strings.HasPrefix(text[i:], "\r\n"):
			n = 2
		}
		lines, ends = append(lines, text[:i]), append(ends, text[i:i+n])
		text = text[i+n:]
	}
	return lines, ends
}
