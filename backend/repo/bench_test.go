package repo

import (
	"os"
	"path/filepath"
	"testing"
)

// The benchmarks run on the folder that REDGREEN_BENCH_TREE names, by default on this module.
func benchRepo(b *testing.B) *Repo {
	dir := os.Getenv("REDGREEN_BENCH_TREE")
	if dir == "" {
		dir = filepath.Join("..", "..")
	}
	r, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	return r
}

func BenchmarkWalk(b *testing.B) {
	r := benchRepo(b)
	for b.Loop() {
		files, err := r.Files(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(files)), "files")
	}
}

func BenchmarkWorkspace(b *testing.B) {
	r := benchRepo(b)
	for b.Loop() {
		w, err := r.NewWorkspace(b.Context(), filepath.Join(b.TempDir(), "w"), CopyOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkPristine(b *testing.B) {
	w, err := benchRepo(b).NewWorkspace(b.Context(), filepath.Join(b.TempDir(), "w"), CopyOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for b.Loop() {
		p, err := w.Pristine(b.Context(), filepath.Join(b.TempDir(), "p"))
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkRead(b *testing.B) {
	r := benchRepo(b)
	files, err := r.Files(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		i++
		if data, err := r.Read(files[i%len(files)].Path); err == nil {
			b.SetBytes(int64(len(data)))
		}
	}
}
