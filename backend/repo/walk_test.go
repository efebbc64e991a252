package repo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// needGit skips where git is missing; the pipeline must have it.
func needGit(t *testing.T) {
	t.Helper()
	if _, err := lookGit(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is needed:", err)
		}
		t.Skip("git is not installed")
	}
}

// asGit gives what git itself would list: tracked files and those not ignored.
func asGit(t *testing.T, dir string) []string {
	t.Helper()
	out := git(t, dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list := []string{}
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" && fileThere(filepath.Join(dir, name)) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func fileThere(name string) bool {
	fi, err := os.Lstat(name)
	return err == nil && fi.Mode().IsRegular()
}

func TestIgnoreAsGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	cases := []struct {
		name string
		fx   fixture
		add  []string // tracked by force
	}{
		{"plain names and suffixes", fixture{".gitignore": "*.log\nbuild\n", "a.log": "", "x/b.log": "", "build/x": "", "x/build": "", "x/a.go": ""}, nil},
		{"negation", fixture{".gitignore": "*.log\n!keep.log\n", "a.log": "", "keep.log": "", "x/keep.log": ""}, nil},
		{"negation below an ignored folder has no effect", fixture{".gitignore": "out/\n!out/keep\n", "out/keep": "", "out/x": ""}, nil},
		{"negation with a star keeps the folder open", fixture{".gitignore": "out/*\n!out/keep\n", "out/keep": "", "out/x": "", "out/d/x": ""}, nil},
		{"anchored", fixture{".gitignore": "/top\nx/only\n", "top": "", "y/top": "", "x/only": "", "y/x/only": ""}, nil},
		{"folders only", fixture{".gitignore": "tmp/\n", "tmp": "", "x/tmp/a": "", "y/tmp": ""}, nil},
		{"two stars before", fixture{".gitignore": "**/foo/bar\n", "foo/bar": "", "a/foo/bar": "", "a/foo/b/bar": "", "foo/x/foo/bar": ""}, nil},
		{"two stars behind", fixture{".gitignore": "foo/**\n", "foo/a": "", "foo/b/c": "", "x/foo/a": ""}, nil},
		{"two stars between", fixture{".gitignore": "a/**/b\n", "a/b": "", "a/x/b": "", "a/x/y/b": "", "b": "", "x/a/b": ""}, nil},
		{"two stars that need a second try", fixture{".gitignore": "a/**/b/c\n", "a/b/x/b/c": "", "a/b/c": "", "a/x/b/d": ""}, nil},
		{"several two stars", fixture{".gitignore": "**/a/**/z\n", "a/z": "", "q/a/b/c/z": "", "q/z": ""}, nil},
		{"two stars alone in a component", fixture{".gitignore": "a**z\nq/**r/s\n", "abz": "", "x/az": "", "q/xr/s": "", "q/x/r/s": ""}, nil},
		{"two stars as all", fixture{".gitignore": "/x/**\n!/x/k/\n!/x/k/**\n", "x/a": "", "x/k/a": ""}, nil},
		{"classes", fixture{".gitignore": "[ab].c\n[!x]y.c\nq[0-9].c\n[[:upper:]]u.c\n[]a]z.c\n[a-]w.c\n", "a.c": "", "c.c": "", "xy.c": "", "zy.c": "", "q7.c": "", "qq.c": "", "Xu.c": "", "xu.c": "", "]z.c": "", "az.c": "", "-w.c": ""}, nil},
		{"broken classes", fixture{".gitignore": "[ab\n[\n*.[o\nx[!]y\n", "[ab": "", "a": "", "[": "", "a.[o": "", "xay": ""}, nil},
		{"question mark", fixture{".gitignore": "?.c\nx?z/\n", "a.c": "", "ab.c": "", "xyz/a": "", "xz/a": ""}, nil},
		{"comments and escapes", fixture{".gitignore": "# comment\n\\#hash\n\\!bang\n\\*star\nsp\\ \n", "#hash": "", "!bang": "", "*star": "", "xstar": "", "sp ": "", "sp": "", "# comment": ""}, nil},
		{"trailing spaces", fixture{".gitignore": "a   \nb\\ \\ \nc\t\n  d\n", "a": "", "b  ": "", "b": "", "c": "", "c\t": "", "d": "", "  d": ""}, nil},
		{"crlf and bom", fixture{".gitignore": "\uFEFF*.log\r\nout/\r\n\r\n", "a.log": "", "out/x": "", "b": ""}, nil},
		{"no final newline", fixture{".gitignore": "*.a\n*.b", "x.a": "", "x.b": "", "x.c": ""}, nil},
		{"nested files", fixture{".gitignore": "*.txt\n", "a/.gitignore": "!keep.txt\n/local\nsub/x\n", "a/keep.txt": "", "a/no.txt": "", "a/local": "", "a/b/local": "", "a/sub/x": "", "a/b/sub/x": "", "keep.txt": ""}, nil},
		{"nested overrides", fixture{".gitignore": "!*.o\n", "a/.gitignore": "*.o\n", "a/b/.gitignore": "!x.o\n", "a/y.o": "", "a/b/x.o": "", "a/b/y.o": "", "z.o": ""}, nil},
		{"exclude file", fixture{".git/info/exclude": "secret-plan\n*.tmp\n", ".gitignore": "!x.tmp\n", "secret-plan": "", "x.tmp": "", "y.tmp": ""}, nil},
		{"tracked though ignored", fixture{".gitignore": "lib/\n*.gen\n", "lib/a": "", "lib/b/c": "", "lib/d/e": "", "x.gen": "", "y.gen": ""}, []string{"lib/b/c", "x.gen"}},
		{"ignore file that is a symlink", fixture{"real": "*.log\n", "sub/.gitignore": "->../real", "sub/a.log": ""}, nil},
		{"ignore file that is a folder", fixture{".gitignore/x": "", "a": ""}, nil},
		{"slash inside brackets and escaped", fixture{".gitignore": "a[b/]c\nd\\/e\n", "abc": "", "d/e": "", "x/abc": ""}, nil},
		{"odd lines", fixture{".gitignore": "/\n!\n//\n\\\n!/\na//b\nc/\\\n", "a/b": "", "c/d": "", "x": ""}, nil},
		{"star matches a leading dot", fixture{".gitignore": "*\n!*.go\n!*/\n", ".hidden": "", "a.go": "", "x/b.go": "", "x/c": ""}, nil},
		{"non-ascii", fixture{".gitignore": "ü*\nst?r\n日本/\n", "über": "", "stör": "", "star": "", "日本/x": ""}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, nil)
			git(t, dir, "init", "-q")
			c.fx.write(t, dir)
			if len(c.add) > 0 {
				git(t, dir, append([]string{"add", "-f", "--"}, c.add...)...)
			}
			r := open(t, dir)
			diff(t, asGit(t, dir), paths(t, r.tree))
			w := copyOf(t, r)
			diff(t, paths(t, r.tree), paths(t, w.tree))
		})
	}
}

