package app

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/agent"
)

func TestReviewIsKept(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	id := saved(t, c)
	h, err := newHost(c, "browser", func(string, any) {}, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	a := &App{h: h}
	if v, err := a.Review(id); err != nil || v.PatchHash != "" || v.Viewed == nil {
		t.Fatalf("before anything: %+v, %v", v, err)
	}
	want := Review{PatchHash: "p", Viewed: []string{"a.py"}, Drop: []agent.HunkAt{{Path: "a.py", Hunk: 1}}, Edits: []agent.OwnText{{Path: "b.py", Text: "x\n"}}, Notes: []agent.LineNote{{Path: "a.py", Line: 3, Text: "why?"}}}
	if err := a.SaveReview(id, want); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Review(id); err != nil || !cmp.Equal(got, want) {
		t.Fatalf("%v\n%s", err, cmp.Diff(want, got))
	}
	if err := a.SaveReview("../../nowhere", want); err == nil {
		t.Fatal("kept the review of a session that is not there")
	}
	if err := os.WriteFile(c.reviewFile(id), []byte(`{"patch_hash":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err := a.Review(id); err != nil || v.PatchHash != "" {
		t.Fatalf("half written: %+v, %v", v, err)
	}
	if err := a.DeleteSession(id); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.reviewFile(id)); err == nil {
		t.Fatal("the review of a deleted session is still there")
	}
}
