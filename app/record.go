package app

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/repo"
	"redgreen/backend/session"
)

// SessionView is a session with what can be done with it now.
type SessionView struct {
	session.State
	Live       bool     `json:"live"`   // this process works on it
	Paused     bool     `json:"paused"` // and holds it, see Pause
	Owner      *Owner   `json:"owner"`  // another one has it; here it can only be followed. null nobody, or this one
	CanApprove bool     `json:"can_approve"`
	CanUndo    bool     `json:"can_undo"`
	CanResume  bool     `json:"can_resume"`
	Stale      []string `json:"stale"` // files that changed in the folder since
	// Scrutiny marks the places of the patch that deserve a second look, whatever the proof says.
	Scrutiny []session.Mark `json:"scrutiny"`
}

// Session gives a session as it is now.
func (a *App) Session(id string) (SessionView, error) {
	return guard(a.h, func() (SessionView, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return SessionView{}, err
		}
		live := a.h.runs.working(id) // before the state: a run that ends in between must not look interrupted
		state, err := store.State(a.h.context, id)
		if err != nil {
			return SessionView{}, err
		}
		v := SessionView{State: state, Live: live, Paused: a.h.runs.paused(id), Stale: []string{}, Scrutiny: agent.Scrutiny(state.Patch)}
		if state.Source != "" {
			return v, nil
		}
		if v.Owner = a.h.core.elsewhere(id); v.Owner != nil {
			return v, nil
		}
		v.CanApprove, v.CanUndo = agent.CanApprove(state), agent.CanUndo(state)
		v.CanResume = agent.CanResume(state) && !v.Live && !(state.Outcome == session.Running && a.h.core.atWork(state))
		if v.CanApprove {
			v.Stale, err = a.h.core.stale(state)
		}
		return v, err
	})
}

// refused notes what changed in a folder where that kept a patch from being written.
func (c *core) refused(id string, err error) {
	var changed *agent.Changed
	if errors.As(err, &changed) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed[id] = changed.Paths
	}
}

// stale lists the files of a patch that are no longer as it was made for, else what else was seen to have changed when it
// was to be written: to look at the whole folder each time would cost too much. A vanished folder makes all stale.
func (c *core) stale(state session.State) ([]string, error) {
	f, err := c.open(state.Folder)
	if errors.Is(err, repo.ErrGone) || errors.Is(err, fs.ErrNotExist) {
		all := []string{}
		for _, file := range state.Patch.Files {
			all = append(all, file.Path)
		}
		return all, nil
	}
	if err != nil {
		return []string{}, err
	}
	paths, err := f.repo.Check(state.Patch)
	if len(paths) == 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		paths = append([]string{}, c.changed[state.ID]...)
	}
	return paths, err
}

// SessionItem is a session in a list.
type SessionItem struct {
	session.State
	Owner       *Owner `json:"owner"`       // the other Redgreen that has it; null nobody, or this one
	Interrupted bool   `json:"interrupted"` // it says that it runs, and nobody has it
}

// SessionPage is one page of the list of sessions, newest first.
type SessionPage struct {
	Sessions []SessionItem `json:"sessions"`
	Total    int           `json:"total"`
}

// SessionQuery narrows the list of sessions; what is left empty narrows nothing. See session.Store.Find for the words.
type SessionQuery struct {
	Folder  string `json:"folder"`
	Query   string `json:"query"`
	Outcome string `json:"outcome"`
	Model   string `json:"model"` // PROVIDER/NAME
	Since   string `json:"since"` // a time in RFC 3339: begun then or later
	Pinned  bool   `json:"pinned"`
	Limit   int    `json:"limit"`
	Offset  int    `json:"offset"`
}

func (q SessionQuery) filter() (session.Filter, error) {
	f := session.Filter{Folder: q.Folder, Query: q.Query, Outcome: session.Outcome(q.Outcome), Model: q.Model, Pinned: q.Pinned, Limit: q.Limit, Offset: max(q.Offset, 0)}
	if f.Limit <= 0 {
		f.Limit = 100
	}
	if q.Since == "" {
		return f, nil
	}
	var err error
	if f.Since, err = time.Parse(time.RFC3339, q.Since); err != nil {
		return f, fail(Invalid, fmt.Sprintf("%q is no time; write it as 2026-11-29T00:00:00Z", q.Since))
	}
	return f, nil
}