// TestIgnoreRandom holds the matcher against git over random patterns and trees made of a few letters.
func TestIgnoreRandom(t *testing.T) {
	t.Parallel()
	needGit(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(s ...string) string { return s[rnd.IntN(len(s))] }
	for round := range 30 {
		dir := folder(t, nil)
		git(t, dir, "init", "-q")
		fx := fixture{}
		for range 60 {
			var parts []string
			for range 1 + rnd.IntN(4) {
				parts = append(parts, pick("a", "b", "ab", "ba", "a.b", "aab", "a b", "-a"))
			}
			fx[strings.Join(parts, "/")+".f"] = ""
		}
		var all strings.Builder
		for range 1 + rnd.IntN(6) {
			var line strings.Builder
			line.WriteString(pick("", "", "", "!", "/"))
			for range 1 + rnd.IntN(5) {
				line.WriteString(pick("a", "b", "*", "**", "/", "/", "?", "[ab]", "[!a]", "**/", "/**/", ".", ".f", "\\a", "a*b", " "))
			}
			line.WriteString(pick("", "", "/", ".f", "*"))
			// git compares two unrelated pointers here, so that a**/ is sometimes a**/ and sometimes a/**/; its manual says
			// that stars beside other characters are ordinary ones.
			if !regexp.MustCompile(`[^/!]\*\*+/`).MatchString(line.String()) {
				fmt.Fprintln(&all, line.String())
			}
		}
		fx[".gitignore"] = all.String()
		fx.write(t, dir)
		if d := asGit(t, dir); !slices.Equal(d, paths(t, open(t, dir).tree)) {
			t.Errorf("round %d, patterns\n%s", round, all.String())
			diff(t, d, paths(t, open(t, dir).tree))
		}
	}
}

func TestWalkLeavesOut(t *testing.T) {
	t.Parallel()
	outside := folder(t, fixture{"x": "x"})
	dir := folder(t, fixture{
		"a.go": "", "b/c.go": "", "b.go": "", "b-a.go": "",
		".git/HEAD": "ref: refs/heads/main\n", "sub/.git": "gitdir: ../.git/modules/sub\n", "sub/x": "", "other/.GIT/config": "", "other/y": "",
		".hg/store": "", "link.go": "->a.go", "out": "->" + outside, "loop/self": "->../loop", "loop/up": "->..", "abs": "->/etc/passwd",
		".env": "K=1", ".env.example": "K=", "id_rsa": "", "id_generator.py": "", "k/server.PEM": "",
		".npmrc": "//registry.example.com/:_authToken=abcdef\n", "web/.npmrc": "engine-strict=true\n", "ci/.npmrc": "//r.example.com/:_authToken=${TOKEN}\n",
		".aws/config": "", "binary": "\x00\x01", "empty/": "",
	})
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	must(t, err)
	defer l.Close()
	r := open(t, dir)
	diff(t, []string{".env.example", "a.go", "b-a.go", "b.go", "b/c.go", "binary", "ci/.npmrc", "id_generator.py", "other/y", "sub/x", "web/.npmrc"}, paths(t, r.tree))
}

func TestWalkCancelled(t *testing.T) {
	t.Parallel()
	r := open(t, folder(t, fixture{"a": "", "b/c": ""}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Files(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWalkVanished(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a": "", "b/c": "", "d/e": ""})
	r := open(t, dir)
	_, err := r.walk(t.Context(), func(v visit) error {
		if v.path == "b" {
			return os.RemoveAll(dir)
		}
		return nil
	})
	if !errors.Is(err, ErrGone) {
		t.Error("during the walk:", err)
	}
	for name, err := range map[string]error{
		"Files": errOf(r.Files(t.Context())), "Read": errOf(r.Read("a")), "Workspace": errOf(r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), CopyOptions{})),
	} {
		if !errors.Is(err, ErrGone) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, os.Mkdir(dir, 0o755))
	if _, err := r.Files(t.Context()); !errors.Is(err, ErrGone) {
		t.Error("another folder in its place:", err)
	}
}

func errOf[T any](_ T, err error) error { return err }

func TestWalkBounds(t *testing.T) {
	t.Parallel()
	dir := folder(t, fixture{"a": "", "b": "", "c/d": ""})
	r, err := Open(dir, Options{MaxFiles: 2})
	must(t, err)
	defer r.Close()
	if _, err := r.Files(t.Context()); !errors.Is(err, ErrTooLarge) {
		t.Error("too many files:", err)
	}
	deep := filepath.Join(dir, strings.Repeat("d/", maxDepth+20))
	must(t, os.MkdirAll(deep, 0o755))
	must(t, os.WriteFile(filepath.Join(deep, "x"), nil, 0o644))
	if got := paths(t, open(t, dir).tree); len(got) != 3 {
		t.Error("a tree too deep:", got)
	}
}

// TestGlobTime: patterns that make a backtracking matcher take exponential time.
func TestGlobTime(t *testing.T) {
	t.Parallel()
	start := time.Now()
	name := strings.Repeat("a", 255)
	if glob(strings.Repeat("a*", 100)+"b", name) || globs(append(slices.Repeat([]string{"**", "a"}, 50), "b"), slices.Repeat([]string{"a"}, 200)) {
		t.Error("matched")
	}
	if d := time.Since(start); d > 30*time.Second { // by backtracking it never ends
		t.Error("took", d)
	}
}

// TestFilesWithin: what there was no time for is said to be missing, and is no error; an end that the caller asked for is.
func TestFilesWithin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if files, more, err := r.FilesWithin(t.Context(), time.Minute); err != nil || more || len(files) != 1 {
		t.Errorf("with time: %v, %v, %v", files, more, err)
	}
	if files, more, err := r.FilesWithin(t.Context(), 0); err != nil || !more || len(files) != 0 {
		t.Errorf("without time: %v, %v, %v", files, more, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, more, err := r.FilesWithin(ended, time.Minute); !errors.Is(err, context.Canceled) || more {
		t.Errorf("ended: %v, %v", more, err)
	}
}
