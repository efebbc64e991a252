package index

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func codebase() *memory {
	return newMemory(map[string]string{
		"store/store.go": "package store\n\n// Open opens.\nfunc Open(path string) error { return check(path) }\n\nfunc check(path string) error { return nil }\n",
		"app/main.go":    "package main\n\nimport \"store\"\n\nfunc main() {\n\tif err := store.Open(\"Open\"); err != nil { // Open it\n\t\tpanic(err)\n\t}\n\trun(store.Open)\n}\n\nfunc run(f func(string) error) {}\n",
		"tool.py":        "from store import check\n\ndef work(path):\n    return check(path)\n",
		"notes.txt":      "check the reopened store\n",
	})
}

func TestReferencesAndCallers(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, codebase(), t.TempDir())
	mustUpdate(t, ix)
	say := func(rs []Reference, more bool, err error) (out []string) {
		if err != nil || more {
			t.Fatal(more, err)
		}
		for _, r := range rs {
			out = append(out, fmt.Sprintf("%s:%d:%d %s in %s", r.Path, r.Line, r.Col, r.Kind, r.In))
		}
		return out
	}
	got := say(ix.References(t.Context(), "store.check", GrepOptions{}))
	want := []string{"store/store.go:6:6 definition in check", "store/store.go:4:39 call in Open", "tool.py:1:19 import in ", "tool.py:4:12 call in work"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	few, more, err := ix.References(t.Context(), "check", GrepOptions{N: 2, Best: true})
	if err != nil || !more || len(few) != 2 || few[0].Kind != RefDefinition || few[1].Path != "store/store.go" {
		t.Errorf("two of four: %v, more %v, %v", few, more, err)
	}
	got = say(ix.Callers(t.Context(), "Open", GrepOptions{}))
	if d := cmp.Diff([]string{"app/main.go:6:18 call in main"}, got); d != "" {
		t.Error(d)
	}
}

func TestGrepReadsThePresentText(t *testing.T) {
	t.Parallel()
	repo := codebase()
	ix := mustOpen(t, repo, t.TempDir())
	mustUpdate(t, ix)
	repo.set("tool.py", "def work(path):\n    return verify(path), path\n")
	find := func(p Pattern, n int) (out []string, more bool) {
		got, err := ix.Grep(t.Context(), p, GrepOptions{N: n})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range got.Hits {
			out = append(out, fmt.Sprintf("%s:%d:%d %s", h.Path, h.Line, h.Col, h.Text))
		}
		return out, got.More
	}
	for _, c := range []struct {
		name string
		p    Pattern
		n    int
		want []string
		more bool
	}{
		{"a word", Pattern{Literal: "store", Word: true}, 3, []string{"app/main.go:3:9 import \"store\"", "app/main.go:6:12 \tif err := store.Open(\"Open\"); err != nil { // Open it", "app/main.go:9:6 \trun(store.Open)"}, true},
		{"what was there", Pattern{Literal: "return check"}, 9, []string{"store/store.go:4:32 func Open(path string) error { return check(path) }"}, false},
		{"an expression", Pattern{Regexp: regexp.MustCompile(`(?m)^def\s+\w+`)}, 9, []string{"tool.py:1:1 def work(path):"}, false},
		{"what is there", Pattern{Literal: "verify"}, 9, []string{"tool.py:2:12     return verify(path), path"}, false},
	} {
		got, more := find(c.p, c.n)
		if d := cmp.Diff(c.want, got); d != "" || more != c.more {
			t.Errorf("%s: more=%v\n%s", c.name, more, d)
		}
	}
}
