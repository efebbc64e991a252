package repo

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := folder(t, fixture{"a": "a\n"})
	check := func(what, dir, branch, commit string) {
		t.Helper()
		if got := open(t, dir).Git(); got != (Git{branch, commit}) {
			t.Errorf("%s: %+v, want %s at %s", what, got, branch, commit)
		}
	}
	git(t, dir, "init", "-q", "-b", "main")
	check("before the first commit", dir, "main", "")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	one := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
	check("on a branch", dir, "main", one)
	git(t, dir, "switch", "-qc", "feature/x")
	git(t, dir, "commit", "-qm", "two", "--allow-empty")
	two := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
	check("on a branch with a slash", dir, "feature/x", two)
	git(t, dir, "pack-refs", "--all")
	check("packed", dir, "feature/x", two)
	tree := filepath.Join(t.TempDir(), "tree")
	git(t, dir, "worktree", "add", "-q", tree, "main")
	check("worktree", tree, "main", one)
	git(t, tree, "checkout", "-q", "--detach")
	check("detached worktree", tree, "", one)
	check("the first one beside it", dir, "feature/x", two)
	sub := filepath.Join(t.TempDir(), "super")
	must(t, os.Mkdir(sub, 0o755))
	git(t, sub, "init", "-q", "-b", "main")
	git(t, sub, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dir, "lib")
	check("submodule", filepath.Join(sub, "lib"), "feature/x", two)
	if got := paths(t, open(t, sub).tree); strings.Join(got, " ") != ".gitmodules lib/a" {
		t.Error("a folder with a submodule:", got)
	}
	wide := folder(t, fixture{"a": "a\n"})
	git(t, wide, "init", "-q", "-b", "main", "--object-format=sha256")
	git(t, wide, "add", ".")
	git(t, wide, "commit", "-qm", "one")
	check("SHA-256", wide, "main", strings.TrimSpace(git(t, wide, "rev-parse", "HEAD")))
}

func TestGitOdd(t *testing.T) {
	t.Parallel()
	const hash = "0123456789abcdef0123456789abcdef01234567"
	for name, c := range map[string]struct {
		fx   fixture
		want Git
	}{
		"no git":                  {fixture{}, Git{}},
		"empty .git":              {fixture{".git/": ""}, Git{}},
		"empty HEAD":              {fixture{".git/HEAD": ""}, Git{}},
		"HEAD is a folder":        {fixture{".git/HEAD/x": ""}, Git{}},
		"HEAD is binary":          {fixture{".git/HEAD": "\x00\xff"}, Git{}},
		"HEAD is huge":            {fixture{".git/HEAD": "ref: refs/heads/" + strings.Repeat("a", 1<<20)}, Git{}},
		"reference leads outside": {fixture{".git/HEAD": "ref: refs/../../secret", "secret": hash}, Git{}},
		"reference is absolute":   {fixture{".git/HEAD": "ref: /etc/passwd"}, Git{}},
		"control characters":      {fixture{".git/HEAD": "ref: refs/heads/a\x1b[31m"}, Git{}},
		"reftable":                {fixture{".git/HEAD": "ref: refs/heads/.invalid"}, Git{}},
		"no hash":                 {fixture{".git/HEAD": "ref: refs/heads/main", ".git/refs/heads/main": "root:x:0:0\n"}, Git{Branch: "main"}},
		"circle":                  {fixture{".git/HEAD": "ref: refs/heads/a", ".git/refs/heads/a": "ref: refs/heads/b", ".git/refs/heads/b": "ref: refs/heads/a"}, Git{Branch: "a"}},
		"symbolic branch":         {fixture{".git/HEAD": "ref: refs/heads/a", ".git/refs/heads/a": "ref: refs/heads/b", ".git/refs/heads/b": hash}, Git{"b", hash}},
		"detached":                {fixture{".git/HEAD": hash + "\n"}, Git{"", hash}},
		"broken packed-refs":      {fixture{".git/HEAD": "ref: refs/heads/main", ".git/packed-refs": "# x\n\x00\nnonsense\n" + hash + " refs/heads/main\n"}, Git{"main", hash}},
		"gitfile to nowhere":      {fixture{".git": "gitdir: nowhere"}, Git{}},
		"gitfile to no git":       {fixture{".git": "gitdir: src", "src/HEAD": "hello"}, Git{}},
		"gitfile with nonsense":   {fixture{".git": "hello"}, Git{}},
		"gitfile":                 {fixture{".git": "gitdir: meta\n", "meta/HEAD": hash}, Git{"", hash}},
		"broken index":            {fixture{".git/HEAD": hash, ".git/index": "DIRC\x00\x00\x00\x02\xff\xff\xff\xffnonsense", ".gitignore": "x\n", "x": ""}, Git{"", hash}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, folder(t, c.fx))
			diff(t, c.want, r.Git())
			if _, err := r.Files(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	dir := folder(t, fixture{".git/": "", "a": ""}) // a pipe must not be waited for
	for _, p := range []string{".git/HEAD", ".gitignore"} {
		must(t, syscall.Mkfifo(filepath.Join(dir, p), 0o600))
	}
	r := open(t, dir)
	diff(t, Git{}, r.Git())
	diff(t, []string{"a"}, paths(t, r.tree))
}

// TestOpeningRunsNothing opens, lists, copies, changes and undoes in a repository that would run a program at every
// occasion git has: each would leave a mark.
func TestOpeningRunsNothing(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := folder(t, nil)
	git(t, dir, "init", "-q")
	p := change5(t, dir)
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	mark := filepath.Join(t.TempDir(), "mark")
	evil := filepath.Join(dir, "evil.sh")
	must(t, os.WriteFile(evil, []byte("#!/bin/sh\necho $0 >> "+mark+"\ncat\n"), 0o755))
	fixture{".gitattributes": "* filter=evil diff=evil merge=evil\n"}.write(t, dir)
	f, err := os.OpenFile(filepath.Join(dir, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("[core]\n\tfsmonitor = " + evil + "\n\thooksPath = " + dir + "\n\teditor = " + evil + "\n\tpager = " + evil + "\n\tsshCommand = " + evil +
		"\n[filter \"evil\"]\n\tclean = " + evil + "\n\tsmudge = " + evil + "\n\tprocess = " + evil + "\n[diff \"evil\"]\n\tcommand = " + evil + "\n\ttextconv = " + evil +
		"\n[merge \"evil\"]\n\tdriver = " + evil + "\n[alias]\n\tstatus = !" + evil + "\n")
	must(t, err)
	must(t, f.Close())
	for _, hook := range []string{"post-checkout", "pre-commit", "post-index-change", "fsmonitor-watchman"} {
		must(t, os.WriteFile(filepath.Join(dir, ".git/hooks", hook), []byte("#!/bin/sh\n"+evil+"\n"), 0o755))
	}
	r := open(t, dir)
	if r.Git().Commit == "" {
		t.Error("no commit was read")
	}
	w := copyOf(t, r)
	must(t, w.Apply(p))
	rc, err := r.Apply(t.Context(), "", p)
	must(t, err)
	_, err = r.Undo(t.Context(), "", rc)
	must(t, err)
	if data, err := os.ReadFile(mark); err == nil {
		t.Errorf("programs of the folder ran:\n%s", data)
	}
	if out := git(t, dir, "-c", "core.fsmonitor="+evil, "ls-files", "-m"); !fileThere(mark) { // the trap itself works
		t.Errorf("the mark is never left: %s", out)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Add(append([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x02"), make([]byte, 160)...))
	f.Fuzz(func(_ *testing.T, data []byte) { entries(bytes.NewReader(data)) })
}
