package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/repo"
	"redgreen/backend/session"
)

// Retention says which saved sessions are deleted by themselves, at the start; zero values keep all. Pinned sessions and
// those that wait for a decision are never among them.
type Retention struct {
	Days      int `json:"days"`      // since a session's last event
	Megabytes int `json:"megabytes"` // of all sessions on disk, in 2^20 bytes
}

// kept is what the store is to keep. A number past what a duration or size can hold means the largest: wrapped around, it
// would be a small one and delete nearly all.
func (r Retention) kept() session.Retention {
	const day = 24 * time.Hour
	return session.Retention{Age: time.Duration(min(max(r.Days, 0), int(math.MaxInt64/day))) * day, Bytes: int64(min(max(r.Megabytes, 0), math.MaxInt64>>20)) << 20}
}

// prune deletes what the settings keep no longer.
func (c *core) prune(ctx context.Context) error {
	r := c.current().Retention
	if r == (Retention{}) {
		return nil
	}
	store, err := c.sessions()
	if err != nil {
		return err
	}
	deleted, err := c.pruneStore(ctx, store, r.kept())
	if len(deleted) > 0 {
		c.log.Info("deleted old sessions", slog.Int("number", len(deleted)))
	}
	return err
}

// atWork reports whether a process works on a session.
func (c *core) atWork(s session.State) bool { return c.owner(s.ID) != nil }

// deleteSession deletes a session that nothing works on.
func (c *core) deleteSession(ctx context.Context, id string) error {
	store, err := c.sessions()
	if err != nil {
		return err
	}
	state, err := store.State(ctx, id)
	if err != nil {
		return err
	}
	release, err := c.ownSession(state.ID)
	if err != nil {
		return err
	}
	defer release()
	if err := c.dropBeside(ctx, store, state); err != nil {
		return err
	}
	return store.Delete(ctx, id)
}

// pruneStore deletes old sessions that nothing works on, with all that is kept of them.
func (c *core) pruneStore(ctx context.Context, store *session.Store, r session.Retention) (deleted []string, err error) {
	var failed error
	deleted, err = store.Prune(ctx, r, func(s session.State) bool {
		if c.atWork(s) {
			return true
		}
		err := c.dropBeside(ctx, store, s)
		failed = errors.Join(failed, err)
		return err != nil // it stays whole
	})
	return deleted, errors.Join(failed, err)
}

// dropBeside removes what is kept of a session outside of the store: the review's marks, and the records of its writes with
// the contents that were kept for them.
func (c *core) dropBeside(ctx context.Context, store *session.Store, s session.State) error {
	if err := c.dropReview(s.ID); err != nil {
		return err
	}
	if s.Source != "" {
		return nil // imported: it wrote nothing here
	}
	events, err := store.Events(ctx, s.ID, 0, 0)
	if err != nil {
		return err
	}
	var ids []string
	var patches []patch.Patch
	for _, e := range events {
		switch e.Kind {
		case session.KindForked: // what was before is its parent's
			ids, patches = nil, nil
		case session.KindPatchChanged:
			var d session.PatchChanged
			if json.Unmarshal(e.Data, &d) == nil {
				patches = append(patches, d.Patch)
			}
		case session.KindPatchApplied, session.KindPatchUndone:
			var d session.PatchApplied
			var rc repo.Receipt
			if json.Unmarshal(e.Data, &d) == nil && json.Unmarshal(d.Receipt, &rc) == nil {
				ids = append(ids, rc.ID)
			}
		}
	}
	return repo.Forget(c.paths.undo(), s.Folder, ids, patches)
}

// RenameSession gives a session a name that stands for its task in lists; "" takes it back.
func (a *App) RenameSession(id, name string) error {
	return a.h.act(func() error {
		store, err := a.h.core.sessions()
		if err != nil {
			return err
		}
		return store.Rename(a.h.context, id, name)
	})
}

// PinSession keeps a session at the head of the list and from being deleted by itself, or lets it go again.
func (a *App) PinSession(id string, on bool) error {
	return a.h.act(func() error {
		store, err := a.h.core.sessions()
		if err != nil {
			return err
		}
		return store.Pin(a.h.context, id, on)
	})
}

