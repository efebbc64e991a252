package sandbox

import (
	"os"
	"testing"
)

func TestDoctor(t *testing.T) {
	t.Parallel()
	sb, err := Open(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	report := sb.Doctor(t.Context())
	rungs := map[string]bool{}
	for _, k := range Runtimes() {
		rungs[k.Name] = true
	}
	for _, c := range report.Checks {
		t.Logf("%-40s %-5v %6s %s [%s]", c.Name, c.OK, c.Took.Round(1e6), c.Detail, c.Fix)
		if !c.OK && !rungs[c.Name] && report.Chosen != "" && c.Name != report.Chosen+": limits" {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
		delete(rungs, c.Name)
	}
	if len(rungs) > 0 {
		t.Errorf("no line for %v", rungs)
	}
	if report.Chosen == "" && os.Getenv("CI") == "true" {
		t.Error("no runtime works")
	}
}

func TestSplitFix(t *testing.T) {
	for _, c := range []struct{ in, detail, fix string }{
		{"krun is not installed (sudo x)", "krun is not installed", "sudo x"},
		{"it broke", "it broke", ""},
		{"it (really) broke", "it (really) broke", ""},
	} {
		if d, f := splitFix(c.in); d != c.detail || f != c.fix {
			t.Errorf("%q: %q, %q", c.in, d, f)
		}
	}
}
