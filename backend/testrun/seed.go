package testrun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"redgreen/backend/sandbox"
)

// A fresh GOCACHE makes the first test run of a session compile the standard library, which takes longer than most suites.
// So it is compiled once for each Go version, in the sandbox, from a module of our own; each session's cache starts as a
// copy. What a repository's code does to its session's cache never reaches the seed.

// seedImports are the packages that tests most often need; what they import is compiled with them.
var seedImports = []string{"bufio", "bytes", "context", "encoding/json", "errors", "flag", "fmt", "io", "log/slog", "maps", "math/rand",
	"net/http/httptest", "os", "os/exec", "path/filepath", "reflect", "regexp", "slices", "sort", "strconv", "strings", "sync", "text/template", "time"}

// seedRuns are the kinds of runs that a proof makes; each needs something else of the standard library: its packages, those that
// count what is covered, and what the full vet knows of each.
var seedRuns = [][]string{{"test", "-count=1", "./..."}, {"test", "-count=1", "-vet=off", "-cover", "./..."}, {"vet", "./..."}}

// seedWall bounds the compiling of the seed: half a minute of CPU, which a busy machine may stretch a lot.
const seedWall = 30 * time.Minute

// seedGo gives an empty session cache the compiled standard library. It is a help, not a condition: where it does not
// work the run compiles for itself.
func (r *Runner) seedGo(ctx context.Context, j *job) error {
	if r.options.Seed == "" || r.options.Cache == "" {
		return nil
	}
	target := filepath.Join(r.options.Cache, "go-build")
	r.seeding.Lock()
	defer r.seeding.Unlock()
	if exists(target) {
		return nil
	}
	seed := filepath.Join(r.options.Seed, "go-"+goVersion(j))
	if !exists(seed) {
		resume := Pause(ctx)
		err := r.makeSeed(ctx, j, seed)
		resume()
		if err != nil {
			return err
		}
	}
	return r.copyCache(seed, target)
}

// pausing is the key of what stops the clock of a task.
type pausing struct{}

// Pausing is a context for runs whose clock stands while the standard library is compiled, which is done once on a machine and for
// no task: pause is called before, and what it returns after.
func Pausing(ctx context.Context, pause func() (resume func())) context.Context {
	return context.WithValue(ctx, pausing{}, pause)
}

// Pause stops the clock of a context that Pausing gave until resume is called; of another it does nothing.
func Pause(ctx context.Context) (resume func()) {
	if pause, ok := ctx.Value(pausing{}).(func() func()); ok {
		return pause()
	}
	return func() {}
}

// goVersion names the toolchain of a job, whose first argument is the go command.
func goVersion(j *job) string {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(goTool(j))), "VERSION"))
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return regexp.MustCompile(`[^\w.-]`).ReplaceAllString(strings.TrimPrefix(first, "go"), "_")
}

// goTool is the go command among a job's arguments.
func goTool(j *job) string {
	i := slices.IndexFunc(j.spec.Args, func(a string) bool { return filepath.IsAbs(a) && filepath.Base(a) == "go" })
	if i < 0 {
		return ""
	}
	return j.spec.Args[i]
}

// makeSeed compiles the seed beside its place and renames it, so that a seed is whole or absent. Another process that
// needs it meanwhile waits for it: two would take twice as long.
func (r *Runner) makeSeed(ctx context.Context, j *job, seed string) error {
	if err := os.MkdirAll(r.options.Seed, 0o755); err != nil {
		return fmt.Errorf("making the folder of the compiled standard library: %w", err)
	}
	unlock, err := lockFile(ctx, seed+".lock")
	if err != nil {
		return fmt.Errorf("waiting for the compiled standard library: %w", err)
	}
	defer unlock()
	if exists(seed) {
		return nil
	}
	temp := seed + ".making" // the lock is ours; what an attempt that was cut short compiled is still good
	module, cache := filepath.Join(temp, "module"), filepath.Join(temp, "cache")
	for _, dir := range []string{module, cache} {
		if err := r.writable(dir); err != nil {
			return err
		}
	}
	var imports strings.Builder
	for _, p := range seedImports {
		fmt.Fprintf(&imports, "\t_ %q\n", p)
	}
	for name, text := range map[string]string{
		"go.mod":       "module seed\n\ngo 1.18\n",
		"seed_test.go": "package seed\n\nimport (\n" + imports.String() + "\t\"testing\"\n)\n\nfunc TestSeed(t *testing.T) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the seed module: %w", err)
		}
	}
	spec := j.spec
	spec.Workspace, spec.Dir, spec.Out, spec.Cache = module, "", "", cache
	spec.Limits = sandbox.Limits{Wall: seedWall}
	spec.ReadOnly = slices.DeleteFunc(slices.Clone(j.spec.ReadOnly), func(m sandbox.Mount) bool {
		return strings.HasPrefix(m.Target, workspacePath+"/")
	})
	said := "Compiling Go's standard library; it takes minutes, but only once"
	if ctx.Value(pausing{}) != nil {
		said += ", and counts against no time limit"
	}
	r.options.Told(said)
	defer r.options.Told("")
	for i, args := range seedRuns {
		spec.Args = append([]string{goTool(j)}, args...)
		res, err := r.run(ctx, spec)
		if err != nil {
			return fmt.Errorf("compiling the standard library: %w", err)
		}
		if i == 0 && res.ExitCode != 0 { // without the others the seed is only worth less
			return fmt.Errorf("compiling the standard library: exit status %d: %s", res.ExitCode, lastLines(res.Stderr, 3))
		}
	}
	if err := os.Rename(filepath.Join(cache, "go-build"), seed); err != nil && !errors.Is(err, fs.ErrExist) && !exists(seed) {
		return fmt.Errorf("keeping the compiled standard library: %w", err)
	}
	_ = os.RemoveAll(temp) // empty but for the module
	return nil
}

// lockFile takes an exclusive lock on a file that is made when absent; the end of the process gives it up as well.
func lockFile(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return func() { _ = f.Close() }, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(100 * time.Millisecond):
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
	}
}

// copyCache copies a seed into a session's cache for the sandbox's user, whole or not at all.
func (r *Runner) copyCache(seed, target string) error {
	temp, err := os.MkdirTemp(filepath.Dir(target), "seed-")
	if err != nil {
		return fmt.Errorf("copying the compiled standard library: %w", err)
	}
	defer os.RemoveAll(temp)
	part := filepath.Join(temp, "go-build")
	if err := os.CopyFS(part, os.DirFS(seed)); err != nil {
		return fmt.Errorf("copying the compiled standard library: %w", err)
	}
	if uid, gid, ok := r.owner(); ok {
		err = filepath.WalkDir(part, func(p string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(p, uid, gid)
		})
	}
	if err == nil {
		err = os.Rename(part, target)
	}
	if err != nil {
		return fmt.Errorf("copying the compiled standard library: %w", err)
	}
	return nil
}
