package app

import (
	"context"
	"errors"
	"strings"

	"redgreen/backend/search"
)

// HitRow is a search result with its text.
type HitRow struct {
	search.Hit
	Snippet  string        `json:"snippet"`
	BestLine int           `json:"best_line"`
	Why      []search.Part `json:"why"`
}

// Found is what a search gives: the results, and in sentences what there is to know of them, such as that not all was looked at.
type Found struct {
	Hits []HitRow `json:"hits"`
	Told []string `json:"told"`
}

// Search looks for code in an opened folder.
func (a *App) Search(folder, query string, n int) (Found, error) {
	return guard(a.h, func() (Found, error) {
		f, err := a.h.core.open(folder)
		if err != nil {
			return Found{}, err
		}
		return lookFor(a.h.context, f, query, n)
	})
}

func lookFor(ctx context.Context, f *folder, query string, n int) (Found, error) {
	found := Found{Hits: []HitRow{}, Told: []string{}}
	if strings.TrimSpace(query) == "" {
		return found, nil
	}
	hits, err := search.Search(ctx, f.index, query, search.Options{N: min(max(n, 1), 100), Read: f.repo.Read, Within: searchWithin,
		Told: func(said string) { found.Told = append(found.Told, said) }})
	if errors.Is(err, search.ErrEmpty) {
		err = nil // "symbol:" on its way to a name
	}
	for _, hit := range hits {
		found.Hits = append(found.Hits, HitRow{Hit: hit, Snippet: hit.Snippet, BestLine: hit.BestLine, Why: hit.Why})
	}
	return found, err
}
