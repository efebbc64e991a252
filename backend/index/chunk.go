package index

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"

	"redgreen/backend/lang"
)

// Chunk is one indexed piece of code: a function, method, class, or a window of lines where nothing could be parsed.
type Chunk struct {
	ID        int64       `json:"id"`
	Path      string      `json:"path"`
	Lang      string      `json:"lang"`
	Name      string      `json:"name"`
	Qualified string      `json:"qualified"`  // Class.method
	Kind      string      `json:"kind"`       // function, method, class, interface, type, module, constant, section, lines
	StartLine int         `json:"start_line"` // 1-based, inclusive
	EndLine   int         `json:"end_line"`
	DocLine   int         `json:"doc_line"` // first line of the comment that leads it, StartLine where there is none
	Signature string      `json:"-"`        // not where it was loaded
	Doc       string      `json:"-"`        // its comment; not where it was loaded
	Test      bool        `json:"test"`
	Names     []lang.Name `json:"-"` // names in it that have no chunk: of constants all, of a class its fields; not where it was loaded
	Holes     []Hole      `json:"-"` // the members that have chunks of their own
	Text      string      `json:"-"` // its lines; a member is there with its signature only
	Hash      Hash        `json:"-"` // of the path, the qualified name and the text
}

// Scope is what stands before each of Names where it is qualified, with the dot.
func (ch Chunk) Scope() string {
	if ch.Kind == "constant" {
		return strings.TrimSuffix(ch.Qualified, ch.Name)
	}
	return ch.Qualified + "."
}

// Hole is a range of a chunk's lines that belongs to the chunk of a member.
type Hole struct {
	From, To  int
	Signature string
}

// Hash tells the content of chunks apart: the first 16 bytes of a SHA-256.
type Hash [16]byte

// hash needs room for the text, which it gives back.
func (ch Chunk) hash(room []byte) (Hash, []byte) {
	for _, part := range []string{ch.Path, "\x00", ch.Qualified, "\x00", ch.Text} {
		room = append(room, part...)
	}
	sum := sha256.Sum256(room)
	return Hash(sum[:16]), room[:0]
}

const (
	// longDefinition is where a function that holds others is cut like a class.
	longDefinition = 200
	// windowLines and windowOverlap cut what no grammar cuts.
	windowLines   = 60
	windowOverlap = 10
	// minifiedLine is the average length of a line that no person wrote, in bytes, in files over minifiedSize.
	minifiedLine = 300
	minifiedSize = 20_000
)

// errMinified is a text that nobody wrote by hand.
var errMinified = errors.New("minified file")

// chunker cuts files; it is for one goroutine.
type chunker struct {
	parser *lang.Parser
	words  *vocabulary // nil where only cutting is wanted
	grams  *gramSet
}

func newChunker() *chunker { return &chunker{parser: lang.NewParser()} }

func (c *chunker) close() { c.parser.Close() }

// Cut cuts a text that is not in the index, as it would be there. It has no ids.
func Cut(name string, src []byte) ([]Chunk, error) {
	c := newChunker()
	defer c.close()
	out, err := c.file(name, src)
	return out.chunks, err
}

// cut is a file in pieces. Its lines are kept so that text can be taken from them.
type cut struct {
	lang   string
	chunks []Chunk
	broken bool // a syntax error, or the parse was given up
	notes  []lang.Comment

	mentions []lang.Mention
}

// comments are the comments inside a chunk's own lines, in the room of others.
func (c cut) comments(ch Chunk, room []string) []string {
	h := ch.Holes
	i := sort.Search(len(c.notes), func(i int) bool { return c.notes[i].Line >= ch.StartLine })
	for ; i < len(c.notes) && c.notes[i].Line <= ch.EndLine; i++ {
		for len(h) > 0 && h[0].To < c.notes[i].Line {
			h = h[1:]
		}
		if len(h) == 0 || c.notes[i].Line < h[0].From {
			room = append(room, c.notes[i].Text)
		}
	}
	return room
}

