package repo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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

// BenchmarkAgainstCp holds a task's copy of 50,000 small files against cp -a --reflink=auto, in one run: the first copy,
// and the one that was kept ready, with 10 files edited since. Run it with -benchtime 1x.
func BenchmarkAgainstCp(b *testing.B) {
	const files, edits = 50_000, 10
	dir := filepath.Join(b.TempDir(), "folder")
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("p%d/q%d/f%d.py", i%50, i%500, i)) }
	for i := range files {
		if err := os.MkdirAll(filepath.Dir(name(i)), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name(i), fmt.Appendf(nil, "def f%d(a):\n    return a + %d\n", i, i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(racy) // a folder is older than its copy
	r, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	o := CopyOptions{Spare: filepath.Join(b.TempDir(), "spare")}
	timed := func(what string, do func() error) {
		start := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(start).Seconds(), what+"-s")
	}
	for b.Loop() {
		out := b.TempDir()
		timed("cp", func() error {
			return exec.CommandContext(b.Context(), "cp", "-a", "--reflink=auto", dir, filepath.Join(out, "cp")).Run()
		})
		for _, what := range []string{"first", "kept"} {
			var w *Workspace
			timed(what, func() (err error) {
				w, err = r.NewWorkspace(b.Context(), filepath.Join(out, what), o)
				return err
			})
			way, anew := w.Way()
			b.Logf("%s: %s, %d files anew", what, way, anew)
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			if what == "kept" {
				break
			}
			timed("prepare", func() error { return r.Prepare(b.Context(), o) })
			for i := range edits {
				if err := os.WriteFile(name(i), []byte("edited\n"), 0o644); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
