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

// TestCoverageNamesTheLine holds that V8's and Go's counts, which are of ranges, become the lines that a person means.
func TestCoverageNamesTheLine(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 5 * time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "sum.js", "exports.sum = (list) => {\n  let total = 0;\n  for (const n of list) total += n;\n  if (list.length > 5) {\n    return -1;\n  }\n  return total;\n};\n")
		writeFile(t, dir, "sum.test.js", "const { sum } = require('./sum.js');\nrequire('node:test')('sums', () => require('node:assert').equal(sum([1, 2]), 3));\n")
		writeFile(t, dir, "go.mod", "module example.com/clamp\n\ngo 1.21\n")
		writeFile(t, dir, "clamp.go", "package clamp\n\nfunc Clamp(n int) int {\n\tif n > 100 {\n\t\treturn 100\n\t}\n\treturn n\n}\n")
		writeFile(t, dir, "clamp_test.go", "package clamp\n\nimport \"testing\"\n\nfunc TestClamp(t *testing.T) {\n\tif Clamp(7) != 7 {\n\t\tt.Error(\"7 is clamped\")\n\t}\n}\n")
	})
	for _, tt := range []struct {
		file    string
		command []string
		want    map[int]bool
	}{
		{"sum.js", []string{"node", "--test"}, map[int]bool{1: true, 2: true, 3: true, 4: true, 5: false, 7: true}},
		{"clamp.go", []string{"go", "test", "./..."}, map[int]bool{3: true, 4: true, 5: false, 6: false, 7: true}},
	} {
		got, err := b.runner.Cover(t.Context(), dir, Custom(tt.command), nil, []string{tt.file})
		if diff := cmp.Diff(Coverage{Files: map[string]map[int]bool{tt.file: tt.want}}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.file, err, diff)
		}
	}
}
