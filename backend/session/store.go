package session

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	_ "github.com/mattn/go-sqlite3" // the database/sql driver
)

// Options configure Open.
type Options struct {
	Now   func() time.Time // default time.Now
	NewID func() string    // default: time-sortable random id
}

// Store is the SQLite file (WAL, one writer connection, synchronous=FULL) with all sessions. Safe for concurrent use.
//
// Before anything is written, secrets of well-known shapes are replaced in events and bodies (see Redact). Patches and
// receipts are exempt: they must stay byte-exact to be applied and undone, so a secret that a patch itself adds or
// removes is kept in them.
type Store struct {
	path  string
	now   func() time.Time
	newID func() string
	write *sql.DB // one connection: SQLite has one writer
	read  *sql.DB
	enc   *zstd.Encoder
	dec   *zstd.Decoder

	hidden atomic.Pointer[[]string] // see Hide

	mu      sync.Mutex
	waiting map[string]*waiting // by hash; see PutBody
	logs    map[string]*Log     // one Log a session in this process
	subs    map[int]func(Notice)
	nextSub int
	told    map[string]int64 // the last event of each session that subscribers know of
}

// schemaVersion is SQLite's user_version of the tables below; a higher one is refused, a lower one brought up to date.
const schemaVersion = 3

// schema: a session's row holds its folded state as it was at state_seq (a cache: the events are the truth) and the
// head of its hash chain. Times are Unix nanoseconds. Bodies are zstd-compressed, keyed by the SHA-256 of the plain bytes.
const schema = `
CREATE TABLE IF NOT EXISTS sessions (
	key       INTEGER PRIMARY KEY,
	id        TEXT NOT NULL UNIQUE,
	folder    TEXT NOT NULL,
	task      TEXT NOT NULL,
	created   INTEGER NOT NULL,
	updated   INTEGER NOT NULL,
	seq       INTEGER NOT NULL,
	hash      BLOB NOT NULL,
	state     TEXT NOT NULL,
	state_seq INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS sessions_by_folder ON sessions (folder, created);
CREATE TABLE IF NOT EXISTS events (
	session INTEGER NOT NULL REFERENCES sessions (key),
	seq     INTEGER NOT NULL,
	time    INTEGER NOT NULL,
	kind    TEXT NOT NULL,
	data    TEXT NOT NULL,
	hash    BLOB NOT NULL,
	PRIMARY KEY (session, seq)
);
CREATE TABLE IF NOT EXISTS bodies (
	hash TEXT PRIMARY KEY,
	size INTEGER NOT NULL,
	data BLOB NOT NULL
);`

// schema2 adds what people do with sessions. name and pinned are the person's, source says where an imported session came
// from (it is read-only then), parent which session a fork began as. uses says which bodies a session's events name, so
// that a body goes with its last session. found holds the words of the events for full-text search, texts which event each
// of its rows is. It is FTS4, which the driver always has: FTS5 needs a build tag that a plain `go test` would lack, and
// what it adds (a rank by relevance) is not used, since sessions are listed by time.
const schema2 = `
ALTER TABLE sessions ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN parent TEXT NOT NULL DEFAULT '';
CREATE TABLE uses (
	session INTEGER NOT NULL REFERENCES sessions (key),
	hash    TEXT NOT NULL,
	PRIMARY KEY (session, hash)
) WITHOUT ROWID;
CREATE INDEX uses_by_hash ON uses (hash);
CREATE TABLE texts (
	docid   INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (key),
	seq     INTEGER NOT NULL
);
CREATE INDEX texts_by_session ON texts (session, seq);
CREATE VIRTUAL TABLE found USING fts4(text, tokenize=unicode61);`

// schema3 sweeps what stays of a crash of an older Redgreen, which wrote bodies before the events that name them.
const schema3 = `DELETE FROM bodies WHERE NOT EXISTS (SELECT 1 FROM uses WHERE uses.hash = bodies.hash);`

