package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"redgreen/backend/index"
)

// maxSnippet bounds a snippet's lines; a hit that is longer ends there.
const maxSnippet = 400

// present turns candidates into hits until there are n: held against the present text, without doubles, with their lines. more
// says that another would be a hit too.
func present(ctx context.Context, ix *index.Index, q Query, ranked []candidate, o Options) (hits []Hit, more bool, err error) {
	p := presenter{ix: ix, q: q, o: o, files: map[string]*file{}, lines: newLineScorer(q)}
	room := textRooms.Get().(*[][]byte)
	defer textRooms.Put(room)
	if err := p.ahead(ctx, ranked[:min(o.N, len(ranked))], room); err != nil {
		return nil, false, err
	}
	for _, c := range ranked {
		if len(hits) >= o.N && !q.whole() {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		h, ok, err := p.hit(ctx, c)
		if err != nil {
			return nil, false, err
		}
		if !ok || slices.ContainsFunc(hits, func(o Hit) bool { return double(o, h) }) {
			continue
		}
		if len(hits) >= o.N {
			return hits, true, nil
		}
		hits = append(hits, h)
	}
	return hits, false, nil
}

// Grouped brings the hits of one file together, at the place of the file's best; both the files and the hits of each keep their
// order.
func Grouped(hits []Hit) []Hit {
	best := map[string]int{}
	for i, h := range hits {
		if _, ok := best[h.Path]; !ok {
			best[h.Path] = i
		}
	}
	out := slices.Clone(hits)
	slices.SortStableFunc(out, func(a, b Hit) int { return cmp.Compare(best[a.Path], best[b.Path]) })
	return out
}

// double reports a hit that shows what a better one shows already.
func double(better, h Hit) bool {
	if better.Path != h.Path || better.Kind == "class" || better.Kind == "interface" || better.Kind == "type" {
		return better.Path == h.Path && better.StartLine == h.StartLine && better.EndLine == h.EndLine
	}
	from, to := max(better.StartLine, h.StartLine), min(better.EndLine, h.EndLine)
	overlap := to - from + 1
	return overlap > 0 && 2*overlap > h.EndLine-h.StartLine+1
}

// presenter makes hits; each file is read once.
type presenter struct {
	ix     *index.Index
	q      Query
	o      Options
	files  map[string]*file
	stored map[string][]byte // texts of files as the index has them, loaded ahead
	lines  lineScorer
}

// textRooms keeps the room for the texts of a search's hits until the next search.
var textRooms = sync.Pool{New: func() any { return new([][]byte) }}

// ahead loads the texts of all the first candidates at once. They are in the room, so nothing may keep them.
func (p *presenter) ahead(ctx context.Context, first []candidate, room *[][]byte) (err error) {
	var paths []string
	for _, c := range first {
		if !slices.Contains(paths, c.chunk.Path) {
			paths = append(paths, c.chunk.Path)
		}
	}
	*room, err = p.ix.FileTexts(ctx, *room, paths)
	p.stored = make(map[string][]byte, len(paths))
	for i, text := range *room {
		p.stored[paths[i]] = text
	}
	return err
}

// file is a file's present text beside what the index has of it.
type file struct {
	gone    bool
	changed bool
	chunks  []index.Chunk // of the present text, cut when it is first needed
	cut     bool
	src     []byte
	matches map[int]bool // lines where an exact text or an expression begins
}

func (p *presenter) hit(ctx context.Context, c candidate) (Hit, bool, error) {
	ch, f, err := p.fresh(ctx, c)
	if err != nil || f == nil {
		return Hit{}, false, err
	}
	first := max(1, min(ch.DocLine, ch.StartLine))
	lines := index.LinesOf(index.WithoutMark(f.src), first, ch.EndLine)
	h := Hit{Path: ch.Path, StartLine: ch.StartLine, EndLine: first + len(lines) - 1, Symbol: ch.Qualified, Kind: ch.Kind, Score: c.score, Why: c.why}
	if c.name != "" && c.chunk.Kind == "constant" {
		h.Symbol = c.name
	}
	if p.q.Kind == Exact || p.q.Kind == Expression {
		if h.Lines = p.match(f, ch); len(h.Lines) == 0 {
			return Hit{}, false, nil // the text is no more
		}
		h.BestLine = h.Lines[0]
		h.StartLine = min(h.StartLine, h.BestLine)
	} else if (!f.changed || c.chunk.ID < 0) && c.line >= ch.DocLine && c.line <= ch.EndLine && c.line > 0 {
		h.StartLine, h.BestLine = min(h.StartLine, c.line), c.line
	} else {
		h.BestLine = p.lines.best(ch, lines[min(ch.StartLine-first, len(lines)):])
	}
	if h.EndLine < h.StartLine {
		return Hit{}, false, nil
	}
	h.EndLine = min(h.EndLine, max(h.StartLine+maxSnippet-1, h.BestLine))
	h.Snippet = strings.Join(lines[h.StartLine-first:h.EndLine-first+1], "\n")
	return h, true, nil
}

// match finds the lines of a chunk, its leading comment included, where the exact text or the expression begins. A
// member's lines are the member's.
func (p *presenter) match(f *file, ch index.Chunk) []int {
	if f.matches == nil {
		f.matches = map[int]bool{}
		for _, l := range index.MatchLines(index.WithoutMark(f.src), p.q.find, scanDepth) {
			f.matches[l] = true
		}
	}
	var all []int
	for l := ch.DocLine; l < ch.StartLine; l++ {
		if f.matches[l] {
			all = append(all, l)
		}
	}
	ch.OwnLines(func(l int) {
		if f.matches[l] {
			all = append(all, l)
		}
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// fresh gives a candidate's chunk as it is in the present text; no file where it is no more.
func (p *presenter) fresh(ctx context.Context, c candidate) (index.Chunk, *file, error) {
	f, err := p.file(ctx, c.chunk.Path)
	if err != nil || f.gone {
		return index.Chunk{}, nil, err
	}
	if !f.changed || c.chunk.ID < 0 { // below 0: cut from this text
		return c.chunk, f, nil
	}
	stored, err := p.ix.Chunks(ctx, []int64{c.chunk.ID})
	if err != nil || len(stored) == 0 {
		return index.Chunk{}, nil, err
	}
	if ch, ok := f.relocate(stored[0]); ok {
		return ch, f, nil
	}
	return index.Chunk{}, nil, nil
}

// file reads the present text, or where nobody can read it, what the index has.
func (p *presenter) file(ctx context.Context, path string) (*file, error) {
	if f, ok := p.files[path]; ok {
		return f, nil
	}
	stored := p.stored[path]
	if stored == nil {
		var err error
		if stored, err = p.ix.FileText(ctx, path); err != nil {
			return nil, err
		}
	}
	f := &file{src: stored}
	if p.o.Read != nil {
		now, err := p.o.Read(path)
		f.gone, f.src, f.changed = err != nil, now, string(now) != string(stored)
	}
	p.files[path] = f
	return f, nil
}

// relocate finds a chunk again in a text that has changed: a definition by its qualified name and kind (the nearest, if
// there are several), other code by its own lines.
func (f *file) relocate(old index.Chunk) (index.Chunk, bool) {
	if !f.cut {
		f.chunks, _ = index.Cut(old.Path, f.src) // a text that cannot be cut has no chunks
		f.cut = true
	}
	var best index.Chunk
	found := 0.0
	for _, ch := range f.chunks {
		if ch.Kind != old.Kind || ch.Qualified != old.Qualified {
			continue
		}
		likeness := 1 / float64(2+abs(ch.StartLine-old.StartLine))
		if ch.Kind == "module" || ch.Kind == "lines" {
			same := common(ch.Text, old.Text)
			if same < 0.5 {
				continue
			}
			likeness += same
		}
		if likeness > found {
			best, found = ch, likeness
		}
	}
	return best, found > 0
}

func abs(n int) int { return max(n, -n) }

// common is the share of a's lines that b has too.
func common(a, b string) float64 {
	have := map[string]bool{}
	for l := range strings.Lines(b) {
		have[strings.TrimSpace(l)] = true
	}
	same, total := 0, 0
	for l := range strings.Lines(a) {
		if l = strings.TrimSpace(l); l != "" {
			total++
			if have[l] {
				same++
			}
		}
	}
	return float64(same) / float64(max(total, 1))
}
