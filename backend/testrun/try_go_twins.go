package testrun

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// twin is a changed function beside its original, or another first value of a variable.
type twin struct {
	trial    int
	variable bool
	imports  []string // what it needs beside the file's own, as import specs
	name     string   // of the original
	method   bool
	text     string // of the declaration, under its new name
	call     string // what calls it, with the original's parameters
	results  bool
	decl     int // of the file
	from, to int // lines in the file that was written
}

// schema is one Go file with the twins of its functions.
type schema struct {
	path, source, pkg string
	file              *ast.File
	set               *token.FileSet
	decls             []ast.Decl // but imports
	twins             []*twin
	notes             bool // functions with twins tell with what they are called
}

func newSchema(p, source string) *schema {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, p, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil
	}
	return &schema{path: p, source: source, pkg: file.Name.Name, file: file, set: set, decls: afterImports(file)}
}

// afterImports are the declarations of a file behind its imports.
func afterImports(file *ast.File) []ast.Decl {
	i := 0
	for i < len(file.Decls) {
		if g, ok := file.Decls[i].(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			break
		}
		i++
	}
	return file.Decls[i:]
}

// head is where the package's name and the imports of a file end.
func head(set *token.FileSet, file *ast.File) int {
	at := set.Position(file.Name.End()).Offset
	if n := len(file.Decls) - len(afterImports(file)); n > 0 {
		at = set.Position(file.Decls[n-1].End()).Offset
	}
	return at
}

// add takes a changed text in; why says why it cannot be: "" it is in, "syntax", or "outside" where something differs that
// is no function's body, no import and no first value of a variable.
func (s *schema) add(trial int, text string) (why string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, s.path, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return "syntax"
	}
	decls := afterImports(file)
	if len(decls) != len(s.decls) {
		return "outside"
	}
	at, was := head(set, file), head(s.set, s.file) // text in front of the next declaration must be the same
	var twins []*twin
	for i, d := range decls {
		old := s.decls[i]
		a, b := set.Position(d.Pos()).Offset, set.Position(d.End()).Offset
		oa, ob := s.set.Position(old.Pos()).Offset, s.set.Position(old.End()).Offset
		if strings.TrimSpace(text[at:a]) != strings.TrimSpace(s.source[was:oa]) {
			return "outside"
		}
		at, was = b, ob
		if text[a:b] == s.source[oa:ob] {
			continue
		}
		var made []*twin
		switch d := d.(type) {
		case *ast.FuncDecl:
			made = s.function(d, old, text[a:b], a, set)
		case *ast.GenDecl:
			made = s.values(d, old, text, set)
		}
		if len(made) == 0 {
			return "outside"
		}
		for _, t := range made {
			t.trial, t.decl = trial, i
			if !t.variable {
				t.number()
			}
		}
		twins = append(twins, made...)
	}
	if len(twins) == 0 || text[at:] != s.source[was:] {
		return "outside"
	}
	for _, spec := range file.Imports {
		if full := specOf(spec); !slices.ContainsFunc(s.file.Imports, func(o *ast.ImportSpec) bool { return specOf(o) == full }) {
			if name := path.Base(strings.Trim(spec.Path.Value, `"`)) + "."; !strings.Contains(twins[0].text, name) {
				return "outside" // the compiler would refuse all for it
			}
			twins[0].imports = append(twins[0].imports, full)
		}
	}
	s.twins = append(s.twins, twins...)
	return ""
}

// specOf is an import as it is written.
func specOf(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name + " " + spec.Path.Value
	}
	return spec.Path.Value
}

// function is the twin of a function whose body differs, nil where more than that does.
func (s *schema) function(f *ast.FuncDecl, old ast.Decl, text string, from int, set *token.FileSet) []*twin {
	of, ok := old.(*ast.FuncDecl)
	if !ok || f.Body == nil || of.Body == nil || f.Name.Name != of.Name.Name || f.Name.Name == "init" || f.Name.Name == "main" {
		return nil
	}
	head := text[:set.Position(f.Body.Lbrace).Offset-from]
	if head != s.source[s.set.Position(of.Pos()).Offset:s.set.Position(of.Body.Lbrace).Offset] {
		return nil
	}
	call, ok := callOf(f, f.Name.Name+nameMark)
	if !ok {
		return nil
	}
	n := set.Position(f.Name.Pos()).Offset - from
	return []*twin{{name: f.Name.Name, method: f.Recv != nil, results: f.Type.Results != nil && len(f.Type.Results.List) > 0, call: call,
		text: text[:n] + f.Name.Name + nameMark + text[n+len(f.Name.Name):]}}
}

// nameMark stands in a twin's text where its trial's number goes.
const nameMark = "_redgreen\x00"

