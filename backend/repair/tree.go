package repair

import (
	"sort"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"redgreen/backend/lang"
)

// class is what a node is to an edit, the same for each language.
type class int

// The classes. A node of no class is only walked through.
const (
	other class = iota
	binary
	unary
	call
	member
	index
	slice
	ident
	integer
	float
	str
	boolean
	null
	list // a literal of a list, tuple, set, map or composite value
	tuple
	assign
	augmented
	update // i++
	ret
	yield
	cond // a statement with a condition: if, elif
	loop // while, for with a condition
	each // for over a collection
	block
	stmt // another statement
	jump // break, continue
	function
	params
	args
	keyword // a named argument
	paren
	ternary
	comment
	wait // await
	raise
)

// node is a copy of a tree-sitter node that outlives its tree.
type node struct {
	kind, field string
	class       class
	start, end  int // bytes
	line        int // of start, 1-based
	last        int // line of end
	named       bool
	kids        []*node
	parent      *node
}

// source is one parsed file.
type source struct {
	path    string
	text    string
	row     *row
	root    *node
	lines   []int // byte at which each line begins
	broken  bool
	strings []string // distinct literals of the file, in order of place
	ints    []string
	members []string
	calls   []string               // names that are called
	defined map[string]bool        // names that something in the file defines, nil not looked
	plain   []string               // methods that are called without arguments, nil not looked
	consts  []string               // names of the file's top that hold one text or number
	named   []string               // constants of the file's top in Go, which are spelt as variables are
	methods [][2]string            // what is called of what, nil not looked
	mates   []*source              // the files that were read with it, itself among them
	structs map[string][][2]string // fields of Go\'s structs with their types, those that were asked for
	taken   []signature            // of the file's functions, nil not looked
	byCount map[int][]string       // methods that are called, by how many arguments they are given, nil not looked
}

// parse reads a file; nil where no row knows its language or it is too slow to parse.
func parse(path, text string) *source {
	l, ok := lang.ByPath(path)
	if !ok {
		return nil
	}
	r := rowOf(l.Name)
	if r == nil {
		return nil
	}
	p := sitter.NewParser()
	defer p.Close()
	p.SetLanguage(l.Grammar())
	p.SetOperationLimit(2_000_000)
	tree := p.Parse(nil, []byte(text))
	if tree == nil {
		return nil
	}
	defer tree.Close()
	s := &source{path: path, text: text, row: r, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	root := tree.RootNode()
	s.broken = root.HasError()
	c := sitter.NewTreeCursor(root)
	defer c.Close()
	s.root = s.copy(c, nil)
	s.collect()
	return s
}

func (s *source) copy(c *sitter.TreeCursor, parent *node) *node {
	n := c.CurrentNode()
	out := &node{kind: n.Type(), field: c.CurrentFieldName(), start: int(n.StartByte()), end: int(n.EndByte()),
		line: int(n.StartPoint().Row) + 1, last: int(n.EndPoint().Row) + 1, named: n.IsNamed(), parent: parent}
	if out.named {
		out.class = s.row.classes[out.kind]
	}
	if c.GoToFirstChild() {
		for {
			out.kids = append(out.kids, s.copy(c, out))
			if !c.GoToNextSibling() {
				break
			}
		}
		c.GoToParent()
	}
	return out
}

// of is the text of a node; of none it is none, as the value of a declaration without one.
func (s *source) of(n *node) string {
	if n == nil {
		return ""
	}
	return s.text[n.start:n.end]
}

// lineOf is the 1-based line of a byte.
func (s *source) lineOf(b int) int {
	return sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > b })
}

