package session

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// streamed puts a text through a Stream in pieces.
func streamed(s *Store, text string, size func() int) string {
	t := s.Stream()
	var b strings.Builder
	for text != "" {
		n := min(size(), len(text))
		b.WriteString(t.Add(text[:n]))
		text = text[n:]
	}
	b.WriteString(t.Rest())
	return b.String()
}

// However a text is cut, what is handed on holds no secret and all the rest.
func TestStream(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	s.Hide("an-own-key-without-shape")
	all := secrets()
	all["own"] = "an-own-key-without-shape"
	all["named"] = `db_password = "` + "q7R!vX2mLp9#Wz4K" + `"`
	chance := rand.New(rand.NewPCG(1, 2))
	for name, secret := range all {
		for _, gap := range []int{0, 3, 5000, 20_000} {
			fill := strings.Repeat("a word ", gap/7) + "\n"
			text := fill + "before " + secret + " after\n" + fill + secret + "\nend."
			want := s.Redact(text)
			for _, most := range []int{1, 7, 300} {
				if gap > 5000 && most == 1 {
					continue
				}
				got := streamed(s, text, func() int { return 1 + chance.IntN(most) })
				if strings.HasPrefix(name, "pem") { // the lines around a key are no secret, and said before it is known to be one
					if strings.Contains(got, "MIIEowIBAAKCAQEA7x") || !strings.HasPrefix(got, fill+"before ") || !strings.HasSuffix(got, "end.") {
						t.Errorf("%s, gap %d, pieces of %d at most: %.400q", name, gap, most, got)
					}
					continue
				}
				if got != want {
					t.Errorf("%s, gap %d, pieces of %d at most:\n got %.400q\nwant %.400q", name, gap, most, got, want)
				}
			}
		}
	}
}

func BenchmarkStream(b *testing.B) {
	s, err := Open(b.TempDir()+"/s.db", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	text := strings.Repeat("The total is off by one cent, since the discount is rounded twice. ", 500)
	for b.Loop() {
		streamed(s, text, func() int { return 5 })
	}
}
