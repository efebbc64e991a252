package testrun

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A package that begins its tests itself, in TestMain, is compared as any other where its tests are run by a call of m.Run in
// its own files: that call is replaced by one of ours, which runs them and makes the calls before the package tidies up.

// ownMain is what begins the tests of a package that does not do it itself; runMain is called in the place of m.Run.
const (
	runMain = "func redgreenRun(m *testing.M) int {\n\tcode := m.Run()\n\tredgreenCompare()\n\treturn code\n}\n"
	ownMain = "\nfunc TestMain(m *testing.M) { os.Exit(redgreenRun(m)) }\n"
)

// mains are the test files of a package as they are compared, by name, and the file of ours beside them; false where the package
// begins its tests in a way that is not known.
func mains(tests folder, pkg string) (changed map[string]string, ours string, ok bool) {
	changed = map[string]string{}
	begins := false
	for _, p := range tests.files(maxWalk, goTest) {
		text := tests.read(p)
		if path.Dir(p) != "." || !strings.Contains(text, "testing.M") {
			continue
		}
		begins = begins || strings.Contains(text, "func TestMain(")
		if hooked, in, found := hookRun(text); found && in == pkg {
			changed[p] = hooked
		}
	}
	head := "package " + pkg + "\n\nimport "
	switch {
	case !begins:
		return changed, head + "(\n\t\"os\"\n\t\"testing\"\n)\n\n" + runMain + ownMain, true
	case len(changed) == 0:
		return nil, "", false
	}
	return changed, head + "\"testing\"\n\n" + runMain, true
}

// hookRun replaces the calls of Run of what is given the tests to run, and says of which package the file is.
func hookRun(text string) (hooked, pkg string, found bool) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "x_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		return "", "", false
	}
	var calls []*ast.CallExpr
	ast.Inspect(file, func(n ast.Node) bool {
		switch f := n.(type) {
		case *ast.FuncDecl:
			calls = append(calls, runsIn(f.Type, f.Body)...)
		case *ast.FuncLit:
			calls = append(calls, runsIn(f.Type, f.Body)...)
		}
		return true
	})
	slices.SortFunc(calls, func(a, b *ast.CallExpr) int { return int(b.Pos() - a.Pos()) })
	for _, c := range slices.Compact(calls) {
		name := c.Fun.(*ast.SelectorExpr).X.(*ast.Ident).Name
		text = text[:set.Position(c.Pos()).Offset] + "redgreenRun(" + name + ")" + text[set.Position(c.End()).Offset:]
	}
	return text, file.Name.Name, len(calls) > 0
}

// runsIn are the calls of Run, in a body, of the function's own parameters of type *testing.M.
func runsIn(t *ast.FuncType, body *ast.BlockStmt) []*ast.CallExpr {
	given := map[string]bool{}
	for _, p := range t.Params.List {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		if of, ok := star.X.(*ast.SelectorExpr); ok && of.Sel.Name == "M" {
			for _, name := range p.Names {
				given[name.Name] = true
			}
		}
	}
	var calls []*ast.CallExpr
	if body == nil || len(given) == 0 {
		return nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && len(c.Args) == 0 {
			if f, ok := c.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Run" {
				if x, ok := f.X.(*ast.Ident); ok && given[x.Name] {
					calls = append(calls, c)
				}
			}
		}
		return true
	})
	return calls
}
