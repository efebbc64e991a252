package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
)

func find(t *testing.T, s *Store, f Filter) string {
	t.Helper()
	states, total, err := s.Find(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, st := range states {
		ids = append(ids, st.ID)
	}
	return fmt.Sprintf("%s/%d", strings.Join(ids, " "), total)
}

func TestFullText(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	a := create(t, s, Started{Folder: "/home/a/shop", Task: "Rechnung ist falsch", Model: model.Info{Provider: "ollama", Name: "q"}})
	add(t, a, KindModelReplied, ModelReplied{Message: model.Message{Text: "The tax is rounded twice.", Calls: []model.Call{{Name: "search_code", Args: `{"query":"round\nhalf_even"}`}}}})
	add(t, a, KindToolFinished, ToolFinished{Tool: "read_file", Summary: "lines 1 to 3", Text: "def render_invoice(order):\n\treturn HTTPServer"})
	b := create(t, s, Started{Folder: "/home/b", Task: "cursor jumps"})
	add(t, b, KindBaseline, TestsFinished{Run: Run{Failed: 1, Tests: []Test{{ID: "tests/test_cursor.py::test_home", Status: "failed", Message: "assert 3 == 4"}, {ID: "green", Status: "passed"}}}})
	add(t, b, KindPatchChanged, PatchChanged{Patch: samplePatch, Hash: "p"})
	for _, c := range []struct{ query, want string }{
		{"tax", "s1/1"},
		{"TAX rounded", "s1/1"},
		{"rounded shop", "s1/1"}, // one in a reply, one in the folder
		{"render_inv", "s1/1"},
		{"invoice", "s1/1"},
		{"httpserver", "s1/1"},
		{"half_even", "s1/1"},
		{`"rounded twice"`, "s1/1"},
		{`"twice rounded"`, "/0"},
		{"test_home", "s2/1"},
		{"green", "/0"},
		{"a.py", "s2/1"},
		{"jumps -cursor", "/0"},
		{"-cursor", "s1/1"},
		{"3 == 4", "s2/1"},
		{"ördér", "s1/1"}, // with or without its marks
		{"nowhere", "/0"},
		{`"`, "s2 s1/2"},
		{`""  -`, "s2 s1/2"}, // no word
		{"tax*", "s1/1"},
		{"a OR b NEAR/2 (", "/0"},
		{"\x00", "s2 s1/2"},
	} {
		if got := find(t, s, Filter{Query: c.query}); got != c.want {
			t.Errorf("%q finds %s, want %s", c.query, got, c.want)
		}
	}
	hits, err := s.Hits(t.Context(), "s1", "tax invoice", 5)
	if err != nil {
		t.Fatal(err)
	}
	want := []Hit{{"s1", 2, KindModelReplied, "The «tax» is rounded twice. round half_even"}, {"s1", 3, KindToolFinished, "lines 1 to 3 def render_«invoice»(order): return HTTPServer"}}
	if d := cmp.Diff(want, hits); d != "" {
		t.Error(d)
	}
	for _, q := range []string{"", "-x", "…", `"`} {
		if hits, err := s.Hits(t.Context(), "s1", q, 5); err != nil || len(hits) > 0 {
			t.Errorf("%q: %v, %v", q, hits, err)
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	for i, m := range []string{"q", "q", "c"} {
		l := create(t, s, Started{Folder: "/f", Task: fmt.Sprint("task ", i), Model: model.Info{Provider: "p", Name: m}})
		if i == 1 {
			tell(t, l)
		}
	}
	if err := s.Pin(t.Context(), "s1", true); err != nil {
		t.Fatal(err)
	}
	if err := s.Rename(t.Context(), "s3", "  Tax \n of May "); err != nil {
		t.Fatal(err)
	}
	third, err := s.State(t.Context(), "s3")
	if err != nil || third.Name != "Tax of May" {
		t.Fatalf("named %q, %v", third.Name, err)
	}
	for _, c := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "s1 s3 s2/3"},
		{Filter{Pinned: true}, "s1/1"},
		{Filter{Outcome: Proven}, "s2/1"},
		{Filter{Model: "p/q"}, "s1 s2/2"},
		{Filter{Query: "of may"}, "s3/1"},
		{Filter{Since: third.Created}, "s3/1"},
		{Filter{Until: third.Created}, "s1 s2/2"},
		{Filter{Limit: 1, Offset: 1}, "s3/3"},
	} {
		if got := find(t, s, c.f); got != c.want {
			t.Errorf("%+v finds %s, want %s", c.f, got, c.want)
		}
	}
	folders, models, err := s.Choices(t.Context())
	if err != nil || !slices.Equal(folders, []string{"/f"}) || !slices.Equal(models, []model.Info{{Provider: "p", Name: "c"}, {Provider: "p", Name: "q"}}) {
		t.Errorf("to choose from: %v, %+v, %v", folders, models, err)
	}
	if err := s.Rename(t.Context(), "nobody", "x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("renaming nothing: %v", err)
	}
	if err := s.Rename(t.Context(), "s1", strings.Repeat("x", 301)); err == nil {
		t.Error("a name of 301 bytes was taken")
	}
}

// fileBytes is everything that the store has on disk.
func fileBytes(t *testing.T, s *Store) []byte {
	t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal", "-shm"} {
		data, err := os.ReadFile(s.path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	return all
}

func TestDeletedIsGone(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	only, err := s.PutBody(t.Context(), []byte("a body of the first alone"))
	if err != nil {
		t.Fatal(err)
	}
	both, err := s.PutBody(t.Context(), []byte("a body of two"))
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 64<<10) // which no compression changes: it stands in the file as it is
	rand.NewChaCha8([32]byte{8}).Read(noise)
	random, err := s.PutBody(t.Context(), noise)
	if err != nil {
		t.Fatal(err)
	}
	a := create(t, s, Started{Task: "Xylophon", Folder: "/f"})
	for range 200 { // many pages, and segments of the full-text search
		add(t, a, KindMessage, Message{Text: "Zebrafink " + strings.Repeat("sings ", 50)})
	}
	add(t, a, KindModelRequested, ModelRequested{Body: only})
	add(t, a, KindModelRequested, ModelRequested{Body: random})
	add(t, a, KindModelRequested, ModelRequested{Body: both})
	b := create(t, s, Started{Task: "stays"})
	add(t, b, KindModelRequested, ModelRequested{Body: both})
	if got := find(t, s, Filter{Query: "zebrafink"}); got != "s1/1" {
		t.Fatal(got)
	}
	pieces := func() (n int) {
		raw := fileBytes(t, s)
		for at := 0; at+32 <= len(noise); at += 1024 {
			if bytes.Contains(raw, noise[at:at+32]) {
				n++
			}
		}
		return n
	}
	if n := pieces(); n < 60 {
		t.Fatalf("only %d pieces of the body are found in the file while it is there", n)
	}
	if err := s.Delete(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if n := pieces(); n > 0 {
		t.Errorf("%d pieces of the deleted body are still in the file", n)
	}
	if got := find(t, s, Filter{}); got != "s2/1" {
		t.Error(got)
	}
	raw := bytes.ToLower(fileBytes(t, s))
	for _, word := range []string{"xylophon", "zebrafink"} {
		if bytes.Contains(raw, []byte(word)) {
			t.Errorf("%q is still in the file", word)
		}
	}
	if _, err := s.Body(t.Context(), only); !errors.Is(err, ErrNotFound) {
		t.Errorf("its own body: %v", err)
	}
	if _, err := s.Body(t.Context(), both); err != nil {
		t.Errorf("the shared body: %v", err)
	}
	if err := s.Delete(t.Context(), "s1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleting twice: %v", err)
	}
	if _, err := s.Log(t.Context(), "s1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("its log: %v", err)
	}
	if _, err := a.Append(t.Context(), KindMessage, Message{Text: "late"}); err == nil {
		t.Error("a deleted session took an event")
	}
	if err := s.Verify(t.Context(), "s2"); err != nil {
		t.Error(err)
	}
}

// The space of what is deleted is given back, also while another process has the store open.
func TestDeletedGivesItsSpaceBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	s, other := openAt(t, path), openAt(t, path)
	noise := rand.NewChaCha8([32]byte{9})
	for range 3 {
		l := create(t, s, Started{Task: "large"})
		for range 20 {
			data := make([]byte, 100<<10)
			noise.Read(data)
			hash, err := s.PutBody(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			add(t, l, KindModelRequested, ModelRequested{Body: hash})
		}
		add(t, l, KindSessionFinished, Finished{Outcome: Proven, Certificate: json.RawMessage("null")})
	}
	if got := find(t, other, Filter{}); got != "s3 s2 s1/3" {
		t.Fatal(got)
	}
	size := func() int64 {
		var sum int64
		for _, name := range []string{path, path + "-wal"} {
			if info, err := os.Stat(name); err == nil {
				sum += info.Size()
			}
		}
		return sum
	}
	if deleted, err := s.Prune(t.Context(), Retention{Bytes: 3 << 20}, nil); err != nil || fmt.Sprint(deleted) != "[s1 s2]" {
		t.Fatal(deleted, err)
	}
	if n := size(); n > 3<<20 {
		t.Errorf("%d bytes on disk after the pruning", n)
	}
	if err := s.Delete(t.Context(), "s3"); err != nil {
		t.Fatal(err)
	}
	if n := size(); n > 200<<10 {
		t.Errorf("%d bytes on disk with nothing in it", n)
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	fill := func(t *testing.T) *Store {
		s := openTemp(t)
		for i := range 6 {
			l := create(t, s, Started{Task: fmt.Sprint(i)})
			add(t, l, KindMessage, Message{Text: fmt.Sprint(i, strings.Repeat(" some words of text", 8000))})
			if i == 1 {
				add(t, l, KindReviewAsked, ReviewAsked{})
				continue
			}
			add(t, l, KindSessionFinished, Finished{Outcome: Proven, Certificate: json.RawMessage("null")})
		}
		if err := s.Pin(t.Context(), "s3", true); err != nil {
			t.Fatal(err)
		}
		return s
	}
	fourth := func(st State) bool { return st.ID == "s4" }
	for name, c := range map[string]struct {
		r    Retention
		want string
	}{
		"all is kept":       {Retention{}, "s3 s6 s5 s4 s2 s1/6"},
		"nothing is so old": {Retention{Age: time.Hour}, "s3 s6 s5 s4 s2 s1/6"},
		"age":               {Retention{Age: 7 * time.Second}, "s3 s6 s5 s4 s2/5"},
		"size":              {Retention{Bytes: 1 << 10}, "s3 s4 s2/3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fill(t)
			if _, err := s.Prune(t.Context(), c.r, fourth); err != nil {
				t.Fatal(err)
			}
			if got := find(t, s, Filter{}); got != c.want {
				t.Errorf("left %s, want %s", got, c.want)
			}
		})
	}
	t.Run("only as much as is asked", func(t *testing.T) {
		t.Parallel()
		s := fill(t)
		size, err := s.size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		deleted, err := s.Prune(t.Context(), Retention{Bytes: size - 1}, nil)
		if err != nil || fmt.Sprint(deleted) != "[s1]" {
			t.Errorf("deleted %v, %v; want the oldest alone", deleted, err)
		}
	})
}

func TestForkIsASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	a := create(t, s, Started{Task: "t", Folder: "/f"})
	tell(t, a)
	whole, err := s.Events(t.Context(), a.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Fork(t.Context(), a.ID(), 11)
	if err != nil {
		t.Fatal(err)
	}
	add(t, f, KindMessage, Message{Text: "another way"})
	events, err := s.Events(t.Context(), f.ID(), 0, 0)
	if err != nil || len(events) != 13 || events[11].Kind != KindForked || string(events[11].Data) != `{"from":"s1","seq":11}` {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, e := range events[:11] {
		e.Session = a.ID()
		if d := cmp.Diff(whole[i], e); d != "" {
			t.Error(d)
		}
	}
	st, err := s.State(t.Context(), f.ID())
	if err != nil || st.Parent != a.ID() || st.Outcome != Running || st.PatchHash != "p1" || st.Seq != 13 {
		t.Errorf("state %+v, %v", st, err)
	}
	for _, id := range []string{a.ID(), f.ID()} {
		if err := s.Verify(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	late, err := s.Fork(t.Context(), a.ID(), 17)
	if err != nil || late.State().Applied || late.State().Receipt != nil {
		t.Errorf("a fork has written nothing itself: %+v, %v", late.State(), err)
	}
	for _, seq := range []int64{0, -1, 18} {
		if _, err := s.Fork(t.Context(), a.ID(), seq); err == nil {
			t.Errorf("forked at %d", seq)
		}
	}
	if _, err := s.Fork(t.Context(), "nobody", 1); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), a.ID()); err != nil { // the fork does not need it
		t.Fatal(err)
	}
	if err := s.Verify(t.Context(), f.ID()); err != nil {
		t.Error(err)
	}
}

func TestImportedIsReadOnly(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	a := create(t, s, Started{Task: "t", Folder: "/f"})
	tell(t, a)
	events, err := s.Events(t.Context(), a.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.Insert(t.Context(), events, "another machine")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context(), id); err != nil {
		t.Error(err)
	}
	if _, err := s.Log(t.Context(), id); !errors.Is(err, ErrImported) {
		t.Errorf("appending to it: %v", err)
	}
	st, err := s.State(t.Context(), id)
	if err != nil || st.Source != "another machine" || st.Outcome != Proven {
		t.Errorf("%+v, %v", st, err)
	}
	if got := find(t, s, Filter{Query: "quick"}); got != "s2 s1/2" {
		t.Error(got)
	}
	if _, err := s.Insert(t.Context(), events[1:], "x"); err == nil {
		t.Error("a session without its beginning was taken")
	}
	if got := find(t, s, Filter{}); got != "s2 s1/2" {
		t.Errorf("a refused import left something: %s", got)
	}
}

// TestOlderFileOpens brings a file of the first version up to date: what was stored can be found, and goes with its bodies.
func TestOlderFileOpens(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "old.db")
	s := openAt(t, path)
	l := create(t, s, Started{Task: "t", Folder: "/f"})
	tell(t, l)
	body, err := s.PutBody(t.Context(), []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, KindModelRequested, ModelRequested{Body: body})
	for _, q := range []string{"DROP TABLE found", "DROP TABLE texts", "DROP TABLE uses", "PRAGMA user_version = 1",
		"ALTER TABLE sessions DROP COLUMN name", "ALTER TABLE sessions DROP COLUMN pinned", "ALTER TABLE sessions DROP COLUMN source", "ALTER TABLE sessions DROP COLUMN parent"} {
		if _, err := s.write.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if got := find(t, s, Filter{Query: "quick"}); got != "s1/1" {
		t.Error(got)
	}
	if err := s.Verify(t.Context(), "s1"); err != nil {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Body(t.Context(), body); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
