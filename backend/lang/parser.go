package lang

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
)

// parseLimit ends the parse of a text that no grammar was made for (1 MB of binary garbage takes 6 s); real files of the
// largest size that is indexed take well under a second.
const parseLimit = 2 * time.Second

// ErrTooSlow is a parse that was ended at its limit.
var ErrTooSlow = errors.New("parse took too long")

// Parser finds the definitions of files. It keeps one tree-sitter parser and one compiled query a language; it is for one
// goroutine, and Close frees its C memory.
type Parser struct {
	rows   map[string]*row
	canvas []byte
}

type row struct {
	opening  string
	parser   *sitter.Parser
	query    *sitter.Query
	captures []string // the query's capture names by their ids
	tests    map[string]bool
	keywords wordSet
}

// found is what a parse finds, before definitions are nested.
type found struct {
	raws   []raw
	around []span // comments and attributes
	texts  []span // strings, code in strings, imports
}

// NewParser makes a parser for any language of the table.
func NewParser() *Parser { return &Parser{rows: map[string]*row{}} }

// Close frees what the parser holds.
func (p *Parser) Close() {
	for _, r := range p.rows {
		r.query.Close()
		r.parser.Close()
	}
	p.rows = nil
}

func (p *Parser) row(l Language) (*row, error) {
	if r, ok := p.rows[l.Name]; ok {
		return r, nil
	}
	if p.rows == nil {
		return nil, errors.New("parser is closed")
	}
	q, err := sitter.NewQuery([]byte(l.Query), l.Grammar())
	if err != nil {
		return nil, fmt.Errorf("compiling the symbol query of %s: %w", l.Name, err)
	}
	sp := sitter.NewParser()
	sp.SetLanguage(l.Grammar())
	sp.SetOperationLimit(int(parseLimit.Microseconds()))
	r := &row{opening: l.opening, parser: sp, query: q, tests: map[string]bool{}, keywords: newWordSet(keywords(l.Grammar()))}
	for i := range q.CaptureCount() {
		r.captures = append(r.captures, q.CaptureNameForId(i))
	}
	for _, t := range l.TestCalls {
		r.tests[t] = true
	}
	p.rows[l.Name] = r
	return r, nil
}

// keywords are the words that a grammar has as they stand.
func keywords(g *sitter.Language) map[string]bool {
	out := map[string]bool{}
	for id := range g.SymbolCount() {
		name := g.SymbolName(sitter.Symbol(id))
		if word, ok := strings.CutPrefix(name, "keyword_"); ok { // SQL
			out[word], out[strings.ToUpper(word)] = true, true
		}
		if name != "" && nameEnd([]byte(name), 0) == len(name) && g.SymbolType(sitter.Symbol(id)) == sitter.SymbolTypeAnonymous {
			out[name] = true
		}
	}
	return out
}

// File is what one parse finds.
type File struct {
	Definitions []Definition // in order of place
	Comments    []Comment    // in order of place
	Mentions    []Mention    // names, in order of place
	Broken      bool         // the text has a syntax error; what could be read around it is still here
}

// Comment is one comment, with its marks; Line is its first line, 1-based.
type Comment struct {
	Line int
	Text string
}

// Parse reads a source text. The error is ErrTooSlow or a mistake in the language's row.
//
// The whole tree lives and dies in here: a node that is used after its tree was closed ends the process.
func (p *Parser) Parse(l Language, src []byte) (File, error) {
	r, err := p.row(l)
	if err != nil {
		return File{}, err
	}
	if l.native != nil {
		if n, ok := l.native(src); ok {
			return p.finish(r, n, src), nil
		}
	}
	tree := r.parser.Parse(nil, src) // no cancellable context: its watcher can poison the next parse
	if tree == nil {
		r.parser.Reset() // else the next parse goes on with this text
		return File{Broken: true}, fmt.Errorf("%w: given up after %s", ErrTooSlow, parseLimit)
	}
	defer tree.Close()
	root := tree.RootNode()
	all, broken := r.matches(root, src), root.HasError()
	if broken {
		all = r.mended(all, src)
	}
	f := p.finish(r, all, src)
	f.Broken = broken
	return f, nil
}

