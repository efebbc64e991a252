package testrun

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
)

// Bounds of Find in a repository of many parts.
const (
	maxCommands = 20
	findDepth   = 3 // folders below the root that may have a command of their own
)

// Find lists the test commands of a tree, most likely first; empty when none was found. dir is best the person's own
// folder, where the dependency folders are (.venv, node_modules) that tell which runner is installed. It looks at files
// only: nothing is run.
func Find(dir string) ([]Command, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("finding test commands: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("finding test commands: %s is no folder", dir)
	}
	root := folder{root: dir}
	found := root.commands()
	for _, sub := range root.parts() {
		if len(found) >= maxCommands {
			break
		}
		for _, c := range root.sub(sub).commands() {
			if !root.covered(found, c) {
				found = append(found, c)
			}
		}
	}
	return found, nil
}

// commands are those of one folder. Of runners of the same language the first wins: pytest runs unittest's tests too.
func (f folder) commands() []Command {
	var all []Command
	languages := map[string]bool{}
	for _, k := range Kinds() {
		if k.find == nil || languages[cmp.Or(k.Language, k.Name)] {
			continue
		}
		if c, ok := k.find(f); ok {
			all, languages[cmp.Or(k.Language, k.Name)] = append(all, c), true
		}
	}
	if len(all) == 0 {
		all = f.scripts()
	}
	return all
}

// parts are the folders below the root that have a marker of their own, sorted by depth and name.
func (f folder) parts() []string {
	markers := []string{"go.mod", "package.json", "pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "Cargo.toml", "pom.xml",
		"build.gradle", "build.gradle.kts", "phpunit.xml", "phpunit.xml.dist", "composer.json", ".rspec", "Rakefile", "Gemfile", "CMakeLists.txt",
		"Makefile.PL", "cpanfile"}
	marks := func(name string) bool {
		return slices.Contains(markers, name) || path.Ext(name) == ".sln" || path.Ext(name) == ".csproj"
	}
	var dirs []string
	f.walk(func(p string) bool {
		d := path.Dir(p)
		if d != "." && depth(d) <= findDepth && marks(path.Base(p)) && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
		return len(dirs) < maxCommands
	})
	slices.SortFunc(dirs, func(a, b string) int {
		if depth(a) != depth(b) {
			return depth(a) - depth(b)
		}
		if a < b {
			return -1
		}
		return 1
	})
	return dirs
}

func depth(dir string) int { return len(upwards(dir)) - 1 }

// covered reports whether a command above already runs the tests of this one: pytest and unittest collect everything
// below, as do the members of a workspace or of a parent build; a Go module, a package or a crate of its own is not run
// from above.
func (f folder) covered(found []Command, c Command) bool {
	python := func(c Command) bool { return c.Runner == "pytest" || c.Runner == "unittest" }
	return slices.ContainsFunc(found, func(above Command) bool {
		_, below := within(above.Dir, c.Dir)
		return below && (python(c) && python(above) || c.Runner == above.Runner && buildsBelow(f.sub(above.Dir), c.Runner))
	})
}
