package testrun

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/lang"
	"redgreen/backend/sandbox"
)

// sampleDir is a copy of one of testdata/repos for the sandbox.
func (b bench) sampleDir(t *testing.T, name string) string {
	t.Helper()
	return b.folder(t, func(dir string) {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "repos", name))); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSamples finds and runs the samples' tests in the real sandbox, and each kind of selection.
func TestSamples(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 9 * time.Minute})
	tests := []struct {
		name, runner   string
		passed, failed int
		selected       []string
		selPassed      int
		selFailed      int
	}{
		{"invoice", "pytest", 25, 2, []string{"tests/test_money.py::test_parse[0.05-5]", "tests/test_app.py::test_customer_without_address_pays_home_vat"}, 1, 1},
		{"cronline", "node", 25, 2, []string{"test/next.test.js > next > waits for the leap day", "test/next.test.js > next > finds the 1st even when it is no Monday"}, 1, 1},
		{"ledger", "go", 20, 4, []string{"amount.TestString", "journal.TestReadTakesASmallRefund"}, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := b.sampleDir(t, tt.name)
			commands, err := Find(dir)
			if err != nil || len(commands) != 1 || commands[0].Runner != tt.runner {
				t.Fatalf("Find = %v, %v; want %s", commands, err, tt.runner)
			}
			r, err := b.runner.Run(t.Context(), dir, commands[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			if passed, failed, skipped := r.Counts(); passed != tt.passed || failed != tt.failed || skipped != 0 || r.Infrastructure || !r.Finished || !r.PerTest {
				t.Fatalf("%d passed, %d failed, %d skipped (%s); want %d and %d\n%s", passed, failed, skipped, r.Reason, tt.passed, tt.failed, r.Log)
			}
			if r.Runtime == "" || r.ExitCode == 0 || r.Duration <= 0 {
				t.Errorf("run %q, exit %d, %s", r.Runtime, r.ExitCode, r.Duration)
			}
			for _, test := range r.Tests {
				if err := Validate(dir, commands[0], []string{test.ID}); err != nil {
					t.Errorf("an id of the run cannot be passed back: %v", err)
				}
			}
			r, err = b.runner.Run(t.Context(), dir, commands[0], tt.selected)
			if err != nil {
				t.Fatal(err)
			}
			if passed, failed, _ := r.Counts(); passed != tt.selPassed || failed != tt.selFailed || r.Infrastructure {
				t.Errorf("selected: %+v %q\n%s", r.Tests, r.Reason, r.Log)
			}
			if entries, err := filepath.Glob(filepath.Join(dir, "*pycache*")); err != nil || len(entries) != 0 {
				t.Errorf("the run left %v in the tree", entries)
			}
		})
	}
}

// TestRunRefusesBadPaths does not start anything.
func TestRunRefusesBadPaths(t *testing.T) {
	r := &Runner{run: func(context.Context, sandbox.Spec) (sandbox.Result, error) {
		t.Error("the sandbox was started")
		return sandbox.Result{}, nil
	}, owner: func() (int, int, bool) { return 0, 0, false }}
	dir := tree(t, "-- test_a.py --\ndef test_a(): pass\n")
	if _, err := r.Run(t.Context(), dir, Command{Runner: "pytest", Args: []string{"python3", "-m", "pytest"}}, []string{"--pdb"}); err == nil {
		t.Error("an option is taken for a path")
	}
}

