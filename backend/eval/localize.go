package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redgreen/backend/index"
	"redgreen/backend/repo"
	"redgreen/backend/search"
)

// LocalizeOptions are what Localize needs.
type LocalizeOptions struct {
	Fixes []Fix
	Clone string              // of their repository, with its full history
	Dir   string              // a folder for everything that is written; the caller removes it
	Told  func(done, all int) // after each fix; may be nil

	Embedder search.Embedder // nil: no vectors
}

// Localized is how one fix was found by each ranking.
type Localized struct {
	Fix   Fix      `json:"fix"`
	Files int      `json:"files"` // indexed at the base
	Full  []Places `json:"full"`  // by ranking, in the order of Rankings
	Blind []Places `json:"blind"`

	FullRead  Reading `json:"full_read"`
	BlindRead Reading `json:"blind_read"`
}

// Places are the ranks of what was asked for, best first of each; 0 where it was not found.
type Places struct {
	Files     []int `json:"files"`     // of each gold file
	Functions []int `json:"functions"` // of each gold function
}

// Localize searches for the code that each fix changed, by the fix's own message, at the state before it. Bases are taken
// from the oldest to the newest so that one index follows from each to the next by content hash.
func Localize(ctx context.Context, o LocalizeOptions) (out []Localized, err error) {
	c, err := openClone(ctx, o.Clone)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	l, err := newLocalizer(o, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	out = make([]Localized, len(o.Fixes))
	for n, i := range oldestFirst(len(o.Fixes)) {
		if out[i], err = l.fix(ctx, o.Fixes[i]); err != nil {
			return nil, fmt.Errorf("localizing %s: %w", o.Fixes[i].Fix, err)
		}
		if o.Told != nil {
			o.Told(n+1, len(o.Fixes))
		}
	}
	return out, nil
}

func oldestFirst(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = n - 1 - i
	}
	return out
}

// localizer holds one folder and one index that move from base to base, and what the plain baselines keep of texts.
type localizer struct {
	o      LocalizeOptions
	c      *clone
	files  *checkout
	repo   *repo.Repo
	ix     *index.Index
	stems  func(string) []string
	ranked []ranking
	terms  numbered
	plain  map[string]plainFile // of the base at hand, by path and blob
}

// plainFile is a file as the baselines see it. They look at source only: given tests and documentation too, whole files are
// worth little, since those repeat the words of a fix.
type plainFile struct {
	source bool
	whole  bag
	size   int           // bytes
	chunks []index.Chunk // without texts
	bags   []bag
}

func newLocalizer(o LocalizeOptions, c *clone) (*localizer, error) {
	l := &localizer{o: o, c: c, stems: stemmedParts(index.StopWords()), ranked: rankings(), terms: numbered{}}
	dir := filepath.Join(o.Dir, "files")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("laying out a base: %w", err)
	}
	l.files = &checkout{c: c, dir: dir}
	var err error
	if l.repo, err = repo.Open(dir, repo.Options{}); err != nil {
		return nil, err
	}
	l.ix, err = index.Open(l.repo, filepath.Join(o.Dir, "index"), index.Options{Embedder: o.Embedder})
	if err != nil {
		return nil, errors.Join(err, l.repo.Close())
	}
	return l, nil
}

func (l *localizer) close() error { return errors.Join(l.ix.Close(), l.repo.Close()) }

// fix measures one fix.
func (l *localizer) fix(ctx context.Context, f Fix) (Localized, error) {
	if err := l.files.to(ctx, f.Base); err != nil {
		return Localized{}, err
	}
	if _, err := l.ix.Update(ctx, nil); err != nil {
		return Localized{}, err
	}
	message, err := l.c.message(f.Fix)
	if err != nil {
		return Localized{}, err
	}
	out := Localized{Fix: f}
	if out.Files, _, err = l.ix.Counts(ctx); err != nil {
		return out, err
	}
	b, err := l.base(ctx)
	if err != nil {
		return out, err
	}
	if out.Full, err = l.places(ctx, f, b, message); err != nil {
		return out, err
	}
	if out.Blind, err = l.places(ctx, f, b, f.blind(message)); err != nil {
		return out, err
	}
	if out.FullRead, err = l.reading(ctx, f, b, message); err != nil {
		return out, err
	}
	out.BlindRead, err = l.reading(ctx, f, b, f.blind(message))
	return out, err
}

// base is what the baselines need of the state at hand.
type base struct {
	paths  []string
	whole  []bag
	sizes  []int // bytes of each path
	chunks []index.Chunk
	bags   []bag
}

