package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/zalando/go-keyring"
)

// TestMain makes the test binary the program itself when a script runs `redgreen`, and when it is a child of the kill test.
func TestMain(m *testing.M) {
	keyring.MockInit() // no test sees the keys of whoever runs it
	if len(os.Args) > 2 && os.Args[1] == "eval" && os.Args[2] == "killed" {
		os.Exit(Main(Assets{}))
	}
	testscript.Main(m, map[string]func(){
		"redgreen": func() {
			root := os.Getenv("REDGREEN_TEST_ROOT")
			os.Exit(Main(Assets{Page: os.DirFS(filepath.Join(root, "frontend", "dist")), Sample: os.DirFS(root), Images: os.DirFS(root)}))
		},
	})
}

// TestScripts runs the flows of testdata/script as a person would type them, in the real sandbox.
func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("REDGREEN_TEST_ROOT", root)
			e.Setenv("REDGREEN_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("HOME", os.Getenv("HOME")) // the Go tool chain keeps its modules there
			e.Setenv("OLLAMA_HOST", "http://127.0.0.1:9")
			// Go's standard library is compiled once for all tests.
			seed := filepath.Join(root, "build", "cache", "go-seed")
			if err := errors.Join(os.MkdirAll(seed, 0o755), os.MkdirAll(filepath.Join(e.WorkDir, "home", "cache"), 0o755),
				os.Symlink(seed, filepath.Join(e.WorkDir, "home", "cache", "seed"))); err != nil {
				return err
			}
			for _, name := range []string{"invoice", "ledger", "cronline"} {
				if err := os.CopyFS(filepath.Join(e.WorkDir, name), os.DirFS(filepath.Join(root, "testdata", "repos", name))); err != nil {
					return err
				}
			}
			return os.CopyFS(filepath.Join(e.WorkDir, "scripts"), scripts{os.DirFS(filepath.Join(root, "testdata", "repos"))})
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "jsonkeys": jsonKeys, "jsonenv": jsonEnv},
	})
}

// status runs a command and wants its exit code: status 3 redgreen fix …
func status(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var code interface{ ExitCode() int }
	if errors.As(err, &code) {
		got = code.ExitCode()
	} else if err != nil && !errors.Is(err, context.Canceled) {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// jsonEnv puts a value of a JSON output into the environment: jsonenv NAME FILE LINE KEY; lines count from 1.
func jsonEnv(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: jsonenv NAME FILE LINE KEY")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n")
	n, err := strconv.Atoi(args[2])
	if err != nil || n < 1 || n > len(lines) {
		ts.Fatalf("there is no line %s of %d", args[2], len(lines))
	}
	object := map[string]any{}
	if err := json.Unmarshal([]byte(lines[n-1]), &object); err != nil {
		ts.Fatalf("not a JSON object: %v", err)
	}
	ts.Setenv(args[0], fmt.Sprint(object[args[3]]))
}

// jsonKeys checks the contract of a JSON output: jsonkeys first|last|all FILE key… Every line must be an object; the
// chosen ones must have the keys.
func jsonKeys(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: jsonkeys first|last|all FILE KEY…")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n")
	var objects []map[string]json.RawMessage
	for _, line := range lines {
		object := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			ts.Fatalf("not a JSON object: %q: %v", line, err)
		}
		objects = append(objects, object)
	}
	switch args[0] {
	case "first":
		objects = objects[:1]
	case "last":
		objects = objects[len(objects)-1:]
	}
	for _, object := range objects {
		for _, want := range args[2:] {
			key, value, exact := strings.Cut(want, "=")
			raw, ok := object[key]
			if !ok {
				ts.Fatalf("no key %q in %v", key, slices.Sorted(mapKeys(object)))
			}
			if exact && string(raw) != value && strings.Trim(string(raw), `"`) != value {
				ts.Fatalf("%s is %s, want %s", key, raw, value)
			}
		}
	}
	_ = neg
}
