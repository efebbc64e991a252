package testrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"redgreen/backend/sandbox"
)

// Trying candidates in Go, where compiling and linking takes most of the time: all candidates of a call are compiled into
// the same test programs. Each changed function stands beside the original under a name of its own, and the original asks
// a variable, set from the environment, whether to call one of them instead (a mutant schema: Untch, Offutt, Harrold, 1993).
// What does not compile is told from the compiler's messages by its lines and left out of a second build.

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
			if err := r.tryApart(ctx, dir, c, candidates, trials, apart, o); err != nil {
				return trials, "", err
			}
			return trials, "", r.compareGo(ctx, dir, c, candidates, trials, o)
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
	j, goTool, problem, err := r.goJob(ctx, dir, c)
	if err != nil || problem != "" {
		return false, problem, err
	}
	defer j.close()
	numbers, err := j.layTwins(schemas, without)
	if err != nil || len(numbers) == 0 {
		return false, "", err
	}
	red, tops := redPackages(c, o.Red)
	var all []string
	for _, p := range j.tree.sub(c.Dir).files(maxWalk, goTest) {
		all = append(all, path.Dir(p))
	}
	j.spec.Args = slices.Concat([]string{"/bin/sh", "-c", goTries, "sh", strconv.Itoa(int(2*o.Test.Seconds()) + 1), strconv.Itoa(int(o.Wall.Seconds())), strconv.Itoa(o.Enough),
		"^(" + strings.Join(tops, "|") + ")$", goTool}, red, []string{"--"}, unique(all), []string{"--"}, numbers)
	j.spec.Limits.Wall = max(j.spec.Limits.Wall, o.Wall+3*time.Minute)
	res, root, problem, err := r.runTries(ctx, j)
	if root == nil {
		return false, problem, err
	}
	defer root.Close()
	if build := string(readReport(root, "build.txt")); strings.Contains(build, "\nFAILED") || strings.HasPrefix(build, "FAILED") {
		again, problem = refused(build, c, schemas, trials, without)
		return again, problem, nil
	}
	for _, n := range numbers {
		if first := readReport(root, "r"+n); first != nil {
			readTrial(&trials[atoi(n)-1], c, string(first), string(readReport(root, "w"+n)), o)
		}
	}
	if res.Reason != "" {
		problem = "the run was stopped: " + string(res.Reason)
	}
	return false, problem, nil
}

// goJob is a job of the go command, and where that is; the caller closes it where there is no problem and no error.
func (r *Runner) goJob(ctx context.Context, dir string, c Command) (j *job, goTool, problem string, err error) {
	if j, err = r.newJob(dir, c, nil); err != nil {
		return nil, "", "", err
	}
	if err := startGo(j); err != nil {
		j.close()
		return nil, "", err.Error(), nil
	}
	if j.spec.Image == "" {
		_ = r.seedGo(ctx, j)
	}
	return j, j.spec.Args[slices.IndexFunc(j.spec.Args, func(a string) bool { return path.Base(a) == "go" })], "", nil
}

// runTries runs a script of ours; root is where it left its results, nil where there are none.
func (r *Runner) runTries(ctx context.Context, j *job) (res sandbox.Result, root *os.Root, problem string, err error) {
	res, err = r.run(ctx, j.spec)
	switch {
	case ctx.Err() != nil:
		return res, nil, "", fmt.Errorf("trying candidates: %w", ctx.Err())
	case err != nil:
		return res, nil, firstLine(err.Error()), nil
	}
	if root, err = os.OpenRoot(j.out); err != nil {
		return res, nil, "its folder could not be read", nil
	}
	return res, root, "", nil
}

// put writes a file that goes over one of the folder.
func (j *job) put(p, text string) error {
	full := filepath.Join(j.temp, "order", "tree", filepath.FromSlash(p))
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte(text), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing the candidates: %w", err)
	}
	return nil
}

// layTwins writes the files with their twins, and gives the numbers of the trials that are among them, from 1.
func (j *job) layTwins(schemas map[string]*schema, without map[int]bool) (numbers []string, err error) {
	var seen []int
	for p, s := range schemas {
		if len(s.twins) == 0 {
			continue
		}
		if err := errors.Join(j.put(p, s.write(without)), j.put(path.Join(path.Dir(p), "zz_redgreen_trial.go"), trialFile(s.pkg))); err != nil {
			return nil, err
		}
		for _, t := range s.twins {
			if !without[t.trial] {
				seen = append(seen, t.trial)
			}
		}
	}
	slices.Sort(seen)
	for _, n := range slices.Compact(seen) {
		numbers = append(numbers, strconv.Itoa(n+1))
	}
	if len(numbers) > 0 {
		j.mount(filepath.Join(j.temp, "order"), orderPath)
	}
	return numbers, nil
}

// redPackages are the packages of tests, and patterns of the outermost names of these.
func redPackages(c Command, ids []string) (pkgs, tops []string) {
	for _, id := range ids {
		own, _ := c.own(id)
		if pkg, test, ok := splitGoID(own); ok {
			pkgs = append(pkgs, pkg)
			top, _, _ := strings.Cut(test, "/")
			tops = append(tops, regexp.QuoteMeta(top))
		}
	}
	return unique(pkgs), unique(tops)
}

// refused finds the trials whose lines the compiler names; again says that there are some, which are in without now.
func refused(build string, c Command, schemas map[string]*schema, trials []Trial, without map[int]bool) (again bool, problem string) {
	leave := func(t *twin) {
		without[t.trial], again = true, true
		trials[t.trial].Tried = true
	}
	for _, m := range goError.FindAllStringSubmatch(build, -1) {
		s := schemas[join(c.Dir, path.Clean(m[1]))]
		if s == nil {
			continue
		}
		for _, t := range s.twins {
			if line := atoi(m[2]); t.from <= line && line <= t.to && !without[t.trial] {
				leave(t)
			}
		}
	}
	if again {
		return true, ""
	}
	for _, s := range schemas { // a name that one of them imports may be another's
		for _, t := range s.twins {
			if len(t.imports) > 0 && !without[t.trial] {
				leave(t)
			}
		}
	}
	if !again {
		problem = "the candidates could not be built together: " + shorten(lastLines([]byte(build), 3), 300)
	}
	return again, problem
}