// lineText is a line without its end.
func (s *source) lineText(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	text := s.text[s.lines[n-1]:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
}

// indent is the white space that a line begins with.
func (s *source) indent(line int) string {
	t := s.lineText(line)
	return t[:len(t)-len(strings.TrimLeft(t, " \t"))]
}

// collect gathers the literals and names of the file.
func (s *source) collect() {
	seen := map[string]bool{}
	add := func(to *[]string, text string) {
		if !seen[text] {
			seen[text] = true
			*to = append(*to, text)
		}
	}
	s.root.walk(func(n *node) bool {
		if name := s.constant(n); n.above(function) == nil && (isConstant(name) || n.kind == "const_spec" && name != "") {
			add(&s.consts, name)
		}
		if n.kind == "const_spec" && n.get("name") != nil && n.above(function) == nil {
			s.named = append(s.named, s.of(n.get("name")))
		}
		switch n.class {
		case str:
			if n.end-n.start <= 40 && !strings.Contains(s.of(n), "\n") && !(n.parent.kind == "expression_statement" && s.row.name == "python") &&
				!strings.Contains(n.parent.kind, "import") {
				add(&s.strings, s.of(n))
			}
			return s.row.name != "python" || strings.HasPrefix(s.of(n), "f")
		case integer, float:
			add(&s.ints, s.of(n))
		case member:
			if m := n.memberName(); m != nil {
				add(&s.members, s.of(m))
			}
		case call:
			if f := n.callee(); f != nil && f.class == ident {
				add(&s.calls, s.of(f))
			}
		}
		return true
	})
}

// constant is the name that a node at the top gives one text or number, "" none.
func (s *source) constant(n *node) string {
	name, value := n.get("name"), n.get("value")
	if n.class == assign && name == nil {
		name, value = n.get("left"), n.get("right")
	}
	if name == nil || value == nil || name.class != ident {
		return ""
	}
	if o := value.operands(); value.class == tuple && len(o) == 1 || value.kind == "expression_list" && len(o) == 1 {
		value = o[0]
	}
	if value.class != str && value.class != integer {
		return ""
	}
	return s.of(name)
}

// walk visits a node and those below it; visit says whether to go below.
func (n *node) walk(visit func(*node) bool) {
	if !visit(n) {
		return
	}
	for _, k := range n.kids {
		k.walk(visit)
	}
}

// get is the child with a field name, nil none.
func (n *node) get(field string) *node {
	for _, k := range n.kids {
		if k.field == field {
			return k
		}
	}
	return nil
}

// operands are the named children but comments.
func (n *node) operands() []*node {
	var out []*node
	for _, k := range n.kids {
		if k.named && k.class != comment {
			out = append(out, k)
		}
	}
	return out
}

// inner takes parentheses off.
func (n *node) inner() *node {
	for n != nil && n.class == paren {
		o := n.operands()
		if len(o) != 1 {
			break
		}
		n = o[0]
	}
	return n
}

// above is the closest node around with a class, nil none.
func (n *node) above(c class) *node {
	for p := n.parent; p != nil; p = p.parent {
		if p.class == c {
			return p
		}
	}
	return nil
}

// callee is what a call calls: its name where it is a method's.
func (n *node) callee() *node {
	if f := n.get("function"); f != nil {
		return f
	}
	return n.get("name")
}

// arguments are those of a call.
func (n *node) arguments() []*node {
	for _, k := range n.kids {
		if k.class == args {
			return k.operands()
		}
	}
	return nil
}

// memberName is the node that names what a member expression selects.
func (n *node) memberName() *node {
	for _, f := range []string{"attribute", "field", "property", "name"} {
		if k := n.get(f); k != nil {
			return k
		}
	}
	return nil
}

// memberOf is the node that it is selected from.
func (n *node) memberOf() *node {
	for _, f := range []string{"object", "operand", "value", "argument"} {
		if k := n.get(f); k != nil {
			return k
		}
	}
	return nil
}

// condition is that of an if or a loop, without its parentheses; nil none.
func (n *node) condition() *node {
	if c := n.get("condition"); c != nil {
		return c.inner()
	}
	for _, k := range n.kids { // Go's for clause, and a for with a condition alone
		if k.kind == "for_clause" {
			return k.get("condition")
		}
	}
	if n.kind == "for_statement" {
		if o := n.operands(); len(o) == 2 && o[1].class == block && o[0].kind != "range_clause" {
			return o[0].inner()
		}
	}
	return nil
}

// isStatement reports whether a node is a statement of a block.
func (n *node) isStatement() bool {
	if n.field == "value" || n.kind == "switch_label" { // of a case
		return false
	}
	return n.parent != nil && n.named && n.class != comment && (n.parent.class == block || n.parent.parent == nil)
}

// statement is the statement of a block that a node belongs to, nil at the top.
func (n *node) statement() *node {
	for p := n; p != nil; p = p.parent {
		if p.isStatement() {
			return p
		}
	}
	return nil
}

// isExpression reports whether a node is an expression that has a value of its own.
func (n *node) isExpression() bool {
	switch n.class {
	case binary, unary, call, member, index, slice, ident, integer, float, str, boolean, null, list, tuple, paren, ternary, wait:
		return true
	}
	return false
}
