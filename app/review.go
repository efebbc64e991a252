package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"redgreen/backend/agent"
	"redgreen/backend/patch"
)

// Review is how far a person came with a patch, kept over restarts: it is about one patch, and of no other.
type Review struct {
	PatchHash string           `json:"patch_hash"` // "" nothing is kept
	Viewed    []string         `json:"viewed"`     // files that were looked at
	Drop      []agent.HunkAt   `json:"drop"`
	Edits     []agent.OwnText  `json:"edits"`
	Notes     []agent.LineNote `json:"notes"`
}

// reviewMost is the largest state of a review that is kept, in bytes: a person's edits of a few long files.
const reviewMost = 8 << 20

// Review gives the kept state of a session's review; an empty one where there is none.
func (a *App) Review(id string) (Review, error) {
	return guard(a.h, func() (Review, error) { return a.h.core.review(id) })
}

// SaveReview keeps the state of a session's review.
func (a *App) SaveReview(id string, v Review) error {
	return a.h.act(func() error { return a.h.core.saveReview(a.h.context, id, v) })
}

func (c *core) reviewFile(id string) string {
	return filepath.Join(c.paths.reviews(), patch.Hash([]byte(id))[:32]+".json") // an id from the page is no path
}

func (c *core) review(id string) (Review, error) {
	empty := Review{Viewed: []string{}, Drop: []agent.HunkAt{}, Edits: []agent.OwnText{}, Notes: []agent.LineNote{}}
	data, err := os.ReadFile(c.reviewFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("reading the state of the review: %w", err)
	}
	out := empty
	if json.Unmarshal(data, &out) != nil { // half written, or of another version: the review begins anew
		return empty, nil
	}
	return out, nil
}

func (c *core) saveReview(ctx context.Context, id string, v Review) error {
	store, err := c.sessions()
	if err != nil {
		return err
	}
	if _, err := store.State(ctx, id); err != nil {
		return err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keeping the state of the review: %w", err)
	}
	if len(data) > reviewMost {
		return fail(Limit, "the edits of this review are too long to be kept over a restart; prove the choice, or send it back")
	}
	if err := os.MkdirAll(c.paths.reviews(), 0o700); err != nil {
		return fmt.Errorf("keeping the state of the review: %w", err)
	}
	if err := replaceFile(c.reviewFile(id), data); err != nil {
		return fmt.Errorf("keeping the state of the review: %w", err)
	}
	return nil
}

// dropReview forgets the review of a session that is deleted.
func (c *core) dropReview(id string) error {
	if err := os.Remove(c.reviewFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting the state of the review: %w", err)
	}
	return nil
}
