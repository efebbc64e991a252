package app

import (
	"bufio"
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWindow opens the real window of the built program on a display of its own and fails when the page is blank, when
// the page cannot call Go (the sample must end up among the recent folders), when the sample cannot be fixed, proven and
// written by keys alone, or when closing it is not clean.
// REDGREEN_BIN names the program, built with the window.
func TestWindow(t *testing.T) {
	bin := os.Getenv("REDGREEN_BIN")
	if bin == "" {
		t.Skip("REDGREEN_BIN does not name a program built with its window; `make test` sets it")
	}
	display := startDisplay(t)
	startManager(t, display)
	home := t.TempDir()
	bus := startBus(t)
	cmd := exec.Command(bin, "--sample")
	cmd.Env = append(windowEnv(t, display, home), "DBUS_SESSION_BUS_ADDRESS="+bus)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer cmd.Process.Kill()

	var shot []byte
	colours := 0
	opened := false
	for deadline := time.Now().Add(4 * time.Minute); time.Now().Before(deadline) && !(colours > 64 && opened); time.Sleep(500 * time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatalf("the window closed by itself: %v\n%s", err, log.String())
		default:
		}
		shot, colours = look(t, display)
		settings, _ := os.ReadFile(filepath.Join(home, "config", "settings.json"))
		opened = strings.Contains(string(settings), filepath.Join("sample", "invoice"))
	}
	if colours <= 64 || !opened {
		kept := filepath.Join(os.TempDir(), "redgreen-window.png")
		t.Errorf("blank or dead page: %d colours, sample opened: %v; picture in %s (%v)\n%s", colours, opened, kept, os.WriteFile(kept, shot, 0o644), log.String())
	}
	if !t.Failed() {
		approveByKey(t, bin, display, home, bus)
	}
	if keep := os.Getenv("REDGREEN_SHOT"); keep != "" {
		shot, _ = look(t, display)
		if err := os.WriteFile(keep, shot, 0o644); err != nil {
			t.Error(err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("closing: %v\n%s", err, log.String())
		}
	case <-time.After(2 * time.Minute):
		t.Errorf("the window did not close in two minutes\n%s", log.String())
	}
	if s := log.String(); strings.Contains(s, "panic") || strings.Contains(s, "SA_ONSTACK") {
		t.Errorf("it said:\n%s", s)
	}
}

// windowEnv is what a window of its own runs with; there is no message bus.
func windowEnv(t *testing.T, display, home string) []string {
	// LANG=C.UTF-8 is a trap of its own: WebKit then calls the language "C", which no Intl constructor takes.
	return []string{"DISPLAY=" + display, "LANG=C.UTF-8", "REDGREEN_HOME=" + home, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + t.TempDir()}
}

// openWindow starts the program and waits until its window has the keyboard; it is ended with the test.
func openWindow(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	eventually(t, "the window", func() bool { return xdotool(env, "getactivewindow", "getwindowname") == "Redgreen" })
	return cmd
}

// xdotool gives what it printed, without the last line's end; nothing where it failed.
func xdotool(env []string, args ...string) string {
	cmd := exec.Command("xdotool", args...)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(out), "\n")
}

// eventually waits for something to come true: at most four minutes, since the machine may be busy.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited four minutes for %s", what)
		}
	}
}

// repeat does something until it has come true, which it is given ten seconds for each time: a key that comes before the page can
// take it is lost.
func repeat(t *testing.T, what string, done func() bool, act func()) {
	t.Helper()
	eventually(t, what, func() bool {
		if !done() {
			act()
		}
		for deadline := time.Now().Add(10 * time.Second); !done() && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		}
		return done()
	})
}

// putAway puts the active window away.
func putAway(t *testing.T, env []string) {
	t.Helper()
	eventually(t, "the window to be put away", func() bool { // the manager tells who is active a moment later
		xdotool(env, "getactivewindow", "windowminimize", "--sync")
		return xdotool(env, "getactivewindow", "getwindowname") != "Redgreen"
	})
}

// startBus starts a message bus of its own and gives its address.
func startBus(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting dbus-daemon: %v; install it with: apt-get install dbus", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("dbus-daemon gave no address: %v", err)
	}
	return strings.TrimSpace(line)
}

