package search

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"redgreen/backend/index"
	"redgreen/backend/repo"
)

// BenchmarkQuery asks whole searches of each kind of a watched index with the built-in vectors, and ripgrep for the same; times
// are of a search, ratios of the medians. The tree is REDGREEN_BENCH_TREE, by default Go's own source; REDGREEN_BENCH_VECTORS
// names a folder that keeps its index.
func BenchmarkQuery(b *testing.B) {
	tree := os.Getenv("REDGREEN_BENCH_TREE")
	if tree == "" {
		tree = filepath.Join(runtime.GOROOT(), "src")
	}
	ix, ctx := watchedIndex(b, tree)
	same := func(queries ...string) (out [][2]string) { // a name, and how ripgrep finds it
		for _, q := range queries {
			out = append(out, [2]string{q, `\b` + q + `\b`})
		}
		return out
	}
	for _, kind := range []struct {
		name, says string
		queries    [][2]string
	}{
		{"identifier", "", same("RoundTrip", "dialConn", "mallocgc", "ParseFile")},
		{"symbol", "symbol: ", same("RoundTrip", "dialConn", "mallocgc", "ParseFile")},
		{"references", "refs: ", same("RoundTrip", "dialConn", "mallocgc", "ParseFile")},
		{"text", "text: ", [][2]string{{"unexpected newline in", "unexpected newline in"}, {"http2: invalid", "http2: invalid"}, {"func (t *Transport)", `func \(t \*Transport\)`}, {"cannot use generic", "cannot use generic"}}},
		{"common", "text: ", [][2]string{{"if err != nil", "if err != nil"}, {"return", "return"}, {"func ", "func "}}},
		{"regex", "regex: ", [][2]string{{`func \w+Transport\(`, `func \w+Transport\(`}, {`(?i)deadline ?exceeded`, `(?i)deadline ?exceeded`}, {`panic\("[a-z]+: .*overflow`, `panic\("[a-z]+: .*overflow`}}},
		{"words", "words: ", [][2]string{{"close idle connections of the transport", "(?i)idle connections"}, {"grow the stack of a goroutine", "(?i)stack"}, {"parse a duration string", "(?i)duration"}, {"constant folding of shifts", "(?i)shift"}}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			var own, rg []float64
			cpu := 0.0
			for b.Loop() {
				for _, q := range kind.queries {
					before := cpuOf(b)
					for range 5 {
						start := time.Now()
						hits, err := Search(ctx, ix, kind.says+q[0], Options{})
						if err != nil || len(hits) == 0 {
							b.Fatalf("%s: %v, %v", q[0], hits, err)
						}
						own = append(own, time.Since(start).Seconds())
					}
					cpu += cpuOf(b) - before
					if path, err := exec.LookPath("rg"); err == nil {
						start := time.Now()
						cmd := exec.Command(path, "-e", q[1], ".")
						cmd.Dir = tree
						_ = cmd.Run() // 1 where nothing is found
						rg = append(rg, time.Since(start).Seconds())
					}
				}
			}
			b.ReportMetric(1000*quantile(own, 0.5), "p50-ms")
			b.ReportMetric(1000*quantile(own, 0.99), "p99-ms")
			b.ReportMetric(1000*cpu/float64(len(own)), "cpu-ms")
			if len(rg) > 0 {
				b.ReportMetric(quantile(own, 0.5)/quantile(rg, 0.5), "p50/rg")
			}
		})
	}
}

// watchedIndex makes the index of a tree and follows the tree until the benchmark ends.
func watchedIndex(b *testing.B, tree string) (*index.Index, context.Context) {
	b.Helper()
	dir := os.Getenv("REDGREEN_BENCH_VECTORS")
	if dir == "" {
		dir = b.TempDir()
	}
	e, err := BuiltIn()
	if err != nil {
		b.Fatal(err)
	}
	r, err := repo.Open(tree, repo.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	ix, err := index.Open(r, dir, index.Options{Generated: true, Embedder: e})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ix.Close() })
	ctx, cancel := context.WithCancel(b.Context())
	told, ended := make(chan index.Watched, 100), make(chan error, 1)
	go func() { ended <- ix.Watch(ctx, func(w index.Watched) { told <- w }) }()
	b.Cleanup(func() { cancel(); <-ended })
	select {
	case w := <-told:
		if w.Err != nil || w.Why != "" || w.Stats.Vectors != nil {
			b.Fatalf("%+v", w)
		}
	case err := <-ended:
		b.Fatal(err)
	}
	time.Sleep(time.Second) // its folders are watched after the first update
	runtime.GC()
	return ix, ctx
}

// cpuOf is what this process has used, in seconds.
func cpuOf(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func quantile(all []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(all))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}
