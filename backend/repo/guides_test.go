package repo

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGuides(t *testing.T) {
	top := t.TempDir()
	write := func(p, text string) {
		t.Helper()
		at := filepath.Join(top, p)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths := func(dir string) (out []string) {
		t.Helper()
		r, err := Open(filepath.Join(top, dir), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		all, err := r.Guides()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range all {
			out = append(out, g.Path)
		}
		return out
	}
	same := func(dir string, want ...string) {
		t.Helper()
		got := paths(dir)
		if len(got) != len(want) {
			t.Fatalf("%s: %q, want %q", dir, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s: %q, want %q", dir, got, want)
			}
		}
	}
	write("AGENTS.md", "outside of the repository\n")
	write("mono/AGENTS.md", "of the whole\n")
	write("mono/.github/copilot-instructions.md", "for copilot\n")
	write("mono/pkg/.cursorrules", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n") // a secret is no guide
	write("mono/pkg/CLAUDE.md", "   \n")                                                                                 // nor is nothing
	write("mono/pkg/web/AGENTS.md", "of the page\n")
	write("mono/pkg/web/CLAUDE.md", "of the page\n") // the same text again
	write("mono/pkg/web/a/b.txt", "x")

	same("mono/pkg/web", "CLAUDE.md") // no repository: nothing above is looked at
	write("mono/.git/HEAD", "ref: refs/heads/main\n")
	same("mono", "AGENTS.md", ".github/copilot-instructions.md")
	same("mono/pkg/web", "../../AGENTS.md", "../../.github/copilot-instructions.md", "CLAUDE.md")
	same("mono/pkg/web/a", "../../../AGENTS.md", "../../../.github/copilot-instructions.md", "../CLAUDE.md")
	write("mono/pkg/web/.git", "gitdir: ../../.git/modules/web\n") // a submodule is a repository of its own
	same("mono/pkg/web", "CLAUDE.md")

	if err := os.Symlink(filepath.Join(top, "AGENTS.md"), filepath.Join(top, "mono/CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	same("mono", "AGENTS.md", ".github/copilot-instructions.md") // a link out of the folder is no guide
	if os.Geteuid() == 0 {
		if err := os.Chown(filepath.Join(top, "mono"), 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(top, "mono/pkg/web/.git")); err != nil {
			t.Fatal(err)
		}
		same("mono/pkg/web", "CLAUDE.md") // what is above belongs to somebody else
	}
}

func TestHashGuides(t *testing.T) {
	a, b := []Guide{{"a", "b\n"}, {"c", "d"}}, []Guide{{"a", "b\n1 c 1 d"}}
	if HashGuides(nil) != "" || HashGuides(a) == HashGuides(b) || HashGuides(a) != HashGuides([]Guide{{"a", "b\n"}, {"c", "d"}}) {
		t.Fatal("the hash does not tell guides apart")
	}
}
