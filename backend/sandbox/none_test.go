package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoneIsOff checks that nothing runs without isolation unless it was switched on, not even where it is asked for.
func TestNoneIsOff(t *testing.T) {
	t.Parallel()
	sb, err := Open(Options{Dir: t.TempDir(), Runtime: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	mark := filepath.Join(t.TempDir(), "ran")
	spec := Spec{Args: []string{"/usr/bin/touch", mark}, Workspace: t.TempDir()}
	for what, err := range map[string]error{
		"the ladder": func() error { _, err := sb.Run(t.Context(), spec); return err }(),
		"the rung":   func() error { _, err := sb.runtimes[0].Run(t.Context(), spec); return err }(),
		"the probe":  func() error { _, err := sb.Rung(t.Context()); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "--allow-none FOLDER") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it ran")
	}
}

// TestNoneIsLabelled checks that nobody can take it for a sandbox.
func TestNoneIsLabelled(t *testing.T) {
	b := openFor(t, "none")
	res := b.run(t, Spec{Args: []string{"true"}})
	r := res.Runtime
	if r.Name != "none" || r.Label != "no isolation" || !strings.HasPrefix(r.Protects, "nothing") || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "no isolation") {
		t.Errorf("labelled %+v", r)
	}
	report := b.sb.Doctor(t.Context())
	missing := 0
	for _, c := range report.Checks {
		if strings.HasPrefix(c.Detail, "not provided") {
			missing++
			if c.OK {
				t.Errorf("%s is not provided and yet fine", c.Name)
			}
		} else if strings.HasPrefix(c.Name, "none: ") && !c.OK && c.Name != "none: limits" {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	if missing < 4 {
		t.Errorf("%d checks are said to be not provided", missing)
	}
}

func TestNoneRewrites(t *testing.T) {
	t.Parallel()
	n := &noneRun{gatedRun: gatedRun{dir: "/r/7", spec: Spec{ReadOnly: []Mount{{"/a", "/redgreen"}, {"/same", "/same"}, {"/b", "/workspace/node_modules"}}}}}
	for in, want := range map[string]string{
		"/workspace":                      "/r/7/workspace",
		"--junitxml=/out/r.xml":           "--junitxml=/r/7/out/r.xml",
		`exec "$@" >/out/report-X`:        `exec "$@" >/r/7/out/report-X`,
		"/redgreen:/workspace/src:/cache": "/r/7/redgreen:/r/7/workspace/src:/r/7/cache",
		"/usr/out/x":                      "/usr/out/x",
		"/outer":                          "/outer",
		"./workspace":                     "./workspace",
		"/same/x":                         "/same/x",
		"/home/sandbox/.m2 /home/me":      "/r/7/home/sandbox/.m2 /home/me",
		"/workspace/node_modules/.bin":    "/r/7/workspace/node_modules/.bin",
		"":                                "",
	} {
		if got := n.real(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if back := string(n.tell([]byte(want))); back != in {
			t.Errorf("%q comes back as %q", want, back)
		}
	}
}
