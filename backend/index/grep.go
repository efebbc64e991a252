package index

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
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
}

// GrepHit is one line with a match.
type GrepHit struct {
	ID   int64 // the innermost chunk that holds the line; 0 where none does
	Path string
	Line int // 1-based
	Col  int // of the match's first byte in the line, 1-based, in bytes
	Text string
}

// Grepped is what a Grep found, by path and line.
type Grepped struct {
	Hits []GrepHit
	More bool // N was reached; there may be more
}

const defaultGrep = 1000

// Grep finds the lines where matches of a pattern begin.
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
	for at := 0; at <= len(b); {
		i := bytes.Index(b[at:], []byte(p.Literal))
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
	files, err := ix.candidates(ctx, p, o.Keep)
	if err != nil {
		return out, err
	}
	read := o.Read
	if read == nil {
		read = ix.src.Read
	}
	var placing error
	err = inOrderOf(ctx, files, func(f fileInfo) ([]GrepHit, error) {
		src, err := read(f.path)
		if err != nil {
			return nil, nil // gone, or no text any more
		}
		return p.lines(src, o.N+1), nil
	}, func(f fileInfo, hits []GrepHit) bool {
		if len(hits) == 0 {
			return true
		}
		hits = hits[:min(len(hits), o.N+1-len(out.Hits))]
		if placing = ix.store.place(ctx, f, hits); placing != nil {
			return false
		}
		out.Hits = append(out.Hits, hits...)
		return len(out.Hits) <= o.N
	})
	if len(out.Hits) > o.N {
		out = Grepped{Hits: out.Hits[:o.N], More: true}
	}
	return out, cmp.Or(err, placing)
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
		start = bytes.LastIndexByte(src[:m[0]], '\n') + 1
		end := bytes.IndexByte(src[m[0]:], '\n')
		if end < 0 {
			end = len(src) - m[0]
		}
		end += m[0]
		out = append(out, GrepHit{Line: line, Col: m[0] - start + 1, Text: string(bytes.TrimSuffix(src[start:end], []byte{'\r'}))})
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

// place gives hits of one file their path and chunk.
func (s *store) place(ctx context.Context, f fileInfo, hits []GrepHit) error {
	chunks, err := s.extents(ctx, f.id)
	for i := range hits {
		hits[i].Path, hits[i].ID = f.path, innermost(chunks, hits[i].Line).id
	}
	return err
}

// extent is where a chunk is in its file.
type extent struct {
	id        int64
	from, to  int
	qualified string
}

// extents lists the chunks of a file, shortest first.
func (s *store) extents(ctx context.Context, file int64) ([]extent, error) {
	if file == 0 {
		return nil, nil
	}
	rows, err := s.db.QueryContext(ctx, `SELECT id, doc_line, end_line, CASE kind WHEN 'module' THEN '' ELSE qualified END FROM chunks
		WHERE file_id=? ORDER BY end_line-doc_line, id`, file)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []extent
	for rows.Next() {
		var e extent
		if err := rows.Scan(&e.id, &e.from, &e.to, &e.qualified); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, rows.Err()
}

// innermost is the shortest chunk that holds a line, or none.
func innermost(shortestFirst []extent, line int) extent {
	for _, e := range shortestFirst {
		if e.from <= line && line <= e.to {
			return e
		}
	}
	return extent{}
}
