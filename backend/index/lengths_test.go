package index

import (
	"fmt"
	"slices"
	"testing"
)

// The sums of the lengths are those of the chunks, whatever was added, changed and taken away.
func TestLengthsAreOfTheChunks(t *testing.T) {
	t.Parallel()
	src := sample()
	ix := mustOpen(t, src, t.TempDir())
	check := func(when string) {
		t.Helper()
		mustUpdate(t, ix)
		got, err := ix.store.meanLengths(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var want [numFields]float64
		into := make([]any, len(want))
		for i := range want {
			into[i] = &want[i]
		}
		if err := ix.store.db.QueryRow(`SELECT avg(len_name), avg(len_scope), avg(len_path), avg(len_ident), avg(len_code), avg(len_prose) FROM chunks`).Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i] = max(want[i], 1)
		}
		if !slices.Equal(got[:], want[:]) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	check("made")
	for i := range 5 {
		src.set(fmt.Sprintf("new%d.go", i), "package a\n\n// Long says much of what it does.\nfunc LongName() { call(); other() }\n")
	}
	check("added")
	src.set("new0.go", "package a\n")
	delete(src.files, "pool/pool.go")
	check("changed and removed")
}
