package index

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

const (
	// bytesPerToken is the usual size of a token of code; it is for a budget, not for a bill.
	bytesPerToken = 3.5
	// maxUses is where more uses make a name no more central.
	maxUses = 50
	// manyNames is where only names at the top of a file are counted, so that an outline takes well under a second.
	manyNames = 20_000
	// outlineSymbols is how many names stand for one file.
	outlineSymbols = 8
)

// Outline is an overview of the repository in at most maxTokens (about): the languages, then a line a file with the names
// that are used most elsewhere, the most central file first; a file or name that shares a word with task ("" none) goes
// before. Tests are counted by folder only. The same index and task give the same text.
func (ix *Index) Outline(ctx context.Context, maxTokens int, task string) (string, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return "", errClosed
	}
	files, err := ix.store.outlineFiles(ctx)
	if err != nil {
		return "", ix.failed("outlining the repository", err)
	}
	if err := ix.central(ctx, files); err != nil {
		return "", ix.failed("outlining the repository", err)
	}
	lift(files, task)
	return renderOutline(files, int(float64(maxTokens)*bytesPerToken)), nil
}

type outlineFile struct {
	path, lang string
	test       bool
	score      float64
	names      []outlineName
}

type outlineName struct {
	name, qualified string
	nested          bool
	score           float64
	order           int
}

func (s *store) outlineFiles(ctx context.Context) ([]*outlineFile, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT f.path, f.lang, c.name, c.qualified, c.kind, c.test FROM files f LEFT JOIN chunks c ON c.file_id=f.id
		WHERE f.status IN ('ok','broken') ORDER BY f.path, c.start_line, c.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []*outlineFile
	for rows.Next() {
		var p, l string
		var name, qualified, kind *string
		var test *bool
		if err := rows.Scan(&p, &l, &name, &qualified, &kind, &test); err != nil {
			return nil, err
		}
		if len(out) == 0 || out[len(out)-1].path != p {
			out = append(out, &outlineFile{path: p, lang: l, test: test != nil && *test})
		}
		f := out[len(out)-1]
		if kind == nil || *kind == "lines" || *kind == "section" || *kind == "constant" || *kind == "module" && strings.HasSuffix(p, *name+path.Ext(p)) {
			continue
		}
		f.names = append(f.names, outlineName{name: *name, qualified: *qualified, nested: *name != *qualified, order: len(f.names)})
	}
	return out, rows.Err()
}

// central scores names by how many other chunks say them, shared among the definitions of that name. Names of one short
// word say little: they are also words.
func (ix *Index) central(ctx context.Context, files []*outlineFile) error {
	reader, err := openReader(ix.keywords)
	if err != nil {
		return err
	}
	defer reader.Close()
	defined := map[string]float64{}
	total := 0
	for _, f := range files {
		for _, n := range f.names {
			defined[n.name]++
		}
		total += len(f.names)
	}
	uses := map[string]float64{}
	for _, f := range files {
		if f.test {
			continue
		}
		seen := map[string]bool{}
		for i := range f.names {
			n := &f.names[i]
			if n.nested && total > manyNames {
				continue
			}
			if _, ok := uses[n.name]; !ok {
				if uses[n.name], err = countUses(ctx, reader, n.name); err != nil {
					return err
				}
			}
			n.score = max(uses[n.name]-defined[n.name], 0) / defined[n.name]
			if !seen[n.name] {
				f.score += min(n.score, maxUses)
			}
			seen[n.name] = true
		}
	}
	return nil
}

