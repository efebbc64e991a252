package index

import (
	"cmp"
	"context"
	"database/sql"
	"path"
	"slices"
	"strings"

	"redgreen/backend/lang"
)

// How well a name fits, the score of Symbols and Paths; gaps are for nothing but reading.
const (
	fitExact     = 10 // the name or qualified name, letter for letter
	fitFold      = 8  // in another case
	fitTail      = 7  // the end of the qualified name: Class.method of module.Class.method
	fitPrefix    = 4
	fitContained = 2
)

// Symbol is a chunk found by a name. Of a block of constants, and of a class that has a field of that name, Line is where the name
// stands; else it is 0.
type Symbol struct {
	Scored
	Name string
	Line int
}

// Whole reports that the name that was asked for is the chunk's, in whatever case, or the end of its qualified one.
func (s Symbol) Whole() bool { return s.Score >= fitTail }

// Symbols ranks chunks whose name or qualified name is name, or where there is none, begins with or contains it.
// Definitions come before tests, and shorter names before longer ones. "Class::method", "Class#method" and "method()" are
// read as "Class.method" and "method". A private name of JavaScript is found with its # and without; where both are there, the one that
// was asked for comes first.
func (ix *Index) Symbols(ctx context.Context, name string, n int) ([]Symbol, error) {
	return ix.symbols(ctx, name, n, true)
}

// Named is Symbols for whole names only: it has an index, and does not look at all names.
func (ix *Index) Named(ctx context.Context, name string, n int) ([]Symbol, error) {
	return ix.symbols(ctx, name, n, false)
}

func (ix *Index) symbols(ctx context.Context, name string, n int, parts bool) ([]Symbol, error) {
	hash := private(strings.TrimSpace(name))
	name = symbolName(name)
	if name == "" || n <= 0 {
		return nil, nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	list, err := ix.store.symbolsNamed(ctx, name)
	if err == nil && len(list) == 0 && parts {
		list, err = ix.store.symbolsWith(ctx, name)
	}
	if err != nil {
		return nil, ix.failed("searching symbols", err)
	}
	slices.SortFunc(list, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(b.fit, a.fit), compareBool(a.private != hash, b.private != hash), cmp.Compare(a.test, b.test), cmp.Compare(a.module, b.module),
			cmp.Compare(len(a.qualified), len(b.qualified)), cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line))
	})
	out := make([]Symbol, 0, min(n, len(list)))
	seen := map[int64]bool{} // a block may have several names that fit
	for _, s := range list {
		if len(out) == n {
			break
		}
		if !seen[s.id] {
			seen[s.id] = true
			out = append(out, Symbol{Scored{s.id, float64(s.fit)}, s.qualified, s.at})
		}
	}
	return out, nil
}

func symbolName(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimSuffix(s, "()")
	return strings.Trim(strings.NewReplacer("::", ".", ".#", ".", "#", ".", "->", ".").Replace(s), ".")
}

// private reports that the last part of a name as it was asked for has a # of its own: #open, Jar.#open.
func private(asked string) bool {
	i := strings.LastIndexByte(asked, '#')
	return i == 0 || i > 0 && asked[i-1] == '.'
}

// bare is a stored name as symbolName has it.
func bare(name string) string { return strings.ReplaceAll(name, "#", "") }

type symbol struct {
	id              int64
	qualified, path string
	line, fit       int
	at              int // the line of a constant's name, 0 of others
	private         bool
	test, module    int // 1: a test; a chunk of code outside definitions, or of constants
}

const (
	symbolColumns   = `SELECT c.id, c.name, c.qualified, c.test, c.kind='module', f.path, c.start_line, 0 FROM chunks c JOIN files f ON f.id=c.file_id WHERE c.kind<>'constant' AND `
	constantColumns = ` UNION ALL SELECT c.id, n.name, CASE c.kind WHEN 'constant' THEN substr(c.qualified, 1, length(c.qualified)-length(c.name)) ELSE c.qualified || '.' END || n.name, c.test, 1, f.path, n.line, n.line FROM constants n JOIN chunks c ON c.id=n.chunk_id JOIN files f ON f.id=c.file_id WHERE `
)

