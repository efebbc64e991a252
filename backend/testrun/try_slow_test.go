package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestTrySlowly tries each candidate as a run of its own where the runner has no driver: one that never ends is stopped after a few
// times what a run takes and costs the others nothing, and behind one that passes not all the rest is tried.
func TestTrySlowly(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	const lib = "value() { echo 1; }\n"
	dir := b.files(t, map[string]string{
		"lib.sh": lib,
		"run.sh": ". ./lib.sh\necho 1..2\nif [ \"$(value)\" = 2 ]; then echo 'ok 1 - two'; else echo 'not ok 1 - two'; fi\necho 'ok 2 - other'\n[ \"$(value)\" = 2 ]\n",
	})
	c := Custom([]string{"sh", "run.sh"})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 1 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	var candidates []Candidate
	for _, does := range []string{"while :; do :; done", "echo 3", "echo 2"} {
		candidates = append(candidates, Candidate{"lib.sh": strings.Replace(lib, "echo 1", does, 1)})
	}
	for len(candidates) < 3+2*slowMore {
		candidates = append(candidates, candidates[1])
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: 2 * time.Minute, Enough: 3, Run: 100 * time.Millisecond})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && len(t.Hung) == 1 && !t.Whole },
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Passes() },
		func(t Trial) bool { return t.Tried && len(t.Hung) == 0 },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
	if trials[len(trials)-1].Tried {
		t.Error("all were tried, although one passed early")
	}
	if got, err := os.ReadFile(filepath.Join(dir, "lib.sh")); err != nil || string(got) != lib {
		t.Errorf("the folder was changed: %q, %v", got, err)
	}
}

// TestTrySlowlyEncoded: where each candidate is a run of its own, its file has the bytes of its encoding.
func TestTrySlowlyEncoded(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: time.Minute})
	dir := b.files(t, map[string]string{"name.py": "# coding: latin-1\nNAME, N = 'caf\xe9', 1\n"})
	c := Custom([]string{"python3", "-c", "import name; assert (name.NAME, name.N) == ('caf\u00e9', 2)"})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 {
		t.Fatalf("red %q: %s", red, base.Reason)
	}
	fix := Candidate{"name.py": "# coding: latin-1\nNAME, N = 'café', 2\n"}
	latin := func(_, text string) ([]byte, error) { return []byte(strings.ReplaceAll(text, "é", "\xe9")), nil }
	trials, problem, err := b.runner.Try(t.Context(), dir, c, []Candidate{fix}, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 1, Bytes: latin})
	if err != nil || problem != "" || !trials[0].Passes() {
		t.Errorf("%+v, %q, %v", trials, problem, err)
	}
}
