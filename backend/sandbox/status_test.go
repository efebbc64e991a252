package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		write string // "-" no file
		code  int
		err   string
	}{
		{"agree", "0\n", 0, ""},
		{"agree on a failure", "41\n", 41, ""},
		{"lost status", "41\n", 0, `the runtime says 0, the sandbox's own record "41"`},
		{"lost success", "0\n", 1, "the runtime says 1"},
		{"nobody saw the success", "-", 0, "missing"},
		{"the wrapper was killed", "-", 137, ""},
		{"disk full at a failure", "", 3, ""},
		{"disk full at a success", "", 0, "not to be trusted"},
		{"a long file", strings.Repeat("0", 100), 0, "tampered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			h := &home{}
			if err := h.newStatus(dir); err != nil {
				t.Fatal(err)
			}
			if c.write != "-" {
				if err := os.WriteFile(filepath.Join(dir, "status", "exit"), []byte(c.write), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := checkStatus(dir, c.code)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %v, want %q", err, c.err)
			}
		})
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "status"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "status", "exit")); err != nil {
		t.Fatal(err)
	}
	if err := checkStatus(dir, 0); err == nil {
		t.Error("a link is taken for the record")
	}
}

// testStatus forges the record: a run whose two statuses differ is no result.
func (b bench) testStatus(t *testing.T) {
	if _, err := b.sb.Run(t.Context(), Spec{Args: sh("(while :; do echo 0 > /run/status/exit; rm -f /run/status/exit; mkdir /run/status/exit; done) >/dev/null 2>&1 & sleep 0.2; exit 0"), Workspace: b.folder(t, nil)}); err == nil || !strings.Contains(err.Error(), "not to be trusted") {
		t.Errorf("got %v", err)
	}
	for _, code := range []int{0, 1, 42, 255} {
		if res := b.run(t, Spec{Args: sh("exit " + itoa(code))}); res.ExitCode != code {
			t.Errorf("%d came back as %d", code, res.ExitCode)
		}
	}
}
