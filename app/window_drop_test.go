package app

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestWindowDrop drags a folder into the real window as a file manager does, which must open it, and then a file, whose folder
// it must offer. WebKitGTK shows the page neither, and would load both in its place.
func TestWindowDrop(t *testing.T) {
	bin := os.Getenv("REDGREEN_BIN")
	if bin == "" {
		t.Skip("REDGREEN_BIN does not name a program built with its window; `make test` sets it")
	}
	drag := buildGTK(t, "drag.c")
	display, home := startDisplay(t), t.TempDir()
	folder, note := filepath.Join(home, "my shop"), filepath.Join(home, "notes", "note.txt")
	for _, dir := range []string{folder, filepath.Dir(note)} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(note, []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	startManager(t, display)
	env := windowEnv(t, display, home)
	openWindow(t, env, bin)
	xdotool(env, "getactivewindow", "windowsize", "1100", "800", "windowmove", "300", "40")
	opened := func(want string) func() bool {
		return func() bool {
			settings, _, err := loadSettings(filepath.Join(home, "config", "settings.json"))
			return err == nil && len(settings.Recent) > 0 && settings.Recent[0].Path == want
		}
	}
	repeat(t, "the folder to be opened", opened(folder), func() { dragInto(t, env, drag, folder) })
	repeat(t, "the file's folder to be opened", opened(filepath.Dir(note)), func() {
		dragInto(t, env, drag, note)
		time.Sleep(time.Second) // it is offered
		xdotool(env, "search", "--name", "^Redgreen$", "windowactivate", "--sync")
		xdotool(env, "key", "--delay", "150", "Tab", "Return")
	})
}

// buildGTK builds one of the small programs that act beside the window.
func buildGTK(t *testing.T, source string) string {
	t.Helper()
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "gtk+-3.0").Output()
	if err != nil {
		t.Fatalf("asking for GTK: %v; install it with: apt-get install libgtk-3-dev", err)
	}
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(source, ".c"))
	args := append([]string{"-o", program, filepath.Join("..", "testdata", "window", source)}, strings.Fields(string(flags))...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", source, err, out)
	}
	return program
}

// dragInto drags a path from a window at the left of the display to the middle of ours.
func dragInto(t *testing.T, env []string, drag, path string) {
	t.Helper()
	cmd := exec.Command(drag, (&url.URL{Scheme: "file", Path: path}).String())
	cmd.Env = env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	eventually(t, "what is dragged", func() bool { return xdotool(env, "search", "--onlyvisible", "--name", "^dragged$") != "" })
	xdotool(env, "search", "--name", "^dragged$", "windowmove", "20", "640")
	time.Sleep(300 * time.Millisecond)
	xdotool(env, "mousemove", "70", "690", "mousedown", "1")
	for x := 90; x <= 810; x += 80 {
		xdotool(env, "mousemove", strconv.Itoa(x), "690")
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	xdotool(env, "mouseup", "1")
	time.Sleep(300 * time.Millisecond) // the data is fetched from the source
}
