package app

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// flow breaks what is written bit by bit into lines of a width, as far as its words allow; a line that goes on begins with
// margin. Colours take no place.
type flow struct {
	width        int // in characters; 0: nothing is broken
	at           int // where the line stands
	blanks, word string
}

// margin is what the lines of a trace begin with.
const margin = "   "

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// add is what can be written of a text by now: all but its last word.
func (f *flow) add(text string) string {
	if f.width == 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\n':
			b.WriteString(f.end() + "\n")
		case ' ':
			b.WriteString(f.flush())
			f.blanks += " "
		default:
			f.word += string(r)
		}
	}
	return b.String()
}

// flush is the word that was begun, on the next line where it does not fit on this one.
func (f *flow) flush() string {
	if f.word == "" {
		return ""
	}
	before, n := f.blanks, utf8.RuneCountInString(colours.ReplaceAllString(f.word, ""))
	if f.at > len(margin) && f.at+len(before)+n > f.width {
		before, f.at = "\n"+margin, len(margin)
	} else {
		f.at += len(before)
	}
	f.at += n
	out := before + f.word
	f.blanks, f.word = "", ""
	return out
}

// end is what is left of a line that ends; blanks at its end are left out.
func (f *flow) end() string {
	out := f.flush()
	f.at, f.blanks = 0, ""
	return out
}
