package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// twoPlaces is a file whose two changes are two hunks, with the line ends of Windows.
func twoPlaces() (before, after string) {
	lines := make([]string, 30)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i)
	}
	before = strings.Join(lines, "\r\n") + "\r\n"
	lines[1], lines[25] = "first", "second"
	return before, strings.Join(lines, "\r\n") + "\r\n"
}

func TestSelected(t *testing.T) {
	t.Parallel()
	before, after := twoPlaces()
	base := map[string]*patch.Content{"a.txt": {Data: []byte(before), Mode: 0o644}, "gone.txt": {Data: []byte("x\n"), Mode: 0o644}}
	read := func(path string) (*patch.Content, error) {
		if c, ok := base[path]; ok {
			return c, nil
		}
		return nil, fs.ErrNotExist
	}
	whole, err := patch.Diff([]patch.Pair{
		{Path: "a.txt", Before: base["a.txt"], After: &patch.Content{Data: []byte(after), Mode: 0o644}},
		{Path: "gone.txt", Before: base["gone.txt"]},
		{Path: "new.txt", After: &patch.Content{Data: []byte("new\n"), Mode: 0o755}},
	})
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.ReplaceAll(after, "\r\n", "\n")
	for name, c := range map[string]struct {
		choice  Choice
		want    string            // what is refused
		leaves  map[string]string // path → text; absent: as before
		changed []string          // lines of the diff from the patch to the choice
	}{
		"one hunk": {choice: Choice{Drop: []HunkAt{{"a.txt", 0}}}, leaves: map[string]string{"a.txt": strings.Replace(after, "first", "line 1", 1), "new.txt": "new\n"}, changed: []string{"-first", "+line 1"}},
		"a file":   {choice: Choice{Drop: []HunkAt{{"a.txt", 0}, {"a.txt", 1}}}, leaves: map[string]string{"new.txt": "new\n"}, changed: []string{"-first", "-second"}},
		"new file": {choice: Choice{Drop: []HunkAt{{"new.txt", 0}}}, leaves: map[string]string{"a.txt": after}, changed: []string{"deleted file", "-new"}},
		"deletion": {choice: Choice{Drop: []HunkAt{{"gone.txt", 0}}}, leaves: map[string]string{"a.txt": after, "new.txt": "new\n"}, changed: []string{"new file", "+x"}},
		"edited": {choice: Choice{Edits: []OwnText{{"a.txt", strings.Replace(mine, "second", "mine", 1)}}, Drop: []HunkAt{{"a.txt", 0}}},
			leaves: map[string]string{"a.txt": strings.Replace(after, "second", "mine", 1), "new.txt": "new\n"}, changed: []string{"-second", "+mine"}},
		"edited back":              {choice: Choice{Edits: []OwnText{{"a.txt", strings.ReplaceAll(before, "\r\n", "\n")}}}, leaves: map[string]string{"new.txt": "new\n"}, changed: []string{"-first"}},
		"edited, not of the patch": {choice: Choice{Edits: []OwnText{{"other.txt", "x"}}}, want: "other.txt is not a file"},
		"edited, deleted by it":    {choice: Choice{Edits: []OwnText{{"gone.txt", "x"}}}, want: "gone.txt is not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := selected(whole, c.choice, read)
			if c.want != "" {
				if !errors.Is(err, ErrState) || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("got %v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range got.Files {
				_, now, err := sides(f, read)
				if err != nil {
					t.Fatal(err)
				}
				if f.Status == patch.Deleted {
					continue
				}
				if text, ok := c.leaves[f.Path]; !ok || string(now.Data) != text {
					t.Errorf("%s: %q, want %q", f.Path, now.Data, text)
				}
				delete(c.leaves, f.Path)
			}
			if len(c.leaves) > 0 {
				t.Errorf("left out: %v", c.leaves)
			}
			diff, err := between(whole, got, read)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range c.changed {
				if !strings.Contains(diff, line) {
					t.Errorf("no %q in %s", line, diff)
				}
			}
		})
	}
}