// file cuts one file into chunks, in order of place. Together they hold every line that says something.
func (c *chunker) file(name string, src []byte) (cut, error) {
	text := string(src)
	ls := splitText(text)
	if len(src) > minifiedSize && len(src)/len(ls) > minifiedLine {
		return cut{}, errMinified
	}
	l, ok := lang.Detect(name, src)
	if !ok {
		out := cut{chunks: windows(name, "", "lines", ls, 1, len(ls))}
		out.complete(ls, text, false)
		return out, nil
	}
	f, err := c.parse(l, src)
	out := cut{lang: l.Name, broken: f.Broken || err != nil, notes: f.Comments, mentions: f.Mentions}
	switch {
	case err != nil, f.Broken && len(f.Definitions) == 0:
		out.chunks = windows(name, l.Name, "lines", ls, 1, len(ls))
	default:
		out.chunks = fromDefinitions(name, l.Name, f.Definitions, ls)
	}
	out.complete(ls, text, l.TestFile(name))
	return out, nil
}

// complete gives the chunks their text and what follows from it.
func (c *cut) complete(ls []string, text string, test bool) {
	starts := lineStarts(ls, text)
	var room []byte
	for i := range c.chunks {
		ch := &c.chunks[i]
		ch.Test = ch.Test || test
		if len(ch.Holes) == 0 && ch.EndLine < len(starts) {
			ch.Text = text[starts[ch.StartLine-1]:starts[ch.EndLine]]
		} else {
			ch.Text = textOf(*ch, ls)
		}
		ch.Hash, room = ch.hash(room)
	}
}

// lineStarts is where each line begins and, where the text ends with a line end, its end; nil where lines are not in the text
// as they are given.
func lineStarts(ls []string, text string) []int {
	if strings.IndexByte(text, '\r') >= 0 {
		return nil
	}
	starts := make([]int, 0, len(ls)+1)
	at := 0
	for _, l := range ls {
		starts = append(starts, at)
		at += len(l) + 1
	}
	if at == len(text) {
		starts = append(starts, at)
	}
	return starts
}

// parse lets no text end the process: what a grammar's captures did not foresee is cut into windows.
func (c *chunker) parse(l lang.Language, src []byte) (f lang.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = lang.File{}, fmt.Errorf("reading the definitions: %v", p)
		}
	}()
	return c.parser.Parse(l, src)
}

// Lines cuts a text into lines as the index counts them.
func Lines(src []byte) []string { return splitLines(src) }

// LinesOf is Lines for the lines from and to, from 1, and those between; fewer where the text ends before.
func LinesOf(src []byte, from, to int) []string {
	if from > 1 {
		if src = afterLines(src, from-1); len(src) == 0 {
			return nil
		}
	}
	end := 0
	for n := from; n <= to; n++ {
		i := bytes.IndexByte(src[end:], '\n')
		if i < 0 {
			end = len(src)
			break
		}
		end += i + 1
	}
	if from > to {
		return nil
	}
	return splitText(string(src[:end]))
}

// afterLines is what of a text stands after its first n lines. Counting line ends of many bytes at once takes a fifth of finding each.
func afterLines(src []byte, n int) []byte {
	const atOnce = 2048
	for len(src) > atOnce {
		ends := bytes.Count(src[:atOnce], []byte{'\n'})
		if ends >= n {
			break
		}
		n -= ends
		src = src[atOnce:]
	}
	for ; n > 0; n-- {
		i := bytes.IndexByte(src, '\n')
		if i < 0 {
			return nil
		}
		src = src[i+1:]
	}
	return src
}

// splitLines cuts at \n and drops a \r before it; the last line may be without an end.
func splitLines(src []byte) []string { return splitText(string(src)) }

func splitText(text string) []string {
	ls := strings.Split(text, "\n")
	if len(ls) > 1 && ls[len(ls)-1] == "" {
		ls = ls[:len(ls)-1]
	}
	for i := range ls {
		ls[i] = strings.TrimSuffix(ls[i], "\r")
	}
	return ls
}

// fromDefinitions makes a chunk of each definition, and module chunks of what is outside of all.
func fromDefinitions(name, language string, defs []lang.Definition, ls []string) []Chunk {
	var out []Chunk
	covered := make([]bool, len(ls)+2)
	for i, d := range defs {
		ch := Chunk{Path: name, Lang: language, Name: d.Name, Qualified: d.Qualified, Kind: d.Kind, StartLine: d.StartLine,
			EndLine: d.EndLine, DocLine: d.DocLine, Signature: d.Signature, Doc: d.Doc, Test: d.Test}
		if container(d) {
			ch.Holes = holes(defs, i)
		}
		for l := d.DocLine; l <= d.EndLine; l++ {
			covered[l] = true
		}
		if ch.Names = d.Names; d.Kind == "constant" && d.EndLine-d.StartLine >= longDefinition {
			out = append(out, pieces(ch, ls)...)
		} else {
			out = append(out, ch)
		}
	}
	for from := 1; from <= len(ls); from++ {
		if covered[from] {
			continue
		}
		to := from
		for to < len(ls) && !covered[to+1] {
			to++
		}
		out = append(out, windows(name, language, "module", ls, from, to)...)
		from = to
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].StartLine < out[j].StartLine })
	return out
}

