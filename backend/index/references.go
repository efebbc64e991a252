package index

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"redgreen/backend/lang"
)

// The kinds of a reference.
const (
	RefDefinition = "definition"
	RefCall       = "call"
	RefImport     = "import"
	RefUse        = "use"
)

// Reference is one place that says a name. Strings and comments do not count.
type Reference struct {
	Path string `json:"path"`
	Line int    `json:"line"` // 1-based
	Col  int    `json:"col"`  // 1-based, in bytes
	Kind string `json:"kind"` // definition, call, import, use
	Name string `json:"name"`
	In   string `json:"in"` // qualified name of the chunk around it, "" outside of all
	ID   int64  `json:"-"`  // that chunk, 0 outside of all
}

// maxReferences is where an answer ends that was not asked for fewer.
const maxReferences = 2000

// References lists the places that say a name, definitions first, then by path and line. Of "Class.method" the last part
// counts: two methods of one name are not told apart. Of the options N (2,000 if left out), Read,
// Changed and Best count: where there are more than N, which more says, those in the files that define the name and those of
// the first files are given, or with Best of the files that others refer to most, in that order. A place in a text that is
// not the indexed one has no ID.
func (ix *Index) References(ctx context.Context, name string, o GrepOptions) (list []Reference, more bool, err error) {
	name = symbolName(name)
	name = name[strings.LastIndexByte(name, '.')+1:]
	if name == "" {
		return nil, false, nil
	}
	if o.N <= 0 {
		o.N = maxReferences
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, false, errClosed
	}
	out, more, err := ix.references(ctx, name, o)
	if err != nil {
		return nil, false, ix.failed("searching references", err)
	}
	slices.SortStableFunc(out, func(a, b Reference) int {
		if d := compareBool(a.Kind != RefDefinition, b.Kind != RefDefinition); d != 0 || o.Best {
			return d
		}
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return out, more, nil
}

func (ix *Index) references(ctx context.Context, name string, o GrepOptions) (out []Reference, more bool, err error) {
	files, err := ix.candidates(ctx, Pattern{Literal: name}, GrepOptions{Changed: o.Changed})
	if err != nil {
		return nil, false, err
	}
	definers, err := ix.store.ids(ctx, `SELECT file_id FROM chunks WHERE name COLLATE NOCASE IN (?1, '#' || ?1)
		UNION SELECT file_id FROM chunks WHERE id IN (SELECT chunk_id FROM constants WHERE name IN (?1, '#' || ?1)) ORDER BY file_id`, name)
	if err != nil {
		return nil, false, err
	}
	if o.Best {
		slices.SortStableFunc(files, func(a, b fileInfo) int { return cmp.Compare(b.rank, a.rank) })
	}
	slices.SortStableFunc(files, func(a, b fileInfo) int {
		_, x := slices.BinarySearch(definers, a.id)
		_, y := slices.BinarySearch(definers, b.id)
		return compareBool(!x, !y)
	})
	looked := 0
	var in []int64 // the file of each, 0 where the chunk is known
	err = inOrderOf(ctx, files, func(f fileInfo) ([]Reference, error) {
		return ix.referencesIn(ctx, f, name, o.Read)
	}, func(f fileInfo, refs []Reference) bool {
		looked++
		for _, r := range refs {
			out, in = append(out, r), append(in, f.id)
		}
		return len(out) < o.N
	})
	if err != nil {
		return nil, false, err
	}
	more = looked < len(files) || len(out) > o.N
	out, in = out[:min(o.N, len(out))], in[:min(o.N, len(in))]
	return out, more, ix.placed(ctx, out, in)
}

// placed gives references in indexed texts the chunks around them; in has the file of each.
func (ix *Index) placed(ctx context.Context, refs []Reference, in []int64) error {
	chunks, err := ix.store.extentsOf(ctx, spansOf(in, func(i int) int { return refs[i].Line }))
	if err != nil {
		return err
	}
	var ids []int64
	for i := range refs {
		if r := &refs[i]; r.ID == indexedText {
			r.ID = innermost(chunks[in[i]], r.Line).id
			ids = append(ids, r.ID)
		}
	}
	names, err := ix.store.qualified(ctx, ids)
	for i := range refs {
		if r := &refs[i]; r.ID != 0 {
			r.In = names[r.ID]
		}
	}
	return err
}

// qualified gives the names of chunks; what is outside of all definitions has none.
func (s *store) qualified(ctx context.Context, ids []int64) (map[int64]string, error) {
	slices.Sort(ids)
	out := map[int64]string{}
	rows, err := s.db.QueryContext(ctx, `SELECT id, qualified FROM chunks WHERE kind<>'module' AND id IN (`+idList(slices.Compact(ids))+`)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		out[id] = name
	}
	return out, rows.Err()
}

// indexedText marks a reference whose chunk is still to be looked up.
const indexedText = -1

// referencesIn finds a name in the present text of a file; a text that is not the indexed one is parsed.
func (ix *Index) referencesIn(ctx context.Context, f fileInfo, name string, read func(string) ([]byte, error)) ([]Reference, error) {
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	src, err := ix.present(f.path, read, room)
	if err != nil || (Pattern{Literal: name, Word: true}).find(src) == nil {
		return nil, nil // gone, no text any more, or only longer names
	}
	sum := sha256.Sum256(src)
	known := f.sha == string(sum[:])
	var packed []byte
	var chunks []extent
	if known {
		packed, err = ix.store.mentions(ctx, f.id)
	} else {
		packed, chunks = parsed(f.path, src)
	}
	if err != nil {
		return nil, err
	}
	var out []Reference
	line, counted := 1, 0
	err = eachMention(src, packed, func(m lang.Mention) {
		if string(src[m.Start:m.End]) != name {
			return
		}
		line += bytes.Count(src[counted:m.Start], []byte{'\n'})
		counted = m.Start
		r := Reference{Path: f.path, Line: line, Col: m.Start - bytes.LastIndexByte(src[:m.Start], '\n'), Kind: refKind(m.Kind), Name: name, ID: indexedText}
		if !known {
			r.In, r.ID = innermost(chunks, line).qualified, 0
		}
		out = append(out, r)
	})
	return out, err
}

// parsed gives the names and chunks of a text that is not in the index.
func parsed(path string, src []byte) (packed []byte, chunks []extent) {
	c := newChunker()
	defer c.close()
	cut, err := c.file(path, src)
	if err != nil {
		return nil, nil // nothing to parse any more
	}
	for _, ch := range cut.chunks {
		e := extent{from: ch.DocLine, to: ch.EndLine}
		if ch.Kind != "module" {
			e.qualified = ch.Qualified
		}
		chunks = append(chunks, e)
	}
	return packMentions(cut.mentions), chunks
}

func refKind(k lang.MentionKind) string {
	switch k {
	case lang.Defines:
		return RefDefinition
	case lang.Call:
		return RefCall
	case lang.Import:
		return RefImport
	}
	return RefUse
}

func (s *store) mentions(ctx context.Context, file int64) ([]byte, error) {
	var packed []byte
	if err := s.said.QueryRowContext(ctx, file).Scan(&packed); err != nil {
		return nil, err
	}
	return s.unpack(packed)
}

// Callers lists the calls among the References of a function or method, without those in its own body.
func (ix *Index) Callers(ctx context.Context, qualified string, o GrepOptions) (list []Reference, more bool, err error) {
	all, more, err := ix.References(ctx, qualified, o)
	if err != nil {
		return nil, false, err
	}
	own, hash := symbolName(qualified), private(strings.TrimSpace(qualified))
	out := all[:0]
	for _, r := range all {
		if r.Kind == RefCall && (bare(r.In) != own || strings.Contains(r.In, "#") != hash) {
			out = append(out, r)
		}
	}
	return out, more, nil
}
