package proof

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// TestRunsCannotTalk proves a patch that changes nothing over a test that counts its runs in every folder it can write: it
// would fail on the base, pass with the patch and twice again, and fail without it.
func TestRunsCannotTalk(t *testing.T) {
	b := newBench(t)
	s := sample{dir: t.TempDir()}
	for name, text := range map[string]string{
		"shop.py": "TOTAL = 4\n",
		"test_shop.py": `import glob
import os
import tempfile

import shop


def count(folder):
    path = os.path.join(folder, "runs")
    try:
        with open(path, "a+") as file:
            file.write("x")
            return file.tell()
    except OSError:
        return 0


def test_total():
    places = ["/cache", "/cache/go-build", "/out", "/tmp", "/var/tmp", os.getcwd(), os.path.expanduser("~"), "/dev/shm"]
    run = max([count(p) for p in places])
    assert shop.TOTAL == 5 or run in (2, 3, 4)
`,
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := s.resolve(t, patch.Replace("shop.py", "TOTAL = 4\n", "TOTAL = 4  # the same\n"))
	base, done, err := b.tree(t, s, patch.Patch{})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	c := testrun.Custom([]string{"python3", "-m", "pytest"})
	baseline, err := b.runner.Run(t.Context(), base, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Runner: b.runner, Command: c, Baseline: baseline, Patch: p, BaseHash: "x", ReadBase: s.read, Now: time.Now,
		Tree: func(_ context.Context, p patch.Patch) (string, func(), error) { return b.tree(t, s, p) }}
	if shared, _, err := prove(t.Context(), o, b.runner); err != nil || shared.State != Proven {
		t.Errorf("over runs that share a cache the test deceives nobody: %s, %v, %v; it should, to show anything", shared.State, shared.Reasons, err)
	}
	cert, run, err := Prove(t.Context(), o)
	if err != nil || cert.State != NotProven || len(cert.RedToGreen) > 0 || len(cert.PreExisting) != 1 {
		t.Errorf("Prove = %s, %v, red to green %q, %v\n%s", cert.State, cert.Reasons, cert.RedToGreen, err, run.Log)
	}
}
