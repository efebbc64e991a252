package app

import (
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/proof"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// TestPrintCertificate: each line says what it is, no test is named twice, and nothing is said of nothing.
func TestPrintCertificate(t *testing.T) {
	t.Parallel()
	none := proof.None("x", time.Unix(0, 0))
	cert := none
	cert.State, cert.Reasons = proof.NotProven, []string{"4 tests are broken by the patch: a, b, c and 1 more (1 test did not run: d)."}
	cert.Broken, cert.PreExisting = []string{"a", "b", "c", "d"}, []string{"old"}
	cert.NotCovered = []string{"1 test failed before the patch and still does: old.", "Coverage was not measured: no such file."}
	cert.Command, cert.Runtime, cert.RuntimeLabel = []string{"make", "test"}, "runc", "container"
	cert.Toolchain, cert.Base = []testrun.Tool{{Name: "go", Version: "1.26"}}, "host"
	cert.BaseHash, cert.PatchHash, cert.Hash = strings.Repeat("b", 64), strings.Repeat("c", 64), strings.Repeat("d", 64)
	proven := cert
	proven.State, proven.Reasons, proven.Broken, proven.PreExisting, proven.NotCovered = proof.Proven, nil, nil, nil, nil
	proven.StillGreen, proven.Toolchain = 1, nil
	linted := proven
	linted.Linters = []string{"ruff"}
	old := proven
	old.Linters = nil // of an older version: nothing is known
	checked := none
	checked.State, checked.Reasons, checked.Checked = proof.NotProven, []string{"Why."}, "2 new tests pass."
	checked.Breaks = []proof.Break{{File: "a.py", Line: 3, Was: "a + b", Now: "a - b", Tests: []string{"t1", "t2"}}}
	checked.Criteria = []proof.Criterion{{ID: "C1", Text: "one", Tests: []string{"t1"}, Places: []string{"test_a.py:4"}}, {ID: "C2", Text: "two"}, {ID: "C3", Text: "three", Places: []string{"test_a.py:9"}}}
	tail := "  base:        bbbbbbbbbbbb (hash of the folder's files without the patch)\n  patch:       cccccccccccc (hash of the diff)\n" +
		"  proof:       dddddddddddd (hash of this certificate but its times: the same proof has the same)\n"
	head := "\ncertificate: proven\n  still green: 1 test\n"
	for name, c := range map[string]struct {
		cert proof.Certificate
		want string
	}{
		"nothing ran": {none, "\ncertificate: unverifiable\n  x.\n"},
		"not proven": {cert, "\ncertificate: not proven\n  4 tests are broken by the patch (1 test did not run: d).\n  broken:\n    a\n    b\n    c\n    d\n  red before and still:\n    old\n" +
			"  command:     make test\n  ran with:    go 1.26 of the host\n  isolation:   container (runc)\n  not checked: Coverage was not measured: no such file.\n" + tail},
		"no linter": {proven, head + "  command:     make test\n  isolation:   container (runc)\n  not checked: No linter looked at the change: the folder sets up none for these files.\n" + tail},
		"a linter":  {linted, head + "  linters:     ruff: nothing new\n  command:     make test\n  isolation:   container (runc)\n" + tail},
		"criteria, and what made tests fail": {checked, "\ncertificate: checked, not proven\n  Why.\n  checked: 2 new tests pass.\n    a.py:3 changed to `a - b`: t1, t2 red\n  acceptance criteria:\n" +
			"    C1 one: t1\n    C2 two: NOT COVERED by any test\n    C3 three: NOT COVERED: named at test_a.py:9, but no test there is known to have passed\n"},
		"older version": {old, head + "  command:     make test\n  isolation:   container (runc)\n" + tail},
	} {
		var out strings.Builder
		printCertificate(&out, c.cert)
		if d := cmp.Diff(c.want, out.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestDiffTextIsRead: a diff as it is printed, with short hashes, is read back as the same change.
func TestDiffTextIsRead(t *testing.T) {
	t.Parallel()
	content := func(text string) *patch.Content { return &patch.Content{Data: []byte(text), Mode: 0o644} }
	p, err := patch.Diff([]patch.Pair{{Path: "a.py", Before: content("x = 1\n"), After: content("x = 2\n")}, {Path: "b.py", After: content("y\n")}})
	if err != nil {
		t.Fatal(err)
	}
	text := diffText(session.State{Patch: p})
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "index ") && len(line) > len("index 123456789012..123456789012 100644\n") {
			t.Errorf("a long hash: %s", line)
		}
	}
	edits, err := patch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := patch.Resolve(edits, func(path string) (*patch.Content, error) {
		if path == "a.py" {
			return content("x = 1\n"), nil
		}
		return nil, fs.ErrNotExist
	})
	if err != nil || again.Hash() != p.Hash() {
		t.Errorf("read back: %v\n%s", err, again)
	}
}

// TestShowTellsAnInterruptedSession: a session whose process is gone is not shown as running, and how to go on is said.
func TestShowTellsAnInterruptedSession(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	store, err := c.sessions()
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.Create(t.Context(), session.Started{Folder: t.TempDir(), Task: "the total is wrong", Model: model.Info{Label: "a model"}})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd := &command{out: &out, err: io.Discard, core: c}
	if err := cmd.show(t.Context(), c, store, l.ID()); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "running ·") || !strings.Contains(text, "interrupted ·") || !strings.Contains(text, "redgreen sessions resume "+l.ID()) {
		t.Errorf("shown as:\n%s", text)
	}
}

// TestPrintRunWithoutVerdict: a run without a verdict counts nothing that did not run, says its reason to the end, and names nothing
// to click on a terminal.
func TestPrintRunWithoutVerdict(t *testing.T) {
	t.Parallel()
	long := "missing dependency: shop" + strings.Repeat(" and more of it", 60)
	r := testrun.Run{Infrastructure: true, PerTest: true, Runtime: "runc", Duration: 2 * time.Second, Reason: long + ". Run redgreen prepare FOLDER" + testrun.InWindow + " for what uv.lock names; else the end"}
	var out strings.Builder
	c := &command{out: &out}
	c.printRun(r)
	if want := "no verdict after 2s; isolation: runc\n" + long + ". Run redgreen prepare FOLDER for what uv.lock names; else the end\n"; out.String() != want {
		t.Errorf("%q, not %q", out.String(), want)
	}
	out.Reset()
	r.Tests = []testrun.Test{{ID: "a", Status: testrun.Passed}}
	if c.printRun(r); !strings.HasPrefix(out.String(), "no verdict; until then 1 passed, 0 failed, 0 skipped in 2s; isolation: ") {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	r.Infrastructure, r.Reason = false, ""
	if c.printRun(r); out.String() != "1 passed, 0 failed, 0 skipped in 2s; isolation: runc\n" {
		t.Errorf("%q", out.String())
	}
}

// TestPrintRunThatWasStopped: why the sandbox stopped a run is said in words, for each reason that there is.
func TestPrintRunThatWasStopped(t *testing.T) {
	t.Parallel()
	for _, reason := range []sandbox.Reason{sandbox.Timeout, sandbox.Memory, sandbox.Processes, sandbox.Disk, sandbox.Output, sandbox.Cancelled} {
		r := testrun.Run{Infrastructure: true, PerTest: true, Runtime: "runc", Duration: 2 * time.Second, Reason: string(reason), Tests: []testrun.Test{{ID: "a", Status: testrun.Passed}}}
		var out, err strings.Builder
		c := &command{out: &out, err: &err}
		c.printRun(r)
		c.ran(r)
		if got := out.String(); !strings.HasPrefix(got, "no verdict; until then 1 passed, 0 failed, 0 skipped in 2s; isolation: runc\nstopped: it ") || !strings.Contains(err.String(), "no verdict: stopped: it ") {
			t.Errorf("%s is told as %q and %q", reason, got, err.String())
		}
	}
}
