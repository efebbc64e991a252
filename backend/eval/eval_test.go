package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"redgreen/backend/model"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
)

var samplesDir = os.DirFS("../../testdata/repos")

func TestFaultsAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range faults {
		if f.name == "" || f.does == "" || f.outcome == "" || seen[f.name] {
			t.Errorf("%q: not whole, or there twice", f.name)
		}
		seen[f.name] = true
		for _, name := range []string{"invoice", "cronline", "ledger", "semver"} {
			s, err := load(samplesDir, name)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.replies(s)) == 0 {
				t.Errorf("%s over %s: no replies", f.name, name)
			}
		}
	}
	f := fault{outcome: session.NotProven, why: "refused"}
	if !f.holds(Row{Outcome: session.NotProven, Why: "the model refused to go on"}) || f.holds(Row{Outcome: session.NotProven, Why: "stuck"}) ||
		f.holds(Row{Outcome: session.NotProven, Why: "refused", Proof: "proven"}) {
		t.Error("holds does not hold")
	}
}

func TestStablePrefix(t *testing.T) {
	t.Parallel()
	again, prefix := stable([][]byte{[]byte(`{"m":["a"]}`), []byte(`{"m":["a","b"]}`), []byte(`{"m":["x","b"]}`)})
	if again != float64(9+7)/float64(9+13) || prefix != float64(9+7)/float64(15+15) {
		t.Errorf("%v, %v", again, prefix)
	}
	if again, prefix := stable(nil); again != 0 || prefix != 0 {
		t.Errorf("of nothing: %v, %v", again, prefix)
	}
}

// The bare loop is counted by hand here: the task and the whole log, then what each call gave.
func TestBareLoop(t *testing.T) {
	t.Parallel()
	b := bare{ctx: t.Context(), files: os.DirFS("testdata")}
	b.see(session.TestsFinished{}, "task", nil)
	b.see(session.ModelRequested{Tokens: 7}, "", nil)
	b.see(session.ModelReplied{Message: model.Message{Text: "x"}}, "", [][]byte{[]byte(`{"system":"s"}`)})
	first := model.CountTokens(model.Request{System: "s", Messages: []model.Message{{Role: model.User, Text: "task\n\n"}}})
	b.end()
	if b.err != nil || b.steps != 1 || b.ours != 7 || b.total != first {
		t.Errorf("%+v, want %d", b, first)
	}
}

// The bare loop has a file whole, once, and saves the steps that only read in it again.
func TestBareLoopReadsOnce(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("a line\n", 300)
	b := bare{ctx: t.Context(), files: fstest.MapFS{"a.py": {Data: []byte(whole)}}}
	read := func(id, hash string) {
		b.see(session.ModelRequested{}, "", nil)
		b.see(session.ModelReplied{Message: model.Message{Role: model.Assistant, Calls: []model.Call{{ID: id, Name: "read_file"}}}}, "", nil)
		b.see(session.ToolFinished{CallID: id, Tool: "read_file", OK: true, Text: "1| a line", Seen: []session.Seen{{Path: "a.py", Hash: hash}}}, "", nil)
	}
	b.see(session.TestsFinished{}, "task", nil)
	read("1", "h1")
	read("2", "h1") // another part of the same text
	read("3", "h2") // after a change
	b.end()
	if b.steps != 3 || b.fewer != 1 {
		t.Errorf("%d steps, %d saved", b.steps, b.fewer)
	}
	n := 0
	for _, m := range b.req.Messages {
		for _, r := range m.Results {
			if n++; r.Text != whole {
				t.Errorf("result %d: %.40q", n, r.Text)
			}
		}
	}
	if n != 2 {
		t.Errorf("%d results", n)
	}
	log := "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\ntests/a.py::test_x PASSED  [ 50%]\ntests/a.py::test_y FAILED\n"
	if got, want := passing.ReplaceAllString(log, ""), "    b_test.go:3: no\n--- FAIL: TestB (0.00s)\ntests/a.py::test_y FAILED\n"; got != want {
		t.Errorf("log %q", got)
	}
}

// openSandbox gives a folder that the sandbox's user can reach, and the sandbox in it.
func openSandbox(t *testing.T) (dir string, box *sandbox.Sandbox) {
	t.Helper()
	dir, err := os.MkdirTemp("", "redgreen-eval-") // not below t.TempDir: that is closed to the sandbox's user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	for _, runtime := range []string{"bwrap", ""} { // the quickest, else the strongest: what a run finds does not depend on it
		if box, err = sandbox.Open(sandbox.Options{Dir: filepath.Join(dir, "sandbox"+runtime), Runtime: runtime}); err != nil {
			t.Fatal(err)
		}
		opened := box
		t.Cleanup(func() { _ = opened.Close() })
		if _, err = box.Rung(t.Context()); err == nil {
			break
		}
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no sandbox on this machine: %v", err)
	}
	return dir, box
}

// One fault that is survived, one that stops, and the run without one, over the real agent in the real sandbox.
func TestHarness(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a sandbox and seconds")
	}
	dir, box := openSandbox(t)
	o := Options{Samples: samplesDir, Names: []string{"invoice"}, Cases: []string{recordedFault, "unknown tools", "endless reading"}, Sandbox: box, Dir: dir}
	r, err := Harness(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() || len(r.Rows) != 3 || len(r.Tokens) != 1 || r.Tokens[0].Again != 1 {
		t.Fatalf("%+v", r)
	}
	o.Cases = []string{"no such fault"}
	if _, err := Harness(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no such") {
		t.Errorf("an unknown fault: %v", err)
	}
	o.Names = []string{"nobody"}
	if _, err := Harness(t.Context(), o); err == nil {
		t.Error("an unknown sample")
	}
}
