package agent

import (
	"testing"

	"redgreen/backend/patch"
)

// TestDependencies: what a patch makes the folder depend on is named, so that no --approve auto lets it in unseen.
func TestDependencies(t *testing.T) {
	t.Parallel()
	content := func(text string) *patch.Content { return &patch.Content{Data: []byte(text), Mode: 0o644} }
	change := func(path, before, after string) patch.Patch {
		t.Helper()
		p, err := patch.Diff([]patch.Pair{{Path: path, Before: content(before), After: content(after)}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if got := dependencies(change("go.mod", "module x\n", "module x\nrequire example.com/evil v1.0.0\n")); got != "go.mod:2" {
		t.Errorf("go.mod: %q", got)
	}
	if got := dependencies(change("a.py", "x = 1\n", "x = 1\ny = 2\n")); got != "" {
		t.Errorf("a.py: %q", got)
	}
}
