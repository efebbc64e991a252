package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestByLetters(t *testing.T) {
	t.Parallel()
	paths := []string{"app/invoices.py", "app/money.py", "docs/in/voices.md", "tests/test_invoices.py"}
	for name, c := range map[string]struct {
		word string
		want []string
	}{
		"part of a name":     {"invo", []string{"app/invoices.py", "tests/test_invoices.py", "docs/in/voices.md"}},
		"letters in order":   {"apmon", []string{"app/money.py"}},
		"whatever case":      {"MONEY", []string{"app/money.py"}},
		"nothing":            {"", paths},
		"letters of no path": {"zzz", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := byLetters(c.word, paths, 10); len(got) != len(c.want) || cmp.Diff(c.want, got) != "" && len(c.want) > 0 {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	root := t.TempDir()
	for name, text := range map[string]string{"app/money.py": "def total_of(lines):\n    return sum(lines)\n\nRATE = 2\nBACK = 3\n", "readme.md": "# money\n"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := c.open(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.index.Update(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]Mention{
		"mon":      {Kind: "file", Path: "app/money.py"},
		"app/mon":  {Kind: "file", Path: "app/money.py"},
		"BACK":     {Kind: "constant", Name: "BACK", Path: "app/money.py", Line: 5},
		"total_of": {Kind: "function", Name: "total_of", Path: "app/money.py", Line: 1},
	} {
		got, err := complete(t.Context(), f, word, 8)
		if err != nil || len(got) == 0 || got[0] != want {
			t.Errorf("%s: %+v, %v, want %+v first", word, got, err, want)
		}
	}
}
