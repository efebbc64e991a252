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

// maxReferences bounds one answer.
const maxReferences = 2000

// References lists the places that say a name, definitions first, then by path and line. Of "Class.method" the last part
// counts: two methods of one name are not told apart. Where there are very many, those in the files that define the name
// and those of the first files are given.
func (ix *Index) References(ctx context.Context, name string) ([]Reference, error) {
	name = symbolName(name)
	name = name[strings.LastIndexByte(name, '.')+1:]
	if name == "" {
		return nil, nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	out, err := ix.references(ctx, name)
	if err != nil {
		return nil, ix.failed("searching references", err)
	}
	slices.SortStableFunc(out, func(a, b Reference) int {
		return cmp.Or(compareBool(a.Kind != RefDefinition, b.Kind != RefDefinition), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return out, nil
}

func (ix *Index) references(ctx context.Context, name string) ([]Reference, error) {
	files, err := ix.candidates(ctx, Pattern{Literal: name}, nil)
	if err != nil {
		return nil, err
	}
	definers, err := ix.store.ids(ctx, `SELECT DISTINCT file_id FROM chunks WHERE name=? COLLATE NOCASE ORDER BY file_id`, name)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(files, func(a, b fileInfo) int {
		_, x := slices.BinarySearch(definers, a.id)
		_, y := slices.BinarySearch(definers, b.id)
		return compareBool(!x, !y)
	})
	var out []Reference
	err = inOrderOf(ctx, files, func(f fileInfo) ([]Reference, error) {
		return ix.referencesIn(ctx, f, name)
	}, func(_ fileInfo, refs []Reference) bool {
		out = append(out, refs...)
		return len(out) < maxReferences
	})
	return out, err
}

// referencesIn finds a name in the present text of a file; a text that is not the indexed one is parsed.
func (ix *Index) referencesIn(ctx context.Context, f fileInfo, name string) ([]Reference, error) {
	src, err := ix.src.Read(f.path)
	if err != nil || !bytes.Contains(src, []byte(name)) {
		return nil, nil // gone, or no text any more
	}
	packed, chunks, err := ix.parsed(ctx, f, src)
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
		in := innermost(chunks, line)
		out = append(out, Reference{Path: f.path, Line: line, Col: m.Start - bytes.LastIndexByte(src[:m.Start], '\n'),
			Kind: refKind(m.Kind), Name: name, In: in.qualified, ID: in.id})
	})
	return out, err
}

// parsed gives the names and chunks of a text: the stored ones where it is what was indexed.
func (ix *Index) parsed(ctx context.Context, f fileInfo, src []byte) (packed []byte, chunks []extent, err error) {
	sum := sha256.Sum256(src)
	if f.sha == string(sum[:]) {
		if packed, err = ix.store.mentions(ctx, f.id); err == nil {
			chunks, err = ix.store.extents(ctx, f.id)
		}
		return packed, chunks, err
	}
	c := newChunker()
	defer c.close()
	cut, err := c.file(f.path, src)
	if err != nil {
		return nil, nil, nil // nothing to parse any more
	}
	for _, ch := range cut.chunks {
		e := extent{from: ch.DocLine, to: ch.EndLine}
		if ch.Kind != "module" {
			e.qualified = ch.Qualified
		}
		chunks = append(chunks, e)
	}
	slices.SortStableFunc(chunks, func(a, b extent) int { return cmp.Compare(a.to-a.from, b.to-b.from) })
	return packMentions(cut.mentions), chunks, nil
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
	if err := s.db.QueryRowContext(ctx, `SELECT mentions FROM files WHERE id=?`, file).Scan(&packed); err != nil {
		return nil, err
	}
	return s.unpack(packed)
}

// Callers lists the calls of a function or method, by path and line, without those in its own body.
func (ix *Index) Callers(ctx context.Context, qualified string) ([]Reference, error) {
	all, err := ix.References(ctx, qualified)
	if err != nil {
		return nil, err
	}
	own := symbolName(qualified)
	out := all[:0]
	for _, r := range all {
		if r.Kind == RefCall && r.In != own {
			out = append(out, r)
		}
	}
	return out, nil
}
