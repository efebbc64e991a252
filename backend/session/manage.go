package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// nameMost is the most bytes of a session's name.
const nameMost = 300

// Rename gives a session a name that stands for its task in lists; "" takes it back.
func (s *Store) Rename(ctx context.Context, id, name string) error {
	name = strings.Join(strings.Fields(name), " ")
	if len(name) > nameMost || !utf8.ValidString(name) {
		return fmt.Errorf("renaming session %s: a name has at most %d bytes of text", id, nameMost)
	}
	name, _ = s.redact(name)
	return s.set(ctx, id, "renaming", `UPDATE sessions SET name = ? WHERE id = ?`, name, id)
}

// Pin keeps a session at the head of the list and out of Prune, or lets it go again.
func (s *Store) Pin(ctx context.Context, id string, on bool) error {
	return s.set(ctx, id, "pinning", `UPDATE sessions SET pinned = ? WHERE id = ?`, on, id)
}

func (s *Store) set(ctx context.Context, id, doing, query string, args ...any) error {
	res, err := s.write.ExecContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s session %s: %w", doing, id, explain(s.path, err))
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return s.exists(ctx, id)
	}
	return nil
}

// Delete removes a session with its events, its words in the full-text search and the bodies that no other session names.
// The pages that held them are overwritten, so that nothing of it is left in the file or its write-ahead log. Whoever calls
// it has seen to it that nothing works on the session.
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := s.remove(ctx, id); err != nil {
		return fmt.Errorf("deleting session %s: %w", id, explain(s.path, err))
	}
	return s.wipe(ctx)
}

func (s *Store) remove(ctx context.Context, id string) error {
	if err := s.exists(ctx, id); err != nil {
		return err
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing; else the first error counts
	var key int64
	if err := tx.QueryRow(`SELECT key FROM sessions WHERE id = ?`, id).Scan(&key); errors.Is(err, sql.ErrNoRows) {
		return nil // another process was first
	} else if err != nil {
		return err
	}
	for _, q := range []string{
		`DELETE FROM found WHERE docid IN (SELECT docid FROM texts WHERE session = ?)`,
		`DELETE FROM texts WHERE session = ?`,
		`DELETE FROM bodies WHERE hash IN (SELECT hash FROM uses u WHERE u.session = ?
			AND NOT EXISTS (SELECT 1 FROM uses o WHERE o.hash = u.hash AND o.session <> u.session))`,
		`DELETE FROM uses WHERE session = ?`,
		`DELETE FROM events WHERE session = ?`,
		`DELETE FROM sessions WHERE key = ?`,
	} {
		if _, err := tx.Exec(q, key); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.logs, id)
	delete(s.told, id)
	s.mu.Unlock()
	return nil
}

// wipe takes the last traces of deleted sessions out of the file and gives their space back: the full-text search keeps the
// words of deleted rows until its segments are merged, and the write-ahead log keeps old pages until it is cut. Where another
// process reads on, the log is cut when the last one closes.
func (s *Store) wipe(ctx context.Context) error {
	if _, err := s.write.ExecContext(ctx, `INSERT INTO found (found) VALUES ('optimize')`); err != nil {
		return fmt.Errorf("removing the last traces of deleted sessions: %w", explain(s.path, err))
	}
	if err := s.shrink(ctx); err != nil {
		return fmt.Errorf("giving back the space of deleted sessions: %w", explain(s.path, err))
	}
	if _, err := s.write.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return fmt.Errorf("removing the last traces of deleted sessions: %w", explain(s.path, err))
	}
	return nil
}

// shrinkPages is how many pages are given back at once, so that a session at work waits for no more than that.
const shrinkPages = 2000

// shrink moves what is in use together and gives back what is free.
func (s *Store) shrink(ctx context.Context) error {
	for before := int64(-1); ; {
		var free int64
		if err := s.write.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&free); err != nil || free == 0 || free == before {
			return err // all is given back, or this file was made without the means to
		}
		before = free
		rows, err := s.write.QueryContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, shrinkPages))
		if err != nil {
			return err
		}
		for rows.Next() { // each is a page
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
}

// Retention says what Prune keeps; zero values keep all.
type Retention struct {
	Age   time.Duration // since a session's last event
	Bytes int64         // of the whole store on disk
}

