package tools

import (
	"context"
	_ "embed" // the description
	"fmt"
	"slices"
	"strings"
	"time"

	"redgreen/backend/policy"
	"redgreen/backend/testrun"
)

//go:embed trace_coverage.md
var traceCoverageDoc string

// The bounds of trace_coverage: what is slower or larger is looked for without it.
const (
	traceTest  = 2 * time.Second
	traceWall  = 90 * time.Second
	maxTraced  = 600 // files
	maxCovered = 60  // files that the result lists
)

func traceCoverage() Tool {
	return Tool{
		Name: "trace_coverage", Kind: policy.Trace, Doc: traceCoverageDoc,
		Fields: []Field{
			{Name: "kept", Type: Texts, Doc: "failing tests that the workspace as it is turns green already: they count as passing ones"},
		},
		run: runTrace,
	}
}

func runTrace(ctx context.Context, s *Set, a Args) (result, error) {
	red, green := s.keeping(a.texts("kept"))
	if len(red) == 0 || len(s.o.Command.Args) == 0 {
		return result{failed: true, summary: "no failing test", head: "Nothing was measured: no test fails on the untouched copy."}, nil
	}
	all, err := s.o.Workspace.Files(ctx)
	if err != nil {
		return result{}, err
	}
	var files []string
	for _, f := range all {
		if testrun.Code(f.Path) && !testrun.TestFile(f.Path) && testrun.Traces(s.o.Command, f.Path) {
			files = append(files, f.Path)
		}
	}
	if len(files) == 0 {
		return result{failed: true, summary: "not measured", head: "Nothing was measured: coverage of this test runner is not read."}, nil
	}
	files = files[:min(len(files), maxTraced)]
	got, err := s.o.Runner.Trace(ctx, s.o.Workspace.Dir(), s.o.Command, red, green, files, traceTest, traceWall)
	if err != nil {
		return result{}, err
	}
	got.Problem = s.scrub(got.Problem)
	return spectrum(got), nil
}

// spectrum lists the lines that failing tests execute: line:failing/passing tests that do.
func spectrum(got testrun.Spectrum) result {
	switch {
	case len(got.Red) == 0 && got.Problem != "":
		return result{failed: true, summary: "not measured", head: "Nothing was measured.", body: got.Problem}
	case len(got.Red) == 0 && got.Reds > 0:
		return result{failed: true, summary: "failing tests run no line of the code", head: "The failing tests execute no line of code outside of tests before they fail."}
	case len(got.Red) == 0:
		return result{failed: true, summary: "not measured", head: "Nothing was measured: none of the failing tests was run."}
	}
	var lines []string
	total := 0
	for _, f := range sorted(got.Red) {
		var b strings.Builder
		b.WriteString(f)
		for _, line := range sorted(got.Red[f]) {
			fmt.Fprintf(&b, " %d:%d/%d", line, got.Red[f][line], got.Green[f][line])
			total++
		}
		lines = append(lines, b.String())
	}
	r := result{
		summary: fmt.Sprintf("failing tests run %s in %s", plural(total, "line"), plural(len(lines), "file")),
		head:    fmt.Sprintf("Lines that failing tests execute, as LINE:FAILING/PASSING, of %d failing and %d passing tests measured:", got.Reds, got.Greens),
	}
	if len(lines) > maxCovered {
		r.note = fmt.Sprintf("%d more files are left out.", len(lines)-maxCovered)
		lines = lines[:maxCovered]
	}
	r.body = strings.Join(lines, "\n")
	return r
}

func sorted[K int | string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
