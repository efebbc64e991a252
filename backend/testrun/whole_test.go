package testrun

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

func TestStopsEarlyIsOverruled(t *testing.T) {
	for _, tt := range []struct{ runner, args, want string }{
		{"pytest", "pytest -x tests", "pytest tests --maxfail=0"},
		{"pytest", "pytest --maxfail 2 -- tests", "pytest --maxfail=0 -- tests"},
		{"pytest", "pytest --maxfail=2 --stepwise", "pytest --maxfail=0"},
		{"unittest", "python3 -m unittest -f tests.test_a", "python3 -m unittest tests.test_a"},
		{"go", "go test -failfast -run x ./...", "go test -run x ./..."},
		{"jest", "npx jest --bail 1 src", "npx jest src --bail=0"},
		{"vitest", "npx vitest run --bail=3", "npx vitest run --bail=0"},
		{"mocha", "npx mocha -b", "npx mocha --no-bail"},
		{"rspec", "rspec --fail-fast=2", "rspec --no-fail-fast"},
		{"phpunit", "phpunit --stop-on-failure --stop-on-defect", "phpunit"},
		{"ctest", "ctest --stop-on-failure", "ctest"},
		{"maven", "mvn -ff test", "mvn test --fail-at-end"},
		{"gradle", "gradle test", "gradle test --continue"},
		{"custom", "make -x test", "make -x test"},
	} {
		j := &job{spec: sandbox.Spec{Args: strings.Fields(tt.args)}}
		if err := (Kind{Name: tt.runner, start: func(*job) error { return nil }}).begin(j); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(j.spec.Args, " "); got != tt.want {
			t.Errorf("%s: %q became %q, want %q", tt.runner, tt.args, got, tt.want)
		}
	}
}

// TestTheWholeSuiteRuns holds that a folder and a command that stop at the first failure give the results of all tests.
func TestTheWholeSuiteRuns(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 5 * time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "pytest.ini", "[pytest]\naddopts = -x\n")
		writeFile(t, dir, "test_a.py", "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.fail()\n\n    def test_b(self):\n        pass\n")
		writeFile(t, dir, "go.mod", "module example.com/a\n\ngo 1.21\n")
		writeFile(t, dir, "a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Fail() }\n\nfunc TestB(t *testing.T) {}\n")
		writeFile(t, dir, ".rspec", "--fail-fast\n")
		writeFile(t, dir, "spec/a_spec.rb", "RSpec.describe('a') { it('fails') { raise 'x' }; it('passes') {} }\n")
	})
	for _, args := range []string{"python3 -m pytest -xq", "python3 -m unittest -f", "go test -failfast ./...", "rspec"} {
		if _, err := exec.LookPath(strings.Fields(args)[0]); args == "rspec" && err != nil {
			continue
		}
		run, err := b.runner.Run(t.Context(), dir, Custom(strings.Fields(args)), nil)
		if passed, failed, _ := run.Counts(); err != nil || passed != 1 || failed != 1 {
			t.Errorf("%s: %d passed, %d failed, want one of each: %v %s\n%s", args, passed, failed, err, run.Reason, run.Log)
		}
	}
}
