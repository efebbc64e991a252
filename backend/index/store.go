package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/mattn/go-sqlite3"
)

// schemaVersion changes with the tables, the chunker, the analyser and the keyword fields: an index of another version is
// made anew.
const schemaVersion = "12"

// A chunk's text, comment and signature are not stored: they are cut from the file's content. indexed is 0 until the keyword index has
// the chunk; gone holds chunks that the keyword index must still forget. So a kill between the two stores loses nothing.
const schema = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	path TEXT NOT NULL UNIQUE,
	size INTEGER NOT NULL,
	mtime INTEGER NOT NULL,         -- ns since 1970; 0: look at the content again
	sha256 BLOB,
	lang TEXT NOT NULL DEFAULT '',
	status TEXT NOT NULL,           -- ok, broken, or why it was skipped
	segment INTEGER NOT NULL DEFAULT 0, -- of the trigram index, 0: in none yet
	rank REAL NOT NULL DEFAULT 0
);
CREATE INDEX files_segment ON files(segment);
CREATE TABLE texts(                -- of the files that are ok or broken; apart, so that a list of the files reads no text
	file_id INTEGER PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
	content BLOB NOT NULL,          -- zstd
	mentions BLOB NOT NULL          -- where names are said in it, see mentions.go
);
CREATE TABLE segments(id INTEGER PRIMARY KEY AUTOINCREMENT, pairs INTEGER NOT NULL, files INTEGER NOT NULL);
CREATE TABLE trigrams(id INTEGER PRIMARY KEY, data BLOB NOT NULL); -- id: the segment, then the first two bytes
CREATE TABLE chunks(
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	scope TEXT NOT NULL,            -- what stands before the name in the qualified one
	qualified TEXT AS (scope || name) VIRTUAL,
	kind TEXT NOT NULL,
	start_line INTEGER NOT NULL,
	end_line INTEGER NOT NULL,
	doc_line INTEGER NOT NULL,
	test INTEGER NOT NULL,
	holes TEXT NOT NULL DEFAULT '',
	hash BLOB NOT NULL,             -- of path, qualified name and text
	len_name INTEGER NOT NULL, len_scope INTEGER NOT NULL, len_path INTEGER NOT NULL,   -- terms a field, for the
	len_ident INTEGER NOT NULL, len_code INTEGER NOT NULL, len_prose INTEGER NOT NULL,  -- averages of BM25F
	indexed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX chunks_file ON chunks(file_id, doc_line, end_line); -- all that finding the chunk around a line needs
CREATE INDEX chunks_name ON chunks(name COLLATE NOCASE);
CREATE INDEX chunks_pending ON chunks(indexed) WHERE indexed = 0;
CREATE TABLE constants(            -- the names in a chunk that have no chunk of their own: constants, fields of a class
	name TEXT NOT NULL COLLATE NOCASE,
	chunk_id INTEGER NOT NULL,      -- may be of a chunk that is no more: see forgetConstants
	n INTEGER NOT NULL,             -- of the chunk's names
	line INTEGER NOT NULL,
	PRIMARY KEY(name, chunk_id, n)
) WITHOUT ROWID;
CREATE TABLE lengths(chunks INTEGER, name INTEGER, scope INTEGER, path INTEGER, ident INTEGER, code INTEGER, prose INTEGER); -- sums of chunks
INSERT INTO lengths VALUES(0, 0, 0, 0, 0, 0, 0);
CREATE TRIGGER chunk_gone AFTER DELETE ON chunks BEGIN
	UPDATE lengths SET chunks=chunks-1, name=name-old.len_name, scope=scope-old.len_scope, path=path-old.len_path, ident=ident-old.len_ident, code=code-old.len_code, prose=prose-old.len_prose;
END;
CREATE TABLE gone(chunk_id INTEGER PRIMARY KEY);
CREATE TABLE vectors(hash BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID; -- by the chunk's hash: a scale (float32), then a byte a number
CREATE TABLE file_vectors(         -- of an embedder that is a Local
	file_id INTEGER PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
	first INTEGER NOT NULL,         -- the id of the file's first chunk; those of the others follow one another
	packed BLOB NOT NULL            -- for each chunk a scale (float32), then four bits a number
);
`

// store is the SQLite half of an index.
type store struct {
	db  *sql.DB
	enc *zstd.Encoder
	dec *zstd.Decoder

	// what a search asks many times, prepared once: preparing takes longer than the answer
	grams, sizes, said, chunks, traits, text, texts, lengths, placed, placesIn, named *sql.Stmt

	names fileNames
}

// openStore opens or creates the database; readOnly opens what another process writes.
func openStore(dir, schema string, readOnly bool) (*store, error) {
	file := filepath.Join(dir, storeFile)
	dsn := "file:" + escapeDSN(file) + "?_journal_mode=WAL&_busy_timeout=10000&_synchronous=NORMAL&_foreign_keys=on&_cache_size=-16000"
	if readOnly {
		dsn = "file:" + escapeDSN(file) + "?mode=rw&_busy_timeout=10000&_query_only=on"
	}
	fresh := false
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		if readOnly {
			return nil, errOlder
		}
		fresh = true
		if err := layOut(file); err != nil {
			return nil, fmt.Errorf("creating %s: %w", file, err)
		}
	}
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, err)
	}
	db.SetMaxOpenConns(4)
	s := &store{db: db}
	if err := s.prepare(fresh, schema); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// layOut makes an empty database of large pages: a packed text then lies on one or two of them instead of on a chain of many.
func layOut(file string) error {
	db, err := sql.Open("sqlite3", "file:"+escapeDSN(file))
	if err != nil {
		return err
	}
	_, err = db.Exec(`PRAGMA page_size=16384; PRAGMA journal_mode=WAL`)
	return errors.Join(err, db.Close())
}

func escapeDSN(file string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(file)
}

// errOlder is an index of another schema, or half of one.
var errOlder = errors.New("index of another version")

func (s *store) prepare(fresh bool, version string) error {
	var err error
	if s.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
		return err
	}
	if s.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(1<<28)); err != nil {
		return err
	}
	if fresh {
		if err := s.create(version); err != nil {
			return fmt.Errorf("creating the index database: %w", err)
		}
	}
	var v string
	if err := s.db.QueryRow(`SELECT value FROM meta WHERE key='schema'`).Scan(&v); err != nil {
		return err
	}
	if v != version {
		return errOlder
	}
	for _, p := range []struct {
		to    **sql.Stmt
		query string
	}{
		{&s.grams, `SELECT id & 65535, data FROM trigrams WHERE id IN (SELECT segments.id<<16 | value FROM segments, json_each(?))`},
		{&s.sizes, `SELECT id & 65535, length(data) FROM trigrams WHERE id IN (SELECT segments.id<<16 | value FROM segments, json_each(?))`},
		{&s.said, `SELECT mentions FROM texts WHERE file_id=?`},
		{&s.chunks, metaQuery + `c.id IN (SELECT value FROM json_each(?))`},
		{&s.traits, `SELECT coalesce(group_concat(c.id || ' ' || c.file_id || ' ' || c.test || ' ' || c.kind, char(10)), '') FROM json_each(?) j CROSS JOIN chunks c ON c.id=j.value`},
		{&s.lengths, `SELECT chunks, name, scope, path, ident, code, prose FROM lengths`},
		{&s.placed, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file_id WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY f.path, c.start_line, c.id`},
		{&s.placesIn, `WITH spans AS MATERIALIZED (SELECT value->>0 AS file, value->>1 AS first, value->>2 AS last FROM json_each(?))
			SELECT coalesce(group_concat(file_id || ' ' || id || ' ' || doc_line || ' ' || end_line, ' '), '') FROM spans CROSS JOIN chunks ON file_id=file AND doc_line<=last WHERE end_line>=first`},
		{&s.named, symbolColumns + `c.name COLLATE NOCASE IN (?1, '#' || ?1)` + constantColumns + `n.name IN (?1, '#' || ?1)`},
		{&s.text, `SELECT content FROM files JOIN texts ON file_id=id WHERE path=?`},
		{&s.texts, `SELECT j.key, t.content FROM json_each(?) j CROSS JOIN files f ON f.path=j.value CROSS JOIN texts t ON t.file_id=f.id`},
	} {
		if *p.to, err = s.db.Prepare(p.query); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) create(version string) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(schema); err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT INTO meta VALUES('schema', ?)`, version); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *store) close() error {
	s.dec.Close()
	return s.db.Close()
}

// pack compresses a text for the database. Safe for concurrent use.
func (s *store) pack(text []byte) []byte {
	return s.enc.EncodeAll(text, make([]byte, 0, len(text)/3+64))
}

// known is what the store remembers of a file.
type known struct {
	id    int64
	size  int64
	mtime int64
	sha   []byte
}

func (s *store) known(ctx context.Context) (map[string]known, error) {
	return s.knownWhere(ctx, ``)
}

// knownOf is known for some paths.
func (s *store) knownOf(ctx context.Context, paths []string) (map[string]known, error) {
	args := make([]any, len(paths))
	for i, p := range paths {
		args[i] = p
	}
	return s.knownWhere(ctx, ` WHERE path IN (?`+strings.Repeat(",?", len(paths)-1)+`)`, args...)
}

func (s *store) knownWhere(ctx context.Context, where string, args ...any) (map[string]known, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, path, size, mtime, sha256 FROM files`+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]known{}
	for rows.Next() {
		var k known
		var path string
		if err := rows.Scan(&k.id, &path, &k.size, &k.mtime, &k.sha); err != nil {
			return nil, err
		}
		out[path] = k
	}
	return out, rows.Err()
}