// symbolsNamed finds names letter for letter or in another case; that has an index.
func (s *store) symbolsNamed(ctx context.Context, name string) ([]symbol, error) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	rows, err := s.named.QueryContext(ctx, last)
	return readSymbols(name, rows, err)
}

// symbolsWith finds names that hold name; it looks at all.
func (s *store) symbolsWith(ctx context.Context, name string) ([]symbol, error) {
	rows, err := s.db.QueryContext(ctx, symbolColumns+`c.name<>'' AND instr(lower(replace(c.qualified, '#', '')), lower(?1)) > 0`+constantColumns+`instr(lower(replace(n.name, '#', '')), lower(?1)) > 0`, name)
	return readSymbols(name, rows, err)
}

func readSymbols(name string, rows *sql.Rows, err error) ([]symbol, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []symbol
	for rows.Next() {
		var own string
		var one symbol
		if err := rows.Scan(&one.id, &own, &one.qualified, &one.test, &one.module, &one.path, &one.line, &one.at); err != nil {
			return nil, err
		}
		one.private = strings.HasPrefix(own, "#")
		if one.fit = fit(name, bare(own), bare(one.qualified)); one.fit > 0 {
			out = append(out, one)
		}
	}
	return out, rows.Err()
}

// forgetConstants forgets the names in chunks that are no more. They are found by nothing, since an id is never given twice; that the
// table needs no second tree to find them by their chunk makes it half as large.
func (s *store) forgetConstants(ctx context.Context) error {
	var gone bool
	err := s.db.QueryRowContext(ctx, `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name='chunks'), 0) > chunks FROM lengths`).Scan(&gone)
	if err != nil || !gone {
		return err
	}
	_, err = s.db.ExecContext(ctx, `DELETE FROM constants WHERE chunk_id NOT IN (SELECT id FROM chunks)`)
	return err
}

func fit(want, name, qualified string) int {
	if want == name || want == qualified {
		return fitExact
	}
	w, n, q := strings.ToLower(want), strings.ToLower(name), strings.ToLower(qualified)
	switch {
	case w == n || w == q:
		return fitFold
	case strings.HasSuffix(q, "."+w):
		return fitTail
	case strings.HasPrefix(n, w) || strings.HasPrefix(q, w):
		return fitPrefix
	case strings.Contains(n, w):
		return fitContained
	}
	return 0 // inside the scope's name only: those are many, and the scope itself is in the list
}