// Sessions lists sessions, pinned ones first, then the newest.
func (a *App) Sessions(q SessionQuery) (SessionPage, error) {
	return guard(a.h, func() (SessionPage, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return SessionPage{}, err
		}
		f, err := q.filter()
		if err != nil {
			return SessionPage{}, err
		}
		found, total, err := store.Find(a.h.context, f)
		if err != nil {
			return SessionPage{}, err
		}
		page := SessionPage{Sessions: make([]SessionItem, len(found)), Total: total}
		for i, s := range found {
			page.Sessions[i] = SessionItem{State: s, Interrupted: a.h.core.interrupted(s)}
			if unfinished(s) {
				page.Sessions[i].Owner = a.h.core.elsewhere(s.ID)
			}
		}
		return page, nil
	})
}

// SessionChoices are what the list of sessions can be narrowed to.
type SessionChoices struct {
	Folders []string     `json:"folders"`
	Models  []model.Info `json:"models"`
}

// SessionChoices gives the folders and models that saved sessions have.
func (a *App) SessionChoices() (SessionChoices, error) {
	return guard(a.h, func() (SessionChoices, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return SessionChoices{}, err
		}
		folders, models, err := store.Choices(a.h.context)
		return SessionChoices{append([]string{}, folders...), append([]model.Info{}, models...)}, err
	})
}

// EventPage is a run of events.
type EventPage struct {
	Events []session.Event `json:"events"`
	More   bool            `json:"more"`
}

// eventsMost is the most events of one call: large returns stall a web view, 1 MB took 44 to 82 ms.
const eventsMost = 500

// Events gives the events of a session after a sequence number.
func (a *App) Events(id string, after int64, limit int) (EventPage, error) {
	return guard(a.h, func() (EventPage, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return EventPage{}, err
		}
		if limit <= 0 || limit > eventsMost {
			limit = eventsMost
		}
		events, err := store.Events(a.h.context, id, after, limit+1)
		if err != nil {
			return EventPage{}, err
		}
		page := EventPage{Events: events, More: len(events) > limit}
		if page.More {
			page.Events = events[:limit]
		}
		if page.Events == nil {
			page.Events = []session.Event{}
		}
		return page, nil
	})
}

// BodyPage is a piece of a body as text. Next is the offset of the following piece, 0 at the end.
type BodyPage struct {
	Text  string `json:"text"`
	Total int    `json:"total"` // bytes
	Next  int    `json:"next"`
}

// bodyMost is the most bytes of one piece, for the same reason as eventsMost.
const bodyMost = 256 << 10

// Body gives a piece of a stored body.
func (a *App) Body(hash string, offset, limit int) (BodyPage, error) {
	return guard(a.h, func() (BodyPage, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return BodyPage{}, err
		}
		data, err := store.Body(a.h.context, hash)
		if err != nil {
			return BodyPage{}, err
		}
		if limit <= 0 || limit > bodyMost {
			limit = bodyMost
		}
		from := min(max(offset, 0), len(data))
		to := min(from+limit, len(data))
		for to < len(data) && to > from+1 && !utf8.RuneStart(data[to]) {
			to--
		}
		page := BodyPage{Text: string(data[from:to]), Total: len(data)}
		if to < len(data) {
			page.Next = to
		}
		return page, nil
	})
}

// DiffView is a patch with the whole texts for the diff editor.
type DiffView struct {
	Hash  string     `json:"hash"`
	Files []DiffFile `json:"files"`
}

// DiffFile is one changed file. Before and After are null where the file is absent, or when TooLarge.
type DiffFile struct {
	Path     string       `json:"path"`
	OldPath  string       `json:"old_path"`
	Status   patch.Status `json:"status"`
	Before   *string      `json:"before"`
	After    *string      `json:"after"`
	Added    int          `json:"added"`
	Removed  int          `json:"removed"`
	Hunks    []patch.Hunk `json:"hunks"`
	TooLarge bool         `json:"too_large"` // shown by its hunks alone
}

// diffMost is the largest file whose whole text goes to the diff editor.
const diffMost = 2 << 20

