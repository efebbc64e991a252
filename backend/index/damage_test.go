package index

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestDamageAnywhere flips bytes in, and cuts, any file of the index. Opening, searching and updating may find the damage
// or not, but never end the process, and after an update the index answers as a new one does.
func TestDamageAnywhere(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	m := codebase()
	for i := range pendingFiles + 10 {
		m.set("more/"+string(rune('a'+i%26))+string(rune('a'+i/26))+".go", "package more\n\nfunc Common() { Open(\"x\") }\n")
	}
	ix := mustOpen(t, m, whole)
	mustUpdate(t, ix)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	var files []string
	err := filepath.WalkDir(whole, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(whole, p)
			files = append(files, rel)
		}
		return err
	})
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	for round := range 36 {
		dir := filepath.Join(t.TempDir(), "ix")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		name := files[round%len(files)]
		how := spoilAnywhere(t, filepath.Join(dir, name), rnd)
		ix, err := open(m, dir, Options{})
		if err != nil {
			t.Errorf("%s, %s: opening: %v", name, how, err)
			continue
		}
		ask := func() bool {
			words, err1 := ix.Keywords(t.Context(), "open path", 5)
			found, err2 := ix.Grep(t.Context(), Pattern{Literal: "check(path)"}, GrepOptions{})
			refs, _, err3 := ix.References(t.Context(), "check", GrepOptions{})
			_, err4 := ix.Symbols(t.Context(), "Open", 5)
			return err1 == nil && err2 == nil && err3 == nil && err4 == nil && len(words) > 0 && len(found.Hits) == 2 && len(refs) == 4
		}
		ask() // may fail, may be wrong, may not crash
		if _, err := ix.Update(t.Context(), nil); err != nil {
			t.Errorf("%s, %s: updating: %v", name, how, err)
		}
		if !ask() {
			if _, err := ix.Update(t.Context(), nil); err != nil {
				t.Errorf("%s, %s: updating again: %v", name, how, err)
			}
			if !ask() {
				t.Errorf("%s, %s: still damaged", name, how)
			}
		}
		ix.Close()
	}
}

func spoilAnywhere(t *testing.T, file string, rnd *rand.Rand) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	how := "a cut"
	if rnd.IntN(3) == 0 || len(b) == 0 {
		b = b[:rnd.IntN(len(b)+1)]
	} else {
		how = "flipped bytes"
		for range 1 + rnd.IntN(40) {
			b[rnd.IntN(len(b))] ^= byte(1 + rnd.IntN(255))
		}
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return how
}
