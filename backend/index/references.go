package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// The kinds of a reference.
const (
	RefDefinition = "definition"
	RefCall       = "call"
	RefImport     = "import"
	RefUse        = "use"
)

// Reference is one line that says a name.
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

// References lists the lines that say a name, definitions first, then by path and line. Of "Class.method" the last part
// counts.
func (ix *Index) References(ctx context.Context, name string) ([]Reference, error) {
	name = symbolName(name)
	name = name[strings.LastIndexByte(name, '.')+1:]
	if name == "" {
		return nil, nil
	}
	found, err := ix.Grep(ctx, Pattern{Literal: name, Word: true}, GrepOptions{N: maxReferences})
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(found.Hits))
	for i, h := range found.Hits {
		ids[i] = h.ID
	}
	chunks, err := ix.Meta(ctx, ids)
	if err != nil {
		return nil, err
	}
	around := map[int64]Chunk{}
	for _, ch := range chunks {
		around[ch.ID] = ch
	}
	out := make([]Reference, 0, len(found.Hits))
	for _, h := range found.Hits {
		if in := around[h.ID]; in.Lang != "" {
			out = append(out, reference(h, name, in))
		}
	}
	slices.SortStableFunc(out, func(a, b Reference) int {
		return cmp.Compare(btoi(a.Kind != RefDefinition), btoi(b.Kind != RefDefinition))
	})
	return out, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func reference(h GrepHit, name string, in Chunk) Reference {
	r := Reference{Path: h.Path, Line: h.Line, Col: h.Col, Kind: RefUse, Name: name, In: in.Qualified, ID: h.ID}
	rest := strings.TrimLeft(h.Text[min(len(h.Text), h.Col-1+len(name)):], " \t")
	switch {
	case in.Name == name && in.StartLine <= h.Line && strings.Contains(in.Signature, name) && h.Line <= in.StartLine+1:
		r.Kind = RefDefinition
	case strings.HasPrefix(rest, "("):
		r.Kind = RefCall
	case strings.HasPrefix(strings.TrimSpace(h.Text), "import ") || strings.HasPrefix(strings.TrimSpace(h.Text), "from "):
		r.Kind = RefImport
	}
	return r
}

// Callers lists the calls of a function or method, by path and line, without those in its own body.
func (ix *Index) Callers(ctx context.Context, qualified string) ([]Reference, error) {
	all, err := ix.References(ctx, qualified)
	if err != nil {
		return nil, err
	}
	out := all[:0]
	for _, r := range all {
		if r.Kind == RefCall && r.In != qualified {
			out = append(out, r)
		}
	}
	return out, nil
}

// Rank says how central a file is among those of the repository, from 0 to 1: how many other files say names that it
// defines. A file that the index does not have has rank 0.
func (ix *Index) Rank(ctx context.Context, path string) (float64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return 0, errClosed
	}
	files, err := ix.store.outlineFiles(ctx)
	if err == nil {
		err = ix.central(ctx, files)
	}
	if err != nil {
		return 0, ix.failed("ranking files", err)
	}
	most, own := 0.0, 0.0
	for _, f := range files {
		most = max(most, f.score)
		if f.path == path {
			own = f.score
		}
	}
	if most == 0 {
		return 0, nil
	}
	return own / most, nil
}
