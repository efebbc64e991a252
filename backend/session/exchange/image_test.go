package exchange

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// TestPicturesInAnExport: the page holds the pictures themselves and nothing that only says that it is one, the other forms
// name them, and whatever a record claims of them is text.
func TestPicturesInAnExport(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 32))); err != nil {
		t.Fatal(err)
	}
	picture, err := model.ReadImage(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	hostile := model.Image{Type: `image/svg+xml"><script>`, Hash: "svg", Width: 1, Height: 1}
	gone := model.Image{Type: "image/png", Hash: "gone", Width: 7, Height: 7}
	stored := map[string][]byte{picture.Hash: picture.Data, "svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)}
	events := slices.Clone(recorded(t, "proven"))
	i := slices.IndexFunc(events, func(e session.Event) bool { return e.Kind == session.KindMessage })
	var said session.Message
	if err := json.Unmarshal(events[i].Data, &said); err != nil {
		t.Fatal(err)
	}
	said.Images = []model.Image{picture, hostile, gone}
	if events[i].Data, err = json.Marshal(said); err != nil {
		t.Fatal(err)
	}
	drawn := func(as Form) string {
		var out bytes.Buffer
		if err := Render(&out, as, events, "", func(hash string) []byte { return stored[hash] }); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	raw := base64.StdEncoding.EncodeToString(picture.Data)
	page := drawn(HTML)
	if strings.Count(page, "<img") != 1 || !strings.Contains(page, `<img src="data:image/png;base64,`+quoted(raw)+`" alt="picture 1: image/png, 64 × 32 pixels, `) {
		at := max(strings.Index(page, "<img"), 0)
		t.Errorf("%d pictures: %.300s", strings.Count(page, "<img"), page[at:])
	}
	if strings.Contains(page, "<script") || !strings.Contains(page, "picture 3: image/png, 7 × 7 pixels") {
		t.Error("a hostile type is obeyed, or a picture that is gone is not named")
	}
	for _, as := range []Form{Markdown, JSONL} {
		if text := drawn(as); strings.Contains(text, raw) || !strings.Contains(text, "image/png") || as == Markdown && strings.Contains(text, "<script") {
			t.Errorf("%s holds the bytes, or does not name the picture", as)
		}
	}
	answer := session.Event{Seq: events[len(events)-1].Seq + 1, Session: events[i].Session, Time: events[len(events)-1].Time, Kind: session.KindReviewAnswered}
	if answer.Data, err = json.Marshal(session.ReviewAnswered{Decision: "reject", By: "person", Comment: "not like here", Images: []model.Image{picture}}); err != nil {
		t.Fatal(err)
	}
	events = append(events, answer)
	if page := drawn(HTML); strings.Count(page, "<img") != 2 || !strings.Contains(page, "not like here") {
		t.Errorf("%d pictures with that of a comment", strings.Count(page, "<img"))
	}
	back, _, err := Import(t.Context(), strings.NewReader(drawn(JSONL)))
	if err != nil || !bytes.Contains(back[i].Data, []byte(picture.Hash)) {
		t.Errorf("read again: %v", err)
	}
}

// quoted is base64 as html/template writes it in an attribute.
func quoted(s string) string { return strings.ReplaceAll(s, "+", "&#43;") }
