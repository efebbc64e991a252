package tools

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"redgreen/backend/index"
	"redgreen/backend/patch"
)

// place is some lines of a file, as a hit says them.
type place struct {
	path        string
	first, last int
}

func (p place) String() string { return fmt.Sprintf("%s:%d-%d", p.path, p.first, p.last) }

// placePattern is a place alone, or a whole line of hits, which models give back too.
var placePattern = regexp.MustCompile(`^([^|\n]*\pL[^|\n]*?):(\d{1,9})-(\d{1,9})(?: \w+ [^\s|]+)?(?: \| [^\n]*)?$`)

// parsePlace reads a query that is a hit's place; words after it pass only in the form that a hit has.
func parsePlace(query string) (place, bool) {
	m := placePattern.FindStringSubmatch(strings.TrimSpace(query))
	if m == nil {
		return place{}, false
	}
	first, _ := strconv.Atoi(m[2])
	last, _ := strconv.Atoi(m[3])
	return place{clean(m[1]), first, last}, first > 0 && first <= last
}

// beside is how many definitions before and after a widened place are named.
const beside = 2

// widen shows the code of a place, as read_file would, and names what stands around it. A place inside of a definition shows
// the whole of that; what a definition is in is named only.
func (s *Set) widen(ctx context.Context, at place) (result, error) {
	data, err := s.o.Workspace.Read(at.path)
	if err != nil {
		return s.refuseRead(ctx, at.path, err)
	}
	text, _, err := patch.Decode(data)
	if err != nil {
		return s.refuseRead(ctx, at.path, err)
	}
	r, near := widened(at, data, s.hide(text))
	if r = s.reads(r, at.path, data); r.failed || near == "" {
		return r, nil
	}
	r.body = strings.TrimSuffix(r.body, "\n") + "\n" + near
	return r, nil
}

// Widened is what search_code shows of a place of a file: its numbered lines and what stands next to it; and which lines these
// are. For measuring what a search costs its reader.
func Widened(path string, data []byte, first, last int) (text string, from, to int) {
	r, near := widened(place{path, first, last}, data, string(data))
	return r.head + "\n" + r.body + near, r.first, r.last
}

func widened(at place, data []byte, text string) (result, string) {
	chunks, err := index.Cut(at.path, data)
	if err != nil {
		chunks = nil // minified: its lines can be shown all the same
	}
	if ch, ok := around(chunks, at); ok {
		at.first, at.last = ch.DocLine, ch.EndLine
	}
	r := numbered(at.path, text, at.first, at.last)
	near := neighbours(chunks, at)
	if r.failed || len(near) == 0 {
		return r, ""
	}
	return r, "Next to it:\n" + strings.Join(near, "\n")
}

// around is the smallest definition that has the whole place in it.
func around(chunks []index.Chunk, at place) (best index.Chunk, ok bool) {
	for _, ch := range chunks {
		if !definition(ch) || ch.DocLine > at.first || ch.EndLine < at.last {
			continue
		}
		if !ok || ch.EndLine-ch.DocLine < best.EndLine-best.DocLine {
			best, ok = ch, true
		}
	}
	return best, ok
}

// neighbours names what a place is in, then the nearest definitions before and after it, in the order of the file.
func neighbours(chunks []index.Chunk, at place) []string {
	var in, before, after []string
	for _, ch := range chunks {
		line := place{at.path, ch.DocLine, ch.EndLine}.String() + " " + ch.Kind + " " + ch.Qualified
		switch {
		case !definition(ch):
		case ch.EndLine < at.first:
			before = append(before, line)
		case ch.DocLine > at.last:
			after = append(after, line)
		case ch.DocLine <= at.first && ch.EndLine >= at.last && (ch.DocLine < at.first || ch.EndLine > at.last):
			in = append(in, "in "+line)
		}
	}
	return append(append(in, before[max(0, len(before)-beside):]...), after[:min(len(after), beside)]...)
}

func definition(ch index.Chunk) bool { return ch.Kind != "module" && ch.Kind != "lines" }
