package app

import (
	"strings"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/repo"
)

// Written lists the files that were written.
type Written struct {
	Files []string `json:"files"`
	Redo  bool     `json:"redo"` // of Undo: the patch is in the folder again
}

// Approve writes the patch that waits for review into the folder. patchHash is the patch that the person saw.
func (a *App) Approve(id, patchHash string) (w Written, err error) {
	return guard(a.h, func() (Written, error) {
		err := a.h.idle(id, func(l *live) error {
			receipt, err := l.run.Approve(a.h.context, patchHash, "person")
			if err != nil {
				a.h.core.refused(id, err)
				return err
			}
			w = written(receipt)
			return a.h.runs.done(l)
		})
		return w, err
	})
}

// Reject refuses the patch. With a comment, and the pictures that belong to it, the run goes on; without one the session ends.
func (a *App) Reject(id, comment string, pictures [][]byte) error {
	return a.h.act(func() error {
		images, err := readImages(pictures)
		if err != nil {
			return err
		}
		return a.h.idle(id, func(l *live) error {
			comment = strings.TrimSpace(comment)
			if err := l.run.Reject(a.h.context, comment, images...); err != nil {
				return err
			}
			if comment == "" {
				return a.h.runs.done(l)
			}
			return a.h.runs.work(l)
		})
	})
}

// ProveAgain makes the patch that waits for review anew on the folder as it is now, and proves it there; the session goes
// on without the model. A conflict names the lines that you and the patch both changed; nothing is written either way.
func (a *App) ProveAgain(id string) error {
	return a.h.choose(id, func(r *agent.Run) error { return r.ProveAgain(a.h.context) })
}

// Choice is what a person makes of the patch that waits for review, as the page sends it.
type Choice struct {
	PatchHash string           `json:"patch_hash"` // of the patch that the person saw
	Drop      []agent.HunkAt   `json:"drop"`
	Edits     []agent.OwnText  `json:"edits"`
	Comment   string           `json:"comment"`
	Images    [][]byte         `json:"images"` // pictures that belong to the comment
	Notes     []agent.LineNote `json:"notes"`
}

// Choose puts the person's choice in place of the patch that waits for review, and has it proven anew without the model.
func (a *App) Choose(id string, c Choice) error {
	return a.h.choose(id, func(r *agent.Run) error { return r.Choose(a.h.context, c.with(nil)) })
}

// SendBack rejects the patch with comments; the model goes on from the person's choice and is told what they changed.
func (a *App) SendBack(id string, c Choice) error {
	return a.h.choose(id, func(r *agent.Run) error {
		images, err := readImages(c.Images)
		if err != nil {
			return err
		}
		return r.SendBack(a.h.context, c.with(images))
	})
}

// with is the choice as the run takes it.
func (c Choice) with(images []model.Image) agent.Choice {
	return agent.Choice{PatchHash: c.PatchHash, Drop: c.Drop, Edits: c.Edits, Comment: c.Comment, Images: images, Notes: c.Notes}
}

// choose takes a choice and lets the run go on with it.
func (h *host) choose(id string, take func(*agent.Run) error) error {
	return h.act(func() error {
		return h.idle(id, func(l *live) error {
			if err := take(l.run); err != nil {
				return err
			}
			return h.runs.work(l)
		})
	})
}

// Undo takes back what a session wrote, or with redo writes it again; never one in place of the other, whatever another
// window did meanwhile.
func (a *App) Undo(id string, redo bool) (Written, error) {
	return guard(a.h, func() (Written, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return Written{}, err
		}
		if err := a.h.runs.forget(id); err != nil { // it may still have a copy from its work
			return Written{}, err
		}
		receipt, err := a.h.core.undo(a.h.context, store, id, redo, a.h.runs.hooks())
		if err != nil {
			return Written{}, err
		}
		w := written(receipt)
		w.Redo = redo
		return w, nil
	})
}

func written(r repo.Receipt) Written {
	w := Written{Files: []string{}}
	for _, f := range r.Patch.Files {
		w.Files = append(w.Files, f.Path)
	}
	return w
}
