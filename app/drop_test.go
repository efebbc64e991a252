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
	"golang.org/x/sys/unix"

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
	lines, under, pipe := filepath.Join(dir, "two\nlines\n"), filepath.Join(dir, "two\nlines\n", "etc"), filepath.Join(dir, "pipe")
	odd := map[string]string{"root": "/", "device": "/dev/zero", "loop": "loop"}
	if err := errors.Join(os.MkdirAll(under, 0o755), unix.Mkfifo(pipe, 0o644)); err != nil {
		t.Fatal(err)
	}
	for name, to := range odd {
		odd[name] = filepath.Join(dir, name)
		if err := os.Symlink(to, odd[name]); err != nil {
			t.Fatal(err)
		}
	}
	names := filepath.Join(dir, "\u202egnp.exe 😀 %20%0A <b>")
	if err := os.Mkdir(names, 0o755); err != nil {
		t.Fatal(err)
	}
	cut := func(paths ...string) []string { return strings.Split(strings.Join(paths, "\n"), "\n") } // as Wails does
	other := func(path string) Dropped { return Dropped{Path: path, Kind: DroppedOther} }
	folder := func(path string) Dropped { return Dropped{Path: path, Kind: DroppedFolder} }
	for name, c := range map[string]struct {
		paths []string
		want  []Dropped // nil the page is told nothing
	}{
		"a folder":                             {[]string{repo}, []Dropped{folder(repo)}},
		"a link to a folder":                   {[]string{link}, []Dropped{folder(link)}},
		"a file within a repository":           {[]string{source}, []Dropped{{Path: source, Kind: DroppedFile, Folder: repo}}},
		"a file that lies in a folder":         {[]string{note}, []Dropped{{Path: note, Kind: DroppedFile, Folder: loose}}},
		"what is gone":                         {[]string{gone}, []Dropped{{Path: gone, Kind: DroppedGone}}},
		"a link to what is gone":               {[]string{dangling}, []Dropped{{Path: dangling, Kind: DroppedGone}}},
		"several":                              {[]string{loose, repo}, []Dropped{folder(loose), folder(repo)}},
		"what has no path":                     {[]string{""}, nil},
		"nothing":                              {nil, nil},
		"a folder beside what has no path":     {[]string{repo, ""}, []Dropped{folder(repo)}},
		"a name of two lines":                  {cut(lines), []Dropped{folder(lines)}},
		"one in it, whose path looks like two": {cut(under, repo), []Dropped{folder(under), folder(repo)}},
		"a name of odd letters":                {cut(names), []Dropped{folder(names)}},
		"an address after a folder":            {cut(repo, ""), []Dropped{folder(repo)}},
		"a name that is no text":               {cut(filepath.Join(dir, "\xe4")), []Dropped{other(filepath.Join(dir, "\ufffd"))}},
		"a pipe":                               {cut(pipe), []Dropped{other(pipe)}},
		"a device":                             {cut(odd["device"]), []Dropped{other(odd["device"])}},
		"a link to everything":                 {cut(odd["root"]), []Dropped{folder(odd["root"])}},
		"a link to itself":                     {cut(odd["loop"]), []Dropped{folder(odd["loop"])}},
		"what cannot be looked at":             {[]string{filepath.Join(note, "under a file")}, []Dropped{folder(filepath.Join(note, "under a file"))}},
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
	paths["pipe"] = filepath.Join(dir, "pipe") // was a file when it was dropped
	if err := unix.Mkfifo(paths["pipe"], 0o644); err != nil {
		t.Fatal(err)
	}
	h.dropped(1, 1, []string{paths["other.txt"]})
	h.dropped(1, 1, []string{paths["a.log"], paths["binary"], paths["latin"], paths["large"], paths["gone"], paths["pipe"]})
	if text, err := (&App{h: h}).DroppedText(paths["a.log"]); err != nil || text != files["a.log"] {
		t.Errorf("a text is read as %q, %v", text, err)
	}
	for name, want := range map[string]Code{"binary": Invalid, "latin": Invalid, "large": Invalid, "gone": NotFound, "pipe": Invalid, "other.txt": Denied} {
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
