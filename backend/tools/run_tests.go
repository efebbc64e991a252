package tools

import (
	"context"
	_ "embed" // the description
	"fmt"
	"slices"
	"strings"

	"redgreen/backend/policy"
	"redgreen/backend/testrun"
)

//go:embed run_tests.md
var runTestsDoc string

// maxBrief is how many bytes of a test run the model gets.
const maxBrief = 10 << 10

func runTests() Tool {
	return Tool{
		Name: "run_tests", Kind: policy.Test, Doc: runTestsDoc,
		Fields: []Field{{Name: "paths", Type: Texts, Doc: "files, folders or test ids; all if left out"}},
		Object: func(a Args) string { return strings.Join(a.texts("paths"), " ") },
		run:    runRunTests,
	}
}

func runRunTests(ctx context.Context, s *Set, a Args) (result, error) {
	if err := s.findCommand(); err != nil {
		return result{}, err
	}
	if len(s.o.Command.Args) == 0 {
		return result{failed: true, summary: "no test command",
			head: "No test command is known for this repository. Write a test that the usual runner of its language finds, then finish."}, nil
	}
	var paths []string
	for _, p := range a.texts("paths") {
		paths = append(paths, strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(p), "/workspace/"), "./"))
	}
	if err := testrun.Validate(s.o.Workspace.Dir(), s.o.Command, paths); err != nil {
		return result{failed: true, summary: "not a test", head: "Nothing was run: not all paths are tests of this repository.", body: s.scrub(err.Error())}, nil
	}
	run, err := s.o.Runner.Run(ctx, s.o.Workspace.Dir(), s.o.Command, paths)
	if err != nil {
		return result{}, err
	}
	shown := s.known(run)
	if !s.o.Search { // a search weighs each failure by itself
		shown = shown.Once()
	}
	brief, cut := shown.Brief(maxBrief)
	if cut {
		clear(s.red) // not all of it is in the model's view
	}
	r := result{summary: counts(run), cut: cut, full: run.Log, out: Outcome{Run: &run}, head: "Test run over the present state of the workspace:"}
	if _, failed, _ := run.Counts(); run.PerTest && !run.Infrastructure && failed == 0 && run.ExitCode == 0 {
		r.head += " " + brief // green: numbers alone, nothing of the output
	} else {
		r.body = brief
	}
	if cut {
		r.note = "The output was trimmed. Run fewer tests, by paths or ids, to see more of each."
	}
	if run.Infrastructure {
		r.note = strings.TrimSpace("This run is no verdict on the code: " + oneLine(Visible(s.scrub(run.Reason)), 300) + ". " + r.note)
	}
	return r, nil
}

// What stands for a failure that the model has before its eyes.
const (
	asBefore = "fails just as on the untouched copy"
	asLast   = "fails just as in the last run"
)

// known puts a word in the place of each failure that the model was shown already, to the letter: of the untouched copy,
// or of the last run.
func (s *Set) known(run testrun.Run) testrun.Run {
	run.Tests = slices.Clone(run.Tests)
	now := map[string]string{}
	for i, t := range run.Tests {
		if t.Message == "" || t.Status == testrun.Passed {
			continue
		}
		word := ""
		if was, ok := s.o.Known[t.ID]; ok && t.Message == was {
			word = asBefore
		} else if was, ok := s.red[t.ID]; ok && t.Message == was {
			word = asLast
		}
		now[t.ID] = t.Message
		if word != "" && len(word) < len(t.Message) {
			run.Tests[i].Message, run.Tests[i].Line = word, 0
		}
	}
	s.red = now
	return run
}

// findCommand looks again where the folder had no tests at the start: the agent may have written the first.
func (s *Set) findCommand() error {
	if len(s.o.Command.Args) > 0 {
		return nil
	}
	found, err := testrun.Find(s.o.Workspace.Dir())
	if err != nil {
		return fmt.Errorf("looking for the test command: %w", err)
	}
	if len(found) > 0 {
		s.o.Command = found[0]
	}
	return nil
}

// counts is a run in one line for people: "14 passed, 1 failed".
func counts(r testrun.Run) string {
	passed, failed, skipped := r.Counts()
	parts := []string{fmt.Sprintf("%d passed", passed), fmt.Sprintf("%d failed", failed)}
	if skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", skipped))
	}
	if !r.PerTest {
		parts = []string{fmt.Sprintf("exit status %d", r.ExitCode)}
	}
	if r.Infrastructure {
		parts = append(parts, "no verdict")
	}
	return strings.Join(parts, ", ")
}