// Prune deletes sessions that have ended, oldest first: those past the age, then as many as the size asks for. Pinned
// sessions, those that keep reports as being worked on, and those whose patch waits for a decision stay. It gives the
// deleted ids; sessions deleted before an error are among them.
func (s *Store) Prune(ctx context.Context, r Retention, keep func(State) bool) (deleted []string, err error) {
	if r.Age <= 0 && r.Bytes <= 0 {
		return nil, nil
	}
	states, err := s.List(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(states, func(a, b State) int { return a.Updated.Compare(b.Updated) })
	now := s.now()
	for _, st := range states {
		old := r.Age > 0 && now.Sub(st.Updated) > r.Age
		if !old {
			size, err := s.size(ctx)
			if err != nil {
				return deleted, err
			}
			if r.Bytes <= 0 || size <= r.Bytes {
				break // the rest is younger
			}
		}
		if st.Pinned || st.Outcome == Review || st.Outcome == Waiting || keep != nil && keep(st) {
			continue
		}
		if err := s.remove(ctx, st.ID); err != nil {
			return deleted, fmt.Errorf("deleting session %s: %w", st.ID, explain(s.path, err))
		}
		deleted = append(deleted, st.ID)
	}
	if len(deleted) == 0 {
		return nil, nil
	}
	return deleted, s.wipe(ctx)
}

// size is the bytes that the store's pages in use take on disk.
func (s *Store) size(ctx context.Context) (int64, error) {
	var pages, free, page int64
	for q, to := range map[string]*int64{"PRAGMA page_count": &pages, "PRAGMA freelist_count": &free, "PRAGMA page_size": &page} {
		if err := s.write.QueryRowContext(ctx, q).Scan(to); err != nil {
			return 0, fmt.Errorf("measuring the session store: %w", explain(s.path, err))
		}
	}
	return (pages - free) * page, nil
}

// Insert stores a whole session that was read from elsewhere under a new id, read-only; source says where it is from. The
// first event must be a Started. Secrets are replaced as in any event.
func (s *Store) Insert(ctx context.Context, events []Event, source string) (id string, err error) {
	if source == "" {
		return "", errors.New("importing a session: it must be said where it is from")
	}
	return s.copyIn(ctx, events, `UPDATE sessions SET source = ? WHERE id = ?`, source)
}

// Fork begins a new session with the events of another up to and including seq; what follows is its own. Its first own
// event is a Forked.
func (s *Store) Fork(ctx context.Context, id string, seq int64) (*Log, error) {
	if seq < 1 {
		return nil, fmt.Errorf("forking session %s: there is no event %d", id, seq)
	}
	events, err := s.Events(ctx, id, 0, int(seq))
	if err != nil {
		return nil, fmt.Errorf("forking: %w", err)
	}
	if int64(len(events)) < seq {
		return nil, fmt.Errorf("forking session %s: there is no event %d; it has %d", id, seq, len(events))
	}
	fork, err := s.copyIn(ctx, events, `UPDATE sessions SET parent = ? WHERE id = ?`, id)
	if err != nil {
		return nil, err
	}
	l, err := s.Log(ctx, fork)
	if err != nil {
		return nil, err
	}
	_, err = l.Append(ctx, KindForked, Forked{From: id, Seq: seq})
	return l, err
}

// copyIn stores events under a new id in one transaction, and runs one more statement with a value and that id.
func (s *Store) copyIn(ctx context.Context, events []Event, also, value string) (string, error) {
	if len(events) == 0 || events[0].Kind != KindStarted {
		return "", fmt.Errorf("copying a session: it does not begin with %s", KindStarted)
	}
	id := s.newID()
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return "", fmt.Errorf("copying a session: %w", explain(s.path, err))
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing; else the first error counts
	if err := s.copyEvents(tx, id, events); err != nil {
		return "", fmt.Errorf("copying a session: %w", explain(s.path, err))
	}
	if _, err := tx.Exec(also, value, id); err != nil {
		return "", fmt.Errorf("copying a session: %w", explain(s.path, err))
	}
	if err := tx.Commit(); err != nil {
		return "", fmt.Errorf("copying a session: %w", explain(s.path, err))
	}
	s.notify(Notice{id, int64(len(events)), events[len(events)-1].Kind})
	return id, nil
}

// copied is an event as it is stored, with the hash and the state after it.
type copied struct {
	e     Event
	head  []byte
	state State
	noted noted
	err   error
}

// asCopies makes events those of a session with an id, redacted; what goes wrong is the last. Stop ends it early.
func (s *Store) asCopies(id string, events []Event, stop <-chan struct{}) <-chan copied {
	out := make(chan copied, 64)
	next := func(i int, last copied) (c copied) {
		data, err := s.redactJSON(events[i].Data)
		if err != nil {
			return copied{err: err}
		}
		c.e = Event{Seq: int64(i + 1), Session: id, Time: events[i].Time.UTC().Round(0), Kind: events[i].Kind, Data: data}
		payload, err := Decode(c.e)
		if c.state, c.err = fold(last.state, c.e, payload, err); c.err == nil {
			c.head, c.noted = chain(last.head, c.e), notes(c.e, payload)
		}
		return c
	}
	go func() {
		defer close(out)
		last := copied{state: State{ID: id}, head: bytes.Repeat([]byte{0}, sha256.Size)}
		for i := range events {
			last = next(i, last)
			select {
			case out <- last:
			case <-stop:
				return
			}
			if last.err != nil {
				return
			}
		}
	}()
	return out
}

// copyEvents stores events under an id. They are made in a goroutine of their own, since both take long.
func (s *Store) copyEvents(tx *sql.Tx, id string, events []Event) error {
	stop := make(chan struct{})
	copies := s.asCopies(id, events, stop)
	defer func() {
		close(stop)
		for range copies { // until it has ended
		}
	}()
	var st State
	var head []byte
	var key int64
	for c := range copies {
		if c.err != nil {
			return c.err
		}
		st, head = c.state, c.head
		if c.e.Seq == 1 {
			at := c.e.Time.UnixNano()
			res, err := tx.Exec(`INSERT INTO sessions (id, folder, task, created, updated, seq, hash, state, state_seq)
				VALUES (?, ?, ?, ?, ?, 0, ?, '', 0)`, id, st.Folder, st.Task, at, at, head)
			if err != nil {
				return err
			}
			if key, err = res.LastInsertId(); err != nil {
				return err
			}
		}
		if err := insertEvent(tx, key, c.e, head, c.noted); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(st)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE sessions SET seq = ?, updated = ?, hash = ?, state = ?, state_seq = ? WHERE key = ?`,
		st.Seq, st.Updated.UnixNano(), head, string(raw), st.Seq, key)
	return err
}
