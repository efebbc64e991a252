package repair

import (
	"errors"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"path"
	"strings"
)

// Half of the edits of Go code are refused by its compiler, and each would take the place of one that can be tried. What can be
// seen without the packages that the code imports is looked at first: the changed function beside the heads of all others.

// compiler checks the candidates of some files of Go.
type compiler struct {
	set    *gotoken.FileSet
	beside map[string][]*ast.File     // file → the others of its folder, without the bodies of functions
	known  map[string]map[string]bool // of a function as it is, what is wrong with it, since not all of the package is known
}

func newCompiler() *compiler {
	return &compiler{set: gotoken.NewFileSet(), beside: map[string][]*ast.File{}, known: map[string]map[string]bool{}}
}

// takes reports whether nothing speaks against a candidate; true where it is not known.
func (k *compiler) takes(c *candidate, files []*source) bool {
	s := c.src
	if s.row.name != "go" || len(c.more) > 0 || len(c.edits) == 0 || s.broken {
		return true
	}
	text, function := s.changedAlone(c.edits)
	found, ok := k.check(s, text, files)
	if !ok {
		return false
	}
	if len(found) == 0 {
		return true
	}
	id := s.path + "\x00" + function
	if k.known[id] == nil {
		was, _ := s.unchangedAlone(c.edits)
		k.known[id], _ = k.check(s, was, files)
	}
	for e := range found {
		if !k.known[id][e] {
			return false
		}
	}
	return true
}

// changedAlone is a file with some edits made and no body but those of the functions that they touch, and which those are.
func (s *source) changedAlone(edits []edit) (text, functions string) { return s.bodiless(edits, true) }

// unchangedAlone is the same without the edits.
func (s *source) unchangedAlone(edits []edit) (text, functions string) {
	return s.bodiless(edits, false)
}

func (s *source) bodiless(edits []edit, made bool) (text, functions string) {
	var b, names strings.Builder
	at := 0
	for _, d := range s.root.kids {
		body := d.get("body")
		if d.class != function || body == nil {
			continue
		}
		touched := false
		for _, e := range edits {
			touched = touched || d.start <= e.end && e.start <= d.end
		}
		if touched {
			names.WriteString(s.text[d.start:body.start] + "\x00")
			continue
		}
		b.WriteString(s.part(at, body.start, edits, made) + "{ panic(0) }")
		at = body.end
	}
	b.WriteString(s.part(at, len(s.text), edits, made))
	return b.String(), names.String()
}

// part is the text from one byte to another, with the edits that lie in it where they are to be made.
func (s *source) part(from, to int, edits []edit, made bool) string {
	if !made {
		return s.text[from:to]
	}
	var own []edit
	for _, e := range edits {
		if from <= e.start && e.end <= to {
			own = append(own, e)
		}
	}
	return splice(s.text, from, to, own)
}

var errNotRead = errors.New("not read")

// nowhere imports nothing: what comes from other packages is taken for right.
type nowhere struct{}

func (nowhere) Import(p string) (*types.Package, error) {
	if p == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, errNotRead
}

// check gives what is wrong with a file beside the others of its folder; false where it cannot be read at all.
func (k *compiler) check(s *source, text string, files []*source) (map[string]bool, bool) {
	file, err := parser.ParseFile(k.set, s.path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	found := map[string]bool{}
	conf := types.Config{Importer: nowhere{}, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && !strings.Contains(e.Msg, "imported and not used") && !strings.Contains(e.Msg, errNotRead.Error()) {
			found[e.Msg] = true
		}
	}}
	all := []*ast.File{file}
	for _, o := range k.others(s, files) {
		if o.Name.Name == file.Name.Name {
			all = append(all, o)
		}
	}
	_, _ = conf.Check(file.Name.Name, k.set, all, nil)
	return found, true
}

// others are the further files of a source's folder.
func (k *compiler) others(s *source, files []*source) []*ast.File {
	if all, ok := k.beside[s.path]; ok {
		return all
	}
	var all []*ast.File
	for _, o := range files {
		if o == s || o.row != s.row && o.row.name != "go" || path.Dir(o.path) != path.Dir(s.path) {
			continue
		}
		text, _ := o.bodiless(nil, false)
		if f, err := parser.ParseFile(k.set, o.path, text, parser.SkipObjectResolution); err == nil {
			all = append(all, f)
		}
	}
	k.beside[s.path] = all
	return all
}
