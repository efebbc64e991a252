package testrun

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Which lines each test of Go runs. The test programs are built once, and each test is a run of its own, since a profile tells
// tests of one run not apart. A test that panics, or never ends, leaves no profile: so that its lines are known, each test's body
// runs beside what waits for it, in a copy of the test files.

// The bounds of traceGo: tests that are run, those beside failing ones first, of how many packages, and the seconds of one.
const (
	maxTracedTests    = 150
	maxTracedPackages = 6
	traceGoTest       = 10
)

// goTraces is the script that builds the test programs and runs the tests. Its arguments: seconds in all, seconds of a test, the
// packages to measure, the go command, the packages of the tests, "--", then for each test its number, its package and its -run pattern.
const goTraces = `
wall=$1 each=$2 cover=$3 go=$4; shift 4
mkdir -p /tmp/rg
cp -R /redgreen-order/tree/. /workspace/
k=0 end=$(($(date +%s)+wall))
while [ "$1" != -- ]; do
  [ $(date +%s) -lt $end ] || { shift; continue; }
  k=$((k+1))
  "$go" test -c -vet=off -cover -coverpkg="$cover" -o "/tmp/rg/$k.test" "./$1" >>/out/build.txt 2>&1 || echo FAILED "$1" >>/out/build.txt
  echo "$1" >"/tmp/rg/$k.name"
  shift
done; shift
end=$(($(date +%s)+wall))
ulimit -v 4000000
while [ $# -ge 3 ] && [ $(date +%s) -lt $end ]; do
  for n in /tmp/rg/*.name; do
    [ "$(cat "$n")" = "$2" ] && [ -e "${n%.name}.test" ] || continue
    (cd "$2" && ulimit -t $each; timeout -k 1 $((each*2)) "${n%.name}.test" -test.run "$3" -test.coverprofile=/tmp/rg/profile >/dev/null 2>&1)
    [ -e /tmp/rg/profile ] && grep -v ' 0$' /tmp/rg/profile >"/out/t$1.cover"
    rm -f /tmp/rg/profile
  done
  shift 3
done
exit 0
`

// traceGo runs tests one by one; ok is false where that could not be done.
func (r *Runner) traceGo(ctx context.Context, dir string, c Command, red, green, files []string, wall time.Duration) (s Spectrum, ok bool, err error) {
	s = Spectrum{Red: map[string]map[int]int{}, Green: map[string]map[int]int{}}
	j, err := r.newJob(dir, c, nil)
	if err != nil {
		return s, false, err
	}
	defer j.close()
	if startGo(j) != nil {
		return s, false, nil
	}
	if j.spec.Image == "" {
		_ = r.seedGo(ctx, j)
	}
	tests := chosen(c, red[:min(len(red), maxFirst)], green)
	var order, tested, measured []string
	for i, t := range tests {
		tested = append(tested, t.pkg)
		order = append(order, strconv.Itoa(i), t.pkg, t.pattern())
	}
	for _, f := range files {
		if p, ok := within(j.command.Dir, f); ok {
			measured = append(measured, packagesOf([]string{p})...)
		}
	}
	if len(tests) == 0 || len(measured) == 0 {
		return s, false, nil
	}
	tested = unique(tested)
	tree := filepath.Join(j.temp, "order", "tree")
	if err := os.MkdirAll(tree, 0o755); err != nil {
		return s, false, err
	}
	for _, p := range tested {
		if err := watchTests(folder{root: dir}, join(c.Dir, p), tree); err != nil {
			return s, false, err
		}
	}
	j.mount(filepath.Join(j.temp, "order"), orderPath)
	goTool := j.spec.Args[slices.IndexFunc(j.spec.Args, func(a string) bool { return path.Base(a) == "go" })]
	j.spec.Args = slices.Concat([]string{"/bin/sh", "-c", goTraces, "sh", strconv.Itoa(int(wall.Seconds())), strconv.Itoa(traceGoTest), strings.Join(unique(measured), ","), goTool},
		tested, []string{"--"}, order)
	j.spec.Limits.Wall = max(j.spec.Limits.Wall, wall+3*time.Minute)
	res, err := r.run(ctx, j.spec)
	if ctx.Err() != nil {
		return s, false, fmt.Errorf("measuring coverage: %w", ctx.Err())
	}
	root, err2 := os.OpenRoot(j.out)
	if err != nil || err2 != nil {
		return s, false, nil
	}
	defer root.Close()
	m := traced{fsys: root.FS(), paths: res.Paths, g: goReader{o: j.output(res)}, files: files}
	for i, t := range tests {
		lines := m.lines(fmt.Sprintf("t%d.cover", i))
		if lines == nil {
			continue
		}
		side := s.Green
		if t.red {
			side = s.Red
			s.Reds++
		} else {
			s.Greens++
		}
		for f, all := range lines {
			for line, ran := range all {
				if ran {
					count(side, f, line)
				}
			}
		}
	}
	return s, s.Reds > 0, nil
}

// tracedTest is a test as its package and its name.
type tracedTest struct {
	pkg, name string
	red       bool
}

