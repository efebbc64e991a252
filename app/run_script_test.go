package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunScript: `make run` says that a window opens and how it ends, keeps the noise of the desktop's libraries away, and
// lets errors through.
func TestRunScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script, err := os.ReadFile("../build/run.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"build/run.sh": string(script),
		"build/bin/redgreen": "#!/bin/sh\necho \"args $*\"\necho 'Overriding existing handler for signal 10. Set JSC_SIGNAL_FOR_GC if you want WebKit to use a different signal' >&2\n" +
			"echo 'libEGL warning: DRI3: failed to query the version' >&2\necho 'redgreen: the folder is gone' >&2\nexit 2\n",
		"path/pkg-config": "#!/bin/sh\nexit 0\n",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for display, want := range map[string]string{":9": "args --sample\n", "": "args fix --sample\n"} {
		var out, errs strings.Builder
		cmd := exec.Command("bash", filepath.Join(dir, "build", "run.sh"))
		cmd.Env = []string{"PATH=" + filepath.Join(dir, "path") + ":" + os.Getenv("PATH"), "DISPLAY=" + display}
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("display %q: %v", display, err)
		}
		if out.String() != want || !strings.Contains(errs.String(), "redgreen: the folder is gone") {
			t.Errorf("display %q: %q, %q", display, out.String(), errs.String())
		}
		if display != "" && (strings.Contains(errs.String(), "JSC_SIGNAL") || strings.Contains(errs.String(), "libEGL") || !strings.Contains(errs.String(), "It ends when you close it")) {
			t.Errorf("noise, or no word of the window: %q", errs.String())
		}
	}
}
