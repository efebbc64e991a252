package eval

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/search"
)

// madeClone makes a repository of commits, each a message with the files that it writes; "" removes one.
func madeClone(t *testing.T, commits ...map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for _, c := range commits {
		for path, text := range c {
			if path == "" {
				continue
			}
			full := filepath.Join(dir, path)
			if text == "" {
				if err := os.Remove(full); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "--allow-empty", "-m", c[""])
	}
	return dir
}

const shopPy = "import os\n\ndef discount(price, share):\n    return price - price * share\n\nclass Basket:\n    def total(self, items):\n        return sum(items)\n\n    def empty(self):\n        return False\n"

// shop is a history with two fixes, the second behind a renamed folder.
func shop(t *testing.T) string {
	return madeClone(t,
		map[string]string{"": "first", "shop/basket.py": shopPy, "shop/mail.py": "def send(to, text):\n    return (to, text)\n", "tests/test_basket.py": "def test_total():\n    assert True\n"},
		map[string]string{"": "Fix rounding of the reduced price in discount\n\nThe share was not rounded.", "shop/basket.py": strings.Replace(shopPy, "price - price * share", "round(price - price * share)", 1),
			"tests/test_basket.py": "def test_total():\n    assert 1\n"},
		map[string]string{"": "Reword the mail", "shop/mail.py": "def send(to, text):\n    return (to, text, 1)\n"},
		map[string]string{"": "Fix mails to nobody", "shop/mail.py": "def send(to, text):\n    if not to:\n        return None\n    return (to, text, 1)\n", "tests/test_mail.py": "def test_send():\n    assert 1\n"},
		map[string]string{"": "Fix a crash, with no test", "shop/mail.py": "def send(to, text):\n    return None\n"},
	)
}

func mined(t *testing.T, clone string) []Fix {
	t.Helper()
	var out []Fix
	if err := Mine(t.Context(), MineOptions{Clone: clone, Repository: "shop", Found: func(f Fix) error { out = append(out, f); return nil }}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMine(t *testing.T) {
	t.Parallel()
	rows := mined(t, shop(t))
	for i := range rows {
		if len(rows[i].Base) != 40 || len(rows[i].Fix) != 40 {
			t.Errorf("ids of %+v", rows[i])
		}
		rows[i].Base, rows[i].Fix = "", ""
	}
	want := []Fix{
		{Repository: "shop", Files: []string{"shop/mail.py"}, Functions: []Function{{"shop/mail.py", "send"}}, New: []string{}, Tests: []string{"tests/test_mail.py"}},
		{Repository: "shop", Files: []string{"shop/basket.py"}, Functions: []Function{{"shop/basket.py", "discount"}}, New: []string{}, Tests: []string{"tests/test_basket.py"}},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
}

func TestLocalize(t *testing.T) {
	t.Parallel()
	clone := shop(t)
	rows := mined(t, clone)
	built, err := search.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	found, err := Localize(t.Context(), LocalizeOptions{Fixes: rows, Clone: clone, Dir: t.TempDir(), Embedder: built})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range found {
		if l.Files != 3+1-i && l.Files != 3 {
			t.Errorf("%d files at the base of %s", l.Files, l.Fix.Fix)
		}
		for r, name := range Rankings() {
			vectors := name == "vectors" || strings.HasPrefix(name, "fusion") // a few words are too few for those
			if p := l.Full[r]; best(p.Files) != 1 && !vectors {
				t.Errorf("fix %d, %s: %+v", i, name, p)
			}
		}
		last := l.Full[len(l.Full)-1]
		if best(last.Functions) != 1 {
			t.Errorf("fix %d by function: %+v", i, last)
		}
	}
	for i, l := range found {
		if r := l.FullRead; r.Search <= 0 || r.Plain <= 0 || r.Search > 300 || r.Plain > 300 {
			t.Errorf("fix %d is read with %+v tokens", i, r)
		}
	}
	own, plain, seen, of := TokensRead(found, func(l Localized) Reading { return l.FullRead })
	if own <= 0 || plain <= 0 || seen != [2]int{2, 2} || of != 2 {
		t.Errorf("medians %v and %v, seen %v of %d", own, plain, seen, of)
	}
	if never, _, seen, _ := TokensRead(found, func(Localized) Reading { return Reading{Plain: 5} }); !math.IsInf(never, 1) || seen != [2]int{0, 2} {
		t.Errorf("never in view: %v, %v", never, seen)
	}
	table := Score(found, Localized.OfFull)
	if got := table[len(table)-1][0]; got.Value != 1 || got.Low != 0 || got.High != 0 {
		t.Errorf("%+v", got)
	}
	if _, err := Localize(t.Context(), LocalizeOptions{Fixes: rows, Clone: t.TempDir(), Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "clone") {
		t.Errorf("no clone: %v", err)
	}
}

func TestBlind(t *testing.T) {
	t.Parallel()
	f := Fix{Files: []string{"src/app/core.py"}, Functions: []Function{{"src/app/core.py", "Command.invoke"}}}
	for query, want := range map[string]string{
		"Fix Command.invoke in core.py": "Fix  in ",
		"core: INVOKE twice":            ":  twice",
		"the core-dump of encore":       "the dump of encore",
		"Command.run":                   "Command.run",
	} {
		if got := f.blind(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	rows := make([]Fix, 7)
	for part, want := range map[string]int{PartSealed: 2, PartRest: 5, PartAll: 7} {
		if got, err := Part(rows, part); err != nil || len(got) != want {
			t.Errorf("%s: %d, %v", part, len(got), err)
		}
	}
	if _, err := Part(rows, "test"); err == nil {
		t.Error("a part that is none")
	}
}

func TestReadFixes(t *testing.T) {
	t.Parallel()
	rows, err := ReadFixes(strings.NewReader("{\"base\":\"a\",\"fix\":\"b\",\"gold_files\":[\"x.go\"]}\n\n"))
	if err != nil || len(rows) != 1 || rows[0].Files[0] != "x.go" {
		t.Errorf("%v %v", rows, err)
	}
	for _, bad := range []string{"{", `{"base":"a"}`} {
		if _, err := ReadFixes(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "row 1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadHistory(t *testing.T) {
	t.Parallel()
	text := "\x00aa bb\nTitle\n\nbody\n\x00\ndiff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -3,0 +4,2 @@ f\n+a\n+-- b\n@@ -9 +11 @@\n--- c\n+d\n" +
		"\x00cc dd\nGone\n\x00\ndiff --git a/y z.go b/y z.go\n--- a/y z.go\t\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\ndiff --git a/n.go b/n.go\n--- /dev/null\n+++ b/n.go\n@@ -0,0 +1 @@\n+a\n"
	var got []commit
	if err := readHistory(bufio.NewReader(strings.NewReader(text)), func(c commit) error { got = append(got, c); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []commit{
		{id: "aa", parent: "bb", message: "Title\n\nbody\n", files: []touched{{path: "x.go", at: []span{{4, 3}, {9, 9}}, added: 3, removed: 1}}},
		{id: "cc", parent: "dd", message: "Gone\n", files: []touched{{path: "y z.go", gone: true, at: []span{{1, 2}}, removed: 2}, {path: "n.go", created: true, at: []span{{1, 0}}, added: 1}}},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(commit{}, touched{}, span{})); d != "" {
		t.Error(d)
	}
}

func FuzzReadHistory(f *testing.F) {
	f.Add("\x00aa bb\nT\n\x00\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+a\n")
	f.Fuzz(func(t *testing.T, s string) {
		n := 0
		err := readHistory(bufio.NewReader(strings.NewReader(s)), func(commit) error { n++; return nil })
		if err == nil && n > strings.Count(s, "\x00") {
			t.Errorf("%d commits of %q", n, s)
		}
	})
}

// TestLocalizeKeepsOneBase holds the memory of a long history: what the plain baselines keep is of the base at hand.
func TestLocalizeKeepsOneBase(t *testing.T) {
	t.Parallel()
	clone := shop(t)
	rows := mined(t, clone)
	c, err := openClone(t.Context(), clone)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	l, err := newLocalizer(LocalizeOptions{Clone: clone, Dir: t.TempDir()}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for _, i := range oldestFirst(len(rows)) {
		if _, err := l.fix(t.Context(), rows[i]); err != nil {
			t.Fatal(err)
		}
		if len(l.plain) != len(l.files.have) {
			t.Errorf("the baselines keep %d files of a base of %d", len(l.plain), len(l.files.have))
		}
	}
}

// TestBagsHoldNoText is not parallel, since it looks at the memory of the process.
func TestBagsHoldNoText(t *testing.T) {
	v, heap := numbered{}, func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var bags []bag
	for i := range 64 {
		text := fmt.Sprintf("first%d", i) + strings.Repeat(" ", 1<<20) + "last"
		bags = append(bags, v.bag(wholeWords(text)))
	}
	if grown := int64(heap()) - int64(before); grown > 32<<20 {
		t.Errorf("%d bags of two words hold %d MiB", len(bags), grown>>20)
	}
	if asked := v.bag([]string{"first3", "last"}); bags[3].of(asked.terms[0].term) != 1 || bags[4].of(v["first3"]) != 0 {
		t.Errorf("%+v and %+v for %+v", bags[3], bags[4], asked)
	}
}
