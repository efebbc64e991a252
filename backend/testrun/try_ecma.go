package testrun

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"redgreen/backend/lang"
)

// How candidates in JavaScript and TypeScript do beside their tests. Their files are given marks, on the lines that they
// have: each function of a file's top, each method of its classes and of the objects of functions that it declares, is
// handed to the driver (reporters/try_calls.mjs), which puts a proxy in its place. What stands within a function that is called at
// once, as in files that load everywhere, counts as the top.

// unit is one function or method that has a mark; without one, another value of the top, or the constructor or a field of a class,
// which shows where a function names it.
type unit struct {
	name, text string
	named      string // of one without a mark, the name
}

// marks puts them into one file.
type marks struct {
	path, text string
	puts       []put
	units      []unit
}

type put struct {
	at   int
	text string
}

// maxMarked bounds what is parsed, in bytes.
const maxMarked = 1 << 20

// withMarks gives a file with its marks, and its units. false where it cannot be read.
func withMarks(p, text string) (out string, units []unit, ok bool) {
	l, found := lang.ByPath(p)
	if !found || l.Name != "javascript" && l.Name != "typescript" && l.Name != "tsx" || len(text) > maxMarked {
		return "", nil, false
	}
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(l.Grammar())
	parser.SetOperationLimit(2_000_000)
	tree := parser.Parse(nil, []byte(text))
	if tree == nil {
		return "", nil, false
	}
	defer tree.Close()
	if tree.RootNode().HasError() {
		return "", nil, false
	}
	m := &marks{path: p, text: text}
	m.scope(tree.RootNode())
	slices.SortStableFunc(m.puts, func(a, b put) int { return a.at - b.at })
	var b strings.Builder
	at := 0
	for _, one := range m.puts {
		b.WriteString(text[at:one.at] + one.text)
		at = one.at
	}
	b.WriteString(text[at:])
	return b.String(), m.units, true
}

func (m *marks) of(n *sitter.Node) string { return m.text[n.StartByte():n.EndByte()] }

// call is the mark of a value.
func (m *marks) call(name, value string) string {
	file, _ := json.Marshal(m.path)
	named, _ := json.Marshal(name)
	return fmt.Sprintf("globalThis.__redgreen(%s,%s,%s", file, named, value)
}

func (m *marks) unit(name string, n *sitter.Node) {
	m.units = append(m.units, unit{name: m.path + ":" + name, text: m.of(n)})
}

// unseen is a unit without a mark.
func (m *marks) unseen(name string, n *sitter.Node) {
	m.units = append(m.units, unit{name: m.path + "=" + name, text: m.of(n), named: name})
}

// scope marks what a list of statements declares.
func (m *marks) scope(list *sitter.Node) {
	first, directives := -1, true
	var hoisted strings.Builder
	for i := range int(list.NamedChildCount()) {
		n := list.NamedChild(i)
		if k := n.Type(); k == "comment" || k == "hash_bang_line" || directives && k == "expression_statement" && n.NamedChildCount() == 1 && n.NamedChild(0).Type() == "string" {
			continue
		}
		if directives {
			first, directives = int(n.StartByte()), false
		}
		declared := n
		if n.Type() == "export_statement" {
			if value := n.ChildByFieldName("value"); value != nil {
				m.value("default", value)
				continue
			}
			if declared = n.ChildByFieldName("declaration"); declared == nil {
				continue
			}
		}
		switch declared.Type() {
		case "function_declaration", "generator_function_declaration":
			if name := declared.ChildByFieldName("name"); name != nil {
				id := m.of(name)
				m.unit(id, declared)
				hoisted.WriteString(id + "=" + m.call(id, id) + ");")
			}
		case "class_declaration", "abstract_class_declaration":
			if name := declared.ChildByFieldName("name"); name != nil {
				id := m.of(name)
				m.class(id, declared)
				m.puts = append(m.puts, put{int(n.EndByte()), ";" + m.call(id, id) + ");"})
			}
		case "lexical_declaration", "variable_declaration":
			for k := range int(declared.NamedChildCount()) {
				d := declared.NamedChild(k)
				if name, value := d.ChildByFieldName("name"), d.ChildByFieldName("value"); name != nil && value != nil && name.Type() == "identifier" {
					m.value(m.of(name), value)
				}
			}
		case "expression_statement":
			m.expression(declared.NamedChild(0))
		}
	}
	if hoisted.Len() > 0 {
		m.puts = append(m.puts, put{first, ";" + hoisted.String()})
	}
}

var lastName = regexp.MustCompile(`(?:^|([\w$]+)\.prototype\.|\.)([\w$]+)$`)

