package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Embedder gives vectors of texts by a provider's model. Safe for concurrent use.
type Embedder struct {
	ref   string
	model string
	r     *remote
	path  string
	// ask makes the body of a request; read takes the vectors out of the answer.
	ask  func(texts []string) any
	read func(answer []byte) ([][]float32, error)
}

// OpenEmbedder gives the model that embeds, named by ref, PROVIDER/NAME: by Ollama's /api/embed, or by /embeddings of what
// speaks as OpenAI. It asks no server.
func OpenEmbedder(ref string, o Options) (*Embedder, error) {
	o = o.defaults()
	provider, name, _ := strings.Cut(ref, "/")
	i := slices.IndexFunc(providers(), func(p maker) bool { return p.name == provider })
	if i < 0 || name == "" {
		return nil, &Error{Invalid, "model", fmt.Sprintf("%q names no model that embeds: write PROVIDER/NAME, as ollama/nomic-embed-text", ref), nil}
	}
	made, err := providers()[i].make(o, name)
	if err != nil {
		return nil, err
	}
	e := &Embedder{ref: ref, model: name}
	switch p := made.(type) {
	case *ollama:
		e.r, e.path, e.read = &p.remote, "api/embed", readOllamaVectors
		e.ask = func(texts []string) any {
			return map[string]any{"model": name, "input": texts, "truncate": true}
		}
	case *openai:
		if err := p.needKey(p.d.host()); err != nil {
			return nil, err
		}
		e.r, e.path, e.read = &p.remote, "embeddings", readOpenAIVectors
		if p.base.RawQuery != "" && !strings.Contains(p.base.Path, "/deployments/") {
			e.path = "deployments/" + url.PathEscape(name) + "/embeddings"
		}
		e.ask = func(texts []string) any {
			return map[string]any{"model": name, "input": texts, "encoding_format": "float"}
		}
	default:
		return nil, &Error{Invalid, provider, fmt.Sprintf("%s has no embeddings that are known here: choose ollama, openai, or what speaks as OpenAI", provider), nil}
	}
	return e, nil
}

// Ref is PROVIDER/NAME.
func (e *Embedder) Ref() string { return e.ref }

// Embed gives a vector for each text, in order; all have the same length. Errors are *Error. It retries as Chat does.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(e.ask(texts))
	if err != nil {
		return nil, err
	}
	var out [][]float32
	_, err = e.r.try(ctx, nil, func(w *wire, _ func(Delta)) (Reply, error) {
		resp, err := e.r.post(ctx, w, e.path, e.model, body)
		if err != nil {
			return Reply{}, err
		}
		defer resp.Body.Close()
		var raw json.RawMessage
		if err := readJSON(resp.Body, &raw); err != nil {
			return Reply{}, err
		}
		out, err = e.read(raw)
		return Reply{}, err
	})
	if err != nil {
		return nil, asError(e.r.provider, err)
	}
	if len(out) != len(texts) {
		return nil, &Error{Internal, e.r.provider, fmt.Sprintf("the server gave %d vectors for %d texts: choose another model that embeds", len(out), len(texts)), nil}
	}
	for _, v := range out {
		if len(v) == 0 || len(v) != len(out[0]) {
			return nil, &Error{Internal, e.r.provider, "the server gave vectors of different lengths: choose another model that embeds", nil}
		}
	}
	return out, nil
}

func readOllamaVectors(answer []byte) ([][]float32, error) {
	var a struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err := json.Unmarshal(answer, &a)
	return a.Embeddings, err
}

// readOpenAIVectors puts the vectors in the order of their index, which servers need not keep.
func readOpenAIVectors(answer []byte) ([][]float32, error) {
	var a struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	out := make([][]float32, len(a.Data))
	for _, d := range a.Data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
			return nil, fmt.Errorf("vector %d of %d", d.Index, len(out))
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}