// finish nests what was found and looks for names.
func (p *Parser) finish(r *row, from found, src []byte) File {
	from.raws = blocks(from.raws, from.around, src)
	defined := make([]int, 0, len(from.raws))
	for _, one := range from.raws {
		if !one.scope && !one.test {
			defined = append(defined, one.nameStart+lastName(one.name))
		}
		for _, also := range one.more {
			defined = append(defined, also.nameStart+lastName(also.name))
		}
	}
	slices.Sort(defined)
	n := nest(from.raws, from.around, src)
	f := File{Definitions: n.out}
	for _, s := range from.around {
		if s.kind == spanComment {
			f.Comments = append(f.Comments, Comment{n.lines.of(s.start), string(src[s.start:s.end])})
		}
	}
	slices.SortStableFunc(from.texts, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	p.canvas = paint(p.canvas, len(src), from.around, from.texts)
	f.Mentions = mentions(src, p.canvas, &r.keywords, defined)
	return f
}

// lastName is where the last part of a name begins: 3 in a::b. The # of a private name is no part of it.
func lastName(name string) int {
	return strings.LastIndexAny(name, ".:~#") + 1
}

// Definitions is Parse for who needs only these.
func (p *Parser) Definitions(l Language, src []byte) (defs []Definition, broken bool, err error) {
	f, err := p.Parse(l, src)
	return f.Definitions, f.Broken, err
}

// matches runs the query and merges what it says by the place of the name.
func (r *row) matches(root *sitter.Node, src []byte) found {
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.Exec(r.query, root)
	byName := map[int]int{}
	var f found
	for {
		m, ok := cursor.NextMatch()
		if !ok {
			f.raws = whole(f.raws)
			return f
		}
		one, ok := r.read(m, src, &f)
		if !ok {
			continue
		}
		if i, seen := byName[one.nameStart]; seen && f.raws[i].scope == one.scope {
			f.raws[i] = merge(f.raws[i], one)
			continue
		}
		byName[one.nameStart] = len(f.raws)
		f.raws = append(f.raws, one)
	}
}

// read turns one match into a definition, or into spans.
func (r *row) read(m *sitter.QueryMatch, src []byte, f *found) (one raw, named bool) {
	allowed := true
	for _, c := range m.Captures {
		start, end := int(c.Node.StartByte()), int(c.Node.EndByte())
		for start < end && strings.IndexByte(" \t\r\n", src[start]) >= 0 {
			start++ // some grammars count the line end before into a node
		}
		switch name := r.captures[c.Index]; name {
		case "comment":
			f.around = append(f.around, span{start, end, spanComment})
		case "attribute":
			f.around = append(f.around, span{start, end, spanAttribute})
		case "string":
			f.texts = append(f.texts, span{start, end, spanString})
		case "code":
			f.texts = append(f.texts, span{start, end, spanCode})
		case "import":
			f.texts = append(f.texts, span{start, end, spanImport})
		case "name":
			one.name, one.nameStart, named = string(src[start:end]), start, true
		case "body":
			one.bodyStart = start
		case "doc":
			one.doc = string(src[start:end])
		case "receiver":
			one.receiver = string(src[start:end])
		case "scope":
			one.start, one.end, one.core, one.scope = start, end, start, true
		case "id":
			allowed = allowed && string(src[start:end]) == "id"
		case "test":
			allowed, one.test = r.tests[string(src[start:end])], true
		default:
			one.start, one.end, one.core = start, end, start
			one.kind = strings.TrimPrefix(name, "definition.")
		}
	}
	return one, named && allowed
}

// merge joins two matches of one name: the wider one is the definition.
func merge(a, b raw) raw {
	if a.valueOnly() || b.valueOnly() {
		if a.valueOnly() && b.kind != "" {
			return b // a function or class that a name is given
		}
		return a
	}
	if b.end-b.start > a.end-a.start || b.end-b.start == a.end-a.start && a.kind == "type" {
		a, b = b, a // of two with the same extent, "type" is the less precise kind
	}
	if b.kind != "" && b.start > a.core && b.kind == a.kind {
		a.core = b.start // the plain form inside the decorated one
	}
	if a.kind == "" {
		a.kind = b.kind
	}
	if a.bodyStart == 0 {
		a.bodyStart = b.bodyStart
	}
	if a.doc == "" {
		a.doc = b.doc
	}
	if a.receiver == "" {
		a.receiver = b.receiver
	}
	return a
}

// valueOnly reports a name that no more is known of than that it has a value.
func (r *raw) valueOnly() bool { return r.kind == constant || r.kind == field }

// whole drops names that no pattern gave an extent.
func whole(raws []raw) []raw {
	kept := raws[:0]
	for _, r := range raws {
		if r.end > r.start {
			kept = append(kept, r)
		}
	}
	return kept
}
