package session

import (
	"context"
	"errors"
	"time"
)

var errStub = errors.New("not built")

// ErrNotFound is returned for an unknown session or body.
var ErrNotFound = errors.New("not found")

// Options configure Open.
type Options struct {
	Now   func() time.Time // default time.Now
	NewID func() string    // default: time-sortable random id
}

// Store is the SQLite file (WAL, one writer) with all sessions. Safe for concurrent use.
type Store struct{}

// Open opens or creates the database at path.
func Open(path string, o Options) (*Store, error) { return nil, errStub }
func (s *Store) Close() error                     { return nil }

// Create starts a session with its first event.
func (s *Store) Create(ctx context.Context, st Started) (*Log, error) { return nil, errStub }

// Log opens an existing session for appending.
func (s *Store) Log(ctx context.Context, id string) (*Log, error) { return nil, errStub }

// Events gives at most limit events with a sequence number over after, in order; limit 0 all.
func (s *Store) Events(ctx context.Context, id string, after int64, limit int) ([]Event, error) {
	return nil, errStub
}

// State folds a session; List the newest first, for one folder or all ("").
func (s *Store) State(ctx context.Context, id string) (State, error) { return State{}, errStub }
func (s *Store) List(ctx context.Context, folder string, limit int) ([]State, error) {
	return nil, errStub
}

// PutBody stores data once and gives its hash; Body reads it.
func (s *Store) PutBody(ctx context.Context, data []byte) (string, error) { return "", errStub }
func (s *Store) Body(ctx context.Context, hash string) ([]byte, error)    { return nil, errStub }

// Notice tells a subscriber that an event was stored.
type Notice struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`
	Kind    Kind   `json:"kind"`
}

// Subscribe calls fn after each stored event, on the appending goroutine: fn must not block. stop ends it.
func (s *Store) Subscribe(fn func(Notice)) (stop func()) { return func() {} }

// Log appends to one session. Safe for concurrent use.
type Log struct{}

func (l *Log) ID() string { return "" }

// Append stores an event; when it returns without an error the event is on disk (fsynced).
func (l *Log) Append(ctx context.Context, kind Kind, data any) (Event, error) {
	return Event{}, errStub
}

// State is the fold so far, kept up to date by Append.
func (l *Log) State() State { return State{} }

// Fold adds one event to a state; pure.
func Fold(s State, e Event) (State, error) { return s, errStub }

// Decode reads an event's payload into the type its kind names.
func Decode(e Event) (any, error) { return nil, errStub }

// Kinds lists all kinds with a zero value of their payload type.
func Kinds() map[Kind]any { return nil }