// lift raises what shares words with the task: a name by more than any use can, a file by its path and its names. A word
// that half of the files share tells nothing apart and is left out.
func lift(files []*outlineFile, task string) {
	words := map[string]int{}
	for _, w := range Words(task) {
		for _, part := range append(w.Parts, w.Whole) {
			if len(part) > 2 {
				words[part] = 0
			}
		}
	}
	if len(words) == 0 {
		return
	}
	shared := make([]map[string]bool, len(files))
	for i, f := range files {
		shared[i] = map[string]bool{}
		texts := []string{f.path}
		for _, n := range f.names {
			texts = append(texts, n.name)
		}
		for _, w := range Words(strings.Join(texts, " ")) {
			for _, part := range append(w.Parts, w.Whole) {
				if _, ok := words[part]; ok && !shared[i][part] {
					shared[i][part] = true
					words[part]++
				}
			}
		}
	}
	for i, f := range files {
		for w := range shared[i] {
			if len(files) > 3 && 2*words[w] > len(files) {
				continue
			}
			f.score += maxUses / float64(words[w])
		}
		for j := range f.names {
			for _, w := range Words(f.names[j].name) {
				if slices.ContainsFunc(append(w.Parts, w.Whole), func(p string) bool { return shared[i][p] }) {
					f.names[j].score += 2 * maxUses
				}
			}
		}
	}
}

func countUses(ctx context.Context, reader bleveindex.IndexReader, name string) (float64, error) {
	ws := Words(name)
	if len(ws) != 1 {
		return 0, nil
	}
	field, weight := fieldIdent, 1.0
	if len(ws[0].Parts) == 0 {
		field, weight = fieldCode, 0.2
	}
	tfr, err := reader.TermFieldReader(ctx, []byte(ws[0].Whole), field.String(), false, false, false)
	if err != nil {
		return 0, err
	}
	defer tfr.Close()
	return weight * float64(tfr.Count()), nil
}

func renderOutline(files []*outlineFile, budget int) string {
	var b strings.Builder
	b.WriteString(languageLine(files))
	var shown []*outlineFile
	for _, f := range files {
		if !f.test {
			shown = append(shown, f)
		}
	}
	slices.SortStableFunc(shown, func(a, b *outlineFile) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(b.names), len(a.names)), cmp.Compare(a.path, b.path))
	})
	tail := testLine(files)
	const more = "… %d more files\n"
	for i, f := range shown {
		line := f.line()
		if b.Len()+len(line)+len(tail)+len(more) > budget {
			fmt.Fprintf(&b, more, len(shown)-i)
			break
		}
		b.WriteString(line)
	}
	if b.Len()+len(tail) <= budget {
		b.WriteString(tail)
	}
	return b.String()
}

// line names a file's most used definitions in the order of the file.
func (f *outlineFile) line() string {
	names := slices.Clone(f.names)
	slices.SortStableFunc(names, func(a, b outlineName) int {
		if a.nested != b.nested && a.score == b.score {
			if a.nested {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.score, a.score)
	})
	rest := len(names) - outlineSymbols
	names = names[:min(len(names), outlineSymbols)]
	slices.SortFunc(names, func(a, b outlineName) int { return cmp.Compare(a.order, b.order) })
	var said []string
	for _, n := range names {
		if !slices.Contains(said, n.qualified) {
			said = append(said, n.qualified)
		}
	}
	switch {
	case len(said) == 0:
		return f.path + "\n"
	case rest > 0:
		return fmt.Sprintf("%s: %s, +%d\n", f.path, strings.Join(said, ", "), rest)
	}
	return f.path + ": " + strings.Join(said, ", ") + "\n"
}

func languageLine(files []*outlineFile) string {
	return fmt.Sprintf("%d files%s\n", len(files), counted(files, func(f *outlineFile) string { return f.lang }, ": "))
}

func testLine(files []*outlineFile) string {
	s := counted(files, func(f *outlineFile) string {
		if f.test {
			return path.Dir(f.path) + "/"
		}
		return ""
	}, "tests: ")
	if s != "" {
		s += "\n"
	}
	return s
}

// counted lists keys with their counts, most first, at most eight; "" is left out.
func counted(files []*outlineFile, key func(*outlineFile) string, lead string) string {
	n := map[string]int{}
	for _, f := range files {
		if k := key(f); k != "" {
			n[k]++
		}
	}
	keys := make([]string, 0, len(n))
	for k := range n {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	var parts []string
	for _, k := range keys[:min(len(keys), 8)] {
		parts = append(parts, fmt.Sprintf("%s %d", k, n[k]))
	}
	if len(parts) == 0 {
		return ""
	}
	return lead + strings.Join(parts, ", ")
}