// change is what one batch does to one file. chunks is nil for a file that is only touched (same content, other time).
type change struct {
	path   string
	old    known // id 0: new
	remove bool
	touch  bool
	size   int64
	mtime  int64
	sha    []byte
	lang   string
	status string
	chunks []Chunk
	docs   []document // keyword documents of the chunks
	texts  []string   // of their terms
	grams  []uint32   // the trigrams of the text

	vectors []byte // of the chunks, packed, where the embedder is a Local

	content, mentions []byte // packed
	file              int64  // its id, once it is written
}

// write stores a batch in one transaction and gives each chunk its id. It leaves the chunks marked as not indexed.
func (s *store) write(ctx context.Context, batch []change) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	ctx = rowByRow(ctx)
	w := writer{tx: tx}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	defer w.close()
	for i := range batch {
		if err := w.file(ctx, &batch[i]); err != nil {
			return fmt.Errorf("storing %s: %w", batch[i].path, err)
		}
	}
	if err := w.addLengths(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

// rowByRow is the context of many small statements in a transaction, which ends with the context that it was begun with: the driver
// starts a goroutine for each statement that may be cancelled.
func rowByRow(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

// writer writes a batch within a transaction.
type writer struct {
	tx                          *sql.Tx
	files, texts, chunks, names *sql.Stmt
	vectors                     *sql.Stmt
	added                       int
	lengths                     [numFields]int // of the chunks that were added
}

func (w *writer) prepare(ctx context.Context) (err error) {
	for _, p := range []struct {
		to    **sql.Stmt
		query string
	}{
		{&w.files, `INSERT INTO files(path, size, mtime, sha256, lang, status) VALUES(?,?,?,?,?,?)`},
		{&w.texts, `INSERT INTO texts VALUES(?,?,?)`},
		{&w.chunks, `INSERT INTO chunks(file_id, name, scope, kind, start_line, end_line, doc_line, test, holes, hash,
			len_name, len_scope, len_path, len_ident, len_code, len_prose) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`},
		{&w.names, `INSERT INTO constants VALUES(?,?,?,?)`},
		{&w.vectors, `INSERT INTO file_vectors VALUES(?,?,?)`},
	} {
		if *p.to, err = w.tx.PrepareContext(ctx, p.query); err != nil {
			return errors.Join(err, w.close())
		}
	}
	return nil
}

func (w *writer) close() (err error) {
	for _, st := range []*sql.Stmt{w.files, w.texts, w.chunks, w.names, w.vectors} {
		if st != nil {
			err = errors.Join(err, st.Close())
		}
	}
	return err
}

func (w *writer) addLengths(ctx context.Context) error {
	if w.added == 0 {
		return nil
	}
	args := []any{w.added}
	for _, n := range w.lengths {
		args = append(args, n)
	}
	_, err := w.tx.ExecContext(ctx, `UPDATE lengths SET chunks=chunks+?, name=name+?, scope=scope+?, path=path+?, ident=ident+?, code=code+?, prose=prose+?`, args...)
	return err
}

func (w *writer) file(ctx context.Context, c *change) error {
	tx := w.tx
	if c.touch {
		_, err := tx.ExecContext(ctx, `UPDATE files SET size=?, mtime=? WHERE id=?`, c.size, c.mtime, c.old.id)
		return err
	}
	if c.old.id != 0 {
		if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO gone SELECT id FROM chunks WHERE file_id=?`, c.old.id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM files WHERE id=?`, c.old.id); err != nil {
			return err
		}
	}
	if c.remove {
		return nil
	}
	res, err := w.files.ExecContext(ctx, c.path, c.size, c.mtime, c.sha, c.lang, c.status)
	if err != nil {
		return err
	}
	if c.file, err = res.LastInsertId(); err != nil || c.content == nil {
		return err
	}
	if _, err := w.texts.ExecContext(ctx, c.file, c.content, c.mentions); err != nil {
		return err
	}
	if err := w.chunksOf(ctx, c); err != nil || len(c.vectors) == 0 {
		return err
	}
	_, err = w.vectors.ExecContext(ctx, c.file, c.chunks[0].ID, c.vectors)
	return err
}

func (w *writer) chunksOf(ctx context.Context, c *change) error {
	for i := range c.chunks {
		ch := &c.chunks[i]
		holes := ""
		if len(ch.Holes) > 0 {
			b, err := json.Marshal(ch.Holes)
			if err != nil {
				return err
			}
			holes = string(b)
		}
		args := []any{c.file, ch.Name, strings.TrimSuffix(ch.Qualified, ch.Name), ch.Kind, ch.StartLine, ch.EndLine, ch.DocLine, ch.Test, holes, ch.Hash[:]}
		for f, t := range c.docs[i] {
			args = append(args, t.length)
			w.lengths[f] += t.length
		}
		w.added++
		res, err := w.chunks.ExecContext(ctx, args...)
		if err != nil {
			return err
		}
		if ch.ID, err = res.LastInsertId(); err != nil {
			return err
		}
		if err := w.namesOf(ctx, ch); err != nil {
			return err
		}
	}
	return nil
}

// namesOf stores the names of a chunk that have no chunk, each once.
func (w *writer) namesOf(ctx context.Context, ch *Chunk) error {
	seen := make(map[string]bool, len(ch.Names))
	for i, n := range ch.Names {
		if seen[n.Name] {
			continue
		}
		seen[n.Name] = true
		if _, err := w.names.ExecContext(ctx, n.Name, ch.ID, i, n.Line); err != nil {
			return err
		}
	}
	return nil
}

// settle marks a batch as known to the keyword index.
func (s *store) settle(ctx context.Context, batch []change, gone []int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	first, last := int64(0), int64(0) // a batch's ids follow one another
	for _, c := range batch {
		if n := len(c.chunks); n > 0 {
			first, last = cmp.Or(first, c.chunks[0].ID), c.chunks[n-1].ID
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE chunks SET indexed=1 WHERE id BETWEEN ? AND ?`, first, last); err != nil {
		return err
	}
	for _, id := range gone {
		if _, err := tx.ExecContext(ctx, `DELETE FROM gone WHERE chunk_id=?`, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// gone lists chunks that the keyword index must forget.
func (s *store) gone(ctx context.Context) ([]int64, error) {
	return s.ids(ctx, `SELECT chunk_id FROM gone ORDER BY chunk_id`)
}

// distrust makes the next comparison read again every file whose chunks the keyword index may not have.
func (s *store) distrust(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `UPDATE files SET mtime=0, sha256=NULL WHERE id IN (SELECT file_id FROM chunks WHERE indexed=0)`)
	return err
}

func (s *store) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	return readIDs(s.db.QueryContext(ctx, query, args...))
}

func readIDs(rows *sql.Rows, err error) ([]int64, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

func (s *store) counts(ctx context.Context) (files, chunks int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM files WHERE status IN ('ok','broken')), chunks FROM lengths`).Scan(&files, &chunks)
	return files, chunks, err
}

// damaged reports an error that says that the database itself is broken.
func damaged(err error) bool {
	if errors.Is(err, errOlder) || errors.Is(err, errDamaged) {
		return true
	}
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return false
	}
	switch se.Code {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat:
		return true
	case sqlite3.ErrError: // a missing table or column
		return strings.Contains(se.Error(), "no such")
	}
	return false
}

// full reports that there is no room left.
func full(err error) bool {
	var se sqlite3.Error
	return errors.As(err, &se) && se.Code == sqlite3.ErrFull || isNoSpace(err)
}
