package search

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/index"
	"redgreen/backend/repo"
)

var update = flag.Bool("update", false, "write the golden files anew")

func itoa(n int) string { return strconv.Itoa(n) }

// openRepo indexes a folder.
func openRepo(t *testing.T, dir string) (*repo.Repo, *index.Index) {
	t.Helper()
	r, err := repo.Open(dir, repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	ix, err := index.Open(r, t.TempDir(), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	if _, err := ix.Update(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return r, ix
}

// folder writes files into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for p, s := range files {
		put(t, dir, p, s)
	}
	return dir
}

func put(t *testing.T, dir, path, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustSearch(t *testing.T, ix *index.Index, query string, o Options) []Hit {
	t.Helper()
	hits, err := Search(t.Context(), ix, query, o)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	return hits
}

func show(hits []Hit) string {
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "%s:%d-%d %s %s @%d\n", h.Path, h.StartLine, h.EndLine, h.Kind, h.Symbol, h.BestLine)
	}
	return b.String()
}

const mathsGo = `package maths

// Mean is the average.
func Mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Counter counts.
type Counter struct {
	n int
}

// Add counts one more.
func (c *Counter) Add() {
	c.n++ // a mean trick
}
`

const useGo = `package maths

import "fmt"

func Report(xs []float64) {
	fmt.Println("the mean value is", Mean(xs), "of all")
}
`

const meanTestGo = `package maths

import "testing"

func TestMean(t *testing.T) {
	if Mean([]float64{1, 3}) != 2 {
		t.Error("Mean is wrong")
	}
}
`

func maths(t *testing.T) (string, *repo.Repo, *index.Index) {
	dir := folder(t, map[string]string{"maths/maths.go": mathsGo, "maths/use.go": useGo, "maths/maths_test.go": meanTestGo,
		"web/app.js": "export function mean() { return 'unused'; }\n", "notes.txt": "mean things\n"})
	r, ix := openRepo(t, dir)
	return dir, r, ix
}

func TestSearchKinds(t *testing.T) {
	t.Parallel()
	_, r, ix := maths(t)
	for query, want := range map[string]string{
		"Mean":                "maths/maths.go:4-10 function Mean @4",
		"Counter.Add":         "maths/maths.go:18-20 method Counter.Add @18",
		"Counter::Add()":      "maths/maths.go:18-20 method Counter.Add @18",
		"use.go":              "maths/use.go:1-3 module use @1",
		"maths/use.go":        "maths/use.go:1-3 module use @1",
		"average of numbers":  "maths/maths.go:4-10 function Mean @4",
		`"mean value is"`:     "maths/use.go:5-7 function Report @6",
		`/xs\), "of/`:         "maths/use.go:5-7 function Report @6",
		`"mean trick"`:        "maths/maths.go:18-20 method Counter.Add @19",
		"\"counts one more\"": "maths/maths.go:17-20 method Counter.Add @17",
		"goroutine 1:\n\t/x/maths/maths.go:9 +0x1": "maths/maths.go:4-10 function Mean @9",
		"TestMean fails": "maths/maths_test.go:5-9 function TestMean @5",
	} {
		hits := mustSearch(t, ix, query, Options{Read: r.Read})
		if len(hits) == 0 {
			t.Errorf("%q: no hit", query)
			continue
		}
		if got := strings.TrimSpace(strings.Split(show(hits), "\n")[0]); !(got == want || strings.HasPrefix(want, got)) {
			t.Errorf("%q:\n got %s\nwant %s\nall:\n%s", query, got, want, show(hits))
		}
	}
	for _, query := range []string{`"no such text here"`, `/zzz+q/`} {
		if hits := mustSearch(t, ix, query, Options{Read: r.Read}); len(hits) != 0 {
			t.Errorf("%q: %s", query, show(hits))
		}
	}
}

func TestHitsAreWhole(t *testing.T) {
	t.Parallel()
	_, r, ix := maths(t)
	for _, query := range []string{"mean", "Mean", "counter add", `"mean"`, "/Mean|mean/"} {
		hits := mustSearch(t, ix, query, Options{N: 50, Read: r.Read})
		if again := mustSearch(t, ix, query, Options{N: 50, Read: r.Read}); show(again) != show(hits) {
			t.Errorf("%q: another order the second time", query)
		}
		for i, h := range hits {
			src, err := r.Read(h.Path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(src), "\n")
			if want := strings.Join(lines[h.StartLine-1:h.EndLine], "\n"); want != h.Snippet {
				t.Errorf("%q: %s is not what stands there:\n%s", query, show([]Hit{h}), h.Snippet)
			}
			if h.BestLine < h.StartLine || h.BestLine > h.EndLine {
				t.Errorf("%q: best line outside: %s", query, show([]Hit{h}))
			}
			sum := 0.0
			for _, p := range h.Why {
				sum += p.Score
			}
			if math.Abs(sum-h.Score) > 1e-12 || len(h.Why) == 0 {
				t.Errorf("%q: parts %v do not add up to %g", query, h.Why, h.Score)
			}
			if i > 0 && h.Score > hits[i-1].Score {
				t.Errorf("%q: not in order", query)
			}
		}
	}
}

