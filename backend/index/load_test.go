package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A part of a text's lines is the same as that part of all of them.
func TestLinesOf(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "a", "a\n", "a\nb", "a\n\n", "\n\na\n\n\nb\r\nc\r\n", "a\r\n\r\n"} {
		all := Lines([]byte(text))
		for from := 1; from <= len(all)+2; from++ {
			for to := from - 1; to <= len(all)+2; to++ {
				want := all[min(from-1, len(all)):max(min(to, len(all)), min(from-1, len(all)))]
				if got := LinesOf([]byte(text), from, to); !slices.Equal(got, want) {
					t.Errorf("lines %d to %d of %q: %q, want %q", from, to, text, got, want)
				}
			}
		}
	}
}

// What is loaded in one go and with less is what is loaded one by one and whole, before and after files change.
func TestLoadedAtOnce(t *testing.T) {
	t.Parallel()
	src := sample()
	ix := mustOpen(t, src, t.TempDir())
	var room [][]byte
	check := func() {
		t.Helper()
		mustUpdate(t, ix)
		var paths []string
		for p := range src.files {
			paths = append(paths, p)
		}
		slices.Sort(paths)
		paths = append(paths, "nothing/here.go", paths[0])
		var err error
		if room, err = ix.FileTexts(t.Context(), room, paths); err != nil {
			t.Fatal(err)
		}
		for i, p := range paths {
			want, err := ix.FileText(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if string(room[i]) != string(want) {
				t.Errorf("%s: %q, want %q", p, room[i], want)
			}
		}
		ids, err := ix.store.ids(t.Context(), `SELECT id FROM chunks ORDER BY id DESC`)
		if err != nil || len(ids) == 0 {
			t.Fatal(ids, err)
		}
		ids = append(ids, 1_000_000)
		meta, err := ix.Meta(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		var want []Chunk
		for _, ch := range meta {
			want = append(want, Chunk{ID: ch.ID, Path: ch.Path, Lang: ch.Lang, Kind: ch.Kind, Test: ch.Test})
		}
		got, err := ix.Traits(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	check()
	for i := range 3 {
		src.set(fmt.Sprintf("new%d.go", i), "package a\n\nfunc New() {}\n")
	}
	src.set("pool/pool.go", "package pool\n\nfunc Other() {}\n")
	check()
	delete(src.files, "pool/pool.go")
	check()
}
