package index

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"redgreen/backend/model/subtoken"
	"redgreen/backend/repo"
)

// The benchmarks run on the tree that REDGREEN_BENCH_TREE names, by default Go's own source. Each measures whole
// processes: this program started again against ripgrep, universal-ctags and zoekt-index, those of them that the machine
// has.
func benchTree() string {
	if dir := os.Getenv("REDGREEN_BENCH_TREE"); dir != "" {
		return dir
	}
	return filepath.Join(runtime.GOROOT(), "src")
}

// helperBench brings an index up to date in a process of its own.
func helperBench() {
	if file := os.Getenv("REDGREEN_BENCH_PROFILE"); file != "" { // of the last index that was made
		if f, err := os.Create(file); err == nil && pprof.StartCPUProfile(f) != nil {
			fmt.Fprintln(os.Stderr, "no profile: another one runs")
		}
	}
	r, err := repo.Open(os.Getenv("INDEX_BENCH_TREE"), repo.Options{})
	if err == nil {
		var ix *Index
		o := Options{Generated: true}
		if os.Getenv("REDGREEN_BENCH_EMBED") != "" {
			o.Embedder = newBenchEmbedder()
		}
		if ix, err = Open(r, os.Getenv("INDEX_TEST_DIR"), o); err == nil {
			var st Stats
			if st, err = ix.Update(context.Background(), nil); err == nil {
				fmt.Printf("%d %d\n", st.Files, st.Chunks)
			}
			ix.Close()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		pprof.StopCPUProfile()
		os.Exit(1)
	}
	pprof.StopCPUProfile()
	os.Exit(0)
}

// benchEmbedder is the built-in embedder of package search, which imports this one.
type benchEmbedder struct {
	table *subtoken.Table
	words *Subtokenizer
}

func newBenchEmbedder() benchEmbedder {
	table, err := subtoken.BuiltIn()
	if err != nil {
		panic(err)
	}
	return benchEmbedder{table, NewSubtokenizer()}
}

func (e benchEmbedder) Name() string { return "built-in/" + e.table.Version() }
func (e benchEmbedder) Dim() int     { return e.table.Dim() }

func (e benchEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = e.table.Vector(e.words.Cut(t, e.Most()), subtoken.Code)
	}
	return out, ctx.Err()
}

func (e benchEmbedder) Most() int                          { return 200 }
func (e benchEmbedder) Subtoken(s string) (int32, bool)    { return e.table.ID(s) }
func (e benchEmbedder) Sum(v []float32, subtokens []int32) { e.table.Sum(v, subtokens, subtoken.Code) }

// used is what a process needed.
type used struct {
	cpu, wall float64 // seconds
	peak      float64 // MiB
}

func measure(b *testing.B, cmd *exec.Cmd) used {
	b.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v: %s", cmd.Path, err, said.String())
	}
	wall := time.Since(start)
	s := cmd.ProcessState
	return used{(s.UserTime() + s.SystemTime()).Seconds(), wall.Seconds(), float64(s.SysUsage().(*syscall.Rusage).Maxrss) / 1024}
}

func indexing(b *testing.B, tree, dir string) used {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "INDEX_TEST_HELPER=bench", "INDEX_BENCH_TREE="+tree, "INDEX_TEST_DIR="+dir)
	return measure(b, cmd)
}

