package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// letters embeds a text as how often it says three words.
type letters struct {
	name  string
	dim   int
	calls int // texts embedded
	fail  error
}

func (l *letters) Name() string { return l.name }
func (l *letters) Dim() int     { return l.dim }
func (l *letters) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if l.fail != nil {
		return nil, l.fail
	}
	l.calls += len(texts)
	var out [][]float32
	for _, t := range texts {
		v := make([]float32, l.dim)
		for i, w := range []string{"apple", "pear", "plum"} {
			v[i] = float32(strings.Count(t, w))
		}
		out = append(out, v)
	}
	return out, nil
}

func TestVectors(t *testing.T) {
	t.Parallel()
	src := newMemory(map[string]string{"a.py": "def a():\n    return 'apple apple'\n", "b.py": "def b():\n    return 'pear'\n"})
	dir := t.TempDir()
	e := &letters{name: "one", dim: 3}
	ix, err := open(src, dir, Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { ix.Close() }()
	nearest := func(v ...float32) string {
		t.Helper()
		list, err := ix.Nearest(t.Context(), v, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			return ""
		}
		if math.Abs(list[0].Score-1) > 0.02 {
			t.Errorf("cosine %g", list[0].Score)
		}
		chunks, err := ix.Meta(t.Context(), []int64{list[0].ID})
		if err != nil {
			t.Fatal(err)
		}
		return chunks[0].Path
	}
	update := func(texts int) {
		t.Helper()
		e.calls = 0
		if _, err := ix.Update(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if e.calls != texts {
			t.Errorf("%d texts embedded, want %d", e.calls, texts)
		}
	}
	update(2)
	if got := nearest(1, 0, 0); got != "a.py" {
		t.Errorf("apple: %q", got)
	}
	update(0)
	src.set("b.py", "def b():\n    return 'plum'\n")
	update(1)
	if got := nearest(0, 1, 0); got != "" {
		t.Errorf("a pear that is no more: %q", got)
	}
	if got := nearest(0, 0, 1); got != "b.py" {
		t.Errorf("plum: %q", got)
	}
	// another embedder: all anew, also after a failure
	e2 := &letters{name: "two", dim: 4, fail: errors.New("no server")}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if ix, err = open(src, dir, Options{Embedder: e2}); err != nil {
		t.Fatal(err)
	}
	st, err := ix.Update(t.Context(), nil)
	if err != nil || st.Vectors == nil {
		t.Errorf("a failing embedder: %v, %v", err, st.Vectors)
	}
	e2.fail = nil
	if st, err = ix.Update(t.Context(), nil); err != nil || st.Vectors != nil || e2.calls != 2 {
		t.Errorf("after the failure: %v, %v, %d texts", err, st.Vectors, e2.calls)
	}
	if got := nearest(0, 0, 1, 0); got != "b.py" {
		t.Errorf("plum by the other: %q", got)
	}
	if list, err := ix.Nearest(t.Context(), []float32{1}, 5); err != nil || len(list) != 0 {
		t.Errorf("a vector of another length: %v %v", list, err)
	}
}

func TestPack(t *testing.T) {
	t.Parallel()
	for _, v := range [][]float32{{3, 4, 0}, {-1e-20, 0, 0}, {1e10, -1e10, 1}} {
		row, scale := unpack(pack(v))
		sum := 0.0
		for _, x := range row {
			sum += math.Pow(float64(x)*float64(scale), 2)
		}
		if math.Abs(sum-1) > 0.02 {
			t.Errorf("%v has length² %g", v, sum)
		}
	}
	for _, v := range [][]float32{{3, 4, 0}, {-1e-20, 0}, {1e10, -1e10, 1}, {-2, 1, 2, -1}} {
		packed := packNibbles([]byte("before"), v)[len("before"):]
		row, scale := nibbled(packed, len(v))
		if len(packed) != nibbles(len(v)) {
			t.Errorf("%v takes %d bytes", v, len(packed))
		}
		dot, length := 0.0, 0.0
		for i, x := range row {
			dot += float64(x) * float64(scale) * float64(v[i])
			length += float64(v[i]) * float64(v[i])
		}
		if cosine := dot / math.Sqrt(length); math.Abs(cosine-1) > 0.02 {
			t.Errorf("%v in nibbles is %v × %g, cosine %g", v, row, scale, cosine)
		}
	}
	for _, v := range [][]float32{{0, 0, 0}, {1e-40, 0, 0}, {float32(math.NaN()), 1, 0}, {float32(math.Inf(1)), 1, 0}} {
		if _, scale := unpack(pack(v)); scale != 0 {
			t.Errorf("%v: scale %g", v, scale)
		}
		if row, scale := nibbled(packNibbles(nil, v), len(v)); scale != 0 || slices.ContainsFunc(row, func(x int8) bool { return x != 0 }) {
			t.Errorf("%v in nibbles: %v × %g", v, row, scale)
		}
	}
}

// asked keeps the texts that it is given.
type asked struct {
	letters
	texts []string
}

func (a *asked) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	a.texts = append(a.texts, texts...)
	return a.letters.Embed(ctx, texts)
}

// What is embedded later, after a failure, is the text that would have been at first: with the comment, which is not stored.
func TestVectorsLater(t *testing.T) {
	t.Parallel()
	src := newMemory(map[string]string{
		"a.go": "package a\n\n// Sum adds what a plum costs.\nfunc Sum() int { return 1 }\n\n// Less takes it off.\nfunc Less() int { return 2 }\n",
		"b.py": "def b():\n    \"\"\"An apple a day.\"\"\"\n    return 'pear'\n"})
	a := &asked{letters: letters{name: "one", dim: 3, fail: errors.New("no server")}}
	ix, err := open(src, t.TempDir(), Options{Embedder: a})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	mustUpdate(t, ix)
	at, first := len(a.texts), strings.Join(a.texts, "\n--\n")
	a.fail = nil
	mustUpdate(t, ix)
	later := strings.Join(a.texts[at:], "\n--\n")
	if !strings.Contains(later, "Sum adds what a plum costs.") || !strings.HasPrefix(later, first) {
		t.Errorf("at first\n%s\nlater\n%s", first, later)
	}
}

// What was embedded is not looked for again; chunks that came while the index was open without an embedder are.
func TestVectorsOfOthers(t *testing.T) {
	t.Parallel()
	src := newMemory(map[string]string{"a.py": "def a():\n    return 'apple'\n"})
	dir := t.TempDir()
	with := func(e Embedder) {
		t.Helper()
		ix, err := open(src, dir, Options{Embedder: e})
		if err != nil {
			t.Fatal(err)
		}
		mustUpdate(t, ix)
		noted, err := ix.store.unembedded(t.Context())
		if err != nil || noted != (e == nil) {
			t.Errorf("noted %v, %v", noted, err)
		}
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e := &letters{name: "one", dim: 3}
	with(e)
	src.set("b.py", "def b():\n    return 'pear'\n")
	with(nil)
	with(e)
	if e.calls != 2 {
		t.Errorf("%d texts embedded", e.calls)
	}
}

// localLetters is letters as a Local.
type localLetters struct{ letters }

func (l *localLetters) Most() int { return 20 }
func (l *localLetters) Subtoken(s string) (int32, bool) {
	i := slices.Index([]string{"apple", "pear", "plum"}, s)
	return int32(i), i >= 0
}
func (l *localLetters) Sum(v []float32, subtokens []int32) {
	clear(v)
	for _, id := range subtokens {
		v[id]++
	}
}

// A local embedder's vectors come and go with their files, also where another embedder had the index before, or none; it is never
// asked for the vector of a text.
func TestLocalVectors(t *testing.T) {
	t.Parallel()
	src := newMemory(map[string]string{"a.py": "def a():\n    return 'apple apple'\n\ndef b():\n    return 'pear'\n", "empty.py": ""})
	dir := t.TempDir()
	local, other := &localLetters{letters{name: "local", dim: 3}}, &letters{name: "other", dim: 3}
	with := func(e Embedder, change func(), nearest ...string) {
		t.Helper()
		ix, err := open(src, dir, Options{Embedder: e})
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		if e != nil { // they are loaded before the change, and follow it
			if _, err := ix.Nearest(t.Context(), []float32{1, 0, 0}, 1); err != nil {
				t.Fatal(err)
			}
		}
		change()
		mustUpdate(t, ix)
		for i, want := range nearest {
			v := make([]float32, 3)
			v[i] = 1
			list, err := ix.Nearest(t.Context(), v, 1)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(list) > 0 {
				chunks, err := ix.Meta(t.Context(), []int64{list[0].ID})
				if err != nil {
					t.Fatal(err)
				}
				got = chunks[0].Path + " " + chunks[0].Name
			}
			if got != want {
				t.Errorf("%v: %q, want %q", v, got, want)
			}
		}
	}
	nothing := func() {}
	with(local, nothing, "a.py a", "a.py b", "")
	with(local, func() {
		src.set("a.py", "def c():\n    return 'plum'\n")
		src.set("b.py", "def b():\n    return 'pear'\n")
	}, "", "b.py b", "a.py c")
	with(nil, func() { src.set("d.py", "def d():\n    return 'apple'\n") })
	with(local, nothing, "d.py d", "b.py b", "a.py c")
	with(other, nothing, "d.py d", "b.py b", "a.py c")
	if local.calls != 0 || other.calls != 3 {
		t.Errorf("%d and %d texts embedded", local.calls, other.calls)
	}
	with(local, func() { delete(src.files, "b.py") }, "d.py d", "", "a.py c")
	if local.calls != 0 {
		t.Errorf("%d texts embedded", local.calls)
	}
}

// TestBag holds the vectors that are made while a file is cut against those of the same texts.
func TestBag(t *testing.T) {
	t.Parallel()
	e := newBenchEmbedder()
	c := newChunker()
	defer c.close()
	c.words = newVocabulary(StopWords())
	c.words.bag = newBag(e, c.words.stop)
	long := "package a\n\n// Close drops the idleConnections of HTTPServer2.\nfunc (p *pool) Close() {\n"
	for i := range 300 {
		long += fmt.Sprintf("\tp.removeConn%d(ctx, naïveÜber_path, \"the file is-a re-read x\") // again and again\n", i)
	}
	chunks := 0
	for name, src := range map[string]string{"net/pool.go": long + "}\n\nfunc open() error { return nil }\n", "docs/read-me.md": "# How to open\n\nRead the file, then parse it.\n"} {
		cut, err := c.file(name, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range cut.chunks {
			chunks++
			c.words.document(ch, c.words.names(ch.Path), nil)
			got := make([]float32, e.Dim())
			e.Sum(got, c.words.bag.ids)
			want, err := e.Embed(t.Context(), []string{VectorText(ch)})
			if err != nil {
				t.Fatal(err)
			}
			scale, _ := lengthOne(got, 1)
			top := slices.MaxFunc(got, func(a, b float32) int { return cmp.Compare(max(a, -a), max(b, -b)) })
			for i := range got {
				if x := got[i] / max(top, -top) * scale; math.Abs(float64(x-want[0][i])) > 1e-6 {
					t.Fatalf("%s %s: number %d is %g, not %g", ch.Path, ch.Name, i, x, want[0][i])
				}
			}
		}
	}
	if chunks < 3 {
		t.Errorf("%d chunks", chunks)
	}
}

// nibbled is one vector as a vectorSet has it.
func nibbled(packed []byte, dim int) ([]int8, float32) {
	s := vectorSet{dim: dim}
	s.putFile(1, packed)
	return s.rows, s.scales[0]
}

// TestVectorSetFollows takes files of vectors in and out, in both forms, and finds of what is left what a new set finds.
func TestVectorSetFollows(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{2, 5, 128} {
		chance := rand.New(rand.NewPCG(1, uint64(dim)))
		vector := func() []float32 {
			v := make([]float32, dim)
			for i := range v {
				v[i] = float32(chance.NormFloat64())
			}
			return v
		}
		packed := map[int64][]byte{} // of what is there
		s := &vectorSet{dim: dim, loaded: true}
		next := int64(1)
		for range 40 {
			var file []byte
			first := next
			for range 1 + chance.IntN(9) {
				one := packNibbles(nil, vector())
				packed[next] = one
				file = append(file, one...)
				next++
			}
			s.addFile(first, file)
			s.addFile(first, file) // loading may have read it
			var gone []int64
			for id := range packed {
				if chance.IntN(5) == 0 {
					gone = append(gone, id)
					delete(packed, id)
				}
			}
			s.remove(gone)
			again := &vectorSet{dim: dim, loaded: true}
			for _, id := range slices.Sorted(maps.Keys(packed)) {
				again.putFile(id, packed[id])
			}
			asked := vector()
			if got, want := s.nearest(asked, 5), again.nearest(asked, 5); !slices.Equal(got, want) {
				t.Fatalf("%d numbers, %d chunks: %v, of a new set %v", dim, len(packed), got, want)
			}
			if len(s.ids) > 2*len(packed)+1 {
				t.Fatalf("%d places for %d chunks", len(s.ids), len(packed))
			}
		}
	}
	s := &vectorSet{dim: 2, loaded: true}
	of := map[Hash][]byte{{1}: pack([]float32{1, 2})}
	s.add([]Chunk{{ID: 5, Hash: Hash{1}}, {ID: 7, Hash: Hash{1}}, {ID: 7, Hash: Hash{1}}, {ID: 5, Hash: Hash{1}}}, of)
	if !s.loaded || len(s.ids) != 2 {
		t.Errorf("twice the same: %v", s.ids)
	}
	if s.add([]Chunk{{ID: 6, Hash: Hash{1}}}, of); s.loaded {
		t.Error("a chunk that had to wait for its vector is not read again")
	}
}
