package testrun

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pythonTest tells the files that pytest and unittest collect by default.
func pythonTest(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, ".py") && (strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") ||
		base == "tests.py" || base == "test.py")
}

var (
	pytestConfig = regexp.MustCompile(`(?m)^\s*\[(tool\.)?pytest(\.ini_options)?\]|^\[tool:pytest\]|\bpytest\b`)
	pytestSource = regexp.MustCompile(`(?m)^\s*(import pytest|from pytest)\b|^(async )?def test_`)
	unittestCase = regexp.MustCompile(`\bunittest\b|\bTestCase\b`)
)

// usesPytest says by which file the folder asks for pytest, "" none.
func usesPytest(f folder) string {
	if name := f.first("pytest.ini", ".pytest.ini"); name != "" {
		return name
	}
	for _, name := range []string{"pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "requirements-dev.txt",
		"dev-requirements.txt", "requirements-test.txt", "test-requirements.txt", "requirements.txt", "Pipfile", "setup.py"} {
		if pytestConfig.MatchString(f.read(name)) {
			return name
		}
	}
	return f.first("conftest.py", "tests/conftest.py", "test/conftest.py")
}

// findPytest takes pytest where the folder asks for it, or where its tests are plain functions; and, for tests that
// unittest could run as well, only if pytest is there.
func findPytest(f folder) (Command, bool) {
	source := usesPytest(f)
	if source == "" {
		first := f.files(1, f.ownPythonTest)
		if len(first) == 0 {
			return Command{}, false
		}
		source = first[0]
		if !f.contains(pythonTest, pytestSource) && !canRun(f, "pytest") {
			return Command{}, false
		}
	} else if !canRun(f, "pytest") && !f.contains(pythonTest, pytestSource) && f.contains(pythonTest, unittestCase) {
		return Command{}, false
	}
	return Command{Runner: "pytest", Dir: f.dir, Args: []string{"python3", "-m", "pytest"}, Source: source}, true
}

// ownPythonTest tells tests that belong to the folder itself, not to a part of it further down; those in a package of the
// folder, beside its code, do.
func (f folder) ownPythonTest(p string) bool {
	top, rest, below := strings.Cut(p, "/")
	second, _, _ := strings.Cut(rest, "/")
	return pythonTest(p) && (!below || top == "tests" || top == "test" || strings.Count(p, "/") == 1 || f.has(top+"/__init__.py") ||
		top == "src" && f.has("src/"+second+"/__init__.py"))
}

// findUnittest takes what has unittest's test cases.
func findUnittest(f folder) (Command, bool) {
	first := f.files(1, func(p string) bool { return f.ownPythonTest(p) && unittestCase.MatchString(f.read(p)) })
	if len(first) == 0 {
		return Command{}, false
	}
	args := []string{"python3", "-m", "unittest", "discover"}
	if top, _, below := strings.Cut(first[0], "/"); below && !f.has(top+"/__init__.py") {
		args = append(args, "-s", top)
	}
	if strings.HasSuffix(first[0], "_test.py") {
		args = append(args, "-p", "*_test.py")
	}
	return Command{Runner: "unittest", Dir: f.dir, Args: args, Source: first[0]}, true
}

// canRun reports whether some interpreter that the sandbox can have holds a module.
func canRun(f folder, module string) bool {
	if _, ok := venvPython(f.root, f.dir, module); ok {
		return true
	}
	_, ok := pythonWith(thisHost().choices("python", f.wants("python")), module)
	return ok
}

// venvPython finds the virtual environment of a folder or of one above it that holds the module; it gives its path
// relative to the root.
func venvPython(root, dir, module string) (string, bool) {
	all := upwards(dir)
	slices.Reverse(all)
	for _, d := range all {
		for _, name := range []string{".venv", "venv"} {
			rel := join(d, name)
			venv := filepath.Join(root, filepath.FromSlash(rel))
			config := folder{root: venv}.read("pyvenv.cfg")
			if config == "" {
				continue
			}
			base := sharesBase.FindStringSubmatch(config)
			if module == "" || hasModule(venv, module) || base != nil && hasModule("/usr", module) {
				return rel, true
			}
		}
	}
	return "", false
}

// sharesBase is how a virtual environment says that it sees its base's packages too (PEP 405).
var sharesBase = regexp.MustCompile(`(?mi)^include-system-site-packages\s*=\s*true`)

// pythonWith is the first of the interpreters that holds the module; false where none does.
func pythonWith(all []choice, module string) (choice, bool) {
	for _, c := range all {
		if module == "" || hasModule(c.dir, module) {
			return c, true
		}
	}
	return choice{}, false
}

// hasModule looks for an installed module without starting the interpreter.
func hasModule(prefix, module string) bool {
	for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages",
		"local/lib/python3*/dist-packages", "lib64/python3*/site-packages"} {
		found, _ := filepath.Glob(filepath.Join(prefix, filepath.FromSlash(pattern), module))
		single, _ := filepath.Glob(filepath.Join(prefix, filepath.FromSlash(pattern), module+".py"))
		if len(found)+len(single) > 0 {
			return true
		}
	}
	return false
}

