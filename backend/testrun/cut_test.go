package testrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestReportsThatCannotBeWritten holds that a run whose report ends early, since nothing more can be written, has no verdict: its
// own process may write no file of more than 3000 bytes from its third test on.
func TestReportsThatCannotBeWritten(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "test_a.py", `import resource, unittest

class A(unittest.TestCase):
    pass

def add(i):
    def test(self):
        if i == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        self.assertNotEqual(i, 1)
    setattr(A, f"test_{i:02d}", test)

for i in range(40):
    add(i)
`)
		writeFile(t, dir, "spec/a_spec.rb", `trap("XFSZ", "IGNORE")
RSpec.describe("a") do
  40.times { |i| it("t#{i}") { Process.setrlimit(:FSIZE, 3000) if i == 2; raise "red" if i == 1 } }
end
`)
		writeFile(t, dir, "test/a.js", `process.on('SIGXFSZ', () => {});
for (let i = 0; i < 40; i++) it('t' + i, () => {
  if (i === 2) require('node:child_process').execFileSync('prlimit', ['--fsize=3000', '--pid', String(process.pid)]);
  if (i === 1) throw new Error('red');
});
`)
	})
	tried := 0
	for _, args := range []string{"python3 -m pytest -q", "python3 -m unittest", "rspec", "mocha"} {
		if _, err := exec.LookPath(strings.Fields(args)[0]); err != nil {
			continue
		}
		tried++
		run, err := b.runner.Run(t.Context(), dir, Custom(strings.Fields(args)), nil)
		if err != nil || !run.Infrastructure || !strings.Contains(run.Reason, "could not be written whole") {
			t.Errorf("%s: %v, %q, exit status %d; want no verdict\n%s", args, err, run.Reason, run.ExitCode, run.Log)
		}
	}
	if tried == 0 {
		t.Skip("no runner is here")
	}
}

// TestCutReports holds the same of what a run left, wherever it ends.
func TestCutReports(t *testing.T) {
	report := `{"Action":"start","Package":"m"}
{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"pass","Package":"m","Test":"TestA"}
{"Action":"run","Package":"m","Test":"TestB"}
`
	for _, tt := range []struct {
		report string
		cut    bool
	}{{report, false}, {report[:len(report)-20], true}, {report[:len(report)-1], true}} {
		dir := t.TempDir()
		j := &job{command: Command{Runner: "go", Args: []string{"go", "test"}}, tree: folder{root: dir}, out: dir, name: "report"}
		writeFile(t, dir, "report", tt.report)
		res := sandbox.Result{ExitCode: 1}
		run := finish(Run{}, kindOf("go"), j.command, j.output(res), res)
		if cut := strings.Contains(run.Reason, "could not be written whole"); cut != tt.cut || cut && !run.Infrastructure {
			t.Errorf("a report that ends in %q: %q", tt.report[len(tt.report)-10:], run.Reason)
		}
	}
}

// TestFullDisk holds it for every runner on a disk with no room left, which only root can make.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", dir).Run(); err != nil {
		t.Skip("no small disk can be mounted here")
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	report := `<testsuite><testcase name="a"/></testsuite>`
	for _, full := range []bool{false, true} {
		if full {
			if err := os.WriteFile(filepath.Join(dir, "other"), make([]byte, 80<<10), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		j := &job{command: Command{Runner: "maven", Args: []string{"mvn", "test"}}, tree: folder{root: dir}, out: dir, name: "report"}
		writeFile(t, dir, "a.xml", report)
		run := finish(Run{}, kindOf("maven"), j.command, j.output(sandbox.Result{}), sandbox.Result{})
		if run.Infrastructure != full {
			t.Errorf("full %v: %q", full, run.Reason)
		}
	}
}
