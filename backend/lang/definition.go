package lang

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Definition is one named piece of a file. Lines are 1-based and inclusive; bytes are offsets into the source.
type Definition struct {
	Kind      string // function, method, class, interface, type, module, constant, section
	Name      string
	Qualified string // the names around it and its own, joined by dots: Class.method
	Parent    int    // index of the enclosing definition in the same list, -1 at the top
	StartLine int    // the first line, decorators, attributes and export included
	EndLine   int
	DocLine   int // the first line of the comment that leads it; StartLine where there is none
	StartByte int
	EndByte   int
	Signature string // one line, without the body
	Doc       string // leading comment or documentation string, without its marks
	Test      bool   // a call that defines a test, or an attribute says so (Rust), here or around it
	Names     []Name // of a block of constants: all that it has, in order of place; Name is the first. Of a class: its fields
}

// Name is one name of several, and the line that it stands on.
type Name struct {
	Name string
	Line int
}

// raw is what the query's matches say of one definition, before nesting and comments are known.
type raw struct {
	kind, name, receiver, doc string
	start, end                int // bytes of the whole
	core                      int // where the declaration itself starts, after decorators that its node holds
	nameStart, bodyStart      int // bodyStart 0: unknown
	scope, test               bool
	more                      []raw // of a block of constants the names after its first, of a class its fields
}

// span is a stretch of the source that is no definition but says something of one, or of the names in it.
type span struct {
	start, end int
	kind       spanKind
}

type spanKind uint8

const (
	spanComment   spanKind = iota
	spanAttribute          // belongs to the definition that follows
	spanString             // holds no names
	spanCode               // code inside a string
	spanImport             // names in it are imported
)

// lines finds line numbers of byte offsets.
type lines []int

func newLines(src []byte) lines {
	ls := make(lines, 1, bytes.Count(src, []byte{'\n'})+1)
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return ls
		}
		at += i + 1
		ls = append(ls, at)
	}
}

// of is the 1-based line that holds the byte.
func (ls lines) of(b int) int {
	return sort.Search(len(ls), func(i int) bool { return ls[i] > b })
}

