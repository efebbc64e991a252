package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
)

// fixture is a set of files by path; a path that ends in / is an empty folder, a text that begins with -> a symlink.
type fixture map[string]string

// write makes the files under dir.
func (fx fixture) write(t *testing.T, dir string) {
	t.Helper()
	for name, text := range fx {
		p := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		switch to, link := strings.CutPrefix(text, "->"); {
		case strings.HasSuffix(name, "/"):
			must(t, os.MkdirAll(p, 0o755))
		case link:
			must(t, os.Symlink(to, p))
		default:
			must(t, os.WriteFile(p, []byte(text), 0o644))
		}
	}
}

// folder makes a folder with files.
func folder(t *testing.T, fx fixture) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "folder")
	must(t, os.Mkdir(dir, 0o755))
	fx.write(t, dir)
	return dir
}

// open opens a folder with a state folder of its own.
func open(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(dir, Options{StateDir: filepath.Join(t.TempDir(), "state")})
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// copyOf makes a workspace that the test's end removes.
func copyOf(t *testing.T, r *Repo) *Workspace {
	t.Helper()
	w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "work"), CopyOptions{})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// diff fails the test where got is not want.
func diff(t *testing.T, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// paths walks a folder or a workspace.
func paths(t *testing.T, tr *tree) []string {
	t.Helper()
	files, err := tr.Files(t.Context())
	must(t, err)
	list := []string{}
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}

// git runs git with nothing of the machine's own settings.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+t.TempDir(),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// snapshot gives every file below dir with its mode and content hash.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		switch {
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			all[rel] = fmt.Sprint(fi.Mode(), " ", hex.EncodeToString(sum[:8]))
		case fi.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			all[rel] = "->" + to
		default:
			all[rel] = fi.Mode().String()
		}
		return nil
	}))
	return all
}

// edit makes the patch that changes the files of a tree as given; "" deletes.
func edit(t *testing.T, read patch.ReadFunc, now fixture) patch.Patch {
	t.Helper()
	var pairs []patch.Pair
	for _, p := range slices.Sorted(maps.Keys(now)) {
		before, err := absent(read(p))
		must(t, err)
		pair := patch.Pair{Path: p, Before: before}
		if text := now[p]; text != "" {
			pair.After = &patch.Content{Data: []byte(text), Mode: 0o644}
			if before != nil {
				pair.After.Mode = before.Mode
			}
		}
		pairs = append(pairs, pair)
	}
	made, err := patch.Diff(pairs)
	must(t, err)
	return made
}

// fileText reads a file of the real folder; "" where it is absent.
func fileText(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

func lookGit() (string, error) { return exec.LookPath("git") }
