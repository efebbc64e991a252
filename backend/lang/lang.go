// Package lang is what we know of each programming language, as one table: extensions, grammar, symbol queries, test
// runner, dependency caches.
//
// A language is one file with one row, so that adding one changes a new file and the list in All. What a row cannot say
// in data it says as a tree-sitter query with fixed capture names (see Language.Query); the one reader of these captures
// is Parser, and the golden symbols in testdata/lang hold every row to it.
package lang

import (
	"bytes"
	"path"
	"strings"
	"sync"

	sitter "github.com/smacker/go-tree-sitter"
)

// Language is one row of the table.
type Language struct {
	Name       string   // lower case: python, go, javascript, typescript, tsx, java, rust, c, cpp, ruby, php, csharp
	Extensions []string // with the dot, lower case
	Data       bool     // a format of documents or settings, not of programs
	Filenames  []string // whole base names without a telling extension: Rakefile
	Grammar    func() *sitter.Language

	// Query is a tree-sitter query that finds the definitions of a file. Its captures:
	//
	//	@definition.KIND  the whole definition; where two matches share a @name the larger one counts, so a pattern for
	//	                  the decorated or exported form widens the plain one. KIND: function, method, class, interface,
	//	                  type, module; constant for each name of a constant or variable at the top of a file or of a
	//	                  class, see constant.go; field for a name that a class has without a definition; section for a part of a document, of settings or of a page
	//	@name             its name; "a::b" and "a.b" become qualifier and name
	//	@body             where the signature ends
	//	@doc              a documentation string inside the body
	//	@receiver         the type that a method outside its class belongs to
	//	@scope            with @name: names what is inside without being a definition (Rust's impl)
	//	@comment          any comment; one that ends on the line before a definition is its documentation
	//	@attribute        an attribute or decorator that stands beside the definition and belongs to it
	//	@id               the name of an attribute; only "id" counts
	//	@test             the callee of a call that defines a test (it, describe); only the names in TestCalls count
	//	@string           a string; names in it do not count, except in
	//	@code             code inside a string
	//	@import           a statement that imports names
	Query     string
	TestCalls []string

	opening string // what a part of a file needs before it to be read alone

	native func(src []byte) (found, bool) // finds the same without the grammar, much faster; false: the grammar has to

	TestFile func(path string) bool // path is slash-separated and relative to the repository
	Runners  []Runner
	Deps     []string  // folders of the repository that hold dependencies and that git ignores: node_modules, .venv; never build output
	Installs []Install // ways to install what a lockfile names, the first that fits a folder counts
	Caches   []Cache   // folders of the home with dependencies that tests read
}

// Install is one way to install what a lockfile names, for a step that may use the network when the person says so.
// Nothing of it comes from the repository but the contents of its files.
type Install struct {
	Name     string     // pip, uv, npm, …
	Locks    []string   // files of a folder of which one at least must be there; all that are count for the cache
	With     []string   // files that must be there too; nil none
	Tool     string     // the tool whose version the folder may ask for: python, node, go, ruby, rust, java, php
	Programs []string   // what else has to be found: uv, pnpm; nil none
	Commands [][]string // run one after the other in the folder; "{-r}" becomes "-r LOCK" for each lockfile
	Env      map[string]string
	Hosts    []string // the public registries that it reaches by default
	Keep     []string // folders that it makes, shown to tests at the same place: node_modules
	Cache    *Cache   // or a cache of its own that it fills at /out/keep/cache; Target and Env say how tests see it
}

// Cache is a folder with dependencies that lies outside the repository and is shown to its tests read-only. Path names the
// dependencies alone: what a tool keeps beside them (~/.m2/settings.xml, ~/.cargo/credentials.toml, ~/.gem/credentials)
// may hold passwords.
type Cache struct {
	Path   string            // on the host, "~" for the home: ~/.cargo/registry
	Moved  string            // the same where a variable moves it: $CARGO_HOME/registry; "" none does
	Target string            // where the sandbox sees it, "" at the host's own path
	Env    map[string]string // what tells the tool so; "$" in a value is the place in the sandbox
}

