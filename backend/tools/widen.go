package tools

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"redgreen/backend/index"
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
	chunks, err := index.Cut(at.path, data)
	if err != nil {
		chunks = nil // minified: its lines can be shown all the same
	}
	if ch, ok := around(chunks, at); ok {
		at.first, at.last = ch.DocLine, ch.EndLine
	}
	r, err := runRead(ctx, s, Args{"path": at.path, "start_line": at.first, "end_line": at.last})
	if err != nil || r.failed {
		return r, err
	}
	if near := neighbours(chunks, at); len(near) > 0 {
		r.body = strings.TrimSuffix(r.body, "\n") + "\nNext to it:\n" + strings.Join(near, "\n")
	}
	return r, nil
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