// number puts the trial's number into the text.
func (t *twin) number() {
	own := fmt.Sprintf("_redgreen%d", t.trial)
	t.text, t.call = strings.Replace(t.text, nameMark, own, 1), strings.Replace(t.call, nameMark, own, 1)
}

// values are the variables of a declaration whose first values differ, nil where more than that does. They are set before the
// tests begin, so that what is worked out from them at the start of the program keeps the first value.
func (s *schema) values(d *ast.GenDecl, old ast.Decl, text string, set *token.FileSet) []*twin {
	of, ok := old.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR || of.Tok != token.VAR || len(d.Specs) != len(of.Specs) {
		return nil
	}
	was := func(n ast.Node) string {
		return s.source[s.set.Position(n.Pos()).Offset:s.set.Position(n.End()).Offset]
	}
	now := func(n ast.Node) string { return text[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset] }
	var out []*twin
	for i, spec := range d.Specs {
		a, okA := spec.(*ast.ValueSpec)
		b, okB := of.Specs[i].(*ast.ValueSpec)
		if !okA || !okB {
			return nil
		}
		if now(a) == was(b) {
			continue
		}
		if len(a.Names) != 1 || len(b.Names) != 1 || len(a.Values) != 1 || len(b.Values) != 1 || a.Names[0].Name != b.Names[0].Name || a.Names[0].Name == "_" ||
			(a.Type == nil) != (b.Type == nil) || a.Type != nil && now(a.Type) != was(b.Type) {
			return nil
		}
		out = append(out, &twin{variable: true, name: a.Names[0].Name, text: a.Names[0].Name + " = " + now(a.Values[0])})
	}
	return out
}

// callOf is the call of a twin with the parameters of its original; false where one has no name.
func callOf(f *ast.FuncDecl, name string) (string, bool) {
	var args []string
	for _, p := range f.Type.Params.List {
		if len(p.Names) == 0 {
			return "", false
		}
		for _, n := range p.Names {
			if n.Name == "_" {
				return "", false
			}
			arg := n.Name
			if _, variadic := p.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	if f.Recv != nil {
		if len(f.Recv.List) != 1 || len(f.Recv.List[0].Names) != 1 || f.Recv.List[0].Names[0].Name == "_" {
			return "", false
		}
		name = f.Recv.List[0].Names[0].Name + "." + name
	} else if f.Type.TypeParams != nil {
		var types []string
		for _, p := range f.Type.TypeParams.List {
			for _, n := range p.Names {
				types = append(types, n.Name)
			}
		}
		name += "[" + strings.Join(types, ", ") + "]"
	}
	return name + "(" + strings.Join(args, ", ") + ")", true
}

// write gives the file with all twins that are not in without, and sets their lines.
func (s *schema) write(without map[int]bool) string {
	var b strings.Builder
	at := head(s.set, s.file)
	b.WriteString(s.source[:at])
	for _, spec := range s.imports(without) {
		b.WriteString("; import " + spec)
	}
	for i, d := range s.decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		var cases strings.Builder
		for _, t := range s.twins {
			if t.decl == i && !without[t.trial] {
				if t.results {
					fmt.Fprintf(&cases, "case %d: return %s; ", t.trial+1, t.call)
				} else {
					fmt.Fprintf(&cases, "case %d: %s; return; ", t.trial+1, t.call)
				}
			}
		}
		if cases.Len() > 0 {
			to := s.set.Position(f.Body.Lbrace).Offset + 1
			b.WriteString(s.source[at:to])
			if s.notes {
				b.WriteString(" " + s.note(f) + ";")
			}
			b.WriteString(" switch redgreenTrial { " + cases.String() + "}; ")
			at = to
		}
	}
	b.WriteString(s.source[at:] + "\n")
	line := strings.Count(b.String(), "\n") + 1
	for _, t := range s.twins {
		if without[t.trial] {
			continue
		}
		text := t.text
		if t.variable {
			text = fmt.Sprintf("func init() { if redgreenTrial == %d { %s } }", t.trial+1, t.text)
		}
		t.from, t.to = line, line+strings.Count(text, "\n")
		b.WriteString(text + "\n")
		line = t.to + 1
	}
	return b.String()
}

// imports are what the twins need beside the file's own.
func (s *schema) imports(without map[int]bool) []string {
	var out []string
	for _, t := range s.twins {
		if !without[t.trial] {
			out = append(out, t.imports...)
		}
	}
	return unique(out)
}

// trialFile is what a package with twins asks.
func trialFile(pkg string) string {
	return "package " + pkg + `

import (
	redgreenOS "os"
	redgreenDebug "runtime/debug"
)

var redgreenTrial = func() int {
	redgreenDebug.SetMaxStack(64 << 20)
	n := 0
	for _, c := range redgreenOS.Getenv("REDGREEN_TRIAL") {
		n = n*10 + int(c-'0')
	}
	return n
}()
`
}
