package app

import (
	"context"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// Mention is a file or a symbol that a message can name.
type Mention struct {
	Kind string `json:"kind"` // file, or the kind of the symbol
	Name string `json:"name"` // of the symbol, qualified; "" of a file
	Path string `json:"path"`
	Line int    `json:"line"` // 1-based; 0 of a file
}

// mentionsMost is how many mentions one call gives at most.
const mentionsMost = 20

// Complete gives what a person may mean by the first letters of a name: files by letters in their order anywhere in the
// path, best first, and the index's symbols.
func (a *App) Complete(folder, word string, n int) ([]Mention, error) {
	return guard(a.h, func() ([]Mention, error) {
		f, err := a.h.core.open(folder)
		if err != nil {
			return nil, err
		}
		return complete(a.h.context, f, strings.TrimSpace(word), min(max(n, 1), mentionsMost))
	})
}

// complete gives files first where the word looks like a path, else as many of both.
func complete(ctx context.Context, f *folder, word string, n int) ([]Mention, error) {
	files, err := f.repo.Files(ctx)
	if err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(files))
	for _, file := range files {
		paths = append(paths, file.Path)
	}
	out := []Mention{}
	for _, m := range byLetters(word, paths, n) {
		out = append(out, Mention{Kind: "file", Path: m})
	}
	if word == "" || strings.ContainsAny(word, "/") {
		return out, nil
	}
	symbols, err := f.symbols(ctx, word, n)
	if err != nil {
		return nil, err
	}
	out = out[:min(len(out), max(n/2, n-len(symbols)))]
	return append(out, symbols[:min(len(symbols), n-len(out))]...), nil
}

// byLetters ranks paths by a word's letters; those whose file name holds the word come first, and shorter ones before longer.
func byLetters(word string, paths []string, n int) []string {
	if word == "" {
		return paths[:min(len(paths), n)]
	}
	var named, other []string
	for _, m := range fuzzy.Find(word, paths) {
		name := m.Str[strings.LastIndexByte(m.Str, '/')+1:]
		if strings.Contains(strings.ToLower(name), strings.ToLower(word)) {
			named = append(named, m.Str)
		} else {
			other = append(other, m.Str)
		}
	}
	all := append(named, other...)
	return all[:min(len(all), n)]
}

func (f *folder) symbols(ctx context.Context, name string, n int) ([]Mention, error) {
	scored, err := f.index.Symbols(ctx, name, n)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, len(scored))
	for _, s := range scored {
		ids = append(ids, s.ID)
	}
	chunks, err := f.index.Meta(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := []Mention{}
	for _, c := range chunks {
		m := Mention{Kind: c.Kind, Name: c.Qualified, Path: c.Path, Line: c.StartLine}
		if s := scored[slices.Index(ids, c.ID)]; s.Line > 0 {
			m.Name, m.Line = s.Name, s.Line // one of a block of constants
		}
		if m.Name != "" {
			out = append(out, m)
		}
	}
	return out, nil
}