func TestNeverStale(t *testing.T) {
	t.Parallel()
	dir, r, ix := maths(t)
	put(t, dir, "maths/maths.go", "// Package maths has grown.\n\n"+strings.Replace(mathsGo, "sum := 0.0", "sum := 0.0 // start", 1))
	hits := mustSearch(t, ix, "Mean", Options{Read: r.Read})
	if len(hits) == 0 || !strings.HasPrefix(show(hits), "maths/maths.go:6-12 function Mean @6\n") || !strings.Contains(hits[0].Snippet, "// start") {
		t.Errorf("moved:\n%s%s", show(hits), hits[0].Snippet)
	}
	put(t, dir, "maths/maths.go", strings.Replace(mathsGo, "func Mean", "func Average", 1))
	for _, h := range mustSearch(t, ix, "Mean", Options{Read: r.Read}) {
		if h.Path == "maths/maths.go" && h.Symbol == "Mean" {
			t.Errorf("a definition that is no more: %s", show([]Hit{h}))
		}
	}
	if hits := mustSearch(t, ix, `"func Mean"`, Options{Read: r.Read}); len(hits) != 0 {
		t.Errorf("a text that is no more: %s", show(hits))
	}
	if err := os.Remove(filepath.Join(dir, "maths/maths.go")); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"Mean", "maths.go", "x\n\tmaths/maths.go:5 +0x1", "/Mean/"} {
		for _, h := range mustSearch(t, ix, query, Options{Read: r.Read}) {
			if h.Path == "maths/maths.go" {
				t.Errorf("%q: a file that is no more: %s", query, show([]Hit{h}))
			}
		}
	}
	if hits := mustSearch(t, ix, "Mean", Options{}); len(hits) == 0 || hits[0].Path != "maths/maths.go" {
		t.Errorf("without Read the index is trusted:\n%s", show(hits))
	}
	all := func(string) ([]byte, error) { return nil, fs.ErrPermission }
	if hits := mustSearch(t, ix, "Mean", Options{Read: all}); len(hits) != 0 {
		t.Errorf("files that nobody may read: %s", show(hits))
	}
}

// TestNoMarkOfTheEncoding holds that a byte order mark is no part of a hit.
func TestNoMarkOfTheEncoding(t *testing.T) {
	t.Parallel()
	_, ix := openRepo(t, folder(t, map[string]string{"mark.py": "\ufeffdef marked():\n    return 1\n"}))
	for _, query := range []string{"marked", `"def marked"`, "/^def/", "refs: marked", "mark.py"} {
		if hits := mustSearch(t, ix, query, Options{}); len(hits) != 1 || hits[0].Snippet != "def marked():\n    return 1" || hits[0].BestLine != 1 {
			t.Errorf("%s: %+v", query, hits)
		}
	}
}

func TestEmptyQueryAndLimits(t *testing.T) {
	t.Parallel()
	_, r, ix := maths(t)
	if _, err := Search(t.Context(), ix, " \n", Options{}); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if hits := mustSearch(t, ix, "mean", Options{N: 1, Read: r.Read}); len(hits) != 1 {
		t.Errorf("%d hits", len(hits))
	}
	if hits := mustSearch(t, ix, strings.Repeat("mean value ", 50_000), Options{Read: r.Read}); len(hits) == 0 {
		t.Error("a very long query finds nothing")
	}
	if hits := mustSearch(t, ix, "the of and", Options{Read: r.Read}); len(hits) != 0 {
		t.Errorf("stop words only: %s", show(hits))
	}
}

