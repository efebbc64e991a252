package testrun

import (
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
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

// TestCoverageOfRuby holds that RSpec and Minitest are measured by Ruby itself, and a file that no test loads is known too.
func TestCoverageOfRuby(t *testing.T) {
	if _, err := exec.LookPath("rspec"); err != nil {
		t.Skip(err)
	}
	b := realBench(t, sandbox.Limits{Wall: time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "lib/shop.rb", "def total(n)\n  if n > 5\n    return 5\n  end\n  n\nend\n")
		writeFile(t, dir, "lib/unused.rb", "def unused\n  1\nend\n")
		writeFile(t, dir, "spec/shop_spec.rb", "require_relative '../lib/shop'\nRSpec.describe('shop') { it('sums') { expect(total(3)).to eq 3 } }\n")
		writeFile(t, dir, "test/shop_test.rb", "require 'minitest/autorun'\nrequire 'shop'\nclass ShopTest < Minitest::Test\n  def test_sum = assert_equal(3, total(3))\nend\n")
	})
	want := Coverage{Files: map[string]map[int]bool{"lib/shop.rb": {1: true, 2: true, 3: false, 5: true}, "lib/unused.rb": {1: false, 2: false}}}
	for _, args := range []string{"rspec", "ruby -Ilib test/shop_test.rb"} {
		got, err := b.runner.Cover(t.Context(), dir, Custom(strings.Fields(args)), nil, []string{"lib/shop.rb", "lib/unused.rb"})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", args, err, diff)
		}
	}
}

// TestCoverageOfCompiledScripts holds that V8's counts of what a compiler made of a file are not taken for the file's lines.
func TestCoverageOfCompiledScripts(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a.js", "\uFEFFexports.a = () => 1;\n")
	report := func(end string) measured {
		text := `{"result":[{"url":"file:///workspace/a.js","functions":[{"ranges":[{"startOffset":0,"endOffset":` + end + `,"count":1}]}]}]}`
		return measured{out: fstest.MapFS{"v8/coverage-1.json": {Data: []byte(text)}}, tree: folder{root: dir}, files: []string{"a.js"}}
	}
	got, err := readNodeCover(report("21"))
	if diff := cmp.Diff(map[string]map[int]bool{"a.js": {1: true}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := readNodeCover(report("40")); err == nil || !strings.Contains(err.Error(), "a.js was changed by a compiler") {
		t.Error(err)
	}
}

// TestVitestMeasuresWithTheFoldersProvider holds that nothing is run for a coverage that vitest cannot measure there.
func TestVitestMeasuresWithTheFoldersProvider(t *testing.T) {
	for deps, want := range map[string]string{`"vitest":"3"`: "", `"@vitest/coverage-v8":"3"`: "v8", `"@vitest/coverage-istanbul":"3"`: "istanbul"} {
		dir := t.TempDir()
		writeFile(t, dir, "web/package.json", `{"devDependencies":{`+deps+`}}`)
		j := &job{command: Command{Runner: "vitest", Dir: "web"}, tree: folder{root: dir}, name: "report"}
		if got := vitestProvider(j); got != want {
			t.Errorf("%s: %q, want %q", deps, got, want)
		}
		if problem := covers("vitest").lacks(j); (problem == "") != (want != "") {
			t.Error(problem)
		}
		coverVitest(j, []string{"web/a.ts", "b.ts"})
		if args := strings.Join(j.spec.Args, " "); !strings.HasSuffix(args, "--coverage.include=a.ts") {
			t.Error(args)
		}
	}
}
