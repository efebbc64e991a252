package app

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/session"
)

// TestRecentKnowsTheTerminal: a folder of a saved session is recent too, once, at its latest time.
func TestRecentKnowsTheTerminal(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	store, err := c.sessions()
	if err != nil {
		t.Fatal(err)
	}
	sample, err := c.sample(false)
	if err != nil {
		t.Fatal(err)
	}
	here := t.TempDir()
	if _, err := c.change(func(s Settings) Settings {
		return s.opened("/gone/a", time.Unix(1, 0)).opened("/gone/b", time.Unix(2, 0))
	}); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"/gone/a", here, sample.Path} {
		if _, err := store.Create(t.Context(), session.Started{Folder: folder, Task: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Insert(t.Context(), []session.Event{{Seq: 1, Kind: session.KindStarted, Time: time.Now(), Data: []byte(`{"folder":"/elsewhere","task":"x"}`)}}, "a file"); err != nil {
		t.Fatal(err)
	}
	got, err := c.recent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, r := range got {
		paths = append(paths, r.Path)
		if r.Exists != (r.Path == here) {
			t.Errorf("%s exists: %v", r.Path, r.Exists)
		}
	}
	if d := cmp.Diff([]string{here, "/gone/a", "/gone/b"}, paths); d != "" {
		t.Error(d)
	}
}
