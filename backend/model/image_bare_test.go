package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"strings"
	"testing"
)

const hidden = "HIDDEN at 52.5200 N, 13.4050 E"

// chunk is one of a PNG, or of a WebP where little is true.
func chunk(kind, body string, little bool) string {
	var n [4]byte
	if little {
		binary.LittleEndian.PutUint32(n[:], uint32(len(body)))
		return kind + string(n[:]) + body + strings.Repeat("\x00", len(body)&1)
	}
	binary.BigEndian.PutUint32(n[:], uint32(len(body)))
	return string(n[:]) + kind + body + string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(kind+body))))
}

// segment is one of a JPEG.
func segment(marker byte, body string) string {
	return "\xff" + string([]byte{marker}) + string(binary.BigEndian.AppendUint16(nil, uint16(len(body)+2))) + body
}

// exif says that a picture lies on its side, and where it was taken.
func exif(order string) string {
	if order == "MM" {
		return "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x02\x01\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x20\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00" + hidden
	}
	return "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00" + hidden
}

// moving is a GIF of n pictures of which the first has a transparent colour, with a comment before and after each.
func moving(t *testing.T, n int) string {
	t.Helper()
	g := &gif.GIF{}
	for i := range n {
		p := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.RGBA{}, color.RGBA{uint8(i), 9, 9, 255}})
		p.Pix[5] = 1
		g.Image, g.Delay = append(g.Image, p), append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	data, comment := b.String(), "\x21\xfe"+string([]byte{byte(len(hidden))})+hidden+"\x00"
	at := 13 + gifTable(data[10])
	return data[:at] + comment + strings.TrimSuffix(data[at:], ";") + comment + ";"
}

