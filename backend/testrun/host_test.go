package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redgreen/backend/sandbox"
)

// made gives a job without a sandbox, on a machine whose PATH and home are under the test's control.
func made(t *testing.T, source, tree string, h host, c Command) *job {
	t.Helper()
	r := &Runner{options: Options{Source: source, TempDir: t.TempDir(), Cache: filepath.Join(t.TempDir(), "cache")}, host: h,
		owner: func() (int, int, bool) { return 0, 0, false }}
	j, err := r.newJob(tree, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	return j
}

func mounted(j *job, target string) string {
	i := slices.IndexFunc(j.spec.ReadOnly, func(m sandbox.Mount) bool { return m.Target == target })
	if i < 0 {
		return ""
	}
	return j.spec.ReadOnly[i].Source
}

// pytestIn makes a virtual environment as far as files tell.
func venvWith(module string) string {
	return "-- .venv/pyvenv.cfg --\nhome = /usr/bin\n-- .venv/lib/python3.11/site-packages/" + module + "/__init__.py --\n"
}

func TestDependencyFoldersAreShown(t *testing.T) {
	source := tree(t, "-- node_modules/a/index.js --\n-- web/node_modules/b/index.js --\n-- src/a.js --\n")
	work := tree(t, "-- src/a.js --\n-- web/x.js --\n")
	j := made(t, source, work, host{}, Command{Runner: "node", Dir: "web", Args: []string{"node", "--test"}})
	for _, rel := range []string{"node_modules", "web/node_modules"} {
		if got, want := mounted(j, "/workspace/"+rel), filepath.Join(source, rel); got != want {
			t.Errorf("%s is shown from %q, want %q", rel, got, want)
		}
	}
	j = made(t, source, source, host{}, Command{Runner: "node", Args: []string{"node", "--test"}})
	if got := mounted(j, "/workspace/node_modules"); got != "" {
		t.Errorf("a tree that has its own dependencies gets %s on top", got)
	}
}

// TestDependencyLinksOutAreNotFollowed keeps a hostile repository from showing itself a folder of the home.
func TestDependencyLinksOutAreNotFollowed(t *testing.T) {
	home := tree(t, "-- .ssh/id_rsa --\nkey\n-- lib/node_modules/npm/x --\n")
	source := tree(t, "-- a.js --\n")
	for name, target := range map[string]string{"node_modules": filepath.Join(home, ".ssh"), ".venv": home} {
		if err := os.Symlink(target, filepath.Join(source, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, runner := range []string{"node", "pytest"} {
		j := made(t, source, tree(t, "-- a.js --\n"), host{home: home}, Command{Runner: runner, Args: []string{"x"}})
		for _, m := range j.spec.ReadOnly {
			if strings.HasPrefix(m.Source, home) {
				t.Errorf("%s shows %s", runner, m.Source)
			}
		}
	}
}

func TestVenvIsPreferred(t *testing.T) {
	source := tree(t, venvWith("pytest")+"-- test_a.py --\n")
	if err := os.MkdirAll(filepath.Join(source, ".venv", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	j := made(t, source, tree(t, "-- test_a.py --\n"), thisHost(), Command{Runner: "pytest", Args: []string{"python3", "-m", "pytest"}})
	if err := startPytest(j); err != nil {
		t.Fatal(err)
	}
	if j.spec.Args[0] != "/workspace/.venv/bin/python" || mounted(j, "/workspace/.venv") == "" {
		t.Errorf("runs %q with %v", j.spec.Args, j.spec.ReadOnly)
	}
}

// TestVenvShowsOnlyAPythonInstallation holds that the interpreter a .venv links to brings its own folder and nothing else.
func TestVenvShowsOnlyAPythonInstallation(t *testing.T) {
	home := tree(t, "-- .pyenv/versions/3.11/bin/python3.11 --\n-- .pyenv/versions/3.11/lib/python3.11/os.py --\n-- secret/bin/python --\n-- bin/python --\n-- lib/python3.11/os.py --\n")
	for link, want := range map[string]bool{".pyenv/versions/3.11/bin/python3.11": true, "secret/bin/python": false, "bin/python": false} {
		source := tree(t, venvWith("pytest"))
		bin := filepath.Join(source, ".venv", "bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(home, link), filepath.Join(bin, "python")); err != nil {
			t.Fatal(err)
		}
		j := made(t, source, tree(t, "-- test_a.py --\n"), host{home: home}, Command{Runner: "pytest", Args: []string{"python3", "-m", "pytest"}})
		if err := startPytest(j); err != nil {
			t.Fatal(err)
		}
		shown := slices.ContainsFunc(j.spec.ReadOnly, func(m sandbox.Mount) bool { return strings.HasPrefix(m.Source, home) })
		if shown != want {
			t.Errorf("a .venv that links to %s: shown = %v, want %v (%v)", link, shown, want, j.spec.ReadOnly)
		}
	}
}

func TestEditableInstallsWorkFromTheWorkspace(t *testing.T) {
	source := tree(t, venvWith("pytest"))
	writeFile(t, source, ".venv/lib/python3.11/site-packages/me.pth", source+"/src\nimport evil; evil.run()\n/etc\n")
	got := editable(filepath.Join(source, ".venv"), source)
	if len(got) != 1 || got[0] != "src" {
		t.Errorf("editable = %q, want src alone", got)
	}
}

func TestExposable(t *testing.T) {
	home := t.TempDir()
	h := host{home: home}
	for dir, want := range map[string]bool{
		"/": false, "/root": false, "/home": false, home: false, filepath.Dir(home): false, home + "/.local": false, home + "/.config": false,
		home + "/.pyenv/versions/3.11": true, home + "/sdk/go1.26": true, "/opt/node": true,
	} {
		if got := h.exposable(dir); got != want {
			t.Errorf("exposable(%s) = %v, want %v", dir, got, want)
		}
	}
}

func TestToolsOutsideUsrBringTheirFolder(t *testing.T) {
	home := tree(t, "-- sdk/go/bin/go --\n#!\n-- sdk/go/src/runtime/x.go --\n-- fake/bin/go --\n#!\n")
	for _, p := range []string{"sdk/go/bin/go", "fake/bin/go"} {
		if err := os.Chmod(filepath.Join(home, p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h := host{home: home, path: []string{"relative", filepath.Join(home, "fake", "bin"), filepath.Join(home, "sdk", "go", "bin")}}
	j := made(t, "", tree(t, "-- go.mod --\n"), h, Command{Runner: "go", Args: []string{"go", "test", "./..."}})
	if err := startGo(j); err != nil {
		t.Fatal(err)
	}
	goroot := filepath.Join(home, "sdk", "go")
	if src := filepath.Join(goroot, "src"); mounted(j, src) != src || !slices.Contains(j.spec.Path, filepath.Join(goroot, "bin")) {
		t.Errorf("shows %v, path %v", j.spec.ReadOnly, j.spec.Path)
	}
	for _, want := range []string{"GOPROXY=off", "GOTOOLCHAIN=local", "GOENV=off", "GOCACHE=/cache/go-build"} {
		k, v, _ := strings.Cut(want, "=")
		if j.spec.Env[k] != v {
			t.Errorf("%s is %q, want %q", k, j.spec.Env[k], v)
		}
	}
	for _, m := range j.spec.ReadOnly {
		if m.Source == home || strings.HasPrefix(m.Source, filepath.Join(home, "fake")) {
			t.Errorf("shows %s", m.Source)
		}
	}
}

// TestReportsAreReadAsHostile holds that a report which is no regular file is nothing.
func TestReportsAreReadAsHostile(t *testing.T) {
	secret := tree(t, "-- key --\nsecret\n")
	dir := tree(t, "-- good.xml --\n<testsuite/>\n")
	if err := os.Symlink(filepath.Join(secret, "key"), filepath.Join(dir, "link.xml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.xml"), 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]bool{"good.xml": true, "link.xml": false, "dir.xml": false, "gone.xml": false} {
		if got := readReport(root, name) != nil; got != want {
			t.Errorf("readReport(%s) read something: %v, want %v", name, got, want)
		}
	}
}

// TestEmptyCachesAreNotShown holds that an empty ~/.m2/repository does not take the place of what an image brings.
func TestEmptyCachesAreNotShown(t *testing.T) {
	home := tree(t, "-- .m2/repository/keep --\n")
	h := host{home: home}
	maven := Command{Runner: "maven", Args: []string{"mvn", "-o", "-q", "test"}}
	shown := func() string {
		j := made(t, "", tree(t, "-- pom.xml --\n"), h, maven)
		j.showCaches("java")
		return mounted(j, "/deps/m2")
	}
	if shown() == "" {
		t.Error("a filled repository is not shown")
	}
	if err := os.Remove(filepath.Join(home, ".m2", "repository", "keep")); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "" {
		t.Errorf("an empty repository is shown from %s", got)
	}
}

func TestVersionStandsBehindTheProgramsName(t *testing.T) {
	for _, c := range []struct{ program, answer, want string }{
		{"gradle", "Picked up JAVA_TOOL_OPTIONS: -Duser.home=/tmp 17.0.21.1  ------------  Gradle 4.4.1  ------------  ", "4.4.1"},
		{"mvn", "Apache Maven 3.8.7 Maven home: /usr/share/maven", "3.8.7"},
		{"java", `openjdk version "17.0.13" 2024-10-15`, "17.0.13"},
		{"go", "go version go1.26.1 linux/amd64", "1.26.1"},
		{"python", "Python 3.11.2", "3.11.2"},
		{"node", "v20.1.0", "20.1.0"},
		{"nothing", "no such program", ""},
	} {
		if got := versionIn(c.program, c.answer); got != c.want {
			t.Errorf("%s in %q is %q, want %q", c.program, c.answer, got, c.want)
		}
	}
}
