package index

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
)

// Match is one line of a file that an exact text or an expression was found in.
type Match struct {
	ID   int64 // the innermost chunk that holds the line; 0 where none does
	Path string
	Line int // 1-based
}

// Scan finds lines in the stored text of all files, by path and line, at most n. find gives the borders of the first
// match in a text, or nil, as regexp.Regexp.FindIndex does; a match that spans lines counts for its first.
func (ix *Index) Scan(ctx context.Context, find func([]byte) []int, n int) ([]Match, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	out, err := ix.store.scan(ctx, n, find)
	if err != nil {
		return nil, ix.failed("searching the text", err)
	}
	return out, nil
}

// found is a file with the lines that matched.
type found struct {
	file  int64
	path  string
	lines []int
}

func (s *store) scan(ctx context.Context, n int, find func([]byte) []int) ([]Match, error) {
	files, err := s.scanFiles(ctx, n, find)
	if err != nil {
		return nil, err
	}
	var out []Match
	for _, f := range files {
		chunks, err := s.extents(ctx, f.file)
		if err != nil {
			return nil, err
		}
		for _, l := range f.lines {
			out = append(out, Match{ID: innermost(chunks, l).id, Path: f.path, Line: l})
		}
	}
	return out, nil
}

func (s *store) scanFiles(ctx context.Context, n int, find func([]byte) []int) ([]found, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, path, content FROM files JOIN texts ON file_id=id ORDER BY path`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []found
	var buf []byte
	for n > 0 && rows.Next() {
		var f found
		var packed sql.RawBytes
		if err := rows.Scan(&f.file, &f.path, &packed); err != nil {
			return nil, err
		}
		if buf, err = s.dec.DecodeAll(packed, buf[:0]); err != nil {
			return nil, fmt.Errorf("%w: unpacking %s: %v", errDamaged, f.path, err)
		}
		if f.lines = MatchLines(buf, find, n); len(f.lines) > 0 {
			out = append(out, f)
			n -= len(f.lines)
		}
	}
	return out, rows.Err()
}

// MatchLines gives the lines (1-based) where matches begin, each once, at most n; find as in Scan.
func MatchLines(src []byte, find func([]byte) []int, n int) []int {
	var out []int
	line, at := 1, 0
	for at <= len(src) && len(out) < n {
		m := find(src[at:])
		if m == nil || m[0] == len(src)-at {
			break
		}
		line += bytes.Count(src[at:at+m[0]], []byte{'\n'})
		out = append(out, line)
		end := bytes.IndexByte(src[at+m[0]:], '\n')
		if end < 0 {
			break
		}
		at += m[0] + end + 1
		line++
	}
	return out
}