// TestWindowOnce starts the program a second time beside an open window: it must say so in a line and end well, and the
// window must come to the front and open what the second was given. The other tests show that no bus is needed.
func TestWindowOnce(t *testing.T) {
	bin := os.Getenv("REDGREEN_BIN")
	if bin == "" {
		t.Skip("REDGREEN_BIN does not name a program built with its window; `make test` sets it")
	}
	display, home, folder := startDisplay(t), t.TempDir(), filepath.Join(t.TempDir(), "shop")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	startManager(t, display)
	env := append(windowEnv(t, display, home), "DBUS_SESSION_BUS_ADDRESS="+startBus(t))
	openWindow(t, env, bin)
	second := func(want string, args ...string) {
		t.Helper()
		putAway(t, env)
		cmd := exec.Command(bin, args...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want+"\n" {
			t.Errorf("redgreen %v: %v, it said %q, not %q", args, err, out, want)
		}
		eventually(t, "the window to come to the front", func() bool { return xdotool(env, "getactivewindow", "getwindowname") == "Redgreen" })
	}
	second("Redgreen is open already; its window shows "+folder+" now.", folder)
	eventually(t, "the folder to be opened", func() bool {
		settings, _ := os.ReadFile(filepath.Join(home, "config", "settings.json"))
		return strings.Contains(string(settings), folder)
	})
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	second("Redgreen is open already; its window shows "+other+" now.", other)
	first := func(folder string) func() bool {
		return func() bool {
			settings, _, err := loadSettings(filepath.Join(home, "config", "settings.json"))
			return err == nil && len(settings.Recent) > 0 && settings.Recent[0].Path == folder
		}
	}
	eventually(t, "the other folder to be opened", first(other))
	repeat(t, "the menu to open the folder of before, which it did not have at the start", first(folder), func() {
		xdotool(env, "key", "--delay", "150", "Escape", "F10", "Down", "Down", "Down", "Right", "Down", "Return")
	})
	second("Redgreen is open already; its window is in front now.")
	second("Redgreen is open already; its window shows session abc-1 now.", "redgreen://session/abc-1")
}

// TestWindowPlace holds that a window comes back where it was, as large, and maximised if it was; that the size from before is
// still known then; and that it cannot be made smaller than its views need.
func TestWindowPlace(t *testing.T) {
	bin := os.Getenv("REDGREEN_BIN")
	if bin == "" {
		t.Skip("REDGREEN_BIN does not name a program built with its window; `make test` sets it")
	}
	display, home := startDisplay(t), t.TempDir()
	startManager(t, display)
	env := windowEnv(t, display, home)
	where := func() string { return xdotool(env, "getactivewindow", "getwindowgeometry", "--shell") }
	settled := func(what string, want func(string) bool) {
		t.Helper()
		eventually(t, what, func() bool {
			before := where()
			time.Sleep(700 * time.Millisecond) // until a change is noted
			return want(before) && where() == before
		})
	}
	size := func(text string) func(string) bool { return func(s string) bool { return strings.Contains(s, text) } }
	titleBar := func(what, want string) { // a double click on it
		t.Helper()
		repeat(t, what, func() bool { return strings.Contains(where(), want) }, func() {
			xdotool(env, "getactivewindow", "mousemove", "--window", "%1", "500", "-10", "click", "--repeat", "2", "1")
		})
		settled(what, size(want))
	}
	stop := func(cmd *exec.Cmd) {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}

	cmd := openWindow(t, env, bin)
	xdotool(env, "getactivewindow", "windowsize", "100", "100")
	settled("the least size", size("WIDTH=900\nHEIGHT=600"))
	xdotool(env, "getactivewindow", "windowsize", "1010", "707")
	xdotool(env, "getactivewindow", "windowmove", "123", "77")
	settled("the new size", size("WIDTH=1010\nHEIGHT=707"))
	at := position(where())
	stop(cmd)

	cmd = openWindow(t, env, bin)
	settled("the size of before", size("WIDTH=1010\nHEIGHT=707"))
	if now := position(where()); now != at {
		t.Errorf("it was at %s and came back at %s", at, now)
	}
	titleBar("the window to be maximised", "WIDTH=1440")
	stop(cmd)
	kept, err := os.ReadFile(filepath.Join(home, "data", "window.json"))
	if err != nil || !strings.Contains(string(kept), `"width":1010,"height":707,"maximised":true`) {
		t.Errorf("kept is %s, %v", kept, err)
	}

	openWindow(t, env, bin)
	settled("the window to be maximised", size("WIDTH=1440"))
	titleBar("the size of before", "WIDTH=1010\nHEIGHT=707")
}

// TestWindowMenu holds that the menu's keys and items reach the page, once each, and that its last item ends the program well.
func TestWindowMenu(t *testing.T) {
	bin := os.Getenv("REDGREEN_BIN")
	if bin == "" {
		t.Skip("REDGREEN_BIN does not name a program built with its window; `make test` sets it")
	}
	display, home := startDisplay(t), t.TempDir()
	startManager(t, display)
	env := windowEnv(t, display, home)
	cmd := openWindow(t, env, bin, "--sample")
	saved := func(want string) func() bool {
		return func() bool {
			settings, _ := os.ReadFile(filepath.Join(home, "config", "settings.json"))
			return strings.Contains(string(settings), want)
		}
	}
	eventually(t, "the sample", saved(filepath.Join("sample", "invoice")))
	repeat(t, "the dark theme", saved(`"theme": "dark"`), func() { // chosen again it stays, where the page answers late
		xdotool(env, "key", "--delay", "150", "Escape", "F10", "Right", "Down", "Down", "Down", "Down", "Down", "Down", "Down", "Down", "Down", "Return")
	})
	xdotool(env, "key", "Escape", "ctrl+equal") // from here on none may be lost, and none counted twice
	eventually(t, "larger text", saved(`"font_size": 14`))
	xdotool(env, "key", "ctrl+equal")
	eventually(t, "still larger text", saved(`"font_size": 15`))
	xdotool(env, "key", "ctrl+minus")
	eventually(t, "the text as before", saved(`"font_size": 14`))
	xdotool(env, "key", "ctrl+q")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("Ctrl+Q did not end it in two minutes")
	}
}

