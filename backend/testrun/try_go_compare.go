package testrun

import (
	"cmp"
	"context"
	"encoding/json"
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How candidates in Go do beside their tests. Those of one package that pass all tests, and change nothing but functions, are
// compiled into one test program once more, in which the functions with twins tell with what the tests call them, and are called
// when the tests are over (reporters/go/compare.go.txt). The tests run as the first candidate has the code: all pass with it, so
// that none ends the process before.

// goCompares is the script that builds the test program and has it make the calls, first as the tree is, twice, then as each
// trial has it. Its arguments: the seconds of a process, the seconds in all, the -run pattern, the go command, the package, trials.
const goCompares = `
one=$1 wall=$2 pattern=$3 go=$4 p=$5; shift 5
cp -R /redgreen-order/tree/. /workspace/
"$go" test -c -vet=off -gcflags=-e -o /tmp/compare.test "./$p" >/out/build.txt 2>&1 || exit 3
end=$(($(date +%s)+wall))
ulimit -v 4000000
cd "$p"
export REDGREEN_TRIAL=$1
call() {
  export REDGREEN_COMPARE=$1 REDGREEN_COMPARE_OUT=/out/$2
  for k in 1 2 3 4; do
    [ $(date +%s) -lt $end ] || return
    timeout -k 1 $one /tmp/compare.test -test.run "$pattern" >/tmp/$2 2>&1
    tail -n 1 /out/$2 | grep -q '"done":true' && return
    if grep -q 'stack overflow' /tmp/$2; then echo '{"overflow":true}' >>/out/$2; else echo '{"ended":true}' >>/out/$2; fi
  done
}
(call 0 c0; for t in "$@"; do [ $((t%2)) = 0 ] || call $t c$t; done) &
(call 0 d0; for t in "$@"; do [ $((t%2)) = 1 ] || call $t c$t; done) &
wait
`

// The bounds of compareGo.
const (
	compareTests = 60               // passing tests of the package
	compareOne   = 30 * time.Second // of a process, beside what its tests may take
	shownCall    = 160
)

// unitOf is the name of a function, a method's behind that of its type.
func unitOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.ParenExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// note is the statement by which a function tells with what it is called.
func (s *schema) note(f *ast.FuncDecl) string {
	call, _ := callOf(f, f.Name.Name) // it has twins, so that all has names
	name, args, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
	args = strings.TrimSuffix(args, "...")
	if f.Recv != nil {
		of := f.Recv.List[0]
		name = "(" + s.source[s.set.Position(of.Type.Pos()).Offset:s.set.Position(of.Type.End()).Offset] + ")." + f.Name.Name
		args = strings.TrimSuffix(of.Names[0].Name+", "+args, ", ")
	}
	if args != "" {
		args = ", " + args
	}
	return "redgreenNote(" + strconv.Quote(unitOf(f)) + ", " + name + ", " + strconv.FormatBool(f.Recv != nil) + args + ")"
}

// goCompared are the candidates of one package that can be compared, with what each changes.
type goCompared struct {
	dir     string // of the package, relative to the root
	schemas map[string]*schema
	changes map[int][]string
}

// comparable are those that pass and change nothing but functions, of the package that has most of them.
func comparableGo(tree folder, candidates []Candidate, trials []Trial) goCompared {
	best := goCompared{}
	all := map[string]*goCompared{}
	for i, cand := range candidates {
		dir, one := path.Dir(paths(cand)[0]), true
		for p := range cand {
			one = one && path.Dir(p) == dir
		}
		if !trials[i].Passes() || !one {
			continue
		}
		g := all[dir]
		if g == nil {
			g = &goCompared{dir: dir, schemas: map[string]*schema{}, changes: map[int][]string{}}
			all[dir] = g
		}
		g.add(tree, i, cand)
		if len(g.changes) > len(best.changes) {
			best = *g
		}
	}
	return best
}

func (g *goCompared) add(tree folder, n int, cand Candidate) {
	var names []string
	good := true
	for p, text := range cand {
		if g.schemas[p] == nil {
			g.schemas[p] = newSchema(p, tree.read(p))
		}
		s := g.schemas[p]
		if s == nil {
			delete(g.schemas, p)
			good = false
			continue
		}
		s.notes = true
		good = s.add(n, text) == "" && good
		for _, t := range s.twins {
			if f, ok := s.decls[t.decl].(*ast.FuncDecl); ok && t.trial == n && !t.variable {
				names = append(names, unitOf(f))
			} else if t.trial == n {
				good = false
			}
		}
	}
	if good {
		g.changes[n] = names
		return
	}
	for _, s := range g.schemas {
		s.twins = slices.DeleteFunc(s.twins, func(t *twin) bool { return t.trial == n })
	}
}

// compareGo has what passes called with inputs a little off those of the tests, and says in trials what that tells. Where that
// cannot be done nothing is said.
func (r *Runner) compareGo(ctx context.Context, dir string, c Command, candidates []Candidate, trials []Trial, o TryOptions) error {
	g := comparableGo(folder{root: dir}, candidates, trials)
	own, inside := within(c.Dir, g.dir)
	if len(g.changes) < 2 || !inside {
		return nil
	}
	own = cmp.Or(own, ".")
	tests := folder{root: dir}.sub(g.dir)
	var pkg string
	for _, s := range g.schemas {
		pkg = s.pkg
	}
	hooked, main, ok := mains(tests, pkg)
	if !ok {
		return nil
	}
	j, goTool, problem, err := r.goJob(ctx, dir, c)
	if err != nil || problem != "" {
		return err
	}
	defer j.close()
	numbers, err := j.layTwins(g.schemas, nil)
	if err != nil || len(numbers) < 2 {
		return err
	}
	text, _ := reporters.ReadFile("reporters/go/compare.go.txt")
	if err := j.put(path.Join(g.dir, "zz_redgreen_compare.go"), strings.Replace(string(text), "package PACKAGE", "package "+pkg, 1)); err != nil {
		return err
	}
	hooked["zz_redgreen_main_test.go"] = main
	for p, text := range hooked {
		if err := j.put(path.Join(g.dir, p), text); err != nil {
			return err
		}
	}
	ofPackage := func(ids []string) []string {
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			inner, _ := c.own(id)
			in, _, ok := splitGoID(inner)
			return !ok || path.Clean(in) != path.Clean(own)
		})
	}
	_, red := redPackages(c, ofPackage(o.Red))
	_, green := redPackages(c, ofPackage(o.Green))
	green = slices.DeleteFunc(green, func(t string) bool { return slices.Contains(red, t) })
	tops := slices.Concat(red, green[:min(len(green), compareTests)])
	j.spec.Args = slices.Concat([]string{"/bin/sh", "-c", goCompares, "sh", strconv.Itoa(int((compareOne + 4*o.Test).Seconds())), strconv.Itoa(compareWall),
		"^(" + strings.Join(tops, "|") + ")$", goTool, own}, numbers)
	j.spec.Limits.Wall = max(j.spec.Limits.Wall, 3*time.Minute)
	_, root, _, err := r.runTries(ctx, j)
	if root == nil {
		return err
	}
	defer root.Close()
	var said comparedGo
	said.green = map[string]bool{}
	for _, t := range green {
		said.green[t] = true
	}
	said.read(ofTree, nil, readReport(root, "c0"))
	said.read(ofTree, nil, readReport(root, "d0"))
	for _, number := range numbers {
		n := atoi(number) - 1
		said.read(n, g.changes[n], readReport(root, "c"+number))
	}
	said.beside.judge(trials)
	return nil
}

