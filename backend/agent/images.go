package agent

import (
	"context"
	"fmt"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// fitsImages refuses pictures, those of a session so far and new ones, before anything is recorded or sent: a model that is
// known to take none, or more bytes than a provider takes in one request. Where nothing is known of the model, the
// provider decides.
func fitsImages(m model.Info, events []entry, more []model.Image) error {
	all := more
	for _, e := range events {
		all = append(all[:len(all):len(all)], givenWith(e)...)
	}
	if len(all) == 0 {
		return nil
	}
	if err := m.RefuseImages(); err != nil {
		return err
	}
	size := 0
	for _, i := range all {
		size += i.Size
	}
	if size > model.MaxImageBytes {
		return &model.Error{Code: model.Invalid, Provider: m.Provider, Message: fmt.Sprintf(
			"the pictures of this session would have %d MB in all, and a request takes at most %d MB of them; make them smaller, or leave some out", size>>20, model.MaxImageBytes>>20)}
	}
	return nil
}

// givenWith are the pictures that the person gave with a message, or with a comment on the patch.
func givenWith(e entry) []model.Image {
	switch d := e.data.(type) {
	case session.Message:
		return d.Images
	case session.ReviewAnswered:
		return d.Images
	}
	return nil
}

// keepImages hands the pictures to the store, which writes them with the event that names them.
func (r *Run) keepImages(images []model.Image) []model.Image {
	for _, i := range images {
		r.o.Store.PutImage(i.Data)
	}
	return images
}

// unseen are the pictures that the person gave since the model's last request; pure.
func unseen(events []entry) (out []model.Image) {
	for _, e := range events {
		if e.Kind == session.KindModelRequested {
			out = nil
		}
		out = append(out, givenWith(e)...)
	}
	return out
}

// loadImages fills in the pictures' bytes, which the record keeps apart.
func (r *Run) loadImages(ctx context.Context, messages []model.Message) error {
	for m := range messages {
		for i := range messages[m].Images {
			one := &messages[m].Images[i]
			data, err := r.o.Store.Body(ctx, one.Hash)
			if err != nil {
				return fmt.Errorf("reading a picture of the session: %w", err)
			}
			one.Data = data
		}
	}
	return nil
}
