package repo

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"redgreen/backend/patch"
)

func chownAll(dir string, id int) error {
	return filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, id, id)
	})
}

// asNobody runs TestHelperUser as the user nobody, since root is permitted everything; it gives what that printed.
func asNobody(t *testing.T, act, dir string, p patch.Patch) string {
	t.Helper()
	home, err := os.MkdirTemp("", "nobody")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	must(t, os.Chown(home, 65534, 65534))
	exe := filepath.Join(home, "test")
	data, err := os.ReadFile(os.Args[0])
	must(t, err)
	must(t, os.WriteFile(exe, data, 0o755))
	raw, err := json.Marshal(p)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(home, "patch.json"), raw, 0o644))
	for up := dir; up != "/" && up != os.TempDir(); up = filepath.Dir(up) { // t.TempDir is closed to others
		fi, err := os.Stat(up)
		must(t, err)
		if up != dir {
			must(t, os.Chmod(up, fi.Mode().Perm()|0o055))
		}
	}
	cmd := exec.Command(exe, "-test.run=^TestHelperUser$")
	cmd.Dir = home
	cmd.Env = []string{"REDGREEN_TEST_ACT=" + act, "REDGREEN_TEST_DIR=" + dir, "REDGREEN_TEST_HOME=" + home, "TMPDIR=" + home}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func TestHelperUser(t *testing.T) {
	act, dir, home := os.Getenv("REDGREEN_TEST_ACT"), os.Getenv("REDGREEN_TEST_DIR"), os.Getenv("REDGREEN_TEST_HOME")
	if act == "" {
		t.Skip("only as a helper process")
	}
	r, err := Open(dir, Options{StateDir: filepath.Join(home, "state")})
	must(t, err)
	switch act {
	case "apply":
		var p patch.Patch
		data, err := os.ReadFile(filepath.Join(home, "patch.json"))
		must(t, err)
		must(t, json.Unmarshal(data, &p))
		_, err = r.Apply(t.Context(), "", p)
		t.Log("error:", err)
	case "copy":
		w, err := r.NewWorkspace(t.Context(), filepath.Join(home, "w"), CopyOptions{})
		must(t, err)
		for _, s := range w.Skipped() {
			t.Log("skipped:", s.Path, s.Reason)
		}
		files, err := w.Files(t.Context())
		must(t, err)
		var list []string
		for _, f := range files {
			list = append(list, f.Path)
		}
		t.Log("files:", strings.Join(list, " "))
		_, err = r.Read("closed.txt")
		t.Log("read:", err)
	}
	t.Fail() // so that the log is printed
}