func TestJSONForm(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(Hit{Path: "a.go", StartLine: 1, EndLine: 2, Symbol: "F", Kind: "function", Score: 0.5, Snippet: "x", BestLine: 1, Why: []Part{{"keywords", 1, 0.5}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"path":"a.go","start_line":1,"end_line":2,"symbol":"F","kind":"function","score":0.5,"why":[{"list":"keywords","rank":1,"score":0.5}]}`; string(b) != want {
		t.Errorf("%s, want %s", b, want)
	}
}

// TestRanking holds the ranking of the sample repositories: what the first hits are, and the recall and reciprocal rank
// of the answers that a person would give.
func TestRanking(t *testing.T) {
	t.Parallel()
	const root = "../../testdata"
	raw, err := os.ReadFile(filepath.Join(root, "search", "queries.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Repo, Query, Want string }
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	type opened struct {
		r  *repo.Repo
		ix *index.Index
	}
	repos := map[string]opened{}
	var b strings.Builder
	var at1, at5, at10, mrr float64
	for _, c := range cases {
		o, ok := repos[c.Repo]
		if !ok {
			o.r, o.ix = openRepo(t, filepath.Join(root, "repos", c.Repo))
			repos[c.Repo] = o
		}
		hits := mustSearch(t, o.ix, c.Query, Options{Read: o.r.Read})
		rank := 0
		for i, h := range hits {
			if rank == 0 && h.Path+":"+h.Symbol == c.Want {
				rank = i + 1
			}
		}
		if rank > 0 {
			mrr += 1 / float64(rank)
			at10++
			if rank <= 5 {
				at5++
			}
			if rank == 1 {
				at1++
			}
		}
		fmt.Fprintf(&b, "%s %q rank %d of %s\n", c.Repo, c.Query, rank, c.Want)
		for _, h := range hits[:min(3, len(hits))] {
			fmt.Fprintf(&b, "\t%s:%d-%d %s @%d\n", h.Path, h.StartLine, h.EndLine, h.Symbol, h.BestLine)
		}
	}
	n := float64(len(cases))
	fmt.Fprintf(&b, "recall@1 %.3f recall@5 %.3f recall@10 %.3f mrr %.3f (%d queries)\n", at1/n, at5/n, at10/n, mrr/n, len(cases))
	golden := filepath.Join(root, "search", "ranking.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("no golden file; run with -update and read what it says: %v", err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("the ranking changed (-want +got); if it is better, run with -update:\n%s", d)
	}
	if at5/n < 0.8 {
		t.Errorf("recall@5 of %.3f is no search", at5/n)
	}
}

// TestTracesFindTheRepository pastes traces whose innermost frames are of libraries, with file names that the repository has too.
func TestTracesFindTheRepository(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, src, other, trace, symbol string
		line                            int
	}{
		"python": {"shop/app.py", "def other():\n    return 1\n\n\ndef total(xs):\n    return sum(xs)\n", "shop/web.py",
			"Traceback (most recent call last):\n  File \"/home/u/shop/app.py\", line 6, in total\n  File \"/v/site-packages/flask/web.py\", line 1, in run\nTypeError: x\n", "total", 6},
		"go": {"shop/cart.go", "package shop\n\nfunc Other() {}\n\nfunc Total() int {\n\treturn 1\n}\n", "shop/panic.go",
			"panic: x\n\nruntime.gopanic()\n\t/usr/local/go/src/runtime/panic.go:1 +0x1\nshop.Total()\n\t/home/u/shop/cart.go:6 +0x1d\n", "Total", 6},
		"javascript": {"src/cart.js", "function other() {}\n\nfunction total(x) {\n  return x.y\n}\n", "src/index.js",
			"TypeError: x\n    at run (/w/node_modules/lib/index.js:1:3)\n    at total (/w/src/cart.js:4:12)\n", "total", 4},
		"java": {"src/org/ex/Cart.java", "package org.ex;\n\nclass Cart {\n  int other() { return 1; }\n\n  int total() {\n    return 2;\n  }\n}\n", "src/org/other/Cart.java",
			"java.lang.Error\n\tat java.util.List.get(List.java:1)\n\tat org.ex.Cart.total(Cart.java:7)\n", "Cart.total", 7},
		"rust": {"src/cart.rs", "fn other() {}\n\nfn total() -> i32 {\n    panic!()\n}\n", "src/mod.rs",
			"thread 'main' panicked at /rustc/abc/library/core/src/mod.rs:1:5:\n   1: cart::total\n             at ./src/cart.rs:4:5\n", "total", 4},
		"csharp": {"src/Cart.cs", "class Cart {\n  int Other() { return 1; }\n\n  int Total() {\n    return 2;\n  }\n}\n", "src/Program.cs",
			"System.Exception: x\n   at Shop.Cart.Total() in C:\\w\\src\\Cart.cs:line 5\n", "Cart.Total", 5},
		"ruby": {"lib/cart.rb", "def other\n  1\nend\n\ndef total\n  2\nend\n", "lib/base.rb",
			"/v/gems/rails/base.rb:1:in `run': x (Error)\n\tfrom /w/lib/cart.rb:6:in `total'\n", "total", 6},
		"php": {"src/Cart.php", "<?php\nfunction other() { return 1; }\n\nfunction total() {\n  return 2;\n}\n", "src/Http.php",
			"PHP Fatal error:  Uncaught Error: x in /w/vendor/lib/Http.php:1\nStack trace:\n#0 /w/src/Cart.php(5): total()\n", "total", 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, ix := openRepo(t, folder(t, map[string]string{c.path: c.src, c.other: strings.Repeat("\n", 2) + c.src}))
			hits := mustSearch(t, ix, c.trace, Options{Read: r.Read})
			if len(hits) == 0 || hits[0].Path != c.path || hits[0].Symbol != c.symbol || hits[0].BestLine != c.line {
				t.Errorf("want %s %s @%d first:\n%s", c.path, c.symbol, c.line, show(hits))
			}
		})
	}
}
