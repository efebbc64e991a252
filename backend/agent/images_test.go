package agent

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"strings"
	"sync"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

func pictureOf(t *testing.T, width int) model.Image {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 10))); err != nil {
		t.Fatal(err)
	}
	i, err := model.ReadImage(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// looking keeps what a model is asked, and says in its body what a provider would have sent.
type looking struct {
	model.Provider
	mu  sync.Mutex
	got []model.Request
}

func (l *looking) Chat(ctx context.Context, name string, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	l.mu.Lock()
	l.got = append(l.got, req)
	l.mu.Unlock()
	reply, err := l.Provider.Chat(ctx, name, req, onDelta)
	reply.Body = []byte(`{"sent":"`)
	for _, m := range req.Messages {
		for _, i := range m.Images {
			reply.Body = append(reply.Body, base64.StdEncoding.EncodeToString(i.Data)...)
		}
	}
	return reply, err
}

// TestPictureGoesToTheModel: the task's picture stands in the first message of each request, a later one in its own, as they
// were given; requests only grow at their end; and the record names pictures where it kept their bytes.
func TestPictureGoesToTheModel(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	one, two := pictureOf(t, 20), pictureOf(t, 30)
	m := script(t, say("read_file", args{"path": "calc.py"}), fix, done)
	l := &looking{Provider: m.Provider}
	m.Provider = l
	var r *Run
	said := false
	f.o.OnPhase = func(_, text string) {
		if text == "Reading" && !said {
			said = true
			if err := r.Say(context.Background(), "like here", two); err != nil {
				t.Error(err)
			}
		}
	}
	r = start(t, f, m, Task{Images: []model.Image{one}})
	work(t, r, session.Review)
	if !said || len(l.got) < 3 {
		t.Fatalf("said %v in %d requests", said, len(l.got))
	}
	for n, req := range l.got {
		if i := req.Messages[0].Images; len(i) != 1 || !bytes.Equal(i[0].Data, one.Data) {
			t.Errorf("request %d: the task has %d pictures", n, len(i))
		}
		later := 0
		for _, m := range req.Messages[1:] {
			for _, i := range m.Images {
				if later++; !bytes.Equal(i.Data, two.Data) || !strings.Contains(m.Text, "like here") {
					t.Errorf("request %d: a picture beside %q", n, m.Text)
				}
			}
		}
		if want := min(n, 1); later != want {
			t.Errorf("request %d has %d later pictures, want %d", n, later, want)
		}
		if n == 0 {
			continue
		}
		before, now := asJSON(t, l.got[n-1].Messages), asJSON(t, req.Messages)
		if !strings.HasPrefix(now, strings.TrimSuffix(before, "]")) {
			t.Errorf("request %d does not begin as the one before it:\n%s\n%s", n, before, now)
		}
	}
	for _, d := range all[session.ModelReplied](t, r) {
		body, err := f.o.Store.Body(t.Context(), d.Body)
		if err != nil || bytes.Contains(body, []byte(base64.StdEncoding.EncodeToString(one.Data))) || !bytes.Contains(body, []byte("sha256:"+one.Hash)) {
			t.Errorf("kept %q, %v", body, err)
		}
	}
	messages, err := Conversation(eventsOf(t, r))
	if err != nil || len(messages[0].Images) != 1 || messages[0].Images[0].Hash != one.Hash {
		t.Errorf("the record gives %+v, %v", messages[0].Images, err)
	}
	if err := f.o.Store.Verify(t.Context(), r.ID()); err != nil {
		t.Error(err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestPicturesStayInView: what stands for old turns is text, so that their pictures go to the first message.
func TestPicturesStayInView(t *testing.T) {
	t.Parallel()
	one, two, three := model.Image{Hash: "1"}, model.Image{Hash: "2"}, model.Image{Hash: "3"}
	got := rebuild(record(t,
		session.Started{}, session.Message{Images: []model.Image{one}},
		session.ModelRequested{Added: []string{"first"}, Images: []model.Image{one}}, reply(1, "a"),
		session.ModelRequested{Added: []string{"second"}, Images: []model.Image{two}}, reply(2, "b"),
		session.ModelRequested{Added: []string{"third"}, Images: []model.Image{three}}, reply(3, "c"),
		session.Compacted{Text: "standing", Kept: 1},
	))
	var hashes []string
	for _, i := range got[0].Images {
		hashes = append(hashes, i.Hash)
	}
	if strings.Join(hashes, "") != "123" || len(got) != 2 || len(got[1].Images) != 0 {
		t.Errorf("%d messages, the first with pictures %q", len(got), hashes)
	}
}

// TestPicturesAreRefused: a model that takes none gets none, at the start, within a session and when it is to go on with one;
// nothing is recorded then. One of which nothing is known gets them.
func TestPicturesAreRefused(t *testing.T) {
	t.Parallel()
	f := folder(t, calc())
	blind, unknown := script(t, done), script(t, done)
	blind.Images = model.No
	refused := func(what string, err error) {
		t.Helper()
		var e *model.Error
		if !errors.As(err, &e) || e.Code != model.Invalid || !strings.Contains(e.Message, "takes no pictures; say in words") {
			t.Errorf("%s: %v", what, err)
		}
	}
	picture := pictureOf(t, 20)
	f.o.Model = blind
	_, err := New(t.Context(), f.o, Task{Text: "it is broken", Images: []model.Image{picture}})
	refused("a task", err)
	if list, err := f.o.Store.List(t.Context(), "", 10); err != nil || len(list) > 0 {
		t.Errorf("%d sessions begun, %v", len(list), err)
	}
	r := start(t, f, blind, Task{})
	refused("a message", r.Say(t.Context(), "look", picture))
	if n := len(all[session.Message](t, r)); n != 1 {
		t.Errorf("%d messages recorded", n)
	}
	r = start(t, f, unknown, Task{Images: []model.Image{picture}})
	refused("another model", r.ChooseModel(t.Context(), blind))
	large := picture
	large.Size = model.MaxImageBytes
	if err := r.Say(t.Context(), "look", large); err == nil || !strings.Contains(err.Error(), "20 MB in all") {
		t.Errorf("more bytes than a request takes: %v", err)
	}
}

// TestPictureGoesWithARejection: what a comment on the patch shows goes to the model beside its words, once, and is kept.
func TestPictureGoesWithARejection(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	shown := pictureOf(t, 25)
	for name, reject := range map[string]func(*Run, string, ...model.Image) error{
		"whole": func(r *Run, comment string, images ...model.Image) error {
			return r.Reject(t.Context(), comment, images...)
		},
		"by place": func(r *Run, comment string, images ...model.Image) error {
			c := Choice{PatchHash: r.log.State().PatchHash, Images: images}
			if comment != "" {
				c.Notes = []LineNote{{"calc.py", 2, comment}}
			}
			return r.SendBack(t.Context(), c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := script(t, fix, done, comment, done)
			l := &looking{Provider: m.Provider}
			m.Provider = l
			r := start(t, folder(t, calc()), m, Task{})
			work(t, r, session.Review)
			before := len(l.got)
			if err := reject(r, "", shown); !errors.Is(err, ErrState) {
				t.Fatalf("a picture without a word: %v", err)
			}
			if err := reject(r, "it looks like this", shown); err != nil {
				t.Fatal(err)
			}
			work(t, r, session.Review)
			for n, req := range l.got {
				var at []string
				for _, m := range req.Messages {
					for _, i := range m.Images {
						if bytes.Equal(i.Data, shown.Data) {
							at = append(at, m.Text)
						}
					}
				}
				if want := map[bool]int{true: 1}[n >= before]; len(at) != want || want == 1 && !strings.Contains(at[0], "it looks like this") {
					t.Errorf("request %d of %d shows it beside %q", n, len(l.got), at)
				}
			}
			if d := all[session.ReviewAnswered](t, r)[0]; len(d.Images) != 1 || d.Images[0].Hash != shown.Hash {
				t.Errorf("the record has %+v", d)
			}
			if got, err := r.o.Store.Body(t.Context(), shown.Hash); err != nil || !bytes.Equal(got, shown.Data) {
				t.Errorf("its bytes: %d, %v", len(got), err)
			}
		})
	}
}

// TestRejectionWithAPictureThatTheModelCannotSee is refused before anything is recorded: the patch waits on.
func TestRejectionWithAPictureThatTheModelCannotSee(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	m := script(t, fix, done)
	m.Info.Images = model.No
	r := start(t, folder(t, calc()), m, Task{})
	work(t, r, session.Review)
	if err := r.Reject(t.Context(), "like this", pictureOf(t, 25)); err == nil || !strings.Contains(err.Error(), "takes no pictures") {
		t.Fatalf("a picture to a model that takes none: %v", err)
	}
	if st := r.log.State(); st.Outcome != session.Review || len(all[session.ReviewAnswered](t, r)) != 0 {
		t.Errorf("the session is %s", st.Outcome)
	}
}
