package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
)

// Log appends to one session. Safe for concurrent use; there is one a session in a process.
type Log struct {
	s   *Store
	id  string
	key int64

	appending sync.Mutex // held while an event is written and its notice given
	mu        sync.RWMutex
	state     State
	head      []byte // hash of the last event
	stale     bool   // a write failed: read the head again before the next one
}

// NewID gives an id for CreateAs: of a session that is to be owned before others see it.
func (s *Store) NewID() string { return s.newID() }

// Create starts a session with its first event.
func (s *Store) Create(ctx context.Context, st Started) (*Log, error) {
	return s.CreateAs(ctx, s.newID(), st)
}

// CreateAs is Create with an id of NewID.
func (s *Store) CreateAs(ctx context.Context, id string, st Started) (*Log, error) {
	l := &Log{s: s, id: id, state: State{ID: id}, head: make([]byte, sha256.Size)}
	e, hash, next, err := l.prepare(l.state, l.head, Entry{KindStarted, st})
	if err != nil {
		return nil, err
	}
	if l.key, err = s.insertSession(ctx, e, hash, next); err != nil {
		return nil, fmt.Errorf("creating a session: %w", explain(s.path, err))
	}
	l.state, l.head = next, hash
	s.mu.Lock()
	s.logs[id] = l
	s.mu.Unlock()
	s.notify(Notice{id, e.Seq, e.Kind})
	return l, nil
}