// peer runs another program; ok is false where the machine does not have it.
func peer(b *testing.B, name string, args ...string) (used, bool) {
	path, err := exec.LookPath(name)
	if err != nil {
		return used{}, false
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = benchTree()
	if ctags, err := exec.LookPath("ctags"); err == nil {
		cmd.Env = append(os.Environ(), "CTAGS_COMMAND="+ctags) // what zoekt-index finds symbols with
	}
	return measure(b, cmd), true
}

func sizeOf(b *testing.B, dir string, text bool) float64 {
	b.Helper()
	sum := 0.0
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		if text && fi.Size() > 1<<20 {
			return nil // not indexed either
		}
		sum += float64(fi.Size())
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return sum / (1 << 20)
}

// reopenings is how often an index is opened again for a figure: one takes so little that it says mostly how busy the machine is.
const reopenings = 3

// BenchmarkFull makes the whole index, then opens it again with nothing changed.
func BenchmarkFull(b *testing.B) {
	tree := benchTree()
	text := sizeOf(b, tree, true)
	var own, again, ctags, zoekt used
	var size float64
	hasCtags, hasZoekt := false, false
	for b.Loop() {
		dir := b.TempDir()
		own = own.plus(indexing(b, tree, dir))
		size = sizeOf(b, dir, false)
		for range reopenings {
			again = again.plus(indexing(b, tree, dir))
		}
		var u used
		if u, hasCtags = peer(b, "ctags", "-R", "--fields=+nKe", "-f", filepath.Join(dir, "tags"), "."); hasCtags {
			ctags = ctags.plus(u)
		}
		if u, hasZoekt = peer(b, "zoekt-index", "-require_ctags", "-index", filepath.Join(dir, "zoekt"), "."); hasZoekt {
			zoekt = zoekt.plus(u)
		}
	}
	n := float64(b.N)
	b.ReportMetric(own.cpu/n, "cpu-s")
	b.ReportMetric(own.wall/n, "wall-s")
	b.ReportMetric(own.peak, "peak-MiB")
	b.ReportMetric(size/text, "index/text")
	b.ReportMetric(100*again.cpu/own.cpu/reopenings, "reopen-%cpu")
	b.ReportMetric(100*again.wall/own.wall/reopenings, "reopen-%wall")
	if hasCtags {
		b.ReportMetric(own.cpu/ctags.cpu, "cpu/ctags")
	}
	if hasZoekt {
		b.ReportMetric(own.cpu/zoekt.cpu, "cpu/zoekt")
		b.ReportMetric(own.wall/zoekt.wall, "wall/zoekt")
	}
}

func (u used) plus(v used) used {
	return used{u.cpu + v.cpu, u.wall + v.wall, max(u.peak, v.peak)}
}

// opened makes an index of the tree and opens it. REDGREEN_BENCH_INDEX names a folder that keeps the index of the bench
// tree between runs, for those who compare queries before and after a change.
func opened(b *testing.B, tree string) (*Index, string) {
	b.Helper()
	dir := os.Getenv("REDGREEN_BENCH_INDEX")
	if dir == "" || tree != benchTree() {
		dir = b.TempDir()
	}
	indexing(b, tree, dir)
	r, err := repo.Open(tree, repo.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	ix, err := Open(r, dir, Options{Generated: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ix.Close() })
	return ix, dir
}

// BenchmarkQuery asks questions of each kind of a watched index, and ripgrep the same; times are of a query, ratios of the
// medians.
func BenchmarkQuery(b *testing.B) {
	ix, _ := opened(b, benchTree())
	ctx := watching(b, ix)
	grep := func(p Pattern) func() error {
		return func() error { _, err := ix.Grep(ctx, p, GrepOptions{}); return err }
	}
	literal := func(s string) func() error { return grep(Pattern{Literal: s}) }
	word := func(s string) func() error { return grep(Pattern{Literal: s, Word: true}) }
	keywords := func(s string) func() error {
		return func() error { _, err := ix.Keywords(ctx, s, 100); return err }
	}
	named := func(s string) func() error { return func() error { _, err := ix.Symbols(ctx, s, 100); return err } }
	refs := func(s string) func() error {
		return func() error { _, _, err := ix.References(ctx, s, GrepOptions{N: 400, Best: true}); return err }
	}
	for _, kind := range []struct {
		name string
		ask  []func() error
		rg   [][]string
	}{
		{"literal", []func() error{literal("unexpected newline in"), literal("http2: invalid"), literal("func (t *Transport)"), literal("cannot use generic")},
			[][]string{{"-F", "unexpected newline in"}, {"-F", "http2: invalid"}, {"-F", "func (t *Transport)"}, {"-F", "cannot use generic"}}},
		{"identifier", []func() error{word("dialConn"), word("mallocgc"), word("ParseFile"), word("RoundTrip")},
			[][]string{{"-w", "dialConn"}, {"-w", "mallocgc"}, {"-w", "ParseFile"}, {"-w", "RoundTrip"}}},
		{"common", []func() error{literal("if err != nil"), literal("return"), literal("func ")}, [][]string{{"-F", "if err != nil"}, {"-F", "return"}, {"-F", "func "}}},
		{"regex", []func() error{grep(Pattern{Regexp: regexp.MustCompile(`func \w+Transport\(`)}), grep(Pattern{Regexp: regexp.MustCompile(`(?i)deadline ?exceeded`)}), grep(Pattern{Regexp: regexp.MustCompile(`panic\("[a-z]+: .*overflow`)})},
			[][]string{{`func \w+Transport\(`}, {`(?i)deadline ?exceeded`}, {`panic\("[a-z]+: .*overflow`}}},
		{"symbol", []func() error{named("RoundTrip"), named("Transport.dialConn"), named("mallocgc"), named("ParseFile")},
			[][]string{{"-w", "RoundTrip"}, {"-w", "dialConn"}, {"-w", "mallocgc"}, {"-w", "ParseFile"}}},
		{"references", []func() error{refs("dialConn"), refs("mallocgc"), refs("ParseFile"), refs("RoundTrip")},
			[][]string{{"-w", "dialConn"}, {"-w", "mallocgc"}, {"-w", "ParseFile"}, {"-w", "RoundTrip"}}},
		{"words", []func() error{keywords("close idle connections of the transport"), keywords("grow the stack of a goroutine"), keywords("parse a duration string"), keywords("constant folding of shifts")},
			[][]string{{"-i", "idle connections"}, {"-i", "stack"}, {"-i", "duration"}, {"-i", "shift"}}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			var own, rg []float64
			cpu := 0.0
			for b.Loop() {
				for i, ask := range kind.ask {
					before := cpuOf(b)
					for range 5 {
						start := time.Now()
						if err := ask(); err != nil {
							b.Fatal(err)
						}
						own = append(own, time.Since(start).Seconds())
					}
					cpu += cpuOf(b) - before
					if _, err := exec.LookPath("rg"); err == nil {
						start := time.Now()
						cmd := exec.Command("rg", append(kind.rg[i], ".")...)
						cmd.Dir = benchTree()
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

// watching follows the tree until the benchmark ends, and returns once it is followed.
func watching(b *testing.B, ix *Index) context.Context {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- ix.Watch(ctx, func(Watched) {}) }()
	for !ix.watched.Load() {
		select {
		case err := <-ended:
			b.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	return ctx
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

// BenchmarkOneFile writes one file of a watched copy of the tree and waits until its new name is found.
func BenchmarkOneFile(b *testing.B) {
	tree := copies(b, 1)
	ix, _ := opened(b, tree)
	ctx := watching(b, ix)
	var took []float64
	for n := 0; b.Loop(); n++ {
		name := fmt.Sprintf("JustWritten%d", n)
		time.Sleep(300 * time.Millisecond)
		start := time.Now()
		if err := os.WriteFile(filepath.Join(tree, "c0", "bench_changed.go"), []byte("package c\n\nfunc "+name+"() {}\n"), 0o644); err != nil {
			b.Fatal(err)
		}
		for {
			found, err := ix.Named(ctx, name, 1) // the whole name: its words are found elsewhere
			if err != nil {
				b.Fatal(err)
			}
			if len(found) > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		took = append(took, time.Since(start).Seconds())
	}
	b.ReportMetric(1000*quantile(took, 0.5), "p50-ms")
	b.ReportMetric(1000*quantile(took, 1), "most-ms")
}

// copies makes a tree of n copies of the first 1,000 Go files of the bench tree.
func copies(b *testing.B, n int) string {
	b.Helper()
	out := b.TempDir()
	count := 0
	err := filepath.WalkDir(benchTree(), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(p) != ".go" {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if count++; count > 1000 {
			return filepath.SkipAll
		}
		for i := range n {
			rel, _ := filepath.Rel(benchTree(), p)
			to := filepath.Join(out, fmt.Sprintf("c%d", i), rel)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(to, text, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(out, "c0", "bench_changed.go"), []byte("package c\n"), 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// BenchmarkGrowth indexes 1, 2, 4 and 8 thousand files and fits time = a·files^exponent. REDGREEN_BENCH_MOST=4 ends it there.
func BenchmarkGrowth(b *testing.B) {
	sizes := []int{1, 2, 4, 8}
	if most, err := strconv.Atoi(os.Getenv("REDGREEN_BENCH_MOST")); err == nil {
		sizes = slices.DeleteFunc(sizes, func(n int) bool { return n > most && n > 2 })
	}
	cpu, peak := make([]float64, len(sizes)), make([]float64, len(sizes))
	for b.Loop() {
		for i, n := range sizes {
			u := indexing(b, copies(b, n), b.TempDir())
			cpu[i] += u.cpu
			peak[i] = max(peak[i], u.peak)
		}
	}
	for i, n := range sizes {
		b.ReportMetric(cpu[i]/float64(b.N), fmt.Sprintf("cpu-s-%dx", n))
		b.ReportMetric(peak[i], fmt.Sprintf("MiB-%dx", n))
	}
	b.ReportMetric(exponent(sizes, cpu), "exponent-cpu")
	b.ReportMetric(exponent(sizes, peak), "exponent-memory")
}

// BenchmarkLarge indexes 50 copies of 1,000 files: the memory, the size and the time of a very large folder.
// REDGREEN_BENCH_MOST=8 takes 8 copies.
func BenchmarkLarge(b *testing.B) {
	n := 50
	if most, err := strconv.Atoi(os.Getenv("REDGREEN_BENCH_MOST")); err == nil {
		n = min(n, most)
	}
	tree := copies(b, n)
	text := sizeOf(b, tree, true)
	for b.Loop() {
		dir := b.TempDir()
		u := indexing(b, tree, dir)
		again := indexing(b, tree, dir)
		b.ReportMetric(u.cpu, "cpu-s")
		b.ReportMetric(u.wall, "wall-s")
		b.ReportMetric(u.peak, "peak-MiB")
		b.ReportMetric(text, "text-MiB")
		b.ReportMetric(sizeOf(b, dir, false)/text, "index/text")
		b.ReportMetric(100*again.cpu/u.cpu, "reopen-%cpu")
	}
}

// exponent is the slope of the logarithms, by least squares.
func exponent(xs []int, ys []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range xs {
		x, y := math.Log(float64(xs[i])), math.Log(ys[i])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(xs))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