// comparedGo reads what the test program said of the calls.
type comparedGo struct {
	green   map[string]bool
	numbers map[string]int // of the calls as the tree is
	reached map[int][]string
	beside  comparison
}

type goCall struct {
	Begin    string   `json:"begin"`
	Call     string   `json:"call"`
	Test     string   `json:"test"`
	Fate     string   `json:"fate"`
	Shown    string   `json:"shown"`
	Touches  bool     `json:"touches"`
	Reached  []string `json:"reached"`
	Overflow bool     `json:"overflow"`
	Ended    bool     `json:"ended"`
	Done     bool     `json:"done"`
}

// read takes in the calls of the tree, or of one trial that changes some functions.
func (g *comparedGo) read(n int, changes []string, report []byte) {
	var all []goCall
	var begun string
	whole, done := false, map[string]bool{}
	eachLine(report, func(line []byte) {
		var one goCall
		if json.Unmarshal(line, &one) != nil {
			return
		}
		switch {
		case one.Done:
			whole = true
		case one.Begin != "":
			begun = one.Begin
		case one.Call != "" && !done[one.Call]:
			done[one.Call] = true
			all = append(all, one)
		case (one.Overflow || one.Ended) && begun != "" && !done[begun]:
			done[begun] = true
			end := goCall{Call: begun, Fate: "!ends", Shown: "the process ends"}
			if one.Overflow {
				end.Fate, end.Shown = recurses, "no end of recursion"
			}
			all = append(all, end)
		}
	})
	if n == ofTree && g.numbers == nil {
		g.numbers, g.reached = map[string]int{}, map[int][]string{}
		e := driven{Event: "inputs"}
		for i, one := range all {
			g.numbers[one.Call], g.reached[i] = i, one.Reached
			e.Calls = append(e.Calls, shorten(one.Call, shownCall))
			e.Green = append(e.Green, g.green[one.Test])
		}
		g.beside.take(e, 0)
	}
	e := driven{Event: "fates", N: n}
	for _, one := range all {
		if i, ok := g.numbers[one.Call]; ok {
			e.Fates = append(e.Fates, fate{Input: i, Fate: one.Fate, Shown: one.Shown, Touches: one.Touches,
				Reaches: slices.ContainsFunc(g.reached[i], func(key string) bool { return slices.Contains(changes, key) })})
		}
	}
	for call, i := range g.numbers {
		if whole && !done[call] { // the tests do not call it the same each time
			e.Fates = append(e.Fates, fate{Input: i, Fate: unknown})
		}
	}
	g.beside.take(e, n+1)
}
