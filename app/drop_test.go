package app

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
)

func TestDropped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo, loose := filepath.Join(dir, "shop"), filepath.Join(dir, "loose")
	for _, d := range []string{filepath.Join(repo, ".git"), filepath.Join(repo, "src", "tax"), loose} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	source, note := filepath.Join(repo, "src", "tax", "rate.py"), filepath.Join(loose, "note.txt")
	for _, f := range []string{source, note} {
		if err := os.WriteFile(f, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link, dangling, gone := filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "gone")
	for to, from := range map[string]string{repo: link, gone: dangling} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	folder := func(path string) Dropped { return Dropped{Path: path, Kind: DroppedFolder} }
	for name, c := range map[string]struct {
		paths []string
		want  []Dropped // nil the page is told nothing
	}{
		"a folder":                         {[]string{repo}, []Dropped{folder(repo)}},
		"a link to a folder":               {[]string{link}, []Dropped{folder(link)}},
		"a file within a repository":       {[]string{source}, []Dropped{{Path: source, Kind: DroppedFile, Folder: repo}}},
		"a file that lies in a folder":     {[]string{note}, []Dropped{{Path: note, Kind: DroppedFile, Folder: loose}}},
		"what is gone":                     {[]string{gone}, []Dropped{{Path: gone, Kind: DroppedGone}}},
		"a link to what is gone":           {[]string{dangling}, []Dropped{{Path: dangling, Kind: DroppedGone}}},
		"several":                          {[]string{loose, repo}, []Dropped{folder(loose), folder(repo)}},
		"what has no path":                 {[]string{""}, nil},
		"nothing":                          {nil, nil},
		"a folder beside what has no path": {[]string{repo, ""}, []Dropped{folder(repo)}},
		"what cannot be looked at":         {[]string{filepath.Join(note, "under a file")}, []Dropped{folder(filepath.Join(note, "under a file"))}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []Drop
			h := &host{send: func(topic string, payload any) {
				if topic != "drop" {
					t.Errorf("it is told as %q", topic)
				}
				got = append(got, payload.(Drop))
			}}
			h.dropped(30, 40, c.paths)
			var want []Drop
			if c.want != nil {
				want = []Drop{{X: 30, Y: 40, Items: c.want}}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDroppedText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{"a.log": "E  1 != 2\n", "binary": "a\x00b", "latin": "\xe4", "large": strings.Repeat("x", quotedMost+1), "other.txt": "secret"}
	paths := map[string]string{"gone": filepath.Join(dir, "gone")}
	for name, text := range files {
		paths[name] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[name], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h := &host{core: &core{log: slog.New(slog.DiscardHandler)}, send: func(string, any) {}}
	h.dropped(1, 1, []string{paths["other.txt"]})
	h.dropped(1, 1, []string{paths["a.log"], paths["binary"], paths["latin"], paths["large"], paths["gone"]})
	if text, err := (&App{h: h}).DroppedText(paths["a.log"]); err != nil || text != files["a.log"] {
		t.Errorf("a text is read as %q, %v", text, err)
	}
	for name, want := range map[string]Code{"binary": Invalid, "latin": Invalid, "large": Invalid, "gone": NotFound, "other.txt": Denied} {
		var e *Error
		if text, err := (&App{h: h}).DroppedText(paths[name]); !errors.As(err, &e) || e.Code != want || text != "" {
			t.Errorf("%s is read as %q, %v, not refused as %s", name, text, err, want)
		}
	}
}

func TestDroppedPicture(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	paths := map[string]string{}
	for name, data := range map[string][]byte{"a.png": b.Bytes(), "cut.png": b.Bytes()[:30], "text.png": []byte("hello"), "large.png": append(b.Bytes(), make([]byte, model.MaxImage)...), "other.png": b.Bytes()} {
		paths[name] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[name], data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h := &host{core: &core{log: slog.New(slog.DiscardHandler)}, send: func(string, any) {}}
	h.dropped(1, 1, []string{paths["a.png"], paths["cut.png"], paths["text.png"], paths["large.png"]})
	if p, err := (&App{h: h}).DroppedPicture(paths["a.png"]); err != nil || p.Type != "image/png" || !bytes.Equal(p.Data, b.Bytes()) {
		t.Errorf("a picture is read as %d bytes of %q, %v", len(p.Data), p.Type, err)
	}
	for name, want := range map[string]Code{"cut.png": Invalid, "text.png": Invalid, "large.png": Invalid, "other.png": Denied} {
		var e *Error
		if p, err := (&App{h: h}).DroppedPicture(paths[name]); !errors.As(err, &e) || e.Code != want || len(p.Data) > 0 {
			t.Errorf("%s is read: %v, not refused as %s", name, err, want)
		}
	}
}
