package testrun

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// maxSelected bounds a selection: a longer argument list is a mistake, and the whole suite is the better choice.
const maxSelected = 200

// Validate checks that each path is inside the tree and is a test, folder or id of this runner; the error names what is
// not and lists what is. What passes can stand on the runner's command line: it never begins with "-".
func Validate(dir string, c Command, paths []string) error {
	if len(c.Parts) > 0 {
		return checkParts(dir, c, paths)
	}
	if len(c.Args) == 0 {
		return errors.New("checking the test command: it is empty")
	}
	if c.Dir != "" && !filepath.IsLocal(filepath.FromSlash(c.Dir)) {
		return fmt.Errorf("checking the test command: its folder %q lies outside the tree", c.Dir)
	}
	if len(paths) == 0 {
		return nil
	}
	kind := kindOf(c.Runner)
	if kind.check == nil {
		return fmt.Errorf("the command %q takes no paths: run it whole", strings.Join(c.Args, " "))
	}
	if len(paths) > maxSelected {
		return fmt.Errorf("%d tests were selected, at most %d can be: run the whole suite", len(paths), maxSelected)
	}
	root := folder{root: dir}
	f := root.sub(c.Dir)
	for _, p := range paths {
		if err := plain(p); err != nil {
			return err
		}
		inner, ok := c.own(p)
		if !ok && c.Runner != "unittest" {
			return fmt.Errorf("%s is not in %s/, where %s runs", p, c.Dir, strings.Join(c.Args, " "))
		}
		if !ok {
			inner = p
		}
		if err := plain(inner); inner != "" && err != nil { // behind the command's folder a name may begin anew
			return err
		}
		if err := kind.check(f, inner); err != nil {
			return fmt.Errorf("%s is no test of %s: %w", p, c.Runner, err)
		}
	}
	return nil
}

// plain refuses what could be taken for an option or hide something.
func plain(p string) error {
	switch {
	case strings.TrimSpace(p) == "":
		return errors.New("a test path is empty")
	case len(p) > maxID:
		return fmt.Errorf("the test path %q is longer than %d bytes", shorten(p, 60), maxID)
	case strings.HasPrefix(p, "-") || strings.HasPrefix(p, "@"):
		return fmt.Errorf("%q looks like an option: give a test file, folder or id", p)
	case strings.ContainsFunc(p, unicode.IsControl):
		return fmt.Errorf("%q has control characters", p)
	}
	return nil
}

// checkPath holds a path against the folder: inside, there, and a test file or a folder with one in it.
func (f folder) checkPath(p, want string, isTest func(string) bool) error {
	rel := path.Clean(p)
	switch {
	case p == "" || path.IsAbs(p) || !filepath.IsLocal(filepath.FromSlash(rel)) || strings.Contains(p, `\`):
		return errors.New("it lies outside the folder; give a path relative to it")
	case f.has(rel):
		if !isTest(rel) {
			return fmt.Errorf("it is not %s; the test files are: %s", want, list(f.tests(isTest)))
		}
		return nil
	case f.hasDir(rel):
		if len(f.sub(rel).files(1, isTest)) == 0 {
			return fmt.Errorf("the folder has no test; the test files are: %s", list(f.tests(isTest)))
		}
		return nil
	}
	return fmt.Errorf("there is no such file; a single test is named with its file, as a run prints it; the test files are: %s", list(f.tests(isTest)))
}

// tests lists some tests of the folder relative to the root, as they can be passed.
func (f folder) tests(isTest func(string) bool) []string {
	all := f.files(11, isTest)
	for i, p := range all {
		all[i] = join(f.dir, p)
	}
	return all
}

// list names up to ten things in a sentence.
func list(all []string) string {
	all = slices.Clone(all)
	slices.Sort(all)
	switch {
	case len(all) == 0:
		return "none"
	case len(all) > 10:
		return strings.Join(all[:10], ", ") + fmt.Sprintf(" and %d more", len(all)-10)
	}
	return strings.Join(all, ", ")
}