// DeleteSession deletes a session that nothing works on, for good; what it wrote into the folder stays, and can no longer be
// undone by Redgreen.
func (a *App) DeleteSession(id string) error {
	return a.h.act(func() error {
		if err := a.h.runs.forget(id); err != nil {
			return err
		}
		return a.h.core.deleteSession(a.h.context, id)
	})
}

// ForkSession begins a new session with what another holds up to and including an event, and lets it work from there with a
// message of the person ("" none). It gives the new session's id. What cannot begin leaves no session behind: the person sends it
// again.
func (a *App) ForkSession(id string, seq int64, text string, pictures [][]byte) (string, error) {
	return guard(a.h, func() (string, error) {
		text = strings.TrimSpace(text)
		images, err := readImages(pictures)
		if err != nil {
			return "", err
		}
		if text == "" && len(images) > 0 {
			return "", fail(Invalid, "pictures go with a message, and it is empty; say what they show")
		}
		fork, err := a.h.core.fork(a.h.context, id, seq)
		if err != nil {
			return "", err
		}
		err = a.h.runs.with(a.h.context, fork, func(l *live) error {
			if text != "" {
				if err := l.run.Say(a.h.context, text, images...); err != nil {
					return err
				}
			}
			return a.h.runs.work(l)
		})
		if err != nil {
			return "", errors.Join(err, a.h.core.deleteSession(context.WithoutCancel(a.h.context), fork))
		}
		return fork, nil
	})
}

// fork checks that the folder is still there before anything is made.
func (c *core) fork(ctx context.Context, id string, seq int64) (string, error) {
	store, err := c.sessions()
	if err != nil {
		return "", err
	}
	state, err := store.State(ctx, id)
	if err != nil {
		return "", err
	}
	if state.Source != "" {
		return "", fail(Conflict, fmt.Sprintf("this session was imported from %s and cannot go on here; start a new task with its text instead", state.Source))
	}
	if _, err := c.open(state.Folder); err != nil {
		return "", err
	}
	l, err := store.Fork(ctx, id, seq)
	if err != nil {
		return "", fail(Invalid, err.Error())
	}
	return l.ID(), nil
}

// CompareSessions lines up the steps of two sessions by what they did.
func (a *App) CompareSessions(id, other string) ([]session.Pair, error) {
	return guard(a.h, func() ([]session.Pair, error) { return a.h.core.compare(a.h.context, id, other) })
}

func (c *core) compare(ctx context.Context, id, other string) ([]session.Pair, error) {
	store, err := c.sessions()
	if err != nil {
		return nil, err
	}
	one, err := findEvents(ctx, store, id)
	if err != nil {
		return nil, err
	}
	two, err := findEvents(ctx, store, other)
	if err != nil {
		return nil, err
	}
	return append([]session.Pair{}, session.Compare(one, two)...), nil
}

// Why finds the step that made a changed line of a session's patch. line is a line number of the patched file or, with
// removed, of the file before.
func (a *App) Why(id, path string, line int, removed bool) (session.Origin, error) {
	return guard(a.h, func() (session.Origin, error) { return a.h.core.why(a.h.context, id, path, line, removed) })
}

func (c *core) why(ctx context.Context, id, path string, line int, removed bool) (session.Origin, error) {
	store, err := c.sessions()
	if err != nil {
		return session.Origin{}, err
	}
	events, err := findEvents(ctx, store, id)
	if err != nil {
		return session.Origin{}, err
	}
	o, ok := session.Why(events, path, line, removed)
	if !ok {
		return o, fail(NotFound, fmt.Sprintf("the patch of this session does not change %s:%d; give a changed line, by its number in the patched file", path, line))
	}
	return o, nil
}

// SessionHits gives the first events of a session that hold words of a query.
func (a *App) SessionHits(id, query string) ([]session.Hit, error) {
	return guard(a.h, func() ([]session.Hit, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return nil, err
		}
		hits, err := store.Hits(a.h.context, id, query, 20)
		return append([]session.Hit{}, hits...), err
	})
}