// Open opens or creates the database at path. It refuses a damaged one (ErrCorrupt), one that cannot be written
// (ErrReadOnly) and one of a newer version (ErrNewer), and leaves the file as it is.
func Open(path string, o Options) (*Store, error) {
	s := &Store{path: path, now: o.Now, newID: o.NewID, logs: map[string]*Log{}, waiting: map[string]*waiting{}, subs: map[int]func(Notice){}, told: map[string]int64{}}
	if s.now == nil {
		s.now = time.Now
	}
	if s.newID == nil {
		s.newID = func() string { return newID(s.now()) }
	}
	if err := createFile(path); err != nil {
		return nil, err
	}
	if err := s.connect(); err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		_ = s.Close() // nothing was written yet
		return nil, err
	}
	return s, nil
}

// createFile makes the file readable to its owner alone before SQLite would make it by the umask.
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("creating the folder of the session store: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("%w: opening %s: %w; check the permissions of the file and its folder", ErrReadOnly, path, err)
	}
	return f.Close()
}

func (s *Store) connect() (err error) {
	abs, err := filepath.Abs(s.path)
	if err != nil {
		return fmt.Errorf("opening the session store: %w", err)
	}
	uri := "file:" + (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath()
	const common = "&_busy_timeout=10000&_foreign_keys=1&_secure_delete=on&_stmt_cache_size=32" // what is deleted is overwritten; a statement is read once
	if s.write, err = sql.Open("sqlite3", uri+"?_auto_vacuum=incremental&_journal_mode=WAL&_synchronous=FULL&_txlock=immediate"+common); err != nil {
		return fmt.Errorf("opening the session store: %w", err)
	}
	s.write.SetMaxOpenConns(1)
	if s.read, err = sql.Open("sqlite3", uri+"?_query_only=1"+common); err != nil {
		return fmt.Errorf("opening the session store: %w", err)
	}
	s.read.SetMaxOpenConns(4)
	if s.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return fmt.Errorf("preparing compression: %w", err)
	}
	if s.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)); err != nil {
		return fmt.Errorf("preparing decompression: %w", err)
	}
	return nil
}

func (s *Store) prepare() error {
	ctx := context.Background() // opening is short and has no caller to cancel it
	var version int
	if err := s.write.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return explain(s.path, err)
	}
	if version > schemaVersion {
		return fmt.Errorf("%w Redgreen: %s has version %d, this program knows up to %d; update Redgreen",
			ErrNewer, s.path, version, schemaVersion)
	}
	if version == schemaVersion {
		return nil
	}
	if err := s.migrate(ctx, version); err != nil {
		return explain(s.path, err)
	}
	return nil
}

// migrate brings an older file up to date, whole or not at all.
func (s *Store) migrate(ctx context.Context, version int) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing; else the first error counts
	// another process may have done it since
	if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version == schemaVersion {
		return err
	}
	if version < 2 {
		if _, err := tx.Exec(schema + schema2); err != nil {
			return err
		}
	}
	if version == 1 {
		if err := reindex(tx); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(schema3); err != nil {
		return err
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// Close closes the database. Appends after it fail.
func (s *Store) Close() error {
	s.enc.Close()
	s.dec.Close()
	err := s.read.Close()
	if werr := s.write.Close(); werr != nil {
		err = werr
	}
	return err
}

// newID is sortable by time and readable: 20060102-150405-k3f9q2ab, in UTC.
func newID(now time.Time) string {
	var b [5]byte
	rand.Read(b[:]) //nolint:errcheck // never fails since Go 1.24
	return now.UTC().Format("20060102-150405-") + strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// Notice tells a subscriber that an event was stored.
type Notice struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`
	Kind    Kind   `json:"kind"`
}

// Subscribe calls fn after each stored event, in order within a session, on the appending goroutine: fn must neither
// block nor append. stop ends it.
func (s *Store) Subscribe(fn func(Notice)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.nextSub
	s.nextSub++
	s.subs[id] = fn
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, id)
	}
}

func (s *Store) notify(n Notice) {
	s.mu.Lock()
	s.told[n.Session] = max(s.told[n.Session], n.Seq)
	fns := make([]func(Notice), 0, len(s.subs))
	for i := range s.nextSub {
		if fn, ok := s.subs[i]; ok {
			fns = append(fns, fn)
		}
	}
	s.mu.Unlock()
	for _, fn := range fns {
		fn(n)
	}
}
