package testrun

import (
	"cmp"
	"strings"
	"testing"

	"redgreen/backend/sandbox"
)

// TestNextStep holds that a run without a verdict names something to click or to type. The outputs are those of the real
// tools, cut to the lines that matter.
func TestNextStep(t *testing.T) {
	t.Parallel()
	const prepare = "Run redgreen prepare FOLDER, or click Install at Dependencies in the folder's settings"
	missing := func(text string) []byte {
		return []byte(`{"event": "test", "id": "tests/test_a.py", "status": "error", "phase": "collect", "text": "E   ModuleNotFoundError: No module named '` + text + `'"}` + "\n" + `{"event": "end", "status": "1"}` + "\n")
	}
	for _, tt := range []struct {
		name, runner, files string
		program             string // of a custom command, tox
		exit                int
		stdout, stderr      string
		report              []byte
		want                []string // in this order
		unbuilt             bool
	}{
		{name: "an option of a plugin", runner: "pytest", exit: 4, stderr: "ERROR: usage: __main__.py [options]\n__main__.py: error: unrecognized arguments: --cov=x\n  inifile: /workspace/pytest.ini\n",
			want: []string{"refused its arguments", "an option of pytest-cov, which is not installed", "Install pytest-cov in the folder's .venv"}},
		{name: "a short one, with a lockfile", runner: "pytest", files: "-- requirements-dev.txt --\npytest-xdist\n", exit: 4, stderr: "__main__.py: error: unrecognized arguments: -n --dist\n",
			want: []string{"pytest-xdist, which is not installed", prepare, "requirements-dev.txt", "pip install pytest-xdist"}},
		{name: "a time limit", runner: "pytest", exit: 4, stderr: "__main__.py: error: unrecognized arguments: --timeout=30\n", want: []string{"pytest-timeout"}},
		{name: "a required plugin", runner: "pytest", exit: 4, stderr: "ERROR: Missing required plugins: pytest-asyncio\n", want: []string{"asks for pytest-asyncio", "pip install pytest-asyncio"}},
		{name: "-p plugin", runner: "pytest", exit: 1, stderr: "ImportError: Error importing plugin \"pytest_lazy\": No module named 'pytest_lazy'\n", want: []string{"the plugin pytest_lazy"}},
		{name: "pytest itself", runner: "pytest", exit: 1, stderr: "/usr/bin/python3: No module named pytest\n", want: []string{"pytest is not installed", "pip install pytest"}},
		{name: "a package", runner: "pytest", files: "-- uv.lock --\n", exit: 1, report: missing("yaml"), want: []string{"missing dependency: yaml", prepare, "uv.lock"}},
		{name: "a package, nothing locked", runner: "pytest", exit: 1, report: missing("yaml"), want: []string{"missing dependency: yaml", "pip install yaml"}},
		{name: "a package in src", runner: "pytest", files: "-- src/shop/__init__.py --\n", exit: 1, report: missing("shop"), want: []string{"no test could run", "shop lies in src", "pythonpath = src"}, unbuilt: true},
		{name: "jest", runner: "jest", files: "-- package.json --\n{}\n-- package-lock.json --\n{}\n", exit: 1, stderr: "Error: Cannot find module '/workspace/node_modules/jest/bin/jest.js'\n",
			want: []string{"jest is not installed", prepare, "package-lock.json", "npm install"}},
		{name: "vitest, nothing locked", runner: "vitest", exit: 1, stderr: "Error: Cannot find module '/workspace/node_modules/vitest/vitest.mjs'\n", want: []string{"vitest is not installed", "Run npm install"}},
		{name: "a linker", runner: "cargo", exit: 101, stderr: "error: linker `cc` not found\n  |\n  = note: No such file or directory\n", want: []string{"no C or C++ compiler", "apt-get install build-essential"}},
		{name: "CMake's compiler", runner: "ctest", exit: 97, stderr: "CMake Error at CMakeLists.txt:2 (project):\n  No CMAKE_CXX_COMPILER could be found.\n", want: []string{"no C or C++ compiler", "build-essential"}},
		{name: "a Go module", runner: "go", files: "-- go.mod --\nmodule m\n-- go.sum --\n", exit: 1, stderr: "go: example.org/x@v1.0.0: module lookup disabled by GOPROXY=off\n",
			want: []string{"missing dependency: go: example.org/x@v1.0.0", prepare, "go.sum", "go mod download"}},
		{name: "a Maven plugin", runner: "maven", files: "-- pom.xml --\n", exit: 1,
			stdout: "[ERROR] Plugin org.apache.maven.plugins:maven-surefire-plugin:3.2.5 or one of its dependencies could not be resolved: Cannot access central (x) in offline mode and the artifact org.apache.maven.plugins:maven-surefire-plugin:jar:3.2.5 has not been downloaded from it before.\n",
			want:   []string{"org.apache.maven.plugins:maven-surefire-plugin:jar:3.2.5 is not in the local Maven repository", prepare, "pom.xml"}},
		{name: "Gradle's cache", runner: "gradle", exit: 1, stderr: "> No cached version of org.junit:junit-bom:5.9.1 available for offline mode.\n", want: []string{"org.junit:junit-bom:5.9.1 is not in Gradle's cache", "with the network"}},
		{name: "a crate", runner: "cargo", files: "-- Cargo.toml --\n-- Cargo.lock --\n", exit: 101, stderr: "error: no matching package named `serde` found\nlocation searched: registry\n", want: []string{"the crate serde", prepare, "Cargo.lock"}},
		{name: "a gem", runner: "rspec", exit: 1, stderr: "Could not find gem 'rspec (~> 3.12)' in locally installed gems. (Bundler::GemNotFound)\n", want: []string{"the gem rspec is not installed", "bundle install"}},
		{name: "Composer", runner: "phpunit", exit: 255, stderr: "Cannot open file \"vendor/autoload.php\".\n", want: []string{"composer install"}},
		{name: "a program", runner: "custom", exit: 127, stderr: "env: 'tox': No such file or directory\n", want: []string{"command not found in the sandbox: tox", "apt-get install tox"}},
		{name: "nox", runner: "custom", program: "nox", exit: 127, stderr: "env: 'nox': No such file or directory\n", want: []string{"command not found in the sandbox: nox", "apt-get install nox"}},
		{name: "a Perl module", runner: "prove", exit: 2, stderr: "Can't locate Test/Deep.pm in @INC (you may need to install the Test::Deep module)\n", want: []string{"libtest-deep-perl"}},
		{name: "nothing that is known", runner: "pytest", exit: 4, stderr: "__main__.py: error: unrecognized arguments: --ours\n", want: []string{"pytest refused its arguments or configuration: unrecognized arguments: --ours"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range files(tt.files) {
				writeFile(t, dir, name, text)
			}
			c := Command{Runner: tt.runner, Args: []string{cmp.Or(tt.program, "tox")}}
			o := output{exit: tt.exit, stdout: []byte(tt.stdout), stderr: []byte(tt.stderr), report: tt.report, tree: folder{root: dir}}
			run := finish(Run{}, kindOf(tt.runner), c, o, sandbox.Result{ExitCode: tt.exit})
			if !run.Infrastructure || run.Unbuilt != tt.unbuilt {
				t.Errorf("infrastructure %v, unbuilt %v, want %v", run.Infrastructure, run.Unbuilt, tt.unbuilt)
			}
			rest := run.Reason
			for _, w := range tt.want {
				_, after, ok := strings.Cut(rest, w)
				if !ok {
					t.Fatalf("reason %q has no %q", run.Reason, w)
				}
				rest = after
			}
		})
	}
}

