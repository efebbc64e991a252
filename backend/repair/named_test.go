package repair

import (
	"slices"
	"testing"
)

// TestNamedLetters asks for the other letters that a task names where one of them is asked for, and only there.
func TestNamedLetters(t *testing.T) {
	t.Parallel()
	if got := singles("Soundex should ignore H and W between letters, and '-' or `y`; I mean H, not IT."); !slices.Equal(got, []string{"H", "W", "-", "y", "I"}) {
		t.Errorf("%q", got)
	}
	for _, tt := range []struct{ path, bad, good string }{
		{"A.java", "class A {\n    static int f(char c) {\n        if (c == 'H') {\n            return 0;\n        }\n        return 1;\n    }\n}\n",
			"class A {\n    static int f(char c) {\n        if (c == 'H' || c == 'W') {\n            return 0;\n        }\n        return 1;\n    }\n}\n"},
		{"a.go", "package a\n\nfunc f(c rune) int {\n\tif c == 'H' {\n\t\treturn 0\n\t}\n\treturn 1\n}\n", "package a\n\nfunc f(c rune) int {\n\tif c == 'H' || c == 'W' {\n\t\treturn 0\n\t}\n\treturn 1\n}\n"},
		{"a.py", "def f(c):\n    if c == \"H\":\n        return 0\n    return 1\n", "def f(c):\n    if c == \"H\" or c == \"W\":\n        return 0\n    return 1\n"},
	} {
		if p := fixPlace(tt.path, tt.bad, tt.good, hints{single: []string{"H", "W"}}); p.at == 0 || p.at > 40 {
			t.Errorf("%s: %d of %d", tt.path, p.at, p.of)
		}
		if p := fixPlace(tt.path, tt.bad, tt.good, hints{single: []string{"I", "W"}}); p.at != 0 {
			t.Errorf("%s: without the letter that is asked for it is %d", tt.path, p.at)
		}
	}
}