// Runner is one way to run tests of a language; testrun has the reader of its output.
type Runner struct {
	Name    string   // pytest, unittest, go, node, …
	Markers []string // files of a folder that say this runner is used
}

// All lists the languages. ByPath takes the first row that fits.
func All() []Language {
	return []Language{
		python(), golang(), javascript(), typescript(), tsx(), java(), rust(), c(), cpp(), ruby(), php(), csharp(),
		kotlin(), swift(), scala(), bash(), lua(), sql(), html(), css(), dockerfile(), markdown(), yaml(), toml(),
	}
}

// noTests is for languages that no tests are written in.
func noTests(string) bool { return false }

// ByPath finds the programming language of a file by its name; that of documents and settings is no programming language.
func ByPath(name string) (Language, bool) {
	if l, ok := byPath(name); ok && !l.Data {
		return l, true
	}
	return Language{}, false
}

// rows are the languages by extension and by file name, each the first row that has it. They are made once and only read:
// every file of a repository is looked up several times.
var rows = sync.OnceValue(func() (t struct {
	all             []Language
	extension, file map[string]int
}) {
	t.all, t.extension, t.file = All(), map[string]int{}, map[string]int{}
	for i := len(t.all) - 1; i >= 0; i-- {
		for _, e := range t.all[i].Extensions {
			t.extension[e] = i
		}
		for _, f := range t.all[i].Filenames {
			t.file[strings.ToLower(f)] = i
		}
	}
	return t
})

func byPath(name string) (Language, bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	t := rows()
	i, byExtension := t.extension[path.Ext(base)]
	j, byName := t.file[base]
	switch {
	case !byExtension && !byName:
		return Language{}, false
	case !byExtension || byName && j < i:
		i = j
	}
	return t.all[i], true
}

// ByName finds a language by its name.
func ByName(name string) (Language, bool) {
	for _, l := range All() {
		if l.Name == name {
			return l, true
		}
	}
	return Language{}, false
}

// Detect finds the language of a file, documents and settings too, by its name and its text: a .h file that is obviously C++ is C++, and a script without an extension is known
// by its #! line.
func Detect(name string, src []byte) (Language, bool) {
	l, ok := byPath(name)
	if !ok && path.Ext(name) == "" {
		return byShebang(src)
	}
	if ok && l.Name == "c" && strings.EqualFold(path.Ext(name), ".h") && looksLikeCpp(src) {
		return cpp(), true
	}
	return l, ok
}

func byShebang(src []byte) (Language, bool) {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return Language{}, false
	}
	for _, w := range strings.Fields(string(line[2:])) {
		switch base := path.Base(w); {
		case strings.HasPrefix(base, "python"):
			return python(), true
		case base == "node":
			return javascript(), true
		case base == "ruby":
			return ruby(), true
		case base == "php":
			return php(), true
		case base == "sh", base == "bash", base == "dash":
			return bash(), true
		case strings.HasPrefix(base, "lua"):
			return lua(), true
		}
	}
	return Language{}, false
}

// looksLikeCpp looks for what no C header has at the start of a line.
func looksLikeCpp(src []byte) bool {
	for len(src) > 0 {
		var line []byte
		line, src, _ = bytes.Cut(src, []byte("\n"))
		s := strings.TrimSpace(string(line))
		for _, p := range []string{"class ", "namespace ", "template<", "template <", "public:", "private:", "protected:", "using "} {
			if strings.HasPrefix(s, p) {
				return true
			}
		}
		if strings.HasPrefix(s, "#include <") && strings.HasSuffix(s, ">") && !strings.Contains(s, ".h") && !strings.Contains(s, "/") {
			return true // #include <vector>
		}
	}
	return false
}

// inTestDir reports whether one of the path's folders has one of the names.
func inTestDir(name string, dirs ...string) bool {
	parts := strings.Split(name, "/")
	for _, p := range parts[:len(parts)-1] {
		for _, d := range dirs {
			if p == d {
				return true
			}
		}
	}
	return false
}

// stem is the base name without its extension.
func stem(name string) string {
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base))
}
