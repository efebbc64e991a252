package search

import (
	"slices"

	"redgreen/backend/index"
	"redgreen/backend/lang"
)

// cuts makes chunks of present texts that the index does not have, so that a line of them can be a hit. Their ids are below 0.
type cuts struct {
	o     Options
	files map[string][]index.Chunk // nil where nothing can be read or cut
	ids   map[place]int64
	own   map[int64]index.Chunk
}

// place is where a chunk of a file begins and ends.
type place struct {
	path     string
	from, to int
}

// id is the chunk that holds a line: the one of the index, or where the text is not the indexed one, one of its own; 0 none.
func (c *cuts) id(indexed int64, path string, line int) int64 {
	if c.o.Read == nil || indexed != 0 && !slices.Contains(c.o.Changed, path) {
		return indexed
	}
	best := -1
	chunks := c.of(path)
	for i, ch := range chunks {
		if ch.DocLine <= line && line <= ch.EndLine && (best < 0 || ch.EndLine-ch.DocLine < chunks[best].EndLine-chunks[best].DocLine) {
			best = i
		}
	}
	if best < 0 {
		return 0
	}
	return c.add(chunks[best])
}

func (c *cuts) of(path string) []index.Chunk {
	if got, ok := c.files[path]; ok {
		return got
	}
	var chunks []index.Chunk
	if src, err := c.o.Read(path); err == nil {
		chunks, _ = index.Cut(path, src) // what cannot be cut has no chunks
	}
	if c.files == nil {
		c.files, c.ids, c.own = map[string][]index.Chunk{}, map[place]int64{}, map[int64]index.Chunk{}
	}
	c.files[path] = chunks
	return chunks
}

func (c *cuts) add(ch index.Chunk) int64 {
	at := place{ch.Path, ch.DocLine, ch.EndLine}
	if id, ok := c.ids[at]; ok {
		return id
	}
	id := int64(-1 - len(c.own))
	c.ids[at], c.own[id] = id, ch
	return id
}

// found adds a chunk by the first line of it that was found.
func (l *list) found(id int64, line int) {
	if _, seen := l.lines[id]; id != 0 && !seen {
		l.ids, l.lines[id] = append(l.ids, id), line
	}
}

// define finds whole names among the definitions of the changed files, as they are now.
func (l *list) define(names []string, o Options) {
	if o.Read == nil {
		return
	}
	c := cuts{o: o}
	for _, path := range o.Changed {
		for _, ch := range c.of(path) {
			if ch.Kind == "module" || ch.Kind == "lines" {
				continue
			}
			scope := ch.Scope()
			i := slices.IndexFunc(ch.Names, func(n lang.Name) bool {
				return slices.Contains(names, n.Name) || slices.Contains(names, scope+n.Name)
			})
			if i < 0 && !slices.Contains(names, ch.Name) && !slices.Contains(names, ch.Qualified) {
				continue
			}
			id := c.add(ch)
			l.ids = append(l.ids, id)
			if i >= 0 {
				l.constant(id, lang.Name{Name: scope + ch.Names[i].Name, Line: ch.Names[i].Line})
			}
		}
	}
	l.own = c.own
}

// constant notes which name of a block was found; other chunks have no line of a name.
func (l *list) constant(id int64, n lang.Name) {
	if n.Line > 0 {
		l.lines[id], l.names[id] = n.Line, n.Name
	}
}
