package subtoken

import (
	"bytes"
	"math"
	"testing"
)

// examples are two groups in which "discard" is said of code that says "drop".
func examples() [][]Example {
	var out [][]Example
	for range 2 {
		var g []Example
		for range 40 {
			g = append(g, Example{[]string{"discard", "the", "cart"}, []string{"drop", "basket", "item"}},
				Example{[]string{"send", "a", "message"}, []string{"mail", "deliver", "item"}},
				Example{[]string{"round", "the", "price"}, []string{"cents", "half", "even"}})
		}
		out = append(out, g)
	}
	return out
}

func cosine(a, b []float32) float64 {
	s := 0.0
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func TestTrainLearnsAndRepeats(t *testing.T) {
	t.Parallel()
	o := TrainOptions{Dim: 16, Least: 2, Epochs: 20, Batch: 32}
	table := Train(examples(), o)
	if !bytes.Equal(table.Bytes(), Train(examples(), o).Bytes()) {
		t.Error("the same examples give another table")
	}
	loaded, err := Load(table.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	ask := loaded.Vector([]string{"discard", "unknown"}, Words)
	near, far := cosine(ask, loaded.Vector([]string{"drop", "basket"}, Code)), cosine(ask, loaded.Vector([]string{"mail", "deliver"}, Code))
	if near < far+0.3 {
		t.Errorf("drop %.2f, mail %.2f", near, far)
	}
	if l := cosine(ask, ask); math.Abs(l-1) > 1e-3 {
		t.Errorf("length² %g", l)
	}
	if v := loaded.Vector([]string{"nobody"}, Words); cosine(v, v) != 0 {
		t.Errorf("an unknown word has a vector: %v", v)
	}
}

func TestBuiltIn(t *testing.T) {
	t.Parallel()
	table, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Bytes()) > 8<<20 || table.Len() < 1000 || table.Version() == "" {
		t.Errorf("%d bytes, %d subtokens, version %q", len(table.Bytes()), table.Len(), table.Version())
	}
	ask := table.Vector([]string{"remove", "directory"}, Words)
	near, far := cosine(ask, table.Vector([]string{"delete", "folder", "dir"}, Code)), cosine(ask, table.Vector([]string{"parse", "json", "number"}, Code))
	if near < far {
		t.Errorf("delete folder %.2f, parse json %.2f", near, far)
	}
}

func FuzzLoad(f *testing.F) {
	small := Train(examples(), TrainOptions{Dim: 4, Least: 2, Epochs: 1}).Bytes()
	f.Add(small)
	f.Add(small[:len(small)-1])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if table, err := Load(data); err == nil {
			table.Vector([]string{"drop", "a"}, Code)
		}
	})
}
