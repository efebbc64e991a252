package patch

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// randomText makes a text of few different lines, so that lines repeat, with any line ends.
func randomText(r *rand.Rand) string {
	words := []string{"a", "b", "  c", "\td", "", "}", "func f() {", "é", "-", "+x", " ", "@@ -1 +1 @@"}
	ends := []string{"\n", "\n", "\n", "\r\n"}
	n := r.IntN(30)
	var b strings.Builder
	for range n {
		b.WriteString(words[r.IntN(len(words))] + ends[r.IntN(len(ends))])
	}
	if r.IntN(4) == 0 {
		b.WriteString("tail")
	}
	if r.IntN(8) == 0 {
		return mark + b.String()
	}
	return b.String()
}

// mutate changes a few lines.
func mutate(r *rand.Rand, text string) string {
	lines := splitLines(text)
	for range r.IntN(5) {
		i := r.IntN(len(lines) + 1)
		switch {
		case r.IntN(3) == 0 || i == len(lines):
			lines = append(lines[:i:i], append([]string{fmt.Sprintf("new %d\n", r.IntN(3))}, lines[i:]...)...)
		case r.IntN(2) == 0:
			lines = append(lines[:i:i], lines[i+1:]...)
		default:
			lines[i] = "changed\n"
		}
	}
	return strings.Join(lines, "")
}

func randomPair(r *rand.Rand) (a, b string) {
	a = randomText(r)
	if r.IntN(3) == 0 {
		return a, randomText(r)
	}
	return a, mutate(r, a)
}

func content(s string) *Content { return &Content{Data: []byte(s), Mode: 0o644} }

func mustDiff(t *testing.T, pairs ...Pair) Patch {
	t.Helper()
	p, err := Diff(pairs)
	if err != nil {
		t.Fatalf("Diff: %v", err)
	}
	return p
}

func reader(files map[string]*Content) ReadFunc {
	return func(path string) (*Content, error) {
		c, ok := files[path]
		if !ok {
			return nil, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
		}
		return c, nil
	}
}

func applyText(t *testing.T, p Patch, a string) string {
	t.Helper()
	if p.Empty() {
		return a
	}
	c, err := Apply(p.Files[0], content(a))
	if err != nil {
		t.Fatalf("Apply: %v\n%s", err, p)
	}
	return string(c.Data)
}

func TestRandomTexts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		a, b := randomPair(r)
		p := mustDiff(t, Pair{Path: "f", Before: content(a), After: content(b)})
		if got := applyText(t, p, a); got != b {
			t.Fatalf("%d: Apply(Diff(a, b), a) != b\na %q\nb %q\ngot %q\n%s", i, a, b, got, p)
		}
		if got := applyText(t, p.Invert(), b); got != a {
			t.Fatalf("%d: Apply(Invert) != a\na %q\nb %q\ngot %q", i, a, b, got)
		}
		if d := cmp.Diff(p, p.Invert().Invert()); d != "" {
			t.Fatalf("%d: Invert of Invert: %s", i, d)
		}
		read := reader(map[string]*Content{"f": content(a)})
		all, err := p.Select(func(int, int) bool { return true }, read)
		if d := cmp.Diff(p, all); err != nil || d != "" {
			t.Fatalf("%d: Select of all: %v %s", i, err, d)
		}
		if p.Empty() {
			continue
		}
		edits, err := Parse(p.String())
		if err != nil {
			t.Fatalf("%d: Parse(String): %v\n%s", i, err, p)
		}
		back, notes, err := Resolve(edits, read)
		if d := cmp.Diff(p, back); err != nil || d != "" || len(notes) > 0 {
			t.Fatalf("%d: Resolve(Parse(String)): %v %v %s\na %q\nb %q\n%s", i, err, notes, d, a, b, p)
		}
	}
}

// TestSelectParts applies a random choice of hunks and then the rest, which must lead to the whole.
func TestSelectParts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		a := strings.Repeat(randomText(r), 5)
		b := mutate(r, mutate(r, a))
		p := mustDiff(t, Pair{Path: "f", Before: content(a), After: content(b)})
		if p.Empty() {
			continue
		}
		chosen := r.Uint64()
		part, err := p.Select(func(_, h int) bool { return chosen>>h&1 == 1 }, reader(map[string]*Content{"f": content(a)}))
		if err != nil {
			t.Fatalf("%d: Select: %v", i, err)
		}
		mid := applyText(t, part, a)
		rest := mustDiff(t, Pair{Path: "f", Before: content(mid), After: content(b)})
		if got := applyText(t, rest, mid); got != b {
			t.Fatalf("%d: the rest does not lead to b", i)
		}
		if s, all := part.Stat(), p.Stat(); s.Added > all.Added || s.Removed > all.Removed {
			t.Fatalf("%d: a part has more lines than the whole: %v %v", i, s, all)
		}
	}
}

func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing: %v", name, err)
		}
		t.Skipf("%s is missing: %v", name, err)
	}
}

// gitApply runs git apply on a tree of files in a new folder and reads the files back.
func gitApply(t *testing.T, files map[string]*Content, p Patch) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for path, c := range files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, c.Data, os.FileMode(c.Mode)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "git", "apply", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
	cmd.Stdin = strings.NewReader(p.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, p)
	}
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		got[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestGitApplies gives many random changes in one patch to git.
func TestGitApplies(t *testing.T) {
	t.Parallel()
	needTool(t, "git")
	r := rand.New(rand.NewPCG(5, 6))
	var pairs []Pair
	before, want := map[string]*Content{}, map[string]string{}
	for i := range 300 {
		a, b := randomPair(r)
		path := []string{"f%d.txt", "dir/with blank %d", "quote\"%d", "tab\t%d", "ümlaut %d"}[i%5]
		pair := Pair{Path: fmt.Sprintf(path, i), Before: content(a), After: content(b)}
		switch i % 7 {
		case 0:
			pair.Before = nil
		case 1:
			pair.After = nil
		case 2:
			pair.OldPath = pair.Path + ".old"
		case 3:
			pair.After.Mode = 0o755
		}
		if pair.Before != nil {
			old := pair.Path
			if pair.OldPath != "" {
				old = pair.OldPath
			}
			before[old] = pair.Before
		}
		if pair.After != nil {
			want[pair.Path] = b
		}
		pairs = append(pairs, pair)
	}
	p := mustDiff(t, pairs...)
	if d := cmp.Diff(want, gitApply(t, before, p)); d != "" {
		t.Fatal(d)
	}
	edits, err := Parse(p.String())
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := Resolve(edits, reader(before))
	if d := cmp.Diff(p, back); err != nil || d != "" {
		t.Fatalf("%v %s", err, d)
	}
}
