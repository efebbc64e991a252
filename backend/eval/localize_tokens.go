package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/search"
	"redgreen/backend/tools"
)

// Reading is how many tokens of results a reader takes in until the first function that the fix changed is in view, by the two ways
// to look; 0: it never is. Both readers read what they find in its order and stop at the function; the calls themselves do not count.
type Reading struct {
	Search int64 `json:"search"` // search_code, then hits one by one as it widens them: ten, then thirty
	Plain  int64 `json:"plain"`  // source files by how many of the query's words they say (rg -c), then whole files
}

// The steps of a reader: how many hits it asks for, and how many files it lists.
const (
	firstHits = 10
	moreHits  = 30
	listed    = 10
)

// reading measures one query; nothing of a fix that changed no function.
func (l *localizer) reading(ctx context.Context, f Fix, b *base, query string) (Reading, error) {
	gold, err := l.goldLines(f)
	if err != nil || len(gold) == 0 {
		return Reading{}, err
	}
	var r Reading
	if r.Search, err = l.readHits(ctx, gold, query); err != nil {
		return r, fmt.Errorf("reading hits: %w", err)
	}
	r.Plain = readFiles(gold, b, l.terms.bag(wholeWords(query)))
	return r, nil
}

// goldLines gives the first lines of the definitions that a fix changed, by file.
func (l *localizer) goldLines(f Fix) (map[string][]int, error) {
	out := map[string][]int{}
	for _, g := range f.Functions {
		src, err := l.repo.Read(g.File)
		if err != nil {
			continue // not source that can be searched
		}
		chunks, err := index.Cut(g.File, src)
		if err != nil {
			continue
		}
		for _, ch := range chunks {
			if ch.Kind != "module" && ch.Kind != "lines" && ch.Kind != "constant" && sameName(g.Name, ch.Qualified) {
				out[g.File] = append(out[g.File], ch.StartLine)
			}
		}
	}
	return out, nil
}

// readHits asks for ten hits, reads them, then for thirty and reads on; what it has read it does not read again.
func (l *localizer) readHits(ctx context.Context, gold map[string][]int, query string) (int64, error) {
	spent := int64(0)
	read := map[string][][2]int{}
	for _, n := range []int{firstHits, moreHits} {
		hits, err := search.Search(ctx, l.ix, query, search.Options{N: n, Read: l.repo.Read})
		if errors.Is(err, search.ErrEmpty) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		spent += model.Tokens(len(strings.Join(tools.HitLines(hits), "\n")))
		for _, h := range search.Grouped(hits) {
			if slices.ContainsFunc(read[h.Path], func(s [2]int) bool { return s[0] <= h.StartLine && h.EndLine <= s[1] }) {
				continue
			}
			src, err := l.repo.Read(h.Path)
			if err != nil {
				return 0, err
			}
			text, from, to := tools.Widened(h.Path, src, h.StartLine, h.EndLine)
			spent += model.Tokens(len(text))
			read[h.Path] = append(read[h.Path], [2]int{from, to})
			if slices.ContainsFunc(gold[h.Path], func(line int) bool { return from <= line && line <= to }) {
				return spent, nil
			}
		}
	}
	return 0, nil
}

// readFiles lists the files by the words they say, the most different first, then by how often, and reads them whole.
func readFiles(gold map[string][]int, b *base, asked bag) int64 {
	type file struct{ at, different, all int }
	var files []file
	for i, w := range b.whole {
		f := file{at: i}
		for _, t := range asked.terms {
			if n := w.of(t.term); n > 0 {
				f.different, f.all = f.different+1, f.all+n
			}
		}
		if f.different > 0 {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(x, y file) int { return cmp.Or(cmp.Compare(y.different, x.different), cmp.Compare(y.all, x.all)) })
	spent := int64(0)
	for i, f := range files {
		if i%listed == 0 {
			for _, g := range files[i:min(i+listed, len(files))] {
				spent += model.Tokens(len(fmt.Sprintf("%s:%d\n", b.paths[g.at], g.all)))
			}
		}
		spent += model.Tokens(b.sizes[f.at])
		if len(gold[b.paths[f.at]]) > 0 {
			return spent
		}
	}
	return 0
}

// TokensRead are the medians over the fixes that changed a function, math.Inf(1) where more than half were never in view; found says
// how many each way came to see; of are the fixes that count.
func TokensRead(all []Localized, of func(Localized) Reading) (own, plain float64, found [2]int, fixes int) {
	var o, p []float64
	for _, l := range all {
		if len(l.Fix.Functions) == 0 {
			continue
		}
		r := of(l)
		for i, v := range []int64{r.Search, r.Plain} {
			cost := math.Inf(1)
			if v > 0 {
				cost = float64(v)
				found[i]++
			}
			if i == 0 {
				o = append(o, cost)
			} else {
				p = append(p, cost)
			}
		}
	}
	return median(o), median(p), found, len(o)
}
