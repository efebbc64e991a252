package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"redgreen/backend/model"
)

// Events gives at most limit events with a sequence number over after, in order; limit 0 all.
func (s *Store) Events(ctx context.Context, id string, after int64, limit int) ([]Event, error) {
	if limit <= 0 {
		limit = -1
	}
	events, _, err := s.query(ctx, id, after, limit)
	if err == nil && len(events) == 0 {
		err = s.exists(ctx, id)
	}
	return events, err
}

func (s *Store) chainOf(ctx context.Context, id string) ([]Event, [][]byte, error) {
	return s.query(ctx, id, 0, -1)
}

func (s *Store) query(ctx context.Context, id string, after int64, limit int) ([]Event, [][]byte, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT e.seq, e.time, e.kind, e.data, e.hash FROM events e
		JOIN sessions s ON s.key = e.session WHERE s.id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`, id, after, limit)
	if err != nil {
		return nil, nil, fmt.Errorf("reading session %s: %w", id, explain(s.path, err))
	}
	defer rows.Close()
	var events []Event
	var hashes [][]byte
	for rows.Next() {
		e := Event{Session: id}
		var at int64
		var data string
		var hash []byte
		if err := rows.Scan(&e.Seq, &at, &e.Kind, &data, &hash); err != nil {
			return nil, nil, fmt.Errorf("reading session %s: %w", id, explain(s.path, err))
		}
		e.Time, e.Data = time.Unix(0, at).UTC(), json.RawMessage(data)
		events, hashes = append(events, e), append(hashes, hash)
	}
	if err := rows.Err(); err != nil {
		return nil, nil, fmt.Errorf("reading session %s: %w", id, explain(s.path, err))
	}
	return events, hashes, nil
}

func (s *Store) exists(ctx context.Context, id string) error {
	var one int
	err := s.read.QueryRowContext(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("session %s: %w; `redgreen sessions list` shows those there are", id, ErrNotFound)
	}
	if err != nil {
		return explain(s.path, err)
	}
	return nil
}

// Begin gives the ids that begin with a text, newest first; a whole id is the only one.
func (s *Store) Begin(ctx context.Context, text string) (ids []string, err error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id FROM sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id != ?1, created DESC, key DESC`, text)
	if err != nil {
		return nil, fmt.Errorf("looking for session %s: %w", text, explain(s.path, err))
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("looking for session %s: %w", text, explain(s.path, err))
		}
		if ids = append(ids, id); id == text {
			break
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("looking for session %s: %w", text, explain(s.path, err))
	}
	return ids, nil
}

// State folds a session.
func (s *Store) State(ctx context.Context, id string) (State, error) {
	st, _, _, err := s.load(ctx, id)
	return st, err
}

