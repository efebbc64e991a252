package proof

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
	"redgreen/backend/sandbox"
	"redgreen/backend/testrun"
)

// sample is one of testdata/repos with its known solution.
type sample struct {
	Name     string
	Path     string
	Solution string
	Expect   struct {
		RedToGreen []string `json:"red_to_green"`
	}
	dir string
}

func readSample(t *testing.T, name string) sample {
	t.Helper()
	root := filepath.Join("..", "..", "testdata", "repos")
	data, err := os.ReadFile(filepath.Join(root, name+".task.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s sample
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if s.dir, err = filepath.Abs(filepath.Join(root, s.Path)); err != nil {
		t.Fatal(err)
	}
	return s
}

// read gives a file of the sample.
func (s sample) read(p string) (*patch.Content, error) {
	full := filepath.Join(s.dir, filepath.FromSlash(p))
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	return &patch.Content{Data: data, Mode: uint32(info.Mode().Perm())}, nil
}

// diff is the patch of a unified diff.
func (s sample) diff(t *testing.T, text string) patch.Patch {
	t.Helper()
	edits, err := patch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s.resolve(t, edits...)
}

func (s sample) resolve(t *testing.T, edits ...patch.Edit) patch.Patch {
	t.Helper()
	p, _, err := patch.Resolve(edits, s.read)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bench is the real sandbox with what a proof needs.
type bench struct {
	sb     *sandbox.Sandbox
	runner *testrun.Runner
	reruns int // 0 the default
}

func newBench(t *testing.T) bench {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the samples' tests in the sandbox")
	}
	sb, err := openSandbox(t)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no sandbox works here: %v", err)
		}
		t.Skipf("no sandbox works here: %v", err)
	}
	t.Cleanup(func() { _ = sb.Close() })
	seed, err := filepath.Abs(filepath.Join("..", "..", "build", "cache", "go-seed"))
	if err != nil {
		t.Fatal(err)
	}
	return bench{sb: sb, runner: testrun.New(testrun.Options{Sandbox: sb, Cache: filepath.Join(t.TempDir(), "cache"), Seed: seed,
		Limits: sandbox.Limits{Wall: 9 * time.Minute}})}
}

// whichRung is the runtime that the tests with the real sandbox take.
var whichRung = flag.String("rung", "", "the sandbox's runtime: bwrap, crun, …; the first that works when empty")

// openSandbox takes the quickest runtime that works: what is proven does not depend on it, and each starts a hundred runs.
func openSandbox(t *testing.T) (*sandbox.Sandbox, error) {
	t.Helper()
	var all error
	rungs := []string{"bwrap", "crun", "runc", "runsc"}
	if *whichRung != "" {
		rungs = []string{*whichRung}
	}
	for _, name := range rungs {
		sb, err := sandbox.Open(sandbox.Options{Dir: t.TempDir(), Runtime: name})
		if err == nil {
			if _, err = sb.Rung(t.Context()); err == nil {
				return sb, nil
			}
			_ = sb.Close()
		}
		all = errors.Join(all, err)
	}
	return nil, all
}

