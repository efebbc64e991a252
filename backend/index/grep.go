package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// Pattern is what Grep looks for: a literal text, or an expression.
type Pattern struct {
	Literal string
	Word    bool           // the literal is no part of a longer name
	Regexp  *regexp.Regexp // counts where it is not nil
}

// GrepOptions of one Grep.
type GrepOptions struct {
	N    int                               // lines at most, default 1000
	Keep func(path string) bool            // files to look at; nil: all
	Read func(path string) ([]byte, error) // the present text of a file; nil: the folder's own
	// Changed are files whose text Read gives otherwise than the folder has it, in a task's workspace: they are looked at
	// whatever the index says of them.
	Changed []string
	// Best looks at the files that others refer to most first, and gives hits in that order: what is left out for N or
	// Within then matters least. Else files go by path.
	Best bool
	// Within ends the search, with what is found so far; 0 never. It is kept to some files, not to the millisecond.
	Within time.Duration
}

// GrepHit is one line with a match.
type GrepHit struct {
	ID   int64 // the innermost chunk that holds the line; 0 where none does
	Path string
	Line int // 1-based
	Col  int // of the match's first byte in the line, 1-based, in bytes
	Text string
}

// Grepped is what a Grep found, by path and line, or by the rank of the files.
type Grepped struct {
	Hits   []GrepHit
	More   bool // there may be more: N or Within was reached
	Looked int  // files looked at
	Files  int  // files that the index did not rule out
}

// Said puts into words that not all was looked at, "" it was.
func (g Grepped) Said() string {
	switch {
	case !g.More:
		return ""
	case len(g.Hits) == 0:
		return fmt.Sprintf("searched %d of %d files in the time there was, and found nothing yet", g.Looked, g.Files)
	}
	return fmt.Sprintf("the first %d, there may be more; searched %d of %d files", len(g.Hits), g.Looked, g.Files)
}

const defaultGrep = 1000

// Grep finds the lines where matches of a pattern begin. It searches the present texts: a file that changed since it was
// indexed is found by its size and time and looked at too, unless a Watch already tells of changes. A file that is new
// since then is found after the next Update.
func (ix *Index) Grep(ctx context.Context, p Pattern, o GrepOptions) (Grepped, error) {
	if o.N <= 0 {
		o.N = defaultGrep
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return Grepped{}, errClosed
	}
	out, err := ix.grep(ctx, p, o)
	if err != nil {
		return Grepped{}, ix.failed("searching the text", err)
	}
	return out, nil
}

// find gives the borders of the first match in a text, or nil.
func (p Pattern) find(b []byte) []int {
	if p.Regexp != nil {
		return p.Regexp.FindIndex(b)
	}
	n := newNeedle(p.Literal)
	for at := 0; at <= len(b); {
		i := n.index(b[at:])
		if i < 0 {
			return nil
		}
		i += at
		if end := i + len(p.Literal); !p.Word || wholeWord(b, i, end) {
			return []int{i, end}
		}
		at = i + 1
	}
	return nil
}

// wholeWord reports that no letter, digit or underscore stands right before or after b[i:j].
func wholeWord(b []byte, i, j int) bool {
	before, _ := utf8.DecodeLastRune(b[:i])
	after, _ := utf8.DecodeRune(b[j:])
	return !isWordRune(before) && !isWordRune(after)
}

func (ix *Index) grep(ctx context.Context, p Pattern, o GrepOptions) (out Grepped, err error) {
	start := time.Now()
	files, err := ix.candidates(ctx, p, o)
	if err != nil {
		return out, err
	}
	out.Files = len(files)
	if o.Best {
		slices.SortStableFunc(files, func(a, b fileInfo) int { return cmp.Compare(b.rank, a.rank) })
	}
	m := newMatcher(p)
	var in []int64 // the file of each hit
	err = inOrderOf(ctx, files, func(f fileInfo) ([]GrepHit, error) {
		room := rooms.Get().(*[]byte)
		defer rooms.Put(room)
		src, err := ix.present(f.path, o.Read, room)
		if err != nil {
			return nil, nil // gone, or no text any more
		}
		return m.lines(WithoutMark(src), o.N+1), nil
	}, func(f fileInfo, hits []GrepHit) bool {
		out.Looked++
		for _, h := range hits {
			h.Path = f.path
			out.Hits, in = append(out.Hits, h), append(in, f.id)
		}
		late := o.Within > 0 && time.Since(start) > o.Within
		out.More = len(out.Hits) > o.N || late && out.Looked < out.Files
		return !late && len(out.Hits) <= o.N
	})
	if len(out.Hits) > o.N {
		out.Hits, in = out.Hits[:o.N], in[:o.N]
	}
	if err != nil {
		return out, err
	}
	chunks, err := ix.store.extentsOf(ctx, spansOf(in, func(i int) int { return out.Hits[i].Line }))
	for i := range out.Hits {
		out.Hits[i].ID = innermost(chunks[in[i]], out.Hits[i].Line).id
	}
	return out, err
}

