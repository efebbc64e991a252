package app

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWindowPaste pastes a picture of the clipboard into the message of the real window: it must stand in the message, and in the
// record when the task is started.
func TestWindowPaste(t *testing.T) {
	bin := os.Getenv("REDGREEN_BIN")
	if bin == "" {
		t.Skip("REDGREEN_BIN does not name a program built with its window; `make test` sets it")
	}
	copier := buildGTK(t, "copy.c")
	display, home, folder, picture := startDisplay(t), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "picture.png")
	loud := color.RGBA{R: 255, B: 255, A: 255} // nothing of the window is like it
	i := image.NewRGBA(image.Rect(0, 0, 200, 100))
	draw.Draw(i, i.Bounds(), image.NewUniform(loud), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, i); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{picture: b.String(), filepath.Join(folder, "calc.py"): "def add(a, b):\n    return a - b\n", filepath.Join(home, "config", "settings.json"): `{"model":"openai/gpt-4o"}`} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"gpt-4o","object":"model"}]}`)
	}))
	defer srv.Close()
	startManager(t, display)
	env := append(windowEnv(t, display, home), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+srv.URL+"/v1", "OLLAMA_HOST=127.0.0.1:9")
	holder := exec.Command(copier, picture)
	holder.Env = env
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		holder.Process.Kill()
		holder.Wait()
	})
	openWindow(t, env, bin, folder)
	eventually(t, "the folder", func() bool {
		settings, _, err := loadSettings(filepath.Join(home, "config", "settings.json"))
		return err == nil && len(settings.Recent) > 0
	})

	seen := func() bool { // a thumbnail is 64 pixels high
		data, _ := look(t, display)
		shot, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return countColour(shot, loud) > 1000
	}
	repeat(t, "the picture in the message", seen, func() { // pasted twice, it stands there twice
		xdotool(env, "key", "ctrl+v")
		time.Sleep(time.Second)
	})
	repeat(t, "the picture in the record of a task", func() bool {
		out, err := told(env, bin, "sessions", "list", "--json")
		if err != nil || !strings.Contains(out, `"id"`) {
			return false
		}
		id, _, _ := strings.Cut(out[strings.Index(out, `"id":"`)+6:], `"`)
		page, err := told(env, bin, "sessions", "export", id, "--as", "html")
		return err == nil && strings.Contains(page, `<img src="data:image/png;base64,`)
	}, func() {
		xdotool(env, "type", "The sum is wrong. ")
		xdotool(env, "key", "ctrl+Return")
	})
}

// told is what a command prints.
func told(env []string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	out, err := cmd.Output()
	return string(out), err
}

// countColour counts the pixels of a colour.
func countColour(img image.Image, want color.RGBA) (n int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}