// TestReadImageTakesThePictureAlone: of each format what the file holds beside the picture is left out, and what is drawn stays as
// it was.
func TestReadImageTakesThePictureAlone(t *testing.T) {
	t.Parallel()
	png, jpeg := string(drawn(t, "png", 40, 30)), string(drawn(t, "jpeg", 40, 30))
	still, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	webp := func(flags string, chunks ...string) string {
		body := "WEBP" + chunk("VP8X", flags+"\x00\x00\x00\x00\x00\x00\x00\x00\x00", true) + strings.Join(chunks, "")
		return chunk("RIFF", body, true)
	}
	comments := chunk("tEXt", "Comment\x00"+hidden, false) + chunk("eXIf", hidden, false) + chunk("vpAg", hidden, false) + chunk("iCCP", hidden+"\x00\x00", false)
	beside := segment(0xe2, "MPF\x00"+hidden) + segment(0xed, "Photoshop 3.0\x00"+hidden) + segment(0xfe, hidden) + segment(0xee, hidden)
	picture := string(still[12:])
	for _, c := range []struct{ name, data, keeps string }{
		{"PNG with texts", png[:33] + comments + png[33:], ""},
		{"PNG with a tail", png + hidden, ""},
		{"PNG with texts after the picture", png[:len(png)-12] + comments + png[len(png)-12:], ""},
		{"JPEG with all that cameras write", jpeg[:2] + segment(0xe0, "JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x02\x05"+hidden) + segment(0xe1, exif("MM")) + beside + jpeg[2:] + hidden, "MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06"},
		{"JPEG of the other byte order", jpeg[:2] + segment(0xe1, exif("II")) + jpeg[2:], "\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06"},
		{"JPEG with bytes between its segments", strings.Replace(jpeg, "\xff\xc0", hidden+"\xff\x00\xff\xff\xff\xc0", 1), ""},
		{"JPEG with broken Exif", jpeg[:2] + segment(0xe1, "Exif\x00\x00MM\x00*\xff\xff\xff\xff"+hidden) + segment(0xe1, exif("MM")[:20]) + jpeg[2:], ""},
		{"GIF that moves", moving(t, 1000) + hidden, ""},
		{"WebP with a place", webp("\x2c", chunk("ICCP", hidden, true), picture, chunk("EXIF", hidden, true), chunk("XMP ", hidden, true)), ""},
		{"WebP with a tail", string(still) + hidden, ""},
	} {
		got, err := ReadImage([]byte(c.data))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if strings.Contains(string(got.Data), "HIDDEN") || strings.Contains(string(got.Data), "13.4050") {
			t.Errorf("%s: what is hidden in it is taken over: %q", c.name, got.Data)
		}
		if !strings.Contains(string(got.Data), c.keeps) {
			t.Errorf("%s: it is not known any more which way up it is: %q", c.name, got.Data[:60])
		}
		was, _, err := image.Decode(strings.NewReader(c.data))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		now, _, err := image.Decode(bytes.NewReader(got.Data))
		if err != nil || now.Bounds() != was.Bounds() {
			t.Fatalf("%s: %v", c.name, err)
		}
		for y := range was.Bounds().Dy() {
			for x := range was.Bounds().Dx() {
				if was.At(x, y) != now.At(x, y) {
					t.Fatalf("%s: at %d, %d it is %v and was %v", c.name, x, y, now.At(x, y), was.At(x, y))
				}
			}
		}
		if again, err := ReadImage(got.Data); err != nil || again.Hash != got.Hash {
			t.Errorf("%s: taken once more it is another: %v", c.name, err)
		}
		if kept, err := KeptImage(got.Data); err != nil || kept.Hash != got.Hash || kept.Width != got.Width {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if got, err := ReadImage([]byte(moving(t, 1000))); err != nil || got.Size > 200 {
		t.Errorf("of 1,000 pictures one is taken: %d bytes, %v", got.Size, err)
	}

	scan := strings.Index(jpeg, "\xff\xda")
	passes := jpeg[:scan] + strings.Repeat(jpeg[scan:len(jpeg)-2], mostScans+1) + jpeg[len(jpeg)-2:]
	for _, c := range []struct{ name, data, says string }{
		{"a WebP that moves", webp("\x02", picture), "the WebP picture moves, and only still ones are taken; save one moment"},
		{"a JPEG that takes long", passes, "drawn in more than 100 passes"},
		{"a WebP of which the head claims less", webp("\x00", strings.Replace(picture, "\x01\x00\x01\x00", "\xff\x3f\xff\x3f", 1)), "cannot be read"},
		{"a PNG without its end", png[:len(png)-12], "cut off"},
		{"a GIF without a picture", "GIF89a\x04\x00\x04\x00\x00\x00\x00;", "cannot be read"},
		{"a GIF whose table is cut", "GIF89a\x04\x00\x04\x00\xf7\x00\x00;", "cannot be read"},
		{"an empty file", "", "its file has no bytes"},
	} {
		if _, err := ReadImage([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q", c.name, err, c.says)
		}
	}
}

// FuzzBare: no bytes bring it down, and what it gives it gives once more.
func FuzzBare(f *testing.F) {
	for _, format := range formats {
		f.Add([]byte(format.magic))
	}
	f.Add([]byte("\xff\xd8" + segment(0xe1, exif("MM")) + segment(0xda, "x") + "\xff\xd9"))
	f.Add([]byte("GIF89a\x04\x00\x04\x00\x80\x00\x00123456\x21\xf9\x04\x00\x00\x00\x00\x00\x2c\x00\x00\x00\x00\x04\x00\x04\x00\x00\x02\x01\x00\x00;"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBP" + chunk("VP8X", "\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00", true) + chunk("VP8L", "x", true)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range formats {
			if !format.begins(data) {
				continue
			}
			bare, err := format.bare(data)
			if err != nil {
				continue
			}
			if again, err := format.bare(bare); err != nil || !bytes.Equal(bare, again) {
				t.Errorf("%s: %q became %q, %v", format.name, bare, again, err)
			}
		}
	})
}
