package index

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// A needle is found where bytes.Index finds it, also where its rarest byte is everywhere.
func TestNeedle(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	text := func(letters string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	for range 20_000 {
		letters := []string{"zq", "ez", "abcdefgz \n", "\xff\x00e"}[r.IntN(4)]
		in, sought := []byte(text(letters, r.IntN(200))), text(letters, r.IntN(7))
		if got, want := newNeedle(sought).index(in), bytes.Index(in, []byte(sought)); got != want {
			t.Fatalf("%q in %q: %d, want %d", sought, in, got, want)
		}
	}
	in := []byte(strings.Repeat("z", 5000) + "yz")
	if got := newNeedle("yz").index(in); got != 5000 {
		t.Error(got)
	}
}
