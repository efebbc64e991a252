package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
)

// waiting is a body that no stored event names yet.
type waiting struct {
	size   int
	packed []byte
}

// PutBody takes in data, compressed and with secrets replaced, and gives the hex SHA-256 of what is kept. It is written in
// the transaction of the first event that names it, so that a crash leaves neither an event without its body nor a body
// without an event; until then it is in memory, where Body finds it too.
func (s *Store) PutBody(ctx context.Context, data []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("storing a body: %w", err)
	}
	clean, _ := s.redact(string(data))
	return s.put([]byte(clean)), nil
}

// PutImage takes in a picture's bytes as PutBody does, but as they are: what a picture shows cannot be searched for secrets.
func (s *Store) PutImage(data []byte) (hash string) { return s.put(data) }

func (s *Store) put(data []byte) string {
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	w := &waiting{len(data), s.enc.EncodeAll(data, nil)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[hash] = w
	return hash
}

// named gives the waiting bodies that events name.
func (s *Store) named(events []Event) map[string]*waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]*waiting{}
	for hash, w := range s.waiting {
		for _, e := range events {
			if bytes.Contains(e.Data, []byte(hash)) {
				out[hash] = w
			}
		}
	}
	return out
}

// stored forgets bodies that are on disk now. One that was put again since waits on, for an event of its own.
func (s *Store) stored(bodies map[string]*waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, w := range bodies {
		if s.waiting[hash] == w {
			delete(s.waiting, hash)
		}
	}
}

func insertBodies(tx *sql.Tx, bodies map[string]*waiting) error {
	for hash, w := range bodies {
		if _, err := tx.Exec(`INSERT INTO bodies (hash, size, data) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING`, hash, w.size, w.packed); err != nil {
			return err
		}
	}
	return nil
}

// missingBody gives a body that an event of a session names in a field for one, and that is not there; "" none.
func (s *Store) missingBody(ctx context.Context, events []Event) (hash string, seq int64, err error) {
	for _, e := range events {
		for _, hash := range bodiesOf(e) {
			var one int
			err := s.read.QueryRowContext(ctx, `SELECT 1 FROM bodies WHERE hash = ?`, hash).Scan(&one)
			if errors.Is(err, sql.ErrNoRows) {
				return hash, e.Seq, nil
			}
			if err != nil {
				return "", 0, explain(s.path, err)
			}
		}
	}
	return "", 0, nil
}

// bodiesOf lists the bodies that an event names.
func bodiesOf(e Event) (out []string) {
	data, err := Decode(e)
	if err != nil {
		return nil // of a newer version
	}
	add := func(hashes ...string) {
		for _, h := range hashes {
			if h != "" {
				out = append(out, h)
			}
		}
	}
	switch d := data.(type) {
	case Message:
		for _, i := range d.Images {
			add(i.Hash)
		}
	case ReviewAnswered:
		for _, i := range d.Images {
			add(i.Hash)
		}
	case ModelRequested:
		add(d.Body)
	case ModelReplied:
		add(d.Body)
	case TestsFinished:
		add(d.Run.Log)
	case ProofFinished:
		add(d.Run.Log)
	case ToolFinished:
		add(d.Full)
		if d.Run != nil {
			add(d.Run.Log)
		}
	}
	return out
}

// Body reads a body by its hash and checks that it is the one that was stored (ErrCorrupt); ErrNotFound where there is none.
func (s *Store) Body(ctx context.Context, hash string) ([]byte, error) {
	var packed []byte
	err := s.read.QueryRowContext(ctx, `SELECT data FROM bodies WHERE hash = ?`, hash).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		s.mu.Lock()
		w := s.waiting[hash]
		s.mu.Unlock()
		if w == nil {
			return nil, fmt.Errorf("body %s: %w", hash, ErrNotFound)
		}
		packed, err = w.packed, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading body %s: %w", hash, explain(s.path, err))
	}
	data, err := s.dec.DecodeAll(packed, []byte{})
	if err != nil {
		return nil, fmt.Errorf("%w: body %s cannot be unpacked: %w", ErrCorrupt, hash, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("%w: body %s is not what was stored", ErrCorrupt, hash)
	}
	return data, nil
}
