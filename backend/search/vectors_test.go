package search

import (
	"context"
	"slices"
	"testing"

	"redgreen/backend/index"
	"redgreen/backend/repo"
)

// asked is the built-in embedder, and what it was asked.
type asked struct {
	*builtIn
	queries []string
}

func (a *asked) Ask(ctx context.Context, query string) ([]float32, error) {
	a.queries = append(a.queries, query)
	return a.builtIn.Ask(ctx, query)
}

// TestVectorsWhereTheyMaySayMore holds that the name of a definition is not looked up by vectors, and all other words are.
func TestVectorsWhereTheyMaySayMore(t *testing.T) {
	t.Parallel()
	e, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	a := &asked{builtIn: e.(*builtIn)}
	r, err := repo.Open(folder(t, map[string]string{"shop.py": "RATE = 3\n\nclass Basket:\n    def sum_up(self):\n        return 1\n\ndef pay(basket):\n    return basket.sum_up()\n"}), repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	ix, err := index.Open(r, t.TempDir(), index.Options{Embedder: a})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	if _, err := ix.Update(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sum_up", "Basket.sum_up", "basket", "pay()", "RATE"} {
		if hits := mustSearch(t, ix, name, Options{}); len(hits) == 0 || len(a.queries) > 0 {
			t.Errorf("%s asks for vectors of %q and finds %v", name, a.queries, hits)
			a.queries = nil
		}
	}
	hits := mustSearch(t, ix, "sum_up", Options{})
	if len(hits) < 2 || hits[0].Symbol != "Basket.sum_up" || !slices.ContainsFunc(hits, func(h Hit) bool { return h.Symbol == "pay" }) {
		t.Errorf("the definition, then its uses: %v", hits)
	}
	for _, words := range []string{"sum", "summing_up", "pay for a basket", "words: sum_up"} {
		a.queries = nil
		if mustSearch(t, ix, words, Options{}); len(a.queries) != 1 {
			t.Errorf("%s asks for vectors of %q", words, a.queries)
		}
	}
}

// TestVectorsRankFiles holds that the share of a vector is its file's: the definitions in one keep the order of the keywords.
func TestVectorsRankFiles(t *testing.T) {
	t.Parallel()
	_, ix := openRepo(t, folder(t, map[string]string{"a.py": "def one():\n    return 1\n\ndef two():\n    return 2\n", "b.py": "def three():\n    return 3\n"}))
	id := map[string]int64{}
	for _, name := range []string{"one", "two", "three"} {
		found, err := ix.Named(t.Context(), name, 1)
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		id[name] = found[0].ID
	}
	found := []index.Scored{{ID: id["three"], Score: 3}, {ID: id["one"], Score: 2}, {ID: id["two"], Score: 1.9}}
	for _, c := range []struct {
		shares map[int64]float64
		want   []int64
	}{
		{nil, []int64{id["three"], id["one"], id["two"]}},
		{map[int64]float64{id["two"]: 2}, []int64{id["one"], id["two"], id["three"]}},
	} {
		l, err := weighed(t.Context(), ix, Query{Kind: Words}, listWords, slices.Clone(found), c.shares, 10)
		if err != nil || !slices.Equal(l.ids, c.want) {
			t.Errorf("shares %v: %v, %v, want %v", c.shares, l.ids, err, c.want)
		}
	}
}