func (s *Store) load(ctx context.Context, id string) (st State, key int64, head []byte, err error) {
	var r row
	err = s.read.QueryRowContext(ctx, `SELECT key, hash, `+rowColumns+` FROM sessions WHERE id = ?`, id).Scan(append([]any{&key, &head}, r.fields()...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return State{}, 0, nil, fmt.Errorf("session %s: %w; `redgreen sessions list` shows those there are", id, ErrNotFound)
	}
	if err != nil {
		return State{}, 0, nil, fmt.Errorf("reading session %s: %w", id, explain(s.path, err))
	}
	st, err = s.catchUp(ctx, r)
	return st, key, head, err
}

// catchUp folds the events since a row's cached state into it. A cache that cannot be read is made anew from the first event.
func (s *Store) catchUp(ctx context.Context, r row) (State, error) {
	var st State
	if json.Unmarshal([]byte(r.state), &st) != nil || st.Seq != r.stateSeq {
		st = State{ID: r.id}
	}
	if st.Seq < r.seq {
		events, err := s.Events(ctx, r.id, st.Seq, int(r.seq-st.Seq))
		if err != nil {
			return State{}, err
		}
		for _, e := range events {
			if st, err = Fold(st, e); err != nil {
				return State{}, err
			}
		}
	}
	st.Name, st.Pinned, st.Source, st.Parent = r.name, r.pinned, r.source, r.parent
	return st, nil
}

// Filter selects sessions for Find; its zero value selects all.
type Filter struct {
	Folder  string // absolute path, "" all folders
	Query   string // words that must all occur, see Find
	Outcome Outcome
	Model   string    // PROVIDER/NAME, "" any
	Since   time.Time // made at or after, zero any
	Until   time.Time // made before, zero any
	Pinned  bool      // only those
	Limit   int       // 0 all
	Offset  int
}

// List gives the newest sessions first, of one folder or all (""); limit 0 all.
func (s *Store) List(ctx context.Context, folder string, limit int) ([]State, error) {
	states, _, err := s.Find(ctx, Filter{Folder: folder, Limit: limit})
	return states, err
}

// Find gives the sessions of a filter, pinned ones first, then the newest, and how many there are without its limit. Each
// word of the query must begin a word of anything that was said, read or changed in the session, or occur in its task, name
// or folder, in any case; "words in quotes" must stand side by side, and -word must not occur.
func (s *Store) Find(ctx context.Context, f Filter) (states []State, total int, err error) {
	where, args := f.where()
	if err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM sessions`+where, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("listing sessions: %w", explain(s.path, err))
	}
	limit := f.Limit
	if limit <= 0 {
		limit = -1
	}
	rows, err := s.read.QueryContext(ctx, `SELECT `+rowColumns+` FROM sessions`+where+
		` ORDER BY pinned DESC, created DESC, key DESC LIMIT ? OFFSET ?`, append(args, limit, f.Offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("listing sessions: %w", explain(s.path, err))
	}
	found, err := scanRows(rows)
	if err != nil {
		return nil, 0, fmt.Errorf("listing sessions: %w", explain(s.path, err))
	}
	for _, r := range found {
		st, err := s.catchUp(ctx, r)
		if err != nil {
			return nil, 0, err
		}
		states = append(states, st)
	}
	return states, total, nil
}

// Choices are what Find can be narrowed to: the folders that have a session, and the models that one began with.
func (s *Store) Choices(ctx context.Context) (folders []string, models []model.Info, err error) {
	rows, err := s.read.QueryContext(ctx, `SELECT DISTINCT folder, coalesce(json_extract(state, '$.model.provider'), ''), coalesce(json_extract(state, '$.model.name'), ''),
		coalesce(json_extract(state, '$.model.label'), '') FROM sessions ORDER BY 2, 3`)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the folders and models of sessions: %w", explain(s.path, err))
	}
	defer rows.Close()
	for rows.Next() {
		var folder string
		var m model.Info
		if err := rows.Scan(&folder, &m.Provider, &m.Name, &m.Label); err != nil {
			return nil, nil, fmt.Errorf("listing the folders and models of sessions: %w", explain(s.path, err))
		}
		folders = append(folders, folder)
		same := func(o model.Info) bool { return o.Provider == m.Provider && o.Name == m.Name }
		if m.Name != "" && !slices.ContainsFunc(models, same) {
			models = append(models, m)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders), models, rows.Err()
}

// row is what is known of a session without its events.
type row struct {
	id, state            string
	stateSeq, seq        int64
	name, source, parent string
	pinned               bool
}

const rowColumns = `id, state, state_seq, seq, name, pinned, source, parent`

func (r *row) fields() []any {
	return []any{&r.id, &r.state, &r.stateSeq, &r.seq, &r.name, &r.pinned, &r.source, &r.parent}
}

// scanRows reads all before the first is folded, so that no two connections are held at once.
func scanRows(rows *sql.Rows) (out []row, err error) {
	defer rows.Close()
	for rows.Next() {
		var r row
		if err := rows.Scan(r.fields()...); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

func (f Filter) where() (string, []any) {
	var conds []string
	var args []any
	add := func(cond string, values ...any) { conds, args = append(conds, cond), append(args, values...) }
	if f.Folder != "" {
		add("folder = ?", f.Folder)
	}
	if f.Outcome != "" {
		add("json_extract(state, '$.outcome') = ?", string(f.Outcome))
	}
	if f.Model != "" {
		add("json_extract(state, '$.model.provider') || '/' || json_extract(state, '$.model.name') = ?", f.Model)
	}
	if !f.Since.IsZero() {
		add("created >= ?", f.Since.UnixNano())
	}
	if !f.Until.IsZero() {
		add("created < ?", f.Until.UnixNano())
	}
	if f.Pinned {
		add("pinned")
	}
	for _, w := range wordsOf(f.Query) {
		if cond, values := w.where(); cond != "" {
			add(cond, values...)
		}
	}
	if len(conds) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(conds, " AND "), args
}

// Export writes a session as JSON Lines, one Event a line.
func (s *Store) Export(ctx context.Context, id string, w io.Writer) error {
	const page = 500 // events in memory at once
	for after := int64(0); ; {
		events, err := s.Events(ctx, id, after, page)
		if err != nil {
			return err
		}
		for _, e := range events {
			line, err := encode(e)
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return fmt.Errorf("exporting session %s: %w", id, err)
			}
			after = e.Seq
		}
		if len(events) < page {
			return nil
		}
	}
}
