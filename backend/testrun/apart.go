package testrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redgreen/backend/sandbox"
)

// Runs of a session share a folder of build caches, which the code under test can write. Between the runs of a proof that
// is a way to talk: a test that counts its runs there can fail on the base, pass with any patch, and fail again without it;
// and what it leaves as the compiler's result of another source is what the next run executes. So in a proof each run has
// a cache of its own that goes with it. In it are links to what compilers alone have written, which is shown read-only: Go's
// standard library and, for each tree, its packages, from a run in which no code of the folder is executed.

// keptPath is where a run sees what is kept.
const keptPath = "/redgreen-cache"

// Apart makes a Runner for the runs of one proof: nothing that one of them writes is seen by another. done removes what it
// keeps. A Runner that keeps no cache is apart already.
func (r *Runner) Apart() (apart *Runner, done func(), err error) {
	if r.options.Cache == "" || r.apart {
		return r, func() {}, nil
	}
	temp, err := os.MkdirTemp(r.options.TempDir, "apart-")
	if err != nil {
		return nil, nil, fmt.Errorf("making the cache of the proof: %w", err)
	}
	o := r.options
	o.Cache = filepath.Join(temp, "cache")
	if err := r.writable(o.Cache); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(temp))
	}
	return &Runner{options: o, host: r.host, run: r.run, owner: r.owner, apart: true, compiled: map[string]bool{}, asked: r.asked},
		func() { _ = os.RemoveAll(temp) }, nil
}

// TooLong stands in the message of a Python test that was stopped since it used more processor time than Options.Hang, and of a
// file of node --test that used twice that without the end of a test.
const TooLong = "the test takes too long"

// Hasty gives a Runner like r that stops a test of Python, and a file of node --test, sooner: for tests of which it is known that they do not end.
func (r *Runner) Hasty(hang time.Duration) *Runner {
	o := r.options
	if o.Hang <= 0 || o.Hang <= hang {
		return r
	}
	o.Hang = hang
	return &Runner{options: o, host: r.host, run: r.run, owner: r.owner, apart: r.apart, compiled: map[string]bool{}, asked: r.asked}
}

// start runs a job whose command is settled.
func (r *Runner) start(ctx context.Context, j *job) (sandbox.Result, error) {
	if j.spec.Cache != "" && j.spec.Env["GOCACHE"] != "" {
		r.giveGo(ctx, j) // without it the run compiles for itself
	}
	return r.run(ctx, j.spec)
}

// giveGo gives a run the Go packages that are compiled already.
func (r *Runner) giveGo(ctx context.Context, j *job) {
	isTest := kindOf(j.command.Runner).Name == "go" && goTool(j) != ""
	if !r.apart {
		if isTest && j.spec.Image == "" {
			_ = r.seedGo(ctx, j)
		}
		return
	}
	r.compiling.Lock()
	defer r.compiling.Unlock()
	if of, ok := j.withGo(); ok && j.spec.Image == "" {
		_ = r.seedGo(ctx, of)
	}
	if isTest {
		r.compile(ctx, j)
	}
	if kept := filepath.Join(r.options.Cache, "go-build"); exists(kept) && r.linkCache(kept, filepath.Join(j.spec.Cache, "go-build")) == nil {
		j.mount(kept, keptPath)
	}
}

// withGo is the job as one of the go command, false where its folder holds no Go.
func (j *job) withGo() (*job, bool) {
	if goTool(j) != "" {
		return j, true
	}
	tool, err := j.tool("go")
	if err != nil || !j.tree.has(join(j.command.Dir, "go.mod")) {
		return nil, false
	}
	of := *j
	of.spec.Args = []string{tool}
	return &of, true
}

// compile fills the kept cache with the packages of a tree, once for each selection: go test compiles, vets and links as
// for the run to come, and executes true in place of each test.
func (r *Runner) compile(ctx context.Context, j *job) {
	args := j.spec.Args[slices.Index(j.spec.Args, goTool(j)):]
	if len(args) < 2 || args[1] != "test" || slices.ContainsFunc(args, executes) {
		return
	}
	whole, this := j.tree.root+"\x00"+j.command.Dir, j.tree.root+"\x00"+strings.Join(args, "\x00")
	if r.compiled[whole] || r.compiled[this] {
		return
	}
	spec := j.spec
	spec.Cache, spec.Out = r.options.Cache, ""
	spec.Args = slices.Concat(args[:2], []string{"-exec=/bin/true"}, args[2:])
	if res, err := r.run(ctx, spec); err == nil && res.Reason == "" {
		r.compiled[this] = true
		r.compiled[whole] = r.compiled[whole] || len(j.selected) == 0
	}
}

// linkCache makes a GOCACHE whose entries are links to those of kept. They are relative, three folders up from an entry, so
// that they hold inside as well as where a run without a sandbox has its cache in place.
func (r *Runner) linkCache(kept, cache string) error {
	if err := r.writable(cache); err != nil {
		return err
	}
	if err := os.Symlink(kept, filepath.Join(filepath.Dir(filepath.Dir(cache)), path.Base(keptPath))); err != nil {
		return fmt.Errorf("linking the compiled packages: %w", err)
	}
	// Without it the go command looks through all entries for old ones to remove.
	_ = os.WriteFile(filepath.Join(cache, "trim.txt"), fmt.Appendf(nil, "%d", time.Now().Unix()), 0o644)
	dirs, err := os.ReadDir(kept)
	for _, dir := range dirs {
		if !dir.IsDir() || err != nil {
			continue
		}
		if err = r.writable(filepath.Join(cache, dir.Name())); err == nil {
			err = linkEntries(kept, cache, dir.Name())
		}
	}
	return err
}

// linkEntries links the entries of one folder of a GOCACHE.
func linkEntries(kept, cache, dir string) error {
	entries, err := os.ReadDir(filepath.Join(kept, dir))
	for _, e := range entries {
		err = errors.Join(err, os.Symlink(path.Join("../../..", keptPath, dir, e.Name()), filepath.Join(cache, dir, e.Name())))
	}
	if err != nil {
		return fmt.Errorf("linking the compiled packages: %w", err)
	}
	return nil
}

// executes tells the options by which go test starts other programs than the compiler, or takes what follows for the
// tests' own, and those that write beside the cache.
func executes(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return strings.HasPrefix(arg, "-") && (slices.Contains([]string{"exec", "toolexec", "args", "c", "o", "vettool", "overlay"}, name) || strings.HasPrefix(name, "cover"))
}
