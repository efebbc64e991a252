package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/patch"
)

// TestReadBeforeEdit: a file is changed only as the model knows it.
func TestReadBeforeEdit(t *testing.T) {
	t.Parallel()
	edit := m{"path": "app/tax.py", "old": "RATE = 21", "new": "RATE = 19"}
	whole := m{"path": "app/tax.py", "content": "RATE = 19\n"}
	read := func(t *testing.T, s *Set) { call(t, s, "read_file", m{"path": "./app/tax.py", "end_line": 1}) }
	write := func(text string) func(*testing.T, *Set) { // as a test run might
		return func(t *testing.T, s *Set) {
			if err := os.WriteFile(filepath.Join(s.o.Workspace.Dir(), "app/tax.py"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		before []func(*testing.T, *Set)
		edit   m
		want   string // "" lands
	}{
		"not read":                {nil, edit, "not been read yet"},
		"not read, whole":         {nil, whole, "not been read yet"},
		"not read, by a diff":     {nil, m{"patch": "--- a/app/tax.py\n+++ b/app/tax.py\n@@ @@\n-RATE = 21\n+RATE = 19\n"}, "not been read yet"},
		"not read, deleted":       {nil, m{"patch": "diff --git a/app/tax.py b/app/tax.py\ndeleted file mode 100644\n"}, "not been read yet"},
		"searched":                {[]func(*testing.T, *Set){func(t *testing.T, s *Set) { call(t, s, "search_code", m{"query": "RATE"}) }}, edit, "not been read yet"},
		"another was read":        {[]func(*testing.T, *Set){func(t *testing.T, s *Set) { call(t, s, "read_file", m{"path": "app/crlf.py"}) }}, edit, "not been read yet"},
		"no such lines":           {[]func(*testing.T, *Set){func(t *testing.T, s *Set) { call(t, s, "read_file", m{"path": "app/tax.py", "start_line": 999}) }}, edit, "not been read yet"},
		"read":                    {[]func(*testing.T, *Set){read}, edit, ""},
		"read, whole":             {[]func(*testing.T, *Set){read}, whole, ""},
		"changed since":           {[]func(*testing.T, *Set){read, write("RATE = 21\nother = 1\n")}, edit, "changed since you read it"},
		"quoted text gone since":  {[]func(*testing.T, *Set){read, write("RATE = 22\n")}, edit, "changed since you read it"},
		"read again":              {[]func(*testing.T, *Set){read, write("RATE = 21\nother = 1\n"), read}, edit, ""},
		"touched but the same":    {[]func(*testing.T, *Set){read, func(t *testing.T, s *Set) { call(t, s, "apply_patch", edit) }}, m{"path": "app/tax.py", "old": "RATE = 19", "new": "RATE = 7"}, ""},
		"new files need no read":  {nil, m{"path": "app/new.py", "content": "x = 1\n"}, ""},
		"own new file is known":   {[]func(*testing.T, *Set){func(t *testing.T, s *Set) { call(t, s, "apply_patch", m{"path": "app/new.py", "content": "x = 1\n"}) }}, m{"path": "app/new.py", "content": "x = 2\n"}, ""},
		"one of two was not read": {[]func(*testing.T, *Set){read}, m{"patch": "app/tax.py\n<<<<<<< SEARCH\nRATE = 21\n=======\nRATE = 19\n>>>>>>> REPLACE\napp/crlf.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"}, "app/crlf.py: the file has not been read yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bench(t, program, Options{})
			for _, do := range c.before {
				do(t, s)
			}
			before, _ := s.o.Workspace.Patch()
			out := call(t, s, "apply_patch", c.edit)
			if out.OK != (c.want == "") || !strings.Contains(out.Text, c.want) {
				t.Fatalf("ok %v, want %q:\n%s", out.OK, c.want, out.Text)
			}
			after, err := s.o.Workspace.Patch()
			if err != nil || !out.OK && before.Hash() != after.Hash() {
				t.Errorf("a refused edit changed the workspace: %v", err)
			}
		})
	}
}

// TestSeenGoesOn: what an earlier run of the session saw counts, in its latest state.
func TestSeenGoesOn(t *testing.T) {
	t.Parallel()
	first := bench(t, program, Options{})
	data, err := first.o.Workspace.Read("app/tax.py")
	if err != nil {
		t.Fatal(err)
	}
	hash := patch.Hash(data)
	edit := m{"path": "app/tax.py", "old": "RATE = 21", "new": "RATE = 19"}
	for want, seen := range map[string][]Seen{
		"":              {{"app/tax.py", "old"}, {"app/tax.py", hash}},
		"changed since": {{"app/tax.py", hash}, {"app/tax.py", "old"}},
		"not been read": {{"app/crlf.py", hash}},
	} {
		if out := call(t, bench(t, program, Options{Seen: seen}), "apply_patch", edit); out.OK != (want == "") || !strings.Contains(out.Text, want) {
			t.Errorf("%v: %v %s", seen, out.OK, out.Text)
		}
	}
	if out := call(t, first, "read_file", m{"path": "app/tax.py"}); len(out.Seen) != 1 || out.Seen[0] != (Seen{"app/tax.py", hash}) {
		t.Errorf("read_file saw %v", out.Seen)
	}
}

func TestFormHint(t *testing.T) {
	t.Parallel()
	for form, want := range map[Form]string{Pairs: "Do not write diffs.", Blocks: "Prefer patch.", "": "quote whole lines"} {
		found := false
		for _, spec := range New(Options{Form: form}).Specs() {
			found = found || spec.Name == "apply_patch" && strings.Contains(spec.Description, want)
		}
		if !found {
			t.Errorf("form %q: the description lacks %q", form, want)
		}
	}
}

// Lines that stand in the model's view are not given twice, but for a model that insists, after a change, or once they
// left its view.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	s := bench(t, program, Options{})
	const above = "stand above"
	read := func(first, last int) string {
		return call(t, s, "read_file", m{"path": "app/tax.py", "start_line": first, "end_line": last}).Text
	}
	for _, c := range []struct {
		name        string
		before      func()
		first, last int
		again       bool
	}{
		{"first", nil, 1, 4, false},
		{"a part of it", nil, 2, 3, true},
		{"the same, insisted", nil, 2, 3, false},
		{"more than it", nil, 2, 6, false},
		{"that again", nil, 2, 6, true},
		{"read once more", nil, 1, 6, false},
		{"after a change", func() {
			call(t, s, "apply_patch", m{"path": "app/tax.py", "old": "RATE = 21", "new": "RATE = 19"})
		}, 1, 6, false},
		{"after a compaction", s.Forget, 1, 6, false},
	} {
		if c.before != nil {
			c.before()
		}
		if got := read(c.first, c.last); strings.Contains(got, above) != c.again {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// The result of an edit names its lines as they are numbered now.
func TestPlaces(t *testing.T) {
	t.Parallel()
	lines := func(text string) (out []patch.Line) {
		for _, op := range text {
			out = append(out, patch.Line{Op: map[rune]patch.Op{'+': patch.Insert, '-': patch.Delete, ' ': patch.Context}[op]})
		}
		return out
	}
	for text, want := range map[string]string{" + ": "8", " ++ +": "8-9, 11", " -- ": "2 removed before 8", " -+ ": "8", "--": "2 removed before 7", "+-+": "7-8"} {
		if got := strings.Join(spans(patch.Hunk{NewStart: 7, Lines: lines(text)}), ", "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
