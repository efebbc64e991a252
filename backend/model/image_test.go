package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// drawn is a picture of one colour in a format of the standard library.
func drawn(t *testing.T, format string, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch i := image.NewGray(image.Rect(0, 0, width, height)); format {
	case "png":
		err = png.Encode(&b, i)
	case "jpeg":
		err = jpeg.Encode(&b, i, nil)
	case "gif":
		err = gif.Encode(&b, i, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sized is a PNG whose header claims another size.
func sized(t *testing.T, width, height uint32) []byte {
	data := drawn(t, "png", 4, 4)
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestReadImage(t *testing.T) {
	t.Parallel()
	webp, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	whole := drawn(t, "png", 640, 480)
	for _, c := range []struct {
		name, media, says string
		data              []byte
	}{
		{"PNG", "image/png", "", whole},
		{"JPEG", "image/jpeg", "", drawn(t, "jpeg", 640, 480)},
		{"GIF", "image/gif", "", drawn(t, "gif", 640, 480)},
		{"WebP", "image/webp", "", webp},
		{"nothing", "", "its file has no bytes", nil},
		{"a first byte", "", "no PNG, JPEG, GIF or WebP", whole[:1]},
		{"SVG", "", "no PNG, JPEG, GIF or WebP", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`)},
		{"a page behind a name", "", "no PNG, JPEG, GIF or WebP", []byte("<html>")},
		{"BMP", "", "no PNG, JPEG, GIF or WebP", []byte("BM\x46\x00\x00\x00\x00\x00")},
		{"the first bytes of another format", "", "JPEG picture cannot be read", append([]byte("\xff\xd8\xff"), whole...)},
		{"cut in its header", "", "PNG picture cannot be read", whole[:20]},
		{"cut in its middle", "", "damaged or cut off", whole[:len(whole)-40]},
		{"a JPEG that is cut", "", "damaged or cut off", drawn(t, "jpeg", 640, 480)[:700]},
		{"a WebP that is cut", "", "damaged or cut off", webp[:24]},
		{"huge sides", "", "60000 × 2 pixels", sized(t, 60_000, 2)},
		{"a bomb", "", "7900 × 7900 pixels", sized(t, 7900, 7900)},
		{"no width", "", "cannot be read", sized(t, 0, 4)},
		{"more bytes than any takes", "", "at most 3.75 MB", append(bytes.Clone(whole), make([]byte, MaxImage)...)},
	} {
		got, err := ReadImage(c.data)
		switch {
		case c.says == "" && (err != nil || got.Type != c.media || got.Width == 0 || got.Height == 0 || got.Size != len(c.data) || len(got.Hash) != 64):
			t.Errorf("%s: %s of %d × %d, %v", c.name, got.Type, got.Width, got.Height, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v does not say %q", c.name, err, c.says)
		}
	}
	if _, err := ReadImages([][]byte{whole, whole, whole, whole, whole, whole}); err == nil || !strings.Contains(err.Error(), "at most 5 pictures, not 6") {
		t.Errorf("six pictures: %v", err)
	}
	if _, err := ReadImages([][]byte{whole, whole[:20]}); err == nil || !strings.HasPrefix(err.Error(), "picture 2: ") {
		t.Errorf("the second is cut: %v", err)
	}
}

// TestConformanceImages: a picture is sent in the form of each wire, before the text that it belongs to, and a record of what
// was sent holds its hash and not its bytes.
func TestConformanceImages(t *testing.T) {
	t.Parallel()
	data := drawn(t, "png", 1600, 1200) // counted as more tokens than the reply says were read: no sign of a cut prompt
	picture, err := ReadImage(data)
	if err != nil {
		t.Fatal(err)
	}
	raw := base64.StdEncoding.EncodeToString(data)
	chat := `"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + raw + `"}},{"type":"text","text":"Fix it."}]`
	forms := map[string]string{
		"ollama":    `"content":"Fix it.","images":["` + raw + `"]`,
		"anthropic": `"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + raw + `"}},{"type":"text","text":"Fix it."`,
		"responses": `"content":[{"type":"input_image","image_url":"data:image/png;base64,` + raw + `"},{"type":"input_text","text":"Fix it."}]`,
		"bedrock":   `"content":[{"image":{"format":"png","source":{"bytes":"` + raw + `"}}},{"text":"Fix it."}`,
	}
	for _, provider := range wires() {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, provider, "text", "text")
			m := open(t, provider, "text", options(provider, p.url, &waits{}))
			req := ask()
			req.Messages[0].Images = []Image{picture}
			reply, err := m.Chat(t.Context(), req, nil)
			if provider == "script" || provider == "llamacpp" { // the recorded model, and gpt-oss
				if code(err) != Invalid || !strings.Contains(err.Error(), "takes no pictures; say in words") || len(p.requests()) > 0 {
					t.Fatalf("%v after %d requests", err, len(p.requests()))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := forms[provider]
			if want == "" {
				want = chat
			}
			if sent := string(p.requests()[0].body); !strings.Contains(sent, want) {
				t.Errorf("%s\nis not in\n%.900s", want, sent)
			}
			if kept := string(WithoutImages(reply.Body, req)); strings.Contains(kept, raw) || !strings.Contains(kept, "sha256:"+picture.Hash) {
				t.Errorf("kept %.900s", kept)
			}
			if _, err := m.WithForm(Text).Chat(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			if sent := string(p.requests()[1].body); !strings.Contains(sent, raw) {
				t.Errorf("asked in text, the picture is lost: %.900s", sent)
			}
		})
	}
}

// TestTakesImages: what a server tells of its model stands before what the model's name says.
func TestTakesImages(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]Takes{"ollama": No, "openai": Yes, "anthropic": Yes, "gemini": Yes, "openrouter": Yes, "azure": Unknown, "bedrock": Yes, "llamacpp": No, "lmstudio": No} {
		p := newPlayer(t, provider)
		m := open(t, provider, "", options(provider, p.url, &waits{}))
		info, err := m.Describe(t.Context())
		if err != nil || info.Images != want {
			t.Errorf("%s: %q, %v; want %q", provider, info.Images, err, want)
		}
		m.Info = info
		req := ask()
		req.Messages[0].Images = []Image{{Type: "image/png", Data: []byte("x")}}
		before := len(p.requests())
		if _, err := m.Chat(t.Context(), req, nil); want == No && (code(err) != Invalid || len(p.requests()) != before) {
			t.Errorf("%s: %v after a request", provider, err)
		}
	}
	for show, want := range map[string]Takes{`"capabilities":["completion","vision"]`: Yes, `"capabilities":["completion"]`: No, `"details":{}`: Unknown} {
		srv := newShow(t, `{"model_info":{},`+show+`}`)
		m, err := Open("ollama/m", Options{Env: func(string) string { return "" }, BaseURL: map[string]string{"ollama": srv}})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := m.Describe(t.Context()); err != nil || info.Images != want {
			t.Errorf("%s: %q, %v; want %q", show, info.Images, err, want)
		}
	}
	for name, want := range map[string]Takes{
		"claude-opus-4-8": Yes, "claude-3-5-haiku-latest": Yes, "claude-2.1": No, "claude-instant-1.2": No, "us.anthropic.claude-sonnet-4-5-20250929-v1:0": Yes,
		"amazon.nova-micro-v1:0": No, "eu.amazon.nova-pro-v1:0": Yes, "gpt-4o-mini": Yes, "gpt-4.1": Yes, "gpt-5.4-codex": Yes, "gpt-4": No, "gpt-4-0613": No,
		"gpt-3.5-turbo": No, "o1": Yes, "o1-mini": No, "o3-mini": No, "o4-mini": Yes, "gpt-oss-20b": No, "openai/gpt-oss-120b": No, "gemini-2.5-flash": Yes,
		"qwen3-coder": Unknown, "my-gpt-4.1": Unknown, "gemma-3": Unknown,
	} {
		if got := takesByName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func newShow(t *testing.T, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestImageTokens: a picture counts, by its pixels and not by its bytes, and never as more than any maker counts.
func TestImageTokens(t *testing.T) {
	t.Parallel()
	req := ask()
	plain := CountTokens(req)
	for _, c := range []struct {
		width, height int
		least, most   int64 // of the makers' rules for the size
	}{{1, 1, 1, 400}, {512, 512, 350, 1200}, {1092, 1092, 1590, 4800}, {8000, 5000, 4784, 4800}} {
		req.Messages[0].Images = []Image{{Width: c.width, Height: c.height, Data: make([]byte, 1<<20)}}
		if got := CountTokens(req) - plain; got < c.least || got > c.most {
			t.Errorf("%d × %d: %d tokens", c.width, c.height, got)
		}
	}
}