// pieces cuts a long block of constants into windows; each has the names that begin in it and not in the one before, and is
// called after the first of them.
func pieces(block Chunk, ls []string) []Chunk {
	out := windows(block.Path, block.Lang, block.Kind, ls, block.StartLine, block.EndLine)
	names := block.Names
	for i := range out {
		ch := &out[i]
		ch.Name, ch.Qualified, ch.Signature, ch.Test = block.Name, block.Qualified, block.Signature, block.Test
		n := sort.Search(len(names), func(i int) bool { return names[i].Line > ch.EndLine })
		if ch.Names, names = names[:n], names[n:]; n > 0 {
			ch.Qualified = strings.TrimSuffix(block.Qualified, block.Name) + ch.Names[0].Name
			ch.Name = ch.Names[0].Name
		}
		for _, h := range block.Holes {
			if h.From > ch.StartLine && h.To <= ch.EndLine {
				ch.Holes = append(ch.Holes, h)
			}
		}
	}
	if len(out) > 0 {
		out[0].DocLine, out[0].Doc = block.DocLine, block.Doc
	}
	return out
}

// container reports a definition whose members are left to their own chunks.
func container(d lang.Definition) bool {
	switch d.Kind {
	case "class", "interface", "type", "module", "section", "constant":
		return true
	}
	return d.EndLine-d.StartLine >= longDefinition
}

// holes are the lines of a definition's own members. A member that shares a line with its container (class A { b() {} })
// leaves no hole.
func holes(defs []lang.Definition, of int) []Hole {
	var out []Hole
	for i := of + 1; i < len(defs); i++ {
		d := defs[i]
		if d.Parent != of || d.DocLine <= defs[of].StartLine {
			continue
		}
		if n := len(out); n > 0 && d.DocLine <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, d.EndLine)
			out[n-1].Signature += "; " + d.Signature
			continue
		}
		out = append(out, Hole{From: d.DocLine, To: d.EndLine, Signature: d.Signature})
	}
	return out
}

// windows cuts lines from…to into overlapping windows, without the empty lines around and without windows that hold no
// letter or digit.
func windows(name, language, kind string, ls []string, from, to int) []Chunk {
	for from <= to && strings.TrimSpace(ls[from-1]) == "" {
		from++
	}
	for to >= from && strings.TrimSpace(ls[to-1]) == "" {
		to--
	}
	var out []Chunk
	for start := from; start <= to; start += windowLines - windowOverlap {
		end := min(start+windowLines-1, to)
		if to-end <= windowOverlap {
			end = to // no window that is all overlap
		}
		ch := Chunk{Path: name, Lang: language, Kind: kind, StartLine: start, EndLine: end, DocLine: start}
		if kind == "module" {
			ch.Name = strings.TrimSuffix(path.Base(name), path.Ext(name))
			ch.Qualified = ch.Name
		}
		if saysSomething(ls[start-1 : end]) {
			out = append(out, ch)
		}
		if end == to {
			break
		}
	}
	return out
}

// saysSomething reports a letter or a digit.
func saysSomething(ls []string) bool {
	for _, l := range ls {
		for raw := range rawWords(l) {
			if strings.Trim(raw, "_-") != "" {
				return true
			}
		}
	}
	return false
}

// textOf takes a chunk's lines, each member as its signature.
func textOf(ch Chunk, ls []string) string {
	var b strings.Builder
	h := ch.Holes
	for n := ch.StartLine; n <= ch.EndLine && n <= len(ls); n++ {
		line := ls[n-1]
		if len(h) > 0 && n == h[0].From {
			line = indentOf(line) + h[0].Signature
			n = h[0].To
			h = h[1:]
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func indentOf(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
}

// OwnLines calls f with the number of each line of the chunk that is not a member's.
func (ch Chunk) OwnLines(f func(line int)) {
	h := ch.Holes
	for n := ch.StartLine; n <= ch.EndLine; n++ {
		if len(h) > 0 && n == h[0].From {
			n = h[0].To
			h = h[1:]
			continue
		}
		f(n)
	}
}
