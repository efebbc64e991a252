package app

import (
	"log/slog"
	"os"
	"testing"
)

// The kill test in small; `redgreen eval kills` is the whole of it.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a sandbox and seconds")
	}
	home := t.TempDir()
	core, err := newCore(testAssets(), testEnv(home), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	core.settings.Runtime = "bwrap"
	box, err := core.sandbox("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := box.Rung(t.Context()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no bubblewrap on this machine: %v", err)
	}
	dir, err := os.MkdirTemp("", "redgreen-kills-") // not below t.TempDir: that is closed to the sandbox's user
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	report, err := runKills(t.Context(), dir, killFlags{kills: 25, seed: 3, runtime: "bwrap"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() || report.Kills < 25 || len(report.Rows) < 3 {
		t.Errorf("%d kills, %d sessions, %d kinds; missed:", report.Kills, report.Sessions, len(report.Rows))
		for _, miss := range report.Misses {
			t.Error(miss)
		}
	}
}