// Diff gives the patch of a session with the texts around it. Where the folder's file is no longer what the patch was
// made for, only the hunks are given.
func (a *App) Diff(id string) (DiffView, error) {
	return guard(a.h, func() (DiffView, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return DiffView{}, err
		}
		state, err := store.State(a.h.context, id)
		if err != nil {
			return DiffView{}, err
		}
		return diffView(state.Patch, state.PatchHash, a.h.core.reader(state.Folder)), nil
	})
}

// DiffAt is Diff for the patch as it was after an event, for a replay; nothing is changed before the first edit. What the
// folder held before is told from it by the session's last patch, also where that was written since.
func (a *App) DiffAt(id string, seq int64) (DiffView, error) {
	return guard(a.h, func() (DiffView, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return DiffView{}, err
		}
		events, err := store.Events(a.h.context, id, 0, int(max(seq, 1)))
		if err != nil {
			return DiffView{}, err
		}
		var then session.PatchChanged
		for _, e := range events {
			if e.Kind == session.KindPatchChanged && e.Seq <= seq {
				data, err := session.Decode(e)
				if err != nil {
					return DiffView{}, err
				}
				then = data.(session.PatchChanged)
			}
		}
		last, err := store.State(a.h.context, id)
		if err != nil {
			return DiffView{}, err
		}
		return diffView(then.Patch, then.Hash, before(last.Patch, a.h.core.reader(last.Folder))), nil
	})
}

// reader reads the files of a folder; of one that cannot be opened there is none.
func (c *core) reader(folder string) func(string) ([]byte, error) {
	f, err := c.open(folder)
	if err != nil {
		return func(string) ([]byte, error) { return nil, fs.ErrNotExist }
	}
	return f.repo.Read
}

// before reads the files of a folder as they were before a patch, whether it is written there or not.
func before(p patch.Patch, read func(string) ([]byte, error)) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		for _, file := range p.Files {
			if file.Path != name && file.OldPath != name || file.Status == patch.Added {
				continue
			}
			if old, _, ok := texts(file, read); ok {
				return old, nil
			}
		}
		return read(name)
	}
}

func diffView(p patch.Patch, hash string, read func(string) ([]byte, error)) DiffView {
	view := DiffView{Hash: hash, Files: []DiffFile{}}
	for _, file := range p.Files {
		view.Files = append(view.Files, diffFile(file, read))
	}
	return view
}

// diffFile finds the two whole texts of a change: from the folder as it was before, or, once the patch is applied, as it
// is after.
func diffFile(file patch.File, read func(string) ([]byte, error)) DiffFile {
	stat := file.Stat()
	out := DiffFile{Path: file.Path, OldPath: file.OldPath, Status: file.Status, Added: stat.Added, Removed: stat.Removed, Hunks: file.Hunks}
	before, after, ok := texts(file, read)
	if !ok || len(before) > diffMost || len(after) > diffMost {
		out.TooLarge = true
		return out
	}
	if file.Status != patch.Added {
		out.Before = readable(before)
	}
	if file.Status != patch.Deleted {
		out.After = readable(after)
	}
	return out
}

// readable is a file's text in whatever encoding it has.
func readable(data []byte) *string {
	text, _, err := patch.Decode(data)
	if err != nil {
		text = strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return &text
}

func texts(file patch.File, read func(string) ([]byte, error)) (before, after []byte, ok bool) {
	one := func(f patch.File, c *patch.Content) []byte {
		out, err := patch.Apply(f, c)
		if err != nil || out == nil {
			return nil
		}
		return out.Data
	}
	if file.Status == patch.Added {
		return nil, one(file, nil), true
	}
	name := file.Path
	if file.OldPath != "" {
		name = file.OldPath
	}
	if data, err := read(name); err == nil && patch.Hash(data) == file.Before {
		return data, one(file, &patch.Content{Data: data, Mode: file.OldMode}), true
	}
	inverse := patch.Patch{Files: []patch.File{file}}.Invert().Files[0]
	if file.Status == patch.Deleted {
		return one(inverse, nil), nil, true
	}
	if data, err := read(file.Path); err == nil && patch.Hash(data) == file.After {
		return one(inverse, &patch.Content{Data: data, Mode: file.NewMode}), data, true
	}
	return nil, nil, false
}