// nest orders definitions by place and gives each its parent, its qualified name and its final kind.
func nest(raws []raw, around []span, src []byte) *nesting {
	slices.SortStableFunc(raws, func(a, b raw) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	slices.SortFunc(around, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	n := &nesting{around: around, src: src, lines: newLines(src)}
	for _, r := range raws {
		n.add(r)
	}
	return n
}

// nesting is the state of one walk over a file's definitions in order of place.
type nesting struct {
	around []span
	src    []byte
	lines  lines
	stack  []open
	out    []Definition
}

// open is a definition or scope that the walk is inside of.
type open struct {
	start, end, def int
	qualified, kind string
	test            bool
}

func (n *nesting) add(r raw) {
	for len(n.stack) > 0 && n.stack[len(n.stack)-1].end <= r.start {
		n.stack = n.stack[:len(n.stack)-1]
	}
	outer := open{def: -1}
	if len(n.stack) > 0 {
		outer = n.stack[len(n.stack)-1]
	}
	prefix, name := qualifier(r)
	qualified := join(outer.qualified, prefix, name)
	if r.scope {
		n.stack = append(n.stack, open{end: r.end, def: outer.def, qualified: qualified, kind: "class", test: outer.test})
		return
	}
	if r.kind == "type" && outer.kind == "type" && n.sameLines(r, outer) {
		return // typedef struct a {…} a: one definition with two names
	}
	kind := r.kind
	if kind == "function" && !r.test && (prefix != "" || outer.kind == "class" || outer.kind == "interface" || outer.kind == "type") {
		kind = "method"
	}
	d := Definition{Kind: kind, Name: name, Qualified: qualified, Parent: outer.def, StartByte: r.start, EndByte: r.end,
		Doc: cleanDoc(r.doc), Test: outer.test || r.test}
	names := r.more
	if kind == constant {
		names = append([]raw{r}, names...)
	}
	for _, one := range names {
		d.Names = append(d.Names, Name{one.name, n.lines.of(one.nameStart)})
	}
	lead(&d, n.around, n.src)
	d.Signature = signature(r, d.StartByte, n.src)
	d.StartLine, d.EndLine = n.lines.of(d.StartByte), n.lines.of(max(lastByte(n.src, r.end), d.StartByte))
	d.DocLine = min(n.lines.of(d.DocLine), d.StartLine)
	inside := open{start: r.start, end: r.end, def: len(n.out), qualified: qualified, kind: kind, test: d.Test}
	if kind == constant { // what stands in its value is not named after it
		inside.qualified, inside.kind = outer.qualified, outer.kind
	}
	n.stack = append(n.stack, inside)
	n.out = append(n.out, d)
}

func (n *nesting) sameLines(r raw, o open) bool {
	return n.lines.of(r.start) == n.lines.of(o.start) && n.lines.of(r.end-1) == n.lines.of(o.end-1)
}

// lastByte is the last byte before end that is not white space.
func lastByte(src []byte, end int) int {
	end--
	for end > 0 && strings.IndexByte(" \t\r\n", src[end]) >= 0 {
		end--
	}
	return end
}

// lead takes in the attributes right before a definition and finds the comment that documents it. DocLine holds a byte
// offset until nest turns it into a line.
func lead(d *Definition, around []span, src []byte) {
	var comments []string
	at := d.StartByte
	d.DocLine = at
	i := sort.Search(len(around), func(i int) bool { return around[i].start >= at }) - 1
	for ; i >= 0 && adjacent(src, around[i].end, at); i-- {
		s := around[i]
		if s.kind == spanComment && !ownLine(src, s.start) {
			break // it trails the statement before
		}
		at = s.start
		if s.kind == spanComment {
			comments = append(comments, string(src[s.start:s.end]))
		} else {
			d.StartByte = s.start
			d.Test = d.Test || testAttribute(string(src[s.start:s.end]))
		}
		d.DocLine = at
	}
	if d.Doc == "" && len(comments) > 0 {
		for l, r := 0, len(comments)-1; l < r; l, r = l+1, r-1 {
			comments[l], comments[r] = comments[r], comments[l]
		}
		d.Doc = cleanDoc(strings.Join(comments, "\n"))
	}
}

// testAttribute knows #[test], #[cfg(test)] and #[tokio::test].
func testAttribute(s string) bool {
	return strings.HasSuffix(strings.TrimSpace(strings.TrimRight(s, ")] ")), "test") && strings.HasPrefix(s, "#[")
}

// adjacent reports whether only white space without an empty line lies between two offsets.
func adjacent(src []byte, from, to int) bool {
	if from > to {
		return false
	}
	between := src[from:to]
	newlines := 0
	for _, b := range between {
		switch b {
		case '\n':
			newlines++
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	if from > 0 && src[from-1] == '\n' {
		newlines++ // some grammars count the line end into a comment
	}
	return newlines <= 1
}

func ownLine(src []byte, at int) bool {
	for at--; at >= 0 && src[at] != '\n'; at-- {
		if src[at] != ' ' && src[at] != '\t' {
			return false
		}
	}
	return true
}

// maxSection is where the name of a section is cut.
const maxSection = 80

// qualifier splits "ns::Class::method" into "ns.Class" and "method", and puts a receiver before.
func qualifier(r raw) (prefix, name string) {
	name = strings.Trim(r.name, "\"'`:")
	if r.kind == "section" {
		return "", clip(collapse(name), maxSection)
	}
	if !r.test {
		if name = withoutArguments(name); strings.IndexByte(name, ':') >= 0 {
			name = strings.NewReplacer("::", ".", ":", ".").Replace(name)
		}
		name = collapse(name)
		if i := strings.LastIndexByte(name, '.'); i > 0 && i+1 < len(name) {
			prefix, name = name[:i], name[i+1:]
		}
	}
	return join(r.receiver, prefix), name
}

// withoutArguments makes Buffer of Buffer<T>; operator<< stays.
func withoutArguments(name string) string {
	for !strings.Contains(name, "operator") {
		i := strings.IndexByte(name, '<')
		j := strings.LastIndexByte(name, '>')
		if i <= 0 || j < i {
			break
		}
		name = name[:i] + name[j+1:]
	}
	return name
}

func join(parts ...string) string {
	out := ""
	for _, p := range parts {
		switch {
		case p == "":
		case out == "":
			out = p
		default:
			out += "." + p
		}
	}
	return out
}

func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// maxSignature keeps a signature on about two lines of a screen.
const maxSignature = 240

// signature runs from the declaration (or from a word before it on its line, as Go's "type") to the body.
func signature(r raw, from int, src []byte) string {
	if from < r.core && bytes.IndexByte(src[from:r.core], '\n') >= 0 {
		from = r.core
	}
	end := r.bodyStart
	if end <= from || end > r.end {
		end = r.end
		if i := bytes.IndexByte(src[from:r.end], '\n'); i >= 0 {
			end = from + i
		}
	}
	s := strings.TrimSpace(strings.TrimRight(collapse(string(src[from:end])), "{ "))
	s = strings.TrimSpace(strings.TrimSuffix(s, "=>"))
	if r.kind == constant {
		s = strings.TrimRight(s, "=([ ")
	}
	return clip(s, maxSignature)
}

// clip shortens a text to at most n bytes at a rune's border.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// maxDoc is more than any summary needs; licences and long tutorials end here.
const maxDoc = 2000

// cleanDoc takes the marks of comments and documentation strings away.
func cleanDoc(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{`"""`, `'''`} {
		if i := strings.Index(s, q); i >= 0 && i <= 2 {
			s = strings.TrimSuffix(s[i+3:], q)
		}
	}
	var out []string
	for _, l := range strings.Split(s, "\n") {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "//go:") {
			continue // a directive
		}
		l = strings.TrimSuffix(l, "*/")
		l = strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(l, "<!--"), "-->"), "--")
		l = strings.TrimLeft(l, "/*#!")
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "<") && strings.HasSuffix(l, ">") && !strings.Contains(l, " ") {
			continue // <summary> on its own
		}
		out = append(out, l)
	}
	return clip(strings.TrimSpace(strings.Join(out, "\n")), maxDoc)
}