// TestChoose: the person leaves a file out and edits another; the choice is proven itself, and the model is told what was
// changed when it goes on.
func TestChoose(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	notes := edit("notes/plan.md", "nothing", "something")
	r := start(t, f, script(t, say("read_file", args{"path": "notes/plan.md"}), fix, notes, done, done), Task{})
	work(t, r, session.Review)
	old := r.log.State()
	if len(old.Patch.Files) != 2 {
		t.Fatalf("the patch: %s", old.Patch)
	}
	for name, c := range map[string]Choice{
		"another patch": {PatchHash: "x", Drop: []HunkAt{{"notes/plan.md", 0}}},
		"nothing left":  {PatchHash: old.PatchHash, Drop: []HunkAt{{"notes/plan.md", 0}, {"calc.py", 0}}},
		"all of it":     {PatchHash: old.PatchHash, Drop: []HunkAt{{"nowhere", 0}}},
	} {
		if err := r.Choose(t.Context(), c); !errors.Is(err, ErrState) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	mine := strings.Replace(calc()["calc.py"], "return a - b", "return b + a", 1)
	choice := Choice{PatchHash: old.PatchHash, Drop: []HunkAt{{"notes/plan.md", 0}}, Edits: []OwnText{{"calc.py", mine}}}
	if err := r.Choose(t.Context(), choice); err != nil {
		t.Fatal(err)
	}
	if st := r.log.State(); st.Outcome != session.Running || st.Proof != "" {
		t.Fatalf("the choice counts as proven before it was: %+v", st)
	}
	calls := len(all[session.ModelRequested](t, r))
	work(t, r, session.Review)
	st := r.log.State()
	if st.Proof != "proven" || st.PatchHash == old.PatchHash || len(st.Patch.Files) != 1 || len(all[session.ModelRequested](t, r)) != calls {
		t.Fatalf("the choice, proven: %s %s", st.Proof, st.Patch)
	}
	if err := r.SendBack(t.Context(), Choice{PatchHash: st.PatchHash, Notes: []LineNote{{"calc.py", 2, "why this order?"}}}); err != nil {
		t.Fatal(err)
	}
	work(t, r, session.Review)
	said := strings.Join(last[session.ModelRequested](t, r).Added, "\n")
	for _, want := range []string{"-    return a + b", "+    return b + a", "-something", "+nothing", "calc.py:2: why this order?"} {
		if !strings.Contains(said, want) {
			t.Errorf("the model was not told %q:\n%s", want, said)
		}
	}
	st = r.log.State()
	if _, err := r.Approve(t.Context(), st.PatchHash, "person"); err != nil {
		t.Fatal(err)
	}
}

// TestOwnText: a person's text changes what they changed and nothing else; what cannot be kept is said to be the text's fault.
func TestOwnText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after, text string
		want                string // the file then, or
		refused             string
	}{
		"mixed line ends": {"a\nb\r\nc\nd\r\n", "a\nB\r\nc\nd\r\n", "a\nB\nc\nD\n", "a\nB\r\nc\nD\r\n", ""},
		"a mark":          {"\ufeffa\n", "\ufeffb\n", "c\n", "\ufeffc\n", ""},
		"windows-1252":    {"caf\xe9\nx\n", "caf\xe9\ny\n", "café\nz\n", "caf\xe9\nz\n", ""},
		"no character":    {"caf\xe9\nx\n", "caf\xe9\ny\n", "→\n", "", "no character '→'"},
		"no text":         {"a\n", "b\n", "a\x00b\n", "", "not text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := &patch.Content{Data: []byte(c.before), Mode: 0o644}
			read := func(string) (*patch.Content, error) { return base, nil }
			whole, err := patch.Diff([]patch.Pair{{Path: "a.txt", Before: base, After: &patch.Content{Data: []byte(c.after), Mode: 0o644}}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := selected(whole, Choice{Edits: []OwnText{{"a.txt", c.text}}}, read)
			if c.refused != "" {
				var refused *patch.Error
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("got %v, want %q", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, now, err := sides(got.Files[0], read); err != nil || string(now.Data) != c.want {
				t.Fatalf("%q, %v, want %q", now.Data, err, c.want)
			}
		})
	}
}
