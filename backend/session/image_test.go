package session

import (
	"bytes"
	"errors"
	"testing"

	"redgreen/backend/model"
)

// TestImageIsKeptAsItIs: the bytes of a picture are a body of its session by their own hash, also where they hold what looks
// like a secret or is no text, go with the session, and are missed when they are not there.
func TestImageIsKeptAsItIs(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	l := create(t, s, Started{Folder: "/f", Task: "fix"})
	data := []byte("\x89PNG\r\n\x1a\n\xff\xfe AKIAIOSFODNN7EXAMPLE ghp_0123456789abcdefghijABCDEFGHIJ012345")
	hash := s.PutImage(data)
	add(t, l, KindMessage, Message{Text: "look", Images: []model.Image{{Type: "image/png", Hash: hash, Size: len(data)}}})
	if got, err := s.Body(t.Context(), hash); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%q, %v", got, err)
	}
	if err := s.Verify(t.Context(), l.ID()); err != nil {
		t.Error(err)
	}
	other := create(t, s, Started{Folder: "/f", Task: "another"})
	add(t, other, KindMessage, Message{Text: "look", Images: []model.Image{{Type: "image/png", Hash: "00" + hash[2:]}}})
	if err := s.Verify(t.Context(), other.ID()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a picture that is not there: %v", err)
	}
	rejected := create(t, s, Started{Folder: "/f", Task: "a third"})
	add(t, rejected, KindReviewAnswered, ReviewAnswered{Decision: "reject", By: "person", Comment: "as here", Images: []model.Image{{Type: "image/png", Hash: "11" + hash[2:]}}})
	if err := s.Verify(t.Context(), rejected.ID()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a picture of a comment that is not there: %v", err)
	}
	if err := s.Delete(t.Context(), l.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Body(t.Context(), hash); !errors.Is(err, ErrNotFound) {
		t.Errorf("after its session: %v", err)
	}
}
