package index

import (
	"context"
	"errors"
	"math"
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
	for _, v := range [][]float32{{0, 0, 0}, {float32(math.NaN()), 1, 0}, {float32(math.Inf(1)), 1, 0}} {
		if _, scale := unpack(pack(v)); scale != 0 {
			t.Errorf("%v: scale %g", v, scale)
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
