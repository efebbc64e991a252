package app

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// noted is a PNG with a text in it that nobody sees.
func noted(png []byte) []byte {
	text := "tEXtComment\x00secret"
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(text)-4))
	chunk = binary.BigEndian.AppendUint32(append(chunk, text...), crc32.ChecksumIEEE([]byte(text)))
	return slices.Insert(slices.Clone(png), 33, chunk...) // after the head
}

// TestImageFlag: a picture that --image names is sent without the texts in its file, with a word of warning where the model is not
// local, stands in the session and in its page, and is given to the window; a model that takes none is refused before anything is sent.
func TestImageFlag(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 32))); err != nil {
		t.Fatal(err)
	}
	folder, home := t.TempDir(), t.TempDir()
	picture := filepath.Join(t.TempDir(), "error.png")
	for path, data := range map[string][]byte{picture: noted(b.Bytes()), filepath.Join(folder, "calc.py"): []byte("def add(a, b):\n    return a - b\n")} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(home, 0o711); err != nil { // the sandbox's user passes through
		t.Fatal(err)
	}
	p := &provider{} // refuses the key of the first call
	srv := httptest.NewServer(p)
	defer srv.Close()
	env := func(name string) string {
		return map[string]string{"REDGREEN_HOME": home, "OPENAI_BASE_URL": srv.URL + "/v1", "OPENAI_API_KEY": "k", "OLLAMA_HOST": "127.0.0.1:9"}[name]
	}
	run := func(args ...string) (string, string) {
		t.Helper()
		var out, errs strings.Builder
		c := &command{assets: testAssets(), env: env, in: strings.NewReader(""), out: &out, err: &errs}
		c.run(t.Context(), args)
		return out.String(), errs.String()
	}
	for ref, says := range map[string]string{"openai/gpt-3.5-turbo": "gpt-3.5-turbo takes no pictures; say in words", "builtin/repair": "the built-in engine takes no pictures: it searches in code"} {
		if _, errs := run("fix", folder, "-m", "wrong", "--image", picture, "--model", ref); !strings.Contains(errs, says) || len(p.got) > 0 {
			t.Errorf("%s, after %d requests: %s", ref, len(p.got), errs)
		}
	}
	core := coreAt(t, home)
	box, err := core.sandbox("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := box.Rung(t.Context()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no sandbox on this machine: %v", err)
	}
	_, errs := run("fix", folder, "-m", "wrong", "--image", picture, "--model", "openai/gpt-4o", "--test-cmd", "python3 -m unittest")
	raw := base64.StdEncoding.EncodeToString(b.Bytes())
	if len(p.got) != 1 || !strings.Contains(string(p.got[0]), `{"url":"data:image/png;base64,`+raw+`"}`) {
		t.Fatalf("%d requests, or none with the picture: %s", len(p.got), errs)
	}
	for _, says := range []string{"the picture is sent to gpt-4o · ", "without the place, camera and texts that a file holds beside its picture; a secret that is seen in it is not found", "with a picture: image/png, 64 × 32 pixels"} {
		if !strings.Contains(errs, says) {
			t.Errorf("stderr lacks %q: %s", says, errs)
		}
	}
	if strings.Contains(errs, "not known whether") {
		t.Errorf("it is known of gpt-4o: %s", errs)
	}

	store, err := core.sessions()
	if err != nil {
		t.Fatal(err)
	}
	all, err := store.List(t.Context(), "", 0)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	if page, errs := run("sessions", "export", all[0].ID, "--as", "html"); !strings.Contains(page, `<img src="data:image/png;base64,`) {
		t.Errorf("the page shows no picture: %s", errs)
	}
	read, err := model.ReadImage(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	a := windowAt(t, home)
	if got, err := a.ReadPicture(noted(b.Bytes())); err != nil || got.Type != "image/png" || !bytes.Equal(got.Data, b.Bytes()) {
		t.Errorf("a picture for a message is read as %d bytes of %q, %v", len(got.Data), got.Type, err)
	}
	if got, err := a.ReadPicture(b.Bytes()[:40]); err == nil || explain(err).Code != Invalid || len(got.Data) > 0 {
		t.Errorf("a picture that is cut off is read: %v", err)
	}
	if got, err := a.Picture(read.Hash); err != nil || got.Type != "image/png" || !bytes.Equal(got.Data, b.Bytes()) {
		t.Errorf("the window gets %d bytes of %s, %v", len(got.Data), got.Type, err)
	}
	sample, err := core.sample(true)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := a.TakesImages(sample.ref, sample.Path); err != nil || info.Images != model.No {
		t.Errorf("the recorded model: %q, %v", info.Images, err)
	}
	for says, task := range map[string]TaskRequest{
		"takes no pictures":                   {Folder: sample.Path, Text: "wrong", Model: sample.ref, Images: [][]byte{b.Bytes()}},
		"this is no PNG, JPEG, GIF or WebP":   {Folder: sample.Path, Text: "wrong", Model: sample.ref, Images: [][]byte{[]byte("<svg/>")}},
		"a message takes at most 5 pictures,": {Folder: sample.Path, Text: "wrong", Model: sample.ref, Images: make([][]byte, 6)},
	} {
		if _, err := a.StartTask(task); err == nil || explain(err).Code != Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
	blind, err := store.Create(t.Context(), session.Started{Schema: session.Schema, Folder: sample.Path, Task: "wrong", Model: model.Info{Provider: "builtin", Name: "repair"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.ForkSession(blind.ID(), 1, "look again", [][]byte{b.Bytes()}); err == nil || !strings.Contains(err.Error(), "takes no pictures") {
		t.Errorf("sent again with a picture: %v", err)
	}
	if now, err := store.List(t.Context(), "", 0); err != nil || len(now) != 2 {
		t.Errorf("%d sessions after what was refused, %v", len(now), err)
	}
}
