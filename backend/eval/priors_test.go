package eval

import "testing"

// TestSmallFix takes commits that speak of a fix and change a few lines at one place of one source file.
func TestSmallFix(t *testing.T) {
	t.Parallel()
	code := touched{path: "pkg/a.py", at: []span{{3, 3}}, added: 1, removed: 1}
	test := touched{path: "tests/test_a.py", at: []span{{1, 9}}, added: 20, removed: 3}
	two, large, fresh := code, code, code
	two.at = []span{{3, 3}, {9, 9}}
	large.added = 30
	fresh.created = true
	for name, tt := range map[string]struct {
		message string
		files   []touched
		want    bool
	}{
		"one place":         {"Fix the total\n\nlong words", []touched{code}, true},
		"with its test":     {"fixed #12", []touched{test, code}, true},
		"no fix":            {"Add a total\n\nfixes nothing", []touched{code}, false},
		"two places":        {"Fix the total", []touched{two}, false},
		"many lines":        {"Fix the total", []touched{large}, false},
		"a new file":        {"Fix the total", []touched{fresh}, false},
		"two files":         {"Fix the total", []touched{code, {path: "b.go", at: []span{{1, 1}}, added: 1}}, false},
		"the test alone":    {"Fix the test", []touched{test}, false},
		"a file of no code": {"Fix the text", []touched{{path: "README", at: []span{{1, 1}}, added: 1}}, false},
	} {
		got, ok := smallFix(commit{message: tt.message, files: tt.files})
		if ok != tt.want || ok && got.path != code.path {
			t.Errorf("%s: %v, %s", name, ok, got.path)
		}
	}
}