// tree makes a folder with the sample and a patch applied.
func (b bench) tree(t *testing.T, s sample, p patch.Patch) (string, func(), error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil {
		return "", nil, err
	}
	for _, f := range p.Files {
		before, err := s.read(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			before, err = nil, nil
		}
		if err != nil {
			return "", nil, err
		}
		after, err := patch.Apply(f, before)
		if err != nil {
			return "", nil, err
		}
		full := filepath.Join(dir, filepath.FromSlash(f.Path))
		if after == nil {
			if err := os.Remove(full); err != nil {
				return "", nil, err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return "", nil, err
		}
		if err := os.WriteFile(full, after.Data, 0o644); err != nil {
			return "", nil, err
		}
	}
	if uid, gid, ok := b.sb.Owner(); ok {
		err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(p, uid, gid)
		})
		if err != nil {
			return "", nil, err
		}
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// baseline runs a sample as it is.
func (b bench) baseline(t *testing.T, s sample) (testrun.Command, testrun.Run) {
	t.Helper()
	commands, err := testrun.Find(s.dir)
	if err != nil || len(commands) != 1 {
		t.Fatalf("Find(%s) = %v, %v; want one command", s.Name, commands, err)
	}
	dir, done, err := b.tree(t, s, patch.Patch{})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	run, err := b.runner.Run(t.Context(), dir, commands[0], nil)
	if err != nil || run.Infrastructure {
		t.Fatalf("baseline of %s: %v %s\n%s", s.Name, err, run.Reason, run.Log)
	}
	return commands[0], run
}

// prove proves one patch of a sample.
func (b bench) prove(t *testing.T, s sample, c testrun.Command, base testrun.Run, p patch.Patch) Certificate {
	t.Helper()
	cert, _, err := Prove(t.Context(), Options{
		Runner: b.runner, Command: c, Baseline: base, Patch: p, BaseHash: "base", ReadBase: s.read, Reruns: b.reruns,
		Tree: func(_ context.Context, p patch.Patch) (string, func(), error) { return b.tree(t, s, p) },
		Now:  func() time.Time { return time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// attempt is one patch and what must become of it.
type attempt struct {
	name   string
	patch  func(t *testing.T, s sample) patch.Patch
	state  State
	rule   string // of an integrity flag
	reason string // part of the reasons
}

func replace(path, old, new string) func(*testing.T, sample) patch.Patch {
	return func(t *testing.T, s sample) patch.Patch { return s.resolve(t, patch.Replace(path, old, new)) }
}

// added is the sample's solution with further edits.
func withSolution(path, old, new string) func(*testing.T, sample) patch.Patch {
	return func(t *testing.T, s sample) patch.Patch {
		edits, err := patch.Parse(s.Solution)
		if err != nil {
			t.Fatal(err)
		}
		return s.resolve(t, append(edits, patch.Replace(path, old, new))...)
	}
}

func solution(t *testing.T, s sample) patch.Patch { return s.diff(t, s.Solution) }

// TestSamples proves right fixes and refuses all else, with the real runners in the real sandbox.
func TestSamples(t *testing.T) {
	b := newBench(t)
	samples := map[string][]attempt{
		"invoice": {
			{name: "right fix", patch: solution, state: Proven},
			{name: "comment only", patch: replace("invoice/tax.py", "    \"\"\"The country whose VAT applies.\"\"\"\n", "    \"\"\"The country whose VAT applies to the customer.\"\"\"\n"),
				state: NotProven, reason: "No test went from red to green"},
			{name: "half a fix leaves the other test red", patch: replace("invoice/tax.py", "    return customer.address.country\n", "    return customer.address.country if customer.address else HOME\n"), state: Proven},
			{name: "fix that breaks another", patch: replace("invoice/tax.py", "    return customer.address.country\n", "    return HOME\n"),
				state: NotProven, reason: "broken by the patch"},
			{name: "syntax error", patch: replace("invoice/tax.py", "    return customer.address.country\n", "    return customer.address.country if\n"),
				state: NotProven, reason: "broken by the patch"},
			{name: "test weakened", patch: replace("tests/test_app.py", "    code, body = client.request(\"POST\", \"/invoices\", order)\n    assert code == 201\n    assert json.loads(body)[\"gross\"] == \"56.38\"\n",
				"    code, body = client.request(\"POST\", \"/invoices\", order)\n    assert code in (201, 500)\n"),
				state: NotProven, rule: ruleExpected, reason: "only because the patch changes the tests"},
			{name: "test skipped", patch: replace("tests/test_app.py", "def test_customer_without_address_pays_home_vat", "import pytest\n\n\n@pytest.mark.skip\ndef test_customer_without_address_pays_home_vat"),
				state: NotProven, rule: ruleSkipped, reason: "skipped or gone"},
			{name: "answers only under test", patch: replace("invoice/tax.py", "    return customer.address.country\n",
				"    import os\n    if \"PYTEST_CURRENT_TEST\" in os.environ and not customer.address:\n        return HOME\n    return customer.address.country\n"),
				state: NotProven, rule: ruleDetects},
			{name: "ends the run early", patch: replace("invoice/tax.py", "HOME = \"IE\"\n", "import os\nHOME = \"IE\"\nos._exit(0)\n"), state: NotProven, rule: ruleEnds},
			{name: "right fix with its own test", patch: withSolution("tests/test_tax.py", "def test_export_is_free_of_vat",
				"def test_no_address_is_taxed_at_home():\n    assert tax.rate(Customer(\"Ada Byron\"), \"standard\") == 23\n\n\ndef test_export_is_free_of_vat"), state: Proven},
			{name: "only a new test that passes anyway", patch: replace("tests/test_tax.py", "def test_export_is_free_of_vat",
				"def test_home():\n    assert tax.HOME == \"IE\"\n\n\ndef test_export_is_free_of_vat"), state: NotProven, reason: "No test went from red to green"},
		},
		"ledger": {
			{name: "right fix", patch: solution, state: Proven},
			{name: "no-op", patch: replace("amount/amount.go", "	if units < 0 {\n", "	if units <= -1 {\n"), state: NotProven, reason: "No test went from red to green"},
			{name: "does not compile", patch: replace("amount/amount.go", "	if units < 0 {\n", "	if units < nil {\n"), state: NotProven, reason: "the code does not compile: amount"},
			{name: "fix that breaks another", patch: replace("amount/amount.go", "	if units < 0 {\n", "	if units <= 0 {\n"), state: NotProven, reason: "broken by the patch"},
			{name: "case taken out", patch: replace("amount/amount_test.go", "		{\"negative cents\", \"-0.75\", -75},\n", ""), state: NotProven, rule: ruleChanged},
			{name: "test skipped", patch: replace("journal/journal_test.go", "func TestReadTakesASmallRefund(t *testing.T) {\n", "func TestReadTakesASmallRefund(t *testing.T) {\n	t.Skip(\"later\")\n"),
				state: NotProven, rule: ruleSkipped, reason: "skipped or gone"},
		},
		"cronline": {
			{name: "right fix", patch: solution, state: Proven},
			{name: "wrong fix", patch: replace("src/next.js", "  return schedule.day.has(time.getUTCDate()) && schedule.weekday.has(time.getUTCDay());\n",
				"  return schedule.day.has(time.getUTCDate()) || schedule.weekday.has(time.getUTCDay());\n"), state: NotProven, reason: "broken by the patch"},
			{name: "does not parse", patch: replace("src/next.js", "function dayMatches(", "function dayMatches(("), state: NotProven, reason: "broken by the patch"},
			{name: "expected value changed", patch: replace("test/next.test.js", "new Date('2024-04-29T12:00Z'))), '2024-05-01T09:00'", "new Date('2024-04-29T12:00Z'))), '2024-07-01T09:00'"),
				state: NotProven, rule: ruleExpected, reason: "only because the patch changes the tests"},
			{name: "test script changed", patch: replace("package.json", "\"test\": \"node --test\"", "\"test\": \"node --test test/parse.test.js\""), state: NotProven, rule: string(testConfig)},
		},
	}
	for _, name := range []string{"invoice", "cronline", "ledger"} {
		t.Run(name, func(t *testing.T) {
			s := readSample(t, name)
			command, base := b.baseline(t, s)
			for _, a := range samples[name] {
				t.Run(a.name, func(t *testing.T) {
					c := b.prove(t, s, command, base, a.patch(t, s))
					a.check(t, s, c)
				})
			}
		})
	}
}

func (a attempt) check(t *testing.T, s sample, c Certificate) {
	t.Helper()
	text, _ := json.MarshalIndent(c, "", "  ")
	if c.State != a.state {
		t.Errorf("state is %s, want %s\n%s", c.State, a.state, text)
	}
	if a.rule != "" && !slices.ContainsFunc(c.Integrity, func(f Flag) bool { return f.Rule == a.rule && f.File != "" && f.Line > 0 && f.Text != "" }) {
		t.Errorf("no flag %q\n%s", a.rule, text)
	}
	if reasons := strings.Join(c.Reasons, "\n"); !strings.Contains(reasons, a.reason) || a.state != Proven && reasons == "" {
		t.Errorf("reasons do not say %q\n%s", a.reason, text)
	}
	if a.name == "right fix" {
		if diff := cmp.Diff(slices.Sorted(slices.Values(s.Expect.RedToGreen)), c.RedToGreen); diff != "" {
			t.Errorf("red to green (-want +got):\n%s", diff)
		}
	}
	if c.Runtime == "" || c.RuntimeLabel == "" {
		t.Errorf("the certificate does not say what it ran in\n%s", text)
	}
	if strings.Contains(string(text), ": null") {
		t.Errorf("a list is null\n%s", text)
	}
}