// Paths ranks files by name and gives the first chunk of each: the whole path, its end, the base name, the base name
// without its extension, then names that hold all the words.
func (ix *Index) Paths(ctx context.Context, words string, n int) ([]Scored, error) {
	words = strings.TrimSpace(words)
	if words == "" || n <= 0 {
		return nil, nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	kept, err := ix.store.fittingPaths(ctx, newPathQuery(words), n)
	if err != nil {
		return nil, ix.failed("searching paths", err)
	}
	out := make([]Scored, 0, len(kept))
	for _, f := range kept {
		out = append(out, Scored{f.id, float64(f.fit)})
	}
	return out, nil
}

// fittingPaths gives the first chunks of the n files that fit best.
func (s *store) fittingPaths(ctx context.Context, q pathQuery, n int) ([]symbol, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, path FROM files WHERE status IN ('ok','broken')`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []symbol
	for rows.Next() {
		var f symbol
		if err := rows.Scan(&f.id, &f.path); err != nil {
			return nil, err
		}
		if f.fit = q.fit(f.path); f.fit > 0 {
			f.test = testPath(f.path)
			list = append(list, f)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(a.test, b.test), cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	return s.firstChunks(ctx, list[:min(n, len(list))])
}

// firstChunks turns files into their first chunks; a file without chunks falls out.
func (s *store) firstChunks(ctx context.Context, files []symbol) ([]symbol, error) {
	out := files[:0]
	for _, f := range files {
		ids, err := s.ids(ctx, `SELECT id FROM chunks WHERE file_id=? ORDER BY start_line, id LIMIT 1`, f.id)
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			f.id = ids[0]
			out = append(out, f)
		}
	}
	return out, nil
}

func testPath(path string) int {
	if l, ok := lang.ByPath(path); ok && l.TestFile(path) {
		return 1
	}
	return 0
}

// pathQuery is a path or words of one, prepared for many comparisons.
type pathQuery struct {
	text  string
	parts []string
}

func newPathQuery(words string) pathQuery {
	text := strings.Trim(strings.ToLower(strings.ReplaceAll(words, `\`, "/")), "/")
	text = strings.TrimPrefix(text, "./")
	q := pathQuery{text: text}
	for _, w := range Words(words) {
		if len(w.Parts) == 0 {
			q.parts = append(q.parts, w.Whole)
		}
		q.parts = append(q.parts, w.Parts...)
	}
	return q
}

func (q pathQuery) fit(file string) int {
	p := strings.ToLower(file)
	base := path.Base(p)
	switch {
	case q.text == "":
		return 0
	case p == q.text:
		return fitExact
	case strings.HasSuffix(p, "/"+q.text):
		return fitFold
	case strings.TrimSuffix(base, path.Ext(base)) == q.text:
		return fitTail
	case strings.HasPrefix(base, q.text) || strings.HasPrefix(p, q.text+"/"):
		return fitPrefix
	}
	if len(q.parts) == 0 {
		return 0
	}
	for _, w := range q.parts {
		if !strings.Contains(p, w) || len(w) < shortPart && !says(file, w) {
			return 0
		}
	}
	return fitContained
}

// shortPart is how many letters a part must have to be looked for within longer words: "a" and "py" are in most of them.
const shortPart = 3

// says reports that a word, or a part of one, of a path is word.
func says(file, word string) bool {
	return slices.ContainsFunc(Words(file), func(w Word) bool { return w.Whole == word || slices.Contains(w.Parts, word) })
}

// Place is a chunk that holds a line of a file.
type Place struct {
	ID   int64
	Path string
	Line int // the line asked for
}

// At finds the innermost chunk that holds a line of the file that a path means: the path itself or, for a path of
// another machine or a part of one, the file that shares the longest end with it. No result where two files share it
// equally or none does.
func (ix *Index) At(ctx context.Context, file string, line int) (Place, bool, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return Place{}, false, errClosed
	}
	found, err := ix.store.resolve(ctx, file)
	if err != nil || found == "" {
		return Place{}, false, err
	}
	ids, err := ix.store.ids(ctx, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file_id WHERE f.path=?
		ORDER BY (? BETWEEN c.doc_line AND c.end_line) DESC, CASE WHEN ? BETWEEN c.doc_line AND c.end_line THEN c.end_line-c.doc_line
		ELSE abs(c.start_line-?) END, c.id LIMIT 1`, found, line, line, line)
	if err != nil || len(ids) == 0 {
		return Place{}, false, err
	}
	return Place{ID: ids[0], Path: found, Line: line}, true, nil
}

// resolve finds the indexed file that a path of a stack trace means.
func (s *store) resolve(ctx context.Context, file string) (string, error) {
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	base := path.Base(file)
	rows, err := s.db.QueryContext(ctx, `SELECT path FROM files WHERE status IN ('ok','broken') AND (path=? OR substr(path, -length(?))=?) ORDER BY path`, base, "/"+base, "/"+base)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	best, most, tie := "", 0, false
	for rows.Next() {
		var p string
		if err := rows.Scan(&p); err != nil {
			return "", err
		}
		switch n := commonTail(p, file); {
		case n > most:
			best, most, tie = p, n, false
		case n == most:
			tie = true
		}
	}
	if tie {
		best = ""
	}
	return best, rows.Err()
}

// commonTail counts the path elements that two paths have in common at their ends; one that has all of a in it counts
// more, so that a whole path of the repository wins.
func commonTail(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(strings.TrimPrefix(b, "/"), "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	if n == len(x) {
		return 2 * n
	}
	return 2*n - 1
}
