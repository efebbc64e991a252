package eval

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

var bugsDir = os.DirFS("../../testdata/builtin")

func allBugs(t *testing.T) []Bug {
	t.Helper()
	parts, err := fs.ReadDir(bugsDir, ".")
	if err != nil {
		t.Fatal(err)
	}
	var all []Bug
	for _, p := range parts {
		if !p.IsDir() {
			continue
		}
		bugs, err := ReadBugs(bugsDir, p.Name())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bugs...)
	}
	if len(all) == 0 {
		t.Fatal("no bugs")
	}
	return all
}

// Each bug that needs no registry lies as it says, and its fix is one hunk.
func TestBugsFit(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range allBugs(t) {
		if seen[b.Name] {
			t.Errorf("%s is there twice", b.Name)
		}
		seen[b.Name] = true
		if !slices.Contains([]string{"python", "go", "javascript", "java"}, b.Language) || len(b.Red) == 0 {
			t.Errorf("%s: language %q, red %q", b.Name, b.Language, b.Red)
		}
		if b.Source != "own" && !strings.HasPrefix(b.Source, "sample ") {
			continue
		}
		dir := filepath.Join(t.TempDir(), b.Name)
		if line, err := (shelf{bugs: bugsDir, samples: samplesDir}).lay(t.Context(), b, dir); err != nil || line < 1 {
			t.Errorf("line %d, %v", line, err)
		}
		for hidden := range b.Hidden {
			if _, err := os.Stat(filepath.Join(dir, hidden)); err == nil {
				t.Errorf("%s: the hidden test %s stands in the tree", b.Name, hidden)
			}
		}
	}
}

func TestParseBugRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"unknown field":   "colour: red\n",
		"unknown section": "language: go\n-- nonsense --\n",
		"outside":         "language: go\n-- tree/../x --\n",
		"nothing":         "",
	} {
		if b, err := parseBug([]byte(text)); err == nil {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, a, b string
		same             bool
	}{
		{"blanks and comments", "a.go", "package a\n\nfunc f() int { return 1+2 } // x\n", "package a\nfunc f() int {\n\treturn 1 + 2\n}\n", true},
		{"another operator", "a.go", "package a\n\nvar x = 1 + 2\n", "package a\n\nvar x = 1 - 2\n", false},
		{"Python's blocks", "a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", false},
		{"Python's indentation alone", "a.py", "if a:\n    b()\n", "if a:\n  b()  # why\n", true},
		{"blanks in a text", "a.py", "x = 'a b'\n", "x = 'a  b'\n", false},
	}
	for _, tt := range tests {
		a, err := words(tt.file, []byte(tt.a))
		if err != nil {
			t.Fatal(err)
		}
		b, err := words(tt.file, []byte(tt.b))
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(a, b) != tt.same {
			t.Errorf("%s: %q, %q", tt.name, a, b)
		}
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	got := Sum([]Fixed{
		{Part: "tuning", Language: "go", Verdict: FixedRight, Millis: 30, Tried: 3},
		{Part: "tuning", Language: "go", Verdict: FixedRight, Millis: 10, Tried: 9},
		{Part: "heldback", Language: "go", Verdict: FixedWrong, Millis: 99, Tried: 7},
		{Part: "heldback", Language: "python", Verdict: NotFound, Millis: 5000, Tried: 100},
	})
	want := []FixedSum{
		{Of: "go", Bugs: 3, Fixed: 2, Wrong: 1, Millis: 10, Tried: 7}, {Of: "python", Bugs: 1, NotFound: 1, Tried: 100},
		{Of: "all of tuning", Bugs: 2, Fixed: 2, Millis: 10, Tried: 3}, {Of: "all of heldback", Bugs: 2, Wrong: 1, NotFound: 1, Tried: 7},
		{Of: "all", Bugs: 4, Fixed: 2, Wrong: 1, NotFound: 1, Millis: 10, Tried: 7},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The right fix, one that only satisfies the tests it sees, and none, each judged as what it is, over the real job.
func TestBuiltinJudges(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a sandbox and seconds")
	}
	dir, box := openSandbox(t)
	o := BuiltinOptions{Options: Options{Samples: samplesDir, Sandbox: box, Dir: dir}, Bugs: bugsDir, Parts: []string{"tuning"}, Only: []string{"js-sunday-as-seven"}}
	for name, tt := range map[string]struct {
		model   func(b Bug) model.Model
		verdict string
		same    bool
	}{
		"right":     {func(b Bug) model.Model { return Known(b, false) }, FixedRight, true},
		"plausible": {func(b Bug) model.Model { return Known(b, true) }, FixedWrong, false},
		"none": {func(Bug) model.Model {
			return scripted(model.NewScript([]model.ScriptReply{finish(), finish(), finish(), finish()}))
		}, NotFound, false},
	} {
		o.Model = func(b Bug) (model.Model, error) { return tt.model(b), nil }
		got, err := Builtin(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Verdict != tt.verdict || got[0].Same != tt.same || got[0].Unexpected != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	o.Only = []string{"no such bug"}
	if _, err := Builtin(t.Context(), o); err == nil {
		t.Error("an unknown bug")
	}
}

// A patch under which the hidden tests never end is wrong, soon, and stops no table.
func TestJudgeEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a sandbox and seconds")
	}
	dir, box := openSandbox(t)
	base := filepath.Join(dir, "base")
	if err := writeTree(base, map[string]string{"test_a.py": "def test_a():\n    pass\n"}); err != nil {
		t.Fatal(err)
	}
	j := judge{o: BuiltinOptions{Options: Options{Sandbox: box}, Hidden: 3 * time.Second}, base: base, dir: dir,
		bug: Bug{Name: "loops", Language: "python", Hidden: map[string]string{"test_more.py": "def test_more():\n    while True:\n        pass\n"}}}
	if red, err := j.hidden(t.Context(), patch.Patch{}); err != nil || red != "the hidden tests were stopped: timeout" {
		t.Errorf("%q, %v", red, err)
	}
}

// A run that was kept is not made again, and stands where it would have.
func TestBuiltinKeeps(t *testing.T) {
	t.Parallel()
	kept := Fixed{Bug: "js-undo-stack", Part: "tuning", Verdict: FixedRight, Tried: 7}
	got, err := Builtin(t.Context(), BuiltinOptions{Bugs: bugsDir, Parts: []string{"tuning"}, Only: []string{"js-undo-stack"}, Kept: []Fixed{{Bug: "js-undo-stack", Part: "heldback"}, kept},
		Told: func(f Fixed) { t.Errorf("%s was run", f.Bug) }})
	if err != nil || len(got) != 1 || got[0].Tried != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The count of candidates is read from what try_patches says: a summary of that tool's own form must be understood.
func TestCountTried(t *testing.T) {
	t.Parallel()
	for summary, want := range map[string]int{"35 edits tried, 1 passes all tests": 35, "1 edit tried, none passes all tests": 1, "no failing test": 0} {
		if got := countTried(summary); got != want {
			t.Errorf("%q: %d, want %d", summary, got, want)
		}
	}
	doc, err := os.ReadFile("../tools/try_patches.go")
	if err != nil || !strings.Contains(string(doc), `plural(n-late, "edit") + " tried, "`) {
		t.Errorf("try_patches words its summary in another way now: %v", err)
	}
}
