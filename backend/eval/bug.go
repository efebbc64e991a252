package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"redgreen/backend/patch"
)

// Bug is one bug with a known fix: a tree, one hunk that breaks it, the tests that see it, and further tests that the
// engine never sees. It is stored as one txtar file: lines "key: value", then sections.
//
//	good, bad      whole lines that stand once in the right file, and what the bug puts in their place
//	plausible      what makes the red tests green in place of bad and is wrong nevertheless; may be missing
//	tree/PATH      a file of the tree, over what the source brings; the right text
//	hidden/PATH    a test file for the judge
type Bug struct {
	Name     string // of the file
	Part     string // of the folder: tuning; heldback, kept from the engine's makers; oneline, small classic algorithms, kept too
	Language string // python, go, javascript, java
	Kind     string // boundary, guard, …
	Source   string // own; sample NAME; go MODULE@VERSION; npm NAME@VERSION; deb PACKAGE; debsrc PACKAGE
	Licence  string // of the source
	Keep     []string
	File     string
	Red      []string // the tests that are red on the base, sorted
	Task     string   // what the person says
	Good     string
	Bad      string
	Wrong    string // the section plausible
	Tree     map[string]string
	Hidden   map[string]string

	line int // where the bug begins in the laid tree
}

// ReadBugs reads the bugs of one part, by name.
func ReadBugs(dir fs.FS, part string) ([]Bug, error) {
	names, err := fs.Glob(dir, path.Join(part, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var all []Bug
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		b, err := parseBug(data)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		b.Name, b.Part = strings.TrimSuffix(path.Base(name), ".txtar"), part
		all = append(all, b)
	}
	return all, nil
}

func parseBug(data []byte) (Bug, error) {
	b := Bug{Tree: map[string]string{}, Hidden: map[string]string{}}
	a := txtar.Parse(data)
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		if err := b.set(key, value); err != nil {
			return b, err
		}
	}
	for _, f := range a.Files {
		text := string(f.Data)
		tree, isTree := strings.CutPrefix(f.Name, "tree/")
		hidden, isHidden := strings.CutPrefix(f.Name, "hidden/")
		switch {
		case f.Name == "good":
			b.Good = text
		case f.Name == "bad":
			b.Bad = text
		case f.Name == "plausible":
			b.Wrong = text
		case isTree && fs.ValidPath(tree):
			b.Tree[tree] = text
		case isHidden && fs.ValidPath(hidden):
			b.Hidden[hidden] = text
		default:
			return b, fmt.Errorf("no section is called %q", f.Name)
		}
	}
	return b, b.whole()
}

func (b *Bug) set(key, value string) error {
	switch key {
	case "language":
		b.Language = value
	case "kind":
		b.Kind = value
	case "source":
		b.Source = value
	case "licence":
		b.Licence = value
	case "keep":
		b.Keep = strings.Fields(value)
	case "file":
		b.File = value
	case "red":
		b.Red = append(b.Red, value)
		slices.Sort(b.Red)
	case "task":
		b.Task = value
	default:
		return fmt.Errorf("no field is called %q", key)
	}
	return nil
}

// whole says what a bug lacks.
func (b Bug) whole() error {
	var errs []error
	for key, value := range map[string]string{"language": b.Language, "kind": b.Kind, "source": b.Source, "licence": b.Licence, "file": b.File, "task": b.Task, "good": b.Good, "bad": b.Bad} {
		if value == "" {
			errs = append(errs, fmt.Errorf("it lacks %s", key))
		}
	}
	if len(b.Hidden) == 0 {
		errs = append(errs, errors.New("it lacks hidden tests"))
	}
	if b.Good == b.Bad {
		errs = append(errs, errors.New("good and bad are the same"))
	}
	return errors.Join(errs...)
}

// fix is the right fix as an edit of the base.
func (b Bug) fix() patch.Edit { return patch.Replace(b.File, b.Bad, b.Good) }

// command is how the tests of a bug are run.
func (b Bug) command() []string {
	switch b.Language {
	case "python":
		return []string{"python3", "-m", "pytest"}
	case "go":
		return []string{"go", "test", "./..."}
	case "java":
		return []string{"java", "-XX:TieredStopAtLevel=1", "-cp", javaClasses, javaRunner}
	}
	return []string{"node", "--test"}
}

// javaClasses is where Debian has JUnit 4.
const javaClasses = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar"

// javaRunner compiles the tree and runs its JUnit tests in one process: a build tool starts ten times as slowly. It stands
// beside the parts, and is put into each tree.
const javaRunner = "RunTests.java"
