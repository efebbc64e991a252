// Package testrun finds a repository's test commands, runs them in the sandbox, and reads their output into results.
//
// A test runner is one row of Kinds: how it is recognised in a folder, how it is started, how what it reports becomes
// results, and what of a path or id can be passed to it. Where a runner lets us, a reporter of our own (reporters/) or a
// machine-readable form is used, written event by event, so that a crash in mid-run keeps what came before and names the
// test that was running. Nothing of the opened folder runs outside the sandbox: commands and interpreters are found by
// looking at files alone.
package testrun

import (
	"path"
	"slices"
	"strings"
	"time"

	"redgreen/backend/lang"
	"redgreen/backend/sandbox"
)

// Command is a fixed test command: an argument list, never a shell string.
type Command struct {
	Runner string   `json:"runner"` // the name of a Kind
	Dir    string   `json:"dir"`    // slash-separated, relative to the root, "" the root
	Args   []string `json:"args"`   // as shown to people; the reader may add report flags
	Source string   `json:"source"` // the file or fact it was found by: "go.mod", "--test-cmd"

	Parts []Command `json:"parts,omitempty"` // of Together: what is run instead of Args
}

// Status of a test.
type Status string

// The statuses. An expected failure counts as skipped: it says nothing for or against a change. Errored is a test, or a
// file or package of tests, that could not run: it did not compile, could not be collected, or took its process down.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
	Errored Status = "error"
)

// Test is one test's result. IDs are stable between runs and can be passed back to select the test:
//
//	pytest    tests/test_x.py::TestA::test_b[param]
//	unittest  tests.test_x.TestA.test_b
//	go        pkg/path.TestName/sub, TestName in the root package
//	node      test/x.test.js > suite > test
//	maven     app.PriceTest > roundsHalfUp
//
// Files and packages are relative to the root of the tree, also where the command runs in a folder below it. The ID of
// an errored file or package is its path.
type Test struct {
	ID      string `json:"id"`
	Status  Status `json:"status"`
	Millis  int64  `json:"ms"`
	Message string `json:"message"` // failing assertion, trimmed
	File    string `json:"-"`       // where it failed, relative, "" unknown
	Line    int    `json:"-"`
}

// Run is one finished run. The JSON form is the contract of `redgreen test --json`.
type Run struct {
	Runtime  string   `json:"runtime"`
	Command  []string `json:"command"`
	Tests    []Test   `json:"tests"` // sorted by ID, never nil
	ExitCode int      `json:"exit_code"`
	Reason   string   `json:"reason"` // "" ended by itself; timeout, memory, …; or infrastructure: why there is no verdict

	Toolchain []Tool `json:"toolchain"` // what the run used, in the order of its use, never nil
	Base      string `json:"base"`      // where the toolchain comes from: "host", or an image's reference and id

	Finished       bool           `json:"-"` // the runner itself came to its end
	Unbuilt        bool           `json:"-"` // with Infrastructure: nothing compiled or could be collected, which a patch can cause and cure
	NoTests        bool           `json:"-"` // with Infrastructure: the runner works, and the tree has no test yet
	Missing        string         `json:"-"` // with Infrastructure: the package of Python or Node that every test lacks, "" none
	Infrastructure bool           `json:"-"` // no verdict: command not found, no test collected, stopped by a limit, …
	Rung           sandbox.Rung   `json:"-"`
	Limits         sandbox.Limits `json:"-"`
	Duration       time.Duration  `json:"-"`
	Log            []byte         `json:"-"` // the whole output kept
	PerTest        bool           `json:"-"` // false: only the exit status is known, and Tests has one entry for the command

	parts []partRun // of several commands, see Only
}

// Tool is one program or library that a run used: python 3.11.2 /usr/bin/python3, pytest 7.2.1.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"` // "" unknown
	Path    string `json:"path"`    // inside the sandbox, "" for a library
}

// Limits are the bounds of a run.
type Limits = sandbox.Limits

// Covers reports whether a file, package or build in error is why a test has no result.
func Covers(errored, id string) bool {
	if errored == buildID || errored == "." && goID.MatchString(id) && !strings.Contains(strings.Split(id, "/")[0], ".") {
		return true
	}
	if dir, base := path.Split(errored); base == "conftest.py" {
		return strings.HasPrefix(id, dir)
	}
	rest, ok := strings.CutPrefix(id, errored)
	return ok && (strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, nodeSeparator) || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/"))
}

// buildID is the id of a build that failed where it has no package of its own.
const buildID = "build"

// TestFile reports whether a path, relative to the root, is a test, or a helper or expected value of tests.
func TestFile(p string) bool {
	if l, ok := lang.ByPath(p); ok && l.TestFile != nil && l.TestFile(p) {
		return true
	}
	return pythonTest(p) || goTest(p) || ecmaTest(p) || TestData(p)
}

// Code reports whether a path is a file of a programming language.
func Code(p string) bool {
	_, ok := lang.ByPath(p)
	return ok
}

// TestData reports whether a path is data that tests read: a snapshot, a golden file, a fixture, or whatever lies among the
// tests without being code or prose, since the values that a test expects may stand there.
func TestData(p string) bool {
	data := !Code(p) && !slices.Contains([]string{".md", ".rst", ".adoc"}, path.Ext(p))
	for _, part := range strings.Split(path.Dir(p), "/") {
		switch part {
		case "testdata", "fixtures", "__fixtures__", "__snapshots__", "snapshots", "golden", "goldens":
			return true
		case "tests", "test", "__tests__", "expected", "approved", "cassettes":
			if data {
				return true
			}
		}
	}
	return strings.HasSuffix(p, ".snap") || strings.HasSuffix(p, ".golden")
}

// Selectable reports whether Run takes paths and ids for a command.
func Selectable(c Command) bool {
	return kindOf(c.Runner).check != nil || slices.ContainsFunc(c.Parts, Selectable)
}

// Counts of a run; tests in error count as failed.
func (r Run) Counts() (passed, failed, skipped int) {
	for _, t := range r.Tests {
		switch t.Status {
		case Passed:
			passed++
		case Skipped:
			skipped++
		case Failed, Errored:
			failed++
		}
	}
	return passed, failed, skipped
}
