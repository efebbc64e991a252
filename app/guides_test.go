package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/model"
)

// TestGuidesAreShownFirst: no task starts with a guide that the person was not shown as it is, but where it is left out.
func TestGuidesAreShownFirst(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	h, err := newHost(c, "browser", func(string, any) {}, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	a, dir := &App{h: h}, t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := a.OpenFolder(dir)
	if err != nil || !folder.Guides.Seen || len(folder.Guides.Files) != 0 {
		t.Fatalf("without guides: %+v, %v", folder.Guides, err)
	}
	write("Use tabs.\x1b[31m\n")
	if folder, err = a.OpenFolder(dir); err != nil || folder.Guides.Seen || len(folder.Guides.Files) != 1 {
		t.Fatalf("with one: %+v, %v", folder.Guides, err)
	}
	if text := folder.Guides.Files[0].Text; strings.ContainsRune(text, 27) || !strings.HasPrefix(text, "Use tabs.") {
		t.Errorf("shown as %q", text)
	}
	f, err := c.open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.shownGuides(f.repo, model.Model{}, ""); explain(err).Code != Conflict {
		t.Fatalf("not shown: %v", err)
	}
	if _, off, err := c.shownGuides(f.repo, model.Model{}, folder.Guides.Hash); off || err != nil {
		t.Fatalf("shown: %v, %v", off, err)
	}
	if _, off, err := c.shownGuides(f.repo, model.Model{}, ""); off || err != nil {
		t.Fatalf("shown before: %v, %v", off, err)
	}
	write("Use blanks.\n")
	if _, _, err := c.shownGuides(f.repo, model.Model{}, folder.Guides.Hash); explain(err).Code != Conflict {
		t.Fatalf("changed since: %v", err)
	}
	g, err := a.ChooseGuides(dir, folder.Guides.Hash, false)
	if err != nil || !g.Off || g.Seen {
		t.Fatalf("left out: %+v, %v", g, err)
	}
	if _, off, err := c.shownGuides(f.repo, model.Model{}, ""); !off || err != nil {
		t.Fatalf("left out: %v, %v", off, err)
	}

	// The built-in engine reads none: nobody is asked for it, and that it ran does not make them seen.
	if g, err = a.ChooseGuides(dir, folder.Guides.Hash, true); err != nil || g.Off || g.Seen {
		t.Fatalf("given, but as they were: %+v, %v", g, err)
	}
	engine := model.Model{Info: model.Info{Provider: "builtin", Name: "repair", Search: true}}
	if hash, off, err := c.shownGuides(f.repo, engine, ""); hash != "" || !off || err != nil {
		t.Fatalf("the engine: %q, %v, %v", hash, off, err)
	}
	if g, err = a.Guides(dir); err != nil || g.Off || g.Seen {
		t.Fatalf("after the engine: %+v, %v", g, err)
	}
}
