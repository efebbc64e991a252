package testrun

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Trying candidates in Go, where compiling and linking takes most of the time: all candidates of a call are compiled into
// the same test programs. Each changed function stands beside the original under a name of its own, and the original asks
// a variable, set from the environment, whether to call one of them instead (a mutant schema: Untch, Offutt, Harrold, 1993).
// What does not compile is told from the compiler's messages by its lines and left out of a second build.

// twin is a changed function beside its original, or another first value of a variable.
type twin struct {
	trial    int
	variable bool
	imports  []string // what it needs beside the file's own, as import specs
	name     string   // of the original
	method   bool
	text     string // of the declaration, under its new name
	call     string // what calls it, with the original's parameters
	results  bool
	decl     int // of the file
	from, to int // lines in the file that was written
}

// schema is one Go file with the twins of its functions.
type schema struct {
	path, source, pkg string
	file              *ast.File
	set               *token.FileSet
	decls             []ast.Decl // but imports
	twins             []*twin
}

func newSchema(p, source string) *schema {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, p, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil
	}
	return &schema{path: p, source: source, pkg: file.Name.Name, file: file, set: set, decls: afterImports(file)}
}

// afterImports are the declarations of a file behind its imports.
func afterImports(file *ast.File) []ast.Decl {
	i := 0
	for i < len(file.Decls) {
		if g, ok := file.Decls[i].(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			break
		}
		i++
	}
	return file.Decls[i:]
}

// head is where the package's name and the imports of a file end.
func head(set *token.FileSet, file *ast.File) int {
	at := set.Position(file.Name.End()).Offset
	if n := len(file.Decls) - len(afterImports(file)); n > 0 {
		at = set.Position(file.Decls[n-1].End()).Offset
	}
	return at
}

// add takes a changed text in; why says why it cannot be: "" it is in, "syntax", or "outside" where something differs that
// is no function's body, no import and no first value of a variable.
func (s *schema) add(trial int, text string) (why string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, s.path, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return "syntax"
	}
	decls := afterImports(file)
	if len(decls) != len(s.decls) {
		return "outside"
	}
	at, was := head(set, file), head(s.set, s.file) // text in front of the next declaration must be the same
	var twins []*twin
	for i, d := range decls {
		old := s.decls[i]
		a, b := set.Position(d.Pos()).Offset, set.Position(d.End()).Offset
		oa, ob := s.set.Position(old.Pos()).Offset, s.set.Position(old.End()).Offset
		if strings.TrimSpace(text[at:a]) != strings.TrimSpace(s.source[was:oa]) {
			return "outside"
		}
		at, was = b, ob
		if text[a:b] == s.source[oa:ob] {
			continue
		}
		var made []*twin
		switch d := d.(type) {
		case *ast.FuncDecl:
			made = s.function(d, old, text[a:b], a, set)
		case *ast.GenDecl:
			made = s.values(d, old, text, set)
		}
		if len(made) == 0 {
			return "outside"
		}
		for _, t := range made {
			t.trial, t.decl = trial, i
			if !t.variable {
				t.number()
			}
		}
		twins = append(twins, made...)
	}
	if len(twins) == 0 || text[at:] != s.source[was:] {
		return "outside"
	}
	for _, spec := range file.Imports {
		if full := specOf(spec); !slices.ContainsFunc(s.file.Imports, func(o *ast.ImportSpec) bool { return specOf(o) == full }) {
			if name := path.Base(strings.Trim(spec.Path.Value, `"`)) + "."; !strings.Contains(twins[0].text, name) {
				return "outside" // the compiler would refuse all for it
			}
			twins[0].imports = append(twins[0].imports, full)
		}
	}
	s.twins = append(s.twins, twins...)
	return ""
}

// specOf is an import as it is written.
func specOf(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name + " " + spec.Path.Value
	}
	return spec.Path.Value
}