// position are the lines of xdotool's geometry that say where a window is.
func position(geometry string) string {
	var at []string
	for line := range strings.Lines(geometry) {
		if strings.HasPrefix(line, "X=") || strings.HasPrefix(line, "Y=") {
			at = append(at, strings.TrimSpace(line))
		}
	}
	return strings.Join(at, " ")
}

// approveByKey starts the sample's task, puts the window away, waits until the desktop tells of its proof, has a click on that
// bring the window back, and writes the patch, all by keys alone.
func approveByKey(t *testing.T, bin, display, home, bus string) {
	t.Helper()
	service, d := startDesktop(t, bus)
	env := windowEnv(t, display, home)
	press := func(keys string) {
		cmd := exec.Command("xdotool", "key", keys)
		cmd.Env = append(os.Environ(), "DISPLAY="+display)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("pressing %s: %v: %s", keys, err, out)
		}
	}
	sessions := func() string {
		cmd := exec.Command(bin, "sessions", "list", "--json")
		cmd.Env = append(os.Environ(), "REDGREEN_HOME="+home)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("listing the sessions: %v", err)
		}
		return string(out)
	}
	waitFor := func(what string, done func() bool) {
		for deadline := time.Now().Add(15 * time.Minute); !done(); time.Sleep(time.Second) {
			if time.Now().After(deadline) {
				t.Fatalf("waiting for %s; the sessions are: %s", what, sessions())
			}
		}
	}
	fixed := filepath.Join(home, "data", "sample", "invoice", "invoice", "tax.py")
	was, err := os.ReadFile(fixed)
	if err != nil {
		t.Fatal(err)
	}
	waitFor("the task to begin", func() bool { // the folder is open a moment before its view is drawn
		press("ctrl+Return")
		time.Sleep(time.Second)
		return strings.Contains(sessions(), `"id"`)
	})
	putAway(t, env)
	waitFor("the proof", func() bool { return strings.Contains(sessions(), `"outcome":"review"`) })
	select {
	case n := <-d.got:
		if n.Title != "Proven — invoice" || !strings.HasSuffix(n.Text, "0 broken. A patch waits for your decision.") {
			t.Errorf("the desktop was told %+v", n)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the desktop was not told of the proof")
	}
	if name := xdotool(env, "getactivewindow", "getwindowname"); name == "Redgreen" {
		t.Error("the window came to the front by itself")
	}
	if err := service.Emit(notifyPath, notifyName+".ActionInvoked", uint32(7), "default"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the click to bring the window back", func() bool { return xdotool(env, "getactivewindow", "getwindowname") == "Redgreen" })
	time.Sleep(2 * time.Second) // the page draws what the record holds
	press("Return")             // a stray one writes nothing
	time.Sleep(time.Second)
	if now, err := os.ReadFile(fixed); err != nil || !bytes.Equal(was, now) {
		t.Fatalf("a stray Enter wrote the patch: %v", err)
	}
	repeat(t, "the patch in the folder", func() bool {
		now, err := os.ReadFile(fixed)
		return err == nil && !bytes.Equal(was, now)
	}, func() { press("ctrl+shift+Return") })
}

// startManager gives a display a window manager, without which no window has the keyboard, and waits until it manages.
func startManager(t *testing.T, display string) {
	t.Helper()
	cmd := exec.Command("openbox")
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting openbox: %v; install it with: apt-get install openbox xdotool", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	// A window that is there before its manager never gets the keyboard.
	env := []string{"DISPLAY=" + display, "PATH=" + os.Getenv("PATH")}
	eventually(t, "the window manager", func() bool {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the window manager ended by itself: %v: %s", err, said.String())
		default:
		}
		return xdotool(env, "get_num_desktops") != ""
	})
}

// startDisplay starts an X server that nobody else uses and gives its name.
func startDisplay(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-noreset") // else it throws out who is just coming when its only client leaves
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting Xvfb: %v; install it with: apt-get install xvfb", err)
	}
	w.Close()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		cmd.Wait()
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb gave no display: %v", err)
	}
	return ":" + strings.TrimSpace(line)
}

// look takes a picture of the display and counts its colours.
func look(t *testing.T, display string) ([]byte, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	data, err := exec.CommandContext(ctx, "import", "-display", display, "-window", "root", "png:-").Output()
	if err != nil {
		t.Fatalf("taking a picture: %v; it needs ImageMagick: apt-get install imagemagick", err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("reading the picture: %v", err)
	}
	return data, countColours(img)
}

func countColours(img image.Image) int {
	seen := map[[3]uint32]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r, g, bl}] = true
		}
	}
	return len(seen)
}
