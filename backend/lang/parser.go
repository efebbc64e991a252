package lang

import (
	"errors"
	"fmt"
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
	rows map[string]*row
}

type row struct {
	parser *sitter.Parser
	query  *sitter.Query
	tests  map[string]bool
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
	r := &row{parser: sp, query: q, tests: map[string]bool{}}
	for _, t := range l.TestCalls {
		r.tests[t] = true
	}
	p.rows[l.Name] = r
	return r, nil
}

// File is what one parse finds.
type File struct {
	Definitions []Definition // in order of place
	Comments    []Comment    // in order of place
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
	tree := r.parser.Parse(nil, src) // no cancellable context: its watcher can poison the next parse
	if tree == nil {
		r.parser.Reset() // else the next parse goes on with this text
		return File{Broken: true}, fmt.Errorf("%w: given up after %s", ErrTooSlow, parseLimit)
	}
	defer tree.Close()
	root := tree.RootNode()
	raws, around := r.matches(root, src)
	n := nest(raws, around, src)
	f := File{Definitions: n.out, Broken: root.HasError()}
	for _, s := range around {
		if s.comment {
			f.Comments = append(f.Comments, Comment{n.lines.of(s.start), string(src[s.start:s.end])})
		}
	}
	return f, nil
}

// Definitions is Parse for who needs only these.
func (p *Parser) Definitions(l Language, src []byte) (defs []Definition, broken bool, err error) {
	f, err := p.Parse(l, src)
	return f.Definitions, f.Broken, err
}

// matches runs the query and merges what it says by the place of the name.
func (r *row) matches(root *sitter.Node, src []byte) ([]raw, []span) {
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.Exec(r.query, root)
	byName := map[int]int{}
	var raws []raw
	var around []span
	for {
		m, ok := cursor.NextMatch()
		if !ok {
			return whole(raws), around
		}
		one, sp, ok := r.read(m, src)
		around = append(around, sp...)
		if !ok {
			continue
		}
		if i, seen := byName[one.nameStart]; seen && raws[i].scope == one.scope {
			raws[i] = merge(raws[i], one)
			continue
		}
		byName[one.nameStart] = len(raws)
		raws = append(raws, one)
	}
}

// read turns one match into a definition, or into comments and attributes.
func (r *row) read(m *sitter.QueryMatch, src []byte) (one raw, around []span, named bool) {
	allowed := true
	for _, c := range m.Captures {
		start, end := int(c.Node.StartByte()), int(c.Node.EndByte())
		switch name := r.query.CaptureNameForId(c.Index); name {
		case "comment", "attribute":
			around = append(around, span{start, end, name == "comment"})
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
		case "test":
			allowed, one.test = r.tests[string(src[start:end])], true
		default:
			one.start, one.end, one.core = start, end, start
			one.kind = strings.TrimPrefix(name, "definition.")
		}
	}
	return one, around, named && allowed
}

// merge joins two matches of one name: the wider one is the definition.
func merge(a, b raw) raw {
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
