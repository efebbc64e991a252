package testrun

import (
	"context"
	"testing"

	"redgreen/backend/sandbox"
)

// TestToolsAreAskedOnce: what the programs of the machine are is asked once for a task and its proofs; what stands in the tree, or
// is started in another way, is asked again.
func TestToolsAreAskedOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	r := New(Options{Sandbox: &sandbox.Sandbox{}, Cache: t.TempDir(), TempDir: t.TempDir(), Hang: 2})
	r.owner = func() (int, int, bool) { return 0, 0, false }
	r.run = func(context.Context, sandbox.Spec) (sandbox.Result, error) {
		asked++
		return sandbox.Result{Stdout: []byte("python\t/usr/bin/python3\tPython 3.11.2\n")}, nil
	}
	proof := r.With(t.TempDir())
	apart, done, err := proof.Apart()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	ask := func(by *Runner, runner, program string, shown ...sandbox.Mount) {
		t.Helper()
		j := &job{command: Command{Runner: runner}, spec: sandbox.Spec{Args: []string{program}, ReadOnly: append(shown, sandbox.Mount{Source: t.TempDir(), Target: reportersPath})}}
		if tools := by.toolchain(t.Context(), j); len(tools) == 0 || tools[0].Version != "3.11.2" {
			t.Errorf("%+v", tools)
		}
	}
	for _, by := range []*Runner{r, proof, apart, apart.Hasty(1), r} {
		ask(by, "unittest", "/usr/bin/python3")
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	ask(apart, "unittest", "/opt/python3")
	ask(apart, "unittest", "/usr/bin/python3", sandbox.Mount{Source: "/prepared", Target: "/deps"})
	if asked != 3 {
		t.Errorf("asked %d times, want once more for another program and for other packages", asked)
	}
	for _, by := range []*Runner{r, r, apart, apart} {
		ask(by, "unittest", workspacePath+"/.venv/bin/python3")
	}
	if asked != 5 {
		t.Errorf("asked %d times, want once more by each for a program of the tree", asked)
	}
}
