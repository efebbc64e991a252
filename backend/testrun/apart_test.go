package testrun

import (
	"path/filepath"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestApart holds that no run of a proof sees what another wrote, not even what the next compiler would take for its own,
// and that what was compiled without running anything of the folder is there each time.
func TestApart(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "go.mod", "module example.com/count\n\ngo 1.21\n")
		writeFile(t, dir, "count.go", "package count\n\nfunc One() int { return 1 }\n")
		writeFile(t, dir, "count_test.go", `package count

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"/cache/ran", os.Getenv("GOCACHE") + "/ran"} {
		if _, err := os.Stat(name); err == nil {
			panic(name + " is of another run")
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			panic(err)
		}
	}
	kept := 0
	entries, _ := filepath.Glob(os.Getenv("GOCACHE") + "/*/*")
	for _, name := range entries {
		if _, err := os.Readlink(name); err != nil {
			continue
		}
		kept++
		if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil || os.Remove("/redgreen-cache/"+name[len(os.Getenv("GOCACHE")):]) == nil {
			f.Close()
			panic("what is kept can be changed: " + name)
		}
	}
	if kept == 0 {
		panic("nothing is kept")
	}
	os.Exit(m.Run())
}

func TestOne(t *testing.T) {
	if One() != 1 {
		t.Error("not one")
	}
}
`)
	})
	apart, done, err := b.runner.Apart()
	if err != nil {
		t.Fatal(err)
	}
	c := Custom([]string{"go", "test", "./..."})
	for n, paths := range [][]string{nil, {"TestOne"}, nil} {
		r, err := apart.Run(t.Context(), dir, c, paths)
		if passed, _, _ := r.Counts(); err != nil || passed != 1 || r.Infrastructure {
			t.Fatalf("run %d: %+v, %q, %v\n%s", n+1, r.Tests, r.Reason, err, r.Log)
		}
	}
	if len(apart.compiled) != 2 { // the whole tree, by its folder and by its arguments
		t.Errorf("compiled for %v, want for the whole tree only", apart.compiled)
	}
	if ran, _ := filepath.Glob(filepath.Join(apart.options.Cache, "*", "ran")); len(ran) > 0 || !exists(apart.options.Cache, "go-build") || exists(apart.options.Cache, "ran") {
		t.Errorf("a run wrote into the cache that is kept: %q", ran)
	}
	done()
	if exists(apart.options.Cache) {
		t.Error("the cache of the proof is left behind")
	}
}

func TestExecutes(t *testing.T) {
	for arg, want := range map[string]bool{
		"-exec": true, "--exec=./x": true, "-toolexec=./x": true, "-args": true, "-coverprofile=/out/x": true, "-o": true, "-c": true,
		"-run=^(TestC)$": false, "-count=1": false, "./exec": false, "-v": false, "exec": false, "-race": false, "-vet=off": false,
	} {
		if executes(arg) != want {
			t.Errorf("executes(%q) = %v", arg, !want)
		}
	}
}