// pattern is what -run takes for it alone.
func (t tracedTest) pattern() string {
	parts := strings.Split(t.name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// chosen are the tests to run: the innermost failing ones, then of the passing ones those of the same functions, then the others.
func chosen(c Command, red, green []string) []tracedTest {
	read := func(ids []string, isRed bool) []tracedTest {
		var out []tracedTest
		for _, id := range ids {
			own, _ := c.own(id)
			if pkg, name, ok := splitGoID(own); ok {
				out = append(out, tracedTest{pkg, name, isRed})
			}
		}
		return out
	}
	holds := func(all []tracedTest, t tracedTest) bool {
		return slices.ContainsFunc(all, func(o tracedTest) bool { return o.pkg == t.pkg && strings.HasPrefix(o.name, t.name+"/") })
	}
	failing, passing := read(red, true), read(green, false)
	out := slices.DeleteFunc(slices.Clone(failing), func(t tracedTest) bool { return holds(failing, t) })
	tops := map[[2]string]bool{}
	for _, t := range failing {
		top, _, _ := strings.Cut(t.name, "/")
		tops[[2]string{t.pkg, top}] = true
	}
	var others []tracedTest
	for _, t := range passing {
		top, _, sub := strings.Cut(t.name, "/")
		switch beside := tops[[2]string{t.pkg, top}]; {
		case holds(passing, t) && beside:
		case beside:
			out = append(out, t)
		case !sub:
			others = append(others, t)
		}
	}
	packages := map[string]bool{}
	out = slices.DeleteFunc(append(out, others...), func(t tracedTest) bool {
		if len(packages) < maxTracedPackages {
			packages[t.pkg] = true
		}
		return !packages[t.pkg]
	})
	return out[:min(len(out), maxTracedTests)]
}

// traced reads the profiles of a run.
type traced struct {
	fsys  fs.FS
	paths func([]byte) []byte
	g     goReader
	files []string
}

// lines are those of the measured files that a profile counts, nil where there is none.
func (m traced) lines(name string) map[string]map[int]bool {
	c := measured{out: m.fsys, paths: m.paths, files: m.files}
	data := c.read(name)
	if data == nil {
		return nil
	}
	all := c.empty()
	m.g.profile(data, all)
	return all
}

// watched is what a copy of a test's package calls: a test's body runs beside it, so that its panic or its endless loop ends the test
// and not the program.
const watched = `

import (
	redgreenTesting "testing"
	redgreenTime "time"
)

func redgreenWatch(t *redgreenTesting.T, body func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if e := recover(); e != nil {
				t.Errorf("panic: %v", e)
			}
		}()
		body()
	}()
	select {
	case <-done:
	case <-redgreenTime.After(3 * redgreenTime.Second):
		t.Error("it does not end")
	}
}
`

// watchTests writes copies of a folder's test files into a tree, in which each test is watched.
func watchTests(from folder, dir, tree string) error {
	names := map[string]bool{}
	for _, p := range from.sub(dir).files(maxWalk, goTest) {
		if path.Dir(p) != "." {
			continue
		}
		text, pkg := watchedText(from.read(join(dir, p)))
		if text == "" {
			continue
		}
		names[pkg] = true
		if err := putFile(tree, join(dir, p), text); err != nil {
			return err
		}
	}
	for pkg := range names {
		if err := putFile(tree, join(dir, "zz_redgreen_"+pkg+"_test.go"), "package "+pkg+watched); err != nil {
			return err
		}
	}
	return nil
}

func putFile(tree, name, text string) error {
	full := filepath.Join(tree, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, []byte(text), 0o644)
}

// watchedText is a test file in which each function of a *testing.T alone is watched, "" where there is none.
func watchedText(source string) (text, pkg string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", ""
	}
	put := map[int]string{}
	watch := func(t *ast.FuncType, body *ast.BlockStmt) {
		if body == nil || t.Results != nil || t.TypeParams != nil || len(t.Params.List) != 1 || len(t.Params.List[0].Names) != 1 || t.Params.List[0].Names[0].Name == "_" {
			return
		}
		star, ok := t.Params.List[0].Type.(*ast.StarExpr)
		if !ok {
			return
		}
		if sel, ok := star.X.(*ast.SelectorExpr); !ok || sel.Sel.Name != "T" {
			return
		} else if of, ok := sel.X.(*ast.Ident); !ok || of.Name != "testing" {
			return
		}
		put[set.Position(body.Lbrace).Offset+1] += "redgreenWatch(" + t.Params.List[0].Names[0].Name + ", func() {"
		put[set.Position(body.Rbrace).Offset] = "})" + put[set.Position(body.Rbrace).Offset]
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch f := n.(type) {
		case *ast.FuncDecl:
			if f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				watch(f.Type, f.Body)
			}
		case *ast.FuncLit:
			watch(f.Type, f.Body)
		}
		return true
	})
	if len(put) == 0 {
		return "", ""
	}
	var b strings.Builder
	at := 0
	for _, i := range sorted(put) {
		b.WriteString(source[at:i] + put[i])
		at = i
	}
	b.WriteString(source[at:])
	return b.String(), file.Name.Name
}

// sorted are the keys of a map in order.
func sorted(all map[int]string) []int {
	out := make([]int, 0, len(all))
	for k := range all {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