// rooms are for texts that are looked at and let go.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// WithoutMark is a text without the mark of its encoding that may stand before it: that is no part of the first line.
func WithoutMark(src []byte) []byte { return bytes.TrimPrefix(src, []byte("\ufeff")) }

// present gives the present text of a file, in the room if it is the folder's own.
func (ix *Index) present(path string, read func(string) ([]byte, error), room *[]byte) ([]byte, error) {
	if read != nil {
		return read(path)
	}
	folder, ok := ix.src.(interface {
		ReadInto(room []byte, path string) ([]byte, error)
	})
	if !ok {
		return ix.src.Read(path)
	}
	src, err := folder.ReadInto(*room, path)
	if cap(src) > cap(*room) {
		*room = src
	}
	return src, err
}

// lines finds the lines of a text where matches begin, each once, at most n.
func (p Pattern) lines(src []byte, n int) []GrepHit {
	var out []GrepHit
	line, start := 1, 0
	for start <= len(src) && len(out) < n {
		m := p.findFrom(src, start)
		if m == nil || m[0] == len(src) && len(src) > 0 {
			break
		}
		line += bytes.Count(src[start:m[0]], []byte{'\n'})
		var end int
		start, end = lineAround(src, m[0])
		out = append(out, GrepHit{Line: line, Col: m[0] - start + 1, Text: lineText(src[start:end])})
		start = end + 1
		line++
	}
	return out
}

// findFrom is find in what follows from, which is the start of a line.
func (p Pattern) findFrom(src []byte, from int) []int {
	m := p.find(src[from:])
	if m == nil {
		return nil
	}
	return []int{m[0] + from, m[1] + from}
}

// extent is where a chunk is in its file.
type extent struct {
	id        int64
	from, to  int
	qualified string
}

// extents lists the chunks of a file.
func (s *store) extents(ctx context.Context, file int64) ([]extent, error) {
	all := map[int64][]extent{}
	err := s.addExtents(ctx, []span{{file, 0, math.MaxInt32}}, all)
	return all[file], err
}

// span is a part of a file, from a line to another.
type span struct {
	file     int64
	from, to int
}

// spansOf gives the spans that hold all lines of each file, which stand together.
func spansOf(files []int64, line func(i int) int) (out []span) {
	for i, file := range files {
		if n := len(out); n == 0 || out[n-1].file != file {
			out = append(out, span{file, line(i), line(i)})
			continue
		}
		last := &out[len(out)-1]
		last.from, last.to = min(last.from, line(i)), max(last.to, line(i))
	}
	return out
}

// extentsOf gives the chunks that lie in spans of several files, or reach into them, by file. They are without names.
func (s *store) extentsOf(ctx context.Context, spans []span) (map[int64][]extent, error) {
	out := map[int64][]extent{}
	var parts [][]span
	for part := range slices.Chunk(spans, extentFiles) {
		parts = append(parts, part)
	}
	err := inOrderOf(ctx, parts, func(part []span) (map[int64][]extent, error) {
		of := map[int64][]extent{}
		return of, s.addExtents(ctx, part, of)
	}, func(_ []span, of map[int64][]extent) bool {
		for file, more := range of {
			out[file] = append(out[file], more...)
		}
		return true
	})
	return out, err
}

// extentFiles is how many files one core is asked about at a time.
const extentFiles = 20

// addExtents asks for one text of numbers instead of rows, as traitsOf does.
func (s *store) addExtents(ctx context.Context, spans []span, into map[int64][]extent) error {
	ask := []byte{'['}
	for i, sp := range spans {
		if i > 0 {
			ask = append(ask, ',')
		}
		ask = fmt.Appendf(ask, "[%d,%d,%d]", sp.file, sp.from, sp.to)
	}
	var text string
	if err := s.placesIn.QueryRowContext(ctx, string(append(ask, ']'))).Scan(&text); err != nil {
		return err
	}
	for len(text) > 0 {
		var n [4]int64
		for i := range n {
			n[i], text = leadingNumber(text)
		}
		into[n[0]] = append(into[n[0]], extent{id: n[1], from: int(n[2]), to: int(n[3])})
	}
	return nil
}

// leadingNumber reads the number that a text begins with, and gives what stands after the blank behind it.
func leadingNumber(text string) (n int64, rest string) {
	for i := range len(text) {
		if text[i] == ' ' {
			return n, text[i+1:]
		}
		n = 10*n + int64(text[i]-'0')
	}
	return n, ""
}

// innermost is the shortest chunk that holds a line, or none.
func innermost(of []extent, line int) (best extent) {
	for _, e := range of {
		if e.from > line || line > e.to {
			continue
		}
		if best.to == 0 || cmp.Or(cmp.Compare(e.to-e.from, best.to-best.from), cmp.Compare(e.id, best.id)) < 0 {
			best = e
		}
	}
	return best
}
