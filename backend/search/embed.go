package search

import (
	"context"
	"errors"
	"strings"

	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/model/subtoken"
)

// Embedder gives vectors of code, which the index keeps, and of queries. An index that was opened with one is searched by
// vectors too.
type Embedder interface {
	index.Embedder
	// Ask gives the vector of a query. Safe for concurrent use.
	Ask(ctx context.Context, query string) ([]float32, error)
}

var _ index.Local = (*builtIn)(nil)

// builtIn is the embedder of the program itself.
type builtIn struct {
	table *subtoken.Table
	words *index.Subtokenizer // of Embed, which one goroutine calls at a time
}

const (
	// askedWords and embeddedWords are how many subtokens of a query and of a chunk count: what the table was trained on.
	askedWords    = 64
	embeddedWords = 200
)

// BuiltIn is the embedder that needs no network and no download: a bag of learned vectors of subtokens.
func BuiltIn() (Embedder, error) {
	t, err := subtoken.BuiltIn()
	if err != nil {
		return nil, err
	}
	return &builtIn{t, index.NewSubtokenizer()}, nil
}

// Name changes with the table, so that an index of an older one is made anew.
func (b *builtIn) Name() string { return "built-in/" + b.table.Version() }
func (b *builtIn) Dim() int     { return b.table.Dim() }

func (b *builtIn) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = b.table.Vector(b.words.Cut(t, embeddedWords), subtoken.Code)
	}
	return out, ctx.Err()
}

func (b *builtIn) Most() int                          { return embeddedWords }
func (b *builtIn) Subtoken(s string) (int32, bool)    { return b.table.ID(s) }
func (b *builtIn) Sum(v []float32, subtokens []int32) { b.table.Sum(v, subtokens, subtoken.Code) }

func (b *builtIn) Ask(_ context.Context, query string) ([]float32, error) {
	return b.table.Vector(index.NewSubtokenizer().Cut(query, askedWords), subtoken.Words), nil
}

// remote is a provider's model.
type remote struct {
	model *model.Embedder
	dim   int
}

// Remote asks a provider's model once, to learn how long its vectors are.
func Remote(ctx context.Context, m *model.Embedder) (Embedder, error) {
	r := &remote{model: m}
	v, err := r.Ask(ctx, "code")
	r.dim = len(v)
	return r, err
}

func (r *remote) Name() string { return r.model.Ref() }
func (r *remote) Dim() int     { return r.dim }

func (r *remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	short := make([]string, len(texts))
	for i, t := range texts {
		short[i] = strings.ToValidUTF8(t[:min(len(t), remoteBytes)], "")
	}
	return r.model.Embed(ctx, short)
}

// remoteBytes is about what models that embed read of a text (2,048 tokens); most refuse more.
const remoteBytes = 6000

func (r *remote) Ask(ctx context.Context, query string) ([]float32, error) {
	out, err := r.Embed(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	if len(out) != 1 {
		return nil, errors.New("the embedder gave no vector")
	}
	return out[0], nil
}