// base cuts the files that are new since the base before, and keeps what it made of these: all versions of a history would fill the
// memory.
func (l *localizer) base(ctx context.Context) (*base, error) {
	files, err := l.repo.Files(ctx)
	if err != nil {
		return nil, err
	}
	b, now := &base{}, make(map[string]plainFile, len(files))
	for _, f := range files {
		key := f.Path + "\x00" + l.files.have[f.Path]
		p, ok := l.plain[key]
		if !ok {
			if p, err = l.cut(f.Path); err != nil {
				return nil, err
			}
		}
		now[key] = p
		if !p.source {
			continue
		}
		b.paths = append(b.paths, f.Path)
		b.whole, b.sizes = append(b.whole, p.whole), append(b.sizes, p.size)
		b.chunks = append(b.chunks, p.chunks...)
		b.bags = append(b.bags, p.bags...)
	}
	l.plain = now
	return b, nil
}

// cut reads one file; what the index would not take is empty.
func (l *localizer) cut(path string) (plainFile, error) {
	src, err := l.repo.Read(path)
	if err != nil {
		return plainFile{}, nil // binary, too large, a secret: not searched
	}
	chunks, err := index.Cut(path, src)
	if err != nil {
		return plainFile{}, nil // minified
	}
	if len(chunks) == 0 || chunks[0].Lang == "" || chunks[0].Test {
		return plainFile{}, nil
	}
	p := plainFile{source: true, whole: l.terms.bag(wholeWords(string(src))), size: len(src)}
	for _, ch := range chunks {
		p.bags = append(p.bags, l.terms.bag(l.stems(strings.Join([]string{ch.Path, ch.Qualified, ch.Doc, ch.Text}, "\n"))))
		ch.Text, ch.Doc, ch.Signature, ch.Holes = "", "", "", nil
		p.chunks = append(p.chunks, ch)
	}
	return p, nil
}

// found is one place of a ranking: a file, and the definition where it is in one.
type found struct{ path, name string }

// ranking is one way to rank.
type ranking struct {
	name string
	rank func(ctx context.Context, l *localizer, b *base, query string) ([]found, error)
}

// Rankings are the names of what is compared, the last is what the product uses.
func Rankings() []string {
	var out []string
	for _, r := range rankings() {
		out = append(out, r.name)
	}
	return out
}

func rankings() []ranking {
	return []ranking{
		{"BM25, whole files", func(_ context.Context, l *localizer, b *base, query string) (out []found, err error) {
			for _, i := range bm25(b.whole, l.terms.bag(wholeWords(query))) {
				out = append(out, found{path: b.paths[i]})
			}
			return out, nil
		}},
		{"BM25, chunks", func(_ context.Context, l *localizer, b *base, query string) (out []found, err error) {
			for _, i := range bm25(b.bags, l.terms.bag(l.stems(query))) {
				out = append(out, placeOf(b.chunks[i].Path, b.chunks[i].Kind, b.chunks[i].Qualified))
			}
			return out, nil
		}},
		{"keywords", searched(search.Options{N: rankDepth, Using: search.KeywordsOnly})},
		{"vectors", searched(search.Options{N: rankDepth, Using: search.VectorsOnly})},
		{"fusion by reciprocal rank", searched(search.Options{N: rankDepth, Using: search.Fusion})},
		{"the full ranking", searched(search.Options{N: rankDepth})},
	}
}

// rankDepth is how far down a ranking is read.
const rankDepth = 60

func searched(o search.Options) func(context.Context, *localizer, *base, string) ([]found, error) {
	return func(ctx context.Context, l *localizer, _ *base, query string) (out []found, err error) {
		hits, err := search.Rank(ctx, l.ix, query, o)
		if errors.Is(err, search.ErrEmpty) {
			return nil, nil
		}
		for _, h := range hits {
			out = append(out, placeOf(h.Path, h.Kind, h.Symbol))
		}
		return out, err
	}
}

// placeOf names a definition; code outside of all counts for its file only.
func placeOf(path, kind, qualified string) found {
	if kind == "module" || kind == "lines" || kind == "constant" {
		qualified = ""
	}
	return found{path, qualified}
}

func (l *localizer) places(ctx context.Context, f Fix, b *base, query string) ([]Places, error) {
	var out []Places
	for _, r := range l.ranked {
		list, err := r.rank(ctx, l, b, query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		out = append(out, f.places(list))
	}
	return out, nil
}

// places finds the fix's files and functions in a ranking; a file counts once, and so does a definition.
func (f Fix) places(list []found) Places {
	p := Places{Files: make([]int, len(f.Files)), Functions: make([]int, len(f.Functions))}
	files, defs := map[string]bool{}, map[found]bool{}
	for _, at := range list {
		if !files[at.path] {
			files[at.path] = true
			if i := slices.Index(f.Files, at.path); i >= 0 {
				p.Files[i] = len(files)
			}
		}
		if at.name == "" || defs[at] {
			continue
		}
		defs[at] = true
		for i, g := range f.Functions {
			if p.Functions[i] == 0 && g.File == at.path && sameName(g.Name, at.name) {
				p.Functions[i] = len(defs)
			}
		}
	}
	return p
}

// sameName allows for names that one side qualifies further.
func sameName(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// OfFull and OfBlind are the two kinds of queries.
func (l Localized) OfFull() []Places  { return l.Full }
func (l Localized) OfBlind() []Places { return l.Blind }
