package tools

import (
	"testing"

	"redgreen/backend/patch"
)

// TestEdited: an edit changes its lines and nothing else, least of all how the file ends.
func TestEdited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		list             []change
	}{
		{"the last line, without an end", "a\nb", "a\nB", []change{{2, 2, []string{"B"}}}},
		{"another line, the last without an end", "a\nb", "A\nb", []change{{1, 1, []string{"A"}}}},
		{"more last lines", "a\nb", "a\nB\nc", []change{{2, 2, []string{"B", "c"}}}},
		{"before the last line", "a\nb", "a\nx\nb", []change{{2, 1, []string{"x"}}}},
		{"behind the last line", "a\nb", "a\nb\nc", []change{{3, 2, []string{"c"}}}},
		{"the last line, with its end", "a\nb\n", "a\nB\n", []change{{2, 2, []string{"B"}}}},
		{"behind all, with its end", "a\nb\n", "a\nb\nc\n", []change{{3, 2, []string{"c"}}}},
		{"of Windows, without an end", "a\r\nb", "a\r\nB\r\nc", []change{{2, 2, []string{"B", "c"}}}},
		{"two", "a\nb\nc", "A\nb\nC", []change{{1, 1, []string{"A"}}, {3, 3, []string{"C"}}}},
	} {
		got, err := edited("x.py", c.text, c.list)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	if _, err := edited("x.py", "a", []change{{4, 4, nil}}); err == nil {
		t.Error("lines that are not there were changed")
	}
}

// TestCandidateEncoded: a candidate's file is written as it was encoded, or the candidate is refused.
func TestCandidateEncoded(t *testing.T) {
	t.Parallel()
	s := bench(t, map[string]string{"name.py": "# coding: latin-1\nNAME = 'caf\xe9'\nN = 1\n"}, Options{})
	encodings := map[string]patch.Encoding{}
	c, err := s.candidate("@@ name.py 3-3\n|N = 2", encodings)
	if err != nil {
		t.Fatal(err)
	}
	data, err := encodings["name.py"].Encode(c["name.py"])
	if want := "# coding: latin-1\nNAME = 'caf\xe9'\nN = 2\n"; err != nil || string(data) != want {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := s.candidate("@@ name.py 3-3\n|N = '→'", encodings); err == nil {
		t.Error("a letter that the encoding does not have was taken")
	}
}

// TestLastLineWithoutEnd: the diff of the built-in engine, which knows nothing of how a file ends, leaves that as it is.
func TestLastLineWithoutEnd(t *testing.T) {
	t.Parallel()
	s := bench(t, map[string]string{"a.py": "x = 1\ny = 2"}, Options{})
	call(t, s, "read_file", m{"path": "a.py"})
	out := call(t, s, "apply_patch", m{"patch": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"})
	if !out.OK {
		t.Fatal(out.Text)
	}
	if data, err := s.o.Workspace.Read("a.py"); err != nil || string(data) != "x = 1\ny = 3" {
		t.Errorf("%q, %v: %s", data, err, out.Text)
	}
}
