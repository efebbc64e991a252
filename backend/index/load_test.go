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

// The chunk around a line is the same, whether all chunks of its file are asked for or those near some lines.
func TestExtentsOfSpans(t *testing.T) {
	t.Parallel()
	src := sample()
	ix := mustOpen(t, src, t.TempDir())
	mustUpdate(t, ix)
	files, err := ix.store.ids(t.Context(), `SELECT DISTINCT file_id FROM chunks ORDER BY file_id`)
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	all := map[int64][]extent{}
	for _, f := range files {
		if all[f], err = ix.store.extents(t.Context(), f); err != nil || len(all[f]) == 0 {
			t.Fatal(all[f], err)
		}
	}
	for from := range 40 {
		for to := from; to < 40; to += 3 {
			var spans []span
			for _, f := range files {
				spans = append(spans, span{f, from, to})
			}
			some, err := ix.store.extentsOf(t.Context(), spans)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				for _, line := range []int{from, (from + to) / 2, to} {
					if got, want := innermost(some[f], line), innermost(all[f], line); got != want {
						t.Errorf("file %d, line %d of %d to %d: %v, want %v", f, line, from, to, got, want)
					}
				}
			}
		}
	}
}