// expression marks what a statement assigns, and the inside of a function that it calls at once.
func (m *marks) expression(n *sitter.Node) {
	for n != nil && (n.Type() == "unary_expression" || n.Type() == "parenthesized_expression") {
		n = n.NamedChild(int(n.NamedChildCount()) - 1)
	}
	switch {
	case n == nil:
	case n.Type() == "assignment_expression":
		left, right := n.ChildByFieldName("left"), n.ChildByFieldName("right")
		if f := lastName.FindStringSubmatch(m.of(left)); f != nil && right != nil {
			name := f[2]
			if f[1] != "" {
				name = f[1] + "." + name
			}
			m.value(name, right)
		}
	case n.Type() == "call_expression":
		f, args := n.ChildByFieldName("function"), n.ChildByFieldName("arguments")
		for f != nil && f.Type() == "parenthesized_expression" {
			f = f.NamedChild(0)
		}
		if f == nil || args == nil || !isECMAFunction(f) {
			return
		}
		m.body(f)
		for i := range int(args.NamedChildCount()) {
			if a := args.NamedChild(i); isECMAFunction(a) {
				m.body(a)
			}
		}
	}
}

func (m *marks) body(f *sitter.Node) {
	if b := f.ChildByFieldName("body"); b != nil && b.Type() == "statement_block" {
		m.scope(b)
	}
}

func isECMAFunction(n *sitter.Node) bool {
	return slices.Contains([]string{"function", "function_expression", "arrow_function", "generator_function"}, n.Type())
}

// value marks a value that is a function, a class, or an object that has functions.
func (m *marks) value(name string, n *sitter.Node) {
	for n.Type() == "parenthesized_expression" && n.NamedChildCount() == 1 {
		n = n.NamedChild(0)
	}
	switch {
	case isECMAFunction(n):
		m.unit(name, n)
	case n.Type() == "class":
		m.class(name, n)
	case n.Type() == "object":
		for i := range int(n.NamedChildCount()) {
			p := n.NamedChild(i)
			switch p.Type() {
			case "method_definition":
				if key := p.ChildByFieldName("name"); key != nil {
					m.unit(name+"."+m.of(key), p)
				}
			case "pair":
				if key, value := p.ChildByFieldName("key"), p.ChildByFieldName("value"); key != nil && value != nil && isECMAFunction(value) {
					m.unit(name+"."+m.of(key), value)
				}
			}
		}
	default:
		m.unseen(name, n)
		return
	}
	m.puts = append(m.puts, put{int(n.StartByte()), m.call(name, "")}, put{int(n.EndByte()), ")"})
}

// class has the methods of a class as units.
func (m *marks) class(name string, n *sitter.Node) {
	body := n.ChildByFieldName("body")
	if body == nil {
		return
	}
	for i := range int(body.NamedChildCount()) {
		p := body.NamedChild(i)
		if key := p.ChildByFieldName("name"); p.Type() == "method_definition" && key != nil && m.of(key) != "constructor" {
			m.unit(name+"."+m.of(key), p)
		} else {
			m.unseen(name, p)
		}
	}
}

// markedChanges are the names of the units with a mark that differ in a candidate's file, or name what does.
func markedChanges(was, now []unit) []string {
	before := map[string][]string{}
	for _, u := range was {
		before[u.name] = append(before[u.name], u.text)
	}
	var out []string
	seen := map[string]int{}
	for _, u := range now {
		n := seen[u.name]
		seen[u.name]++
		if n < len(before[u.name]) && before[u.name][n] == u.text {
			continue
		}
		if u.named == "" {
			out = append(out, u.name)
			continue
		}
		names := regexp.MustCompile(`(^|[^\w$])` + regexp.QuoteMeta(u.named) + `([^\w$]|$)`)
		for _, by := range now {
			if by.named == "" && names.MatchString(by.text) {
				out = append(out, by.name)
			}
		}
	}
	return unique(out)
}

// compareWall is how long the calls may take, in seconds.
const compareWall = 60

// compareNode has what passes called with inputs a little off those of the tests, and says in trials what that tells. Where that
// cannot be done nothing is said.
func (r *Runner) compareNode(ctx context.Context, dir string, c Command, candidates []Candidate, trials []Trial, o TryOptions) error {
	ord := order{Seconds: o.Test.Seconds(), Wall: compareWall, Plain: Candidate{}}
	var good []int
	was := map[string][]unit{}
	for n, t := range trials {
		if !t.Passes() {
			continue
		}
		version := Candidate{}
		changed := []string{}
		for _, p := range paths(candidates[n]) {
			if _, ok := was[p]; !ok {
				text, units, ok := withMarks(p, folder{root: dir}.read(p))
				if !ok {
					return nil
				}
				ord.Plain[p], was[p] = text, units
			}
			text, units, ok := withMarks(p, candidates[n][p])
			if !ok {
				return nil
			}
			version[p] = text
			changed = append(changed, markedChanges(was[p], units)...)
		}
		good = append(good, n)
		ord.Trials, ord.Changed = append(ord.Trials, version), append(ord.Changed, changed)
	}
	if len(good) < 2 {
		return nil
	}
	var beside comparison
	d := &driver{begin: func(j *job, o order) error { return nodeDriver(j, o, "try_compare.mjs") }}
	_, err := r.drive(ctx, dir, c, d, ord, o.Red, o.Green, func(e driven) {
		if e.Event == "fates" && e.N >= 0 && e.N < len(good) {
			e.N = good[e.N]
		}
		beside.take(e, len(trials))
	})
	if err == nil {
		beside.judge(trials)
	}
	return err
}