// startPython starts one of our launchers (reporters/) with the interpreter that can run the module: the folder's virtual
// environment, then one under /usr. -I keeps the folder off the interpreter's path until the launcher has what it needs:
// a pytest.py, json.py or sitecustomize.py of the folder would else run in place of the real one and report what it likes.
// What the tests start themselves gets the environment's settings instead of the flags.
func (j *job) startPython(module, launcher string) error {
	if err := j.interpreter(module); err != nil {
		return err
	}
	j.spec.Env["PYTHONDONTWRITEBYTECODE"] = "1"
	j.spec.Env["PYTHONUNBUFFERED"] = "1"
	j.spec.Args = []string{j.spec.Args[0], "-I", "-B", "-u", path.Join(reportersPath, launcher)}
	j.showSrc()
	return j.seal()
}

// interpreter settles Args[0].
func (j *job) interpreter(module string) error {
	name := j.spec.Args[0]
	if base := path.Base(name); !strings.HasPrefix(base, "python") && base != "pytest" && base != "py.test" {
		return nil
	}
	for _, dir := range slices.Backward(upwards(j.command.Dir)) {
		if venv := j.prepared[join(dir, ".venv")]; venv != "" && (module == "" || hasModule(venv, module)) {
			j.spec.Args[0] = path.Join(workspacePath, dir, ".venv", "bin", "python")
			j.showVenv(venv)
			return nil
		}
	}
	if j.spec.Image != "" { // a .venv of the host stands on the host's Python
		j.spec.Args[0] = "python3"
		return nil
	}
	for _, root := range []string{j.tree.root, j.source} {
		if root == "" {
			continue
		}
		if rel, ok := venvPython(root, j.command.Dir, module); ok {
			j.spec.Args[0] = path.Join(workspacePath, rel, "bin", "python")
			j.showVenv(filepath.Join(root, filepath.FromSlash(rel)))
			return nil
		}
	}
	all := j.host.choices("python", j.wants("python"))
	if c, ok := pythonWith(all, module); ok {
		j.use(c)
		j.spec.Args[0] = c.start
		return nil
	}
	if len(all) == 0 {
		return fmt.Errorf("python3 was %w: install Python, or make a .venv in the folder", errNoTool)
	}
	return fmt.Errorf("no Python that the sandbox can show has %s: install it (python3-%s), or make a .venv in the folder with %s in it", module, module, module)
}

// showVenv shows the Python installation that a virtual environment stands on, where it lies outside /usr, and makes an
// editable install of the folder itself work from the workspace.
func (j *job) showVenv(venv string) {
	j.showBase(venv)
	for _, p := range editable(venv, j.source) {
		j.addPythonPath(path.Join(workspacePath, p))
	}
}

// baseHome is the line by which an environment names the programs of its base.
var baseHome = regexp.MustCompile(`(?m)^home\s*=\s*(/\S.*?)\s*$`)

// showBase shows the installation that an environment links to, under each name that its links give it, and the one that
// its pyvenv.cfg names (PEP 405): Python looks there for its library.
func (j *job) showBase(venv string) {
	names := []string{}
	for _, name := range []string{"python", "python3"} {
		p := filepath.Join(venv, "bin", name)
		for range 10 {
			to, err := os.Readlink(p)
			if err != nil {
				break
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(p), to)
			}
			p = filepath.Clean(to)
			names = append(names, p)
		}
	}
	if m := baseHome.FindStringSubmatch(folder{root: venv}.read("pyvenv.cfg")); m != nil {
		names = append(names, filepath.Join(m[1], "python3"))
	}
	for _, p := range names {
		at := filepath.Dir(filepath.Dir(p))
		real, err := filepath.EvalSymlinks(at)
		if err != nil || visible(real) || inside(venv, p) || at == venv {
			continue
		}
		if std, _ := filepath.Glob(filepath.Join(escapeGlob(real), "lib", "python3*", "os.py")); len(std) > 0 && j.host.exposable(real) && j.host.exposable(at) {
			j.show("python", real, at)
		}
	}
}

// editable lists the folders of the source that a virtual environment's .pth files name, relative to the source.
func editable(venv, source string) []string {
	var all []string
	files, _ := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "*.pth"))
	for _, file := range files {
		f, err := os.OpenFile(file, readOnly, 0)
		data := regular(f, err, maxSource)
		for line := range strings.Lines(string(data)) {
			line = filepath.Clean(strings.TrimSpace(line))
			if source != "" && (line == filepath.Clean(source) || inside(filepath.Clean(source), line)) {
				rel, _ := filepath.Rel(source, line)
				all = append(all, filepath.ToSlash(rel))
			}
		}
	}
	return all
}

// addPythonPath appends to PYTHONPATH.
func (j *job) addPythonPath(p string) {
	if old := j.spec.Env["PYTHONPATH"]; old != "" {
		p = old + ":" + p
	}
	j.spec.Env["PYTHONPATH"] = p
}

var errNotTest = errors.New("not a test")