func (s *Store) insertSession(ctx context.Context, e Event, hash []byte, st State) (key int64, err error) {
	state, err := json.Marshal(st)
	if err != nil {
		return 0, fmt.Errorf("encoding the state: %w", err)
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing; else the first error counts
	at := e.Time.UnixNano()
	res, err := tx.Exec(`INSERT INTO sessions (id, folder, task, created, updated, seq, hash, state, state_seq)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, st.ID, st.Folder, st.Task, at, at, e.Seq, hash, string(state), e.Seq)
	if err != nil {
		return 0, err
	}
	if key, err = res.LastInsertId(); err != nil {
		return 0, err
	}
	data, _ := Decode(e) // it was just made
	if err := insertEvent(tx, key, e, hash, notes(e, data)); err != nil {
		return 0, err
	}
	return key, tx.Commit()
}

func insertEvent(tx *sql.Tx, key int64, e Event, hash []byte, n noted) error {
	_, err := tx.Exec(`INSERT INTO events (session, seq, time, kind, data, hash) VALUES (?, ?, ?, ?, ?, ?)`,
		key, e.Seq, e.Time.UnixNano(), string(e.Kind), string(e.Data), hash)
	if err != nil {
		return err
	}
	return note(tx, key, e.Seq, n)
}

// Log opens an existing session for appending. It knows what other processes wrote until then.
func (s *Store) Log(ctx context.Context, id string) (*Log, error) {
	s.mu.Lock()
	l, ok := s.logs[id]
	s.mu.Unlock()
	if ok { // without the lock: whoever appends waits for it
		return l, l.refresh(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.logs[id]; ok {
		return l, nil
	}
	l = &Log{s: s, id: id}
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	if from := l.state.Source; from != "" {
		return nil, fmt.Errorf("session %s: %w: it was imported from %s; what it holds can be read, searched and exported", id, ErrImported, from)
	}
	s.logs[id] = l
	return l, nil
}

// refresh reads state and head again where another process moved the session on.
func (l *Log) refresh(ctx context.Context) error {
	l.appending.Lock()
	defer l.appending.Unlock()
	var head []byte
	if err := l.s.read.QueryRowContext(ctx, `SELECT hash FROM sessions WHERE id = ?`, l.id).Scan(&head); err == nil && bytes.Equal(head, l.head) {
		return nil
	}
	return l.load(ctx) // which says what is wrong
}

// load reads state and head from the database.
func (l *Log) load(ctx context.Context) error {
	st, key, head, err := l.s.load(ctx, l.id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.key, l.head, l.stale = st, key, head, false
	return nil
}

// ID is the session's id.
func (l *Log) ID() string { return l.id }

// State is the fold so far, kept up to date by Append.
func (l *Log) State() State {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.state
}

// Append stores an event; when it returns without an error the event is on disk (fsynced). data is the payload type
// that kind names. A cancelled ctx stops it before it starts, never midway. After ErrFull the session is as it was and
// can go on once there is space.
func (l *Log) Append(ctx context.Context, kind Kind, data any) (Event, error) {
	events, err := l.AppendAll(ctx, Entry{kind, data})
	if err != nil {
		return Event{}, err
	}
	return events[0], nil
}

// Entry is an event to be appended; Data is the payload type that Kind names.
type Entry struct {
	Kind Kind
	Data any
}

// AppendAll is Append for events that belong together: a crash leaves all of them or none. There must be one at least.
func (l *Log) AppendAll(ctx context.Context, entries ...Entry) ([]Event, error) {
	kind := entries[0].Kind
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("recording %s: %w", kind, err)
	}
	l.appending.Lock()
	defer l.appending.Unlock()
	ctx = context.WithoutCancel(ctx)
	if l.stale {
		if err := l.load(ctx); err != nil {
			return nil, fmt.Errorf("recording %s: %w", kind, err)
		}
	}
	next, head := l.state, l.head
	var events []Event
	var hashes [][]byte
	for _, one := range entries {
		var e Event
		var err error
		if e, head, next, err = l.prepare(next, head, one); err != nil {
			return nil, err
		}
		events, hashes = append(events, e), append(hashes, head)
	}
	if err := l.commit(ctx, events, hashes, next); err != nil {
		l.mu.Lock()
		l.stale = true
		l.mu.Unlock()
		return nil, fmt.Errorf("recording %s: %w", kind, explain(l.s.path, err))
	}
	l.mu.Lock()
	l.state, l.head = next, head
	l.mu.Unlock()
	for _, e := range events {
		l.s.notify(Notice{l.id, e.Seq, e.Kind})
	}
	return events, nil
}

// prepare makes the event that follows a state and the hash of its last event, redacted, with its hash and the state after it.
func (l *Log) prepare(st State, head []byte, one Entry) (Event, []byte, State, error) {
	kind, data := one.Kind, one.Data
	want, ok := Kinds()[kind]
	if !ok {
		return Event{}, nil, State{}, fmt.Errorf("recording %s: no such kind of event", kind)
	}
	if reflect.TypeOf(data) != reflect.TypeOf(want) {
		return Event{}, nil, State{}, fmt.Errorf("recording %s: payload is %T, must be %T", kind, data, want)
	}
	raw, err := encode(data)
	if err != nil {
		return Event{}, nil, State{}, fmt.Errorf("recording %s: %w", kind, err)
	}
	if raw, err = l.s.redactJSON(raw); err != nil {
		return Event{}, nil, State{}, fmt.Errorf("recording %s: %w", kind, err)
	}
	e := Event{Seq: st.Seq + 1, Session: l.id, Time: l.s.now().UTC().Round(0), Kind: kind, Data: raw}
	next, err := Fold(st, e)
	if err != nil {
		return Event{}, nil, State{}, fmt.Errorf("recording %s: %w", kind, err)
	}
	return e, chain(head, e), next, nil
}

// commit writes the events and moves the session's head, if nobody else moved it.
func (l *Log) commit(ctx context.Context, events []Event, hashes [][]byte, next State) error {
	first, last := events[0], len(events)-1
	tx, err := l.s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing; else the first error counts
	res, err := tx.Exec(`UPDATE sessions SET seq = ?, updated = ?, hash = ? WHERE key = ? AND seq = ? AND hash = ?`,
		events[last].Seq, events[last].Time.UnixNano(), hashes[last], l.key, first.Seq-1, l.head)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n != 1 {
		return fmt.Errorf("%w; close the other window or terminal that works on session %s and open it again", ErrConflict, l.id)
	}
	bodies := l.s.named(events)
	if err := insertBodies(tx, bodies); err != nil {
		return err
	}
	cached := false
	for i, e := range events {
		data, _ := Decode(e) // it was just made
		if err := insertEvent(tx, l.key, e, hashes[i], notes(e, data)); err != nil {
			return err
		}
		cached = cached || milestone(e.Kind)
	}
	if cached {
		if err := l.cache(tx, next); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	l.s.stored(bodies)
	return nil
}

// milestone kinds write the state cache too. The others do not, so that a large patch is not written again with each
// event; a reader folds the few events since.
func milestone(k Kind) bool {
	switch k {
	case KindStepStarted, KindMessage, KindQuestion, KindReviewAsked, KindReviewAnswered, KindPatchApplied, KindPatchUndone, KindSessionFinished:
		return true
	}
	return false
}

func (l *Log) cache(tx *sql.Tx, st State) error {
	raw, err := encode(st)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE sessions SET state = ?, state_seq = ? WHERE key = ?`, string(raw), st.Seq, l.key)
	return err
}

// encode is json.Marshal without the escaping of <, > and &, so that stored text stays readable.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding %T: %w", v, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// chain is the hash of an event: SHA-256 over the hash before it (32 zero bytes for the first) and, each behind its
// length as 8 bytes big endian, session, sequence number, time in RFC 3339 with nanoseconds, kind and data.
func chain(prev []byte, e Event) []byte {
	h := sha256.New()
	h.Write(prev)
	for _, part := range []string{e.Session, fmt.Sprint(e.Seq), e.Time.Format(time.RFC3339Nano), string(e.Kind), string(e.Data)} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

// Verify walks a session's hash chain and reports the first event that was changed, removed or added, or names a body that
// is not there (ErrCorrupt). An imported session, and what a fork took over, may lack bodies.
func (s *Store) Verify(ctx context.Context, id string) error {
	events, hashes, err := s.chainOf(ctx, id)
	if err != nil {
		return err
	}
	prev := make([]byte, sha256.Size)
	for i, e := range events {
		if want := chain(prev, e); e.Seq != int64(i+1) || !bytes.Equal(want, hashes[i]) {
			return fmt.Errorf("%w: session %s does not agree with its hash chain from event %d on", ErrCorrupt, id, e.Seq)
		}
		prev = hashes[i]
	}
	var head []byte
	var source string
	err = s.read.QueryRowContext(ctx, `SELECT hash, source FROM sessions WHERE id = ?`, id).Scan(&head, &source)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("session %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return explain(s.path, err)
	}
	if !bytes.Equal(head, prev) {
		return fmt.Errorf("%w: session %s has lost its last events", ErrCorrupt, id)
	}
	if source != "" {
		return nil
	}
	own := 0 // what a fork began with may be an imported session's
	for i, e := range events {
		if e.Kind == KindForked {
			own = i
		}
	}
	events = events[own:]
	switch hash, seq, err := s.missingBody(ctx, events); {
	case err != nil:
		return err
	case hash != "":
		return fmt.Errorf("%w: session %s has lost the body %s of event %d", ErrCorrupt, id, hash, seq)
	}
	return nil
}