func TestRunReportsASandboxThatFails(t *testing.T) {
	r := &Runner{options: Options{TempDir: t.TempDir()}, owner: func() (int, int, bool) { return 0, 0, false },
		run: func(context.Context, sandbox.Spec) (sandbox.Result, error) {
			return sandbox.Result{}, errors.New("no runtime works here: install podman")
		}}
	run, err := r.Run(t.Context(), tree(t, "-- x --\n"), Custom([]string{"make", "test"}), nil)
	if err != nil || !run.Infrastructure || !strings.Contains(run.Reason, "install podman") || run.Tests == nil {
		t.Errorf("Run = %+v, %v", run, err)
	}
	left, _ := filepath.Glob(filepath.Join(r.options.TempDir, "*"))
	if len(left) != 0 {
		t.Errorf("temporary folders are left: %v", left)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := &Runner{options: Options{TempDir: t.TempDir()}, owner: func() (int, int, bool) { return 0, 0, false },
		run: func(context.Context, sandbox.Spec) (sandbox.Result, error) {
			cancel()
			return sandbox.Result{ExitCode: -1, Reason: sandbox.Cancelled}, nil
		}}
	if _, err := r.Run(ctx, tree(t, "-- x --\n"), Custom([]string{"make", "test"}), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want canceled", err)
	}
}

// TestMissingToolsAreNamed says what to install.
func TestMissingToolsAreNamed(t *testing.T) {
	r := &Runner{options: Options{TempDir: t.TempDir()}, owner: func() (int, int, bool) { return 0, 0, false }}
	j, err := r.newJob(tree(t, "-- x --\n"), Command{Runner: "go", Args: []string{"go", "test"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if _, err := j.tool("no-such-tool"); !errors.Is(err, errNoTool) || !strings.Contains(err.Error(), "install it") {
		t.Errorf("err = %v", err)
	}
}

// TestKindsAreWhole holds every row to what Find, Run and Validate need of it.
func TestKindsAreWhole(t *testing.T) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == "" || k.start == nil || k.read == nil || slices.Contains(names, k.Name) {
			t.Errorf("row %q is not whole", k.Name)
		}
		names = append(names, k.Name)
	}
	if kindOf("unheard-of").Name != "custom" {
		t.Error("an unknown runner is not read by its exit status")
	}
}

// TestKindsHaveTheirRowInLang keeps the two tables together: lang says what is shown for a runner, and no build output is,
// since it would be read-only where the run must write.
func TestKindsHaveTheirRowInLang(t *testing.T) {
	for _, k := range Kinds() {
		if k.Language == "" {
			continue
		}
		l, ok := lang.ByName(k.Language)
		if !ok || !slices.ContainsFunc(l.Runners, func(r lang.Runner) bool { return r.Name == k.Name }) {
			t.Errorf("%s is no runner of %s in lang", k.Name, k.Language)
		}
	}
	for _, l := range lang.All() {
		for _, dep := range l.Deps {
			if slices.Contains([]string{"target", "build", "dist", "bin", "obj", ".gradle"}, dep) {
				t.Errorf("%s shows build output %s", l.Name, dep)
			}
		}
	}
}

// TestDependenciesInTheSandbox runs with dependency folders that only the person's folder has.
func TestDependenciesInTheSandbox(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 5 * time.Minute})
	source := tree(t, `
-- package.json --
{"scripts": {"test": "node --test"}}
-- test/a.test.js --
const { test } = require('node:test');
const answer = require('answer');
test('has its dependency', () => { if (answer !== 42) throw new Error('no'); });
test('cannot write to it', () => {
  try { require('node:fs').writeFileSync('node_modules/answer/index.js', 'x'); } catch { return; }
  throw new Error('wrote');
});
-- node_modules/answer/index.js --
module.exports = 42;
-- tests/test_a.py --
import answer


def test_dependency():
    assert answer.VALUE == 42
-- pytest.ini --
[pytest]
-- .venv/pyvenv.cfg --
home = /usr/bin
include-system-site-packages = true
version = 3
`)
	chosen, ok := pythonWith(thisHost().choices("python", nil), "pytest")
	python := chosen.start
	if !ok {
		if os.Getenv("CI") == "true" {
			t.Fatal("no python3 with pytest under /usr: install python3-pytest")
		}
		t.Skip("no python3 with pytest under /usr")
	}
	real, err := filepath.EvalSymlinks(python)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, source, ".venv/lib/"+filepath.Base(real)+"/site-packages/answer.py", "VALUE = 42\n")
	if err := os.Mkdir(filepath.Join(source, ".venv", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(python, filepath.Join(source, ".venv", "bin", "python")); err != nil {
		t.Fatal(err)
	}
	work := b.folder(t, func(dir string) {
		for _, name := range []string{"package.json", "test/a.test.js", "tests/test_a.py", "pytest.ini"} {
			writeFile(t, dir, name, folder{root: source}.read(name))
		}
	})
	b.runner = New(Options{Sandbox: b.sb, Source: source, Limits: b.runner.options.Limits})
	commands, err := Find(source)
	if err != nil || len(commands) != 2 {
		t.Fatalf("Find = %v, %v; want pytest and node", commands, err)
	}
	for _, c := range commands {
		r, err := b.runner.Run(t.Context(), work, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if passed, failed, _ := r.Counts(); passed == 0 || failed != 0 || r.Infrastructure {
			t.Errorf("%s: %+v %q\n%s", c.Runner, r.Tests, r.Reason, r.Log)
		}
	}
}
