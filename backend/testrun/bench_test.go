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

// shared keeps the one sandbox and the caches between tests of this package.
var shared struct {
	sync.Mutex
	sb    *sandbox.Sandbox
	cache string
	err   error
}

// TestMain closes the shared sandbox.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "testrun-test-")
	if err != nil {
		panic(err)
	}
	shared.cache = dir
	code := m.Run()
	if shared.sb != nil {
		_ = shared.sb.Close()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// realBench needs a sandbox that works on this machine.
func realBench(t *testing.T, limits sandbox.Limits) bench {
	t.Helper()
	if testing.Short() {
		t.Skip("runs tests in the sandbox")
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.sb == nil && shared.err == nil {
		shared.sb, shared.err = sandbox.Open(sandbox.Options{Dir: filepath.Join(shared.cache, "sandbox")})
		if shared.err == nil {
			_, shared.err = shared.sb.Rung(t.Context())
		}
	}
	if shared.err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no sandbox works here: %v", shared.err)
		}
		t.Skipf("no sandbox works here: %v", shared.err)
	}
	seed, err := filepath.Abs(filepath.Join("..", "..", "build", "cache", "go-seed"))
	if err != nil {
		t.Fatal(err)
	}
	return bench{sb: shared.sb, runner: New(Options{Sandbox: shared.sb, Cache: filepath.Join(shared.cache, "cache"), Seed: seed, Limits: limits})}
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
