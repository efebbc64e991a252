package testrun

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"redgreen/backend/sandbox"
)

// bench is the real sandbox; one is opened for the whole test binary, since finding the strongest runtime takes a while.
type bench struct {
	sb     *sandbox.Sandbox
	runner *Runner
}

// shared keeps the sandboxes and the caches between tests of this package: the strongest there is, for what is hostile, and the
// quickest for all others, where a run starts with a sixth of the work.
var shared struct {
	sync.Mutex
	strong, quick opened
	cache         string
}

type opened struct {
	sb  *sandbox.Sandbox
	err error
}

// open opens a sandbox in a folder, unless it is open.
func (o *opened) open(t *testing.T, dir, runtime string) {
	if o.sb != nil || o.err != nil {
		return
	}
	if o.sb, o.err = sandbox.Open(sandbox.Options{Dir: dir, Runtime: runtime}); o.err == nil {
		_, o.err = o.sb.Rung(t.Context())
	}
}

// TestMain closes the shared sandbox.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "testrun-test-")
	if err != nil {
		panic(err)
	}
	shared.cache = dir
	code := m.Run()
	for _, o := range []opened{shared.strong, shared.quick} {
		if o.sb != nil {
			_ = o.sb.Close()
		}
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// realBench needs a sandbox that works on this machine, and takes the quickest.
func realBench(t *testing.T, limits sandbox.Limits) bench {
	t.Helper()
	return openBench(t, limits, &shared.quick, "bwrap")
}

// strongBench takes the strongest sandbox there is.
func strongBench(t *testing.T, limits sandbox.Limits) bench {
	t.Helper()
	return openBench(t, limits, &shared.strong, "")
}

func openBench(t *testing.T, limits sandbox.Limits, o *opened, runtime string) bench {
	t.Helper()
	if testing.Short() {
		t.Skip("runs tests in the sandbox")
	}
	shared.Lock()
	defer shared.Unlock()
	if o.open(t, filepath.Join(shared.cache, "sandbox-"+runtime), runtime); o.err != nil && runtime != "" {
		o = &shared.strong
		o.open(t, filepath.Join(shared.cache, "sandbox-"), "")
	}
	if o.err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no sandbox works here: %v", o.err)
		}
		t.Skipf("no sandbox works here: %v", o.err)
	}
	seed, err := filepath.Abs(filepath.Join("..", "..", "build", "cache", "go-seed"))
	if err != nil {
		t.Fatal(err)
	}
	return bench{sb: o.sb, runner: New(Options{Sandbox: o.sb, Cache: filepath.Join(shared.cache, "cache"), Seed: seed, Limits: limits})}
}

// folder makes a tree that the sandbox's user owns.
func (b bench) folder(t *testing.T, fill func(dir string)) string {
	t.Helper()
	dir := t.TempDir()
	fill(dir)
	if uid, gid, ok := b.sb.Owner(); ok {
		err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(p, uid, gid)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// files is a folder of these files, by their paths.
func (b bench) files(t *testing.T, texts map[string]string) string {
	t.Helper()
	return b.folder(t, func(dir string) {
		for name, text := range texts {
			full := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
