package index

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGrepFindsWhatAScanFinds holds the trigram index against a look at every file, over texts of few letters so that
// everything occurs somewhere, in several segments, with files that changed, are gone and came later.
func TestGrepFindsWhatAScanFinds(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range 60 {
			b.WriteString([]string{"if err", " != ", "nil", "aé", "Foo", "bar", "\n", "\t", "x", "baz()"}[rnd.IntN(10)])
		}
		return b.String()
	}
	m := newMemory(nil)
	for i := range 3 * pendingFiles {
		m.set(fmt.Sprintf("a/%03d.txt", i), text())
	}
	ix := mustOpen(t, m, t.TempDir())
	mustUpdate(t, ix)
	for i := range 2 * pendingFiles {
		m.set(fmt.Sprintf("a/%03d.txt", 2*i), text())
		m.set(fmt.Sprintf("b/%03d.txt", i), text())
	}
	delete(m.files, "a/003.txt")
	mustUpdate(t, ix)
	m.set("b/new.txt", "Foobar\n")
	mustUpdate(t, ix)
	var segments int
	if err := ix.store.db.QueryRow(`SELECT count(*) FROM segments`).Scan(&segments); err != nil || segments < 2 {
		t.Fatalf("%d segments, %v", segments, err)
	}
	var patterns []Pattern
	for _, lit := range []string{"if err != nil", "nil", "é", "xFoo", "baz()bar", "\tx", "nothing", "", "a"} {
		patterns = append(patterns, Pattern{Literal: lit}, Pattern{Literal: lit, Word: true})
	}
	for _, re := range []string{`Foo.*bar`, `(?i)foobar`, `nil|baz`, `^x`, `(?m)^if err$`, `[a-z]+\(\)x`, `.`, `Foo(bar|baz\(\))?x`, `\bnil\b`, `x\nx`, `(?i)FOO.*bar`, `(?i)skills`, `^baz`, `nil$`, `(?m)bar$`,
		`[^a]*Foo`, `(Foo|nil)bar`, `(baz){1,2}`, `(?:Foobar)+x?`, `é`, `\bFoo\B`} {
		patterns = append(patterns, Pattern{Regexp: regexp.MustCompile(re)})
	}
	for _, p := range patterns {
		got, err := ix.Grep(t.Context(), p, GrepOptions{N: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var want, have []string
		files, _ := m.Files(t.Context())
		for _, f := range files {
			for _, h := range p.lines(m.files[f.Path], 1<<20) {
				want = append(want, fmt.Sprintf("%s:%d:%d %s", f.Path, h.Line, h.Col, h.Text))
			}
		}
		for _, h := range got.Hits {
			have = append(have, fmt.Sprintf("%s:%d:%d %s", h.Path, h.Line, h.Col, h.Text))
		}
		if d := cmp.Diff(want, have); d != "" {
			t.Errorf("%q %v: %s", p.Literal, p.Regexp, d)
		}
	}
	few, err := ix.candidates(t.Context(), Pattern{Literal: "baz()barFoo"}, GrepOptions{})
	if err != nil || len(few) > 200 {
		t.Errorf("%d candidates, %v", len(few), err)
	}
}

func TestSegmentsAreMadeOne(t *testing.T) {
	t.Parallel()
	m := newMemory(nil)
	ix := mustOpen(t, m, t.TempDir())
	for round := range maxSmall + 2 {
		for i := range pendingFiles + 1 {
			m.set(fmt.Sprintf("%02d/%03d.txt", round, i), fmt.Sprintf("text%d of%d", i, round))
		}
		mustUpdate(t, ix)
	}
	var segments int
	if err := ix.store.db.QueryRow(`SELECT count(*) FROM segments`).Scan(&segments); err != nil || segments > 2 {
		t.Errorf("%d segments, %v", segments, err)
	}
	got, err := ix.Grep(t.Context(), Pattern{Literal: "text7 of3"}, GrepOptions{})
	if err != nil || len(got.Hits) != 1 || got.Hits[0].Path != "03/007.txt" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	m := codebase()
	m.set("store/helper.go", "package store\n\nfunc lonely() {}\n")
	ix := mustOpen(t, m, t.TempDir())
	mustUpdate(t, ix)
	rank := func(p string) float64 {
		r, err := ix.Rank(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if rank("store/store.go") != 1 || rank("store/helper.go") >= 0.5 || rank("nowhere.go") != 0 {
		t.Errorf("%v %v %v", rank("store/store.go"), rank("store/helper.go"), rank("nowhere.go"))
	}
}