// function is the twin of a function whose body differs, nil where more than that does.
func (s *schema) function(f *ast.FuncDecl, old ast.Decl, text string, from int, set *token.FileSet) []*twin {
	of, ok := old.(*ast.FuncDecl)
	if !ok || f.Body == nil || of.Body == nil || f.Name.Name != of.Name.Name || f.Name.Name == "init" || f.Name.Name == "main" {
		return nil
	}
	head := text[:set.Position(f.Body.Lbrace).Offset-from]
	if head != s.source[s.set.Position(of.Pos()).Offset:s.set.Position(of.Body.Lbrace).Offset] {
		return nil
	}
	call, ok := callOf(f, f.Name.Name+nameMark)
	if !ok {
		return nil
	}
	n := set.Position(f.Name.Pos()).Offset - from
	return []*twin{{name: f.Name.Name, method: f.Recv != nil, results: f.Type.Results != nil && len(f.Type.Results.List) > 0, call: call,
		text: text[:n] + f.Name.Name + nameMark + text[n+len(f.Name.Name):]}}
}

// nameMark stands in a twin's text where its trial's number goes.
const nameMark = "_redgreen\x00"

// number puts the trial's number into the text.
func (t *twin) number() {
	own := fmt.Sprintf("_redgreen%d", t.trial)
	t.text, t.call = strings.Replace(t.text, nameMark, own, 1), strings.Replace(t.call, nameMark, own, 1)
}

// values are the variables of a declaration whose first values differ, nil where more than that does. They are set before the
// tests begin, so that what is worked out from them at the start of the program keeps the first value.
func (s *schema) values(d *ast.GenDecl, old ast.Decl, text string, set *token.FileSet) []*twin {
	of, ok := old.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR || of.Tok != token.VAR || len(d.Specs) != len(of.Specs) {
		return nil
	}
	was := func(n ast.Node) string {
		return s.source[s.set.Position(n.Pos()).Offset:s.set.Position(n.End()).Offset]
	}
	now := func(n ast.Node) string { return text[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset] }
	var out []*twin
	for i, spec := range d.Specs {
		a, okA := spec.(*ast.ValueSpec)
		b, okB := of.Specs[i].(*ast.ValueSpec)
		if !okA || !okB {
			return nil
		}
		if now(a) == was(b) {
			continue
		}
		if len(a.Names) != 1 || len(b.Names) != 1 || len(a.Values) != 1 || len(b.Values) != 1 || a.Names[0].Name != b.Names[0].Name || a.Names[0].Name == "_" ||
			(a.Type == nil) != (b.Type == nil) || a.Type != nil && now(a.Type) != was(b.Type) {
			return nil
		}
		out = append(out, &twin{variable: true, name: a.Names[0].Name, text: a.Names[0].Name + " = " + now(a.Values[0])})
	}
	return out
}

