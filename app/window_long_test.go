package app

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// windowMost is what an open window may hold in memory, its page's processes with it; 670 MiB were measured, of which much is
// the engine's code, counted for each of three processes.
const windowMost = 1 << 30

// TestWindowLong opens a session of 10,000 events in the real window, goes from its beginning to its end and back, and has it
// answer to two keys more: it must do so, and stay within its memory.
func TestWindowLong(t *testing.T) {
	bin := os.Getenv("REDGREEN_BIN")
	if bin == "" {
		t.Skip("REDGREEN_BIN does not name a program built with its window; `make test` sets it")
	}
	display, home := startDisplay(t), t.TempDir()
	paths := Paths{Config: filepath.Join(home, "config"), Data: filepath.Join(home, "data"), Cache: filepath.Join(home, "cache")}
	id := longSession(t, paths, filepath.Join(home, "shop"))
	startManager(t, display)
	env := windowEnv(t, display, home)
	cmd := openWindow(t, env, bin, linkScheme+"session/"+id)
	xdotool(env, "getactivewindow", "windowsize", "1440", "880")
	// The failures are one near the beginning and one at the end, which is there last of all.
	jump := func() []byte {
		xdotool(env, "key", "f")
		time.Sleep(700 * time.Millisecond)
		return pixels(t, display)
	}
	began := time.Now()
	eventually(t, "a key to lead to one failure, to the other, and back", func() bool {
		one, other, again := jump(), jump(), jump()
		there := differing(one, other)
		return there > 2000 && differing(one, again) < there/4
	})
	t.Logf("all of it was there after %s", time.Since(began).Round(100*time.Millisecond))
	xdotool(env, "key", "v")
	eventually(t, "the file to be marked as seen by key", func() bool {
		reviews, err := os.ReadDir(paths.reviews())
		return err == nil && len(reviews) > 0
	})
	xdotool(env, "key", "ctrl+equal")
	eventually(t, "larger text", func() bool {
		settings, _, err := loadSettings(paths.settings())
		return err == nil && settings.FontSize == 14
	})
	held := resident(t, cmd.Process.Pid)
	t.Logf("it holds %d MiB", held>>20)
	if held > windowMost || held < 50<<20 { // less than any window: it was measured wrong
		t.Errorf("the window and its page hold %d MiB of memory; at most %d are allowed", held>>20, windowMost>>20)
	}
}

// longSession records a session of 10,000 events that ended without a proof of its change of the folder's one file.
func longSession(t *testing.T, paths Paths, folder string) string {
	t.Helper()
	if err := paths.make(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	before, after := []byte("total = price\n"), []byte("total = price * amount\n")
	if err := os.WriteFile(filepath.Join(folder, "shop.py"), before, 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := patch.Diff([]patch.Pair{{Path: "shop.py", Before: &patch.Content{Data: before, Mode: 0o644}, After: &patch.Content{Data: after, Mode: 0o644}}})
	if err != nil {
		t.Fatal(err)
	}
	store, err := session.Open(paths.sessions(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	const steps = 2499
	l, err := store.Create(t.Context(), session.Started{Schema: session.Schema, Folder: folder, Task: "The total is wrong", Model: model.Info{Provider: "script", Name: "none"}, Limits: session.Limits{Steps: steps}})
	if err != nil {
		t.Fatal(err)
	}
	var entries []session.Entry
	add := func(kind session.Kind, data any) { entries = append(entries, session.Entry{Kind: kind, Data: data}) }
	for n := 1; n <= steps; n++ {
		call, failed := fmt.Sprint("c", n), n == 3 || n == steps
		add(session.KindStepStarted, session.StepStarted{Step: n})
		add(session.KindModelReplied, session.ModelReplied{Step: n, Message: model.Message{Text: fmt.Sprintf("Step %d: where is the total worked out, and by what?", n)}, Priced: true, Millis: 300})
		add(session.KindToolCalled, session.ToolCalled{Step: n, CallID: call, Tool: "search_code", Args: fmt.Sprintf(`{"query":"total %d"}`, n), Verdict: "allow"})
		add(session.KindToolFinished, session.ToolFinished{Step: n, CallID: call, Tool: "search_code", OK: !failed, Summary: fmt.Sprintf("%d places", n%7), Text: strings.Repeat(fmt.Sprintf("shop.py:%d: total = price\n", n), 40)})
	}
	add(session.KindPatchChanged, session.PatchChanged{Step: steps, Patch: p, Hash: p.Hash(), Stat: p.Stat()})
	add(session.KindReviewAsked, session.ReviewAsked{PatchHash: p.Hash(), Summary: "The amount counts."})
	add(session.KindSessionFinished, session.Finished{Outcome: session.NotProven, Steps: steps})
	if _, err := l.AppendAll(t.Context(), entries...); err != nil {
		t.Fatal(err)
	}
	if events, err := store.Events(t.Context(), l.ID(), 0, 0); err != nil || len(events) != 10_000 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return l.ID()
}

// pixels takes a picture of the display, three bytes a pixel.
func pixels(t *testing.T, display string) []byte {
	t.Helper()
	data, err := exec.Command("import", "-display", display, "-window", "root", "-depth", "8", "rgb:-").Output()
	if err != nil || len(data) != 1440*900*3 {
		t.Fatalf("taking a picture: %d bytes, %v; it needs ImageMagick: apt-get install imagemagick", len(data), err)
	}
	return data
}

// differing counts the pixels in which two pictures differ.
func differing(a, b []byte) int {
	n := 0
	for i := 0; i < len(a); i += 3 {
		if !bytes.Equal(a[i:i+3], b[i:i+3]) {
			n++
		}
	}
	return n
}

// resident is the memory that a process and all that it started hold, in bytes; what they share counts for each.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	parent, held := map[int]int{}, map[int]int64{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it ended meanwhile
		}
		one, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		for line := range strings.Lines(string(data)) {
			name, value, _ := strings.Cut(line, ":")
			number, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			switch name {
			case "PPid":
				parent[one] = int(number)
			case "VmRSS":
				held[one] = number << 10
			}
		}
	}
	sum, ours := int64(0), []int{pid}
	for i := 0; i < len(ours); i++ {
		sum += held[ours[i]]
		for child, of := range parent {
			if of == ours[i] && !slices.Contains(ours, child) {
				ours = append(ours, child)
			}
		}
	}
	return sum
}