// TestSrcLayout runs the tests of a folder that keeps its package in src and is not installed; a package of the same name that
// is found without src stays the one that is tested.
func TestSrcLayout(t *testing.T) {
	b := realBench(t, sandbox.Limits{})
	const test = "import subprocess\nimport sys\nimport unittest\n\nimport shop\nimport calendar\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(shop.WHERE, 'WANT')\n" +
		"        self.assertTrue(hasattr(calendar, 'monthrange'))\n        self.assertEqual(subprocess.run([sys.executable, '-c', 'import calendar; calendar.monthrange; import shop; print(shop.WHERE)'], capture_output=True, text=True).stdout, 'CHILD')\n"
	for _, tt := range []struct{ name, files, where, child string }{
		{"not installed", "-- pyproject.toml --\n-- src/shop/__init__.py --\nWHERE = 'src'\n", "src", "src\\n"},
		{"beside a copy that comes first", "-- setup.py --\n-- src/shop/__init__.py --\nWHERE = 'src'\n-- shop.py --\nWHERE = 'root'\n", "root", "root\\n"},
		{"a name of Python's own", "-- setup.cfg --\n-- src/shop/__init__.py --\nWHERE = 'src'\n-- src/calendar.py --\n", "src", ""},
	} {
		for _, runner := range []string{"pytest", "unittest"} {
			dir := b.folder(t, func(dir string) {
				writeFile(t, dir, "test_shop.py", strings.NewReplacer("WANT", tt.where, "CHILD", tt.child).Replace(test))
				for name, text := range files(tt.files) {
					writeFile(t, dir, name, text)
				}
			})
			r, err := b.runner.Run(t.Context(), dir, Custom([]string{"python3", "-m", runner}), nil)
			if passed, _, _ := r.Counts(); err != nil || passed != 1 {
				t.Errorf("%s, %s: %+v, %s, %v\n%s", tt.name, runner, r.Tests, r.Reason, err, r.Log)
			}
		}
	}
}
