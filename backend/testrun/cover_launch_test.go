package testrun

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/sandbox"
)

// TestCoverageThroughTheLaunchers holds that Python's runners are measured although they start isolated.
func TestCoverageThroughTheLaunchers(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "shop.py", "def total(n):\n    if n:\n        return n\n    return 0\n")
		writeFile(t, dir, "test_a.py", "import unittest\n\nimport shop\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(shop.total(5), 5)\n")
	})
	for _, runner := range []string{"pytest", "unittest"} {
		got, err := b.runner.Cover(t.Context(), dir, Custom([]string{"python3", "-m", runner}), nil, []string{"shop.py"})
		want := Coverage{Files: map[string]map[int]bool{"shop.py": {1: true, 2: true, 3: true, 4: false}}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", runner, err, diff)
		}
	}
}
