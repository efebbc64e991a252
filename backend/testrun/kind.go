package testrun

import (
	"path"
	"slices"
	"strings"
)

// Kind is one test runner. The fields are its whole behaviour; a new runner is a new row of Kinds.
type Kind struct {
	Name     string // as in Command.Runner and lang.Runner
	Language string // row of lang that has its dependency folders; "" none

	// find gives the command for one folder of the tree, or false when the runner is not used there.
	find func(f folder) (Command, bool)
	// matches tells whether a person's own argument list starts this runner.
	matches func(args []string) bool
	// start fills in how to run the command; paths are valid and relative to the root.
	start func(j *job) error
	// read turns what the run left into results.
	read func(o output) reading
	// check says why one path or id cannot be passed to this runner; nil where it takes none.
	check func(f folder, p string) error
	// keep tells whether a result belongs to one selected path or id; nil where start selects exactly.
	keep func(selected, id string) bool
}

// Kinds lists the runners, the most telling first: of two that fit a folder the first comes first.
func Kinds() []Kind {
	return []Kind{
		pytestKind(), unittestKind(), goKind(), vitestKind(), jestKind(), mochaKind(), nodeKind(),
		cargoKind(), mavenKind(), gradleKind(), rspecKind(), minitestKind(), phpunitKind(), ctestKind(), dotnetKind(), proveKind(), customKind(),
	}
}

// kindOf finds the row of a command; a runner that is not listed is read by its exit status alone.
func kindOf(name string) Kind {
	kinds := Kinds()
	if i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return kinds[i]
	}
	return customKind()
}

// output is what a finished run left behind.
type output struct {
	dir      string // of the command, relative to the root
	exit     int
	stopped  bool // by a limit: what is there is only the beginning
	stdout   []byte
	stderr   []byte
	report   []byte // the report file, nil when none was written
	tampered bool   // something other than the runner wrote into the report
	cut      bool   // the report could not be written whole
	xml      [][]byte
	trx      [][]byte
	tap      map[string][]byte // by test file, relative to the command's folder
	selected []string
	tree     folder // of the command
	module   string // of the go.mod, for runners that name packages by import path
}

// reading is what a reader understood.
type reading struct {
	tests    []Test
	perTest  bool
	finished bool   // the runner itself came to its end and said so
	trouble  string // why there is no verdict, "" none
	empty    bool   // with trouble: the runner works and there is no test to run
	log      []byte // the log for people where stdout is not one
}

// under puts a path of the command's folder in terms of the root.
func (o output) under(p string) string { return join(o.dir, p) }

// join is path.Join that keeps "" for nothing and leaves ids with odd characters alone.
func join(dir, p string) string {
	switch {
	case dir == "" || dir == ".":
		return p
	case p == "" || p == ".":
		return dir
	default:
		return path.Clean(dir) + "/" + p
	}
}

// own takes the command's folder off a path or id. The ids of tests in the root package of a Go module join it with a
// dot: svc.TestTotal.
func (c Command) own(p string) (string, bool) {
	inner, ok := within(c.Dir, p)
	switch {
	case (c.Runner == "maven" || c.Runner == "gradle") && !ok && !isJavaPath(p):
		return p, true // a class, which names no folder
	case ok || c.Runner != "go":
		return inner, ok
	}
	inner, ok = strings.CutPrefix(p, c.Dir+".")
	if _, _, isID := splitGoID(inner); !ok || !isID {
		return p, false
	}
	return inner, true
}

// within takes the command's folder off a path or id; false when it lies elsewhere.
func within(dir, p string) (string, bool) {
	if dir == "" || dir == "." {
		return p, true
	}
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, path.Clean(dir)+"/")
}
