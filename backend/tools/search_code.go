package tools

import (
	"context"
	_ "embed" // the description
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/policy"
	"redgreen/backend/search"
)

//go:embed search_code.md
var searchCodeDoc string

// maxBest is how many bytes of its best line a hit shows: enough to know it by.
const maxBest = 100

func searchCode() Tool {
	return Tool{
		Name: "search_code", Kind: policy.Search, Doc: searchCodeDoc, Wall: quick,
		Fields: []Field{
			{Name: "query", Type: Text, Required: true, Doc: "words, a name, part of a path, an error, or a hit's place"},
			{Name: "n", Type: Integer, Min: 1, Max: 30, Doc: "hits, 10 if left out"},
		},
		Object: func(a Args) string { return a.text("query") },
		run:    runSearch,
	}
}

func runSearch(ctx context.Context, s *Set, a Args) (result, error) {
	query, n := a.text("query"), a.number("n", 10)
	if strings.TrimSpace(query) == "" {
		return result{failed: true, summary: "empty query", head: "The query is empty. Give words, an identifier, a path or an error."}, nil
	}
	if at, ok := parsePlace(query); ok {
		return s.widen(ctx, at)
	}
	p, err := s.o.Workspace.Patch()
	if err != nil {
		return result{}, fmt.Errorf("reading the change so far: %w", err)
	}
	var notes []string
	hits, err := search.Search(ctx, s.o.Index, query, search.Options{N: n, Read: s.o.Workspace.Read, Changed: changedPaths(p), Within: searchWithin,
		Told: func(said string) { notes = append(notes, said) }})
	switch {
	case errors.Is(err, search.ErrEmpty), errors.Is(err, search.ErrQuery):
		return result{failed: true, summary: "unreadable query", head: "The query could not be read.", body: err.Error()}, nil
	case err != nil:
		return result{}, err
	}
	s.hideIn(hits)
	lines := append(s.newFiles(p, query, hits), HitLines(hits)...)
	note := s.scrub(strings.Join(notes, "; "))
	if len(lines) == 0 {
		return result{summary: "no hits", head: "No hits. Try fewer words, another name for the same thing, or part of a path.", note: note}, nil
	}
	body := strings.Join(lines, "\n")
	return result{
		summary: fmt.Sprintf("%s, about %d tokens", plural(len(lines), "hit"), model.Tokens(len(body))),
		head:    "Hits by file, best first, each with its best line. A place as the query shows its code.",
		body:    body,
		note:    note,
	}, nil
}

// hideIn takes secrets out of the snippets, by the whole of each file.
func (s *Set) hideIn(hits []search.Hit) {
	clean := map[string][]string{} // path → lines; nil as they are
	for i, h := range hits {
		lines, ok := clean[h.Path]
		if !ok {
			if data, err := s.o.Workspace.Read(h.Path); err == nil {
				if text, _, err := patch.Decode(data); err == nil {
					if hidden := s.hide(text); hidden != text {
						lines = strings.Split(strings.ReplaceAll(hidden, "\r\n", "\n"), "\n")
					}
				}
			}
			clean[h.Path] = lines
		}
		if first := h.StartLine - 1; lines != nil && first >= 0 {
			last := min(len(lines), first+1+strings.Count(h.Snippet, "\n"))
			hits[i].Snippet = strings.Join(lines[min(first, last):last], "\n")
		}
	}
}

// searchWithin is how long an expression that the index cannot help with is looked for.
const searchWithin = 2 * time.Second

// changedPaths are the files that the agent changed, made or took away.
func changedPaths(p patch.Patch) []string {
	var out []string
	for _, f := range p.Files {
		out = append(out, f.Path)
		if f.OldPath != "" {
			out = append(out, f.OldPath)
		}
	}
	return out
}

// HitLines are the hits as search_code shows them, by file, each on one line.
func HitLines(hits []search.Hit) []string {
	var out []string
	for _, h := range search.Grouped(hits) {
		out = append(out, hitLine(h))
	}
	return out
}

// hitLine is one hit on one line: where it is, what it is, and the line that fits best. The place stands whole on each line, also
// where hits share a file, so that it can be given back as it is.
func hitLine(h search.Hit) string {
	where := place{h.Path, h.StartLine, h.EndLine}.String()
	line, best := h.BestLine, ""
	if snippet := strings.Split(h.Snippet, "\n"); line >= h.StartLine && line-h.StartLine < len(snippet) {
		best = shorten(strings.TrimSpace(snippet[line-h.StartLine]), maxBest)
	}
	if h.Symbol != "" && (line != h.StartLine || !strings.Contains(best, h.Symbol)) { // else the line says it
		where += " " + h.Kind + " " + h.Symbol
	}
	if best == "" {
		return where
	}
	return fmt.Sprintf("%s | %d: %s", where, line, best)
}

// newFiles looks for the query's words in the files that the agent added: the lists of words do not know them. What is looked
// for in the texts themselves is found there anyway.
func (s *Set) newFiles(p patch.Patch, query string, hits []search.Hit) []string {
	q, err := search.Parse(query)
	if err != nil || q.Kind == search.Exact || q.Kind == search.Expression || q.Kind == search.References || q.Kind == search.Callers {
		return nil
	}
	query = q.Text
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var out []string
	for _, f := range p.Files {
		if f.Status != patch.Added || slices.ContainsFunc(hits, func(h search.Hit) bool { return h.Path == f.Path }) {
			continue
		}
		data, err := s.o.Workspace.Read(f.Path)
		if err != nil {
			continue // deleted again, or not text
		}
		if n, line := bestLine(s.hide(string(data)), words); n > 0 {
			out = append(out, fmt.Sprintf("%s new file | %d: %s", f.Path, n, shorten(strings.TrimSpace(line), maxBest)))
		}
	}
	return out
}

// bestLine is the first line with the most of the words, 0 if none has any. Words under three bytes do not count.
func bestLine(text string, words []string) (number int, best string) {
	most := 0
	for i, line := range strings.Split(text, "\n") {
		count, low := 0, strings.ToLower(line)
		for _, w := range words {
			if len(w) > 2 && strings.Contains(low, w) {
				count++
			}
		}
		if count > most {
			most, number, best = count, i+1, line
		}
	}
	return number, best
}

// shorten cuts a line after max bytes and says so.
func shorten(line string, max int) string {
	head, cut := Cap(line, max)
	if !cut {
		return line
	}
	if max <= maxBest {
		return head + "…"
	}
	return fmt.Sprintf("%s… [%d bytes more]", head, len(line)-len(head))
}
