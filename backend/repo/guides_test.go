package repo

import (
	"os"
	"path/filepath"
	"syscall"
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

// TestOddGuides: what stands in a guide's place without being one is left out, and no reason not to work.
func TestOddGuides(t *testing.T) {
	for name, put := range map[string]func(at string) error{
		"a folder":           func(at string) error { return os.Mkdir(at, 0o755) },
		"a pipe":             func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"a link to itself":   func(at string) error { return os.Symlink(filepath.Base(at), at) },
		"a link to a folder": func(at string) error { return os.Symlink(".", at) },
		"a link to nothing":  func(at string) error { return os.Symlink("nothing", at) },
		"a link to a device": func(at string) error { return os.Symlink("/dev/zero", at) },
	} {
		for _, odd := range []string{"AGENTS.md", ".github", "sub/AGENTS.md", "sub/.github"} {
			top := t.TempDir()
			must(t, os.Mkdir(filepath.Join(top, ".git"), 0o755))
			must(t, os.Mkdir(filepath.Join(top, "sub"), 0o755))
			must(t, os.WriteFile(filepath.Join(top, "CLAUDE.md"), []byte("of the whole\n"), 0o644))
			must(t, put(filepath.Join(top, odd)))
			r, err := Open(filepath.Join(top, "sub"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			all, err := r.Guides()
			if err != nil || len(all) != 1 || all[0].Path != "../CLAUDE.md" {
				t.Errorf("%s as %s: %v, %v", name, odd, all, err)
			}
			must(t, r.Close())
		}
	}
}
