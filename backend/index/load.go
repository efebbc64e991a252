package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

const chunkColumns = `c.id, f.path, f.lang, c.name, c.qualified, c.kind, c.start_line, c.end_line, c.doc_line, c.test, c.holes, c.hash, c.file_id`

// loaded is a chunk with the file that has its text.
type loaded struct {
	Chunk
	file int64
}

func scanChunk(rows *sql.Rows) (loaded, error) {
	var l loaded
	var holes string
	var hash sql.RawBytes
	err := rows.Scan(&l.ID, &l.Path, &l.Lang, &l.Name, &l.Qualified, &l.Kind, &l.StartLine, &l.EndLine, &l.DocLine,
		&l.Test, &holes, &hash, &l.file)
	copy(l.Hash[:], hash)
	if err == nil && holes != "" {
		err = json.Unmarshal([]byte(holes), &l.Holes)
	}
	return l, err
}

// meta loads chunks without their text, by a condition on c and f.
func (s *store) meta(ctx context.Context, where string, args ...any) ([]loaded, error) {
	return scanChunks(s.db.QueryContext(ctx, metaQuery+where, args...))
}

const metaQuery = `SELECT ` + chunkColumns + ` FROM chunks c JOIN files f ON f.id=c.file_id WHERE `

// metaOf is meta of some chunks.
func (s *store) metaOf(ctx context.Context, ids []int64) ([]loaded, error) {
	return scanChunks(s.chunks.QueryContext(ctx, "["+idList(ids)+"]"))
}

func scanChunks(rows *sql.Rows, err error) ([]loaded, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []loaded
	for rows.Next() {
		l, err := scanChunk(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, rows.Err()
}

// idList is a list for SQL's IN; ids are numbers, so nothing needs quoting.
func idList(ids []int64) string {
	var b []byte
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(b)
}

// content gives a file's stored text; nil where none was stored.
func (s *store) content(ctx context.Context, file int64) ([]byte, error) {
	var packed []byte
	err := s.db.QueryRowContext(ctx, `SELECT content FROM texts WHERE file_id=?`, file).Scan(&packed)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	return s.unpack(packed)
}

func (s *store) unpack(packed []byte) ([]byte, error) {
	if packed == nil {
		return nil, nil
	}
	b, err := s.dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: unpacking a stored file: %v", errDamaged, err)
	}
	return b, nil
}

// withText gives chunks their text, reading each file once.
func (s *store) withText(ctx context.Context, ls []loaded) ([]Chunk, error) {
	lines := map[int64][]string{}
	out := make([]Chunk, 0, len(ls))
	for _, l := range ls {
		if _, ok := lines[l.file]; !ok {
			b, err := s.content(ctx, l.file)
			if err != nil {
				return nil, err
			}
			lines[l.file] = splitLines(b)
		}
		l.Text = textOf(l.Chunk, lines[l.file])
		out = append(out, l.Chunk)
	}
	return out, nil
}

// Chunks loads chunks by id, with text, in the order of ids. An id that is no more is left out.
func (ix *Index) Chunks(ctx context.Context, ids []int64) ([]Chunk, error) {
	return ix.load(ctx, ids, true)
}

// Meta is Chunks without the text.
func (ix *Index) Meta(ctx context.Context, ids []int64) ([]Chunk, error) {
	return ix.load(ctx, ids, false)
}

func (ix *Index) load(ctx context.Context, ids []int64, text bool) ([]Chunk, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	ls, err := ix.store.metaOf(ctx, ids)
	if err != nil {
		return nil, ix.failed("loading chunks", err)
	}
	ls = inOrder(ls, ids)
	if !text {
		out := make([]Chunk, 0, len(ls))
		for _, l := range ls {
			out = append(out, l.Chunk)
		}
		return out, nil
	}
	out, err := ix.store.withText(ctx, ls)
	if err != nil {
		return nil, ix.failed("loading chunks", err)
	}
	return out, nil
}

func inOrder(ls []loaded, ids []int64) []loaded {
	byID := make(map[int64]loaded, len(ls))
	for _, l := range ls {
		byID[l.ID] = l
	}
	ordered := make([]loaded, 0, len(ids))
	for _, id := range ids {
		if l, ok := byID[id]; ok {
			ordered = append(ordered, l)
		}
	}
	return ordered
}

// FileChunks lists the chunks of a file in order.
func (ix *Index) FileChunks(ctx context.Context, path string) ([]Chunk, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	ls, err := ix.store.meta(ctx, `f.path=? ORDER BY c.start_line, c.id`, path)
	if err == nil {
		var out []Chunk
		if out, err = ix.store.withText(ctx, ls); err == nil {
			return out, nil
		}
	}
	return nil, ix.failed("loading the chunks of "+path, err)
}

// FileText gives a file's text as it was indexed; nil where the index has none.
func (ix *Index) FileText(ctx context.Context, path string) ([]byte, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	var packed []byte
	err := ix.store.text.QueryRowContext(ctx, path).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	b, unpacked := ix.store.unpack(packed)
	if err := cmp.Or(err, unpacked); err != nil {
		return nil, ix.failed("loading the text of "+path, err)
	}
	return b, nil
}

// Counts of what is stored.
func (ix *Index) Counts(ctx context.Context) (files, chunks int, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return 0, 0, errClosed
	}
	if files, chunks, err = ix.store.counts(ctx); err != nil {
		return 0, 0, ix.failed("counting the index", err)
	}
	return files, chunks, nil
}
