package testrun

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// Many Python projects keep their code in src, where only an installed package is found: before `pip install -e .` each of
// their tests ends with "No module named x". We install nothing of a stranger's, since that runs its setup.py; but the
// tests can have src at the very end of the path, where it answers only for a name that nothing else has. So nothing is
// imported from another place than before, and an installed copy stays the one that is tested.

// srcLayout reports whether a folder is packaged and keeps packages, not single tests or scripts, in src.
func srcLayout(f folder) bool {
	return f.first("pyproject.toml", "setup.py", "setup.cfg") != "" && !f.has("src/__init__.py") && len(srcPackages(f)) > 0
}

// srcPackages lists what can be imported from src.
func srcPackages(f folder) []string {
	var all []string
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), cleanRel(join(f.dir, "src")))
	for _, e := range entries {
		name, isModule := strings.CutSuffix(e.Name(), ".py")
		if dotted.MatchString(name) && (isModule && e.Type().IsRegular() || e.IsDir() && f.has(path.Join("src", name, "__init__.py"))) {
			all = append(all, name)
		}
	}
	return all
}

// showSrc lets our launchers put src at the end of the path.
func (j *job) showSrc() {
	if f := j.tree.sub(j.command.Dir); srcLayout(f) {
		j.spec.Env["REDGREEN_SRC"] = path.Join(workspacePath, j.command.Dir, "src")
	}
}
