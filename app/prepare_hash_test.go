package app

import (
	"os"
	"path/filepath"
	"testing"

	"redgreen/backend/testrun"
)

// TestAPlanThatChangedIsNotInstalled: what runs with access to the network is what the person saw.
func TestAPlanThatChangedIsNotInstalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.py"), []byte("x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := newHost(testCore(t), "browser", func(string, any) {}, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	a := &App{h: h}
	_, err = a.Prepare(dir, "of another plan", nil)
	if err == nil || explain(err).Code != Conflict {
		t.Errorf("got %v, want a conflict", err)
	}

	one := PreparePlan{Steps: []testrun.Step{{Name: "pip", Hosts: []string{"a.example.org"}}}}.hashed()
	other := PreparePlan{Steps: []testrun.Step{{Name: "pip", Hosts: []string{"b.example.org"}}}}.hashed()
	if one.Hash == other.Hash || one.Hash == "" {
		t.Errorf("two plans with other hosts have the hashes %q and %q", one.Hash, other.Hash)
	}
}
