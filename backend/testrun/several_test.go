package testrun

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/sandbox"
)

// twoParts is a repository of two commands and a sandbox that answers each by its folder.
func twoParts(t *testing.T, answers map[string]sandbox.Result) (*Runner, string, Command) {
	dir := tree(t, "-- go.mod --\nmodule m\n-- a_test.go --\npackage m\nfunc TestA(t *testing.T) {}\n-- web/Makefile --\n-- api/Makefile --\n")
	r := &Runner{options: Options{TempDir: t.TempDir()}, host: thisHost(), owner: func() (int, int, bool) { return 0, 0, false },
		run: func(_ context.Context, s sandbox.Spec) (sandbox.Result, error) { return answers[s.Dir], nil }}
	all := []Command{{Runner: "custom", Dir: "web", Args: []string{"make", "test"}, Source: "Makefile"}, {Runner: "custom", Dir: "api", Args: []string{"make", "test"}, Source: "Makefile"}}
	return r, dir, Together(all)
}

func TestSeveralPartsAreOneRun(t *testing.T) {
	r, dir, c := twoParts(t, map[string]sandbox.Result{"web": {Stdout: []byte("TAP version 13\nok 1 - a\n1..1\n")}, "api": {Stdout: []byte("TAP version 13\nnot ok 1 - a\n1..1\n"), ExitCode: 2}})
	if got := strings.Join(c.Args, " "); got != "web: make test ; api: make test" || c.Source != "web/Makefile, api/Makefile" {
		t.Errorf("together: %q by %q", got, c.Source)
	}
	run, err := r.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, test := range run.Tests {
		got = append(got, string(test.Status)+" "+test.ID)
	}
	if diff := cmp.Diff([]string{"failed api: a", "passed web: a"}, got); diff != "" || run.ExitCode != 2 || run.Infrastructure || !run.Finished || !run.PerTest {
		t.Errorf("%+v\n%s", run, diff)
	}
	if !strings.Contains(string(run.Log), "== web: make test\nTAP version 13") {
		t.Errorf("the log does not name its parts:\n%s", run.Log)
	}
	only, ok := run.Only(c.Parts[0])
	if !ok || len(only.Tests) != 1 || only.Tests[0].ID != "a" || only.ExitCode != 0 {
		t.Errorf("Only(web) = %+v, %v", only, ok)
	}
	if _, ok := run.Only(Command{Dir: "other", Args: []string{"make", "test"}}); ok {
		t.Error("a command that was not run has a run")
	}
	if both, ok := run.Only(c); !ok || len(both.Tests) != 2 {
		t.Errorf("Only(both) = %+v, %v", both, ok)
	}
}

func TestAPartWithoutVerdictIsNamed(t *testing.T) {
	r, dir, c := twoParts(t, map[string]sandbox.Result{"web": {ExitCode: 127}, "api": {Stdout: []byte("1..1\nok 1 - a\n")}})
	run, err := r.Run(t.Context(), dir, c, nil)
	if err != nil || !run.Infrastructure || run.Unbuilt || !strings.HasPrefix(run.Reason, "web: make test: command not found") || len(run.Tests) != 1 {
		t.Errorf("Run = %+v, %v", run, err)
	}
	if api, ok := run.Only(c.Parts[1]); !ok || api.Infrastructure {
		t.Errorf("the other part: %+v", api)
	}
}

func TestAPartWithoutTestsSaysNothing(t *testing.T) {
	quiet, loud := partRun{run: Run{Infrastructure: true, NoTests: true, Reason: "no test"}}, partRun{run: Run{PerTest: true, Finished: true, Tests: []Test{{ID: "a", Status: Passed}}}}
	if m := merge([]partRun{quiet, loud}); m.Infrastructure || m.NoTests || !m.Finished {
		t.Errorf("one without tests: %+v", m)
	}
	if m := merge([]partRun{quiet, quiet}); !m.Infrastructure || !m.NoTests || m.Unbuilt {
		t.Errorf("none has tests: %+v", m)
	}
}

func TestSelectionGoesToItsPart(t *testing.T) {
	dir := tree(t, "-- svc/go.mod --\nmodule m\n-- svc/a_test.go --\npackage m\n\nfunc TestA(t *testing.T) {}\n-- web/test/a.test.js --\nimport 'node:test';\n-- web/package.json --\n{}\n")
	found, err := Find(dir)
	if err != nil || len(found) != 2 {
		t.Fatalf("Find = %v, %v", found, err)
	}
	c := Together(found)
	for p, want := range map[string]string{"svc.TestA": "svc", "svc/a_test.go": "svc", "web/test/a.test.js": "web", "web/test/a.test.js > a": "web"} {
		if err := Validate(dir, c, []string{p}); err != nil {
			t.Errorf("Validate(%q): %v", p, err)
		}
		for _, part := range c.Parts {
			if got := len(ownPaths(dir, part, []string{p})) > 0; got != (part.Dir == want) {
				t.Errorf("%q belongs to %s: %v", p, part.Dir, got)
			}
		}
	}
	for _, p := range []string{"-x", "../a_test.go", "svc.TestB", "web/package.json", ""} {
		if Validate(dir, c, []string{p}) == nil {
			t.Errorf("Validate(%q) passes", p)
		}
	}
	if !Selectable(c) {
		t.Error("no selection")
	}
}

func TestTouched(t *testing.T) {
	all := []Command{{Dir: ""}, {Dir: "web"}, {Dir: "api/v1"}}
	tests := []struct {
		commands []Command
		paths    []string
		want     []string
	}{
		{all, []string{"web/a.js"}, []string{"", "web"}}, {all, []string{"a.go"}, []string{""}}, {all[1:], []string{"web/a.js"}, []string{"web"}},
		{all[1:], []string{"web/a.js", "api/v1/x.go"}, []string{"web", "api/v1"}}, {all[1:], []string{"docs/a.md"}, []string{"web", "api/v1"}},
		{all[1:], []string{"webs/a.js", "api/v1/x.go"}, []string{"api/v1"}}, {nil, []string{"a"}, nil},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range Touched(tt.commands, tt.paths) {
			got = append(got, c.Dir)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Touched(%v) (-want +got):\n%s", tt.paths, diff)
		}
	}
	if c := Together(nil); len(c.Args) != 0 {
		t.Errorf("Together(nil) = %v", c)
	}
	if c := Together(all[:1]); len(c.Parts) != 0 {
		t.Errorf("one alone is %v", c)
	}
}
