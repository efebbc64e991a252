package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

func (s *store) unpack(packed []byte) ([]byte, error) { return s.unpackInto(nil, packed) }

// unpackInto is unpack into the room of another text, if that is enough.
func (s *store) unpackInto(room, packed []byte) ([]byte, error) {
	if packed == nil {
		return nil, nil
	}
	b, err := s.dec.DecodeAll(packed, room[:0])
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
	return ix.loading(ids, func(s *store) ([]Chunk, error) {
		ls, err := s.metaOf(ctx, ids)
		if err != nil {
			return nil, err
		}
		if ls = inOrder(ls, ids); text {
			return s.withText(ctx, ls)
		}
		out := make([]Chunk, 0, len(ls))
		for _, l := range ls {
			out = append(out, l.Chunk)
		}
		return out, nil
	})
}

// loading asks the store, which stays open meanwhile, for chunks.
func (ix *Index) loading(ids []int64, get func(*store) ([]Chunk, error)) ([]Chunk, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	out, err := get(ix.store)
	if err != nil {
		return nil, ix.failed("loading chunks", err)
	}
	return out, nil
}

// Traits are the chunks of Meta with no more than what tells kinds of chunks apart: path, language, kind, and whether it is a test.
// That costs a third.
func (ix *Index) Traits(ctx context.Context, ids []int64) ([]Chunk, error) {
	return ix.loading(ids, func(s *store) ([]Chunk, error) { return s.traitsOf(ctx, ids) })
}

// traitsOf asks for one long text instead of rows: handing a row over takes longer than finding it.
func (s *store) traitsOf(ctx context.Context, ids []int64) ([]Chunk, error) {
	var text string
	if err := s.traits.QueryRowContext(ctx, "["+idList(ids)+"]").Scan(&text); err != nil {
		return nil, err
	}
	out, in := make([]Chunk, 0, len(ids)), make([]int64, 0, len(ids)) // in: the file of each
	for line := range strings.Lines(text) {
		ch, file, err := readTraits(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		out, in = append(out, ch), append(in, file)
	}
	names, err := s.names.of(ctx, s, in)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Path, out[i].Lang = names[i].path, names[i].lang
	}
	return out, nil
}

// readTraits reads "id file test kind".
func readTraits(line string) (ch Chunk, file int64, err error) {
	id, rest, _ := strings.Cut(line, " ")
	in, rest, _ := strings.Cut(rest, " ")
	test, kind, _ := strings.Cut(rest, " ")
	ch = Chunk{Kind: kind, Test: test == "1"}
	if ch.ID, err = strconv.ParseInt(id, 10, 64); err == nil {
		file, err = strconv.ParseInt(in, 10, 64)
	}
	if err != nil {
		return ch, 0, fmt.Errorf("%w: a chunk's traits are %q", errDamaged, line)
	}
	return ch, file, nil
}

// fileName is what a file's number stands for: a changed file, and one with another name, has another number, and none is given twice.
type fileName struct{ path, lang string }

// maxFileNames bounds the names that are kept, of some 100 bytes each.
const maxFileNames = 100_000

// fileNames keeps the names of the files that searches found chunks in: joining them for each chunk took longer than all the rest.
type fileNames struct {
	mu    sync.Mutex
	known map[int64]fileName
}

// of gives the names of files, which may be the same ones many times.
func (n *fileNames) of(ctx context.Context, s *store, files []int64) ([]fileName, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil || len(n.known) > maxFileNames {
		n.known = map[int64]fileName{}
	}
	var missing []int64
	for _, id := range files {
		if _, ok := n.known[id]; !ok {
			missing = append(missing, id)
		}
	}
	if err := n.load(ctx, s, missing); err != nil {
		return nil, err
	}
	out := make([]fileName, len(files))
	for i, id := range files {
		out[i] = n.known[id]
	}
	return out, nil
}

func (n *fileNames) load(ctx context.Context, s *store, files []int64) error {
	if len(files) == 0 {
		return nil
	}
	rows, err := s.db.QueryContext(ctx, `SELECT id, path, lang FROM files WHERE id IN (`+idList(files)+`)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var f fileName
		if err := rows.Scan(&id, &f.path, &f.lang); err != nil {
			return err
		}
		n.known[id] = f
	}
	return rows.Err()
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

// FileTexts is FileText of many files, whose order it keeps; texts are unpacked on all cores, into the room of other texts where that
// is enough. It may give nil for a text that FileText has.
func (ix *Index) FileTexts(ctx context.Context, room [][]byte, paths []string) ([][]byte, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	texts, err := ix.store.textsOf(ctx, room, paths)
	if err != nil {
		return nil, ix.failed("loading texts", err)
	}
	return texts, nil
}

func (s *store) textsOf(ctx context.Context, room [][]byte, paths []string) ([][]byte, error) {
	packed, err := s.packedOf(ctx, paths)
	if err != nil {
		return nil, err
	}
	texts := room[:cap(room)]
	for len(texts) < len(paths) {
		texts = append(texts, nil)
	}
	texts = texts[:len(paths)]
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(paths)))
	for w := range errs {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(paths) && errs[w] == nil; i = int(next.Add(1)) - 1 {
				texts[i], errs[w] = s.unpackInto(texts[i], packed[i])
			}
		})
	}
	wg.Wait()
	return texts, errors.Join(errs...)
}

// packedOf gives stored texts as they are stored.
func (s *store) packedOf(ctx context.Context, paths []string) ([][]byte, error) {
	list, err := json.Marshal(paths)
	if err != nil {
		return nil, err
	}
	rows, err := s.texts.QueryContext(ctx, string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make([][]byte, len(paths))
	for rows.Next() {
		var i int
		var packed []byte
		if err := rows.Scan(&i, &packed); err != nil {
			return nil, err
		}
		out[i] = packed
	}
	return out, rows.Err()
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