// callOf is the call of a twin with the parameters of its original; false where one has no name.
func callOf(f *ast.FuncDecl, name string) (string, bool) {
	var args []string
	for _, p := range f.Type.Params.List {
		if len(p.Names) == 0 {
			return "", false
		}
		for _, n := range p.Names {
			if n.Name == "_" {
				return "", false
			}
			arg := n.Name
			if _, variadic := p.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	if f.Recv != nil {
		if len(f.Recv.List) != 1 || len(f.Recv.List[0].Names) != 1 || f.Recv.List[0].Names[0].Name == "_" {
			return "", false
		}
		name = f.Recv.List[0].Names[0].Name + "." + name
	} else if f.Type.TypeParams != nil {
		var types []string
		for _, p := range f.Type.TypeParams.List {
			for _, n := range p.Names {
				types = append(types, n.Name)
			}
		}
		name += "[" + strings.Join(types, ", ") + "]"
	}
	return name + "(" + strings.Join(args, ", ") + ")", true
}

// write gives the file with all twins that are not in without, and sets their lines.
func (s *schema) write(without map[int]bool) string {
	var b strings.Builder
	at := head(s.set, s.file)
	b.WriteString(s.source[:at])
	for _, spec := range s.imports(without) {
		b.WriteString("; import " + spec)
	}
	for i, d := range s.decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		var cases strings.Builder
		for _, t := range s.twins {
			if t.decl == i && !without[t.trial] {
				if t.results {
					fmt.Fprintf(&cases, "case %d: return %s; ", t.trial+1, t.call)
				} else {
					fmt.Fprintf(&cases, "case %d: %s; return; ", t.trial+1, t.call)
				}
			}
		}
		if cases.Len() > 0 {
			to := s.set.Position(f.Body.Lbrace).Offset + 1
			b.WriteString(s.source[at:to] + " switch redgreenTrial { " + cases.String() + "}; ")
			at = to
		}
	}
	b.WriteString(s.source[at:] + "\n")
	line := strings.Count(b.String(), "\n") + 1
	for _, t := range s.twins {
		if without[t.trial] {
			continue
		}
		text := t.text
		if t.variable {
			text = fmt.Sprintf("func init() { if redgreenTrial == %d { %s } }", t.trial+1, t.text)
		}
		t.from, t.to = line, line+strings.Count(text, "\n")
		b.WriteString(text + "\n")
		line = t.to + 1
	}
	return b.String()
}

// imports are what the twins need beside the file's own.
func (s *schema) imports(without map[int]bool) []string {
	var out []string
	for _, t := range s.twins {
		if !without[t.trial] {
			out = append(out, t.imports...)
		}
	}
	return unique(out)
}

// trialFile is what a package with twins asks.
func trialFile(pkg string) string {
	return "package " + pkg + `

import (
	redgreenOS "os"
	redgreenDebug "runtime/debug"
)

var redgreenTrial = func() int {
	redgreenDebug.SetMaxStack(64 << 20)
	n := 0
	for _, c := range redgreenOS.Getenv("REDGREEN_TRIAL") {
		n = n*10 + int(c-'0')
	}
	return n
}()
`
}

// goTries is the script that builds the test programs and runs them for each trial. Its arguments: processor
// seconds of a test program, seconds in all, how many that pass end it, the -run pattern, then "red" packages, "--", all packages, "--", trials.
// It writes what each run prints to /out; nothing of the order is parsed as a command.
const goTries = `
patience=$(($1*4+15)) cpu=$1 wall=$2; enough=$3; pattern=$4; go=$5; shift 5
red= all= k=0
mkdir -p /tmp/rg
while [ "$1" != -- ]; do red="$red $1"; shift; done; shift
while [ "$1" != -- ]; do all="$all $1"; shift; done; shift
cp -R /redgreen-order/tree/. /workspace/
for p in $all; do
  k=$((k+1))
  "$go" test -c -vet=off -gcflags=-e -o /tmp/rg/$k.test "./$p" >>/out/build.txt 2>&1 || echo FAILED "$p" >>/out/build.txt
  case " $red " in *" $p "*) redk="$redk $k:$p";; esac
  allk="$allk $k:$p"
done
grep -q '^FAILED' /out/build.txt && exit 3
end=$(($(date +%s)+wall))
ulimit -v 4000000
work() {
  side=$1; shift; n=0
  for t in "$@"; do
    n=$((n+1))
    [ $((n%2)) = $side ] || continue
    [ $(date +%s) -lt $end ] || break
    [ $(ls /out/passed 2>/dev/null | wc -l) -lt $enough ] || break
    [ ! -e /out/last ] || [ $n -lt $(cat /out/last) ] || break
    ok=1
    for kp in $redk; do
      [ -e /tmp/rg/${kp%%:*}.test ] || continue
      (cd "${kp#*:}" && ulimit -t $cpu; REDGREEN_TRIAL=$t timeout -k 1 $patience /tmp/rg/${kp%%:*}.test -test.v -test.run "$pattern" >/tmp/rg/o$side 2>&1; echo "exit $?" >>/tmp/rg/o$side)
      { echo "package ${kp#*:}"; tail -c 200000 /tmp/rg/o$side; } >>/out/r$t
      [ "$(tail -n 1 /tmp/rg/o$side)" = "exit 0" ] || ok=0
    done
    [ $ok = 1 ] || continue
    for kp in $allk; do
      [ -e /tmp/rg/${kp%%:*}.test ] || continue
      (cd "${kp#*:}" && ulimit -t $((cpu*4)); REDGREEN_TRIAL=$t timeout -k 1 $((patience*4)) /tmp/rg/${kp%%:*}.test -test.v >/tmp/rg/o$side 2>&1; echo "exit $?" >>/tmp/rg/o$side)
      { echo "package ${kp#*:}"; tail -c 500000 /tmp/rg/o$side; } >>/out/w$t
      [ "$(tail -n 1 /tmp/rg/o$side)" = "exit 0" ] || ok=0
    done
    if [ $ok = 1 ]; then
      mkdir -p /out/passed; : >/out/passed/$t
      more=$n; [ $more -gt 100 ] || more=100
      [ -e /out/last ] || echo $((n+more)) >/out/last
    fi
  done
}
work 0 "$@" & work 1 "$@"
wait
`

var (
	goError  = regexp.MustCompile(`(?m)^(?:\./)?([^\s:]+\.go):(\d+):\d+: `)
	goResult = regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL|SKIP): (\S+) \(`)
)

// maxBuilds bounds how often what does not compile is left out.
const maxBuilds = 4

// tryGo tries candidates by twins; those that change something outside of functions are left untried.
func (r *Runner) tryGo(ctx context.Context, dir string, c Command, candidates []Candidate, o TryOptions) ([]Trial, string, error) {
	trials := make([]Trial, len(candidates))
	schemas := map[string]*schema{}
	var apart []int
	for i, cand := range candidates {
		why := ""
		for p, text := range cand {
			if schemas[p] == nil {
				if schemas[p] = newSchema(p, folder{root: dir}.read(p)); schemas[p] == nil {
					delete(schemas, p)
					why = "outside"
					break
				}
			}
			if w := schemas[p].add(i, text); w != "" {
				why = w
			}
		}
		switch why {
		case "":
		case "syntax":
			trials[i].Tried = true
			fallthrough
		default:
			if why == "outside" {
				apart = append(apart, i)
			}
			for _, s := range schemas {
				s.twins = slices.DeleteFunc(s.twins, func(t *twin) bool { return t.trial == i })
			}
		}
	}
	without := map[int]bool{}
	for range maxBuilds {
		again, problem, err := r.buildGo(ctx, dir, c, schemas, trials, without, o)
		if err != nil || problem != "" {
			return trials, problem, err
		}
		if !again {
			return trials, "", r.tryApart(ctx, dir, c, candidates, trials, apart, o)
		}
	}
	return trials, "the candidates did not compile together", nil
}

// The bounds of tryApart.
const (
	maxApart  = 16
	apartWall = time.Minute
)

// tryApart tries the candidates that change a constant, a type or a signature, each as a run of its own, where none of the
// others passes. The first of them are enough: they are in the order of their rank. The others count as tried.
func (r *Runner) tryApart(ctx context.Context, dir string, c Command, candidates []Candidate, trials []Trial, apart []int, o TryOptions) error {
	if slices.ContainsFunc(trials, Trial.Passes) || len(apart) == 0 {
		return nil
	}
	own := make([]Candidate, 0, maxApart)
	for _, i := range apart[:min(len(apart), maxApart)] {
		own = append(own, candidates[i])
	}
	o.Wall = min(o.Wall, apartWall)
	got, _, err := r.trySlowly(ctx, dir, c, own, o)
	for n, i := range apart {
		trials[i].Tried = true
		if n < len(got) {
			got[n].Tried = true
			trials[i] = got[n]
		}
	}
	return err
}

// buildGo builds and runs once; again says that some were found not to compile, and are in without now.
func (r *Runner) buildGo(ctx context.Context, dir string, c Command, schemas map[string]*schema, trials []Trial, without map[int]bool, o TryOptions) (again bool, problem string, err error) {
	j, err := r.newJob(dir, c, nil)
	if err != nil {
		return false, "", err
	}
	defer j.close()
	if err := startGo(j); err != nil {
		return false, err.Error(), nil
	}
	if j.spec.Image == "" {
		_ = r.seedGo(ctx, j)
	}
	tree := filepath.Join(j.temp, "order", "tree")
	var numbers []string
	put := func(p, text string) error {
		full := filepath.Join(tree, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		return os.WriteFile(full, []byte(text), 0o644)
	}
	seen := map[int]bool{}
	for p, s := range schemas {
		if len(s.twins) == 0 {
			continue
		}
		if err := errorsOf(put(p, s.write(without)), put(path.Join(path.Dir(p), "zz_redgreen_trial.go"), trialFile(s.pkg))); err != nil {
			return false, "", fmt.Errorf("writing the candidates: %w", err)
		}
		for _, t := range s.twins {
			if !without[t.trial] && !seen[t.trial] {
				seen[t.trial] = true
				numbers = append(numbers, strconv.Itoa(t.trial+1))
			}
		}
	}
	if len(numbers) == 0 {
		return false, "", nil
	}
	slices.SortFunc(numbers, func(a, b string) int { return atoi(a) - atoi(b) })
	j.mount(filepath.Join(j.temp, "order"), orderPath)
	goTool := j.spec.Args[slices.IndexFunc(j.spec.Args, func(a string) bool { return path.Base(a) == "go" })]
	var red, all, tops []string
	for _, id := range o.Red {
		own, _ := c.own(id)
		if pkg, test, ok := splitGoID(own); ok {
			red = append(red, pkg)
			top, _, _ := strings.Cut(test, "/")
			tops = append(tops, regexp.QuoteMeta(top))
		}
	}
	for _, p := range j.tree.sub(c.Dir).files(maxWalk, goTest) {
		all = append(all, path.Dir(p))
	}
	j.spec.Args = slices.Concat([]string{"/bin/sh", "-c", goTries, "sh", strconv.Itoa(int(2*o.Test.Seconds()) + 1), strconv.Itoa(int(o.Wall.Seconds())), strconv.Itoa(o.Enough),
		"^(" + strings.Join(unique(tops), "|") + ")$", goTool}, unique(red), []string{"--"}, unique(all), []string{"--"}, numbers)
	j.spec.Limits.Wall = max(j.spec.Limits.Wall, o.Wall+3*time.Minute)
	res, err := r.run(ctx, j.spec)
	switch {
	case ctx.Err() != nil:
		return false, "", fmt.Errorf("trying candidates: %w", ctx.Err())
	case err != nil:
		return false, firstLine(err.Error()), nil
	}
	root, err := os.OpenRoot(j.out)
	if err != nil {
		return false, "its folder could not be read", nil
	}
	defer root.Close()
	if build := string(readReport(root, "build.txt")); strings.Contains(build, "\nFAILED") || strings.HasPrefix(build, "FAILED") {
		found := false
		for _, m := range goError.FindAllStringSubmatch(build, -1) {
			s := schemas[join(c.Dir, path.Clean(m[1]))]
			if s == nil {
				continue
			}
			for _, t := range s.twins {
				if line := atoi(m[2]); t.from <= line && line <= t.to && !without[t.trial] {
					without[t.trial], found = true, true
					trials[t.trial].Tried = true
				}
			}
		}
		for _, s := range schemas { // a name that one of them imports may be another's
			for _, t := range s.twins {
				if !found && len(t.imports) > 0 && !without[t.trial] {
					without[t.trial], again = true, true
					trials[t.trial].Tried = true
				}
			}
		}
		if !found && !again {
			return false, "the candidates could not be built together: " + shorten(lastLines([]byte(build), 3), 300), nil
		}
		return true, "", nil
	}
	for _, n := range numbers {
		t := &trials[atoi(n)-1]
		first := readReport(root, "r"+n)
		if first == nil {
			continue
		}
		readTrial(t, c, string(first), string(readReport(root, "w"+n)), o)
	}
	if res.Reason != "" {
		problem = "the run was stopped: " + string(res.Reason)
	}
	return false, problem, nil
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// readTrial reads what the runs of one trial printed.
func readTrial(t *Trial, c Command, first, whole string, o TryOptions) {
	t.Tried, t.Built = true, true
	status := goStatuses(c, first)
	if whole != "" {
		t.Whole = true
		status = goStatuses(c, whole)
	}
	for _, id := range o.Red {
		if status[id] == Passed {
			t.Fixed = append(t.Fixed, id)
		}
	}
	t.All = t.Whole && len(t.Fixed) == len(o.Red)
	if t.Whole {
		for _, id := range o.Green {
			if status[id] != Passed {
				t.Broken = append(t.Broken, id)
			}
		}
	}
	if strings.Contains(first, "\nexit 124") || strings.Contains(first, "\nexit 137") {
		t.Hung = o.Red[:1]
	}
	t.Crashed = strings.Contains(first, "\npanic: ") || strings.Contains(first, "stack overflow")
}

// goStatuses reads the output of test programs run with -test.v.
func goStatuses(c Command, text string) map[string]Status {
	all := map[string]Status{}
	for _, part := range strings.Split("\n"+text, "\npackage ")[1:] {
		pkg, rest, _ := strings.Cut(part, "\n")
		prefix := join(c.Dir, pkg) + "."
		if prefix == ".." || prefix == "." {
			prefix = ""
		}
		for _, m := range goResult.FindAllStringSubmatch(rest, -1) {
			all[prefix+m[2]] = map[string]Status{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}[m[1]]
		}
	}
	return all
}
