package app

import (
	"io"
	"strings"
	"unicode/utf8"
)

// table is rows under a header. On a screen it keeps to its width as far as its columns give way.
type table struct {
	columns []column
	rows    [][]string // shown as they are: cells come from printable
	under   []string   // a line below each row, nil none
}

// column is how the cells under a title stand.
type column struct {
	title string
	right bool // figures stand at the right
	give  give
}

// give is how a column gives way where the screen is too narrow.
type give string

// The ways to give way.
const (
	never give = ""
	tail  give = "tail"  // the end is left out
	head  give = "head"  // the beginning is: of a path the end tells more
	lines give = "lines" // further lines are taken
)

const (
	gap       = 2  // blanks between two columns
	narrowest = 12 // a column that gives way keeps so many characters
)

// print writes the table, its header too where there is a title; width is that of the screen in characters, 0 none.
func (t table) print(out io.Writer, width int) {
	widths := t.widths(width)
	titles := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = c.title
	}
	if strings.Join(titles, "") != "" {
		t.row(out, titles, widths)
	}
	for i, cells := range t.rows {
		t.row(out, cells, widths)
		if t.under != nil {
			line := "    " + t.under[i]
			if width > narrowest {
				line = cut(line, width, tail)
			}
			_, _ = io.WriteString(out, line+"\n")
		}
	}
}

// widths gives each column what its cells need, less what has to give way.
func (t table) widths(width int) []int {
	widths := make([]int, len(t.columns))
	total := gap * (len(t.columns) - 1)
	for i, c := range t.columns {
		widths[i] = utf8.RuneCountInString(c.title)
		for _, cells := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[i]))
		}
		total += widths[i]
	}
	for width > 0 && total > width {
		widest := -1
		for i, c := range t.columns {
			if c.give != never && widths[i] > narrowest && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
		total--
	}
	return widths
}

func (t table) row(out io.Writer, cells []string, widths []int) {
	var more [][]string // by column, the lines after the first
	var b strings.Builder
	deep := 1
	for i, cell := range cells {
		parts := []string{cut(cell, widths[i], t.columns[i].give)}
		if t.columns[i].give == lines {
			parts = strings.Split(strings.TrimRight(wrapped(cell, widths[i], ""), "\n"), "\n")
		}
		more, deep = append(more, parts), max(deep, len(parts))
	}
	for n := range deep {
		line := ""
		for i, parts := range more {
			cell := ""
			if n < len(parts) {
				cell = parts[n]
			}
			blanks := strings.Repeat(" ", max(widths[i]-utf8.RuneCountInString(cell), 0))
			if t.columns[i].right {
				cell = blanks + cell
			} else {
				cell += blanks
			}
			line += cell + strings.Repeat(" ", gap)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, _ = io.WriteString(out, b.String())
}

// cut shortens a text to n characters, at the end that give names.
func cut(text string, n int, give give) string {
	r := []rune(text)
	switch {
	case len(r) <= n || give == never:
		return text
	case give == head:
		return "…" + string(r[len(r)-n+1:])
	}
	return string(r[:n-1]) + "…"
}
